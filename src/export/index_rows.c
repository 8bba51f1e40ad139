/* index_rows.c - makes rows of the entries of an index, in their order.
 *
 * An index whose entries are in blocks is shared out by blocks, so that threads
 * decode entries side by side.  If there are prefixes, if several indexes were
 * joined, or if the order is that of archives, one thread walks through the
 * entries (row_walk.c).  Batches are the same whatever the number of threads.
 *
 * Behind all entries is a row for each place that was found damaged when the
 * index was made, as archives give one when they are read.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "drives.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/log.h"
#include "crawl/choices.h"
#include "crawl/fetch_hints.h"
#include "export_internal.h"
#include "index/picked.h"
#include "index_rows_internal.h"

/* Rows of a batch whose records are on a server, all of which are asked for at
 * once. */
#define ROWS_REMOTE 64u
/* After so many rows the rest is hinted again: there may not have been room for
 * all. */
#define ROWS_OF_HINT 8u
/* Entries of a batch of blocks, at least. */
#define ROWS_OF_BLOCKS 256u
#define ROWS_WITHOUT_RECORDS 4096u
/* Most bytes that the damage recorded in an index takes; that of crawlfs's own
 * has at most CFS_CFX_DAMAGE_BYTES, and a union that of each of its members. */
#define DAMAGE_ROWS_MAX ((size_t)64 << 20)

/* Archives whose lines are counted apart, or nearly so. */
#define TOLD 256u

struct index_rows {
	struct cfs_export_drive base;
	struct cfs_crawl *crawl;
	struct cfs_index *index;
	struct cfs_prefixes prefixes;	/* of the walk */
	cfs_export_set fields;
	bool reads_records, is_remote;
	/* By blocks: the next one, the last one, and how many at a time. */
	uint64_t block, last_block, blocks_per_batch;
	/* Else the walk. */
	struct cfs_row_walk *walk;
	bool is_over;
	bool has_damage_rows;		/* those are to come, behind all */
	uint64_t blocks_total;
	atomic_uint_least64_t blocks_done;
	atomic_uint told[TOLD];		/* lines on rows of an archive, by its
					 * name's hash */
};

struct index_batch {
	struct cfs_export_batch base;
	uint64_t from, to;		/* blocks; both 0: the positions */
	unsigned n;
	cfs_pos pos[CFS_ROW_WALK_MAX];
	/* The walk ended here, with this failure. */
	struct cfs_error failed;
	bool is_damage;			/* it has the rows of damage */
};

/* ---- the plan ------------------------------------------------------------ */

static int index_rows_next(struct cfs_export_drive *d,
			   struct cfs_export_batch **out, struct cfs_ctx ctx)
{
	struct index_rows *x = (struct index_rows *)d;
	struct index_batch *b;
	int rc = CFS_OK;

	*out = NULL;
	if (x->walk == NULL && x->block > x->last_block)
		x->is_over = true;
	if (x->is_over && !x->has_damage_rows)
		return CFS_OK;
	b = calloc(1, sizeof(*b));
	if (b == NULL)
		return cfs_error_nomem(ctx.err);
	cfs_export_batch_init(&b->base);
	if (x->is_over) {
		b->is_damage = true;
		x->has_damage_rows = false;
	} else if (x->walk == NULL) {
		b->from = x->block;
		x->block += x->blocks_per_batch;
		b->to = x->block <= x->last_block ? x->block :
						    x->last_block + 1;
	} else {
		rc = cfs_row_walk_next(x->walk, b->pos, &b->n,
					 CFS_CTX(ctx.cancel, &b->failed));
		x->is_over = b->n == 0;
		if (x->is_over && rc == CFS_OK) {
			free(b);
			return index_rows_next(d, out, ctx);
		}
	}
	if (rc != CFS_OK && rc != CFS_EFORMAT) {
		rc = cfs_error_pass(ctx.err, &b->failed, rc);
		free(b);
		return rc;
	}
	*out = &b->base;
	return CFS_OK;
}

static void index_rows_free_batch(struct cfs_export_batch *b)
{
	cfs_export_batch_release(b);
	free(b);
}

static void index_rows_progress(struct cfs_export_drive *d,
				struct cfs_progress *out)
{
	struct index_rows *x = (struct index_rows *)d;

	if (x->blocks_total > 0)
		out->fraction = (double)atomic_load(&x->blocks_done) /
			     (double)x->blocks_total;
}

static void index_rows_free(struct cfs_export_drive *d)
{
	struct index_rows *x = (struct index_rows *)d;

	cfs_row_walk_free(x->walk);
	cfs_prefixes_release(&x->prefixes);
	free(x);
}

/* ---- rows ---------------------------------------------------------------- */

struct index_filling {
	struct index_rows *x;
	struct index_batch *b;
	struct cfs_export_worker *w;
	struct cfs_entry *e;
	struct cfs_path path;		/* scratch */
	struct cfs_fetch_hints hints;
	struct cfs_error *err;
};

/* Adds a row for an entry, or a place in the index, that cannot be read. */
static int put_unreadable(struct index_filling *f, const struct cfs_error *why)
{
	cfs_log_error(CFS_LOG_WARNING, why);
	cfs_export_row_reset(&f->w->row);
	cfs_export_row_fail(&f->w->row, why->text);
	return cfs_export_put(f->w, &f->b->base, f->err);
}

/* Adds a row for a place of damage; archive and what end with a NUL. */
static int put_place(struct index_filling *f, struct cfs_slice archive,
		     uint64_t offset, struct cfs_slice what)
{
	struct cfs_error e = CFS_ERROR_INIT;

	cfs_error_at(&e, CFS_EFORMAT, (const char *)archive.p, offset, "%s",
		     (const char *)what.p);
	cfs_log_error(CFS_LOG_WARNING, &e);
	cfs_export_row_reset(&f->w->row);
	cfs_export_row_place(&f->w->row, f->w->opts->fields, CFS_SLICE_EMPTY,
			     archive, offset, 0);
	cfs_export_row_fail(&f->w->row, (const char *)what.p);
	return cfs_export_put(f->w, &f->b->base, f->err);
}

/* Logs why the row of the entry has an error.  An archive that is not there is
 * told once. */
static void tell_error(struct index_filling *f, int failed)
{
	struct cfs_slice why = f->w->row.text[CFS_EXPORT_ERROR];
	struct cfs_slice name = cfs_slice_str(f->e->archive_text);
	atomic_uint *told = &f->x->told[cfs_hash64(name, 0) % TOLD];
	struct cfs_error e = CFS_ERROR_INIT;

	if (failed == CFS_ENOTFOUND ? atomic_fetch_add(told, 1) > 0 :
	    !cfs_log_has_room(told, f->e->archive_text,
			      "more of its records cannot be read"))
		return;
	cfs_error_at(&e, CFS_EFORMAT, f->e->archive_text,
		     f->e->cap.loc.offset, "%.*s", (int)why.n,
		     (const char *)why.p);
	cfs_log_error(CFS_LOG_WARNING, &e);
}

/* Adds rows for lines beside the entry that are none. */
static int put_lost(struct index_filling *f)
{
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = CFS_OK;

	for (unsigned i = 0; rc == CFS_OK && cfs_index_lost(&f->e->it, i, &e);
	     i++) {
		cfs_error_hide_folder(&e);
		rc = put_place(f, cfs_slice_str(e.where), e.offset,
			       cfs_slice_str(e.text));
		cfs_error_clear(&e);
	}
	return rc;
}

/* Adds the row of the entry that e->it stands on, if it is shown. */
static int put_entry(struct index_filling *f, bool may_be_outside)
{
	struct cfs_index *ix = f->x->index;
	struct cfs_entry_row held = { .record = NULL };
	struct cfs_error e = CFS_ERROR_INIT;
	int rc;

	if (may_be_outside && (!cfs_index_holds(ix, f->e->it.key) ||
			       cfs_index_split(ix, f->e->it.key, &f->path) !=
				       CFS_OK))
		return CFS_OK;
	rc = put_lost(f);
	if (rc != CFS_OK)
		return rc;
	rc = cfs_index_capture(&f->e->it, &f->e->cap, &e);
	if (rc == CFS_OK)
		rc = cfs_entry_name(f->x->crawl, f->e, &e);
	if (rc == CFS_ENOTFOUND && e.code == CFS_OK)
		return CFS_OK;		/* hidden by a filter */
	if (cfs_code_is_trouble(rc))
		return cfs_error_pass(f->err, &e, rc);
	if (rc != CFS_OK)
		return put_unreadable(f, &e);
	cfs_export_row_reset(&f->w->row);
	rc = cfs_entry_row_fill(&f->w->row, f->w->opts->fields, f->x->crawl,
				f->e, &held, CFS_CTX(f->w->cancel, f->err));
	if (rc == CFS_OK &&
	    (f->w->row.has & CFS_EXPORT_BIT(CFS_EXPORT_ERROR)) != 0)
		tell_error(f, held.failed);
	if (rc == CFS_OK)
		rc = cfs_export_put(f->w, &f->b->base, f->err);
	else if (cfs_export_ends_with_row(f->w, rc))
		(void)cfs_export_put(f->w, &f->b->base, NULL);
	cfs_entry_row_release(&held);
	return rc;
}

/* Notes that a record will be read. */
static void prefetch_entry(struct index_filling *f)
{
	struct cfs_crawl *c = f->x->crawl;

	if (cfs_index_capture(&f->e->it, &f->e->cap, NULL) == CFS_OK &&
	    cfs_entry_name(c, f->e, NULL) == CFS_OK)
		cfs_fetch_hints_add_entry(&f->hints, f->e);
}

/* Hints what is to be read, from that number of what was noted on. */
static void prefetch(struct index_filling *f, size_t from)
{
	cfs_fetch_hints_give(&f->hints, f->x->crawl->store,
			     &cfs_near_many, from, NULL);
}

/* Calls for each entry of a block. */
static int each_of_block(struct index_filling *f, uint64_t block, bool ahead)
{
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = cfs_index_at(f->x->index, cfs_pos_make((uint32_t)block, 0),
			      &f->e->it, CFS_CTX(f->w->cancel, &e));

	while (rc == CFS_OK && cfs_pos_block(f->e->it.pos) == block) {
		if (ahead)
			prefetch_entry(f);
		else if ((rc = put_entry(f, true)) != CFS_OK)
			return rc;
		rc = cfs_index_next(&f->e->it, CFS_CTX(f->w->cancel, &e));
	}
	if (rc == CFS_OK || rc == CFS_END || ahead ||
	    (rc == CFS_ENOTFOUND && e.code == CFS_OK))
		return CFS_OK;
	if (!cfs_index_is_at_hole(&f->e->it, rc))
		return cfs_error_pass(f->err, &e, rc);
	/* another block has a batch of its own */
	return f->e->it.hole >> 16 == block ? put_unreadable(f, &e) : CFS_OK;
}

static int fill_blocks(struct index_filling *f)
{
	bool ahead = f->x->is_remote && f->x->reads_records;
	int rc = CFS_OK;

	for (uint64_t k = f->b->from; rc == CFS_OK && k < f->b->to; k++) {
		if (ahead)
			rc = each_of_block(f, k, true);
		prefetch(f, 0);
		cfs_fetch_hints_reset(&f->hints);
		if (rc == CFS_OK)
			rc = each_of_block(f, k, false);
		atomic_fetch_add(&f->x->blocks_done, 1);
	}
	return rc;
}

/* Notes the records of all positions; first[i]: the number of that of the i-th,
 * or of the next one. */
static void note_positions(struct index_filling *f, size_t *first)
{
	for (unsigned i = 0; i < f->b->n; i++) {
		first[i] = f->hints.n;
		if (cfs_index_at(f->x->index, f->b->pos[i], &f->e->it,
				 CFS_CTX(f->w->cancel, NULL)) == CFS_OK)
			prefetch_entry(f);
	}
}

static int fill_positions(struct index_filling *f)
{
	bool ahead = f->x->is_remote && f->x->reads_records;
	struct cfs_error e = CFS_ERROR_INIT;
	size_t first[CFS_ROW_WALK_MAX];
	int rc = CFS_OK;

	if (ahead)
		note_positions(f, first);
	for (unsigned i = 0; rc == CFS_OK && i < f->b->n; i++) {
		if (ahead && i % ROWS_OF_HINT == 0)
			prefetch(f, first[i]);
		cfs_error_clear(&e);
		rc = cfs_index_at(f->x->index, f->b->pos[i], &f->e->it,
				  CFS_CTX(f->w->cancel, &e));
		if (rc == CFS_OK)
			rc = put_entry(f, false);
		else if (cfs_index_is_at_hole(&f->e->it, rc) ||
			 rc == CFS_EFORMAT)
			rc = put_unreadable(f, &e);
		else
			rc = cfs_error_pass(f->err, &e, rc);
	}
	if (rc == CFS_OK && f->b->failed.code != CFS_OK)
		rc = put_unreadable(f, &f->b->failed);
	return rc;
}

/* ---- recorded damage ----------------------------------------------------- */

/* Appends a place of damage: archive and what it is, each ended by a NUL, with
 * the offset between them. */
static void keep_place(void *arg, const struct cfs_index_damage *d)
{
	struct cfs_buf *out = arg;
	uint8_t offset[8];

	cfs_be64_put(offset, d->offset);
	cfs_buf_add(out, d->archive);
	cfs_buf_addc(out, 0);
	cfs_buf_append(out, offset, sizeof(offset));
	if (d->count > 1)
		cfs_buf_addf(out, "%" PRIu64 " places: ", d->count);
	cfs_buf_add(out, d->what);
	cfs_buf_addc(out, 0);
}

static int fill_damage(struct index_filling *f)
{
	struct cfs_slice rest;
	CFS_BUF(places, DAMAGE_ROWS_MAX);
	int rc = cfs_index_damage(f->x->index, keep_place, &places,
				  CFS_CTX(f->w->cancel, f->err));

	if (rc == CFS_OK && places.failed != CFS_OK)
		rc = cfs_error_set(f->err, places.failed,
				   "too much damage is recorded");
	rest = cfs_buf_slice(&places);
	while (rc == CFS_OK && rest.n > 0) {
		struct cfs_slice archive = cfs_slice_split(&rest, 0);
		uint64_t offset = cfs_be64_get(rest.p);

		rest = cfs_slice_from(rest, 8);
		rc = put_place(f, archive, offset, cfs_slice_split(&rest, 0));
	}
	return rc;
}

static int index_rows_fill(struct cfs_export_drive *d,
			   struct cfs_export_batch *b,
			   struct cfs_export_worker *w, struct cfs_error *err)
{
	struct index_filling f = { .x = (struct index_rows *)d,
		.b = (struct index_batch *)b, .w = w,
		.e = cfs_entry_new(err), .err = err };
	int rc;

	if (f.e == NULL)
		return CFS_ENOMEM;
	cfs_fetch_hints_init(&f.hints);
	if (f.b->is_damage)
		rc = fill_damage(&f);
	else if (f.b->to > 0)
		rc = fill_blocks(&f);
	else
		rc = fill_positions(&f);
	cfs_fetch_hints_release(&f.hints);
	cfs_entry_free(f.e);
	return rc == CFS_END ? CFS_OK : rc;
}

/* Prefixes of a walk that cover nothing were logged by it. */
static void index_rows_explain(struct cfs_export_drive *d, uint64_t rows,
			       const struct cfs_cancel *cancel)
{
	struct index_rows *x = (struct index_rows *)d;

	if (x->index->whole != NULL)	/* any part may have nothing */
		return;
	if (rows == 0 && x->walk == NULL &&
	    cfs_picked_conditions(x->index) != NULL)
		cfs_choices_log_all(x->crawl, cancel);
	else if (rows == 0 && x->walk == NULL)
		cfs_log(CFS_LOG_WARNING, "%s: no capture is there",
			x->crawl->source);
}

static const struct cfs_export_drive_ops index_rows_ops = {
	.next = index_rows_next, .fill = index_rows_fill,
	.explain = index_rows_explain,
	.free_batch = index_rows_free_batch, .progress = index_rows_progress,
	.free = index_rows_free
};

/* ---- beginning ----------------------------------------------------------- */

/* Finds the block with the first entry >= key; one that cannot be read may be
 * it. */
static int find_block(struct cfs_index *ix, struct cfs_slice key,
		      struct cfs_iter *it, uint64_t *block, struct cfs_ctx ctx)
{
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = cfs_index_seek(ix, key, it, CFS_CTX(ctx.cancel, &e));

	if (rc == CFS_OK)
		*block = cfs_pos_block(it->pos);
	if (!cfs_index_is_at_hole(it, rc))
		return cfs_error_pass(ctx.err, &e, rc);
	*block = cfs_pos_block(it->hole);
	return CFS_OK;
}

/* Finds the blocks with the entries of the index, which may be a part. */
static int find_blocks(struct index_rows *x, struct cfs_ctx ctx)
{
	struct cfs_index *ix = x->index;
	struct cfs_iter *it = malloc(sizeof(*it));
	int rc = it != NULL ? CFS_OK : cfs_error_nomem(ctx.err);

	if (rc != CFS_OK)
		return rc;
	cfs_iter_init(it);
	x->last_block = cfs_index_whole(ix)->blocks - 1;
	if (ix->whole != NULL)
		rc = ix->held.n == 0 ? CFS_END :
		     find_block(ix->whole, ix->held.v[0].lo, it, &x->block,
				ctx);
	if (rc == CFS_OK && ix->whole != NULL) {
		const struct cfs_range *last = &ix->held.v[ix->held.n - 1];

		if (!last->hi_open)
			rc = find_block(ix->whole, last->hi, it, &x->last_block,
					ctx);
		rc = rc == CFS_END ? CFS_OK : rc;
	}
	x->is_over = rc == CFS_END;	/* the part is empty */
	cfs_iter_release(it);
	free(it);
	return rc == CFS_END ? CFS_OK : rc;
}

static int divide_blocks(struct index_rows *x, struct cfs_ctx ctx)
{
	const struct cfs_index *whole = cfs_index_whole(x->index);
	uint64_t per_block = whole->captures / whole->blocks + 1;
	uint64_t rows = ROWS_OF_BLOCKS;

	if (!x->reads_records)
		rows = ROWS_WITHOUT_RECORDS;
	else if (x->is_remote)
		rows = ROWS_REMOTE;
	x->blocks_per_batch = rows / per_block + 1;
	return find_blocks(x, ctx);
}

static bool has_prefixes(const struct cfs_index_rows_opts *opts)
{
	return opts->prefixes != NULL && opts->prefixes[0] != NULL;
}

static int begin_walk(struct index_rows *x,
		      const struct cfs_index_rows_opts *opts,
		      struct cfs_ctx ctx)
{
	static char root[] = "/";
	char *all[] = { root, NULL };
	struct cfs_row_walk_opts wo = { .prefixes = &x->prefixes,
		.per_batch = x->is_remote ? ROWS_REMOTE : CFS_ROW_WALK_MAX,
		.by_archive = opts->by_archive, .window = opts->window,
		.temp_dir = opts->temp_dir,
		.sort_bytes = opts->sort_bytes };
	int rc = cfs_prefixes_init(&x->prefixes, x->crawl,
				   has_prefixes(opts) ? opts->prefixes : all,
				   ctx);

	if (opts->by_archive || has_prefixes(opts))
		wo.part = opts->part;
	return rc == CFS_OK ? cfs_row_walk_new(&x->walk, &wo, ctx) : rc;
}

int cfs_index_rows_new(struct cfs_export_drive **out,
		       const struct cfs_index_rows_opts *opts,
		       struct cfs_ctx ctx)
{
	struct index_rows *x = calloc(1, sizeof(*x));
	int rc;

	*out = NULL;
	if (x == NULL)
		return cfs_error_nomem(ctx.err);
	x->base.ops = &index_rows_ops;
	x->crawl = opts->crawl;
	x->index = opts->crawl->index;
	x->fields = opts->fields;
	x->reads_records = cfs_export_made_of(opts->fields) != 0;
	x->is_remote = opts->crawl->cache != NULL;
	/* the last part has them */
	x->has_damage_rows = opts->part.k == opts->part.n;
	if (opts->by_archive || has_prefixes(opts) ||
	    cfs_index_whole(x->index)->is_merged ||
	    cfs_index_whole(x->index)->blocks == 0) {
		rc = begin_walk(x, opts, ctx);
	} else {
		rc = divide_blocks(x, ctx);
		x->blocks_total = x->is_over ? 0 : x->last_block - x->block + 1;
	}
	if (rc != CFS_OK) {
		index_rows_free(&x->base);
		return rc;
	}
	*out = &x->base;
	return CFS_OK;
}
