/* entry.c - reads entries of the index and the records that they name.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "entry.h"

#include "net/location.h"
#include "record/archives.h"
#include "thread_scratch.h"
#include "url/same_url.h"

struct cfs_entry *cfs_entry_new(struct cfs_error *err)
{
	struct cfs_entry *e =
		cfs_thread_scratch_take(CFS_SPARE_ENTRY, sizeof(*e));

	if (e == NULL) {
		cfs_error_nomem(err);
		return NULL;
	}
	cfs_iter_init(&e->it);
	cfs_buf_init(&e->archive, CFS_URL_MAX);
	cfs_buf_init(&e->shown, CFS_URL_MAX + 4);
	e->archive_text = "";
	return e;
}

void cfs_entry_free(struct cfs_entry *e)
{
	if (e == NULL)
		return;
	cfs_iter_release(&e->it);
	cfs_buf_release(&e->archive);
	cfs_buf_release(&e->shown);
	cfs_thread_scratch_give(CFS_SPARE_ENTRY, e);
}

int cfs_entry_read(struct cfs_crawl *c, cfs_pos pos, struct cfs_entry *e,
		   struct cfs_ctx ctx)
{
	int rc = cfs_index_at(c->index, pos, &e->it, ctx);

	return rc == CFS_OK ? cfs_index_capture(&e->it, &e->cap, ctx.err) : rc;
}

int cfs_entry_name(struct cfs_crawl *c, struct cfs_entry *e,
		   struct cfs_error *err)
{
	int rc;

	cfs_buf_reset(&e->archive);
	rc = cfs_index_archive_name(c->index, &e->cap.loc, &e->archive, err);
	e->archive_text = cfs_archive_plain_name(cfs_buf_str(&e->archive));
	if (cfs_location_has_query(cfs_slice_str(e->archive_text))) {
		cfs_buf_reset(&e->shown);
		cfs_location_show(&e->shown, cfs_slice_str(e->archive_text));
		e->archive_text = cfs_buf_str(&e->shown);
	}
	return rc;
}

int cfs_entry_load(struct cfs_crawl *c, cfs_pos pos, struct cfs_entry *e,
		   struct cfs_ctx ctx)
{
	int rc = cfs_entry_read(c, pos, e, ctx);

	return rc == CFS_OK ? cfs_entry_name(c, e, ctx.err) : rc;
}

bool cfs_entry_has_member(const struct cfs_entry *e)
{
	struct cfs_slice name = cfs_buf_slice(&e->archive);

	return e->cap.loc.inner_length == 0 &&
	       (cfs_slice_ends(name, CFS_SLICE_LIT(".gz")) ||
		cfs_slice_ends(name, CFS_SLICE_LIT(".zst")));
}

static int record_form(struct cfs_crawl *c, const struct cfs_capture *cap,
		       unsigned *out, struct cfs_error *err)
{
	CFS_BUF(name, CFS_URL_MAX);
	int rc;

	*out = CFS_FORM_ARC_GZ;
	if (cap->kind == CFS_KIND_ARC)
		return CFS_OK;
	rc = cfs_index_archive_name(c->index, &cap->loc, &name, err);
	*out = cfs_slice_ends(cfs_buf_slice(&name), CFS_SLICE_LIT(".zst")) ?
	       CFS_FORM_WARC_ZST : CFS_FORM_WARC_GZ;
	return rc;
}

int cfs_entry_suffix(struct cfs_crawl *c, const struct cfs_capture *cap,
		     enum cfs_view view, struct cfs_suffix *out,
		     struct cfs_error *err)
{
	struct cfs_companion comp = { .form = 0 };
	unsigned form = 0;
	int rc = CFS_OK;

	if (view == CFS_VIEW_RECORD)
		rc = record_form(c, cap, &form, err);
	else if (cfs_view_is_related(view) &&
		 !cfs_related_find(cap, cfs_view_row(view)->related, &comp))
		return CFS_ENOTFOUND;
	if (rc != CFS_OK)
		return rc;
	/* A list may claim a picture's form for a record that has one form. */
	return cfs_suffix_find(view, form + comp.form, out) ||
	       cfs_suffix_find(view, 0, out) ? CFS_OK : CFS_ENOTFOUND;
}

int cfs_entry_check_url(struct cfs_crawl *c, struct cfs_slice url,
			struct cfs_slice key, struct cfs_slice listed,
			const char *file, uint64_t offset,
			struct cfs_error *err)
{
	if (cfs_url_is_of(url, key, listed, c->index->ops->url_key))
		return CFS_OK;
	return cfs_error_at(err, CFS_EFORMAT, file, offset,
			    "holds '%.*s' there, not the page the index says",
			    (int)(url.n > 120 ? 120 : url.n),
			    (const char *)url.p);
}

/* Checks that the record belongs to the loaded entry. */
static int check_record(struct cfs_crawl *c, const struct cfs_entry *e,
			struct cfs_stored **out, struct cfs_error *err)
{
	const struct cfs_record *rec;
	int rc;

	rec = cfs_stored_record(*out);
	if (!cfs_record_may_be_page(rec->type))
		rc = cfs_error_at(err, CFS_EFORMAT, e->archive_text,
				  e->cap.loc.offset, CFS_NO_PAGE_TEXT);
	else
		rc = cfs_entry_check_url(c, rec->url, e->it.key, e->cap.url,
					 e->archive_text, e->cap.loc.offset,
					 err);
	if (rc != CFS_OK) {
		cfs_stored_put(*out);
		*out = NULL;
	}
	return rc;
}

/* parts: the first is the capture's own; names: gets the archive names of the
 * others. */
static int entry_find_parts(struct cfs_crawl *c,
			    const struct cfs_companion *segments, unsigned n,
			    struct cfs_buf *names,
			    struct cfs_record_part *parts,
			    struct cfs_error *err)
{
	for (unsigned i = 0; i < n; i++) {
		int rc;

		cfs_buf_init(&names[i], CFS_URL_MAX);
		rc = cfs_index_archive_name(c->index, &segments[i].loc,
					    &names[i], err);
		if (rc != CFS_OK)
			return rc;
		parts[i + 1] = (struct cfs_record_part){
			cfs_buf_slice(&names[i]), segments[i].loc };
	}
	return CFS_OK;
}

static int join_record(struct cfs_crawl *c, const struct cfs_entry *e,
		       const struct cfs_companion *segments, unsigned n,
		       struct cfs_stored **out, struct cfs_ctx ctx)
{
	struct cfs_record_part parts[CFS_SEGMENTS_MAX + 1] = {
		{ cfs_buf_slice(&e->archive), e->cap.loc } };
	struct cfs_buf names[CFS_SEGMENTS_MAX] = { { .n = 0 } };
	int rc = entry_find_parts(c, segments, n, names, parts, ctx.err);

	if (rc == CFS_OK)
		rc = cfs_store_get_joined(c->store, parts, n + 1, out, ctx);
	for (unsigned i = 0; i < n; i++)
		cfs_buf_release(&names[i]);
	return rc;
}

int cfs_entry_record(struct cfs_crawl *c, const struct cfs_entry *e,
		     struct cfs_stored **out, struct cfs_ctx ctx)
{
	struct cfs_companion segments[CFS_SEGMENTS_MAX];
	unsigned n = cfs_related_segments(&e->cap, segments);
	int rc;

	if (n == 0)
		return cfs_entry_own_record(c, e, out, ctx);
	*out = NULL;
	rc = join_record(c, e, segments, n, out, ctx);
	return rc == CFS_OK ? check_record(c, e, out, ctx.err) : rc;
}

int cfs_entry_own_record(struct cfs_crawl *c, const struct cfs_entry *e,
			 struct cfs_stored **out, struct cfs_ctx ctx)
{
	int rc = cfs_store_get(c->store, cfs_buf_slice(&e->archive),
			       &e->cap.loc, out, ctx);

	return rc == CFS_OK ? check_record(c, e, out, ctx.err) : rc;
}
