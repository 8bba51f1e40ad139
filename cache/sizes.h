/* sizes.h - sizes of files that were found by opening them, kept between
 * mounts.
 *
 * They are in memory while an index is open, and in records of the block cache
 * (sizes_batch.h), of which the newest half million sizes are read when the
 * index is opened.  A thread writes new sizes in batches: a process that is
 * killed loses those of the last CFS_SIZES_WRITE_MS.
 *
 * A size found here was put, by this process or another, for this very state of
 * the index; a size not found may still have been put.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CACHE_SIZES_H
#define CFS_CACHE_SIZES_H

#include "base/error.h"
#include "sizes_batch.h"

#define CFS_SIZES_WRITE_MS 1000u

struct cfs_disk;
struct cfs_sizes;		/* threads share it */

/*
 * Opens the sizes of an index.
 *
 * disk  where they are kept (cfs_cache_disk), borrowed; nothing is written
 *       before a size is put
 * code  version of the views (cfs_view_version): sizes put by another version
 *       are not found, unless they hold for any
 *
 * 0 or CFS_ENOMEM.
 */
int cfs_sizes_open(struct cfs_sizes **out, struct cfs_disk *disk,
		   const struct cfs_sizes_id *id, uint32_t code,
		   struct cfs_error *err);
/* Writes the sizes still pending.  Accepts NULL. */
void cfs_sizes_close(struct cfs_sizes *s);

/* False: not known.  key: at most CFS_SIZES_KEY_MAX. */
bool cfs_sizes_get(struct cfs_sizes *s, uint64_t key, uint64_t *size);

/* Keeps a size; one already known costs nothing more.  Sizes above
 * CFS_SIZES_SIZE_MAX are not kept. */
void cfs_sizes_put(struct cfs_sizes *s, const struct cfs_sizes_entry *e);

/* Waits until all sizes put so far are written, or have failed to be.
 * For tests. */
void cfs_sizes_flush(struct cfs_sizes *s);

#endif
