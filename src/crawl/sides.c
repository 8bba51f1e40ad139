/* sides.c - the crawl's own text and metadata (see sides.h).
 *
 * They are served as they are in textData and metadata files (the value of a
 * pair) and in WET and WAT files (the block of a record), byte for byte.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sides.h"

#include <inttypes.h>

#include "codec/json.h"

const struct cfs_side *cfs_side_of(const struct cfs_capture *cap,
				   enum cfs_view view)
{
	const struct cfs_side *s = NULL;

	if (view == CFS_VIEW_TEXT ||
	    (view == CFS_VIEW_RAW && cap->kind == CFS_KIND_SIDE))
		s = &cap->text;
	else if (view == CFS_VIEW_META)
		s = &cap->meta;
	return s != NULL && s->kind != CFS_SIDE_NONE ? s : NULL;
}

static int check(struct cfs_crawl *c, const struct cfs_side *side,
		 const char *file, struct cfs_slice url, struct cfs_slice key,
		 struct cfs_slice bytes, struct cfs_error *err)
{
	struct cfs_buf has;
	bool same;

	cfs_buf_init(&has, CFS_KEY_MAX);
	same = cfs_index_url_key(c->index, url, &has) == CFS_OK &&
	       cfs_slice_eq(cfs_buf_slice(&has), key);
	cfs_buf_release(&has);
	if (!same)
		return cfs_error_at(err, CFS_EFORMAT, file, side->loc.offset,
			"holds '%.*s' there, not the page the index says",
			(int)(url.n > 120 ? 120 : url.n), (const char *)url.p);
	if (bytes.n != side->bytes)
		return cfs_error_at(err, CFS_EFORMAT, file, side->loc.offset,
			"text or metadata has %zu bytes, the index says %" PRIu64
			": was the file changed?", bytes.n, side->bytes);
	return CFS_OK;
}

static int load_pair(struct cfs_crawl *c, const struct cfs_side *side,
		     struct cfs_buf *file, struct cfs_slice key,
		     struct cfs_content *out, const struct cfs_cancel *cancel,
		     struct cfs_error *err)
{
	struct cfs_slice url;
	int rc = cfs_seqstore_get(c->pairs, cfs_buf_slice(file), &side->loc,
				  &out->unit, &url, &out->bytes, cancel, err);

	return rc == CFS_OK ? check(c, side, cfs_buf_str(file), url, key,
				    out->bytes, err) : rc;
}

static int load_block(struct cfs_crawl *c, const struct cfs_side *side,
		      struct cfs_buf *file, struct cfs_slice key,
		      struct cfs_content *out, const struct cfs_cancel *cancel,
		      struct cfs_error *err)
{
	const struct cfs_record *r;
	int rc = cfs_store_get(c->store, cfs_buf_slice(file), &side->loc,
			       &out->record, cancel, err);

	if (rc != CFS_OK)
		return rc;
	r = cfs_stored_record(out->record);
	if (r->type != CFS_RECORD_CONVERSION && r->type != CFS_RECORD_METADATA)
		return cfs_error_at(err, CFS_EFORMAT, cfs_buf_str(file),
				    side->loc.offset,
				    "holds neither text nor metadata there");
	out->bytes = r->block;
	return check(c, side, cfs_buf_str(file), r->url, key, r->block, err);
}

int cfs_side_load(struct cfs_crawl *c, const struct cfs_side *side,
		  struct cfs_slice key, struct cfs_content *out,
		  const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct cfs_buf file;
	int rc;

	cfs_buf_init(&file, CFS_URL_MAX);
	rc = cfs_index_archive_name(c->index, &side->loc, &file, err);
	if (rc == CFS_OK)
		rc = side->kind == CFS_SIDE_SEQFILE ?
		     load_pair(c, side, &file, key, out, cancel, err) :
		     load_block(c, side, &file, key, out, cancel, err);
	if (rc != CFS_OK && rc != CFS_EINTR)
		cfs_error_where(err, cfs_buf_str(&file), side->loc.offset);
	cfs_buf_release(&file);
	return rc;
}

int cfs_side_no_record(struct cfs_slice url, bool compact, struct cfs_buf *out)
{
	struct cfs_json j = { .out = out, .compact = compact, .first = true };

	cfs_json_open(&j, '{');
	cfs_json_put_str(&j, "url", url);
	cfs_json_put_str(&j, "no_record", CFS_SLICE_LIT(
		"only the crawl's own text of this page is in this source"));
	cfs_json_close(&j, '}');
	cfs_buf_addc(out, '\n');
	return out->failed;
}
