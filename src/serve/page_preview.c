/* page_preview.c - parts of the page about a capture, made of its views .txt
 * and .meta (see page_frame.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "codec/json.h"
#include "crawl/content.h"
#include "page_frame.h"
#include "replayed.h"

/* Shown of a text, and of its links and header fields. */
#define TEXT_BYTES ((size_t)6000)
#define MARKS_MAX 200u
#define BYTES_BEFORE ((size_t)300)	/* of the first mark */
#define LINKS_SHOWN 200u
#define FIELDS_SHOWN 100u
/* The limit of one title, link or value. */
#define VALUE_BYTES ((size_t)4000)

static bool ends_the_request(int rc)
{
	return rc == CFS_EINTR || rc == CFS_ENOMEM || rc == CFS_ETIMEOUT;
}

static int preview_view(struct cfs_crawl *c, cfs_pos pos, enum cfs_view view,
		     struct cfs_file_bytes *out, struct cfs_ctx ctx)
{
	const struct cfs_node file = { .type = CFS_NODE_FILE, .pos = pos,
				       .view = view };

	return cfs_content_load(c, &file, &c->view, out, ctx);
}

/* ---- metadata ------------------------------------------------------------ */

static void add_decoded(struct cfs_json_text text, struct cfs_buf *out)
{
	text.s = cfs_slice_sub(text.s, 0, VALUE_BYTES);
	cfs_json_add_text(out, text);
}

/* Appends the decoded text of a member that is a string. */
static void take_text(struct cfs_slice object, const char *name,
		      struct cfs_buf *out)
{
	struct cfs_slice value = cfs_json_member_of(object, name);
	struct cfs_json_text text;

	if (cfs_json_take_value(&value, &text))
		add_decoded(text, out);
}

void cfs_preview_init(struct cfs_preview *p)
{
	*p = (struct cfs_preview){ .error = CFS_ERROR_INIT };
	p->meta.bytes = CFS_SLICE_EMPTY;
	cfs_buf_init(&p->title, 4 * VALUE_BYTES);
}

int cfs_preview_load(struct cfs_preview *p, struct cfs_crawl *c, cfs_pos pos,
		     struct cfs_ctx ctx)
{
	int rc = preview_view(c, pos, CFS_VIEW_META, &p->meta,
			      CFS_CTX(ctx.cancel, &p->error));

	if (ends_the_request(rc))
		return cfs_error_pass(ctx.err, &p->error, rc);
	if (rc == CFS_OK)
		take_text(cfs_json_member_of(p->meta.bytes, "content"), "title",
			  &p->title);
	return CFS_OK;
}

void cfs_preview_release(struct cfs_preview *p)
{
	cfs_file_bytes_release(&p->meta);
	cfs_buf_release(&p->title);
}

void cfs_preview_document(const struct cfs_file_bytes *b, struct cfs_doc *doc)
{
	struct cfs_view_input in = { .pages = CFS_PAGES_STAY };

	*doc = (struct cfs_doc){ .kind = CFS_DOC_NONE };
	if (b->record == NULL)
		return;
	in.record = cfs_stored_record(b->record);
	in.url = in.record->url;
	if (b->body != NULL)
		in.body_record = cfs_stored_record(b->body);
	if (cfs_file_bytes_are_spilled(b))
		in.pages = CFS_PAGES_RELEASED;
	cfs_doc_find(&in, doc);
}

int cfs_preview_title(struct cfs_crawl *c, cfs_pos pos, struct cfs_buf *out,
		      struct cfs_ctx ctx)
{
	struct cfs_error own = CFS_ERROR_INIT;
	struct cfs_ctx mine = CFS_CTX(ctx.cancel, &own);
	struct cfs_file_bytes b = { .bytes = CFS_SLICE_EMPTY };
	struct cfs_doc doc;
	int rc = preview_view(c, pos, CFS_VIEW_RAW, &b, mine);

	if (rc == CFS_OK) {
		cfs_preview_document(&b, &doc);
		rc = cfs_view_title(&doc, out, mine);
	}
	cfs_file_bytes_release(&b);
	return ends_the_request(rc) ? cfs_error_pass(ctx.err, &own, rc) :
				      CFS_OK;
}

void cfs_preview_field(const struct cfs_preview *p, const char *object,
		       const char *name, struct cfs_buf *out)
{
	take_text(cfs_json_member_of(p->meta.bytes, object), name, out);
}

void cfs_preview_headers(struct cfs_buf *out, const struct cfs_preview *p)
{
	struct cfs_slice fields = cfs_json_member_of(p->meta.bytes,
						     "http_headers");
	struct cfs_json_member m;
	CFS_BUF(name, 4 * VALUE_BYTES);
	CFS_BUF(value, 4 * VALUE_BYTES);

	if (fields.n == 0)
		return;
	CFS_HTML(out, "<section id='headers'>\n<h2>Headers</h2>\n"
		 "<dl class='fields'>\n");
	for (unsigned i = 0; i < FIELDS_SHOWN &&
			     cfs_json_next(&fields, '{', &m) == CFS_OK; i++) {
		cfs_buf_reset(&name);
		cfs_buf_reset(&value);
		add_decoded(m.name, &name);
		add_decoded(m.value, &value);
		CFS_HTML(out, "<div><dt>$</dt><dd>$</dd></div>\n", &name,
			 &value);
	}
	CFS_HTML(out, "</dl>\n</section>\n");
}

/* ---- links --------------------------------------------------------------- */

/* time: of the capture that the link is in; 0: not known. */
static int preview_link(struct cfs_buf *out, struct cfs_link_finder *finder,
			struct cfs_slice object, int64_t time,
			struct cfs_ctx ctx)
{
	bool is_absent = false, has_type;
	int rc;
	CFS_BUF(type, 4 * VALUE_BYTES);
	CFS_BUF(text, 4 * VALUE_BYTES);
	CFS_BUF(href, 4 * VALUE_BYTES);
	struct cfs_slice shown, url;

	take_text(object, "href", &href);
	take_text(object, "text", &text);
	take_text(object, "type", &type);
	if (href.n == 0)
		return CFS_OK;
	rc = cfs_link_is_absent(finder, cfs_buf_str(&href), &is_absent, ctx);
	url = cfs_buf_slice(&href);
	shown = cfs_slice_trim(cfs_buf_slice(&text));
	has_type = type.n > 0 && !cfs_slice_eq(cfs_buf_slice(&type),
					       CFS_SLICE_LIT("a"));
	CFS_HTML(out, "<li$><a href='$'>$</a> <span class='note'>",
		 CFS_HTML_IF(is_absent, " class='absent'"),
		 cfs_page_search_url(finder->site, url, time),
		 shown.n > 0 ? shown : url);
	if (has_type)
		CFS_HTML(out, "$ ", &type);
	if (shown.n > 0)
		CFS_HTML(out, "$", url);
	CFS_HTML(out, "$</span></li>\n",
		 CFS_HTML_IF(is_absent, " not in this crawl"));
	return rc;
}

int cfs_preview_links(struct cfs_buf *out, struct cfs_site *site,
		      const struct cfs_preview *p, int64_t time,
		      struct cfs_ctx ctx)
{
	struct cfs_slice links = cfs_json_member_of(
		cfs_json_member_of(p->meta.bytes, "content"), "links");
	struct cfs_link_finder finder;
	struct cfs_json_member item;
	uint64_t n = 0;
	int rc = CFS_OK;

	if (links.n == 0)
		return CFS_OK;
	cfs_link_finder_init(&finder, site);
	CFS_HTML(out, "<section id='links'>\n<h2>Links</h2>\n"
		 "<ul class='links'>\n");
	for (; cfs_json_next(&links, '[', &item) == CFS_OK; n++)
		if (n < LINKS_SHOWN && rc == CFS_OK)
			rc = preview_link(out, &finder, item.written, time,
					  ctx);
	CFS_HTML(out, "</ul>\n");
	if (n > LINKS_SHOWN)
		CFS_HTML(out, "<p class='note'>The first $ of $.</p>\n",
			 cfs_html_figure(LINKS_SHOWN), cfs_html_figure(n));
	CFS_HTML(out, "</section>\n");
	return rc;
}

/* ---- text ---------------------------------------------------------------- */

/* Where the part of a text begins that is shown: at the line before that of the
 * first mark, unless the beginning has it. */
static size_t text_begin(struct cfs_slice text, size_t mark)
{
	size_t at = mark > BYTES_BEFORE ? mark - BYTES_BEFORE : 0;
	ptrdiff_t n = cfs_slice_find(cfs_slice_sub(text, at, mark - at), '\n');

	if (mark < TEXT_BYTES / 2)
		return 0;
	if (n >= 0)
		return at + (size_t)n + 1;
	while (at < mark && (text.p[at] & 0xc0) == 0x80)
		at++;
	return at;
}

/* The part of a text that is shown. */
static struct cfs_slice text_part(struct cfs_slice text, size_t from)
{
	struct cfs_slice part = cfs_slice_sub(text, from, TEXT_BYTES);

	/* not inside a character */
	while (from + part.n < text.n && part.n > 0 &&
	       (part.p[part.n] & 0xc0) == 0x80)
		part.n--;
	return part;
}

static int text_section(struct cfs_buf *out, struct cfs_slice text,
			const struct cfs_word_query *q, struct cfs_error *err)
{
	struct cfs_mark marks[MARKS_MAX];
	struct cfs_slice part;
	size_t n = 0, from = 0;
	int rc = CFS_OK;

	if (q != NULL)
		rc = cfs_marks_find(q, text, marks, 1, &n, err);
	if (n > 0)
		from = text_begin(text, marks[0].from);
	part = text_part(text, from);
	if (rc == CFS_OK && n > 0)
		rc = cfs_marks_find(q, part, marks, MARKS_MAX, &n, err);
	CFS_HTML(out, "<section id='text'>\n<h2>Text</h2>\n"
		 "<pre tabindex='0' aria-label='Text'>$$$</pre>\n</section>\n",
		 CFS_HTML_IF(from > 0, "\u2026"),
		 cfs_page_marked(part, marks, n),
		 CFS_HTML_IF(from + part.n < text.n, "\u2026"));
	return rc;
}

int cfs_preview_text(struct cfs_buf *out, struct cfs_crawl *c, cfs_pos pos,
		     const struct cfs_word_query *q, struct cfs_ctx ctx)
{
	struct cfs_error own = CFS_ERROR_INIT;
	struct cfs_file_bytes b = { .bytes = CFS_SLICE_EMPTY };
	int rc = preview_view(c, pos, CFS_VIEW_TEXT, &b,
			   CFS_CTX(ctx.cancel, &own));

	if (ends_the_request(rc))
		return cfs_error_pass(ctx.err, &own, rc);
	if (rc == CFS_OK && cfs_slice_trim(b.bytes).n > 0)
		rc = text_section(out, b.bytes, q, ctx.err);
	else
		rc = CFS_OK;
	cfs_file_bytes_release(&b);
	return rc;
}

int cfs_preview_snippets(struct cfs_crawl *c, cfs_pos pos,
			 const struct cfs_word_query *q,
			 struct cfs_file_bytes *text,
			 struct cfs_snippet out[CFS_SNIPPETS_MAX], unsigned *n,
			 struct cfs_ctx ctx)
{
	int rc = preview_view(c, pos, CFS_VIEW_TEXT, text, ctx);

	*n = 0;
	return rc == CFS_OK ?
	       cfs_snippets_find(q, text->bytes, out, n, ctx.err) : rc;
}
