/* view_markdown.c - makes the .md and .main.txt views: the main content of a
 * document in Markdown, and as plain text.
 *
 * A page is gone through twice: its blocks are counted (page_blocks.h), those
 * of the main content are chosen (main_content.c), and the second time they are
 * written (markdown.h).  The first time it is parsed.  The second goes over the
 * events that the first has kept (page_events.h), or parses it again if they
 * were too many.  Where both views are wanted, they are written one after the
 * other from what was chosen once.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "doc.h"
#include "feed.h"
#include "markdown.h"
#include "page_blocks.h"
#include "page_events.h"
#include "pdf/pdf.h"
#include "view_make.h"

/* Items of a feed, and events of a page, between two checks of the cancel
 * token. */
#define CANCEL_EVERY 64u
#define CANCEL_EVENTS (1u << 16)
/* Blocks around one of code and before it, and behind it. */
#define WRAPPERS_MAX 10u
#define BESIDE_MAX 3u

/* The forms in which a document is written. */
struct forms {
	struct cfs_buf *out[2];	/* Markdown, plain text; NULL: not wanted */
	const struct cfs_doc *doc;
	struct cfs_slice url;
};

/* Writes what a document consists of: its blocks, feed or text. */
typedef int write_fn(struct cfs_markdown *m, const void *what,
		     struct cfs_ctx ctx);

/* Writes it in each form that is wanted; it has so many bytes. */
static int write_forms(const struct forms *f, size_t bytes, write_fn *write,
		       const void *what, struct cfs_ctx ctx)
{
	int rc = CFS_OK;

	for (unsigned i = 0; i < 2 && rc == CFS_OK; i++) {
		struct cfs_markdown m;
		int rc2;

		if (f->out[i] == NULL)
			continue;
		cfs_markdown_begin(&m, f->out[i], f->url, bytes, i == 1);
		rc = write(&m, what, ctx);
		rc2 = cfs_markdown_end(&m);
		rc = rc != CFS_OK ? rc : rc2;
	}
	return rc;
}

struct writing {
	const struct cfs_page_blocks *b;
	struct cfs_markdown *m;
	uint32_t at;		/* the innermost open block */
	uint32_t n;		/* blocks begun so far */
	unsigned beyond;	/* open elements without a number */
	unsigned in_code;	/* open blocks of code */
	uint32_t caption;	/* the caption of a figure that is open, which
				 * is no part of the content; 0: none */
	/* Where events come from the first pass: that of now, and what reads
	 * its tag. */
	const struct cfs_page_event *event;
	struct cfs_html_tokenizer *tokens;
	struct cfs_buf decoded;
};

static bool is_written(const struct writing *w)
{
	return w->b->v[w->at].is_chosen ||
	       (w->at == w->b->title_block && w->at > 0);
}

/* True of a block that is written, or is a cell whose place in a row is. */
static bool is_placed(const struct writing *w, enum cfs_html_tag tag)
{
	const struct cfs_page_block *v = w->b->v;

	return is_written(w) || ((tag == CFS_TAG_TD || tag == CFS_TAG_TH) &&
				 v[v[w->at].parent].is_chosen);
}

/* True of a caption that goes with its figure: it is not chosen, and what it is
 * in is. */
static bool is_title_of_image(const struct writing *w, enum cfs_html_tag tag)
{
	const struct cfs_page_block *v = w->b->v;

	return tag == CFS_TAG_FIGCAPTION && w->caption == 0 &&
	       !v[w->at].is_chosen && v[v[w->at].parent].is_chosen;
}

/* True of elements whose attributes are not looked at: in plain text all but
 * cells and what is in code. */
static bool needs_no_tag(const struct writing *w, enum cfs_html_tag tag)
{
	return w->m->is_plain && w->m->pre == 0 && tag != CFS_TAG_TD &&
	       tag != CFS_TAG_TH;
}

/* An element with its start tag, which is only read for what is written. */
static struct cfs_html_el with_tag(struct writing *w,
				   const struct cfs_html_el *el)
{
	static const struct cfs_html_token without_attributes;
	struct cfs_html_el whole = *el;

	if (el->token == NULL && needs_no_tag(w, el->tag)) {
		whole.token = &without_attributes;
	} else if (el->token == NULL) {
		whole.token = cfs_page_events_tag(&w->b->events, w->event,
						  w->tokens);
		whole.decoded = &w->decoded;
	}
	return whole;
}

/* True if all that a block has is the block of code `inner`, and a little
 * beside it: a caption, a button. */
static bool wraps(const struct cfs_page_block *v, uint32_t at, uint32_t inner)
{
	if (v[at].text > 0 || inner - at > WRAPPERS_MAX ||
	    v[at].end - v[inner].end > BESIDE_MAX)
		return false;
	for (uint32_t i = at + 1; i < inner; i++)
		if (v[i].text > 0 && v[i].tag != CFS_TAG_FIGCAPTION &&
		    v[i].tag != CFS_TAG_DIV)
			return false;
	switch (v[at].tag) {
	case CFS_TAG_DIV: case CFS_TAG_FIGURE: case CFS_TAG_TABLE:
	case CFS_TAG_TBODY: case CFS_TAG_TR: case CFS_TAG_TD:
		return true;
	default:
		return false;
	}
}

/* Notes the language of a block of code that elements around it say. */
static void find_language(struct writing *w)
{
	const struct cfs_page_block *v = w->b->v;
	struct cfs_html_el el = { .is_html = true, .decoded = &w->decoded };
	struct cfs_page_event tag = { .kind = CFS_PAGE_START };

	cfs_buf_empty(&w->m->language);
	for (uint32_t i = v[w->at].parent; i != 0 && wraps(v, i, w->at);
	     i = v[i].parent) {
		tag.at = v[i].at + 1;
		el.token = cfs_page_events_tag(&w->b->events, &tag, w->tokens);
		if (cfs_page_code_language(&el, &w->m->language))
			return;
	}
}

static void write_block(struct writing *w, const struct cfs_html_el *el)
{
	struct cfs_html_el whole;
	unsigned level = 0;
	bool is_code;

	if (w->beyond > 0 || w->n == CFS_PAGE_BLOCKS_MAX) {
		w->beyond++;
		if (is_written(w))
			cfs_md_line_blank(&w->m->line);
		return;
	}
	w->at = w->n++;
	is_code = cfs_page_block_is_code(&w->b->v[w->at]);
	w->in_code += is_code && el->tag != CFS_TAG_TABLE;
	if (is_title_of_image(w, el->tag))
		w->caption = w->at;
	if (!is_placed(w, el->tag))
		return;
	if (el->tag == CFS_TAG_H1)
		level = w->at == w->b->title_block ? 1 : 2;
	if (is_code && w->m->pre == 0 && !w->m->is_plain)
		find_language(w);
	whole = with_tag(w, el);
	if (is_code)
		cfs_markdown_code(w->m, &whole);
	else
		cfs_markdown_block(w->m, &whole, level,
				   w->b->v[w->at].columns);
}

/* Writes the start of an element that is shown. */
static void write_start(struct writing *w, const struct cfs_html_el *el,
			enum cfs_page_role role)
{
	struct cfs_html_el whole;

	if (w->caption > 0)
		cfs_markdown_caption(w->m, role == CFS_PAGE_INLINE ?
				     CFS_SLICE_EMPTY : CFS_SLICE_LIT(" "));
	if (role == CFS_PAGE_BLOCK) {
		write_block(w, el);
	} else if (is_written(w) || el->tag == CFS_TAG_BASE) {
		whole = with_tag(w, el);
		cfs_markdown_inline(w->m, &whole);
	}
}

/* True of line numbers, as the first pass has it. */
static bool is_gutter(const struct writing *w, const struct cfs_html_el *el,
		      enum cfs_page_role role)
{
	struct cfs_slice v;

	if (role == CFS_PAGE_INLINE)
		return w->in_code > 0 && cfs_page_is_number(el);
	return role == CFS_PAGE_BLOCK && cfs_page_may_have_roles(el->tag) &&
	       cfs_html_attr_find(el->token, CFS_SLICE_LIT("class"), &v) &&
	       cfs_page_is_gutter(el->tag, cfs_page_code_roles(v),
				  w->in_code > 0);
}

static bool on_start(void *arg, const struct cfs_html_el *el)
{
	enum cfs_page_role role = cfs_page_role(el);

	if (role == CFS_PAGE_LEFT_OUT ||
	    (role != CFS_PAGE_BREAK && cfs_page_is_hidden(el)) ||
	    is_gutter(arg, el, role))
		return false;
	write_start(arg, el, role);
	return true;
}

static void on_end(void *arg, const struct cfs_html_el *el)
{
	struct writing *w = arg;
	bool is_code;

	if (cfs_page_role(el) != CFS_PAGE_BLOCK) {
		if (is_written(w))
			cfs_markdown_inline_end(w->m, el->tag);
		return;
	}
	if (w->beyond > 0) {
		w->beyond--;
		return;
	}
	is_code = cfs_page_block_is_code(&w->b->v[w->at]);
	w->in_code -= is_code && el->tag != CFS_TAG_TABLE;
	if (is_placed(w, el->tag) && is_code)
		cfs_markdown_code_end(w->m, el->tag);
	else if (is_placed(w, el->tag))
		cfs_markdown_block_end(w->m, el->tag);
	if (w->at == w->caption)
		w->caption = 0;
	w->at = w->b->v[w->at].parent;
}

static void on_text(void *arg, struct cfs_slice s)
{
	struct writing *w = arg;

	if (is_written(w))
		cfs_markdown_text(w->m, s);
	else if (w->caption > 0)
		cfs_markdown_caption(w->m, s);
}

static void on_formula(void *arg, struct cfs_slice tex, bool is_display)
{
	struct writing *w = arg;

	if (is_written(w))
		cfs_markdown_formula(w->m, tex, is_display);
	else if (w->caption > 0)
		cfs_markdown_caption(w->m, tex);
}

static void write_event(struct writing *w, const struct cfs_page_event *v)
{
	struct cfs_html_el el = { .tag = (enum cfs_html_tag)v->tag,
				  .is_html = true };

	w->event = v;
	switch ((enum cfs_page_event_kind)v->kind) {
	case CFS_PAGE_START:
		write_start(w, &el, cfs_page_role(&el));
		break;
	case CFS_PAGE_END:
		on_end(w, &el);
		break;
	case CFS_PAGE_TEXT:
	case CFS_PAGE_DECODED:
		on_text(w, cfs_page_events_text_of(&w->b->events, v));
		break;
	case CFS_PAGE_FORMULA:
		on_formula(w, cfs_page_events_text_of(&w->b->events, v),
			   v->tag == 1);
		break;
	}
}

/* Writes the chosen blocks from the events that the first pass has kept. */
static int write_events(struct writing *w, struct cfs_ctx ctx)
{
	const struct cfs_page_events *e = &w->b->events;
	int rc = CFS_OK;

	for (size_t i = 0; i < e->n && rc == CFS_OK; i++) {
		if (i % CANCEL_EVENTS == 0 && cfs_cancelled(ctx.cancel))
			rc = cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
		else
			write_event(w, &e->v[i]);
	}
	return rc;
}

/* The beginning of a page, up to the first block after all that is written. */
static struct cfs_slice up_to_last(const struct cfs_page_blocks *b,
				   struct cfs_slice utf8)
{
	uint32_t end = b->v[b->title_block].until;

	for (uint32_t i = 0; i < b->n; i++)
		if (b->v[i].is_chosen && b->v[i].until > end)
			end = b->v[i].until;
	return end < b->n ? cfs_slice_sub(utf8, 0, b->v[end].at) : utf8;
}

/* Writes the chosen blocks. */
static int write_blocks(struct cfs_markdown *m, const struct cfs_page_blocks *b,
			struct cfs_ctx ctx)
{
	struct writing w = { .b = b, .m = m, .n = 1 };
	struct cfs_html_sink sink = {
		on_start, on_end,
		on_text, &w, on_formula
	};
	int rc;

	m->line.escapes_dollars = b->events.has_formulas;
	w.tokens = malloc(sizeof(*w.tokens));
	if (w.tokens == NULL)
		return cfs_error_nomem(ctx.err);
	cfs_buf_init(&w.decoded, CFS_HTML_DECODED_MAX);
	if (b->events.is_cut)
		rc = cfs_html_outline(up_to_last(b, b->events.in), &sink, ctx);
	else
		rc = write_events(&w, ctx);
	if (rc == CFS_OK && w.decoded.failed != CFS_OK)
		rc = cfs_error_nomem(ctx.err);
	cfs_buf_release(&w.decoded);
	free(w.tokens);
	return rc;
}

static int write_page(struct cfs_markdown *m, const void *what,
		      struct cfs_ctx ctx)
{
	const struct cfs_page_blocks *b = what;

	if (b->title_block == 0 && b->title.n > 0)
		cfs_markdown_title(m, cfs_buf_slice(&b->title));
	return write_blocks(m, b, ctx);
}

static int write_html(const struct forms *f, struct cfs_ctx ctx)
{
	struct cfs_page_blocks b = { 0 };
	struct cfs_slice utf8;
	CFS_BUF(conv, CFS_HTML_TEXT_MAX * 2);
	int rc = cfs_doc_page(f->doc, &conv, &utf8, ctx.err);

	if (rc == CFS_OK)
		rc = cfs_page_blocks_count(&b, utf8, ctx);
	if (rc == CFS_OK)
		rc = cfs_page_blocks_choose(&b, ctx.err);
	if (rc == CFS_OK)
		rc = write_forms(f, utf8.n, write_page, &b, ctx);
	cfs_page_blocks_release(&b);
	return rc;
}

/* ---- feeds -------------------------------------------------------------- */

/* Writes HTML that is content as a whole. */
static int write_fragment(struct cfs_markdown *m, struct cfs_slice utf8,
			  struct cfs_ctx ctx)
{
	struct cfs_page_blocks b = { 0 };
	int rc = cfs_page_blocks_count(&b, utf8, ctx);

	for (uint32_t i = 0; rc == CFS_OK && i < b.n; i++)
		b.v[i].is_chosen = true;
	if (rc == CFS_OK)
		rc = write_blocks(m, &b, ctx);
	cfs_page_blocks_release(&b);
	return rc;
}

/* Writes a value as blocks of their own. */
static int write_value(struct cfs_markdown *m, const struct cfs_feed_value *v,
		       struct cfs_ctx ctx)
{
	static const struct cfs_html_el paragraph = { .tag = CFS_TAG_P,
						      .is_html = true };
	int rc = CFS_OK;

	cfs_markdown_block(m, &paragraph, 0, 0);
	if (v->type == CFS_FEED_TEXT)
		cfs_markdown_text(m, v->text);
	else
		rc = write_fragment(m, v->text, ctx);
	cfs_markdown_block_end(m, CFS_TAG_P);
	return rc;
}

/* Finds the first value of a field, or that one which links to a page. */
static bool find_value(const struct cfs_feed *feed, size_t item,
		       enum cfs_feed_field field, struct cfs_feed_value *out)
{
	size_t n = cfs_feed_count(feed, item);
	struct cfs_slice rel;

	for (size_t i = 0; i < n; i++) {
		*out = cfs_feed_at(feed, item, i);
		if (out->field != field)
			continue;
		if (field == CFS_FEED_LINK &&
		    cfs_feed_attr_get(feed, out, "rel", &rel) &&
		    !cfs_slice_eq(rel, CFS_SLICE_LIT("alternate")))
			continue;
		return true;
	}
	return false;
}

/* The address of the page that an item is about; empty: it names none. */
static struct cfs_slice link_of(const struct cfs_feed *feed, size_t item)
{
	struct cfs_feed_value v;
	struct cfs_slice href;

	if (!find_value(feed, item, CFS_FEED_LINK, &v))
		return CFS_SLICE_EMPTY;
	return cfs_feed_attr_get(feed, &v, "href", &href) ? href : v.text;
}

/* Writes an item: its title, which is a link, then what it says; only its
 * content if there are both a summary and that. */
static int write_item(struct cfs_markdown *m, const struct cfs_feed *feed,
		      size_t item, struct cfs_ctx ctx)
{
	static const struct cfs_html_el li = { .tag = CFS_TAG_LI,
					       .is_html = true };
	struct cfs_feed_value v;
	int rc = CFS_OK;

	cfs_markdown_block(m, &li, 0, 0);
	cfs_markdown_link(m, link_of(feed, item));
	if (find_value(feed, item, CFS_FEED_TITLE, &v))
		rc = write_value(m, &v, ctx);
	cfs_markdown_link(m, CFS_SLICE_EMPTY);
	if (rc == CFS_OK && (find_value(feed, item, CFS_FEED_CONTENT, &v) ||
			     find_value(feed, item, CFS_FEED_DESCRIPTION, &v)))
		rc = write_value(m, &v, ctx);
	cfs_markdown_block_end(m, CFS_TAG_LI);
	return rc;
}

static int write_items(struct cfs_markdown *m, const void *what,
		       struct cfs_ctx ctx)
{
	const struct cfs_feed *feed = what;
	static const struct cfs_html_el list = { .tag = CFS_TAG_UL,
						 .is_html = true };
	struct cfs_feed_value v;
	int rc = CFS_OK;

	if (find_value(feed, 0, CFS_FEED_TITLE, &v))
		cfs_markdown_heading(m, v.text, 1);
	if (find_value(feed, 0, CFS_FEED_DESCRIPTION, &v))
		rc = write_value(m, &v, ctx);
	cfs_markdown_block(m, &list, 0, 0);
	for (size_t i = 1; i <= feed->n_items && rc == CFS_OK; i++) {
		if (i % CANCEL_EVERY == 0 && cfs_cancelled(ctx.cancel))
			rc = cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
		else
			rc = write_item(m, feed, i, ctx);
	}
	cfs_markdown_block_end(m, CFS_TAG_UL);
	return rc;
}

static int write_feed(const struct forms *f, struct cfs_ctx ctx)
{
	struct cfs_feed feed;
	int rc = cfs_doc_feed(f->doc, &feed, ctx);

	if (rc == CFS_OK)
		rc = write_forms(f, f->doc->body.n, write_items, &feed, ctx);
	cfs_feed_release(&feed);
	return rc;
}

/* ---- texts -------------------------------------------------------------- */

/* Writes paragraphs that empty lines divide. */
static int write_paragraphs(struct cfs_markdown *m, const void *what,
			    struct cfs_ctx ctx)
{
	struct cfs_slice text = *(const struct cfs_slice *)what;
	static const struct cfs_html_el p = { .tag = CFS_TAG_P,
					      .is_html = true };

	(void)ctx;
	while (text.n > 0) {
		ptrdiff_t end = cfs_slice_search(text, CFS_SLICE_LIT("\n\n"));
		size_t n = end < 0 ? text.n : (size_t)end + 2;

		cfs_markdown_block(m, &p, 0, 0);
		cfs_markdown_text(m, cfs_slice_sub(text, 0, n));
		cfs_markdown_block_end(m, CFS_TAG_P);
		text = cfs_slice_from(text, n);
	}
	return CFS_OK;
}

static int write_pdf(const struct forms *f, struct cfs_ctx ctx)
{
	struct cfs_pdf_found found;
	struct cfs_slice text;
	CFS_BUF(main, CFS_PDF_TEXT_MAX);
	int rc = cfs_pdf_texts_get(f->doc->pdf, f->doc->body, NULL, NULL, &main,
				   &found, ctx);

	text = cfs_buf_slice(&main);
	if (rc == CFS_OK)
		rc = write_forms(f, f->doc->body.n, write_paragraphs, &text,
				 ctx);
	return rc;
}

/* A plain text is its own main content. */
static int write_plain(const struct forms *f, struct cfs_ctx ctx)
{
	const struct cfs_doc *doc = f->doc;
	int rc = CFS_OK;

	for (unsigned i = 0; i < 2 && rc == CFS_OK; i++)
		if (f->out[i] != NULL)
			rc = cfs_charset_to_utf8(&doc->charset, doc->body,
						 doc->pages, f->out[i],
						 ctx.err);
	return rc;
}

int cfs_view_main_forms(const struct cfs_view_input *in,
			struct cfs_buf *markdown, struct cfs_buf *plain,
			struct cfs_ctx ctx)
{
	struct cfs_doc doc;
	const struct forms f = {
		.out = { markdown, plain }, .doc = &doc,
		.url = cfs_view_url_of(in) };

	cfs_doc_find(in, &doc);
	switch (doc.kind) {
	case CFS_DOC_HTML:
		return write_html(&f, ctx);
	case CFS_DOC_PLAIN:
		return write_plain(&f, ctx);
	case CFS_DOC_FEED:
		return write_feed(&f, ctx);
	case CFS_DOC_PDF:
		return write_pdf(&f, ctx);
	case CFS_DOC_NONE:
		break;
	}
	return CFS_OK;
}

int cfs_view_markdown(const struct cfs_view_input *in,
		      const struct cfs_view_opts *opts, struct cfs_buf *out,
		      struct cfs_ctx ctx)
{
	(void)opts;
	return cfs_view_main_forms(in, out, NULL, ctx);
}

int cfs_view_main(const struct cfs_view_input *in,
		  const struct cfs_view_opts *opts, struct cfs_buf *out,
		  struct cfs_ctx ctx)
{
	(void)opts;
	return cfs_view_main_forms(in, NULL, out, ctx);
}
