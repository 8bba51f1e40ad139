/* ascii.h - classes of ASCII characters, whatever the locale.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_ASCII_H
#define CFS_BASE_ASCII_H

#include <stdbool.h>
#include <stdint.h>

static inline bool cfs_is_digit(uint8_t c)
{
	return (uint8_t)(c - '0') < 10;
}

static inline bool cfs_is_alpha(uint8_t c)
{
	return (uint8_t)((c | 0x20) - 'a') < 26;
}

static inline bool cfs_is_alnum(uint8_t c)
{
	return cfs_is_digit(c) || cfs_is_alpha(c);
}

/* A blank or a tab. */
static inline bool cfs_is_blank(uint8_t c)
{
	return c == ' ' || c == '\t';
}

/* White space as HTML has it: blank, tab, LF, FF, CR. */
static inline bool cfs_is_space(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

static inline uint8_t cfs_ascii_lower(uint8_t c)
{
	return (uint8_t)(c - 'A') < 26 ? c | 0x20 : c;
}

/* The value of a hexadecimal digit, 0 to 15; -1 for any other byte. */
static inline int cfs_xdigit_value(uint8_t c)
{
	if (cfs_is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static inline bool cfs_is_xdigit(uint8_t c)
{
	return cfs_xdigit_value(c) >= 0;
}

#endif
