/* names.c - escapes components of the tree as names, and parses names.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "names.h"

#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/timestamp.h"
#include "base/utf8.h"

#define INDEX_NAME "_index"
#define HASH_DIGITS 16
/* The longest spelling of one byte: #%XX. */
#define UNIT_MAX 4

static bool escapes_bytes;

void cfs_names_escape_bytes(bool are_escaped)
{
	escapes_bytes = are_escaped;
}

/* True for one or more underscores followed by `index`. */
static bool is_index_like(struct cfs_slice s)
{
	size_t u = 0;

	while (u < s.n && s.p[u] == '_')
		u++;
	return u > 0 && cfs_slice_eq(cfs_slice_from(s, u),
				     CFS_SLICE_LIT("index"));
}

static bool wants_underscore(struct cfs_slice comp, enum cfs_zone zone)
{
	if (zone == CFS_ZONE_HOST)
		return comp.n > 0 && comp.p[0] == '_';
	return is_index_like(comp);
}

/* Where to cut an escaped name that begins with esc[0..CFS_NAME_CUT]: not
 * inside a UTF-8 sequence (at most 3 bytes back), not inside a `##`. */
static size_t cut_point(const uint8_t *esc)
{
	size_t cut = CFS_NAME_CUT, run = 0;

	for (size_t back = 0; back <= 3; back++) {
		if ((esc[CFS_NAME_CUT - back] & 0xc0) != 0x80) {
			cut = CFS_NAME_CUT - back;
			break;
		}
	}
	while (run < cut && esc[cut - 1 - run] == '#')
		run++;
	return cut - run % 2;
}

/* Writes how the beginning of s is spelt, takes it from s, and returns the
 * bytes written. */
static size_t spell(struct cfs_slice *s, uint8_t out[UNIT_MAX])
{
	static const char digits[] = "0123456789ABCDEF";
	size_t n = escapes_bytes ? cfs_utf8_len(*s) : 1;
	uint8_t c = s->p[0];

	if (n == 0) {
		memcpy(out, (uint8_t[]){ '#', '%', (uint8_t)digits[c >> 4],
					 (uint8_t)digits[c & 15] }, UNIT_MAX);
		*s = cfs_slice_from(*s, 1);
		return UNIT_MAX;
	}
	memcpy(out, s->p, n);
	*s = cfs_slice_from(*s, n);
	if (c == '#')
		out[n++] = '#';
	return n;
}

size_t cfs_name_escape(struct cfs_slice comp, enum cfs_zone zone,
		       char out[CFS_NAME_MAX])
{
	uint8_t esc[CFS_NAME_WHOLE_MAX + UNIT_MAX];
	struct cfs_slice rest = comp;
	size_t n = 0, cut = 0;

	if (comp.n == 0) {
		const char *name = zone == CFS_ZONE_HOST ? "#" : INDEX_NAME;

		memcpy(out, name, strlen(name));
		return strlen(name);
	}
	if (wants_underscore(comp, zone))
		esc[n++] = '_';
	if (comp.n < CFS_NAME_WHOLE_MAX && cfs_slice_find(comp, '#') < 0 &&
	    (!escapes_bytes || cfs_utf8_is_valid(comp))) {
		memcpy(out, esc, n);
		memcpy(out + n, comp.p, comp.n);
		return n + comp.n;
	}
	while (rest.n > 0 && n <= CFS_NAME_WHOLE_MAX) {
		cut = n <= CFS_NAME_CUT ? n : cut;
		n += spell(&rest, esc + n);
	}
	if (n > CFS_NAME_WHOLE_MAX) {
		char hash[HASH_DIGITS + 3];

		n = escapes_bytes ? cut : cut_point(esc);
		snprintf(hash, sizeof(hash), "#x%016llx",
			 (unsigned long long)cfs_hash64(comp, 0));
		memcpy(out, esc, n);
		memcpy(out + n, hash, HASH_DIGITS + 2);
		return n + HASH_DIGITS + 2;
	}
	memcpy(out, esc, n);
	return n;
}

/* The length of `##` or `#%XX` at the start of s, which sets *byte to what it
 * stands for; 0 if there is neither. */
static size_t unit_at(struct cfs_slice s, uint8_t *byte)
{
	int high, low;

	if (cfs_slice_starts(s, CFS_SLICE_LIT("##")))
		return 2;
	if (!escapes_bytes || s.n < UNIT_MAX || s.p[1] != '%')
		return 0;
	high = cfs_xdigit_value(s.p[2]);
	low = cfs_xdigit_value(s.p[3]);
	if (high < 8 || low < 0)
		return 0;
	*byte = (uint8_t)(high << 4 | low);
	return UNIT_MAX;
}

/* Undoes `##`, and `#%XX`, up to another `#`; *stop is its offset, or
 * name.n. */
static void names_unescape(struct cfs_slice name, struct cfs_name *out,
			   size_t *stop)
{
	size_t i = 0, n = 1;

	out->comp_n = 0;
	for (; i < name.n; i += n) {
		uint8_t byte = name.p[i];

		n = byte == '#' ? unit_at(cfs_slice_from(name, i), &byte) : 1;
		if (n == 0)
			break;
		out->comp[out->comp_n++] = byte;
	}
	*stop = i;
}

static bool parse_hash(struct cfs_slice *rest, uint64_t *hash)
{
	uint64_t v = 0;

	if (rest->n < HASH_DIGITS + 1 || rest->p[0] != 'x')
		return false;
	for (size_t i = 1; i <= HASH_DIGITS; i++) {
		int digit = cfs_xdigit_value(rest->p[i]);

		if (digit < 0 || (digit > 9 && rest->p[i] < 'a'))
			return false;	/* lower case only */
		v = v << 4 | (unsigned)digit;
	}
	*hash = v;
	*rest = cfs_slice_from(*rest, HASH_DIGITS + 1);
	return true;
}

/* Digits, and what may be between them in a date. */
static bool is_of_date(uint8_t c)
{
	return cfs_is_digit(c) || memchr("-: TZ", c, 5) != NULL;
}

/* Parses what follows the marker: [N][.VIEW] or @DATE[.VIEW]. */
static bool parse_full(struct cfs_slice rest, struct cfs_name *out)
{
	struct cfs_slice number;
	int64_t last;

	out->is_dated = rest.n > 0 && rest.p[0] == '@';
	if (out->is_dated) {
		rest = cfs_slice_from(rest, 1);
		number = cfs_slice_take(&rest, cfs_slice_run(rest, is_of_date));
		if (cfs_time_parse_span(number, &out->date, &last) != CFS_OK)
			return false;
	} else {
		number = cfs_slice_take(&rest,
					cfs_slice_run(rest, cfs_is_digit));
		if (number.n > 0 &&
		    (number.p[0] == '0' ||
		     cfs_slice_parse_u64(number, UINT64_MAX, &out->capture)))
			return false;
	}
	out->suffix = rest;
	out->is_full = true;
	return out->suffix.n == 0 || out->suffix.p[0] == '.';
}

/* Undoes the special spellings of whole components. */
static bool undo_special(struct cfs_name *out, enum cfs_zone zone)
{
	struct cfs_slice comp = cfs_slice_of(out->comp, out->comp_n);

	if (out->is_cut) {
		/* a long name got an underscore only in the host zone: names
		 * like `_index` are never long */
		if (zone != CFS_ZONE_HOST || comp.n == 0 || comp.p[0] != '_')
			return true;
		if (comp.n < 2 || comp.p[1] != '_')
			return false;
	} else if (zone == CFS_ZONE_HOST) {
		if (comp.p[0] != '_')
			return true;
		if (comp.n < 2 || comp.p[1] != '_')
			return false;
	} else if (!is_index_like(comp)) {
		return true;
	} else if (cfs_slice_eq(comp, CFS_SLICE_LIT(INDEX_NAME))) {
		out->comp_n = 0;
		return true;
	}
	memmove(out->comp, out->comp + 1, --out->comp_n);
	return true;
}

bool cfs_name_parse(struct cfs_slice name, enum cfs_zone zone,
		    struct cfs_name *out)
{
	struct cfs_slice rest;
	size_t stop;

	out->is_cut = out->is_full = out->is_dated = false;
	out->capture = out->hash = 0;
	out->suffix = CFS_SLICE_EMPTY;
	if (name.n == 0 || name.n > CFS_NAME_MAX ||
	    (escapes_bytes && !cfs_utf8_is_valid(name)))
		return false;
	if (zone == CFS_ZONE_HOST && cfs_slice_eq(name, CFS_SLICE_LIT("#"))) {
		out->comp_n = 0;
		return true;
	}
	names_unescape(name, out, &stop);
	if (stop == 0)
		return false;
	if (stop < name.n) {
		rest = cfs_slice_from(name, stop + 1);
		out->is_cut = parse_hash(&rest, &out->hash);
		if (out->is_cut && rest.n > 0) {
			if (rest.p[0] != '#' && rest.p[0] != '.')
				return false;
			if (rest.p[0] == '#' &&
			    !parse_full(cfs_slice_from(rest, 1), out))
				return false;
			if (rest.p[0] == '.')
				out->suffix = rest;
		} else if (!out->is_cut && !parse_full(rest, out)) {
			return false;
		}
		if (out->is_full && zone == CFS_ZONE_HOST)
			return false;
	}
	if (!undo_special(out, zone))
		return false;
	if (!out->is_cut) {		/* only canonical names are valid */
		char back[CFS_NAME_MAX];
		size_t n = cfs_name_escape(cfs_slice_of(out->comp, out->comp_n),
					   zone, back);

		return n == stop && memcmp(back, name.p, n) == 0 &&
		       !(n == 1 && back[0] == '.') &&
		       !(n == 2 && back[0] == '.' && back[1] == '.');
	}
	return true;
}

bool cfs_name_is_cut(struct cfs_slice comp, enum cfs_zone zone, uint64_t *hash)
{
	char esc[CFS_NAME_MAX];
	struct cfs_name back;
	size_t n;

	if ((escapes_bytes ? UNIT_MAX : 2) * comp.n + 1 <= CFS_NAME_WHOLE_MAX)
		return false;
	n = cfs_name_escape(comp, zone, esc);
	if (!cfs_name_parse(cfs_slice_of(esc, n), zone, &back) || !back.is_cut)
		return false;
	*hash = back.hash;
	return true;
}

bool cfs_name_is_of(const struct cfs_name *name, struct cfs_slice comp,
		    enum cfs_zone zone)
{
	char esc[CFS_NAME_MAX];
	struct cfs_name back;
	size_t n;

	if (!name->is_cut)
		return cfs_slice_eq(comp,
				    cfs_slice_of(name->comp, name->comp_n));
	n = cfs_name_escape(comp, zone, esc);
	return cfs_name_parse(cfs_slice_of(esc, n), zone, &back) &&
	       back.is_cut && back.hash == name->hash &&
	       cfs_slice_eq(cfs_slice_of(back.comp, back.comp_n),
			    cfs_slice_of(name->comp, name->comp_n));
}

bool cfs_name_clash(struct cfs_slice comp, struct cfs_slice suffix,
		    uint8_t out[CFS_NAME_CLASH_MAX], size_t *out_n)
{
	char esc[CFS_NAME_MAX];
	size_t n = cfs_name_escape(comp, CFS_ZONE_PATH, esc);
	struct cfs_name back;
	size_t stop;

	if (n + suffix.n > CFS_NAME_WHOLE_MAX || suffix.n > 16)
		return false;
	/* with a suffix it is not like `_index`, so only `##` is undone */
	names_unescape(cfs_slice_of(esc, n), &back, &stop);
	if (stop < n)
		return false;
	memcpy(out, back.comp, back.comp_n);
	memcpy(out + back.comp_n, suffix.p, suffix.n);
	*out_n = back.comp_n + suffix.n;
	return true;
}

/* ---- suffixes --------------------------------------------------------- */

bool cfs_suffix_next(struct cfs_suffix *s)
{
	if (s->view == CFS_VIEW_NONE)
		*s = (struct cfs_suffix){ .view = CFS_VIEW_META };
	else
		s->form++, s->number++;
	for (; s->view < CFS_VIEW_COUNT; s->view++, s->form = 0) {
		const char *text = cfs_view_suffix(s->view, s->form);

		if (text == NULL)
			continue;
		s->text = cfs_slice_str(text);
		return true;
	}
	return false;
}

bool cfs_suffix_find(enum cfs_view view, unsigned form, struct cfs_suffix *out)
{
	if (view == CFS_VIEW_RAW && form == 0)
		return cfs_suffix_parse(CFS_SLICE_EMPTY, out);
	out->view = CFS_VIEW_NONE;
	while (cfs_suffix_next(out))
		if (out->view == view && out->form == form)
			return true;
	return false;
}

bool cfs_suffix_parse(struct cfs_slice suffix, struct cfs_suffix *out)
{
	*out = (struct cfs_suffix){ .view = CFS_VIEW_RAW,
				    .text = CFS_SLICE_EMPTY };
	if (suffix.n == 0)
		return true;
	out->view = CFS_VIEW_NONE;
	while (cfs_suffix_next(out))
		if (cfs_slice_eq(suffix, out->text))
			return true;
	return false;
}
