/* view.c - the names of views, the choice of code for each, and the .headers
 * view.
 *
 * .headers has the unchanged bytes from the status line up to and including the
 * empty line that ends the head: order, case, repeats, folding, line ends and
 * the crawler's own x-commoncrawl-* lines are kept, and so are
 * Content-Encoding, Transfer-Encoding and Content-Length even if they no longer
 * apply to the archived body (doc/formats.md, "HTTP bodies").
 *
 * A record without an HTTP message (a WARC resource or conversion record, ftp,
 * a broken response) has an empty .headers; its WARC header is in .meta.  A
 * revisit shows its own head; one that was stored without a head shows that of
 * the capture whose body it serves.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "view.h"

#include "index/related.h"

#define FORMS_MAX 7u

struct view_row {
	const char *name;	/* in -o views=, --view */
	const char *suffixes[FORMS_MAX];	/* in the tree, by form */
};

#define PICTURE(s) { \
	[CFS_RELATED_OTHER] = s ".bin", [CFS_RELATED_PNG] = s ".png", \
	[CFS_RELATED_JPEG] = s ".jpg", [CFS_RELATED_WEBP] = s ".webp", \
	[CFS_RELATED_GIF] = s ".gif", [CFS_RELATED_PDF] = s ".pdf" }

static const struct view_row views[CFS_VIEW_COUNT] = {
	[CFS_VIEW_NONE] = { "none", { "" } },
	[CFS_VIEW_RAW] = { "raw", { "" } },
	[CFS_VIEW_META] = { "meta", { ".meta" } },
	[CFS_VIEW_TEXT] = { "txt", { ".txt" } },
	[CFS_VIEW_HEADERS] = { "headers", { ".headers" } },
	[CFS_VIEW_RECORD] = { "record", {
		[CFS_FORM_WARC_GZ] = ".warc.gz",
		[CFS_FORM_ARC_GZ] = ".arc.gz",
		[CFS_FORM_WARC_ZST] = ".warc.zst" } },
	[CFS_VIEW_URL] = { NULL, { NULL } },
	[CFS_VIEW_REQUEST] = { "request", { ".request" } },
	[CFS_VIEW_METADATA] = { "metadata", { ".metadata" } },
	[CFS_VIEW_PAGEINFO] = { "pageinfo", { ".pageinfo" } },
	[CFS_VIEW_VIEW] = { "view", PICTURE(".view") },
	[CFS_VIEW_THUMBNAIL] = { "thumbnail", PICTURE(".thumbnail") },
	[CFS_VIEW_FULLPAGE] = { "fullpage", PICTURE(".fullpage") },
};

static bool is_view(enum cfs_view v)
{
	return v > CFS_VIEW_NONE && v < CFS_VIEW_COUNT &&
	       views[v].name != NULL;
}

const char *cfs_view_name(enum cfs_view v)
{
	return views[is_view(v) ? v : CFS_VIEW_NONE].name;
}

enum cfs_view cfs_view_by_name(struct cfs_slice name)
{
	for (int v = CFS_VIEW_NONE + 1; v < CFS_VIEW_COUNT; v++)
		if (is_view((enum cfs_view)v) &&
		    cfs_slice_eq(name, cfs_slice_str(views[v].name)))
			return (enum cfs_view)v;
	return CFS_VIEW_NONE;
}

const char *cfs_view_suffix(enum cfs_view v, unsigned form)
{
	return form < FORMS_MAX && v < CFS_VIEW_COUNT ?
	       views[v].suffixes[form] : NULL;
}

static void put_headers(const struct cfs_view_input *in, struct cfs_buf *out)
{
	const struct cfs_record *r = in->record;

	if (!r->has_http)
		r = cfs_view_body_of(in);
	if (r->has_http)
		cfs_buf_add(out, r->http_head);
}

int cfs_view_render(enum cfs_view view, const struct cfs_view_input *in,
		    const struct cfs_view_opts *opts, struct cfs_buf *out,
		    struct cfs_ctx ctx)
{
	int rc = CFS_OK;

	if (cfs_cancelled(ctx.cancel))
		return cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
	switch (view) {
	case CFS_VIEW_HEADERS:
		put_headers(in, out);
		break;
	case CFS_VIEW_TEXT:
		rc = cfs_view_text(in, out, ctx);
		break;
	case CFS_VIEW_META:
		rc = cfs_view_meta(in, opts->meta_compact, out, ctx);
		break;
	default:
		return cfs_error_set(ctx.err, CFS_EUNSUPPORTED,
				     "view '%s' is not rendered here",
				     cfs_view_name(view));
	}
	if (rc != CFS_OK || out->failed == CFS_OK)
		return rc;
	return out->failed == CFS_ELIMIT ?
	       cfs_error_set(ctx.err, CFS_ELIMIT, "view is longer than %zu bytes",
			     out->max) :
	       cfs_error_nomem(ctx.err);
}
