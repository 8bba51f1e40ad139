/* count_work.h - counts the entries of indexes that are looked at.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef COUNT_WORK_H
#define COUNT_WORK_H

#include "index/index.h"

/* Entries that were looked at, below unions and filters. */
static uint64_t work;
static struct cfs_index_ops counted[2];
static const struct cfs_index_ops *own[2];

#define COUNTED(k) \
	static int seek_##k(struct cfs_index *ix, struct cfs_slice key, \
			    struct cfs_iter *it, \
			    const struct cfs_cancel *cancel, \
			    struct cfs_error *err) \
	{ \
		work++; \
		return own[k]->seek(ix, key, it, cancel, err); \
	} \
	static int at_##k(struct cfs_index *ix, cfs_pos pos, \
			  struct cfs_iter *it, \
			  const struct cfs_cancel *cancel, \
			  struct cfs_error *err) \
	{ \
		work++; \
		return own[k]->at(ix, pos, it, cancel, err); \
	} \
	static int next_##k(struct cfs_iter *it, \
			    const struct cfs_cancel *cancel, \
			    struct cfs_error *err) \
	{ \
		work++; \
		return own[k]->next(it, cancel, err); \
	} \
	static int capture_##k(struct cfs_iter *it, struct cfs_capture *out, \
			       struct cfs_error *err) \
	{ \
		work++; \
		return own[k]->capture(it, out, err); \
	}
COUNTED(0)
COUNTED(1)

static inline void count_work(struct cfs_index *ix, unsigned k)
{
	own[k] = ix->ops;
	counted[k] = *ix->ops;
	counted[k].seek = k == 0 ? seek_0 : seek_1;
	counted[k].at = k == 0 ? at_0 : at_1;
	counted[k].next = k == 0 ? next_0 : next_1;
	counted[k].capture = k == 0 ? capture_0 : capture_1;
	ix->ops = &counted[k];
}

#endif
