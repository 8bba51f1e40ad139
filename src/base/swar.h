/* swar.h - eight bytes at a time, for what most bytes of a text are.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_SWAR_H
#define CFS_BASE_SWAR_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define CFS_SWAR_ONES UINT64_C(0x0101010101010101)
#define CFS_SWAR_HIGHS UINT64_C(0x8080808080808080)

static inline uint64_t cfs_swar_at(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* In the order in which cfs_swar_first looks. */
static inline uint64_t cfs_swar_in_order_at(const uint8_t *p)
{
	return le64toh(cfs_swar_at(p));
}

/* Marks: the high bits of bytes below low (at most 0x80), and of some behind
 * the first of them. */
static inline uint64_t cfs_swar_below(uint64_t v, uint8_t low)
{
	return (v - CFS_SWAR_ONES * low) & ~v & CFS_SWAR_HIGHS;
}

/* The same for bytes that are c. */
static inline uint64_t cfs_swar_are(uint64_t v, uint8_t c)
{
	return cfs_swar_below(v ^ CFS_SWAR_ONES * c, 1);
}

/* Which is the first that is marked, 0 to 7; marks are not 0. */
static inline unsigned cfs_swar_first(uint64_t marks)
{
	return (unsigned)__builtin_ctzll(marks) / 8;
}

/* Is one of them c? */
static inline bool cfs_swar_have(uint64_t v, uint8_t c)
{
	return cfs_swar_are(v, c) != 0;
}

/* Is none of them below low (at most 0x80), and all ASCII?  A borrow may blame
 * a byte for the one before it, but there is none without one. */
static inline bool cfs_swar_are_ascii_from(uint64_t v, uint8_t low)
{
	return ((v | (v - CFS_SWAR_ONES * low)) & CFS_SWAR_HIGHS) == 0;
}

#endif
