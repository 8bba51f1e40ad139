/* view_sizes.c - measures the views of a page while it is indexed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "auto_index.h"

#include "base/budget.h"
#include "content.h"
#include "view/doc.h"
#include "view/languages.h"
#include "view/simhash.h"
#include "net/location.h"
#include "revisit.h"

static int view_sizes_measure(const struct cfs_scan_item *item,
			      const char *archive, uint32_t slots,
			      const struct cfs_text_taker *taker,
			      struct cfs_view_bytes *out,
			      struct cfs_languages *languages,
			      struct cfs_ctx ctx)
{
	struct cfs_view_input in = {
		.record = item->record, .url = item->record->url,
		.loc = item->span, .pages = cfs_scan_pages(item),
		.spill_dir = item->spill_dir, .taker = taker,
	};
	CFS_BUF(name, CFS_URL_MAX + 4);

	cfs_location_show(&name, cfs_slice_str(archive));
	in.archive_name = cfs_buf_slice(&name);
	if (languages->text[0] != '\0')
		in.languages = languages;
	return cfs_view_measure(&in, slots, out, languages, ctx);
}

static int view_sizes_languages(const struct cfs_scan_item *item,
				struct cfs_languages *out, struct cfs_ctx ctx)
{
	const struct cfs_view_input in = { .record = item->record,
					   .url = item->record->url,
					   .pages = cfs_scan_pages(item) };
	struct cfs_doc doc;

	cfs_doc_find(&in, &doc);
	return cfs_languages_find(&in, &doc, NULL, out, ctx);
}

/* ---- revisits, measured as a mount would serve them ---- */

static void close_sizer(void *sizer)
{
	struct cfs_crawl *c = sizer;
	struct cfs_budget *budget = c != NULL ? c->budget : NULL;

	cfs_crawl_close(c);
	cfs_budget_free(budget);
}

static int open_sizer(void **sizer, struct cfs_index **ix,
		      struct cfs_source *src,
		      const struct cfs_builder_sizer_opts *so,
		      struct cfs_error *err)
{
	const struct cfs_crawl_opts opts = { .data = so->base, .no_cache = true,
		.temp_dir = so->temp_dir, .mem_bytes = so->memory_bytes,
		.budget = cfs_budget_new(so->memory_bytes) };
	struct cfs_bases b = { .n = 0 };
	struct cfs_crawl *c = NULL;
	int rc = opts.budget == NULL ? cfs_error_nomem(err) :
				       cfs_crawl_new(&c, src->name, &opts, err);

	*sizer = c;
	if (rc != CFS_OK) {
		cfs_source_close(src);
		cfs_budget_free(opts.budget);
		return rc;
	}
	cfs_bases_add(&b, so->base, "");
	rc = cfs_crawl_open_index(c, src, CFS_INDEX_CFX, &b, err);
	c->opts = NULL;			/* it is not used after opening */
	c->finds_sizes = true;
	*ix = c->index;
	return rc;
}

/* True for a revisit without a body here that a mount may find in another
 * source. */
static bool may_be_elsewhere(const struct cfs_file_bytes *b)
{
	const struct cfs_record *r = b->record == NULL ? NULL :
				     cfs_stored_record(b->record);

	return r != NULL && r->body_is_elsewhere && b->body == NULL &&
	       cfs_fields_get(&r->warc, CFS_REVISIT_CONTAINER, NULL).n > 0;
}

/* Finds the languages of a revisit whose text was made. */
static int view_sizes_of_revisit(const struct cfs_file_bytes *text,
				 struct cfs_languages *out, struct cfs_ctx ctx)
{
	struct cfs_view_input in;
	struct cfs_doc doc;

	if (text->record == NULL || text->body == NULL)
		return CFS_OK;
	in = (struct cfs_view_input){
		.record = cfs_stored_record(text->record),
		.body_record = cfs_stored_record(text->body),
		.pages = cfs_stored_is_spilled(text->body) ?
				 CFS_PAGES_RELEASED : CFS_PAGES_STAY };
	cfs_doc_find(&in, &doc);
	return cfs_languages_find(&in, &doc, &text->bytes, out, ctx);
}

/* Loads one view of the page at pos, if its size can be known. */
static int view_sizes_load(struct cfs_crawl *c, cfs_pos pos,
			   enum cfs_view view, struct cfs_file_bytes *out,
			   struct cfs_ctx ctx)
{
	struct cfs_node n = { .type = CFS_NODE_FILE, .pos = pos, .view = view };
	int rc = cfs_content_load(c, &n, &c->view, out, ctx);

	if (rc != CFS_OK)
		return rc;
	if (may_be_elsewhere(out)) {
		cfs_file_bytes_release(out);
		rc = CFS_ENOTFOUND;
	}
	return rc;
}

/* Finds what one slot has of the page at pos; of a text also the languages, and
 * gives it to the taker. */
static int find_slot(struct cfs_crawl *c, cfs_pos pos, unsigned slot,
		     struct cfs_builder_sizes *of, struct cfs_ctx ctx)
{
	struct cfs_file_bytes content;
	int rc = view_sizes_load(c, pos, cfs_view_of_slot(slot), &content, ctx);
	int64_t hash;

	if (rc != CFS_OK)
		return rc;
	if (content.is_cut_off)
		rc = cfs_error_set(ctx.err, CFS_EFORMAT, CFS_CUT_OFF_TEXT);
	else if (slot == CFS_SLOT_TEXT)
		rc = view_sizes_of_revisit(&content, &of->languages, ctx);
	if (rc == CFS_OK && slot == CFS_SLOT_TEXT && of->taker != NULL)
		rc = of->taker->take(of->taker->arg, content.bytes, ctx.err);
	if (rc == CFS_OK && slot != CFS_SLOT_SIMHASH)
		cfs_view_bytes_set(&of->views, slot, content.bytes.n);
	else if (rc == CFS_OK && cfs_simhash_of_text(content.bytes, &hash))
		cfs_view_bytes_set(&of->views, slot, (uint64_t)hash);
	cfs_file_bytes_release(&content);
	return rc;
}

/* Finds them one by one. */
static int find_each(struct cfs_crawl *c, cfs_pos pos,
		     struct cfs_builder_sizes *out, struct cfs_ctx ctx)
{
	int rc = CFS_OK;

	for (unsigned slot = 0; slot < CFS_VIEW_SLOTS && rc == CFS_OK; slot++)
		if (out->slots >> slot & 1)
			rc = find_slot(c, pos, slot, out, ctx);
	return rc;
}

/* Finds the sizes of the views of a revisit without its original.  There are
 * metadata, which say so; reading the others fails. */
static int absent_sizes(struct cfs_crawl *c, cfs_pos pos,
			struct cfs_builder_sizes *out, struct cfs_ctx ctx)
{
	const uint32_t slots = out->slots & ~(1u << CFS_SLOT_SIMHASH);
	struct cfs_file_bytes meta;
	int rc;

	cfs_error_clear(ctx.err);
	rc = view_sizes_load(c, pos, CFS_VIEW_META, &meta, ctx);
	if (rc != CFS_OK)
		return rc;
	out->lacks_body = true;
	for (unsigned slot = 0; slot < CFS_VIEW_SLOTS; slot++)
		if (slots >> slot & 1)
			cfs_view_bytes_set(&out->views, slot,
					   slot == CFS_SLOT_META ?
					   meta.bytes.n : CFS_ABSENT_BYTES);
	cfs_file_bytes_release(&meta);
	return CFS_OK;
}

/* True for the body of another record than the capture's own, a revisit: sizes
 * of its views would say that it has no body (cfs_capture_is_absent). */
static bool is_of_other(const struct cfs_file_bytes *body)
{
	return body->record == NULL ||
	       cfs_stored_record(body->record)->type == CFS_RECORD_REVISIT;
}

static int find_sizes(void *sizer, cfs_pos pos, struct cfs_builder_sizes *out,
		      struct cfs_ctx ctx)
{
	struct cfs_languages *l = &out->languages;
	struct cfs_file_bytes body;
	int rc = view_sizes_load(sizer, pos, CFS_VIEW_RAW, &body, ctx);

	l->text[0] = '\0';
	out->views.known = 0;
	out->lacks_body = false;
	if (rc == CFS_EABSENT)
		return absent_sizes(sizer, pos, out, ctx);
	if (rc != CFS_OK)
		return rc;
	out->body = body.bytes.n;
	out->lacks_body = body.is_cut_off;
	if (body.is_cut_off && is_of_other(&body)) {
		cfs_file_bytes_release(&body);
		return cfs_error_set(ctx.err, CFS_EFORMAT, CFS_CUT_OFF_TEXT);
	}
	rc = cfs_content_measure(sizer, pos, &body, out->slots, out->taker,
				 &out->views, l, ctx);
	if (body.body == NULL)
		l->text[0] = '\0';	/* of a text that is not here */
	cfs_file_bytes_release(&body);
	return rc == CFS_CONTENT_TAKES_LONG ?
	       find_each(sizer, pos, out, ctx) : rc;
}

int cfs_view_sizes_text(void *crawl, cfs_pos pos,
			const struct cfs_text_taker *taker, struct cfs_ctx ctx)
{
	struct cfs_file_bytes text;
	int rc = view_sizes_load(crawl, pos, CFS_VIEW_TEXT, &text, ctx);

	if (rc != CFS_OK)
		return rc;
	rc = text.is_cut_off ?
	     cfs_error_set(ctx.err, CFS_EFORMAT, CFS_CUT_OFF_TEXT) :
	     taker->take(taker->arg, text.bytes, ctx.err);
	cfs_file_bytes_release(&text);
	return rc;
}

void cfs_view_sizes_ask(struct cfs_indexer_opts *opts, uint32_t more_slots)
{
	static const struct cfs_builder_sizer revisits = {
		open_sizer, find_sizes, cfs_view_sizes_text, close_sizer };

	opts->view_bytes = view_sizes_measure;
	opts->view_slots = CFS_VIEW_BYTES_PAIR | more_slots;
	opts->view_version = cfs_view_version();
	opts->revisits = &revisits;
}

void cfs_languages_ask(struct cfs_indexer_opts *opts)
{
	if (cfs_languages_finder() != NULL)
		opts->languages = view_sizes_languages;
}
