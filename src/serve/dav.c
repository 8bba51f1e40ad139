/* dav.c - the tree of the crawl by WebDAV (class 1, read-only), and its files
 * for browsers.
 *
 * Spec: RFC 4918.  GET of a folder is a list of its names as links.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "dav_internal.h"
#include "file_answer.h"
#include "routes.h"

/* Sends a client that left out the slash of a folder to the path with it, since
 * the links of the folder are relative. */
static int add_slash(struct cfs_exchange *x)
{
	struct cfs_buf path;

	cfs_buf_init(&path, x->path.n + strlen(x->site->prefix) + 1);
	cfs_buf_adds(&path, x->site->prefix);
	cfs_buf_add(&path, x->path);
	if (cfs_buf_addc(&path, '/') == CFS_OK)
		cfs_reply_redirect(x, 301, cfs_buf_slice(&path));
	cfs_buf_release(&path);
	return x->status != 0 ? CFS_OK : CFS_ENOMEM;
}

static int propfind(struct cfs_exchange *x, const struct cfs_site_place *p,
		    struct cfs_ctx ctx)
{
	static const char refusal[] =
		"<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
		"<D:error xmlns:D=\"DAV:\"><D:propfind-finite-depth/>"
		"</D:error>\n";
	int depth = cfs_dav_depth(cfs_slice_trim(x->fields[CFS_FIELD_DEPTH]));
	struct cfs_dav_wanted wanted;
	struct cfs_buf body;
	int rc;

	if (!p->is_top && p->node.type == CFS_NODE_FILE) {
		rc = cfs_file_condition(x, p, ctx);
		if (rc != CFS_OK || x->status != 0)
			return rc;
	}
	if (depth < 0)
		return cfs_error_set(ctx.err, CFS_EUSAGE, "the field Depth is "
				     "not 0, 1 or infinity");
	if (depth > 1) {
		cfs_buf_init(&body, sizeof(refusal));
		cfs_buf_adds(&body, refusal);
		return cfs_reply_text(x, 403, "application/xml; charset=utf-8",
				      &body);
	}
	rc = cfs_dav_wanted_read(&wanted, x->body, ctx.err);
	if (rc == CFS_OK)
		rc = cfs_dav_list(x, p, &wanted, (unsigned)depth, ctx);
	cfs_dav_wanted_release(&wanted);
	return rc;
}

int cfs_answer_dav(struct cfs_exchange *x, struct cfs_ctx ctx)
{
	struct cfs_site_place p;
	int rc = cfs_site_walk(x->site, x->rest, &p, ctx);

	if (rc != CFS_OK)
		return rc;
	if (x->method == CFS_METHOD_PROPFIND)
		return propfind(x, &p, ctx);
	if (!p.is_top && p.node.type == CFS_NODE_FILE)
		return cfs_file_answer(x, &p, ctx);
	if (!p.has_slash || x->path.p[x->path.n - 1] != '/')
		return add_slash(x);
	return cfs_dav_links(x, &p, ctx);
}
