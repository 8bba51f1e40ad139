/* filter.h - an index that shows some of the entries of another one.
 *
 * It has no iterators of its own: the caller's is lent to the index below for
 * the duration of a call.  A particular filter (picked.h, part.h) starts from
 * these calls and replaces those that do its filtering.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_FILTER_H
#define CFS_INDEX_FILTER_H

#include "index.h"

/* A table of calls that are passed to the index below, with NULL where that
 * index has none.  `close` frees nothing but the index below. */
struct cfs_index_ops cfs_filter_ops(const struct cfs_index_ops *below);

int cfs_filter_seek(struct cfs_index *ix, struct cfs_slice key,
		    struct cfs_iter *it, struct cfs_ctx ctx);
int cfs_filter_next(struct cfs_iter *it, struct cfs_ctx ctx);
int cfs_filter_skip(struct cfs_iter *it, cfs_pos hole, struct cfs_ctx ctx);
int cfs_filter_capture(struct cfs_iter *it, struct cfs_capture *out,
		       struct cfs_error *err);
void cfs_filter_close(struct cfs_index *ix);

#endif
