/* clamp.h - limits numbers to a range, divides them, and adds up flags.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_CLAMP_H
#define CFS_BASE_CLAMP_H

#include <stdbool.h>
#include <stdint.h>

/* v, or the limit that it is beyond.  least <= most. */
static inline uint64_t cfs_clamp_u64(uint64_t v, uint64_t least, uint64_t most)
{
	if (v < least)
		return least;
	return v > most ? most : v;
}

/* As cfs_clamp_u64, of signed numbers. */
static inline int64_t cfs_clamp_i64(int64_t v, int64_t least, int64_t most)
{
	if (v < least)
		return least;
	return v > most ? most : v;
}

/* total * k / n, without overflow: where the first k of n parts of it end. */
static inline uint64_t cfs_part_end_u64(uint64_t total, uint32_t k, uint32_t n)
{
	return total / n * k + total % n * k / n;
}

/* ---- flags ------------------------------------------------------------- */

/* `flag` if that is set, else 0: for sums of flags. */
static inline unsigned cfs_flag(bool is_set, unsigned flag)
{
	return is_set ? flag : 0;
}

#endif
