/* content.c - loads a file of the tree: record, revisit, view.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "content.h"

#include <inttypes.h>

#include "file_info.h"
#include "html/outline.h"
#include "revisit.h"
#include "companions.h"

/* How long records may be: to make a view of one, and, for a local one, to load
 * it, by its stored length and, if that is known, its inflated one. */
struct load_limits {
	size_t view;
	uint64_t stored, inflated;
};

/* A view takes a few milliseconds at most, whatever its content. */
static const struct load_limits quick_limits = {
	(size_t)256 << 10, (uint64_t)1 << 20, (uint64_t)8 << 20
};
/* Half a millisecond or so.  What a stored length hides is cut off by the time
 * that the caller gives (struct cfs_cancel). */
static const struct load_limits at_once_limits = {
	(size_t)32 << 10, (uint64_t)128 << 10, (uint64_t)512 << 10
};

/* Memory that making a view takes, as a multiple of its input: a copy in UTF-8
 * of up to CFS_HTML_BYTES_MAX, and as much output. */
#define VIEW_RATIO 3u
#define VIEW_MIN ((uint64_t)64 << 10)

/* Options of loading a file. */
struct load_opts {
	const struct cfs_view_opts *view;
	const struct load_limits *limits;	/* NULL: none */
};

/* True if it takes long to make a view of so many bytes. */
static bool is_long_view(const struct load_opts *opts, uint64_t bytes)
{
	return opts->limits != NULL && bytes > opts->limits->view;
}

/* The memory that making a view of a body may take. */
static uint64_t view_cost(size_t body)
{
	return VIEW_MIN + VIEW_RATIO * (uint64_t)(body < CFS_HTML_BYTES_MAX ?
						  body : CFS_HTML_BYTES_MAX);
}

/* The same for a companion: the index knows its stored length only. */
static bool is_long_companion(const struct cfs_crawl *c,
			      const struct cfs_companion *comp,
			      const struct load_opts *opts)
{
	return opts->limits != NULL && c->cache == NULL &&
	       comp->loc.length > opts->limits->stored;
}

/* True if a local record is so long that inflating it takes long.  A remote one
 * takes long for other reasons. */
static bool is_long(const struct cfs_crawl *c, const struct cfs_entry *e,
		    const struct load_opts *opts)
{
	const struct load_limits *m = opts->limits;

	return m != NULL && c->cache == NULL &&
	       (e->cap.loc.length > m->stored ||
		e->cap.loc.inner_length > m->inflated ||
		(e->cap.body_is_exact && e->cap.body_bytes > m->inflated));
}

/* If the record was spilled to a file, a view that may be as long as the record
 * is spilled, too. */
static int begin_view(struct cfs_crawl *c, enum cfs_view view,
		      enum cfs_pages pages, struct cfs_file_bytes *out,
		      struct cfs_error *err)
{
	return cfs_view_row(view)->guess > 0 && pages == CFS_PAGES_RELEASED ?
	       cfs_store_spill(c->store, &out->own, err) : CFS_OK;
}

/* How the pages of the body that a view shows are treated: a spilled record is
 * read sequentially, and does not stay in memory. */
static enum cfs_pages pages_of(const struct cfs_file_bytes *b)
{
	const struct cfs_stored *r = b->body != NULL ? b->body : b->record;

	return cfs_stored_is_spilled(r) ? CFS_PAGES_RELEASED : CFS_PAGES_STAY;
}

/* The input of a page's views, without notes. */
static struct cfs_view_input content_input(const struct cfs_entry *e,
					   const struct cfs_file_bytes *b)
{
	const struct cfs_record *rec = cfs_stored_record(b->record);
	struct cfs_view_input in = {
		.record = rec,
		.url = rec->url,
		.archive_name = cfs_slice_str(e->archive_text),
		.loc = e->cap.loc,
		.body_record = b->body ? cfs_stored_record(b->body) : NULL,
		.pages = pages_of(b),
		.no_body_reason = cfs_revisit_no_body(rec, b->body),
	};

	return in;
}

static int render(struct cfs_crawl *c, const struct cfs_entry *e,
		  enum cfs_view view, const struct load_opts *opts,
		  struct cfs_file_bytes *out, struct cfs_ctx ctx)
{
	struct cfs_view_input in = content_input(e, out);
	const struct cfs_record *body = cfs_view_body_of(&in);
	struct cfs_budget_load load;
	CFS_BUF(notes, CFS_NOTES_MAX);
	int rc;

	if (is_long_view(opts, body->body.n))
		return CFS_CONTENT_TAKES_LONG;
	rc = cfs_budget_begin(&load, c->budget, CFS_MEM_VIEWS,
			      view_cost(body->body.n), ctx);
	if (rc != CFS_OK)
		return rc;
	if (view == CFS_VIEW_META)
		rc = cfs_index_notes(c->index, &e->cap, &notes, ctx);
	in.notes = cfs_buf_slice(&notes);
	if (rc == CFS_OK)
		rc = begin_view(c, view, in.pages, out, ctx.err);
	if (rc == CFS_OK)
		rc = cfs_view_render(view, &in, opts->view, &out->own, ctx);
	if (rc == CFS_OK && out->own.spill != NULL)
		cfs_spill_finish(&out->own);
	out->bytes = cfs_buf_slice(&out->own);
	cfs_file_bytes_release_pages(out, body->body);
	cfs_budget_end(&load, 0);
	return rc;
}

/* True for a revisit while an index is built: the original that it refers to
 * may have changed. */
static bool is_being_found(const struct cfs_crawl *c, const struct cfs_entry *e)
{
	return c->finds_sizes && e->cap.kind == CFS_KIND_REVISIT;
}

/* Finds the record with the body of a view.  CFS_EABSENT if there is none, and
 * the view does not say so itself. */
static int find_body(struct cfs_crawl *c, const struct cfs_entry *e,
		     enum cfs_view view, struct cfs_file_bytes *out,
		     struct cfs_ctx ctx)
{
	const struct cfs_record *rec = cfs_stored_record(out->record);
	CFS_BUF(needed, CFS_NAME_MAX);
	const char *why;
	int rc = CFS_OK;

	if (rec->body_is_elsewhere && view != CFS_VIEW_HEADERS)
		rc = cfs_revisit_find(c, e, rec, &out->body, ctx);
	if (rc != CFS_OK)
		return rc;
	if (cfs_cancelled(ctx.cancel))
		return cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
	why = cfs_revisit_no_body(rec, out->body);
	if (why == NULL || !cfs_view_row(view)->is_of_body)
		return CFS_OK;
	cfs_revisit_needs(c, e, &needed, ctx.cancel);
	return cfs_error_at(ctx.err, CFS_EABSENT, e->archive_text,
			    e->cap.loc.offset, needed.n > 0 ?
			    "%s: it may be in '%s', which is required" : "%s",
			    why, cfs_buf_str(&needed));
}

static int load_view(struct cfs_crawl *c, const struct cfs_entry *e,
		     enum cfs_view view, const struct load_opts *opts,
		     struct cfs_file_bytes *out, struct cfs_ctx ctx)
{
	const struct cfs_record *rec;
	int rc;

	if (is_long(c, e, opts))
		return CFS_CONTENT_TAKES_LONG;
	rc = cfs_entry_record(c, e, &out->record, ctx);
	if (rc != CFS_OK)
		return rc;
	rec = cfs_stored_record(out->record);
	if (view == CFS_VIEW_URL) {
		cfs_buf_add(&out->own, rec->url);
		cfs_buf_addc(&out->own, '\n');
		out->bytes = cfs_buf_slice(&out->own);
		return out->own.failed;
	}
	rc = find_body(c, e, view, out, ctx);
	if (rc == CFS_EABSENT && c->absent_is_empty) {
		cfs_error_clear(ctx.err);
		return CFS_OK;
	}
	if (rc != CFS_OK)
		return rc;
	if (cfs_companion_is_body(&e->cap, view) &&
	    !cfs_record_states_charset(rec))
		view = CFS_VIEW_RAW;
	if (view != CFS_VIEW_RAW)
		return render(c, e, view, opts, out, ctx);
	if (out->body != NULL)
		rec = cfs_stored_record(out->body);
	out->bytes = rec->body;
	out->is_cut_off = rec->is_cut_off ||
			  (cfs_record_body_is_cut(rec) && !c->absent_is_empty);
	if (!is_being_found(c, e) && e->cap.body_is_exact && !out->is_cut_off &&
	    out->bytes.n != e->cap.body_bytes)
		return cfs_error_at(ctx.err, CFS_EFORMAT, e->archive_text,
				    e->cap.loc.offset,
				    "body has %zu bytes, the index says "
				    "%" PRIu64 ": was the archive changed?",
				    out->bytes.n, e->cap.body_bytes);
	return CFS_OK;
}

static int check_view_size(struct cfs_crawl *c, const struct cfs_entry *e,
			   enum cfs_view view, const struct cfs_view_opts *opts,
			   const struct cfs_file_bytes *content,
			   struct cfs_error *err)
{
	uint64_t size;

	if (is_being_found(c, e) || content->is_cut_off ||
	    !cfs_file_info_indexed(c, e, view, opts, &size) ||
	    size == content->bytes.n)
		return CFS_OK;
	return cfs_error_at(err, CFS_EFORMAT, e->archive_text,
			    e->cap.loc.offset, "view '%s' has %zu bytes, the "
			    "index says %" PRIu64 ": rebuild it with "
			    "'crawlfs index'",
			    cfs_view_name(view), content->bytes.n, size);
}

/* Loads the record of a page that has only companions and related records. */
static int load_comp_member(struct cfs_crawl *c, struct cfs_entry *e,
			    const struct load_opts *opts,
			    struct cfs_member_form *as,
			    struct cfs_file_bytes *out, struct cfs_ctx ctx)
{
	struct cfs_companion comp;
	enum cfs_view view;
	int rc;

	if (!cfs_companion_of_page_record(&e->cap, &view, &comp))
		return CFS_OK;		/* it has no bytes */
	e->cap.loc = comp.loc;
	if (is_long(c, e, opts) || is_long_view(opts, comp.loc.length))
		return CFS_CONTENT_TAKES_LONG;
	rc = cfs_companion_load(c, e, view, opts->view, out, ctx);
	cfs_buf_reset(&e->archive);
	if (rc == CFS_OK)
		rc = cfs_index_archive_name(c->index, &comp.loc, &e->archive,
					    ctx.err);
	out->bytes = CFS_SLICE_EMPTY;
	as->parsed = out->record;
	if (rc == CFS_OK)
		rc = cfs_store_member(c->store, cfs_buf_slice(&e->archive),
				      &comp.loc, as, &out->own, ctx);
	out->bytes = cfs_buf_slice(&out->own);
	return rc;
}

static int load_member(struct cfs_crawl *c, struct cfs_entry *e,
		       const struct load_opts *opts, struct cfs_file_bytes *out,
		       struct cfs_ctx ctx)
{
	struct cfs_member_form as = { CFS_CODING_GZIP, .with_dict = true };
	struct cfs_suffix suffix;
	int rc;

	rc = cfs_entry_suffix(c, &e->cap, CFS_VIEW_RECORD, &suffix, ctx.err);
	if (rc != CFS_OK)
		return rc;
	if (suffix.form == CFS_FORM_WARC_ZST)
		as.coding = CFS_CODING_ZSTD;
	if (e->cap.kind == CFS_KIND_ANNEX)
		return load_comp_member(c, e, opts, &as, out, ctx);
	if (is_long(c, e, opts) ||
	    (!cfs_entry_has_member(e) &&
	     is_long_view(opts, e->cap.loc.length)))
		return CFS_CONTENT_TAKES_LONG;
	/* a member whose checksum is wrong is not served */
	rc = cfs_entry_own_record(c, e, &out->record, ctx);
	if (rc != CFS_OK)
		return rc;
	as.parsed = out->record;
	out->is_cut_off = cfs_stored_record(out->record)->is_cut_off;
	rc = cfs_store_member(c->store, cfs_buf_slice(&e->archive), &e->cap.loc,
			      &as, &out->own, ctx);
	out->bytes = cfs_buf_slice(&out->own);
	return rc;
}

static int load_comp(struct cfs_crawl *c, const struct cfs_entry *e,
		     enum cfs_view view, const struct load_opts *opts,
		     struct cfs_file_bytes *out, struct cfs_ctx ctx)
{
	struct cfs_companion comp;

	if (cfs_companion_of(&e->cap, view, &comp) &&
	    is_long_companion(c, &comp, opts))
		return CFS_CONTENT_TAKES_LONG;
	return cfs_companion_load(c, e, view, opts->view, out, ctx);
}

/* Loads a file of an entry, which it may change. */
static int content_load_of(struct cfs_crawl *c, struct cfs_entry *e,
			   enum cfs_view view, const struct load_opts *opts,
			   struct cfs_file_bytes *out, struct cfs_ctx ctx)
{
	struct cfs_companion comp;
	int rc;

	*out = (struct cfs_file_bytes){ .bytes = CFS_SLICE_EMPTY };
	cfs_buf_init(&out->own, CFS_VIEW_MAX_BYTES);
	if (view == CFS_VIEW_RECORD)
		rc = load_member(c, e, opts, out, ctx);
	else if (e->cap.kind == CFS_KIND_ANNEX || cfs_view_is_related(view) ||
		 cfs_companion_of(&e->cap, view, &comp))
		rc = load_comp(c, e, view, opts, out, ctx);
	else
		rc = load_view(c, e, view, opts, out, ctx);
	if (rc == CFS_OK)
		rc = check_view_size(c, e, view, opts->view, out, ctx.err);
	if (rc == CFS_OK && out->own.cap > 0 && out->own.spill == NULL) {
		out->budget = c->budget;
		out->accounted = out->own.cap;
		cfs_budget_add(c->budget, CFS_MEM_VIEWS, out->accounted);
	}
	if (rc != CFS_OK)
		cfs_file_bytes_release(out);
	return rc;
}

static int content_load(struct cfs_crawl *c, const struct cfs_node *file,
			const struct load_opts *opts,
			struct cfs_file_bytes *out, struct cfs_ctx ctx)
{
	struct cfs_entry *e = cfs_entry_new(ctx.err);
	int rc;

	*out = (struct cfs_file_bytes){ .bytes = CFS_SLICE_EMPTY };
	if (e == NULL)
		return CFS_ENOMEM;
	rc = cfs_entry_load(c, file->pos, e, ctx);
	if (rc == CFS_OK)
		rc = content_load_of(c, e, file->view, opts, out, ctx);
	cfs_entry_free(e);
	return rc;
}

int cfs_content_load(struct cfs_crawl *c, const struct cfs_node *file,
		     const struct cfs_view_opts *opts,
		     struct cfs_file_bytes *out, struct cfs_ctx ctx)
{
	return content_load(c, file, &(struct load_opts){ opts, NULL }, out,
			    ctx);
}

int cfs_content_load_quickly(struct cfs_crawl *c, const struct cfs_node *file,
			     const struct cfs_view_opts *opts,
			     struct cfs_file_bytes *out, struct cfs_ctx ctx)
{
	return content_load(c, file, &(struct load_opts){ opts, &quick_limits },
			    out, ctx);
}

int cfs_content_load_at_once(struct cfs_crawl *c, struct cfs_entry *e,
			     enum cfs_view view,
			     const struct cfs_view_opts *opts,
			     struct cfs_file_bytes *out, struct cfs_ctx ctx)
{
	return content_load_of(c, e, view,
			       &(struct load_opts){ opts, &at_once_limits },
			       out, ctx);
}

/* True if each of these views is computed of the record. */
static bool are_computed(const struct cfs_entry *e, uint32_t slots)
{
	struct cfs_companion comp;

	for (unsigned slot = 0; slot < CFS_VIEW_SLOTS; slot++) {
		enum cfs_view view = cfs_view_of_slot(slot);

		if ((slots >> slot & 1) != 0 &&
		    (cfs_companion_of(&e->cap, view, &comp) ||
		     cfs_companion_is_body(&e->cap, view)))
			return false;
	}
	return e->cap.kind != CFS_KIND_ANNEX;
}

static int measure_entry(struct cfs_crawl *c, const struct cfs_entry *e,
			 const struct cfs_file_bytes *body, uint32_t slots,
			 const struct cfs_text_taker *taker,
			 struct cfs_view_bytes *out,
			 struct cfs_languages *languages, struct cfs_ctx ctx)
{
	struct cfs_view_input in;
	struct cfs_budget_load load;
	CFS_BUF(notes, CFS_NOTES_MAX);
	int rc;

	if (body->record == NULL || pages_of(body) == CFS_PAGES_RELEASED ||
	    !are_computed(e, slots))
		return CFS_CONTENT_TAKES_LONG;
	in = content_input(e, body);
	in.taker = taker;
	rc = cfs_budget_begin(&load, c->budget, CFS_MEM_VIEWS,
			      view_cost(cfs_view_body_of(&in)->body.n), ctx);
	if (rc != CFS_OK)
		return rc;
	rc = cfs_index_notes(c->index, &e->cap, &notes, ctx);
	in.notes = cfs_buf_slice(&notes);
	if (rc == CFS_OK)
		rc = cfs_view_measure(&in, slots, out, languages, ctx);
	cfs_budget_end(&load, 0);
	return rc;
}

int cfs_content_measure(struct cfs_crawl *c, cfs_pos pos,
			const struct cfs_file_bytes *body, uint32_t slots,
			const struct cfs_text_taker *taker,
			struct cfs_view_bytes *out,
			struct cfs_languages *languages, struct cfs_ctx ctx)
{
	struct cfs_entry *e = cfs_entry_new(ctx.err);
	int rc;

	if (e == NULL)
		return CFS_ENOMEM;
	rc = cfs_entry_load(c, pos, e, ctx);
	if (rc == CFS_OK)
		rc = measure_entry(c, e, body, slots, taker, out, languages,
				   ctx);
	cfs_entry_free(e);
	return rc;
}

/* How a body was cut off. */
struct cut_off {
	const char *why;
	size_t left;		/* bytes of it */
	struct cfs_error *err;
};

/* As cfs_revisit_link: what is cut off is the last capture that is named. */
static int report_cut_off(void *arg, const struct cfs_entry *e)
{
	const struct cut_off *cut = arg;

	cfs_error_clear(cut->err);
	cfs_error_at(cut->err, CFS_EFORMAT, e->archive_text, e->cap.loc.offset,
		     "%s: %zu bytes are left of its page", cut->why,
		     cut->left);
	return CFS_OK;
}

int cfs_content_cut_off(struct cfs_crawl *c, const struct cfs_node *file,
			const struct cfs_file_bytes *b, struct cfs_error *err)
{
	struct cfs_entry *e = cfs_entry_new(err);
	struct cfs_stored *from = b->body != NULL ? b->body : b->record;
	struct cut_off cut = { CFS_CUT_OFF_TEXT, b->bytes.n, err };

	if (e == NULL)
		return CFS_ENOMEM;
	if (from != NULL && !cfs_stored_record(from)->is_cut_off)
		cut.why = CFS_BODY_CUT_TEXT;
	if (cfs_entry_load(c, file->pos, e, CFS_CTX(NULL, err)) == CFS_OK)
		(void)report_cut_off(&cut, e);
	if (b->body != NULL && b->record != NULL) {
		(void)cfs_revisit_follow(c, e, cfs_stored_record(b->record),
					 report_cut_off, &cut, &from,
					 CFS_CTX(NULL, NULL));
		cfs_stored_put(from);
	}
	cfs_entry_free(e);
	return CFS_EFORMAT;
}

int cfs_content_record(struct cfs_crawl *c, const struct cfs_node *file,
		       struct cfs_stored **out, struct cfs_ctx ctx)
{
	struct cfs_entry *e = cfs_entry_new(ctx.err);
	int rc;

	*out = NULL;
	if (e == NULL)
		return CFS_ENOMEM;
	rc = cfs_entry_load(c, file->pos, e, ctx);
	if (rc == CFS_OK && cfs_view_is_related(file->view)) {
		rc = cfs_companion_record(c, e, file->view, out, ctx);
		cfs_entry_free(e);
		return rc;
	}
	if (rc == CFS_OK && e->cap.kind == CFS_KIND_ANNEX)
		rc = CFS_ENOTFOUND;
	if (rc == CFS_OK)
		rc = cfs_entry_record(c, e, out, ctx);
	cfs_entry_free(e);
	return rc;
}

int cfs_content_is_own(struct cfs_crawl *c, const struct cfs_node *file,
		       bool *yes, struct cfs_ctx ctx)
{
	struct cfs_entry *e = cfs_entry_new(ctx.err);
	struct cfs_companion comp;
	int rc;

	if (e == NULL)
		return CFS_ENOMEM;
	rc = cfs_entry_read(c, file->pos, e, ctx);
	*yes = rc == CFS_OK && (cfs_companion_of(&e->cap, file->view, &comp) ||
				cfs_companion_is_body(&e->cap, file->view));
	cfs_entry_free(e);
	return rc;
}
