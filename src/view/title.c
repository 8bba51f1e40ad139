/* title.c - finds the title of an HTML page.
 *
 * It is that of the metadata (meta_content.c), for lists of pages, which have
 * no use for its line ends.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "doc.h"

#include "base/ascii.h"
#include "html/outline.h"

struct title_sink {
	struct cfs_buf *out;
	size_t from;		/* where the title begins in out */
	bool has_title, in_title;
	bool is_apart;		/* white space came before the next byte */
};

static bool on_start(void *arg, const struct cfs_html_el *el)
{
	struct title_sink *t = arg;

	if (el->is_html && el->tag == CFS_TAG_TITLE) {
		t->in_title = !t->has_title;
		t->has_title = true;
	}
	return true;
}

static void on_end(void *arg, const struct cfs_html_el *el)
{
	struct title_sink *t = arg;

	if (el->is_html && el->tag == CFS_TAG_TITLE)
		t->in_title = false;
}

static void on_text(void *arg, struct cfs_slice s)
{
	struct title_sink *t = arg;

	for (size_t i = 0; t->in_title && i < s.n &&
	     t->out->n - t->from <= CFS_TITLE_MAX; i++) {
		if (cfs_is_space(s.p[i])) {
			t->is_apart = t->out->n > t->from;
			continue;
		}
		if (t->is_apart)
			cfs_buf_addc(t->out, ' ');
		t->is_apart = false;
		cfs_buf_addc(t->out, s.p[i]);
	}
}

/* Cuts a title that is too long where a character ends. */
static void cut(const struct title_sink *t)
{
	size_t n = t->out->n - t->from;

	if (n <= CFS_TITLE_MAX)
		return;
	for (n = CFS_TITLE_MAX; n > 0 && (t->out->p[t->from + n] & 0xc0) ==
	     0x80; n--)
		;
	t->out->n = t->from + n;
}

int cfs_view_title(const struct cfs_doc *doc, struct cfs_buf *out,
		   struct cfs_ctx ctx)
{
	struct title_sink t = { .out = out, .from = out->n };
	struct cfs_html_sink sink = { on_start, on_end,
				      on_text, &t, NULL };
	struct cfs_slice utf8;
	CFS_BUF(conv, CFS_HTML_TEXT_MAX);
	int rc;

	if (doc->kind != CFS_DOC_HTML)
		return CFS_OK;
	rc = cfs_doc_utf8(doc, CFS_TITLE_BYTES_READ, &conv, &utf8, ctx.err);
	if (rc == CFS_OK)
		rc = cfs_html_outline(utf8, &sink, ctx);
	cut(&t);
	if (rc == CFS_OK && out->failed != CFS_OK)
		rc = cfs_error_nomem(ctx.err);
	return rc;
}
