/* array.h - growable arrays, and binary search in sorted ones.
 *
 *     if (cfs_array_reserve((void **)&v, &room, n + 1, sizeof(*v), MAX) != 0)
 *             ...
 *     v[n++] = item;
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_ARRAY_H
#define CFS_BASE_ARRAY_H

#include <stddef.h>

/*
 * Makes room for at least n items of item_bytes each in the array *v, which
 * has room for *room items.  It grows by doubling, never beyond max items.
 * Returns 0, CFS_ELIMIT if n is more than max, or CFS_ENOMEM; after a failure
 * *v and *room are unchanged.  The caller frees *v.
 */
int cfs_array_reserve(void **v, size_t *room, size_t n, size_t item_bytes,
		      size_t max);

/*
 * Binary search: sets lo to the first index i in [lo, hi) for which the
 * expression `is_before` is false, or to hi if there is none.  `is_before` must
 * be true up to some index and false from there on.
 *
 *     size_t at = 0;
 *
 *     CFS_LOWER_BOUND(at, n, i, v[i].key < key);
 */
#define CFS_LOWER_BOUND(lo, hi, i, is_before) \
	do { \
		__typeof__(lo) end_ = (hi); \
		\
		while ((lo) < end_) { \
			__typeof__(lo) i = (lo) + (end_ - (lo)) / 2; \
			\
			if (is_before) \
				(lo) = i + 1; \
			else \
				end_ = i; \
		} \
	} while (0)

#endif
