/* companions.c - serves the crawl's own text and metadata byte for byte, as
 * they are in textData and metadata files (the value of a pair) and in WET and
 * WAT files (the block of a record); and related records likewise.  A text of
 * which its record says that it is in another charset becomes UTF-8.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "companions.h"

#include <inttypes.h>

#include "codec/json.h"
#include "join/related_record.h"
#include "record/archives.h"
#include "view/charset.h"

bool cfs_companion_of(const struct cfs_capture *cap, enum cfs_view view,
		      struct cfs_companion *out)
{
	const struct cfs_view_row *row = cfs_view_row(view);
	const struct cfs_companion *own = NULL;

	if (row->is_related)
		return cfs_related_find(cap, row->related, out);
	*out = (struct cfs_companion){ .kind = CFS_COMPANION_NONE };
	if (row->may_be_companion)
		own = cfs_capture_companion(cap, row->slot);
	if (own != NULL)
		*out = *own;
	else if (view == CFS_VIEW_RAW && cap->kind == CFS_KIND_ANNEX)
		*out = cap->text;
	return out->kind != CFS_COMPANION_NONE;
}

bool cfs_companion_of_page_record(const struct cfs_capture *cap,
				  enum cfs_view *view,
				  struct cfs_companion *out)
{
	if (cap->kind != CFS_KIND_ANNEX)
		return false;
	for (*view = CFS_VIEW_RAW; *view < CFS_VIEW_COUNT; ++*view)
		if (*view != CFS_VIEW_RECORD &&
		    cfs_companion_of(cap, *view, out) &&
		    out->kind == CFS_COMPANION_WARC)
			return true;
	return false;
}

bool cfs_companion_is_body(const struct cfs_capture *cap, enum cfs_view view)
{
	return view == CFS_VIEW_TEXT && cap->kind == CFS_KIND_CONVERSION &&
	       cfs_slice_eq_nocase(cap->mime, CFS_SLICE_LIT("text/plain"));
}

/* True if that record is what the view stands for.  *url: its page's URL, which
 * may be in scratch. */
static bool companions_is_of_view(const struct cfs_record *r,
				  enum cfs_view view, struct cfs_slice *url,
				  struct cfs_buf *scratch)
{
	struct cfs_related_record found;
	const struct cfs_view_row *row = cfs_view_row(view);
	unsigned what = row->is_related ? row->related : CFS_RELATED_TEXT;

	if (cfs_related_record(r, &found) && found.what == what) {
		*url = found.url;
		return true;
	}
	*url = cfs_wat_url(r, scratch);
	return what == CFS_RELATED_TEXT &&
	       (r->type == CFS_RECORD_CONVERSION ||
		r->type == CFS_RECORD_METADATA);
}

/* Sets the bytes to a text in UTF-8.  Its size is not in the index; one that is
 * is that of an older index, which has promised the block as it is. */
static int load_text(const struct cfs_record *r, struct cfs_file_bytes *out,
		     struct cfs_error *err)
{
	struct cfs_slice type = cfs_record_warc_field(r, "Content-Type");
	struct cfs_charset cs = { .no_memory = false };
	int rc;

	if (!cfs_charset_by_label(cfs_charset_param(type), &cs))
		return CFS_OK;
	rc = cfs_charset_to_utf8(&cs, r->block, CFS_PAGES_STAY, &out->own, err);
	out->bytes = cfs_buf_slice(&out->own);
	return rc;
}

static int load_block(struct cfs_crawl *c, const struct cfs_companion *comp,
		      enum cfs_view view, struct cfs_buf *file,
		      struct cfs_slice *url, struct cfs_buf *scratch,
		      struct cfs_file_bytes *out, struct cfs_ctx ctx)
{
	const struct cfs_record *r;
	int rc = cfs_store_get(c->store, cfs_buf_slice(file), &comp->loc,
			       &out->record, ctx);

	if (rc != CFS_OK)
		return rc;
	r = cfs_stored_record(out->record);
	if (!companions_is_of_view(r, view, url, scratch))
		return cfs_error_at(ctx.err, CFS_EFORMAT,
				    cfs_archive_plain_name(cfs_buf_str(file)),
				    comp->loc.offset,
				    "holds no '%s' of a page there",
				    cfs_view_name(view));
	out->bytes = r->block;
	out->is_cut_off = r->is_cut_off;
	return view == CFS_VIEW_TEXT && cfs_record_states_charset(r) &&
	       comp->bytes == CFS_COMPANION_BYTES_UNKNOWN ?
	       load_text(r, out, ctx.err) : CFS_OK;
}

static int companions_load(struct cfs_crawl *c,
			   const struct cfs_companion *comp, enum cfs_view view,
			   struct cfs_slice key, struct cfs_file_bytes *out,
			   struct cfs_ctx ctx)
{
	struct cfs_slice url = CFS_SLICE_EMPTY;
	const char *name;
	CFS_BUF(scratch, CFS_URL_MAX);
	CFS_BUF(file, CFS_URL_MAX);
	int rc = cfs_index_archive_name(c->index, &comp->loc, &file, ctx.err);

	name = cfs_archive_plain_name(cfs_buf_str(&file));
	if (rc == CFS_OK && comp->kind == CFS_COMPANION_SEQFILE)
		rc = cfs_seqstore_get(c->pairs, cfs_buf_slice(&file),
				      &comp->loc, &out->unit, &url, &out->bytes,
				      ctx);
	else if (rc == CFS_OK)
		rc = load_block(c, comp, view, &file, &url, &scratch, out, ctx);
	if (rc == CFS_OK)
		rc = cfs_entry_check_url(c, url, key, CFS_SLICE_EMPTY, name,
					 comp->loc.offset, ctx.err);
	if (rc == CFS_OK && comp->bytes != CFS_COMPANION_BYTES_UNKNOWN &&
	    out->bytes.n != comp->bytes)
		rc = cfs_error_at(ctx.err, CFS_EFORMAT, name,
				  comp->loc.offset, "view '%s' has %zu "
				  "bytes, the index says %" PRIu64
				  ": was the file changed?",
				  cfs_view_name(view), out->bytes.n,
				  comp->bytes);
	if (rc != CFS_OK && rc != CFS_EINTR)
		cfs_error_where(ctx.err, name, comp->loc.offset);
	return rc;
}

/* Writes the metadata of a page that has only the crawl's text. */
static int add_no_record(struct cfs_crawl *c, const struct cfs_entry *e,
			 bool compact, struct cfs_buf *out)
{
	struct cfs_json j = { .out = out, .compact = compact, .first = true };
	CFS_BUF(url, CFS_URL_MAX);
	int rc = cfs_index_key_url(c->index, e->it.key, &e->cap, &url);

	cfs_json_open(&j, '{');
	cfs_json_put_str(&j, "url", cfs_buf_slice(&url));
	cfs_json_put_str(&j, "no_record", cfs_slice_str(
		e->cap.text.kind != CFS_COMPANION_NONE ?
		"only the crawl's own text of this page is in this source" :
		"only records about this page are in this source"));
	cfs_json_close(&j, '}');
	cfs_buf_addc(out, '\n');
	return rc == CFS_OK ? out->failed : rc;
}

int cfs_companion_load(struct cfs_crawl *c, const struct cfs_entry *e,
		       enum cfs_view view, const struct cfs_view_opts *opts,
		       struct cfs_file_bytes *out, struct cfs_ctx ctx)
{
	struct cfs_companion comp;
	int rc = CFS_OK;

	if (cfs_companion_of(&e->cap, view, &comp))
		return companions_load(c, &comp, view, e->it.key, out, ctx);
	if (cfs_view_is_related(view))
		return cfs_error_set(ctx.err, CFS_ENOTFOUND,
				     "the page has no such record");
	if (cfs_view_row(view)->tells_no_record) {
		rc = add_no_record(c, e, opts->meta_compact, &out->own);
	} else if (view == CFS_VIEW_URL) {
		rc = cfs_index_key_url(c->index, e->it.key, &e->cap, &out->own);
		cfs_buf_addc(&out->own, '\n');
	}
	out->bytes = cfs_buf_slice(&out->own);
	return rc == CFS_ENOMEM ? cfs_error_nomem(ctx.err) : rc;
}

int cfs_companion_record(struct cfs_crawl *c, const struct cfs_entry *e,
			 enum cfs_view view, struct cfs_stored **out,
			 struct cfs_ctx ctx)
{
	const struct cfs_view_opts opts = { .meta_compact = false };
	struct cfs_file_bytes bytes = { .bytes = CFS_SLICE_EMPTY };
	int rc;

	cfs_buf_init(&bytes.own, CFS_VIEW_MAX_BYTES);
	rc = cfs_companion_load(c, e, view, &opts, &bytes, ctx);
	if (rc == CFS_OK) {
		*out = bytes.record;
		bytes.record = NULL;
	}
	cfs_file_bytes_release(&bytes);
	return rc;
}
