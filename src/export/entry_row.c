/* entry_row.c - makes a row of what an index says, of a record, and of the
 * crawl's own texts and metadata, which replace those that are computed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "entry_row.h"
#include "row_internal.h"

#include "codec/json.h"
#include "crawl/companions.h"
#include "crawl/revisit.h"
#include "crawl/tree.h"
#include "html/outline.h"
#include "record/digest.h"
#include "view/view.h"

/* Memory that the values made of a body take, as a multiple of it, up to
 * CFS_HTML_BYTES_MAX: a copy in UTF-8 and the text. */
#define VALUES_RATIO 3u

static bool wants(const struct cfs_export_row *r, cfs_export_set set,
		  enum cfs_export_field f)
{
	return (set & ~r->has & CFS_EXPORT_BIT(f)) != 0;
}

/* Sets the value that was appended to the buffer of a field. */
static int take_made(struct cfs_export_row *r, enum cfs_export_field f,
		     struct cfs_error *err)
{
	if (r->made[f].failed != CFS_OK)
		return cfs_error_set(err, r->made[f].failed, "%s: too long",
				     cfs_export_fields[f].name);
	if (r->made[f].n > 0)
		cfs_export_row_set(r, f, cfs_buf_slice(&r->made[f]));
	return CFS_OK;
}

/* ---- what the index says ------------------------------------------------- */

static int fill_path(struct cfs_export_row *r, struct cfs_crawl *c,
		     const struct cfs_entry *e, struct cfs_ctx ctx)
{
	const struct cfs_node node = { .type = CFS_NODE_FILE, .pos = e->it.pos,
				       .view = CFS_VIEW_RAW };
	int rc = cfs_tree_path(c, &node, &r->made[CFS_EXPORT_PATH], ctx);

	if (rc == CFS_ENOTFOUND) {	/* it has no place in the tree */
		cfs_error_clear(ctx.err);
		return CFS_OK;
	}
	return rc == CFS_OK ? take_made(r, CFS_EXPORT_PATH, ctx.err) : rc;
}

/* The type of record that an entry of that kind has; UNKNOWN: it has none. */
static enum cfs_record_type type_of(enum cfs_kind kind)
{
	switch (kind) {
	case CFS_KIND_ARC: return CFS_RECORD_ARC;
	case CFS_KIND_RESPONSE: return CFS_RECORD_RESPONSE;
	case CFS_KIND_RESOURCE: return CFS_RECORD_RESOURCE;
	case CFS_KIND_REVISIT: return CFS_RECORD_REVISIT;
	case CFS_KIND_CONVERSION: return CFS_RECORD_CONVERSION;
	case CFS_KIND_ANNEX: break;
	}
	return CFS_RECORD_UNKNOWN;
}

/* Fills the fields that a record would say more reliably. */
static int fill_from_index(struct cfs_export_row *r, cfs_export_set set,
			   struct cfs_crawl *c, const struct cfs_entry *e,
			   struct cfs_error *err)
{
	const struct cfs_capture *cap = &e->cap;
	struct cfs_buf *url = &r->made[CFS_EXPORT_URL];
	enum cfs_record_type type = type_of(cap->kind);
	int rc = CFS_OK;

	if ((set & ~r->has & CFS_EXPORT_OF_URL) != 0 && url->n == 0) {
		rc = cfs_index_key_url(c->index, e->it.key, cap, url);
		if (rc != CFS_OK)
			return cfs_error_set(err, rc, "its URL is not known");
	}
	cfs_export_row_place(r, set & ~r->has, cfs_buf_slice(url),
			     cfs_slice_str(e->archive_text), cap->loc.offset,
			     cap->loc.length);
	if (wants(r, set, CFS_EXPORT_TIMESTAMP) && cap->time != 0) {
		cfs_time_format_iso(cap->time, r->time);
		cfs_export_row_set(r, CFS_EXPORT_TIMESTAMP,
				   cfs_slice_str(r->time));
	}
	if (wants(r, set, CFS_EXPORT_STATUS) && cap->status > 0)
		cfs_export_row_set_number(r, CFS_EXPORT_STATUS, cap->status);
	if (wants(r, set, CFS_EXPORT_MIME) && cap->mime.n > 0)
		cfs_export_row_set(r, CFS_EXPORT_MIME, cap->mime);
	if (wants(r, set, CFS_EXPORT_RECORD_TYPE) && type != CFS_RECORD_UNKNOWN)
		cfs_export_row_set(r, CFS_EXPORT_RECORD_TYPE,
				   cfs_slice_str(cfs_record_type_name(type)));
	return CFS_OK;
}

/* Fills the hash of the main content, if the index has that of this version,
 * and the cluster. */
static void fill_simhash(struct cfs_export_row *r, cfs_export_set set,
			 const struct cfs_crawl *c, const struct cfs_entry *e)
{
	uint64_t hash;

	if ((set & CFS_EXPORT_BIT(CFS_EXPORT_SIMHASH)) != 0 &&
	    c->index->view_version == cfs_view_version() &&
	    cfs_view_bytes_simhash(&e->cap.views, &hash))
		cfs_export_row_set_number(r, CFS_EXPORT_SIMHASH, hash);
	if ((set & CFS_EXPORT_BIT(CFS_EXPORT_CLUSTER)) != 0 &&
	    cfs_cluster_of(c, &e->cap, &hash))
		cfs_export_row_set_number(r, CFS_EXPORT_CLUSTER, hash);
}

static int fill_selection(struct cfs_export_row *r, struct cfs_crawl *c,
			  const struct cfs_entry *e, struct cfs_ctx ctx)
{
	struct cfs_buf notes, *out = &r->made[CFS_EXPORT_SELECTION];
	int rc;

	cfs_buf_init(&notes, CFS_NOTES_MAX);
	rc = cfs_index_notes(c->index, &e->cap, &notes, ctx);
	if (rc == CFS_OK)
		cfs_row_json_besides(out, cfs_json_member_of(
				     cfs_buf_slice(&notes), "selection"));
	cfs_buf_release(&notes);
	return rc == CFS_OK ? take_made(r, CFS_EXPORT_SELECTION, ctx.err) : rc;
}

/* Fills what the index knows as well as the record does. */
static int fill_first(struct cfs_export_row *r, cfs_export_set set,
		      struct cfs_crawl *c, const struct cfs_entry *e,
		      struct cfs_ctx ctx)
{
	int rc = CFS_OK;

	if ((set & CFS_EXPORT_BIT(CFS_EXPORT_DIGEST)) &&
	    e->cap.digest.n > 0) {
		cfs_digest_add(&r->made[CFS_EXPORT_DIGEST], e->cap.digest);
		cfs_export_row_set(r, CFS_EXPORT_DIGEST,
				   cfs_buf_slice(&r->made[CFS_EXPORT_DIGEST]));
	}
	if (set & (CFS_EXPORT_BIT(CFS_EXPORT_LANGUAGES) |
		   CFS_EXPORT_BIT(CFS_EXPORT_LANGUAGE_SCORE))) {
		cfs_languages_take(&r->languages, e->cap.languages);
		if (r->languages.text[0] != '\0' &&
		    (set & CFS_EXPORT_BIT(CFS_EXPORT_LANGUAGES)) != 0)
			cfs_export_row_set(r, CFS_EXPORT_LANGUAGES,
					   cfs_languages_list(&r->languages));
	}
	fill_simhash(r, set, c, e);
	if (set & CFS_EXPORT_BIT(CFS_EXPORT_PATH))
		rc = fill_path(r, c, e, ctx);
	if (rc == CFS_OK && (set & CFS_EXPORT_BIT(CFS_EXPORT_SELECTION)))
		rc = fill_selection(r, c, e, ctx);
	return rc;
}

/* ---- what the crawl has besides ------------------------------------------ */

/* Loads a view that the crawl has itself.  *has false: it has none. */
static int load_own(struct cfs_crawl *c, const struct cfs_entry *e,
		    enum cfs_view view, struct cfs_file_bytes *out, bool *has,
		    struct cfs_ctx ctx)
{
	static const struct cfs_view_opts compact = { .meta_compact = true };
	struct cfs_companion own;
	int rc;

	*has = cfs_companion_of(&e->cap, view, &own) ||
	       (e->cap.kind == CFS_KIND_ANNEX && !cfs_view_is_related(view));
	if (!*has)
		return CFS_OK;
	cfs_buf_init(&out->own, CFS_VIEW_MAX_BYTES);
	rc = cfs_companion_load(c, e, view, &compact, out, ctx);
	*has = rc == CFS_OK;
	return rc;
}

/* Sets the value.  Metadata are written once more, on one line: the crawl's own
 * may hold anything. */
static int set_own(struct cfs_export_row *r, enum cfs_export_field f,
		   struct cfs_slice bytes, struct cfs_error *err)
{
	struct cfs_json j = { .out = &r->made[f], .compact = true };

	if (f != CFS_EXPORT_META) {
		cfs_export_row_set(r, f, bytes);
		return CFS_OK;
	}
	cfs_json_skip_blanks(&bytes);
	if (!cfs_json_copy(&j, &bytes))
		return cfs_error_set(err, CFS_EFORMAT,
				     "the crawl's metadata are no JSON");
	return take_made(r, f, err);
}

/* Fills text, metadata and request, where the crawl has them itself. */
static int fill_own(struct cfs_export_row *r, cfs_export_set set,
		    struct cfs_crawl *c, const struct cfs_entry *e,
		    struct cfs_entry_row *held, struct cfs_ctx ctx)
{
	const struct {
		enum cfs_export_field field;
		enum cfs_view view;
		struct cfs_file_bytes *bytes;
	} own[] = {
		{ CFS_EXPORT_TEXT, CFS_VIEW_TEXT, &held->text },
		{ CFS_EXPORT_META, CFS_VIEW_META, &held->meta },
		{ CFS_EXPORT_REQUEST, CFS_VIEW_REQUEST, &held->request },
	};
	int rc = CFS_OK;

	for (unsigned i = 0; rc == CFS_OK && i < 3; i++) {
		bool has;

		if (!wants(r, set, own[i].field))
			continue;
		rc = load_own(c, e, own[i].view, own[i].bytes, &has, ctx);
		if (rc == CFS_OK && has)
			rc = set_own(r, own[i].field, own[i].bytes->bytes,
				     ctx.err);
	}
	return rc;
}

/* ---- the record ---------------------------------------------------------- */

/* Reads the record, and the one that has the body of a revisit. */
static int entry_row_read(struct cfs_crawl *c, const struct cfs_entry *e,
		       struct cfs_entry_row *held, struct cfs_ctx ctx)
{
	const struct cfs_record *rec, *body;
	int rc = cfs_entry_record(c, e, &held->record, ctx);

	if (rc != CFS_OK)
		return rc;
	rec = cfs_stored_record(held->record);
	if (rec->body_is_elsewhere)
		rc = cfs_revisit_find(c, e, rec, &held->body, ctx);
	body = held->body != NULL ? cfs_stored_record(held->body) : NULL;
	held->in = (struct cfs_view_input){ .record = rec, .url = rec->url,
		.archive_name = cfs_slice_str(e->archive_text),
		.loc = e->cap.loc, .body_record = body };
	if (cfs_stored_is_spilled(held->body != NULL ? held->body :
						       held->record))
		held->in.pages = CFS_PAGES_RELEASED;
	held->in.no_body_reason = cfs_revisit_no_body(rec, held->body);
	return rc;
}

static int fill_from_record(struct cfs_export_row *r, cfs_export_set set,
			    struct cfs_crawl *c, const struct cfs_entry *e,
			    struct cfs_entry_row *held, struct cfs_ctx ctx)
{
	struct cfs_budget_load load;
	uint64_t body;
	int rc = entry_row_read(c, e, held, ctx);

	if (rc == CFS_OK && wants(r, set, CFS_EXPORT_META))
		rc = cfs_index_notes(c->index, &e->cap, &held->notes, ctx);
	if (rc != CFS_OK)
		return rc;
	held->in.notes = cfs_buf_slice(&held->notes);
	body = cfs_view_body_of(&held->in)->body.n;
	rc = cfs_budget_begin(&load, c->budget, CFS_MEM_VIEWS, VALUES_RATIO *
			      (body < CFS_HTML_BYTES_MAX ? body :
			       (uint64_t)CFS_HTML_BYTES_MAX), ctx);
	if (rc != CFS_OK)
		return rc;
	rc = cfs_export_row_fill(r, set, &held->in, ctx);
	cfs_budget_end(&load, 0);
	if (rc == CFS_OK && cfs_stored_record(held->record)->is_cut_off)
		cfs_export_row_fail(r, CFS_CUT_OFF_TEXT);
	else if (rc == CFS_OK && held->in.no_body_reason != NULL &&
		 (cfs_export_made_of(set) & CFS_EXPORT_OF_BODY) != 0)
		cfs_export_row_fail(r, held->in.no_body_reason);
	return rc;
}

/* True if fields of the set that the row lacks need the capture's record. */
static bool entry_row_needs_record(const struct cfs_export_row *row,
				   cfs_export_set set,
				   const struct cfs_capture *cap)
{
	set &= ~row->has;
	if (cap->digest.n > 0)
		set &= ~CFS_EXPORT_BIT(CFS_EXPORT_DIGEST);
	if (cap->languages.n > 0)
		set &= ~CFS_EXPORT_BIT(CFS_EXPORT_LANGUAGES_FOUND);
	return cap->kind != CFS_KIND_ANNEX &&
	       (cfs_export_made_of(set) & CFS_EXPORT_OF_RECORD) != 0;
}

/* ---- all of it ----------------------------------------------------------- */

int cfs_entry_row_fill(struct cfs_export_row *row, cfs_export_set set,
		       struct cfs_crawl *c, struct cfs_entry *e,
		       struct cfs_entry_row *held, struct cfs_ctx ctx)
{
	struct cfs_error own = CFS_ERROR_INIT;
	struct cfs_ctx sub = CFS_CTX(ctx.cancel, &own);
	int rc, later = CFS_OK;

	cfs_buf_init(&held->notes, CFS_NOTES_MAX);
	rc = fill_first(row, set, c, e, sub);
	if (rc == CFS_OK)
		rc = fill_own(row, set, c, e, held, sub);
	if (rc == CFS_OK && entry_row_needs_record(row, set, &e->cap))
		rc = fill_from_record(row, set, c, e, held, sub);
	if (cfs_code_is_trouble(rc))
		later = cfs_error_pass(ctx.err, &own, rc);
	if (rc != CFS_OK)
		cfs_export_row_fail(row, own.text);
	held->failed = rc;
	cfs_error_clear(&own);
	rc = fill_from_index(row, set, c, e, &own);
	if (rc == CFS_ENOMEM && later == CFS_OK)
		return cfs_error_nomem(ctx.err);
	if (rc != CFS_OK)
		cfs_export_row_fail(row, own.text);
	return later;
}

void cfs_entry_row_release(struct cfs_entry_row *held)
{
	cfs_stored_put(held->record);
	cfs_stored_put(held->body);
	cfs_file_bytes_release(&held->text);
	cfs_file_bytes_release(&held->meta);
	cfs_file_bytes_release(&held->request);
	cfs_buf_release(&held->notes);
	held->record = held->body = NULL;
}
