/* index_rows_internal.h - what the files of the drive by index share: the walk
 * through the entries.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_EXPORT_INDEX_ROWS_INTERNAL_H
#define CFS_EXPORT_INDEX_ROWS_INTERNAL_H

#include "crawl/entry.h"
#include "crawl/prefixes.h"
#include "index/part.h"
#include "entry_row.h"

/* ---- the walk, in a thread of its own (row_walk.c) --------------------- */

/* Most positions of a batch. */
#define CFS_ROW_WALK_MAX 256u

struct cfs_row_walk;			/* one thread uses it */

struct cfs_row_walk_opts {
	const struct cfs_prefixes *prefixes;	/* borrowed, as all is */
	unsigned per_batch;	/* positions of each batch but the last, at most
				 * CFS_ROW_WALK_MAX; by_archive: or more */
	bool by_archive;	/* in the order of archives' names, and of
				 * records in them; else of the index */
	uint64_t window;	/* by_archive: so many positions at a time, in
				 * the order of the index; 0: all.  Not with a
				 * part */
	struct cfs_part part;	/* of what is walked through; n 0: all */
	/* For positions that are sorted or counted. */
	const char *temp_dir;
	size_t sort_bytes;
};

/* Begins the walk.  0; CFS_ENOMEM. */
int cfs_row_walk_new(struct cfs_row_walk **out,
		       const struct cfs_row_walk_opts *opts,
		       struct cfs_ctx ctx);

/* Waits for the next batch.  *n is 0 at the end.  0; a failure of the walk,
 * once all positions before it were handed out; CFS_EINTR. */
int cfs_row_walk_next(struct cfs_row_walk *w,
			cfs_pos out[CFS_ROW_WALK_MAX], unsigned *n,
			struct cfs_ctx ctx);

void cfs_row_walk_free(struct cfs_row_walk *w);	/* accepts NULL */

#endif
