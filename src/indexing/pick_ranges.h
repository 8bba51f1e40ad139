/* pick_ranges.h - finds the ranges of an index's keys that contain what is
 * picked by its place, so that an index of billions need not be read
 * completely.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEXING_PICK_RANGES_H
#define CFS_INDEXING_PICK_RANGES_H

#include "pick.h"

/* Disjoint and ascending ranges; the slices borrow from `bytes`.  Initialized
 * by find; release it in any case. */
struct cfs_pick_ranges {
	struct cfs_range *v;
	size_t n, room;
	struct cfs_buf bytes;
};

/* Finds the ranges of ix; one of all keys if p has no prefixes or is NULL.
 * They contain more than what is picked.  0, CFS_ENOMEM, or a failure of
 * reading. */
int cfs_pick_ranges_find(struct cfs_pick_ranges *out, const struct cfs_pick *p,
			 struct cfs_index *ix, struct cfs_ctx ctx);
void cfs_pick_ranges_release(struct cfs_pick_ranges *r);

#endif
