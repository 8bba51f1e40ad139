/* charset_wide.c - detects UTF-16 and UTF-32 without a byte order mark.
 *
 * Text does not contain NUL, so ASCII bytes with NULs between them are wide
 * units.  A set is chosen if all of the first units are characters of text, and
 * so many of them are ASCII (markup, blanks, digits in any language) that this
 * is not by chance: units read in the wrong byte order give East Asian letters,
 * and units of another width give NULs.
 *
 * No memory is allocated; time is limited by WIDE_LOOK_BYTES.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "charset_steps.h"

#define WIDE_LOOK_BYTES 4096u
/* At least one in ASCII_IN units must be ASCII, and there must be UNITS_MIN
 * units. */
#define ASCII_IN 4u
#define UNITS_MIN 2u

struct wide {
	const char *label;
	unsigned bytes;
	bool is_big_endian;
};

static uint32_t unit_at(const struct wide *w, const uint8_t *p)
{
	uint32_t v = 0;

	for (unsigned i = 0; i < w->bytes; i++)
		v |= (uint32_t)p[i] <<
		     8 * (w->is_big_endian ? w->bytes - 1 - i : i);
	return v;
}

static bool is_high(uint32_t c)
{
	return c >= 0xd800 && c <= 0xdbff;
}

static bool is_low(uint32_t c)
{
	return c >= 0xdc00 && c <= 0xdfff;
}

/* True if c can occur in text; surrogates are checked elsewhere. */
static bool is_of_text(uint32_t c)
{
	return c == '\t' || c == '\n' || c == '\f' || c == '\r' ||
	       (c >= 0x20 && c <= 0x10ffff && (c & 0xfffe) != 0xfffe);
}

static bool is_text_in(const struct wide *w, struct cfs_slice s)
{
	size_t units = s.n / w->bytes, ascii = 0;
	bool after_high = false;

	while (units > 0 &&
	       unit_at(w, s.p + (units - 1) * w->bytes) == 0)
		units--;		/* the end of a C string */
	for (size_t i = 0; i < units; i++) {
		uint32_t c = unit_at(w, s.p + i * w->bytes);

		if (!is_of_text(c) || is_low(c) != after_high ||
		    (w->bytes == 4 && is_high(c)))
			return false;
		after_high = is_high(c);
		ascii += c < 0x80;
	}
	return units >= UNITS_MIN && ascii >= (units + ASCII_IN - 1) / ASCII_IN;
}

bool cfs_charset_wide(struct cfs_slice body, struct cfs_charset *out)
{
	static const struct wide sets[] = {
		{ "utf-32le", 4, false }, { "utf-32be", 4, true },
		{ "utf-16le", 2, false }, { "utf-16be", 2, true },
	};
	struct cfs_slice s = cfs_slice_sub(body, 0, WIDE_LOOK_BYTES);

	if (cfs_slice_find(s, 0) < 0)
		return false;
	for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++)
		if (is_text_in(&sets[i], s))
			return cfs_charset_by_label(
				cfs_slice_str(sets[i].label), out);
	return false;
}
