/* simhash_units.c - iterates over the UTF-16 code units of a text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "simhash_internal.h"

#include "base/utf8.h"

struct cfs_simhash_units cfs_simhash_units_of(
	const struct cfs_simhash_text *text)
{
	return (struct cfs_simhash_units){ .rest = text->bytes,
		.is_latin1 = text->is_latin1, .has_bom = text->has_bom };
}

bool cfs_simhash_units_end(const struct cfs_simhash_units *u)
{
	return u->rest.n == 0 && u->low == 0 && !u->has_bom;
}

/* Takes a character and returns its first unit; a second one, for characters
 * beyond U+FFFF, is kept in u->low. */
static unsigned take_utf8(struct cfs_simhash_units *u)
{
	size_t n = cfs_utf8_len(u->rest);
	const uint8_t *p = u->rest.p;
	unsigned c;

	u->rest = cfs_slice_from(u->rest, n > 0 ? n : 1);
	switch (n) {
	case 0:
		return 0xfffd;
	case 1:
		return p[0];
	case 2:
		return (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);
	case 3:
		return (p[0] & 0x0fu) << 12 | (p[1] & 0x3fu) << 6 |
		       (p[2] & 0x3fu);
	default:
		c = (p[0] & 7u) << 18 | (p[1] & 0x3fu) << 12 |
		    (p[2] & 0x3fu) << 6 | (p[3] & 0x3fu);
		c -= 0x10000;
		u->low = 0xdc00 + (c & 0x3ff);
		return 0xd800 + (c >> 10);
	}
}

uint16_t cfs_simhash_unit(struct cfs_simhash_units *u)
{
	unsigned unit = u->low;

	if (u->has_bom) {
		u->has_bom = false;
		return 0xfeff;
	}
	if (unit != 0) {
		u->low = 0;
	} else if (u->is_latin1) {
		unit = u->rest.p[0];
		u->rest = cfs_slice_from(u->rest, 1);
	} else {
		unit = take_utf8(u);
	}
	return (uint16_t)unit;
}
