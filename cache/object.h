/* object.h - what the cache knows of a URL: which state it has, and where its
 * bytes are.
 *
 * The caller holds the lock of the cache.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CACHE_OBJECT_H
#define CFS_CACHE_OBJECT_H

#include "state.h"

/* Finds or makes the object and adds a reference.  NULL: out of memory. */
struct cfs_object *cfs_object_get(struct cfs_cache *c, const char *url,
				  bool *is_new);
void cfs_object_put(struct cfs_cache *c, struct cfs_object *o);

/* Looks up on disk which state of the object was seen last. */
void cfs_object_recall_unlocks(struct cfs_cache *c, struct cfs_object *o);
/* Adds the extents that are on disk, if they are not known yet. */
int cfs_object_load_unlocks(struct cfs_cache *c, struct cfs_object *o,
			    struct cfs_ctx ctx);

/* Notes an answer that shows this state.  CFS_ECHANGED if it is another one,
 * and bytes of the old one have been served. */
int cfs_object_confirm(struct cfs_object *o, const char *validator,
		       uint64_t size, int64_t mtime, struct cfs_error *err);

/* Reports an object that has changed since bytes of it were served.
 * Returns CFS_ECHANGED. */
int cfs_object_error_changed(const struct cfs_object *o, struct cfs_error *err);

/* The metadata as they are stored on disk; borrow from o. */
struct cfs_cache_meta cfs_object_meta(const struct cfs_object *o);

/* Removes the extents of a record that turned out damaged. */
void cfs_object_drop_record(struct cfs_object *o,
			    const struct cfs_disk_record *r);

#endif
