/* merge.c - merges crawlfs indexes and the sorted pairs of other inputs.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "merge.h"

#include <stdlib.h>

/* Entries between two checks for cancellation. */
#define CANCEL_EVERY 4096u

/* One sorted sequence of pairs: an index's pages, its annexes, or the sort. */
struct merge_run {
	struct cfs_merge_reader *r;	/* NULL: the sort */
	bool has_annexes;
	unsigned input;
	struct cfs_slice key, value;
};

struct cfs_merge {
	struct cfs_merge_opts o;
	struct cfs_merge_reader *v;
	struct merge_run *heap;		/* smallest pair first */
	size_t n;
	bool has_begun;
	uint64_t steps;
	struct cfs_buf last;		/* the previous pair's key */
};

/* ---- runs ---- */

static int merge_step(struct cfs_merge *m, struct merge_run *run,
		      struct cfs_error *err)
{
	int rc;

	if (++m->steps % CANCEL_EVERY == 0 && cfs_cancelled(m->o.cancel))
		return cfs_error_set(err, CFS_EINTR, "interrupted");
	if (run->r == NULL)
		return cfs_extsort_next(m->o.sorted, &run->key, &run->value,
					err);
	if (run->has_annexes) {
		rc = cfs_merge_reader_annex(run->r, err);
		run->key = cfs_buf_slice(&run->r->annex_key);
		run->value = cfs_buf_slice(&run->r->annex_value);
		return rc;
	}
	rc = cfs_merge_reader_page(run->r, true, err);
	run->key = run->r->w->it.key;
	run->value = cfs_buf_slice(&run->r->page_value);
	if (rc == CFS_OK && m->o.advanced != NULL)
		m->o.advanced(m->o.arg);
	return rc;
}

/* ---- the heap ---- */

static bool merge_is_before(const struct merge_run *a,
			    const struct merge_run *b)
{
	int c = cfs_slice_cmp(a->key, b->key);

	if (c == 0)
		c = cfs_slice_cmp(a->value, b->value);
	return c != 0 ? c < 0 : a->input < b->input;
}

static void merge_sift_down(struct cfs_merge *m, size_t i)
{
	struct merge_run r = m->heap[i];

	for (;;) {
		size_t k = 2 * i + 1;

		if (k >= m->n)
			break;
		if (k + 1 < m->n && merge_is_before(&m->heap[k + 1],
						    &m->heap[k]))
			k++;
		if (!merge_is_before(&m->heap[k], &r))
			break;
		m->heap[i] = m->heap[k];
		i = k;
	}
	m->heap[i] = r;
}

/* Adds a run, unless it is empty; the caller orders the heap. */
static int merge_add_run(struct cfs_merge *m, struct merge_run run,
			 struct cfs_error *err)
{
	int rc = merge_step(m, &run, err);

	if (rc == CFS_OK)
		m->heap[m->n++] = run;
	return rc == CFS_END ? CFS_OK : rc;
}

/* Reads the first pair of each run, and orders the heap. */
static int merge_begin(struct cfs_merge *m, struct cfs_error *err)
{
	unsigned n = (unsigned)m->o.n_inputs;
	int rc = CFS_OK;

	m->has_begun = true;
	for (unsigned i = 0; i < 2 * n && rc == CFS_OK; i++)
		rc = merge_add_run(m, (struct merge_run){
				      .r = &m->v[i / 2],
				      .has_annexes = i % 2,
				      .input = i / 2 }, err);
	if (rc == CFS_OK && m->o.sorted != NULL)
		rc = merge_add_run(m,
				   (struct merge_run){ .r = NULL, .input = n },
				   err);
	for (size_t i = m->n / 2; i-- > 0;)
		merge_sift_down(m, i);
	return rc;
}

/* Steps the run of the last pair.  A run that is out of order is refused: its
 * entries would not be found in the new index. */
static int step_first(struct cfs_merge *m, struct cfs_error *err)
{
	struct merge_run *run = &m->heap[0];
	int rc;

	cfs_buf_reset(&m->last);
	if (cfs_buf_add(&m->last, run->key) != CFS_OK)
		return cfs_error_nomem(err);
	rc = merge_step(m, run, err);
	if (rc == CFS_END) {
		m->heap[0] = m->heap[--m->n];
		rc = CFS_OK;
	} else if (rc == CFS_OK && run->r != NULL &&
		   cfs_slice_cmp(run->key, cfs_buf_slice(&m->last)) < 0) {
		return cfs_error_at(err, CFS_EFORMAT, run->r->in->location, 0,
				    "%s are out of order",
				    run->has_annexes ? "joins" : "keys");
	}
	if (rc == CFS_OK && m->n > 0)
		merge_sift_down(m, 0);
	return rc;
}

int cfs_merge_next(struct cfs_merge *m, struct cfs_slice *key,
		   struct cfs_slice *value, unsigned *input,
		   struct cfs_error *err)
{
	int rc = !m->has_begun ? merge_begin(m, err) : step_first(m, err);

	if (rc != CFS_OK)
		return rc;
	if (m->n == 0)
		return CFS_END;
	*key = m->heap[0].key;
	*value = m->heap[0].value;
	*input = m->heap[0].input;
	return CFS_OK;
}

/* ---- opening and reading ---- */

int cfs_merge_open(struct cfs_merge **out, const struct cfs_merge_opts *opts,
		   struct cfs_error *err)
{
	struct cfs_merge *m = calloc(1, sizeof(*m));
	int rc = CFS_OK;

	*out = m;
	if (m == NULL)
		return cfs_error_nomem(err);
	m->o = *opts;
	cfs_buf_init(&m->last, CFS_EXTSORT_ITEM_MAX);
	m->v = calloc(opts->n_inputs + 1, sizeof(*m->v));
	m->heap = calloc(2 * opts->n_inputs + 1, sizeof(*m->heap));
	if (m->v == NULL || m->heap == NULL)
		rc = cfs_error_nomem(err);
	for (unsigned i = 0; rc == CFS_OK && i < opts->n_inputs; i++)
		rc = cfs_merge_reader_open(&m->v[i], &opts->inputs[i], i,
					   opts->pick, opts->view_version,
					   &opts->refs,
					   CFS_CTX(opts->cancel, err));
	if (rc != CFS_OK) {
		cfs_merge_close(m);
		*out = NULL;
	}
	return rc;
}

void cfs_merge_close(struct cfs_merge *m)
{
	if (m == NULL)
		return;
	for (size_t i = 0; m->v != NULL && i < m->o.n_inputs; i++)
		cfs_merge_reader_close(&m->v[i]);
	cfs_buf_release(&m->last);
	free(m->v);
	free(m->heap);
	free(m);
}

uint64_t cfs_merge_not_picked(const struct cfs_merge *m)
{
	uint64_t n = 0;

	for (size_t i = 0; i < m->o.n_inputs; i++)
		n += m->v[i].not_picked;
	return n;
}

static int merge_look_through(struct cfs_merge_reader *r,
			      const struct cfs_merge_opts *opts,
			      int (*fn)(void *arg, struct cfs_slice key,
					const struct cfs_join_item *item,
					struct cfs_error *err),
			      void *arg, struct cfs_error *err)
{
	uint64_t steps = 0;
	int rc;

	while ((rc = cfs_merge_reader_page(r, false, err)) == CFS_OK) {
		rc = fn(arg, r->w->it.key, &r->page, err);
		if (rc == CFS_OK && ++steps % CANCEL_EVERY == 0 &&
		    cfs_cancelled(opts->cancel))
			rc = cfs_error_set(err, CFS_EINTR, "interrupted");
		if (rc != CFS_OK)
			return rc;
		if (opts->advanced != NULL)
			opts->advanced(opts->arg);
	}
	while (rc == CFS_END &&
	       (rc = cfs_merge_reader_annex(r, err)) == CFS_OK) {
		rc = fn(arg, cfs_buf_slice(&r->annex_key), &r->annex, err);
		if (rc != CFS_OK)
			return rc;
		rc = CFS_END;
	}
	return rc == CFS_END ? CFS_OK : rc;
}

int cfs_merge_look(const struct cfs_merge_opts *opts,
		   int (*fn)(void *arg, struct cfs_slice key,
			     const struct cfs_join_item *item,
			     struct cfs_error *err),
		   void *arg, struct cfs_error *err)
{
	struct cfs_merge *m;
	int rc = cfs_merge_open(&m, opts, err);

	for (size_t i = 0; rc == CFS_OK && i < opts->n_inputs; i++)
		rc = merge_look_through(&m->v[i], opts, fn, arg, err);
	cfs_merge_close(m);
	return rc;
}
