/* merge_input.c - reads an index that is merged into another one.
 *
 * An entry is taken without the annexes that were joined to it: these are in
 * the joindata and are joined again.  Without it, entries are taken as they
 * are; references of revisits are stored by hash, but are needed by position,
 * so they are sorted first: key position, big-endian, value hash.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "merge_input.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "codec/json.h"
#include "format/cfx/cfx.h"
#include "format/cfx/cfx_damage.h"
#include "index/related.h"
#include "net/open_location.h"
#include "net/reach.h"
#include "words/words_build.h"

/* Indexes are read as streams, and hundreds of them at a time. */
#define BLOCK_CACHE_BYTES ((size_t)2 * CFS_CFX_BLOCK_BYTES)

/* ---- the index and its archives ---- */

/* Reads the rows about its archives, and what is behind them in a part. */
static int read_extras(struct cfs_merge_input *in, struct cfs_ctx ctx)
{
	struct cfs_cfx_joindata t;
	struct cfs_part part;
	uint64_t seal;
	int rc = CFS_OK;

	if (!cfs_cfx_has_joins(in->ix))
		return CFS_OK;
	cfs_buf_init(&in->about, CFS_CFX_JOINDATA_BLOCK_BYTES);
	cfs_cfx_part(in->ix, &part, &seal);
	cfs_cfx_joindata_init(&t, in->ix, CFS_CFX_JOINDATA_ARCHIVES);
	for (uint32_t i = 0; i < in->ix->archives && rc == CFS_OK; i++) {
		rc = cfs_cfx_joindata_fill(&t, NULL, ctx);
		if (rc != CFS_OK)
			break;
		in->archives[i].mtime_nsec = (uint32_t)cfs_cursor_varint(&t.in);
		for (unsigned k = 0; k < CFS_SKIPPED_KINDS; k++)
			in->archives[i].skipped[k] = cfs_cursor_varint(&t.in);
		if (t.in.bad)
			rc = CFS_END;
	}
	if (rc == CFS_OK && part.n > 0)
		rc = cfs_cfx_joindata_fill(&t, NULL, ctx);
	if (rc == CFS_END)
		rc = cfs_cfx_joindata_bad(&t, ctx.err);
	if (rc == CFS_OK && cfs_buf_add(&in->about, t.in.rest) != CFS_OK)
		rc = cfs_error_nomem(ctx.err);
	cfs_cfx_joindata_release(&t);
	return rc;
}

/* Reads the damage reports of its archives, lent by in->damage. */
static int read_damage(struct cfs_merge_input *in, struct cfs_ctx ctx)
{
	struct cfs_cursor c = { CFS_SLICE_EMPTY, false };
	struct cfs_slice report;
	uint32_t i;
	int rc;

	cfs_buf_init(&in->damage, CFS_CFX_DAMAGE_TABLE_MAX);
	rc = cfs_cfx_damage_read(in->ix, &in->damage, ctx);
	if (rc != CFS_OK)
		return rc;
	c.rest = cfs_buf_slice(&in->damage);
	while (cfs_cfx_damage_next(&c, in->ix->archives, &i, &report))
		in->archives[i].damage = report;
	return !c.bad ? CFS_OK :
			cfs_error_at(ctx.err, CFS_EFORMAT, in->location,
				     CFS_CFX_OFF_DAMAGE,
				     "table of damage is damaged");
}

/* The home in a remote index must be one that it may lead to (reach.h). */
static int check_home(const struct cfs_merge_input *in, struct cfs_error *err)
{
	const char *home = in->ix->home;
	const char *why = home == NULL ? NULL :
			  cfs_reach_refusal(in->location, home);

	return why == NULL ? CFS_OK :
	       cfs_error_at(err, CFS_EACCESS, in->location, 0,
			    "its archives are at '%.100s', but %s", home, why);
}

int cfs_merge_input_open(struct cfs_merge_input *in, const char *location,
			 struct cfs_error *err)
{
	struct cfs_source *src;
	int rc;

	*in = (struct cfs_merge_input){ .location = location };
	rc = cfs_location_open(&src, location, err);
	if (rc == CFS_OK)
		rc = cfs_cfx_open(&in->ix, src, BLOCK_CACHE_BYTES, err);
	return rc == CFS_OK ? check_home(in, err) : rc;
}

/* CFS_EUNSUPPORTED: it cannot be used for texts of that version. */
static int check_words(const struct cfs_merge_input *in, uint32_t view_version,
		       struct cfs_ctx ctx)
{
	const struct cfs_words_header *h = cfs_words_info(in->words);

	if (h->rules != CFS_WORDS_VERSION || h->view_version != view_version ||
	    in->ix->view_version != view_version)
		return cfs_error_set(ctx.err, CFS_EUNSUPPORTED, "is of texts "
				     "as another version makes them");
	return cfs_words_check(in->words, ctx);
}

int cfs_merge_input_words(struct cfs_merge_input *in, const char *path,
			  uint32_t view_version, struct cfs_ctx ctx)
{
	struct cfs_error e = CFS_ERROR_INIT;
	char *name = cfs_words_path(path);
	struct cfs_source *src;
	int rc = name == NULL ? cfs_error_nomem(ctx.err) :
		 cfs_location_open(&src, name, &e);

	if (name == NULL)
		return rc;
	if (rc == CFS_ENOTFOUND)
		goto out;
	if (rc == CFS_OK)
		rc = cfs_words_open(&in->words, src, in->ix,
				    CFS_CTX(ctx.cancel, &e));
	if (rc == CFS_OK)
		rc = check_words(in, view_version, CFS_CTX(ctx.cancel, &e));
	if (rc == CFS_OK)
		goto out;
	cfs_words_close(in->words);
	in->words = NULL;
	if (rc != CFS_EINTR && rc != CFS_ENOMEM)
		cfs_log(CFS_LOG_WARNING, "%s: %s: it is not used",
			name, e.text);
out:
	free(name);
	return rc == CFS_EINTR || rc == CFS_ENOMEM ?
		       cfs_error_pass(ctx.err, &e, rc) : CFS_OK;
}

int cfs_merge_input_archives(struct cfs_merge_input *in, const char *folder,
			     struct cfs_ctx ctx)
{
	uint32_t n = in->ix->archives;
	int rc;

	in->folder = strdup(folder);
	in->archives = calloc((size_t)n + 1, sizeof(*in->archives));
	in->numbers = calloc((size_t)n + 1, sizeof(*in->numbers));
	if (in->folder == NULL || in->archives == NULL || in->numbers == NULL)
		return cfs_error_nomem(ctx.err);
	for (uint32_t i = 0; i < n; i++) {
		struct cfs_cfx_archive a;
		char *name;

		cfs_cfx_archive(in->ix, i, &a);
		if (asprintf(&name, "%s%s", folder, a.name) < 0)
			return cfs_error_nomem(ctx.err);
		in->archives[i] = (struct cfs_builder_archive){
			.name = name, .size = a.size, .mtime = a.mtime };
	}
	rc = read_extras(in, ctx);
	return rc == CFS_OK ? read_damage(in, ctx) : rc;
}

void cfs_merge_input_close(struct cfs_merge_input *in)
{
	for (uint32_t i = 0; in->archives != NULL && i < in->ix->archives; i++)
		free((char *)(uintptr_t)in->archives[i].name);
	cfs_buf_release(&in->damage);
	cfs_buf_release(&in->about);
	free(in->archives);
	free(in->numbers);
	free(in->folder);
	cfs_words_close(in->words);
	cfs_index_close(in->ix);
	*in = (struct cfs_merge_input){ .location = NULL };
}

/* ---- references ---- */

struct sorting {
	struct cfs_merge_reader *r;
	const struct cfs_extsort_opts *opts;
};

static int sort_ref(void *arg, uint64_t hash, cfs_pos pos,
		    struct cfs_error *err)
{
	struct sorting *s = arg;
	uint8_t key[8], value[8];
	int rc = CFS_OK;

	if (s->r->refs == NULL)
		rc = cfs_extsort_new(&s->r->refs, s->opts, err);
	cfs_be64_put(key, pos);
	cfs_be64_put(value, hash);
	return rc != CFS_OK ? rc :
	       cfs_extsort_add(s->r->refs, 0, cfs_slice_of(key, sizeof(key)),
			       cfs_slice_of(value, sizeof(value)), err);
}

static int next_ref(struct cfs_merge_reader *r, struct cfs_error *err)
{
	int rc = cfs_extsort_next(r->refs, &r->ref_key, &r->ref_hash, err);

	r->has_ref = rc == CFS_OK;
	return rc == CFS_END ? CFS_OK : rc;
}

static int sort_refs(struct cfs_merge_reader *r,
		     const struct cfs_extsort_opts *opts, struct cfs_error *err)
{
	struct sorting s = { r, opts };
	int rc;

	if (cfs_cfx_has_joins(r->in->ix))
		return CFS_OK;
	rc = cfs_cfx_for_each_ref(r->in->ix, sort_ref, &s,
				  CFS_CTX(r->cancel, err));
	if (rc == CFS_OK && r->refs != NULL)
		rc = cfs_extsort_merge(r->refs, err);
	if (rc == CFS_OK && r->refs != NULL)
		rc = next_ref(r, err);
	return rc;
}

/* Takes the hashes by which revisits refer to the entry. */
static int take_refs(struct cfs_merge_reader *r, struct cfs_error *err)
{
	struct cfs_join_item *t = &r->page;
	int rc = CFS_OK;

	while (rc == CFS_OK && r->has_ref &&
	       cfs_be64_get(r->ref_key.p) <= r->w->it.pos) {
		if (cfs_be64_get(r->ref_key.p) == r->w->it.pos &&
		    t->n_asked < CFS_JOIN_ASKED_MAX)
			t->asked[t->n_asked++] = cfs_be64_get(r->ref_hash.p);
		rc = next_ref(r, err);
	}
	return rc;
}

/* ---- archives ---- */

/* False: the archive is left out. */
static bool renumber(const struct cfs_merge_reader *r, struct cfs_span *span)
{
	uint32_t n = span->file[0] < r->in->ix->archives ?
		     r->in->numbers[span->file[0]] : CFS_MERGE_NONE;

	span->file[0] = n;
	return n != CFS_MERGE_NONE;
}

/* Adds the folder's bytes to the size of metadata, which contains the archive's
 * name.  Metadata of ARC files depends on the name in other ways, too. */
static void lengthen(const struct cfs_merge_reader *r, struct cfs_capture *c)
{
	if (r->in->folder[0] == '\0')
		return;
	if (c->kind == CFS_KIND_ARC)
		c->views.known = 0;
	c->views.bytes[CFS_SLOT_META] += r->longer;
}

/* Makes the list of related records again, without those that annexes will
 * join.  `old` has the capture's place under its old number. */
static int renumber_related(struct cfs_merge_reader *r,
			    const struct cfs_capture *old,
			    struct cfs_error *err)
{
	struct cfs_capture *c = &r->page.e;
	struct cfs_related_near near = cfs_related_near(&c->loc);
	struct cfs_companion segments[CFS_SEGMENTS_MAX];
	unsigned n = cfs_related_segments(old, segments), i = 0;
	bool all = r->page.had & CFS_CFX_ID_RELATED;

	cfs_buf_reset(&r->related);
	for (unsigned what = 0; what < CFS_RELATED_COUNT; what++) {
		struct cfs_companion annex;

		if (!cfs_related_listed(old, what, &annex) ||
		    (!all && (what > CFS_RELATED_METADATA ||
			      annex.loc.file[0] != old->loc.file[0])) ||
		    !renumber(r, &annex.loc))
			continue;
		if (cfs_related_put(&r->related, &near, what, &annex) != CFS_OK)
			return cfs_error_nomem(err);
	}
	while (i < n && all && renumber(r, &segments[i].loc))
		cfs_related_put(&r->related, &near, CFS_RELATED_SEGMENT,
				&segments[i++]);
	if (r->related.failed != CFS_OK)
		return cfs_error_nomem(err);
	if (i < n) {		/* to be joined and measured again */
		r->page.is_segmented = true;
		c->body_is_exact = false;
		c->views.known = 0;
	}
	c->related = cfs_buf_slice(&r->related);
	return CFS_OK;
}

/* ---- pages ---- */

/* Fails because entries behind a damaged block are not known by their number,
 * by which the ids are theirs. */
static int lost_is_unknown(const struct cfs_merge_reader *r,
			   struct cfs_error *err)
{
	return cfs_error_at(err, CFS_EFORMAT, r->in->location, 0,
			    "cannot be merged: blocks are damaged, and how many "
			    "entries each of them had is not known");
}

/* Reads the head of an item of the list of ids: of how many entries it tells,
 * and what. */
static int begin_ids(struct cfs_merge_reader *r, struct cfs_error *err)
{
	struct cfs_cursor *in = &r->ids.in;
	int rc = cfs_cfx_joindata_fill(&r->ids, NULL, CFS_CTX(r->cancel, err));
	uint64_t v;

	if (rc == CFS_END && cfs_holes_count(&r->holes) > 0)
		return lost_is_unknown(r, err);
	if (rc == CFS_END)
		return cfs_cfx_joindata_bad(&r->ids, err);
	if (rc != CFS_OK)
		return rc;
	v = cfs_cursor_varint(in);
	r->run_bits = 0;
	if (v % 2 == 0) {
		r->run = v / 2;
	} else if (v / 2 <= CFS_CFX_ID_ALL) {
		r->run_bits = (unsigned)(v / 2);
		r->run = cfs_cursor_varint(in);
	}
	if (r->run == 0 || (v % 2 == 1 && r->run_bits == 0))
		in->bad = true;
	return in->bad ? cfs_cfx_joindata_bad(&r->ids, err) : CFS_OK;
}

/* Takes the hash of a bit of enum cfs_cfx_id, if it is there; else 0. */
static uint64_t take_id(struct cfs_merge_reader *r, unsigned bit)
{
	struct cfs_slice s;
	uint64_t hash = 0;

	if ((r->run_bits & bit) == 0)
		return 0;
	s = cfs_cursor_take(&r->ids.in, cfs_cfx_id_bytes(bit));
	for (size_t i = s.n; i-- > 0;)
		hash = hash << 8 | s.p[i];
	return cfs_cfx_short_hash(hash, cfs_cfx_id_bytes(bit));
}

/* Reads the entry's ids from the list: their bits, and their values into the
 * page. */
static int take_ids(struct cfs_merge_reader *r, unsigned *bits,
		    struct cfs_error *err)
{
	struct cfs_cursor *in = &r->ids.in;
	struct cfs_join_item *t = &r->page;
	int rc = CFS_OK;

	*bits = CFS_CFX_ID_TEXT | CFS_CFX_ID_META | CFS_CFX_ID_RELATED;
	if (!cfs_cfx_has_joins(r->in->ix))
		return CFS_OK;
	if (r->run == 0)
		rc = begin_ids(r, err);
	if (rc != CFS_OK)
		return rc;
	r->run--;
	*bits = r->run_bits;
	t->ref[0] = take_id(r, CFS_CFX_ID_ID);
	t->ref[1] = take_id(r, CFS_CFX_ID_DIGEST);
	t->own = take_id(r, CFS_CFX_ID_OWN);
	t->concurrent = take_id(r, CFS_CFX_ID_CONCURRENT);
	t->was_segmented = *bits & CFS_CFX_ID_SEGMENTED;
	if (*bits & CFS_CFX_ID_PAIR)
		cfs_view_bytes_take_pair(&t->e.views, in);
	if (*bits & CFS_CFX_ID_LIST)
		cfs_view_bytes_take_list(&t->e.views, in);
	return in->bad ? cfs_cfx_joindata_bad(&r->ids, err) : CFS_OK;
}

/* Reduces the entry to its own data: drops the annexes that the joindata
 * has. */
static int make_own(struct cfs_merge_reader *r, unsigned bits,
		    struct cfs_error *err)
{
	struct cfs_join_item *t = &r->page;
	struct cfs_capture *c = &t->e;
	const struct cfs_capture old = *c;

	t->what = CFS_JOIN_PAGE;
	t->id = c->kind == CFS_KIND_REVISIT ? 0 : t->ref[0];
	if (t->own == 0)
		t->own = t->id;
	t->had = bits & CFS_CFX_ID_RELATED;
	renumber(r, &c->loc);
	if (!(bits & CFS_CFX_ID_TEXT) || !renumber(r, &c->text.loc))
		c->text.kind = CFS_COMPANION_NONE;
	if (!(bits & CFS_CFX_ID_META) || !renumber(r, &c->meta.loc))
		c->meta.kind = CFS_COMPANION_NONE;
	if (r->in->ix->view_version != r->view_version)
		c->views.known = 0;
	lengthen(r, c);
	return c->related.n > 0 ? renumber_related(r, &old, err) : CFS_OK;
}

static int make_value(struct cfs_merge_reader *r, struct cfs_error *err)
{
	struct cfs_join_item *t = &r->page;
	int rc;

	cfs_buf_reset(&r->notes);
	rc = cfs_index_notes(r->in->ix, &t->e, &r->notes,
			     CFS_CTX(r->cancel, err));
	if (rc != CFS_OK)
		return rc;
	t->notes = cfs_buf_slice(&r->notes);
	cfs_buf_reset(&r->page_value);
	cfs_builder_value_encode(&r->page_value, t);
	return r->page_value.failed == CFS_OK ? CFS_OK :
	       cfs_error_set(err, r->page_value.failed, "an entry is too long");
}

/* After the last entry, checks that entries and list have the expected length:
 * missing ones would go unnoticed.  CFS_END, or a failure. */
static int end_pages(struct cfs_merge_reader *r, struct cfs_error *err)
{
	const struct cfs_index *ix = r->in->ix;
	int rc;

	if (r->entries != ix->captures && cfs_holes_count(&r->holes) > 0)
		return lost_is_unknown(r, err);
	if (r->entries != ix->captures)
		return cfs_error_at(err, CFS_EFORMAT, r->in->location,
				    CFS_CFX_OFF_CAPTURES, "has %" PRIu64
				    " captures, its header says %" PRIu64,
				    r->entries, ix->captures);
	if (!cfs_cfx_has_joins(ix))
		return CFS_END;
	rc = r->run > 0 ? CFS_OK :
	     cfs_cfx_joindata_fill(&r->ids, NULL, CFS_CTX(r->cancel, err));
	return rc == CFS_OK ? cfs_cfx_joindata_bad(&r->ids, err) : rc;
}

/* Steps to the next entry.  *is_taken: it is a page of the new index. */
static int step_page(struct cfs_merge_reader *r, bool *is_taken,
		     struct cfs_error *err)
{
	unsigned bits;
	int rc;

	r->w->ctx.err = err;
	rc = cfs_index_walk_next(r->w);
	r->page = (struct cfs_join_item){ .input = r->number };
	r->entries += rc == CFS_OK;
	if (rc == CFS_END)
		return end_pages(r, err);
	if (rc == CFS_OK)
		rc = cfs_index_capture(&r->w->it, &r->page.e, err);
	if (rc == CFS_OK)
		rc = take_ids(r, &bits, err);
	if (rc == CFS_OK)
		rc = take_refs(r, err);
	if (rc != CFS_OK)
		return rc;
	*is_taken = !(bits & CFS_CFX_ID_ANNEX) &&
		    r->in->numbers[r->page.e.loc.file[0]] != CFS_MERGE_NONE;
	if (*is_taken && !cfs_pick_takes_entry(r->pick, r->w->it.key,
					       &r->page.e)) {
		*is_taken = false;
		r->not_picked++;
	}
	return *is_taken ? make_own(r, bits, err) : CFS_OK;
}

int cfs_merge_reader_page(struct cfs_merge_reader *r, bool with_value,
			  struct cfs_error *err)
{
	bool is_taken = false;
	int rc = CFS_OK;

	while (rc == CFS_OK && !is_taken)
		rc = step_page(r, &is_taken, err);
	return rc == CFS_OK && with_value ? make_value(r, err) : rc;
}

/* ---- blocks that cannot be read ---- */

/* Counts the entries of a damaged block: what its head says, and what the heads
 * of all blocks lack of the number in the index's header.  Where more than one
 * head is wrong, end_pages notices. */
static int count_lost(struct cfs_merge_reader *r, uint32_t block, uint64_t *n,
		      struct cfs_ctx ctx)
{
	struct cfs_index *ix = r->in->ix;
	const bool is_first = r->claimed == 0;
	uint32_t one;
	int rc = CFS_OK;

	for (uint32_t i = 0; is_first && rc == CFS_OK && i < ix->blocks; i++) {
		rc = cfs_cfx_claimed(ix, i, &one, ctx);
		r->claimed += one;
	}
	if (rc == CFS_OK)
		rc = cfs_cfx_claimed(ix, block, &one, ctx);
	if (rc != CFS_OK)
		return rc;
	*n = one + ix->captures - r->claimed;
	return *n > 0 && *n < CFS_SLOTS_MAX ? CFS_OK :
					      lost_is_unknown(r, ctx.err);
}

/* Tells a damaged block, and passes over the ids of its entries. */
static int leave_out(void *arg, cfs_pos pos, const struct cfs_error *why)
{
	struct cfs_merge_reader *r = arg;
	struct cfs_ctx ctx = r->w->ctx;
	struct cfs_error told = CFS_ERROR_INIT;
	uint64_t n;
	unsigned bits;
	int rc = count_lost(r, cfs_pos_block(pos), &n, ctx);

	if (rc != CFS_OK)
		return rc;
	cfs_error_at(&told, why->code, why->where, why->offset,
		     "%.100s, with %" PRIu64 " entries", why->text, n);
	rc = cfs_holes_add(r->in->holes, pos, &told);
	r->entries += n;
	for (; rc == CFS_OK && n > 0; n--)
		rc = take_ids(r, &bits, ctx.err);
	return rc;
}

/* ---- opening ---- */

/* The size of a string in JSON. */
static uint64_t json_bytes(const char *s)
{
	CFS_BUF(b, SIZE_MAX);
	struct cfs_json j = { .out = &b };
	uint64_t n;

	cfs_json_str(&j, cfs_slice_str(s));
	n = b.n - 2;		/* without quotation marks */
	return n;
}

int cfs_merge_reader_open(struct cfs_merge_reader *r,
			  const struct cfs_merge_input *in, unsigned number,
			  const struct cfs_pick *pick, uint32_t view_version,
			  const struct cfs_extsort_opts *refs,
			  struct cfs_ctx ctx)
{
	int rc;

	*r = (struct cfs_merge_reader){ .in = in,
					.pick = pick,
					.cancel = ctx.cancel,
					.number = number,
					.view_version = view_version,
					.longer = json_bytes(in->folder) };
	cfs_holes_init(&r->holes);
	r->holes.found = leave_out;
	r->holes.arg = r;
	cfs_buf_init(&r->page_value, CFS_EXTSORT_ITEM_MAX);
	cfs_buf_init(&r->related, CFS_RELATED_LIST_MAX);
	cfs_buf_init(&r->notes, CFS_NOTES_MAX);
	cfs_buf_init(&r->annex_key, CFS_KEY_MAX);
	cfs_buf_init(&r->annex_value, CFS_EXTSORT_ITEM_MAX);
	cfs_cfx_joindata_init(&r->ids, in->ix, CFS_CFX_JOINDATA_IDS);
	cfs_cfx_joindata_init(&r->annexes, in->ix, CFS_CFX_JOINDATA_ANNEXES);
	rc = cfs_index_walk_new(&r->w, in->ix,
				in->holes != NULL ? &r->holes : NULL, ctx);
	return rc == CFS_OK ? sort_refs(r, refs, ctx.err) : rc;
}

void cfs_merge_reader_close(struct cfs_merge_reader *r)
{
	if (r->in == NULL)
		return;
	cfs_index_walk_free(r->w);
	cfs_holes_release(&r->holes);
	cfs_buf_release(&r->page_value);
	cfs_buf_release(&r->related);
	cfs_buf_release(&r->notes);
	cfs_buf_release(&r->annex_key);
	cfs_buf_release(&r->annex_value);
	cfs_cfx_joindata_release(&r->ids);
	cfs_cfx_joindata_release(&r->annexes);
	cfs_extsort_free(r->refs);
	*r = (struct cfs_merge_reader){ .in = NULL };
}

/* ---- annexes ---- */

/* Makes the annex from its value in the joindata, and its value in the new
 * index. */
static int take_annex(struct cfs_merge_reader *r, struct cfs_slice value,
		     struct cfs_error *err)
{
	struct cfs_join_item t = { .input = r->number };

	if (!cfs_builder_value_decode(value, &t) || t.what == CFS_JOIN_PAGE ||
	    !cfs_builder_value_renumber(&t, r->in->numbers,
					r->in->ix->archives))
		return cfs_cfx_joindata_bad(&r->annexes, err);
	/* the text of a WET file has view sizes of its own */
	if (t.what == CFS_JOIN_CONVERSION && t.e.views.known != 0)
		lengthen(r, &t.e);
	cfs_buf_reset(&r->annex_value);
	cfs_builder_value_encode(&r->annex_value, &t);
	if (r->annex_value.failed != CFS_OK)
		return cfs_error_set(err, r->annex_value.failed,
				     "what is joined is too long");
	r->annex = (struct cfs_join_item){ .input = r->number };
	return cfs_builder_value_decode(cfs_buf_slice(&r->annex_value),
					&r->annex) ? CFS_OK :
	       cfs_cfx_joindata_bad(&r->annexes, err);
}

static int step_annex(struct cfs_merge_reader *r, bool *is_taken,
		     struct cfs_error *err)
{
	struct cfs_cursor *in = &r->annexes.in;
	struct cfs_slice rest, value;
	uint64_t shared;
	bool is_new;
	int rc = cfs_cfx_joindata_fill(&r->annexes, &is_new,
				       CFS_CTX(r->cancel, err));

	if (rc != CFS_OK)
		return rc;
	shared = cfs_cursor_varint(in);
	rest = cfs_cursor_text(in);
	value = cfs_cursor_text(in);
	if (in->bad || shared > (is_new ? 0 : r->annex_key.n))
		return cfs_cfx_joindata_bad(&r->annexes, err);
	r->annex_key.n = shared;
	if (cfs_buf_add(&r->annex_key, rest) != CFS_OK)
		return cfs_cfx_joindata_bad(&r->annexes, err);
	rc = take_annex(r, value, err);
	if (rc != CFS_OK)
		return rc;
	*is_taken = r->annex.e.loc.file[0] != CFS_MERGE_NONE &&
		(r->annex.what == CFS_JOIN_CONVERSION ?
		 cfs_pick_takes_entry(r->pick, cfs_buf_slice(&r->annex_key),
				      &r->annex.e) :
		 cfs_pick_takes_key(r->pick, cfs_buf_slice(&r->annex_key)));
	return CFS_OK;
}

int cfs_merge_reader_annex(struct cfs_merge_reader *r, struct cfs_error *err)
{
	bool is_taken = false;
	int rc = CFS_OK;

	if (!cfs_cfx_has_joins(r->in->ix))
		return CFS_END;
	while (rc == CFS_OK && !is_taken)
		rc = step_annex(r, &is_taken, err);
	return rc;
}
