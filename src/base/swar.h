/* swar.h - tests of eight bytes at once in a 64-bit word (SWAR).
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

/* Loads eight bytes little-endian, as cfs_swar_first needs them. */
static inline uint64_t cfs_swar_in_order_at(const uint8_t *p)
{
	return le64toh(cfs_swar_at(p));
}

/* Sets the high bit of each byte below low (at most 0x80).  Some bytes behind
 * the first of them may be marked wrongly, because of borrows. */
static inline uint64_t cfs_swar_below(uint64_t v, uint8_t low)
{
	return (v - CFS_SWAR_ONES * low) & ~v & CFS_SWAR_HIGHS;
}

/* The same for bytes equal to c. */
static inline uint64_t cfs_swar_are(uint64_t v, uint8_t c)
{
	return cfs_swar_below(v ^ CFS_SWAR_ONES * c, 1);
}

/* The same, and no other byte is marked. */
static inline uint64_t cfs_swar_are_just(uint64_t v, uint8_t c)
{
	const uint64_t low = CFS_SWAR_ONES * 0x7f;
	uint64_t x = v ^ CFS_SWAR_ONES * c;

	return ~(((x & low) + low) | x) & CFS_SWAR_HIGHS;
}

/* The index of the first marked byte, 0 to 7; marks must not be 0. */
static inline unsigned cfs_swar_first(uint64_t marks)
{
	return (unsigned)__builtin_ctzll(marks) / 8;
}

/* True if one of the bytes is c. */
static inline bool cfs_swar_have(uint64_t v, uint8_t c)
{
	return cfs_swar_are(v, c) != 0;
}

/* Capital letters of ASCII become small. */
static inline uint64_t cfs_swar_lower(uint64_t v)
{
	uint64_t low = v & ~CFS_SWAR_HIGHS;
	uint64_t from_a = low + CFS_SWAR_ONES * (0x80 - 'A');
	uint64_t beyond_z = low + CFS_SWAR_ONES * (0x7f - 'Z');

	return v | (from_a & ~beyond_z & ~v & CFS_SWAR_HIGHS) >> 2;
}

/* True if all bytes are ASCII and none is below low (at most 0x80).  A borrow
 * can mark a wrong byte, but only if another one is below low. */
static inline bool cfs_swar_are_ascii_from(uint64_t v, uint8_t low)
{
	return ((v | (v - CFS_SWAR_ONES * low)) & CFS_SWAR_HIGHS) == 0;
}

#endif
