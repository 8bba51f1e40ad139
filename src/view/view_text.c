/* view_text.c - makes the .txt view: the readable text of a document in UTF-8.
 *
 * HTML: the title, the meta description and the visible text of the body, in
 * this order, each on lines of its own.  Elements that are not running text
 * (address, li, p, tr, ...) begin and end a line, cells are separated by a
 * blank, and white space (also U+00A0) is folded to one blank, except in pre
 * and textarea.  Adjacent links and spans (</span><a>) are separated by a blank
 * too, as style sheets nearly always show them, except spans of one letter.
 * Left out are comments, elements that browsers do not show (script, style,
 * noscript, template, ...), and elements with `hidden`, `style="display:none"`,
 * `style="visibility:hidden"` or `aria-hidden="true"` (meant for screen
 * readers, but on real pages these are closed menus and dialogs, icons, and
 * duplicates).
 *
 * RSS and Atom: titles, descriptions and contents of the feed, then of each
 * item, in document order, without markup, each on lines of its own.
 *
 * Other text types (text/plain, and WET records): unchanged, in UTF-8.
 * Everything else has no text, and gives an empty file.
 *
 * Of HTML and feeds the first CFS_HTML_BYTES_MAX bytes are read.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "doc.h"

#include <stdlib.h>
#include <string.h>

#include "base/swar.h"
#include "feed.h"
#include "html/hidden.h"
#include "html/outline.h"
#include "pdf/pdf.h"

/* Items of a feed between two checks of the cancel token. */
#define CANCEL_EVERY 64

struct cfs_page_text {
	struct cfs_buf *body;
	size_t start;		/* where in body the text of the page begins */
	struct cfs_buf title, description;
	bool in_title, has_title;
	bool title_blank;	/* as `blank`, for the title */
	unsigned pre;		/* open elements that keep white space */
	bool blank;		/* a blank is due before the next word */
	bool line;		/* the current line has text */
	bool touching;		/* a link or span has just ended */
	size_t inline_at;	/* where in body the last link or span began */
	/* The text in a <noscript> before all other: that of a page without
	 * any.  While it is read, `body` is it, and `page` the body. */
	struct cfs_buf noscript;
	struct cfs_buf *page;
};

/* The effect of an element's start or end on the text around it. */
enum around { AROUND_NOTHING, AROUND_LINE, AROUND_BLANK, AROUND_HIDDEN };

static enum around around_of(enum cfs_html_tag tag)
{
	switch (tag) {
	case CFS_TAG_SCRIPT: case CFS_TAG_STYLE: case CFS_TAG_NOSCRIPT:
	case CFS_TAG_TEMPLATE: case CFS_TAG_IFRAME: case CFS_TAG_NOEMBED:
	case CFS_TAG_NOFRAMES: case CFS_TAG_DATALIST: case CFS_TAG_AUDIO:
	case CFS_TAG_VIDEO: case CFS_TAG_RP: case CFS_TAG_APPLET:
		return AROUND_HIDDEN;
	case CFS_TAG_ADDRESS: case CFS_TAG_ARTICLE: case CFS_TAG_ASIDE:
	case CFS_TAG_BLOCKQUOTE: case CFS_TAG_BODY: case CFS_TAG_BR:
	case CFS_TAG_CAPTION: case CFS_TAG_CENTER: case CFS_TAG_DD:
	case CFS_TAG_DETAILS: case CFS_TAG_DIR: case CFS_TAG_DIV:
	case CFS_TAG_DL: case CFS_TAG_DT: case CFS_TAG_FIELDSET:
	case CFS_TAG_FIGCAPTION: case CFS_TAG_FIGURE: case CFS_TAG_FOOTER:
	case CFS_TAG_FORM: case CFS_TAG_H1: case CFS_TAG_H2:
	case CFS_TAG_H3: case CFS_TAG_H4: case CFS_TAG_H5:
	case CFS_TAG_H6: case CFS_TAG_HEADER: case CFS_TAG_HGROUP:
	case CFS_TAG_HR: case CFS_TAG_LEGEND: case CFS_TAG_LI:
	case CFS_TAG_LISTING: case CFS_TAG_MAIN: case CFS_TAG_MENU:
	case CFS_TAG_NAV: case CFS_TAG_OL: case CFS_TAG_OPTGROUP:
	case CFS_TAG_OPTION: case CFS_TAG_P: case CFS_TAG_PLAINTEXT:
	case CFS_TAG_PRE: case CFS_TAG_SECTION: case CFS_TAG_SELECT:
	case CFS_TAG_SUMMARY: case CFS_TAG_TABLE: case CFS_TAG_TBODY:
	case CFS_TAG_TEXTAREA: case CFS_TAG_TFOOT: case CFS_TAG_THEAD:
	case CFS_TAG_TR: case CFS_TAG_UL: case CFS_TAG_XMP:
		return AROUND_LINE;
	case CFS_TAG_TD: case CFS_TAG_TH: case CFS_TAG_BUTTON:
	case CFS_TAG_INPUT: case CFS_TAG_IMG:
		return AROUND_BLANK;
	default:
		return AROUND_NOTHING;
	}
}

/* True for inline elements that pages usually show separated. */
static bool is_inline(enum cfs_html_tag tag)
{
	return tag == CFS_TAG_A || tag == CFS_TAG_SPAN ||
	       tag == CFS_TAG_LABEL || tag == CFS_TAG_TIME;
}

static bool keeps_space(enum cfs_html_tag tag)
{
	return tag == CFS_TAG_PRE || tag == CFS_TAG_TEXTAREA ||
	       tag == CFS_TAG_LISTING || tag == CFS_TAG_XMP ||
	       tag == CFS_TAG_PLAINTEXT;
}

/* The length of a white space character at the start of s, which must not be
 * empty: 0, 1 or 2. */
static size_t space_len(struct cfs_slice s)
{
	if (s.p[0] <= ' ' || s.p[0] == 0x7f)
		return 1;
	if (s.p[0] == 0xc2 && s.n > 1 && (s.p[1] == 0xa0 || s.p[1] < 0xa0))
		return 2;	/* no-break space, C1 controls */
	return 0;
}

static bool is_of_word(uint8_t c)
{
	return c > ' ' && c != 0x7f && c != 0xc2;
}

/* The bytes at the front of s, which continues a word, that are words with one
 * blank between them.  A byte that may begin white space (space_len) ends
 * them. */
static size_t words_run(struct cfs_slice s)
{
	uint64_t blank_before = 0;
	size_t n = 0;

	while (n + 8 <= s.n) {
		uint64_t v = cfs_swar_in_order_at(s.p + n);
		uint64_t blanks = cfs_swar_are_just(v, ' ');
		uint64_t ends = cfs_swar_below(v, ' ') |
				cfs_swar_are(v, 0x7f) | cfs_swar_are(v, 0xc2) |
				(blanks & (blanks << 8 | blank_before));

		if (ends != 0)
			break;
		blank_before = blanks >> 56;
		n += 8;
	}
	while (n < s.n && (is_of_word(s.p[n]) || (s.p[n] == ' ' &&
	       (n == 0 || s.p[n - 1] != ' '))))
		n++;
	return n > 0 && s.p[n - 1] == ' ' ? n - 1 : n;
}

/* Appends the words of s, with one blank between them, and before the first if
 * *blank.  *blank becomes true if white space follows the last word. */
static void fold(struct cfs_slice s, struct cfs_buf *out, bool *blank)
{
	while (s.n > 0) {
		size_t n = space_len(s);

		if (n > 0) {
			*blank = true;
			s = cfs_slice_from(s, n);
			continue;
		}
		n = 1 + words_run(cfs_slice_from(s, 1));
		if (*blank && out->n > 0 && out->p[out->n - 1] != '\n')
			cfs_buf_addc(out, ' ');
		*blank = false;
		cfs_buf_append(out, s.p, n);
		s = cfs_slice_from(s, n);
	}
}

static void end_line(struct cfs_page_text *t)
{
	if (t->line)
		cfs_buf_addc(t->body, '\n');
	t->line = false;
	t->blank = false;
}

/* Appends text that keeps its white space; control characters other than tab
 * and line end become blanks. */
static void add_pre(struct cfs_page_text *t, struct cfs_slice s)
{
	if (s.n == 0)
		return;
	if (t->blank && t->line)
		cfs_buf_addc(t->body, ' ');
	t->blank = false;
	for (size_t i = 0; i < s.n; i++) {
		uint8_t c = s.p[i];

		if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7f)
			c = ' ';
		cfs_buf_addc(t->body, c);
	}
	t->line = s.p[s.n - 1] != '\n';
}

static void on_text(void *arg, struct cfs_slice s)
{
	struct cfs_page_text *t = arg;
	size_t before = t->body->n;

	t->touching = false;
	if (t->in_title) {
		fold(s, &t->title, &t->title_blank);
		return;
	}
	if (t->pre > 0) {
		add_pre(t, s);
		return;
	}
	/* a line always begins with a word */
	if (!t->line)
		t->blank = false;
	fold(s, t->body, &t->blank);
	if (t->body->n > before)
		t->line = true;
}

/* Appends a formula: on a line of its own, if it is displayed on one. */
static void on_formula(void *arg, struct cfs_slice tex, bool is_display)
{
	static const struct cfs_slice dollars = CFS_SLICE_LIT("$$");
	struct cfs_slice mark = cfs_slice_sub(dollars, 0, 1 + is_display);
	struct cfs_page_text *t = arg;

	if (is_display)
		end_line(t);
	on_text(t, mark);
	on_text(t, tex);
	on_text(t, mark);
	if (is_display)
		end_line(t);
}

static void take_meta(struct cfs_page_text *t, const struct cfs_html_el *el)
{
	struct cfs_slice name, content;
	bool blank = false;

	if (t->description.n == 0 &&
	    cfs_html_el_get(el, CFS_SLICE_LIT("name"), &name) &&
	    cfs_slice_eq_nocase(cfs_slice_trim(name),
				CFS_SLICE_LIT("description")) &&
	    cfs_html_el_get(el, CFS_SLICE_LIT("content"), &content))
		fold(content, &t->description, &blank);
}

static void surround(struct cfs_page_text *t, const struct cfs_html_el *el)
{
	switch (around_of(el->tag)) {
	case AROUND_LINE:
		end_line(t);
		break;
	case AROUND_BLANK:
		t->blank = true;
		break;
	default:
		break;
	}
}

/* True if the last link or span has at most one character. */
static bool is_one_letter(const struct cfs_page_text *t)
{
	size_t n = 0;

	for (size_t i = t->inline_at; i < t->body->n && n < 2; i++)
		n += (t->body->p[i] & 0xc0) != 0x80;
	return n < 2;
}

/* True if what is in a <noscript> is taken. */
static bool begin_noscript(struct cfs_page_text *t)
{
	if (t->page != NULL || t->body->n > t->start)
		return false;
	t->page = t->body;
	t->body = &t->noscript;
	return true;
}

static void end_noscript(struct cfs_page_text *t)
{
	if (t->page == NULL)
		return;
	end_line(t);
	t->body = t->page;
	t->page = NULL;
	t->blank = true;
}

static bool on_start(void *arg, const struct cfs_html_el *el)
{
	struct cfs_page_text *t = arg;

	if (!el->is_html) {
		/* <title> and <desc> of a drawing are not shown */
		return el->tag != CFS_TAG_TITLE && el->tag != CFS_TAG_DESC &&
		       el->tag != CFS_TAG_STYLE && el->tag != CFS_TAG_SCRIPT;
	}
	if (el->tag == CFS_TAG_TITLE) {
		t->in_title = !t->has_title;
		t->has_title = true;
		return t->in_title;
	}
	if (el->tag == CFS_TAG_META)
		take_meta(t, el);
	if (el->tag == CFS_TAG_NOSCRIPT && begin_noscript(t))
		return true;
	if (around_of(el->tag) == AROUND_HIDDEN || cfs_html_is_hidden(el)) {
		t->blank = true;
		return false;
	}
	surround(t, el);
	if (is_inline(el->tag)) {
		if (t->touching && !is_one_letter(t))
			t->blank = true;
		t->inline_at = t->body->n + (t->blank && t->line);
	}
	if (keeps_space(el->tag))
		t->pre++;
	return true;
}

static void on_end(void *arg, const struct cfs_html_el *el)
{
	struct cfs_page_text *t = arg;

	if (!el->is_html)
		return;
	if (el->tag == CFS_TAG_TITLE)
		t->in_title = false;
	if (el->tag == CFS_TAG_NOSCRIPT)
		end_noscript(t);
	if (keeps_space(el->tag) && t->pre > 0)
		t->pre--;
	surround(t, el);
	t->touching = is_inline(el->tag);
}

/* Inserts title and description before the body. */
static void put_in_front(struct cfs_page_text *t)
{
	struct cfs_buf *parts[] = { &t->title, &t->description };
	struct cfs_buf *out = t->body;
	size_t n = 0, start = t->start, body_bytes = out->n - start, at = start;

	for (int i = 0; i < 2; i++)
		if (parts[i]->n > 0)
			cfs_buf_addc(parts[i], '\n');
	n = t->title.n + t->description.n;
	if (n == 0 || t->title.failed || t->description.failed ||
	    cfs_buf_reserve(out, n) != CFS_OK)
		return;
	memmove(out->p + start + n, out->p + start, body_bytes);
	for (int i = 0; i < 2; i++) {
		if (parts[i]->n > 0)
			memcpy(out->p + at, parts[i]->p, parts[i]->n);
		at += parts[i]->n;
	}
	out->n += n;
}

int cfs_page_text_begin(struct cfs_buf *out, struct cfs_page_text **t,
			struct cfs_html_sink *sink, struct cfs_error *err)
{
	struct cfs_page_text *made = malloc(sizeof(*made));

	*t = made;
	if (made == NULL)
		return cfs_error_nomem(err);
	*made = (struct cfs_page_text){ .body = out, .start = out->n };
	cfs_buf_init(&made->title, CFS_HTML_TEXT_MAX * 2);
	cfs_buf_init(&made->description, CFS_HTML_TEXT_MAX * 2);
	cfs_buf_init(&made->noscript, CFS_HTML_TEXT_MAX * 2);
	*sink = (struct cfs_html_sink){ on_start, on_end,
					on_text, made, on_formula };
	return CFS_OK;
}

int cfs_page_text_end(struct cfs_page_text *t, struct cfs_buf *title, int rc,
		      struct cfs_error *err)
{
	if (t == NULL)
		return rc;
	end_noscript(t);
	if (rc == CFS_OK) {
		end_line(t);
		if (t->body->n == t->start)
			cfs_buf_add(t->body, cfs_buf_slice(&t->noscript));
		if (title != NULL)
			cfs_buf_add(title, cfs_buf_slice(&t->title));
		put_in_front(t);
		if (t->title.failed || t->description.failed ||
		    t->noscript.failed)
			rc = cfs_error_nomem(err);
	}
	cfs_buf_release(&t->noscript);
	cfs_buf_release(&t->description);
	cfs_buf_release(&t->title);
	free(t);
	return rc;
}

static int html_text(const struct cfs_doc *doc, struct cfs_buf *out,
		     struct cfs_buf *title, struct cfs_ctx ctx)
{
	struct cfs_page_text *t = NULL;
	struct cfs_html_sink sink;
	struct cfs_slice utf8;
	CFS_BUF(conv, CFS_HTML_TEXT_MAX * 2);
	int rc = cfs_doc_page(doc, &conv, &utf8, ctx.err);

	if (rc == CFS_OK)
		rc = cfs_page_text_begin(out, &t, &sink, ctx.err);
	if (rc == CFS_OK)
		rc = cfs_html_outline(utf8, &sink, ctx);
	return cfs_page_text_end(t, title, rc, ctx.err);
}

/* Appends a value of a feed, on lines of its own.  HTML in it is a fragment,
 * and often truncated. */
static int add_value(struct cfs_page_text *t, const struct cfs_feed_value *v,
		     struct cfs_ctx ctx)
{
	struct cfs_html_sink sink = { on_start, on_end,
				      on_text, t, on_formula };
	int rc = CFS_OK;

	t->in_title = false;
	t->has_title = true;	/* a <title> in a fragment is not shown */
	t->pre = 0;
	if (v->type == CFS_FEED_TEXT)
		on_text(t, v->text);
	else
		rc = cfs_html_outline(v->text, &sink, ctx);
	end_line(t);
	return rc;
}

/* Appends the last text of t, from `start` on, without its line end, unless
 * there is a title already. */
static void keep_title(const struct cfs_page_text *t, size_t start,
		       struct cfs_buf *title)
{
	size_t n = t->body->n - start;

	if (title == NULL || title->n > 0 || n == 0)
		return;
	cfs_buf_append(title, t->body->p + start, n - 1);
	for (size_t i = 0; i < title->n; i++)
		if (title->p[i] == '\n')
			title->p[i] = ' ';
}

/* title: that of the feed itself, which is its item 0, is appended; or NULL. */
static int add_feed(struct cfs_page_text *t, const struct cfs_feed *feed,
		    struct cfs_buf *title, struct cfs_ctx ctx)
{
	int rc = CFS_OK;

	for (size_t item = 0; item <= feed->n_items; item++) {
		size_t n = cfs_feed_count(feed, item);

		if (item % CANCEL_EVERY == 0 && cfs_cancelled(ctx.cancel))
			return cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
		for (size_t i = 0; i < n && rc == CFS_OK; i++) {
			struct cfs_feed_value v = cfs_feed_at(feed, item, i);
			size_t start = t->body->n;

			if (v.field == CFS_FEED_TITLE ||
			    v.field == CFS_FEED_DESCRIPTION ||
			    v.field == CFS_FEED_CONTENT)
				rc = add_value(t, &v, ctx);
			if (item == 0 && v.field == CFS_FEED_TITLE)
				keep_title(t, start, title);
		}
		if (rc != CFS_OK)
			return rc;
	}
	return rc;
}

static int feed_text(const struct cfs_doc *doc, struct cfs_buf *out,
		     struct cfs_buf *title, struct cfs_ctx ctx)
{
	struct cfs_page_text t = { .body = out };
	struct cfs_feed feed;
	int rc = cfs_doc_feed(doc, &feed, ctx);

	if (rc == CFS_OK)
		rc = add_feed(&t, &feed, title, ctx);
	cfs_feed_release(&feed);
	return rc;
}

int cfs_text_of_doc(const struct cfs_doc *doc, struct cfs_buf *out,
		    struct cfs_buf *title, struct cfs_ctx ctx)
{
	struct cfs_pdf_found pdf;

	switch (doc->kind) {
	case CFS_DOC_HTML:
		return html_text(doc, out, title, ctx);
	case CFS_DOC_FEED:
		return feed_text(doc, out, title, ctx);
	case CFS_DOC_PLAIN:
		return cfs_charset_to_utf8(&doc->charset, doc->body, doc->pages,
					   out, ctx.err);
	case CFS_DOC_PDF:
		return cfs_pdf_texts_get(doc->pdf, doc->body, title, out, NULL,
					 &pdf, ctx);
	case CFS_DOC_NONE:
		break;
	}
	return CFS_OK;
}

int cfs_view_text(const struct cfs_view_input *in,
		  const struct cfs_view_opts *opts, struct cfs_buf *out,
		  struct cfs_ctx ctx)
{
	struct cfs_doc doc;

	(void)opts;
	cfs_doc_find(in, &doc);
	return cfs_text_of_doc(&doc, out, NULL, ctx);
}
