/* index_walk.h - walks through the entries that prefixes cover, in a thread of
 * its own, and hands their positions out in batches.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_EXPORT_INDEX_WALK_H
#define CFS_EXPORT_INDEX_WALK_H

#include "crawl/prefixes.h"

/* Most positions of a batch. */
#define CFS_INDEX_WALK_MAX 256u

struct cfs_index_walk;			/* one thread uses it */

/*
 * Begins the walk.
 *
 * prefixes   borrowed until it is freed; with none, all entries are covered
 * per_batch  positions of each batch but the last, at most CFS_INDEX_WALK_MAX
 *
 * 0; CFS_ENOMEM.
 */
int cfs_index_walk_new(struct cfs_index_walk **out,
		       const struct cfs_prefixes *prefixes, unsigned per_batch,
		       struct cfs_ctx ctx);

/* Waits for the next batch.  *n is 0 at the end.  0; a failure of the walk,
 * once all positions before it were handed out; CFS_EINTR. */
int cfs_index_walk_next(struct cfs_index_walk *w,
			cfs_pos out[CFS_INDEX_WALK_MAX], unsigned *n,
			struct cfs_ctx ctx);

void cfs_index_walk_free(struct cfs_index_walk *w);	/* accepts NULL */

#endif
