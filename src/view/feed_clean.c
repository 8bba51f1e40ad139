/* feed_clean.c - turns malformed XML into XML that a parser can read.
 *
 * Real feeds are often not well-formed, and an XML parser then stops, or closes
 * the wrong elements.  Hostile documents can also cause work in a parser that
 * is out of all proportion to their size.  So the parser never reads the
 * document itself but the output of this filter, which works in one pass:
 *
 *   - Declarations, processing instructions, comments and the DOCTYPE are
 *     dropped, so there are no entities to expand or fetch.
 *   - Character references are decoded: numbers, and the names of HTML.  A
 *     stray '&' or '<', and an unknown name, become text.
 *   - Each end tag closes the element that it names, and those open inside it;
 *     one that closes nothing is dropped; the end of the document closes all.
 *   - Everything outside the root element is dropped.  The root element is the
 *     first one with the name of a feed's root.
 *   - Attributes get quotes, and end with their tag at the latest.
 *   - Characters that XML does not allow become blanks or U+FFFD.
 *   - Nesting, attributes and namespaces are limited.
 *
 * Time is linear in the document (times the small limits above); memory is one
 * tag or PIECE_BYTES of text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "feed_clean.h"

#include <string.h>

#include "base/ascii.h"
#include "charset.h"
#include "codec/entities.h"

#define PIECE_BYTES 16384u	/* bytes of text handled at a time */
#define VALUE_MAX 65536u	/* bytes of an attribute's value */
#define NS_MAX 64		/* namespaces in scope: searched linearly */
#define PI_MAX 1024u		/* "?>" is searched in this many bytes */
#define REF_MAX 16u		/* references up to this long are not split */
/* The longest output: the attributes of a tag, each byte as "&quot;". */
#define OUT_MAX ((size_t)CFS_FEED_ATTRS_MAX * (VALUE_MAX * 6 + 512) + PIECE_BYTES * 8)

/* True for white space of XML, which does not include form feed. */
static bool is_space(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

void cfs_feed_clean_init(struct cfs_feed_clean *c, struct cfs_slice utf8)
{
	memset(c, 0, sizeof(*c));
	c->rest = utf8;
	cfs_buf_init(&c->out, OUT_MAX);
}

void cfs_feed_clean_release(struct cfs_feed_clean *c)
{
	cfs_buf_release(&c->out);
}

static void skip(struct cfs_feed_clean *c, size_t n)
{
	c->rest = cfs_slice_from(c->rest, n);
}

/* Skips past the first `mark` in rest, or to the end. */
static void skip_past(struct cfs_feed_clean *c, struct cfs_slice mark)
{
	ptrdiff_t at = cfs_slice_search(c->rest, mark);

	skip(c, at < 0 ? c->rest.n : (size_t)at + mark.n);
}

/* Appends a character: as a reference if it has a meaning in XML. */
static void put_char(struct cfs_buf *out, uint32_t ch)
{
	switch (ch) {
	case '<':
		cfs_buf_adds(out, "&lt;");
		break;
	case '>':
		cfs_buf_adds(out, "&gt;");
		break;
	case '&':
		cfs_buf_adds(out, "&amp;");
		break;
	case '"':
		cfs_buf_adds(out, "&quot;");
		break;
	case 0xfffe:
	case 0xffff:
		cfs_utf8_add(out, 0xfffd);
		break;
	default:
		if (ch > 0 && ch < ' ' && ch != '\t' && ch != '\n' &&
		    ch != '\r')
			ch = ' ';
		cfs_utf8_add(out, ch);
		break;
	}
}

/* The number of bytes at the start of s that need no change. */
static size_t plain_run(struct cfs_slice s, bool is_cdata)
{
	size_t n = 0;

	for (; n < s.n; n++) {
		uint8_t b = s.p[n];

		if (b < ' ' ? !is_space(b) : b == 0xef)
			break;
		if (!is_cdata && (b == '&' || b == '<' || b == '>' || b == '"'))
			break;
	}
	return n;
}

/* Appends text, or the inside of a CDATA section. */
static void put_text(struct cfs_buf *out, struct cfs_slice s, bool is_cdata)
{
	while (s.n > 0) {
		size_t n = plain_run(s, is_cdata);
		uint32_t ch = 0;

		cfs_buf_append(out, s.p, n);
		s = cfs_slice_from(s, n);
		if (s.n == 0)
			break;
		n = 1;
		if (s.p[0] == 0xef) {
			bool is_bad =
				s.n >= 3 && s.p[1] == 0xbf && s.p[2] >= 0xbe;

			n = s.n >= 3 ? 3 : s.n;
			if (is_bad)
				cfs_utf8_add(out, 0xfffd);
			else
				cfs_buf_append(out, s.p, n);
		} else {
			ch = s.p[0];
			if (ch == '&' && !is_cdata) {
				n = cfs_entity_ref(s, &ch);
				if (n == 0) {
					ch = '&';
					n = 1;
				}
			} else if (ch == 0) {
				ch = 0xfffd;
			}
			put_char(out, ch);
		}
		s = cfs_slice_from(s, n);
	}
}

/* The length of the longest part of s, up to max, that ends neither inside a
 * character nor inside a reference (unless that is longer than REF_MAX). */
static size_t cut_at(struct cfs_slice s, size_t max)
{
	size_t n = max;

	if (s.n <= max)
		return s.n;
	while (n > 0 && (s.p[n] & 0xc0) == 0x80)
		n--;
	for (size_t k = 1; k <= REF_MAX && k < n; k++)
		if (s.p[n - k] == '&')
			return n - k;
	return n;
}

static void take_cdata(struct cfs_feed_clean *c)
{
	size_t n = cut_at(cfs_slice_sub(c->rest, 0, c->cdata), PIECE_BYTES);

	if (n > 0 && c->n_open > 0) {
		cfs_buf_adds(&c->out, "<![CDATA[");
		put_text(&c->out, cfs_slice_sub(c->rest, 0, n), true);
		cfs_buf_adds(&c->out, "]]>");
	}
	skip(c, n);
	c->cdata -= n;
	if (c->cdata == 0)
		skip(c, 3);
}

static void start_cdata(struct cfs_feed_clean *c)
{
	ptrdiff_t end;

	skip(c, 9);
	end = cfs_slice_search(c->rest, CFS_SLICE_LIT("]]>"));
	c->cdata = end < 0 ? c->rest.n : (size_t)end;
	if (c->cdata == 0)
		skip(c, 3);
}

static void take_text(struct cfs_feed_clean *c)
{
	ptrdiff_t at =
		cfs_slice_find(cfs_slice_sub(c->rest, 0, PIECE_BYTES), '<');
	size_t n = at >= 0 ? (size_t)at : cut_at(c->rest, PIECE_BYTES);

	if (c->n_open > 0)
		put_text(&c->out, cfs_slice_sub(c->rest, 0, n), false);
	skip(c, n);
}

size_t cfs_feed_doctype_len(struct cfs_slice s)
{
	int brackets = 0;
	uint8_t quote = 0;

	for (size_t i = 0; i < s.n; i++) {
		uint8_t b = s.p[i];

		if (quote != 0) {
			if (b == quote)
				quote = 0;
		} else if (b == '"' || b == '\'') {
			quote = b;
		} else if (b == '<' &&
			   cfs_slice_starts(cfs_slice_from(s, i),
					    CFS_SLICE_LIT("<!--"))) {
			ptrdiff_t end =
				cfs_slice_search(cfs_slice_from(s, i + 4),
						 CFS_SLICE_LIT("-->"));

			if (end < 0)
				return 0;
			i += (size_t)end + 6;
		} else if (b == '[') {
			brackets++;
		} else if (b == ']') {
			brackets--;
		} else if (b == '>' && brackets <= 0) {
			return i + 1;
		}
	}
	return 0;
}

static void take_declaration(struct cfs_feed_clean *c)
{
	if (cfs_slice_starts(c->rest, CFS_SLICE_LIT("<!--"))) {
		skip(c, 4);
		skip_past(c, CFS_SLICE_LIT("-->"));
	} else if (cfs_slice_starts(c->rest, CFS_SLICE_LIT("<![CDATA["))) {
		start_cdata(c);
	} else {
		size_t n = c->had_doctype ? 0 : cfs_feed_doctype_len(c->rest);

		c->had_doctype = true;
		skip(c, n);
		if (n == 0)
			skip_past(c, CFS_SLICE_LIT(">"));
	}
}

static void take_instruction(struct cfs_feed_clean *c)
{
	ptrdiff_t at = cfs_slice_search(cfs_slice_sub(c->rest, 0, PI_MAX),
					CFS_SLICE_LIT("?>"));

	if (at >= 0)
		skip(c, (size_t)at + 2);
	else
		skip_past(c, CFS_SLICE_LIT(">"));
}

/* The length of the name at the start of s; 0 if there is none that may be
 * passed on: ASCII, with at most one colon inside. */
static size_t name_len(struct cfs_slice s)
{
	size_t n = 0, colon = 0;

	for (; n < s.n && n <= CFS_FEED_NAME_MAX; n++) {
		uint8_t b = s.p[n];

		if (b == ':') {
			if (n == 0 || colon != 0)
				return 0;
			colon = n;
		} else if (!cfs_is_alpha(b) && b != '_' &&
			   (n == 0 || n == colon + (colon > 0) ||
			    ((b < '0' || b > '9') && b != '-' && b != '.'))) {
			break;
		}
	}
	return n > CFS_FEED_NAME_MAX || (colon > 0 && n == colon + 1) ? 0 : n;
}

static void pop(struct cfs_feed_clean *c)
{
	const struct cfs_feed_open *o = &c->open[--c->n_open];

	cfs_buf_adds(&c->out, "</");
	cfs_buf_add(&c->out, o->name);
	cfs_buf_addc(&c->out, '>');
	c->n_ns -= o->n_ns;
	c->done |= c->n_open == 0;
}

static void end_tag(struct cfs_feed_clean *c)
{
	struct cfs_slice s = cfs_slice_from(c->rest, 2), name;
	size_t n = name_len(s);
	unsigned at = c->n_open;

	name = cfs_slice_sub(s, 0, n);
	while (n < s.n && s.p[n] != '>' && s.p[n] != '<')
		n++;
	skip(c, 2 + n + (n < s.n && s.p[n] == '>'));
	if (c->too_deep > 0) {
		c->too_deep--;
		return;
	}
	while (at > 0 && !cfs_slice_eq(c->open[at - 1].name, name))
		at--;
	if (at == 0)
		return;
	while (c->n_open >= at)
		pop(c);
}

/* Takes the attribute value at the start of s, behind '='.  Returns its length
 * with the quotes. */
static size_t value_len(struct cfs_slice s, struct cfs_slice *value)
{
	uint8_t quote =
		s.n > 0 && (s.p[0] == '"' || s.p[0] == '\'') ? s.p[0] : 0;
	size_t start = quote != 0, n = start;

	while (n < s.n && s.p[n] != '<' &&
	       (quote != 0 ? s.p[n] != quote
			   : !is_space(s.p[n]) && s.p[n] != '>'))
		n++;
	*value = cfs_slice_sub(s, start, n - start);
	return n + (quote != 0 && n < s.n && s.p[n] == quote);
}

static bool is_ns_decl(struct cfs_slice name)
{
	return cfs_slice_starts(name, CFS_SLICE_LIT("xmlns")) &&
	       (name.n == 5 || name.p[5] == ':');
}

/* Copies the attributes of a tag up to its end.  Returns the length of the
 * input.  *is_empty: the tag is self-closing.  The limits ensure that there is
 * room for the output. */
static size_t take_attrs(struct cfs_feed_clean *c, struct cfs_slice s,
			 unsigned *n_ns, bool *is_empty)
{
	struct cfs_slice rest = s, name, value;
	unsigned n_attrs = 0;

	*is_empty = false;
	while (rest.n > 0 && rest.p[0] != '>' && rest.p[0] != '<') {
		size_t n = name_len(rest), k;

		if (n == 0) {
			*is_empty = rest.p[0] == '/';
			rest = cfs_slice_from(rest, 1);
			continue;
		}
		*is_empty = false;
		name = cfs_slice_sub(rest, 0, n);
		rest = cfs_slice_from(rest, n);
		for (k = 0; k < rest.n && is_space(rest.p[k]); k++)
			;
		if (k == rest.n || rest.p[k] != '=')
			continue;
		for (k++; k < rest.n && is_space(rest.p[k]); k++)
			;
		rest = cfs_slice_from(rest, k);
		rest = cfs_slice_from(rest, value_len(rest, &value));
		if (is_ns_decl(name)) {
			if (c->n_ns + *n_ns >= NS_MAX)
				continue;
			++*n_ns;
		}
		if (n_attrs++ >= CFS_FEED_ATTRS_MAX)
			continue;
		cfs_buf_addc(&c->out, ' ');
		cfs_buf_add(&c->out, name);
		cfs_buf_adds(&c->out, "=\"");
		put_text(&c->out,
			 cfs_slice_sub(value, 0, cut_at(value, VALUE_MAX)),
			 false);
		cfs_buf_addc(&c->out, '"');
	}
	return s.n - rest.n + (rest.n > 0 && rest.p[0] == '>');
}

static bool is_root_name(struct cfs_slice name)
{
	name = cfs_slice_from(name, (size_t)(cfs_slice_find(name, ':') + 1));
	return cfs_slice_in_words(name, "rss feed rdf channel entry");
}

static void start_tag(struct cfs_feed_clean *c, struct cfs_slice name)
{
	size_t out_n = c->out.n, n;
	unsigned n_ns = 0;
	bool is_empty;

	skip(c, 1 + name.n);
	cfs_buf_addc(&c->out, '<');
	cfs_buf_add(&c->out, name);
	n = take_attrs(c, c->rest, &n_ns, &is_empty);
	if (n == c->rest.n && (n == 0 || c->rest.p[n - 1] != '>')) {
		c->out.n = out_n;	/* the document ends in the tag */
		skip(c, n);
		return;
	}
	skip(c, n);
	if (c->n_open == CFS_FEED_DEPTH_MAX) {
		c->out.n = out_n;
		c->too_deep += !is_empty;
		return;
	}
	c->had_root = true;
	cfs_buf_adds(&c->out, is_empty ? "/>" : ">");
	if (is_empty) {
		c->done |= c->n_open == 0;
		return;
	}
	c->open[c->n_open++] = (struct cfs_feed_open){ name, n_ns };
	c->n_ns += n_ns;
}

/* Handles markup at the start of c->rest, which begins with '<'. */
static void take_markup(struct cfs_feed_clean *c)
{
	uint8_t next = c->rest.n > 1 ? c->rest.p[1] : 0;
	size_t n;

	if (next == '!' &&
	    (c->n_open == 0 ||
	     cfs_slice_starts(c->rest, CFS_SLICE_LIT("<!--")) ||
	     cfs_slice_starts(c->rest, CFS_SLICE_LIT("<![CDATA[")))) {
		take_declaration(c);
		return;
	}
	if (next == '?') {
		take_instruction(c);
		return;
	}
	if (next == '/') {
		end_tag(c);
		return;
	}
	n = name_len(cfs_slice_from(c->rest, 1));
	if (n > 0) {
		uint8_t end = n + 1 < c->rest.n ? c->rest.p[n + 1] : '>';

		if ((is_space(end) || end == '/' || end == '>') &&
		    (c->had_root ||
		     is_root_name(cfs_slice_sub(c->rest, 1, n)))) {
			start_tag(c, cfs_slice_sub(c->rest, 1, n));
			return;
		}
	}
	if (c->n_open > 0)
		cfs_buf_adds(&c->out, "&lt;");
	skip(c, 1);
}

static void refill(struct cfs_feed_clean *c)
{
	cfs_buf_reset(&c->out);
	c->out_at = 0;
	while (c->out.n < PIECE_BYTES / 4 && !c->done && c->rest.n > 0) {
		if (c->cdata > 0)
			take_cdata(c);
		else if (c->rest.p[0] == '<')
			take_markup(c);
		else
			take_text(c);
		if (c->out.failed != CFS_OK)
			return;
	}
	if (c->rest.n == 0 && !c->done)
		while (c->n_open > 0)
			pop(c);
}

size_t cfs_feed_clean_read(struct cfs_feed_clean *c, void *p, size_t n)
{
	size_t got;

	if (c->out_at == c->out.n)
		refill(c);
	if (c->out.failed != CFS_OK)
		return 0;
	got = c->out.n - c->out_at;
	if (got > n)
		got = n;
	if (got > 0)
		memcpy(p, c->out.p + c->out_at, got);
	c->out_at += got;
	return got;
}
