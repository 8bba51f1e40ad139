/* filter.h - an index that shows some of the entries of another one.
 *
 * It has no iterator of its own: the caller's is lent to the index below for
 * the length of a call.  A filter takes these calls and replaces those that
 * make it one (dates.h, part.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_FILTER_H
#define CFS_INDEX_FILTER_H

#include "index.h"

/* Calls that the index below answers.  What that has no call for, a filter has
 * none for either.  `close` frees nothing but the index below. */
struct cfs_index_ops cfs_filter_ops(const struct cfs_index_ops *below);

int cfs_filter_seek(struct cfs_index *ix, struct cfs_slice key,
		    struct cfs_iter *it, const struct cfs_cancel *cancel,
		    struct cfs_error *err);
int cfs_filter_next(struct cfs_iter *it, const struct cfs_cancel *cancel,
		    struct cfs_error *err);
int cfs_filter_capture(struct cfs_iter *it, struct cfs_capture *out,
		       struct cfs_error *err);
void cfs_filter_close(struct cfs_index *ix);

#endif
