/* file_info.c - sizes from the index, from the gzip trailer, or guessed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "file_info.h"

#include "cache/sizes.h"
#include "companions.h"

/* Sizes of files that nobody has opened are guessed by the view's row. */
#define GUESS_PAGE UINT64_C(4096)
#define GUESS_MAX (UINT64_C(1) << 40)

/* True if the options make the view other than its size in an index says. */
static bool is_other_form(const struct cfs_view_row *row,
			  const struct cfs_view_opts *opts)
{
	return row->depends_on_opts && opts->meta_compact;
}

static uint64_t no_record_bytes(struct cfs_crawl *c, const struct cfs_entry *e,
				const struct cfs_view_opts *opts)
{
	struct cfs_file_bytes content = { .bytes = CFS_SLICE_EMPTY };
	uint64_t n = 0;

	cfs_buf_init(&content.own, CFS_VIEW_MAX_BYTES);
	if (cfs_companion_load(c, e, CFS_VIEW_META, opts, &content,
			       CFS_CTX(NULL, NULL)) == CFS_OK)
		n = content.bytes.n;
	cfs_file_bytes_release(&content);
	return n;
}

bool cfs_file_sizes_are_exact(const struct cfs_crawl *c, cfs_view_set views)
{
	unsigned sizes = 0;
	uint64_t unsized;

	if (c->n_together > 1 && c->index->absent > 0)
		return false;
	for (unsigned v = CFS_VIEW_RAW; v < CFS_VIEW_COUNT; v++) {
		const struct cfs_view_row *row = &cfs_view_table[v];

		if ((views & 1u << v) == 0)
			continue;
		if (v == CFS_VIEW_RAW)
			sizes |= CFS_INDEX_SIZE_BODY;
		else if (row->kept == CFS_VIEW_KEPT_IN_INDEX &&
			 !is_other_form(row, &c->view))
			sizes |= CFS_INDEX_SIZE_OF(row->slot);
		else
			return false;
	}
	unsized = cfs_index_unsized(c->index, sizes, cfs_view_version());
	return unsized == 0 || (c->cache == NULL && unsized <=
				c->index->captures / CFS_UNSIZED_PART);
}

/* True for a revisit without a body in its own source, which another one that
 * is mounted together with it may have: no size of the index counts. */
static bool may_be_elsewhere(const struct cfs_crawl *c,
			     const struct cfs_capture *cap)
{
	return c->n_together > 1 && cfs_capture_is_absent(cap);
}

bool cfs_file_info_indexed(struct cfs_crawl *c, const struct cfs_entry *e,
			   enum cfs_view view, const struct cfs_view_opts *opts,
			   uint64_t *size)
{
	const struct cfs_view_row *row = cfs_view_row(view);
	const struct cfs_capture *cap = &e->cap;
	struct cfs_companion comp;
	enum cfs_view of;

	if (may_be_elsewhere(c, cap))
		return false;
	if (cfs_companion_of(cap, view, &comp) &&
	    comp.bytes != CFS_COMPANION_BYTES_UNKNOWN)
		*size = comp.bytes;
	else if (comp.kind == CFS_COMPANION_NONE && row->is_of_body &&
		 cfs_capture_is_absent(cap))
		*size = c->absent_is_empty ? 0 : CFS_ABSENT_BYTES;
	else if (comp.kind != CFS_COMPANION_NONE || row->is_related)
		return false;
	else if (cfs_companion_is_body(cap, view) && cap->body_is_exact)
		*size = cap->body_bytes;
	else if (cap->kind == CFS_KIND_ANNEX && row->render != NULL)
		*size = row->tells_no_record ? no_record_bytes(c, e, opts) : 0;
	else if (cap->kind == CFS_KIND_ANNEX && view == CFS_VIEW_RECORD &&
		 !cfs_companion_of_page_record(cap, &of, &comp))
		*size = 0;
	else if (row->kept == CFS_VIEW_KEPT_IN_INDEX &&
		 cfs_view_bytes_are_known(&cap->views, row->slot) &&
		 c->index->view_version == cfs_view_version() &&
		 !is_other_form(row, opts))
		*size = cap->views.bytes[row->slot];
	else
		return false;
	return true;
}

/* Guesses whole pages, because wc(1) trusts other sizes from stat(2) but counts
 * these by reading.  Never 0, for which tar would store nothing. */
static uint64_t guess_size(const struct cfs_entry *e, enum cfs_view view)
{
	struct cfs_companion segments[CFS_SEGMENTS_MAX];
	unsigned n_segments = cfs_related_segments(&e->cap, segments);
	unsigned ratio = cfs_view_row(view)->guess;
	uint64_t n = e->cap.loc.length;

	for (unsigned i = 0; i < n_segments && n <= GUESS_MAX; i++)
		n += segments[i].loc.length;
	if (n > GUESS_MAX)
		n = GUESS_MAX;
	n *= ratio;
	return n == 0 ? GUESS_PAGE : (n + GUESS_PAGE - 1) & ~(GUESS_PAGE - 1);
}

static int raw_size(struct cfs_crawl *c, const struct cfs_entry *e,
		    struct cfs_file_info *out, const struct cfs_cancel *cancel)
{
	struct cfs_companion segments[CFS_SEGMENTS_MAX];
	bool is_exact = false;

	if (e->cap.body_is_exact) {
		out->size = e->cap.body_bytes;
		out->size_kind = CFS_SIZE_EXACT;
		return CFS_OK;
	}
	if (e->cap.kind == CFS_KIND_REVISIT)
		return CFS_OK;
	if (cfs_related_segments(&e->cap, segments) == 0 &&
	    cfs_store_body_bytes(c->store, cfs_buf_slice(&e->archive),
				 &e->cap.loc, &out->size, &is_exact,
				 CFS_CTX(cancel, NULL)) == CFS_OK && is_exact)
		out->size_kind = CFS_SIZE_LIKELY;
	else
		out->size = guess_size(e, CFS_VIEW_RAW);
	return cfs_cancelled(cancel) ? CFS_EINTR : CFS_OK;
}

/* Finds the record of a page that has only companions and related records. */
static void find_page_record(struct cfs_entry *e)
{
	struct cfs_companion comp;
	enum cfs_view view;

	if (cfs_companion_of_page_record(&e->cap, &view, &comp))
		e->cap.loc = comp.loc;
}

static bool needs_archive(const struct cfs_entry *e, enum cfs_view view)
{
	return view == CFS_VIEW_RECORD ||
	       (view == CFS_VIEW_RAW && !e->cap.body_is_exact);
}

int cfs_file_info_get(struct cfs_crawl *c, const struct cfs_node *file,
		      struct cfs_file_info *out, struct cfs_ctx ctx)
{
	struct cfs_entry *e = cfs_entry_new(ctx.err);
	uint64_t member;
	int rc = CFS_OK;

	if (e == NULL)
		return CFS_ENOMEM;
	if (file->cap != NULL && file->cap->kind != CFS_KIND_ANNEX)
		e->cap = *file->cap;
	else
		rc = cfs_entry_read(c, file->pos, e, ctx);
	if (rc == CFS_OK && file->view == CFS_VIEW_RECORD)
		find_page_record(e);
	if (rc == CFS_OK && needs_archive(e, file->view))
		rc = cfs_index_archive_name(c->index, &e->cap.loc, &e->archive,
					    ctx.err);
	if (rc == CFS_OK) {
		*out = (struct cfs_file_info){
			.size = guess_size(e, file->view),
			.mtime = e->cap.time,
		};
		if (cfs_file_info_indexed(c, e, file->view, &c->view,
					  &out->size)) {
			out->size_kind = CFS_SIZE_EXACT;
		} else if (file->view == CFS_VIEW_RECORD &&
			   cfs_entry_has_member(e) &&
			   cfs_store_member_bytes(c->store,
						  cfs_buf_slice(&e->archive),
						  &e->cap.loc, &member,
						  ctx.cancel)) {
			out->size = member;
			out->size_kind = CFS_SIZE_LIKELY;
		} else if (file->view == CFS_VIEW_RAW) {
			rc = raw_size(c, e, out, ctx.cancel);
		}
	}
	cfs_entry_free(e);
	return rc;
}

/* ---- sizes found by reading ------------------------------------------- */

/* Keys of sizes: bits 0-47 position, 48-53 view, 54: metadata in one line, 55:
 * what is absent is empty. */
#define VIEW_SHIFT 48
#define COMPACT_BIT (UINT64_C(1) << 54)
#define EMPTY_BIT (UINT64_C(1) << 55)

int cfs_kept_sizes_open(struct cfs_crawl *c, const struct cfs_crawl_opts *opts,
			struct cfs_error *err)
{
	struct cfs_disk *disk;
	int rc;

	if (c->sizes_id.state == 0)
		return CFS_OK;
	rc = cfs_crawl_hold_cache(&c->sizes_cache, opts, err);
	disk = rc == CFS_OK ? cfs_cache_disk(c->sizes_cache) : NULL;
	return disk == NULL ? rc : cfs_sizes_open(&c->sizes, disk, &c->sizes_id,
						  cfs_view_version(), err);
}

/* Makes the entry for a file's kept size.  What is not rendered does not depend
 * on the version of views. */
static bool make_entry(const struct cfs_crawl *c, const struct cfs_node *file,
		       struct cfs_sizes_entry *out)
{
	const struct cfs_view_row *row = cfs_view_row(file->view);

	if (c->sizes == NULL || file->type != CFS_NODE_FILE ||
	    row->kept == CFS_VIEW_KEPT_NOT)
		return false;
	*out = (struct cfs_sizes_entry){
		.key = file->pos | (uint64_t)file->view << VIEW_SHIFT,
		.holds_for_any_code = row->render == NULL,
	};
	if (is_other_form(row, &c->view))
		out->key |= COMPACT_BIT;
	if (c->absent_is_empty)
		out->key |= EMPTY_BIT;
	return true;
}

bool cfs_kept_sizes_size(const struct cfs_crawl *c, const struct cfs_node *file,
			 uint64_t *size)
{
	struct cfs_sizes_entry e;

	return make_entry(c, file, &e) && cfs_sizes_get(c->sizes, e.key, size);
}

void cfs_kept_sizes_note(const struct cfs_crawl *c, const struct cfs_node *file,
			 uint64_t size)
{
	struct cfs_sizes_entry e;

	if (!make_entry(c, file, &e))
		return;
	e.size = size;
	cfs_sizes_put(c->sizes, &e);
}
