/* summary.c - divides an index among threads, and makes one summary of what
 * they have counted (see summary.h).
 *
 * The index is cut at keys into more ranges than there are threads, so that all
 * of them have work until the end.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "summary.h"

#include <stdlib.h>
#include <string.h>

#include "base/clamp.h"
#include "base/pool.h"
#include "counts.h"

/* Ranges for each thread; for the figures of a prefix, which may lie in one of
 * them only, more would be better, but each costs reading a block. */
#define RANGES_PER_THREAD 16u
#define THREADS_MAX 64u
#define PROGRESS_MS 100
#define CAPTURES_PER_REPORT 4096u
/* The limit for the texts of a summary: a row for each type and language, and
 * for domains, hosts and records. */
#define TEXT_MAX ((size_t)256 << 20)

struct summary_run {
	struct cfs_index *ix;
	const struct cfs_summary_opts *opts;
	struct cfs_buf *cuts;		/* n_ranges - 1 keys, which ascend */
	size_t n_ranges;
	struct cfs_counts *counts[THREADS_MAX];	/* of each thread; NULL: it has
						 * not begun */
	atomic_size_t ranges_done;
	atomic_uint_fast64_t captures;
};

const char *cfs_summary_by_name(enum cfs_summary_by by)
{
	static const char *const names[CFS_SUMMARY_BYS] = {
		"domain", "host", "type", "status", "language", "year" };

	return names[by];
}

/* ---- counting ------------------------------------------------------------ */

static struct cfs_slice range_from(const struct summary_run *r, size_t i)
{
	return i > 0 ? cfs_buf_slice(&r->cuts[i - 1]) : CFS_SLICE_EMPTY;
}

static struct cfs_slice range_to(const struct summary_run *r, size_t i)
{
	return i + 1 < r->n_ranges ? cfs_buf_slice(&r->cuts[i]) :
				     CFS_SLICE_EMPTY;
}

/* Counts the entries of the range that w is in. */
static int summary_entries(struct summary_run *r, struct cfs_counts *c,
			   struct cfs_index_walk *w)
{
	uint64_t n = 0, reported = 0;
	int rc;

	while ((rc = cfs_index_walk_next(w)) == CFS_OK) {
		rc = cfs_index_walk_take(w);
		if (rc == CFS_OK && cfs_counts_add(c, &w->it, &w->cap) !=
					    CFS_OK)
			rc = cfs_error_nomem(w->ctx.err);
		if (rc != CFS_OK && rc != CFS_ENOTFOUND)
			break;
		if (++n - reported == CAPTURES_PER_REPORT) {
			atomic_fetch_add(&r->captures, n - reported);
			reported = n;
		}
	}
	atomic_fetch_add(&r->captures, n - reported);
	return rc;
}

static int count_range(void *arg, size_t i, unsigned thread,
		       struct cfs_ctx ctx)
{
	struct summary_run *r = arg;
	struct cfs_counts *c = r->counts[thread];
	struct cfs_index_walk *w;
	int rc;

	if (c == NULL)
		c = r->counts[thread] = cfs_counts_new(r->opts->top,
						       r->opts->suffixes);
	if (c == NULL)
		return cfs_error_nomem(ctx.err);
	rc = cfs_index_walk_new(&w, r->ix, r->opts->holes, ctx);
	if (rc != CFS_OK)
		return rc;
	cfs_counts_begin(c, range_from(r, i), range_to(r, i));
	w->range = (struct cfs_range){ c->from, c->to, c->to.n == 0 };
	rc = summary_entries(r, c, w);
	if (rc == CFS_END && cfs_counts_end(c) != CFS_OK)
		rc = cfs_error_nomem(ctx.err);
	cfs_index_walk_free(w);
	atomic_fetch_add(&r->ranges_done, 1);
	return rc == CFS_END ? CFS_OK : rc;
}

static void show_counting(void *arg)
{
	struct summary_run *r = arg;
	struct cfs_progress p = {
		.captures = atomic_load(&r->captures),
		.fraction = (double)atomic_load(&r->ranges_done) /
			 (double)r->n_ranges };

	r->opts->progress(r->opts->arg, &p);
}

/* ---- cuts ---------------------------------------------------------------- */

/* All keys of one page shall be in one range, so the scheme at the end of a key
 * is no part of a cut. */
static void shorten_cut(const struct cfs_index *ix, struct cfs_buf *key)
{
	ptrdiff_t colon = cfs_slice_rfind(cfs_buf_slice(key), ':');

	if (!ix->is_ordered && colon > 0)
		key->n = (size_t)colon;
}

/* Cuts the index into up to n ranges. */
static int find_cuts(struct summary_run *r, unsigned n, struct cfs_ctx ctx)
{
	struct cfs_index *whole = cfs_index_whole(r->ix);
	int rc = CFS_OK;

	r->n_ranges = 1;
	r->cuts = calloc(n, sizeof(*r->cuts));
	if (r->cuts == NULL)
		return cfs_error_nomem(ctx.err);
	for (unsigned k = 1; k < n && rc == CFS_OK; k++) {
		struct cfs_buf *key = &r->cuts[r->n_ranges - 1];

		cfs_buf_init(key, CFS_KEY_MAX);
		rc = cfs_index_cut(whole, k, n, key, ctx);
		shorten_cut(whole, key);
		if (rc == CFS_OK &&
		    cfs_slice_cmp(cfs_buf_slice(key),
				  range_from(r, r->n_ranges - 1)) > 0)
			r->n_ranges++;
		else
			cfs_buf_release(key);
	}
	return rc == CFS_END ? CFS_OK : rc;
}

/* ---- all of it ----------------------------------------------------------- */

/* Adds up what the threads have counted, in the first one's. */
static int add_up_counts(struct summary_run *r, struct cfs_ctx ctx)
{
	int rc = CFS_OK;

	if (r->counts[0] == NULL)
		r->counts[0] = cfs_counts_new(r->opts->top, r->opts->suffixes);
	if (r->counts[0] == NULL)
		return cfs_error_nomem(ctx.err);
	for (unsigned i = 1; rc == CFS_OK && i < THREADS_MAX; i++) {
		if (r->counts[i] == NULL)
			continue;
		rc = cfs_counts_merge(r->counts[0], r->counts[i]);
		cfs_counts_free(r->counts[i]);
		r->counts[i] = NULL;
	}
	if (rc == CFS_OK)
		rc = cfs_counts_settle(r->counts[0]);
	return rc == CFS_OK ? rc : cfs_error_nomem(ctx.err);
}

static int summary_run_all(struct summary_run *r, struct cfs_summary *s,
			   struct cfs_ctx ctx)
{
	unsigned threads = r->opts->threads > 0 ? r->opts->threads :
						  cfs_processors();
	struct cfs_pool_calls calls = { .one = count_range, .arg = r };
	int rc;

	threads = (unsigned)cfs_clamp_u64(threads, 1, THREADS_MAX);
	rc = find_cuts(r, threads * RANGES_PER_THREAD, ctx);
	if (rc != CFS_OK)
		return rc;
	calls.threads = threads;
	calls.n = r->n_ranges;
	if (r->opts->progress != NULL) {
		calls.show = show_counting;
		calls.every_ms = PROGRESS_MS;
	}
	rc = cfs_pool_each(&calls, ctx);
	if (rc == CFS_OK)
		rc = add_up_counts(r, ctx);
	return rc == CFS_OK ? cfs_counts_take(r->counts[0], r->ix, s, ctx) : rc;
}

int cfs_summary_make(struct cfs_summary **out, struct cfs_index *ix,
		     const struct cfs_summary_opts *opts, struct cfs_ctx ctx)
{
	struct cfs_summary *s = calloc(1, sizeof(*s));
	struct summary_run r = { .ix = ix, .opts = opts };
	int rc;

	*out = NULL;
	if (s == NULL)
		return cfs_error_nomem(ctx.err);
	cfs_buf_init(&s->text, TEXT_MAX);
	s->strips_www = ix->strips_www;
	s->has_suffixes = opts->suffixes != NULL;
	if (s->has_suffixes)
		s->suffixes_time = cfs_suffixes_time(opts->suffixes);
	rc = summary_run_all(&r, s, ctx);
	for (unsigned i = 0; i < THREADS_MAX; i++)
		cfs_counts_free(r.counts[i]);
	for (size_t i = 0; r.cuts != NULL && i + 1 < r.n_ranges; i++)
		cfs_buf_release(&r.cuts[i]);
	free(r.cuts);
	if (rc == CFS_OK)
		*out = s;
	else
		cfs_summary_free(s);
	return rc;
}

void cfs_summary_free(struct cfs_summary *s)
{
	if (s == NULL)
		return;
	for (unsigned by = 0; by < CFS_SUMMARY_BYS; by++)
		free(s->by[by].v);
	free(s->largest);
	free(s->words.v);
	free(s->months.v);
	cfs_buf_release(&s->text);
	cfs_buf_release(&s->words_text);
	free(s);
}
