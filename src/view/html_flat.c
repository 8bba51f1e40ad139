/* html_flat.c - tags and text of an HTML document, one after the other.
 *
 * For documents that are too much for a tree (html.c).  One pass, linear
 * time, no nesting: comments, declarations and raw text elements are known,
 * attributes are decoded, and each <a> is ended by the next one.  Of the
 * named character references only the common ones are known; others stay as
 * written.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <string.h>

#include "charset.h"
#include "html.h"

#define FLAT_ATTRS_MAX 64	/* of one tag; more are ignored */
#define FLAT_CANCEL_EVERY 4096

/* An attribute in flat.values while that buffer may still move. */
struct attr_span {
	size_t name_at, name_n, value_at, value_n;
};

struct flat {
	struct cfs_slice rest;
	const struct cfs_html_sink *sink;
	struct attr_span spans[FLAT_ATTRS_MAX];
	struct cfs_html_attr attrs[FLAT_ATTRS_MAX];
	unsigned n_attrs;
	struct cfs_buf text;	/* decoded text */
	struct cfs_buf values;	/* decoded attribute bytes */
	bool in_link;
};

static bool is_space(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

static bool is_alpha(uint8_t c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static void add_codepoint(struct cfs_buf *b, uint32_t c)
{
	/* 128 to 159 mean windows-1252 (HTML standard, 13.2.5.80) */
	static const uint16_t high[32] = {
		0x20ac, 0x81, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021,
		0x2c6, 0x2030, 0x160, 0x2039, 0x152, 0x8d, 0x17d, 0x8f,
		0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
		0x2dc, 0x2122, 0x161, 0x203a, 0x153, 0x9d, 0x17e, 0x178,
	};

	if (c >= 0x80 && c < 0xa0)
		c = high[c - 0x80];
	if (c == 0 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		c = 0xfffd;
	if (c < 0x80) {
		cfs_buf_addc(b, (uint8_t)c);
	} else if (c < 0x800) {
		cfs_buf_addc(b, (uint8_t)(0xc0 | c >> 6));
		cfs_buf_addc(b, (uint8_t)(0x80 | (c & 0x3f)));
	} else if (c < 0x10000) {
		cfs_buf_addc(b, (uint8_t)(0xe0 | c >> 12));
		cfs_buf_addc(b, (uint8_t)(0x80 | (c >> 6 & 0x3f)));
		cfs_buf_addc(b, (uint8_t)(0x80 | (c & 0x3f)));
	} else {
		cfs_buf_addc(b, (uint8_t)(0xf0 | c >> 18));
		cfs_buf_addc(b, (uint8_t)(0x80 | (c >> 12 & 0x3f)));
		cfs_buf_addc(b, (uint8_t)(0x80 | (c >> 6 & 0x3f)));
		cfs_buf_addc(b, (uint8_t)(0x80 | (c & 0x3f)));
	}
}

/* "&#65;" or "&#x41;" at s; bytes used, 0 if it is none. */
static size_t numeric_ref(struct cfs_slice s, struct cfs_buf *out)
{
	bool is_hex = s.n > 2 && (s.p[2] | 0x20) == 'x';
	size_t start = is_hex ? 3 : 2, i;
	uint32_t c = 0;

	for (i = start; i < s.n; i++) {
		uint8_t d = s.p[i];

		if (is_digit(d))
			d = (uint8_t)(d - '0');
		else if (is_hex && (d | 0x20) >= 'a' && (d | 0x20) <= 'f')
			d = (uint8_t)((d | 0x20) - 'a' + 10);
		else
			break;
		if (c <= 0x10ffff)
			c = c * (is_hex ? 16 : 10) + d;
	}
	if (i == start)
		return 0;
	add_codepoint(out, c);
	return i + (i < s.n && s.p[i] == ';');
}

static const struct {
	const char *name;
	uint16_t c;
} named[] = {
	{ "amp", '&' }, { "lt", '<' }, { "gt", '>' }, { "quot", '"' },
	{ "apos", '\'' }, { "nbsp", 0xa0 }, { "copy", 0xa9 }, { "reg", 0xae },
	{ "laquo", 0xab }, { "raquo", 0xbb }, { "middot", 0xb7 },
	{ "deg", 0xb0 }, { "euro", 0x20ac }, { "trade", 0x2122 },
	{ "hellip", 0x2026 }, { "mdash", 0x2014 }, { "ndash", 0x2013 },
	{ "lsquo", 0x2018 }, { "rsquo", 0x2019 }, { "ldquo", 0x201c },
	{ "rdquo", 0x201d }, { "bull", 0x2022 }, { "auml", 0xe4 },
	{ "ouml", 0xf6 }, { "uuml", 0xfc }, { "Auml", 0xc4 },
	{ "Ouml", 0xd6 }, { "Uuml", 0xdc }, { "szlig", 0xdf },
	{ "agrave", 0xe0 }, { "aacute", 0xe1 }, { "egrave", 0xe8 },
	{ "eacute", 0xe9 }, { "iacute", 0xed }, { "oacute", 0xf3 },
	{ "uacute", 0xfa }, { "ntilde", 0xf1 }, { "ccedil", 0xe7 },
	{ "ecirc", 0xea }, { "atilde", 0xe3 }, { "times", 0xd7 },
};

static size_t named_ref(struct cfs_slice s, struct cfs_buf *out)
{
	size_t n = 1;

	while (n < s.n && n < 10 && is_alpha(s.p[n]))
		n++;
	if (n >= s.n || s.p[n] != ';')
		return 0;
	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		if (cfs_slice_eq(cfs_slice_sub(s, 1, n - 1),
				 cfs_slice_str(named[i].name))) {
			add_codepoint(out, named[i].c);
			return n + 1;
		}
	}
	return 0;
}

/* Appends s with its character references decoded. */
static void decode(struct cfs_slice s, struct cfs_buf *out)
{
	while (s.n > 0) {
		ptrdiff_t at = cfs_slice_find(s, '&');
		size_t n = at < 0 ? s.n : (size_t)at;

		cfs_buf_append(out, s.p, n);
		s = cfs_slice_from(s, n);
		if (s.n == 0)
			break;
		n = s.n > 1 && s.p[1] == '#' ? numeric_ref(s, out)
					     : named_ref(s, out);
		if (n == 0) {
			cfs_buf_addc(out, '&');
			n = 1;
		}
		s = cfs_slice_from(s, n);
	}
}

static void send_text(struct flat *f, struct cfs_slice s, bool has_refs)
{
	if (s.n == 0)
		return;
	if (has_refs && cfs_slice_find(s, '&') >= 0) {
		cfs_buf_reset(&f->text);
		decode(s, &f->text);
		s = cfs_buf_slice(&f->text);
	}
	f->sink->text(f->sink->arg, s);
}

static void keep_attr(struct flat *f, struct cfs_slice name,
		      struct cfs_slice value)
{
	struct attr_span *a;

	if (f->n_attrs == FLAT_ATTRS_MAX)
		return;
	a = &f->spans[f->n_attrs++];
	a->name_at = f->values.n;
	for (size_t i = 0; i < name.n; i++) {
		uint8_t c = name.p[i];

		if (c == 0)	/* as the standard has it */
			cfs_buf_append(&f->values, "\xef\xbf\xbd", 3);
		else
			cfs_buf_addc(&f->values, c >= 'A' && c <= 'Z'
						  ? (uint8_t)(c + 32) : c);
	}
	a->name_n = f->values.n - a->name_at;
	a->value_at = f->values.n;
	decode(value, &f->values);
	a->value_n = f->values.n - a->value_at;
}

/* The tag is complete: spans become slices, repeated names go. */
static void settle_attrs(struct flat *f)
{
	struct cfs_slice all = cfs_buf_slice(&f->values);
	unsigned n = 0;

	for (unsigned i = 0; i < f->n_attrs; i++) {
		const struct attr_span *a = &f->spans[i];
		struct cfs_slice name = cfs_slice_sub(all, a->name_at, a->name_n);
		bool is_repeat = false;

		for (unsigned k = 0; k < n; k++)
			is_repeat |= cfs_slice_eq(f->attrs[k].name, name);
		if (is_repeat)
			continue;
		f->attrs[n].name = name;
		f->attrs[n++].value = cfs_slice_sub(all, a->value_at, a->value_n);
	}
	f->n_attrs = n;
}

/* Reads attributes up to and with '>' (or the end). */
static void take_attrs(struct flat *f)
{
	struct cfs_slice s = f->rest, name, value;
	size_t n;

	f->n_attrs = 0;
	cfs_buf_reset(&f->values);
	for (;;) {
		while (s.n > 0 && (is_space(s.p[0]) || s.p[0] == '/'))
			s = cfs_slice_from(s, 1);
		if (s.n == 0 || s.p[0] == '>')
			break;
		for (n = 1; n < s.n && !is_space(s.p[n]) && s.p[n] != '/' &&
			    s.p[n] != '>' && s.p[n] != '='; n++)
			;
		name = cfs_slice_sub(s, 0, n);
		value = CFS_SLICE_EMPTY;
		s = cfs_slice_from(s, n);
		while (s.n > 0 && is_space(s.p[0]))
			s = cfs_slice_from(s, 1);
		if (s.n > 0 && s.p[0] == '=') {
			do
				s = cfs_slice_from(s, 1);
			while (s.n > 0 && is_space(s.p[0]));
			if (s.n > 0 && (s.p[0] == '"' || s.p[0] == '\'')) {
				ptrdiff_t end = cfs_slice_find(
					cfs_slice_from(s, 1), s.p[0]);

				n = end < 0 ? s.n : (size_t)end + 2;
				value = cfs_slice_sub(s, 1, end < 0 ? s.n
								: (size_t)end);
			} else {
				for (n = 0; n < s.n && !is_space(s.p[n]) &&
					    s.p[n] != '>'; n++)
					;
				value = cfs_slice_sub(s, 0, n);
			}
			s = cfs_slice_from(s, n);
		}
		keep_attr(f, name, value);
	}
	f->rest = cfs_slice_from(s, 1);
	settle_attrs(f);
}

static struct cfs_html_el element(const struct flat *f, GumboTag tag)
{
	return (struct cfs_html_el){
		.tag = tag, .is_html = true, .is_flat = true,
		.n_attrs = f->n_attrs, .flat_attrs = f->attrs,
	};
}

static void end_link(struct flat *f)
{
	struct cfs_html_el el = { .tag = GUMBO_TAG_A, .is_html = true,
				  .is_flat = true };

	if (f->in_link)
		f->sink->end(f->sink->arg, &el);
	f->in_link = false;
}

/* 1: raw text up to the end tag; 2: with character references; 0: neither. */
static int raw_kind(GumboTag tag)
{
	switch (tag) {
	case GUMBO_TAG_SCRIPT:
	case GUMBO_TAG_STYLE:
	case GUMBO_TAG_XMP:
	case GUMBO_TAG_IFRAME:
	case GUMBO_TAG_NOEMBED:
	case GUMBO_TAG_NOFRAMES:
	case GUMBO_TAG_NOSCRIPT:
	case GUMBO_TAG_TEMPLATE:
	case GUMBO_TAG_PLAINTEXT:
		return 1;
	case GUMBO_TAG_TITLE:
	case GUMBO_TAG_TEXTAREA:
		return 2;
	default:
		return 0;
	}
}

/* Where "</name" begins, or the end of s. */
static size_t find_end_tag(struct cfs_slice s, struct cfs_slice name)
{
	struct cfs_slice t = s;

	for (;;) {
		ptrdiff_t at = cfs_slice_find(t, '<');

		if (at < 0)
			return s.n;
		t = cfs_slice_from(t, (size_t)at);
		if (t.n > name.n + 2 && t.p[1] == '/' &&
		    cfs_slice_starts_nocase(cfs_slice_from(t, 2), name) &&
		    (is_space(t.p[name.n + 2]) || t.p[name.n + 2] == '/' ||
		     t.p[name.n + 2] == '>'))
			return s.n - t.n;
		t = cfs_slice_from(t, 1);
	}
}

static void start_tag(struct flat *f, struct cfs_slice name)
{
	GumboTag tag = gumbo_tagn_enum((const char *)name.p, (unsigned)name.n);
	int raw = raw_kind(tag);
	struct cfs_html_el el;
	bool inside;
	size_t n;

	take_attrs(f);
	if (tag == GUMBO_TAG_A)
		end_link(f);
	el = element(f, tag);
	inside = f->sink->start(f->sink->arg, &el);
	if (tag == GUMBO_TAG_A)
		f->in_link = inside;
	if (raw == 0)
		return;
	n = find_end_tag(f->rest, name);
	if (inside) {
		send_text(f, cfs_slice_sub(f->rest, 0, n), raw == 2);
		f->sink->end(f->sink->arg, &el);
	}
	f->rest = cfs_slice_from(f->rest, n);
}

static void end_tag(struct flat *f, struct cfs_slice name)
{
	GumboTag tag = gumbo_tagn_enum((const char *)name.p, (unsigned)name.n);
	struct cfs_html_el el;

	take_attrs(f);
	f->n_attrs = 0;
	el = element(f, tag);
	if (tag == GUMBO_TAG_A)
		end_link(f);
	else if (raw_kind(tag) == 0)
		f->sink->end(f->sink->arg, &el);
}

/* Markup at f->rest, which begins with '<'.  False: it is only text. */
static bool take_markup(struct flat *f)
{
	struct cfs_slice s = f->rest;
	size_t start = s.n > 1 && s.p[1] == '/' ? 2 : 1, n;
	ptrdiff_t at;

	if (cfs_slice_starts(s, CFS_SLICE_LIT("<!--"))) {
		at = cfs_slice_search(cfs_slice_from(s, 2), CFS_SLICE_LIT("-->"));
		f->rest = at < 0 ? CFS_SLICE_EMPTY
				 : cfs_slice_from(s, (size_t)at + 5);
		return true;
	}
	if (s.n <= start || !is_alpha(s.p[start])) {
		if (s.n < 2 || (s.p[1] != '!' && s.p[1] != '?' && s.p[1] != '/'))
			return false;
		at = cfs_slice_find(s, '>');
		f->rest = at < 0 ? CFS_SLICE_EMPTY
				 : cfs_slice_from(s, (size_t)at + 1);
		return true;
	}
	for (n = start; n < s.n && !is_space(s.p[n]) && s.p[n] != '/' &&
			s.p[n] != '>'; n++)
		;
	f->rest = cfs_slice_from(s, n);
	if (start == 2)
		end_tag(f, cfs_slice_sub(s, start, n - start));
	else
		start_tag(f, cfs_slice_sub(s, start, n - start));
	return true;
}

int cfs_html_walk_flat(struct cfs_slice utf8, const struct cfs_html_sink *sink,
		       const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct flat f = { .rest = cfs_slice_sub(utf8, 0, CFS_HTML_TEXT_MAX),
			  .sink = sink };
	unsigned steps = 0;
	int rc = CFS_OK;

	/* a reference is never shorter than what it stands for; NUL is */
	cfs_buf_init(&f.text, CFS_HTML_TEXT_MAX + 64);
	cfs_buf_init(&f.values, CFS_HTML_TEXT_MAX * 3 + 64);
	while (f.rest.n > 0 && rc == CFS_OK) {
		ptrdiff_t at = cfs_slice_find(f.rest, '<');
		size_t n = at < 0 ? f.rest.n : (size_t)at;

		send_text(&f, cfs_slice_sub(f.rest, 0, n), true);
		f.rest = cfs_slice_from(f.rest, n);
		if (f.rest.n > 0 && !take_markup(&f)) {
			send_text(&f, cfs_slice_sub(f.rest, 0, 1), false);
			f.rest = cfs_slice_from(f.rest, 1);
		}
		if (++steps % FLAT_CANCEL_EVERY == 0 && cfs_cancelled(cancel))
			rc = cfs_error_set(err, CFS_EINTR, "interrupted");
		if (f.text.failed != CFS_OK || f.values.failed != CFS_OK)
			rc = cfs_error_set(err, CFS_ENOMEM, "out of memory");
	}
	end_link(&f);
	cfs_buf_release(&f.text);
	cfs_buf_release(&f.values);
	return rc;
}
