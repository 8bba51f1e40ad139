/* sizes.h - sizes of files that opening them has shown, kept between mounts.
 *
 * In memory while an index is open, and in a file for each index in the cache
 * folder (sizes_file.h), which is read when the index is opened.  What is
 * learnt is written by a thread of its own, a batch at a time: a process that
 * is killed loses what it has learnt in the last CFS_SIZES_WRITE_MS.
 *
 * A size that is found here is the one that was put, by this process or
 * another, for this very state of the index; one that is not found may have
 * been put.  A folder that cannot be written to is a warning.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CACHE_SIZES_H
#define CFS_CACHE_SIZES_H

#include "base/error.h"
#include "sizes_file.h"

#define CFS_SIZES_WRITE_MS 1000u

struct cfs_sizes;		/* threads share it */

/*
 * Opens the sizes of an index.
 *
 * cache_dir  the cache folder; nothing is made before something is kept
 * code       which code makes the views: sizes put by another code are not
 *            found, unless they hold for any
 *
 * 0 or CFS_ENOMEM.
 */
int cfs_sizes_open(struct cfs_sizes **out, const char *cache_dir,
		   const struct cfs_sizes_id *id, uint32_t code,
		   struct cfs_error *err);
/* Writes what was learnt.  Accepts NULL. */
void cfs_sizes_close(struct cfs_sizes *s);

/* False: not known.  key: up to CFS_SIZES_KEY_MAX. */
bool cfs_sizes_get(struct cfs_sizes *s, uint64_t key, uint64_t *size);

/* Keeps a size; one that is known already costs nothing more.  A larger one
 * than CFS_SIZES_SIZE_MAX is not kept. */
void cfs_sizes_put(struct cfs_sizes *s, const struct cfs_sizes_entry *e);

/* Waits until what was put before is written, or has failed to be.  For
 * tests. */
void cfs_sizes_flush(struct cfs_sizes *s);

#endif
