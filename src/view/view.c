/* view.c - the rows of the table of views, and the .headers view.
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

_Static_assert(CFS_VIEW_COUNT <= 32, "sets of views are bits of an unsigned");

static int put_headers(const struct cfs_view_input *in,
		       const struct cfs_view_opts *opts, struct cfs_buf *out,
		       struct cfs_ctx ctx)
{
	const struct cfs_record *r = in->record;

	(void)opts, (void)ctx.cancel, (void)ctx;
	if (!r->has_http)
		r = cfs_view_body_of(in);
	if (r->has_http)
		cfs_buf_add(out, r->http_head);
	return CFS_OK;
}

/* A related record that has one form, with its type. */
#define RELATED(kind, word, media) \
	.name = word, .forms = { { "." word, media } }, \
	.kept = CFS_VIEW_KEPT_IN_CACHE, .is_related = true, .related = kind
/* One that is a picture. */
#define PICTURE(kind, word) \
	.name = word, .forms = { \
		[CFS_RELATED_OTHER] = { "." word ".bin", \
					"application/octet-stream" }, \
		[CFS_RELATED_PNG] = { "." word ".png", "image/png" }, \
		[CFS_RELATED_JPEG] = { "." word ".jpg", "image/jpeg" }, \
		[CFS_RELATED_WEBP] = { "." word ".webp", "image/webp" }, \
		[CFS_RELATED_GIF] = { "." word ".gif", "image/gif" }, \
		[CFS_RELATED_PDF] = { "." word ".pdf", "application/pdf" } }, \
	.kept = CFS_VIEW_KEPT_IN_CACHE, .is_related = true, .related = kind

const struct cfs_view_row cfs_view_table[CFS_VIEW_COUNT] = {
	[CFS_VIEW_NONE] = { .name = NULL },
	[CFS_VIEW_RAW] = {
		.name = "raw", .about = "the body", .forms = { { "", NULL } },
		.guess = 4, .kept = CFS_VIEW_KEPT_IN_CACHE,
		.is_of_body = true },
	[CFS_VIEW_META] = {
		.name = "meta", .about = "JSON",
		.forms = { { ".meta", "application/json" } },
		.charset = "utf-8", .render = cfs_view_meta,
		.kept = CFS_VIEW_KEPT_IN_INDEX, .slot = CFS_SLOT_META,
		.may_be_companion = true, .depends_on_opts = true,
		.tells_no_record = true },
	[CFS_VIEW_TEXT] = {
		.name = "txt", .about = "text in UTF-8",
		.forms = { { ".txt", "text/plain" } },
		.charset = "utf-8", .render = cfs_view_text, .guess = 1,
		.kept = CFS_VIEW_KEPT_IN_INDEX, .slot = CFS_SLOT_TEXT,
		.may_be_companion = true, .is_of_body = true },
	[CFS_VIEW_HEADERS] = {
		.name = "headers", .about = "as the server sent them",
		.forms = { { ".headers", "message/http" } },
		.render = put_headers, .kept = CFS_VIEW_KEPT_IN_CACHE },
	[CFS_VIEW_RECORD] = {
		.name = "record", .about = "the archive's own gzip member",
		.forms = {
			[CFS_FORM_WARC_GZ] = { ".warc.gz", "application/gzip" },
			[CFS_FORM_ARC_GZ] = { ".arc.gz", "application/gzip" },
			[CFS_FORM_WARC_ZST] = { ".warc.zst",
						"application/zstd" } },
		.guess = 1 },
	[CFS_VIEW_URL] = { .guess = 1 },
	[CFS_VIEW_REQUEST] = {
		RELATED(CFS_RELATED_REQUEST, "request", "message/http"),
		.about = "as the crawler sent it" },
	[CFS_VIEW_METADATA] = {
		RELATED(CFS_RELATED_METADATA, "metadata",
			"application/warc-fields"),
		.about = "what the crawler noted" },
	[CFS_VIEW_PAGEINFO] = {
		RELATED(CFS_RELATED_PAGEINFO, "pageinfo", "application/json"),
		.about = "what the browser loaded",
		.charset = "utf-8" },
	[CFS_VIEW_VIEW] = { PICTURE(CFS_RELATED_VIEW, "view") },
	[CFS_VIEW_THUMBNAIL] = { PICTURE(CFS_RELATED_THUMBNAIL, "thumbnail") },
	[CFS_VIEW_FULLPAGE] = { PICTURE(CFS_RELATED_FULLPAGE, "fullpage") },
	[CFS_VIEW_MARKDOWN] = {
		.name = "md", .about = "main content in Markdown",
		.forms = { { ".md", "text/markdown" } },
		.charset = "utf-8", .render = cfs_view_markdown, .guess = 1,
		.kept = CFS_VIEW_KEPT_IN_INDEX, .slot = CFS_SLOT_MARKDOWN,
		.is_of_body = true },
	[CFS_VIEW_MAIN] = {
		.name = "main", .about = "main content as plain text",
		.forms = { { ".main.txt", "text/plain" } },
		.charset = "utf-8", .render = cfs_view_main, .guess = 1,
		.kept = CFS_VIEW_KEPT_IN_INDEX, .slot = CFS_SLOT_MAIN,
		.is_of_body = true },
};

const char *cfs_view_name(enum cfs_view v)
{
	const char *name = cfs_view_row(v)->name;

	return name != NULL ? name : "none";
}

enum cfs_view cfs_view_by_name(struct cfs_slice name)
{
	for (unsigned v = CFS_VIEW_RAW; v < CFS_VIEW_COUNT; v++)
		if (cfs_view_table[v].name != NULL &&
		    cfs_slice_eq(name, cfs_slice_str(cfs_view_table[v].name)))
			return (enum cfs_view)v;
	return CFS_VIEW_NONE;
}

const char *cfs_view_suffix(enum cfs_view v, unsigned form)
{
	return form < CFS_VIEW_FORMS_MAX ? cfs_view_row(v)->forms[form].suffix :
					   NULL;
}

enum cfs_view cfs_view_of_slot(enum cfs_view_slot slot)
{
	unsigned v = CFS_VIEW_RAW;

	if (slot == CFS_SLOT_SIMHASH)	/* is made of that */
		slot = CFS_SLOT_MAIN;
	while (v < CFS_VIEW_COUNT &&
	       (cfs_view_table[v].kept != CFS_VIEW_KEPT_IN_INDEX ||
		cfs_view_table[v].slot != slot))
		v++;
	return v < CFS_VIEW_COUNT ? (enum cfs_view)v : CFS_VIEW_NONE;
}

int cfs_view_made_in(const struct cfs_buf *out, struct cfs_error *err)
{
	if (out->failed == CFS_OK)
		return CFS_OK;
	return out->failed == CFS_ELIMIT ?
	       cfs_error_set(err, CFS_ELIMIT, "view is longer than %zu bytes",
			     out->max) :
	       cfs_error_nomem(err);
}

int cfs_view_render(enum cfs_view view, const struct cfs_view_input *in,
		    const struct cfs_view_opts *opts, struct cfs_buf *out,
		    struct cfs_ctx ctx)
{
	cfs_view_render_fn *render = cfs_view_row(view)->render;
	int rc;

	if (cfs_cancelled(ctx.cancel))
		return cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
	if (render == NULL)
		return cfs_error_set(ctx.err, CFS_EUNSUPPORTED,
				     "view '%s' is not rendered here",
				     cfs_view_name(view));
	rc = render(in, opts, out, ctx);
	return rc == CFS_OK ? cfs_view_made_in(out, ctx.err) : rc;
}
