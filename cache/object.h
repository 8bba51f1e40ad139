/* object.h - what the cache knows of a URL: which state of it, and which of
 * its bytes are where.
 *
 * The caller holds the lock of the cache.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CACHE_OBJECT_H
#define CFS_CACHE_OBJECT_H

#include "state.h"

/* Finds or makes the object, one reference more.  NULL: out of memory. */
struct cfs_object *cfs_object_get(struct cfs_cache *c, const char *url,
				  bool *is_new);
void cfs_object_put(struct cfs_cache *c, struct cfs_object *o);

/* Looks up on disk which state of it was seen last. */
void cfs_object_recall_unlocks(struct cfs_cache *c, struct cfs_object *o);
/* Makes its extents on disk known, if they are not. */
int cfs_object_load_unlocks(struct cfs_cache *c, struct cfs_object *o,
			    const struct cfs_cancel *cancel,
			    struct cfs_error *err);

/* An answer has come that belongs to this state.  CFS_ECHANGED: it is another,
 * and bytes of the old one have been served. */
int cfs_object_confirm(struct cfs_object *o, const char *validator,
		       uint64_t size, int64_t mtime, struct cfs_error *err);

/* Reports an object that is another one since bytes of it were served.
 * Returns CFS_ECHANGED. */
int cfs_object_error_changed(const struct cfs_object *o, struct cfs_error *err);

/* What is on disk as metadata; borrows from o. */
struct cfs_cache_meta cfs_object_meta(const struct cfs_object *o);

/* Removes the extents of a record that turned out bad. */
void cfs_object_drop_record(struct cfs_object *o,
			    const struct cfs_disk_record *r);

#endif
