/* view_markdown.c - makes the .md view (prototype of the text).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "doc.h"
#include "main_content.h"
#include "view_make.h"

struct md {
	struct cfs_page_blocks *b;
	struct cfs_buf *out;
	uint32_t at, n;
	unsigned beyond;
	bool blank;
};

static void md_line(struct md *m)
{
	if (m->out->n > 0 && m->out->p[m->out->n - 1] != '\n' && m->out->n != 2)
		cfs_buf_adds(m->out, "\n\n");
	m->blank = false;
}

static bool md_start(void *arg, const struct cfs_html_el *el)
{
	struct md *m = arg;

	switch (cfs_page_role(el)) {
	case CFS_PAGE_LEFT_OUT:
		return false;
	case CFS_PAGE_BLOCK:
		if (cfs_page_is_hidden(el))
			return false;
		if (m->beyond > 0 || m->n == CFS_PAGE_BLOCKS_MAX) {
			m->beyond++;
			return true;
		}
	m->at = m->n++;
		md_line(m);
		if (el->tag == CFS_TAG_H1 && m->b->v[m->at].is_chosen && m->out->n == 0)
			cfs_buf_adds(m->out, "# ");
		return true;
	case CFS_PAGE_INLINE:
		return !cfs_page_is_hidden(el);
	case CFS_PAGE_BREAK:
		m->blank = true;
		break;
	}
	return true;
}

static void md_end(void *arg, const struct cfs_html_el *el)
{
	struct md *m = arg;

	if (cfs_page_role(el) != CFS_PAGE_BLOCK)
		return;
	if (m->beyond > 0) {
		m->beyond--;
		return;
	}
	m->at = m->b->v[m->at].parent;
	md_line(m);
}

static void md_text(void *arg, struct cfs_slice s)
{
	struct md *m = arg;

	if (!m->b->v[m->at].is_chosen)
		return;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] <= ' ') {
			m->blank = true;
			continue;
		}
		if (m->blank && m->out->n > 0 && m->out->p[m->out->n - 1] != '\n')
			cfs_buf_addc(m->out, ' ');
		m->blank = false;
		cfs_buf_addc(m->out, s.p[i]);
	}
}

int cfs_view_markdown(const struct cfs_view_input *in,
		      const struct cfs_view_opts *opts, struct cfs_buf *out,
		      struct cfs_ctx ctx)
{
	struct cfs_page_blocks b = { 0 };
	struct md m = { .b = &b, .out = out, .n = 1 };
	struct cfs_html_sink sink = { md_start, md_end, md_text, &m };
	struct cfs_doc doc;
	struct cfs_slice utf8;
	struct cfs_buf conv;
	int rc;

	(void)opts;
	cfs_doc_find(in, &doc);
	if (doc.kind != CFS_DOC_HTML)
		return CFS_OK;
	cfs_buf_init(&conv, CFS_HTML_TEXT_MAX * 2);
	rc = cfs_doc_utf8(&doc, CFS_HTML_BYTES_MAX, &conv, &utf8, ctx.err);
	if (rc == CFS_OK)
		rc = cfs_page_blocks_count(&b, utf8, ctx);
	if (rc == CFS_OK)
		rc = cfs_main_content_choose(&b, ctx.err);
	if (rc == CFS_OK)
		rc = cfs_html_outline(utf8, &sink, ctx);
	cfs_page_blocks_release(&b);
	cfs_buf_release(&conv);
	return rc;
}
