/* extsort.c - external merge sort of (key, value) pairs.
 *
 * Each feeder has memory of its own (pairs.h); when that is full it is sorted
 * and becomes a run in a temporary file of that feeder (sortrun.h).  The end
 * merges what is in memory, if nothing was spilled, or else runs: as many at a
 * time as the memory has room for buffers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "extsort.h"

#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/pool.h"
#include "sortrun.h"

#define FAN_IN_MAX 128u
/* Runs of one sort: some terabytes. */
#define RUNS_MAX ((size_t)1 << 24)
/* Pairs between two questions whether to stop. */
#define CANCEL_EVERY 4096u

/* A run in memory or in a file, and the pair at hand. */
struct reader {
	const struct cfs_pairs *pairs;	/* NULL: in a file */
	size_t next;
	struct cfs_sortrun_reader file;
	struct cfs_slice key, value;
};

struct feeder {
	struct cfs_pairs pairs;
	struct cfs_sortrun_file file;
	uint64_t n;
};

struct cfs_extsort {
	struct cfs_extsort_opts opts;
	char *tmp_dir;
	struct feeder *feeders;
	size_t feeder_bytes;
	pthread_mutex_t lock;
	struct cfs_sortrun *runs;		/* guarded by lock while adding */
	size_t n_runs, cap_runs;	/* likewise */
	struct cfs_sortrun_file merged;	/* runs made of runs */
	atomic_uint sorting;		/* feeders whose sort at the end began */
	/* The merge: a binary heap of readers, least first. */
	struct reader *readers;
	struct reader **heap;
	unsigned n_readers, n_heap;
	bool started;			/* the least one has been handed out */
	unsigned since_cancel;
};

static int asked_to_stop(const struct cfs_extsort *s, struct cfs_error *err)
{
	return cfs_cancelled(s->opts.cancel) ?
		cfs_error_set(err, CFS_EINTR, "interrupted") : CFS_OK;
}

/* ---- adding ---- */

/* Ends a run and makes it known. */
static int end_run(struct cfs_extsort *s, struct cfs_sortrun_writer *w, int rc,
		   struct cfs_error *err)
{
	struct cfs_sortrun run;

	rc = cfs_sortrun_end(w, rc, &run, err);
	if (rc != CFS_OK)
		return rc;
	pthread_mutex_lock(&s->lock);
	rc = cfs_array_reserve((void **)&s->runs, &s->cap_runs, s->n_runs + 1,
			       sizeof(*s->runs), RUNS_MAX);
	if (rc == CFS_OK)
		s->runs[s->n_runs++] = run;
	pthread_mutex_unlock(&s->lock);
	return rc == CFS_OK ? rc : cfs_error_nomem(err);
}

static void sort_feeder(struct cfs_extsort *s, unsigned feeder)
{
	struct cfs_pairs *pairs = &s->feeders[feeder].pairs;

	cfs_pairs_sort(pairs);
	if (s->opts.sorted != NULL && pairs->n > 0)
		s->opts.sorted(s->opts.arg, feeder, pairs);
}

/* Writes what a feeder has sorted as a run and forgets it. */
static int spill(struct cfs_extsort *s, struct feeder *f,
		 struct cfs_error *err)
{
	struct cfs_sortrun_writer w;
	int rc = cfs_sortrun_begin(&w, &f->file, err);

	for (size_t i = 0; rc == CFS_OK && i < f->pairs.n; i++) {
		struct cfs_slice key, value;

		if (i % CANCEL_EVERY == 0)
			rc = asked_to_stop(s, err);
		cfs_pairs_get(&f->pairs, i, &key, &value);
		if (rc == CFS_OK)
			rc = cfs_sortrun_put(&w, key, value, err);
	}
	rc = end_run(s, &w, rc, err);
	if (rc == CFS_OK)
		cfs_pairs_clear(&f->pairs);
	return rc;
}

int cfs_extsort_add(struct cfs_extsort *s, unsigned feeder,
		    struct cfs_slice key, struct cfs_slice value,
		    struct cfs_error *err)
{
	struct feeder *f = &s->feeders[feeder];
	int rc;

	assert(feeder < s->opts.feeders && s->readers == NULL);
	if (key.n > CFS_EXTSORT_ITEM_MAX || value.n > CFS_EXTSORT_ITEM_MAX)
		return cfs_error_set(err, CFS_ELIMIT, "item is too long to sort");
	if (f->pairs.mem == NULL &&
	    cfs_pairs_init(&f->pairs, s->feeder_bytes) != CFS_OK)
		return cfs_error_nomem(err);
	if (!cfs_pairs_add(&f->pairs, key, value)) {
		sort_feeder(s, feeder);
		rc = spill(s, f, err);
		if (rc != CFS_OK)
			return rc;
		cfs_pairs_add(&f->pairs, key, value);	/* always has room */
	}
	f->n++;
	return CFS_OK;
}

/* ---- the heap ---- */

static int read_next(struct reader *r, struct cfs_error *err)
{
	if (r->pairs == NULL)
		return cfs_sortrun_next(&r->file, &r->key, &r->value, err);
	if (r->next == r->pairs->n)
		return CFS_END;
	cfs_pairs_get(r->pairs, r->next++, &r->key, &r->value);
	return CFS_OK;
}

static bool less(const struct reader *a, const struct reader *b)
{
	int c = cfs_slice_cmp(a->key, b->key);

	return c != 0 ? c < 0 : cfs_slice_cmp(a->value, b->value) < 0;
}

static void sift_down(struct cfs_extsort *s, unsigned i)
{
	struct reader *x = s->heap[i];

	for (;;) {
		unsigned child = 2 * i + 1;

		if (child >= s->n_heap)
			break;
		if (child + 1 < s->n_heap &&
		    less(s->heap[child + 1], s->heap[child]))
			child++;
		if (!less(s->heap[child], x))
			break;
		s->heap[i] = s->heap[child];
		i = child;
	}
	s->heap[i] = x;
}

static void free_readers(struct cfs_extsort *s)
{
	for (unsigned i = 0; i < s->n_readers; i++)
		if (s->readers[i].pairs == NULL)
			cfs_sortrun_reader_release(&s->readers[i].file);
	free(s->readers);
	free(s->heap);
	s->readers = NULL;
	s->heap = NULL;
	s->n_readers = s->n_heap = 0;
	s->started = false;
}

static int new_readers(struct cfs_extsort *s, unsigned n, struct cfs_error *err)
{
	s->readers = calloc(n + 1, sizeof(*s->readers));
	s->heap = calloc(n + 1, sizeof(*s->heap));
	return s->readers != NULL && s->heap != NULL ? CFS_OK :
	       cfs_error_nomem(err);
}

/* Reads the first pair of each and orders them. */
static int start_heap(struct cfs_extsort *s, struct cfs_error *err)
{
	s->n_heap = 0;
	for (unsigned i = 0; i < s->n_readers; i++) {
		int rc = read_next(&s->readers[i], err);

		if (rc < 0)
			return rc;
		if (rc == CFS_OK)
			s->heap[s->n_heap++] = &s->readers[i];
	}
	for (unsigned i = s->n_heap / 2; i-- > 0;)
		sift_down(s, i);
	s->started = false;
	return CFS_OK;
}

int cfs_extsort_next(struct cfs_extsort *s, struct cfs_slice *key,
		     struct cfs_slice *value, struct cfs_error *err)
{
	int rc;

	if (++s->since_cancel == CANCEL_EVERY) {
		s->since_cancel = 0;
		rc = asked_to_stop(s, err);
		if (rc != CFS_OK)
			return rc;
	}
	if (s->started && s->n_heap > 0) {
		rc = read_next(s->heap[0], err);
		if (rc < 0)
			return rc;
		if (rc == CFS_END)
			s->heap[0] = s->heap[--s->n_heap];
		if (s->n_heap > 1)
			sift_down(s, 0);
	}
	s->started = true;
	if (s->n_heap == 0)
		return CFS_END;
	*key = s->heap[0]->key;
	*value = s->heap[0]->value;
	return CFS_OK;
}

/* ---- merging ---- */

/* Merges from memory: nothing was spilled. */
static int merge_memory(struct cfs_extsort *s, struct cfs_error *err)
{
	int rc = new_readers(s, s->opts.feeders, err);

	if (rc != CFS_OK)
		return rc;
	for (; s->n_readers < s->opts.feeders; s->n_readers++)
		s->readers[s->n_readers].pairs =
			&s->feeders[s->n_readers].pairs;
	return start_heap(s, err);
}

/* Opens the first n runs. */
static int open_runs(struct cfs_extsort *s, unsigned n, size_t buffer_bytes,
		     struct cfs_error *err)
{
	int rc = new_readers(s, n, err);

	if (rc != CFS_OK)
		return rc;
	for (unsigned i = 0; i < n; i++, s->n_readers++)
		if (cfs_sortrun_reader_init(&s->readers[i].file, &s->runs[i],
					    s->tmp_dir, buffer_bytes) != CFS_OK)
			return cfs_error_nomem(err);
	return start_heap(s, err);
}

/* Puts one run in place of the first n, and gives their space back. */
static int merge_some(struct cfs_extsort *s, unsigned n, size_t buffer_bytes,
		      struct cfs_error *err)
{
	struct cfs_slice key, value;
	struct cfs_sortrun_writer w;
	int rc = cfs_sortrun_begin(&w, &s->merged, err);

	if (rc == CFS_OK)
		rc = open_runs(s, n, buffer_bytes, err);
	while (rc == CFS_OK) {
		rc = cfs_extsort_next(s, &key, &value, err);
		if (rc == CFS_OK)
			rc = cfs_sortrun_put(&w, key, value, err);
	}
	rc = end_run(s, &w, rc == CFS_END ? CFS_OK : rc, err);
	free_readers(s);
	if (rc != CFS_OK)
		return rc;
	/* may fail: then the space is free only at the end */
	for (unsigned i = 0; i < n; i++)
		(void)fallocate(s->runs[i].fd, FALLOC_FL_PUNCH_HOLE |
				FALLOC_FL_KEEP_SIZE, (off_t)s->runs[i].off,
				(off_t)s->runs[i].bytes);
	s->n_runs -= n;
	memmove(s->runs, s->runs + n, s->n_runs * sizeof(*s->runs));
	return CFS_OK;
}

static size_t clamp(size_t v, size_t least, size_t most)
{
	return v < least ? least : v > most ? most : v;
}

/* Spills what is in memory too, and uses the memory to read with. */
static int merge_files(struct cfs_extsort *s, struct cfs_error *err)
{
	size_t memory = s->feeder_bytes * s->opts.feeders, buffer_bytes;
	unsigned fan_in;
	int rc = CFS_OK;

	for (unsigned i = 0; rc == CFS_OK && i < s->opts.feeders; i++) {
		if (s->feeders[i].pairs.n > 0)
			rc = spill(s, &s->feeders[i], err);
		cfs_pairs_release(&s->feeders[i].pairs);
	}
	fan_in = (unsigned)clamp(memory / CFS_SORTRUN_BUFFER_MIN, 2, FAN_IN_MAX);
	buffer_bytes = clamp(memory / fan_in, CFS_SORTRUN_BUFFER_MIN,
			     CFS_SORTRUN_BUFFER_MAX);
	while (rc == CFS_OK && s->n_runs > fan_in)
		rc = merge_some(s, fan_in, buffer_bytes, err);
	return rc != CFS_OK ? rc :
	       open_runs(s, (unsigned)s->n_runs, buffer_bytes, err);
}

static void sort_feeders(void *arg)
{
	struct cfs_extsort *s = arg;
	unsigned i;

	while ((i = atomic_fetch_add(&s->sorting, 1)) < s->opts.feeders)
		sort_feeder(s, i);
}

int cfs_extsort_merge(struct cfs_extsort *s, struct cfs_error *err)
{
	struct cfs_pool pool;
	unsigned busy = 0;
	int rc = asked_to_stop(s, err);

	assert(s->readers == NULL);
	if (rc != CFS_OK)
		return rc;
	for (unsigned i = 0; i < s->opts.feeders; i++)
		busy += s->feeders[i].pairs.n > 1;
	cfs_pool_start(&pool, busy > 0 ? busy - 1 : 0, sort_feeders, s);
	sort_feeders(s);
	cfs_pool_join(&pool);
	return s->n_runs == 0 ? merge_memory(s, err) : merge_files(s, err);
}

uint64_t cfs_extsort_count(const struct cfs_extsort *s)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < s->opts.feeders; i++)
		n += s->feeders[i].n;
	return n;
}

int cfs_extsort_new(struct cfs_extsort **out,
		    const struct cfs_extsort_opts *opts,
		    struct cfs_error *err)
{
	struct cfs_extsort *s = calloc(1, sizeof(*s));

	*out = NULL;
	if (s == NULL)
		return cfs_error_nomem(err);
	assert(opts->feeders > 0);
	s->opts = *opts;
	pthread_mutex_init(&s->lock, NULL);
	s->feeder_bytes = opts->memory_bytes / opts->feeders;
	if (s->feeder_bytes < CFS_EXTSORT_MEMORY_MIN)
		s->feeder_bytes = CFS_EXTSORT_MEMORY_MIN;
	s->tmp_dir = strdup(opts->tmp_dir);
	s->merged = (struct cfs_sortrun_file){ s->tmp_dir, -1, 0 };
	s->feeders = calloc(opts->feeders, sizeof(*s->feeders));
	if (s->tmp_dir == NULL || s->feeders == NULL) {
		s->opts.feeders = 0;
		cfs_extsort_free(s);
		return cfs_error_nomem(err);
	}
	for (unsigned i = 0; i < opts->feeders; i++)
		s->feeders[i].file = s->merged;
	*out = s;
	return CFS_OK;
}

void cfs_extsort_free(struct cfs_extsort *s)
{
	if (s == NULL)
		return;
	free_readers(s);
	for (unsigned i = 0; i < s->opts.feeders; i++) {
		cfs_pairs_release(&s->feeders[i].pairs);
		cfs_sortrun_file_close(&s->feeders[i].file);
	}
	cfs_sortrun_file_close(&s->merged);
	free(s->feeders);
	free(s->runs);
	free(s->tmp_dir);
	pthread_mutex_destroy(&s->lock);
	free(s);
}
