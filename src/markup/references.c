/* references.c - decodes character references (see references.h).
 *
 * Names are searched letter by letter in the sorted table: each letter narrows
 * the range of names with that prefix, and the longest name found on the way
 * counts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "references.h"

#include "base/array.h"
#include "base/ascii.h"
#include "base/utf8.h"
#include "reference_names.h"

struct reference_name {
	const char *text;	/* without '&' and ';' */
	uint32_t c, d;		/* its code points; d is 0 if only one */
	uint8_t n;		/* bytes of text */
	bool may_lack_semicolon;
};

#define N(name, c) { name, c, 0, sizeof(name) - 1, false },
#define S(name, c) { name, c, 0, sizeof(name) - 1, true },
#define P(name, c, d) { name, c, d, sizeof(name) - 1, false },
static const struct reference_name names[] = { CFS_REFERENCE_NAMES(N, S, P) };
#undef N
#undef S
#undef P
#define NAMES (sizeof(names) / sizeof(names[0]))

/* The code points of &#128; to &#159;: those of windows-1252 where defined. */
static const uint16_t c1[32] = {
	0x20ac, 0x81, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021,
	0x2c6, 0x2030, 0x160, 0x2039, 0x152, 0x8d, 0x17d, 0x8f,
	0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
	0x2dc, 0x2122, 0x161, 0x203a, 0x153, 0x9d, 0x17e, 0x178,
};

static uint32_t settle_number(uint32_t c, enum cfs_reference_rules rules)
{
	if (c == 0 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return CFS_UTF8_REPLACEMENT;
	if (c < 0x80 || c >= 0xa0 || rules == CFS_REFERENCE_XML)
		return c;
	return c1[c - 0x80];
}

/* Decodes "&#" and digits, or "&#x" and hexadecimal digits.  Returns the length
 * of the reference, or 0. */
static size_t references_parse_number(struct cfs_slice s,
				      enum cfs_reference_rules rules,
				      uint8_t *out, size_t *out_n)
{
	bool is_hex = s.n > 2 && (s.p[2] | 0x20) == 'x';
	size_t i = is_hex ? 3 : 2, first = i;
	uint32_t c = 0;

	for (; i < s.n; i++) {
		int v = cfs_xdigit_value(s.p[i]);

		if (v < 0 || (v > 9 && !is_hex))
			break;
		if (c <= 0x10ffff)	/* larger values are all invalid */
			c = c * (is_hex ? 16 : 10) + (uint32_t)v;
	}
	if (i == first)
		return 0;
	*out_n = cfs_utf8_put(out, settle_number(c, rules));
	return i < s.n && s.p[i] == ';' ? i + 1 : i;
}

/* Byte i of a name; 0, which is less than every letter, behind its end. */
static unsigned letter(const struct reference_name *name, size_t i)
{
	return i < name->n ? (uint8_t)name->text[i] : 0;
}

/* The first of names[lo..hi) whose letter i is at least c. */
static size_t bound(size_t lo, size_t hi, size_t i, unsigned c)
{
	CFS_LOWER_BOUND(lo, hi, k, letter(&names[k], i) < c);
	return lo;
}

/* The longest name at the start of s, which is the text behind '&'.  *n is its
 * length, with the semicolon if there is one.  NULL if there is none. */
static const struct reference_name *references_find_name(struct cfs_slice s,
							 size_t *n)
{
	const struct reference_name *found = NULL;
	size_t lo = 0, hi = NAMES;

	for (size_t i = 0; i < s.n && cfs_is_alnum(s.p[i]); i++) {
		lo = bound(lo, hi, i, s.p[i]);
		hi = bound(lo, hi, i, s.p[i] + 1u);
		if (lo == hi)
			break;
		if (names[lo].n != i + 1)
			continue;
		if (i + 1 < s.n && s.p[i + 1] == ';') {
			*n = i + 2;
			return &names[lo];
		}
		if (names[lo].may_lack_semicolon) {
			*n = i + 1;
			found = &names[lo];
		}
	}
	return found;
}

/* True if the rules let the name, which is followed by the rest of s from n on,
 * stand for something. */
static bool references_is_allowed(struct cfs_slice s, size_t n,
				  const struct reference_name *name,
				  enum cfs_reference_rules rules)
{
	bool has_semicolon = s.p[n - 1] == ';';

	switch (rules) {
	case CFS_REFERENCE_ATTR:
		return has_semicolon || n == s.n ||
		       (s.p[n] != '=' && !cfs_is_alnum(s.p[n]));
	case CFS_REFERENCE_FEED:
		return has_semicolon;
	case CFS_REFERENCE_XML:		/* HTML also has &AMP; */
		return has_semicolon && name->text[0] >= 'a' &&
		       cfs_slice_in_words(cfs_slice_of(name->text, name->n),
					  "amp lt gt quot apos");
	case CFS_REFERENCE_HTML:
	default:
		return true;
	}
}

size_t cfs_reference_parse(struct cfs_slice s, enum cfs_reference_rules rules,
			   uint8_t out[CFS_REFERENCE_BYTES], size_t *out_n)
{
	const struct reference_name *name;
	size_t n = 0;

	*out_n = 0;
	if (s.n < 2)
		return 0;
	if (s.p[1] == '#')
		return references_parse_number(s, rules, out, out_n);
	s = cfs_slice_from(s, 1);
	name = references_find_name(s, &n);
	if (name == NULL || !references_is_allowed(s, n, name, rules))
		return 0;
	*out_n = cfs_utf8_put(out, name->c);
	if (name->d != 0)
		*out_n += cfs_utf8_put(out + *out_n, name->d);
	return n + 1;
}
