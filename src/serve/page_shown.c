/* page_shown.c - answers with an archived page for a frame of this server
 * (replayed.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "crawl/content.h"
#include "exchange.h"
#include "page_frame.h"
#include "replayed.h"
#include "routes.h"

static int answer_document(struct cfs_exchange *x, struct cfs_site_place *p,
			   const struct cfs_entry *e,
			   const struct cfs_file_bytes *b, struct cfs_ctx ctx)
{
	struct cfs_replayed r = { .site = x->site, .time = e->cap.time };
	struct cfs_slice utf8;
	CFS_BUF(out, CFS_REPLY_BODY_MAX);
	CFS_BUF(url, 2 * CFS_KEY_MAX + 64);
	CFS_BUF(conv, CFS_VIEW_MAX_BYTES);
	struct cfs_doc doc;
	int rc;

	cfs_preview_document(b, &doc);
	if (doc.kind != CFS_DOC_HTML)
		return cfs_page_redirect(x, "view/", "");
	rc = cfs_doc_page(&doc, &conv, &utf8, ctx.err);
	cfs_index_key_url(p->crawl->index, e->it.key, &e->cap, &url);
	r.url = cfs_buf_slice(&url);
	if (rc == CFS_OK)
		rc = cfs_replayed_write(&out, &r, utf8, ctx);
	if (rc != CFS_OK)
		return rc;
	x->policy = CFS_POLICY_REPLAYED;
	return cfs_reply_text(x, 200, "text/html; charset=utf-8", &out);
}

int cfs_answer_shown(struct cfs_exchange *x, struct cfs_ctx ctx)
{
	struct cfs_file_bytes b = { .bytes = CFS_SLICE_EMPTY };
	struct cfs_site_place p;
	struct cfs_entry *e;
	int rc = cfs_site_walk(x->site, x->rest, &p, ctx);

	if (rc != CFS_OK)
		return rc;
	if (p.is_top || p.node.type == CFS_NODE_DIR)
		return CFS_ENOTFOUND;
	if (!x->may_take_long)
		return CFS_ROUTE_TAKES_LONG;
	e = cfs_entry_new(ctx.err);
	if (e == NULL)
		return CFS_ENOMEM;
	p.node.view = CFS_VIEW_RAW;
	rc = cfs_entry_load(p.crawl, p.node.pos, e, ctx);
	if (rc == CFS_OK)
		rc = cfs_content_load(p.crawl, &p.node, &p.crawl->view, &b,
				      ctx);
	if (rc == CFS_OK)
		rc = answer_document(x, &p, e, &b, ctx);
	cfs_file_bytes_release(&b);
	cfs_entry_free(e);
	return rc;
}
