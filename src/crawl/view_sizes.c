/* view_sizes.c - measures the views of a page while it is indexed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "auto_index.h"

#include "content.h"
#include "net/location.h"
#include "revisit.h"

static int view_sizes_measure(const struct cfs_scan_item *item,
			      const char *archive, struct cfs_view_bytes *out,
			      struct cfs_ctx ctx)
{
	struct cfs_view_input in = {
		.record = item->record, .url = item->record->url,
		.loc = item->span,
	};
	struct cfs_buf name;
	int rc;

	cfs_buf_init(&name, CFS_URL_MAX + 4);
	cfs_location_show(&name, cfs_slice_str(archive));
	in.archive_name = cfs_buf_slice(&name);
	rc = cfs_view_measure(&in, out, ctx);
	cfs_buf_release(&name);
	return rc;
}

/* ---- revisits, measured as a mount would serve them ---- */

static int open_sizer(void **sizer, struct cfs_index **ix,
		      struct cfs_source *src, const char *base,
		      struct cfs_error *err)
{
	const struct cfs_crawl_opts opts = { .data = base, .no_cache = true };
	struct cfs_bases b = { .n = 0 };
	struct cfs_crawl *c;
	int rc = cfs_crawl_new(&c, src->name, &opts, err);

	*sizer = NULL;
	if (rc != CFS_OK) {
		cfs_source_close(src);
		return rc;
	}
	cfs_bases_add(&b, base, "");
	rc = cfs_crawl_open_index(c, src, CFS_INDEX_CFX, &b, err);
	c->opts = NULL;			/* it is not used after opening */
	c->finds_sizes = true;
	*sizer = c;
	*ix = c->index;
	return rc;
}

/* True for a revisit without a body here that a mount may find in another
 * source. */
static bool may_be_elsewhere(const struct cfs_file_bytes *b)
{
	const struct cfs_record *r = b->record == NULL ? NULL :
				     cfs_stored_record(b->record);

	return r != NULL && r->type == CFS_RECORD_REVISIT && b->body == NULL &&
	       cfs_fields_get(&r->warc, CFS_REVISIT_CONTAINER, NULL).n > 0;
}

/* Finds the size of one view of the page at pos. */
static int view_sizes_find_size(struct cfs_crawl *c, cfs_pos pos,
				enum cfs_view view, uint64_t *out,
				struct cfs_ctx ctx)
{
	struct cfs_node n = { .type = CFS_NODE_FILE, .pos = pos, .view = view };
	struct cfs_file_bytes content;
	int rc = cfs_content_load(c, &n, &c->view, &content, ctx);

	if (rc != CFS_OK)
		return rc;
	if (may_be_elsewhere(&content))
		rc = CFS_ENOTFOUND;
	else if (content.is_cut_off)
		rc = cfs_error_set(ctx.err, CFS_EFORMAT, CFS_CUT_OFF_TEXT);
	*out = content.bytes.n;
	cfs_file_bytes_release(&content);
	return rc;
}

static int find_sizes(void *sizer, cfs_pos pos, struct cfs_builder_sizes *out,
		      struct cfs_ctx ctx)
{
	int rc = view_sizes_find_size(sizer, pos, CFS_VIEW_RAW, &out->body,
				      ctx);

	out->views.known = 0;
	for (unsigned slot = 0; slot < CFS_VIEW_SLOTS && rc == CFS_OK; slot++) {
		uint64_t bytes;

		rc = view_sizes_find_size(sizer, pos, cfs_view_of_slot(slot),
					  &bytes, ctx);
		if (rc == CFS_OK)
			cfs_view_bytes_set(&out->views, slot, bytes);
	}
	return rc;
}

static void close_sizer(void *sizer)
{
	cfs_crawl_close(sizer);
}

void cfs_view_sizes_ask(struct cfs_indexer_opts *opts)
{
	static const struct cfs_builder_sizer revisits = {
		open_sizer, find_sizes, close_sizer };

	opts->view_bytes = view_sizes_measure;
	opts->view_version = cfs_view_version();
	opts->revisits = &revisits;
}
