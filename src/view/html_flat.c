/* html_flat.c - tags and text of an HTML document, one after the other.
 *
 * For fragments in feeds, and for documents that are too much for a tree
 * (html.c).  One pass, linear time, no nesting: comments, declarations and raw
 * text elements are known, attributes are decoded, and each <a> is ended by the
 * next one; where markup is wrong, nothing is moved or closed as a tree builder
 * would do.  An element that the sink does not want lasts until as many end
 * tags of its name have come as start tags, or until a block ends that it is
 * in; one whose end tag may be missing, until what ends it.  Character
 * references are those of HTML 4.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <string.h>

#include "base/ascii.h"
#include "codec/entities.h"
#include "html.h"

#define FLAT_ATTRS_MAX 64	/* of one tag; more are ignored */
#define FLAT_CANCEL_EVERY 512

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
	/* an element that the sink does not want: its name, and how many of
	 * that name are open; 0: none */
	struct cfs_slice hidden;
	GumboTag hidden_tag;
	size_t n_hidden;
	/* blocks open outside and inside of it, by their tags */
	unsigned outer[GUMBO_TAG_LAST + 1], inner[GUMBO_TAG_LAST + 1];
	size_t n_svg;		/* open <svg>: a <title> in it is no title */
};

/* Appends s with its character references decoded. */
static void decode(struct cfs_slice s, bool in_attr, struct cfs_buf *out)
{
	uint32_t c = 0;

	while (s.n > 0) {
		ptrdiff_t at = cfs_slice_find(s, '&');
		size_t n = at < 0 ? s.n : (size_t)at;

		cfs_buf_append(out, s.p, n);
		s = cfs_slice_from(s, n);
		if (s.n == 0)
			break;
		n = cfs_entity_ref_html(s, in_attr, &c);
		if (n > 0) {
			cfs_utf8_add(out, c);
		} else {
			cfs_buf_addc(out, '&');
			n = 1;
		}
		s = cfs_slice_from(s, n);
	}
}

static void send_text(struct flat *f, struct cfs_slice s, bool has_refs)
{
	if (s.n == 0 || f->n_hidden > 0)
		return;
	if (has_refs && cfs_slice_find(s, '&') >= 0) {
		cfs_buf_reset(&f->text);
		decode(s, false, &f->text);
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
	decode(value, true, &f->values);
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
		while (s.n > 0 && (cfs_is_space(s.p[0]) || s.p[0] == '/'))
			s = cfs_slice_from(s, 1);
		if (s.n == 0 || s.p[0] == '>')
			break;
		for (n = 1; n < s.n && !cfs_is_space(s.p[n]) && s.p[n] != '/' &&
			    s.p[n] != '>' && s.p[n] != '='; n++)
			;
		name = cfs_slice_sub(s, 0, n);
		value = CFS_SLICE_EMPTY;
		s = cfs_slice_from(s, n);
		while (s.n > 0 && cfs_is_space(s.p[0]))
			s = cfs_slice_from(s, 1);
		if (s.n > 0 && s.p[0] == '=') {
			do
				s = cfs_slice_from(s, 1);
			while (s.n > 0 && cfs_is_space(s.p[0]));
			if (s.n > 0 && (s.p[0] == '"' || s.p[0] == '\'')) {
				ptrdiff_t end = cfs_slice_find(
					cfs_slice_from(s, 1), s.p[0]);

				n = end < 0 ? s.n : (size_t)end + 2;
				value = cfs_slice_sub(s, 1, end < 0 ? s.n
								: (size_t)end);
			} else {
				for (n = 0; n < s.n && !cfs_is_space(s.p[n]) &&
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
	case GUMBO_TAG_PLAINTEXT:
		return 1;
	case GUMBO_TAG_TITLE:
	case GUMBO_TAG_TEXTAREA:
		return 2;
	default:
		return 0;
	}
}

/* s begins with lead ("<" or "</"), name, and a byte that ends a name. */
static bool is_tag(struct cfs_slice s, const char *lead, struct cfs_slice name)
{
	size_t n = strlen(lead), end = n + name.n;

	return s.n > end && cfs_slice_starts(s, cfs_slice_str(lead)) &&
	       cfs_slice_starts_nocase(cfs_slice_from(s, n), name) &&
	       (cfs_is_space(s.p[end]) || s.p[end] == '/' || s.p[end] == '>');
}

/* Where "</name" begins, or the end of s.  In a script that hides in a comment
 * each <script> needs an end tag more (HTML standard, 13.2.5.26 and on). */
static size_t find_end_tag(struct cfs_slice s, struct cfs_slice name)
{
	bool is_script = cfs_slice_eq_nocase(name, CFS_SLICE_LIT("script"));
	bool in_comment = false, in_inner = false;
	struct cfs_slice t = s;

	for (;;) {
		ptrdiff_t at = cfs_slice_find(t, '<');

		if (at < 0)
			return s.n;
		if (in_comment && cfs_slice_search(cfs_slice_sub(t, 0, (size_t)at),
						   CFS_SLICE_LIT("-->")) >= 0)
			in_comment = in_inner = false;
		t = cfs_slice_from(t, (size_t)at);
		if (is_tag(t, "</", name)) {
			if (!in_inner)
				return s.n - t.n;
			in_inner = false;
		} else if (is_script && in_comment) {
			in_inner |= is_tag(t, "<", name);
		} else if (is_script) {
			in_comment = cfs_slice_starts(t, CFS_SLICE_LIT("<!--"));
		}
		t = cfs_slice_from(t, 1);
	}
}

/* Has no end tag: never holds anything. */
static bool is_void(GumboTag tag)
{
	switch (tag) {
	case GUMBO_TAG_AREA:
	case GUMBO_TAG_BASE:
	case GUMBO_TAG_BR:
	case GUMBO_TAG_COL:
	case GUMBO_TAG_EMBED:
	case GUMBO_TAG_FRAME:
	case GUMBO_TAG_HR:
	case GUMBO_TAG_IMG:
	case GUMBO_TAG_INPUT:
	case GUMBO_TAG_LINK:
	case GUMBO_TAG_META:
	case GUMBO_TAG_PARAM:
	case GUMBO_TAG_SOURCE:
	case GUMBO_TAG_TRACK:
	case GUMBO_TAG_WBR:
		return true;
	default:
		return false;
	}
}

/* The end of such an element ends all that is open in it. */
static bool is_block(GumboTag tag)
{
	switch (tag) {
	case GUMBO_TAG_ARTICLE: case GUMBO_TAG_ASIDE: case GUMBO_TAG_BLOCKQUOTE:
	case GUMBO_TAG_CENTER: case GUMBO_TAG_DETAILS: case GUMBO_TAG_DIV:
	case GUMBO_TAG_DL: case GUMBO_TAG_FIELDSET: case GUMBO_TAG_FIGURE:
	case GUMBO_TAG_FOOTER: case GUMBO_TAG_HEADER: case GUMBO_TAG_MAIN:
	case GUMBO_TAG_NAV: case GUMBO_TAG_OL: case GUMBO_TAG_SECTION:
	case GUMBO_TAG_UL: case GUMBO_TAG_LI: case GUMBO_TAG_TABLE:
	case GUMBO_TAG_TR: case GUMBO_TAG_TD: case GUMBO_TAG_TH:
		return true;
	default:
		return false;
	}
}

static bool is_of_table(GumboTag tag)
{
	return tag == GUMBO_TAG_TABLE || tag == GUMBO_TAG_TBODY ||
	       tag == GUMBO_TAG_THEAD || tag == GUMBO_TAG_TFOOT ||
	       tag == GUMBO_TAG_TR || tag == GUMBO_TAG_TD || tag == GUMBO_TAG_TH;
}

/* A start tag ends an element left out whose end tag is missing. */
static bool is_ended_by(GumboTag hidden, GumboTag tag)
{
	switch (hidden) {
	case GUMBO_TAG_P:
		return tag == GUMBO_TAG_P || tag == GUMBO_TAG_H1 ||
		       tag == GUMBO_TAG_H2 || tag == GUMBO_TAG_H3 ||
		       tag == GUMBO_TAG_H4 || tag == GUMBO_TAG_HR ||
		       tag == GUMBO_TAG_PRE || tag == GUMBO_TAG_FORM ||
		       (is_block(tag) && !is_of_table(tag));
	case GUMBO_TAG_DT:
	case GUMBO_TAG_DD:
		return tag == GUMBO_TAG_DT || tag == GUMBO_TAG_DD;
	case GUMBO_TAG_TD:
	case GUMBO_TAG_TH:
		return tag == GUMBO_TAG_TD || tag == GUMBO_TAG_TH ||
		       tag == GUMBO_TAG_TR;
	case GUMBO_TAG_LI:
	case GUMBO_TAG_OPTION:
	case GUMBO_TAG_OPTGROUP:
	case GUMBO_TAG_TR:
		return tag == hidden;
	default:
		return false;
	}
}

/* No other block is open inside of what is left out. */
static bool is_bare(const struct flat *f)
{
	for (size_t i = 0; i <= GUMBO_TAG_LAST; i++)
		if (f->inner[i] > 0)
			return false;
	return true;
}

static void hide(struct flat *f, struct cfs_slice name, GumboTag tag)
{
	f->hidden = name;
	f->hidden_tag = tag;
	f->n_hidden = 1;
	memset(f->inner, 0, sizeof(f->inner));
}

/* A start tag inside what is left out; true: it stays left out. */
static bool start_in_hidden(struct flat *f, struct cfs_slice name, GumboTag tag)
{
	if (f->n_hidden == 0)
		return false;
	if (f->n_hidden == 1 && is_ended_by(f->hidden_tag, tag) && is_bare(f)) {
		f->n_hidden = 0;
		return false;
	}
	if (cfs_slice_eq_nocase(name, f->hidden))
		f->n_hidden++;
	else if (is_block(tag))
		f->inner[tag]++;
	return true;
}

/* The same of an end tag. */
static bool end_in_hidden(struct flat *f, struct cfs_slice name, GumboTag tag)
{
	if (f->n_hidden == 0)
		return false;
	if (cfs_slice_eq_nocase(name, f->hidden)) {
		f->n_hidden--;
		return true;
	}
	if (!is_block(tag))
		return true;
	if (f->inner[tag] > 0) {
		f->inner[tag]--;
		return true;
	}
	/* not through a table, unless it ends with it */
	if (f->outer[tag] == 0 ||
	    (is_of_table(f->hidden_tag) && !is_of_table(tag)))
		return true;
	f->n_hidden = 0;
	return false;
}

/* HTML drops the line feed that these begin with. */
static bool eats_newline(GumboTag tag)
{
	return tag == GUMBO_TAG_PRE || tag == GUMBO_TAG_LISTING ||
	       tag == GUMBO_TAG_TEXTAREA;
}

static void skip_newline(struct flat *f)
{
	if (cfs_slice_starts(f->rest, CFS_SLICE_LIT("\r\n")))
		f->rest = cfs_slice_from(f->rest, 2);
	else if (cfs_slice_starts(f->rest, CFS_SLICE_LIT("\n")))
		f->rest = cfs_slice_from(f->rest, 1);
}

static void start_tag(struct flat *f, struct cfs_slice name)
{
	GumboTag tag = gumbo_tagn_enum((const char *)name.p, (unsigned)name.n);
	bool is_html = f->n_svg == 0 || (tag != GUMBO_TAG_TITLE &&
					 tag != GUMBO_TAG_DESC);
	int raw = is_html ? raw_kind(tag) : 0;
	struct cfs_html_el el;
	bool inside;
	size_t n;

	take_attrs(f);
	if (start_in_hidden(f, name, tag)) {
		if (raw != 0)
			f->rest = cfs_slice_from(f->rest,
						 find_end_tag(f->rest, name));
		return;
	}
	if (tag == GUMBO_TAG_A)
		end_link(f);
	f->n_svg += tag == GUMBO_TAG_SVG;
	el = element(f, tag);
	el.is_html = is_html;
	inside = f->sink->start(f->sink->arg, &el);
	if (tag == GUMBO_TAG_A)
		f->in_link = inside;
	if (raw == 0) {
		if (!inside && !is_void(tag))
			hide(f, name, tag);
		else if (is_block(tag))
			f->outer[tag]++;
		if (eats_newline(tag))
			skip_newline(f);
		return;
	}
	if (eats_newline(tag))
		skip_newline(f);
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
	if (end_in_hidden(f, name, tag))
		return;
	if (is_block(tag) && f->outer[tag] > 0)
		f->outer[tag]--;
	if (tag == GUMBO_TAG_SVG && f->n_svg > 0)
		f->n_svg--;
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
	if (s.n <= start || !cfs_is_alpha(s.p[start])) {
		if (s.n < 2 || (s.p[1] != '!' && s.p[1] != '?' && s.p[1] != '/'))
			return false;
		at = cfs_slice_find(s, '>');
		f->rest = at < 0 ? CFS_SLICE_EMPTY
				 : cfs_slice_from(s, (size_t)at + 1);
		return true;
	}
	for (n = start; n < s.n && !cfs_is_space(s.p[n]) && s.p[n] != '/' &&
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
			rc = cfs_error_nomem(err);
	}
	end_link(&f);
	cfs_buf_release(&f.text);
	cfs_buf_release(&f.values);
	return rc;
}
