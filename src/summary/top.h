/* top.h - keeps the greatest of many items in memory for a few.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SUMMARY_TOP_H
#define CFS_SUMMARY_TOP_H

#include <stdbool.h>

#include "base/error.h"
#include "base/slice.h"

struct cfs_top_item {
	uint64_t value;			/* the greatest are kept */
	uint64_t rank;			/* of equal values, the lowest are;
					 * then the lowest texts */
	uint64_t pages, bytes;		/* for the caller */
	struct cfs_slice text;
	uint8_t *own;			/* the memory of text, in the items of a
					 * cfs_top; else not used */
};

/* Zeroed but for max: empty. */
struct cfs_top {
	size_t max;
	struct cfs_top_item *v;		/* a heap with the least one in front,
					 * until it is sorted */
	size_t n, room;
};

void cfs_top_release(struct cfs_top *t);

/* Keeps the item, with a copy of its text, if it is one of the greatest.  0 or
 * CFS_ENOMEM. */
int cfs_top_offer(struct cfs_top *t, const struct cfs_top_item *item);

/* Offers all items of another one. */
int cfs_top_merge(struct cfs_top *t, const struct cfs_top *from);

/* Sorts the items, the greatest first.  None can be offered any more. */
void cfs_top_sort(struct cfs_top *t);

#endif
