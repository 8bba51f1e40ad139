/* sums.h - sums of figures that come from outside: they stop at the greatest
 * number instead of wrapping round.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SUMMARY_SUMS_H
#define CFS_SUMMARY_SUMS_H

#include <stdint.h>

static inline uint64_t cfs_sum(uint64_t a, uint64_t b)
{
	uint64_t out;

	return __builtin_add_overflow(a, b, &out) ? UINT64_MAX : out;
}

#endif
