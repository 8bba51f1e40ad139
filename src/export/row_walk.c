/* row_walk.c - the thread that walks, and the queue behind it.
 *
 * The walk goes on while threads make rows, since it is the one part of an
 * export in index order that cannot be shared out: prefixes may overlap, and
 * the next entry of several joined indexes is known only once the last one was
 * passed.
 *
 * Where positions are wanted in the order of archives, or only a part of them,
 * they are sorted or counted in temporary files first (sort/extsort.h): parts
 * have equal numbers of rows then, however few entries the prefixes cover.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "index_rows_internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clamp.h"
#include "base/hash.h"
#include "base/sync.h"
#include "sort/extsort.h"
#include "source/near.h"

/* Most positions that wait in the queue. */
#define QUEUE_MAX ((size_t)16384)

/* Bytes of a key behind the archive's name: where the record is, and the number
 * of the entry in the walk. */
#define KEY_NUMBERS 24u

struct waiting {
	cfs_pos pos;
	bool is_first;			/* of a batch */
};

struct cfs_row_walk {
	struct cfs_row_walk_opts opts;
	const struct cfs_cancel *outer;	/* of the run */
	unsigned per_batch;
	pthread_t thread;
	/* Used by the thread: */
	struct cfs_holes holes;
	struct cfs_extsort *sorter;	/* NULL: positions go on at once */
	struct cfs_buf key;
	uint64_t walked;
	/* The last batch: its positions, and the first one's place. */
	unsigned in_batch;
	uint64_t batch_archive, batch_offset;
	struct cfs_error *err;
	struct cfs_cancel cancel;	/* of the thread */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* Guarded by lock: */
	struct waiting queue[QUEUE_MAX];	/* a ring */
	size_t first, n, n_batches;	/* the last of these may grow */
	bool is_ended, is_freed;
	int rc;
	struct cfs_error error;
};

static bool walk_should_stop(void *arg)
{
	struct cfs_row_walk *w = arg;
	bool yes;

	if (cfs_cancelled(w->outer))
		return true;
	pthread_mutex_lock(&w->lock);
	yes = w->is_freed;
	pthread_mutex_unlock(&w->lock);
	return yes;
}

/* True if a position is the first of another batch.  Records that are near one
 * another in an archive stay together, so that they come by one request however
 * small they are; key: of the sorter, or NULL. */
static bool begins_batch(struct cfs_row_walk *w, const struct cfs_slice *key)
{
	uint64_t archive = 0, offset = 0;

	if (key != NULL && w->opts.by_archive) {
		size_t n = key->n - KEY_NUMBERS;

		archive = cfs_hash64(cfs_slice_sub(*key, 0, n), 0);
		offset = cfs_be64_get(key->p + n);
	}
	if (w->in_batch > 0 && w->in_batch < CFS_ROW_WALK_MAX &&
	    (w->in_batch < w->per_batch ||
	     (archive == w->batch_archive && archive != 0 &&
	      offset - w->batch_offset < cfs_near_many.most))) {
		w->in_batch++;
		return false;
	}
	w->in_batch = 1;
	w->batch_archive = archive;
	w->batch_offset = offset;
	return true;
}

static int row_walk_put(struct cfs_row_walk *w, cfs_pos pos,
			const struct cfs_slice *key)
{
	struct waiting at = { pos, begins_batch(w, key) };
	int rc = CFS_OK;

	pthread_mutex_lock(&w->lock);
	while (w->n == QUEUE_MAX && !w->is_freed && !cfs_cancelled(w->outer))
		cfs_cond_wait(&w->changed, &w->lock, w->outer);
	if (w->n == QUEUE_MAX) {
		rc = CFS_EINTR;
	} else {
		w->queue[(w->first + w->n++) % QUEUE_MAX] = at;
		w->n_batches += at.is_first;
		if (at.is_first)
			pthread_cond_broadcast(&w->changed);
	}
	pthread_mutex_unlock(&w->lock);
	return rc;
}

/* Adds a position to those that are sorted; cap NULL: of damage, which comes
 * before all archives. */
static int row_walk_sort(struct cfs_row_walk *w, cfs_pos at,
			 const struct cfs_capture *cap)
{
	uint8_t numbers[KEY_NUMBERS], pos[8];
	struct cfs_index *ix = w->opts.prefixes->crawl->index;
	int rc = CFS_OK;

	memset(numbers, 0, sizeof(numbers));
	cfs_buf_reset(&w->key);
	if (w->opts.by_archive && cap != NULL) {
		rc = cfs_index_archive_name(ix, &cap->loc, &w->key, w->err);
		cfs_buf_addc(&w->key, 0);
		cfs_be64_put(numbers, cap->loc.offset);
		cfs_be64_put(numbers + 8, cap->loc.inner_offset);
	}
	cfs_be64_put(numbers + 16, w->walked++);
	cfs_be64_put(pos, at);
	cfs_buf_append(&w->key, numbers, sizeof(numbers));
	if (rc == CFS_OK && w->key.failed != CFS_OK)
		rc = cfs_error_nomem(w->err);
	return rc != CFS_OK ? rc :
	       cfs_extsort_add(w->sorter, 0, cfs_buf_slice(&w->key),
			       cfs_slice_of(pos, sizeof(pos)), w->err);
}

/* Begins to sort what is walked through from now on. */
static int row_walk_begin_sort(struct cfs_row_walk *w)
{
	const struct cfs_extsort_opts so = {
		.memory_bytes = w->opts.sort_bytes, .feeders = 1,
		.tmp_dir = w->opts.temp_dir, .cancel = &w->cancel };

	cfs_extsort_free(w->sorter);
	w->sorter = NULL;
	return so.tmp_dir != NULL ? cfs_extsort_new(&w->sorter, &so, w->err) :
	       cfs_error_set(w->err, CFS_EIO, "no folder for temporary files: "
			     "TMPDIR or --cache names one");
}

/* Hands out the part that is wanted of the sorted positions. */
static int row_walk_put_sorted(struct cfs_row_walk *w)
{
	const struct cfs_part *part = &w->opts.part;
	uint64_t to = cfs_extsort_count(w->sorter), from = 0, at = 0;
	struct cfs_slice key, value;
	int rc = cfs_extsort_merge(w->sorter, w->err);

	if (part->n > 0) {
		from = cfs_part_end_u64(to, part->k - 1, part->n);
		to = cfs_part_end_u64(to, part->k, part->n);
	}
	for (; rc == CFS_OK && at < to; at++) {
		rc = cfs_extsort_next(w->sorter, &key, &value, w->err);
		if (rc == CFS_OK && at >= from)
			rc = row_walk_put(w, cfs_be64_get(value.p), &key);
	}
	return rc;
}

/* Adds a position to the queue or to those that are sorted, whose window may be
 * full now. */
static int row_walk_add(struct cfs_row_walk *w, cfs_pos at,
			const struct cfs_capture *cap)
{
	int rc;

	if (w->sorter == NULL)
		return row_walk_put(w, at, NULL);
	rc = row_walk_sort(w, at, cap);
	if (rc != CFS_OK || w->opts.window == 0 ||
	    cfs_extsort_count(w->sorter) < w->opts.window)
		return rc;
	rc = row_walk_put_sorted(w);
	return rc == CFS_OK ? row_walk_begin_sort(w) : rc;
}

static int row_walk_on_entry(void *arg, const struct cfs_iter *it,
			     const struct cfs_capture *cap)
{
	return row_walk_add(arg, it->pos, cap);
}

/* The position of what cannot be read makes a row, too. */
static int row_walk_on_hole(void *arg, cfs_pos pos, const struct cfs_error *why)
{
	(void)why;
	return row_walk_add(arg, pos, NULL);
}

static int row_walk_run(struct cfs_row_walk *w, struct cfs_error *err)
{
	int rc = CFS_OK;

	w->err = err;
	cfs_buf_init(&w->key, CFS_EXTSORT_ITEM_MAX);
	if (w->opts.by_archive || w->opts.part.n > 0)
		rc = row_walk_begin_sort(w);
	if (rc == CFS_OK)
		rc = cfs_prefixes_each(w->opts.prefixes, &w->holes,
				       row_walk_on_entry, w,
				       CFS_CTX(&w->cancel, err));
	if (rc == CFS_OK && w->sorter != NULL)
		rc = row_walk_put_sorted(w);
	cfs_extsort_free(w->sorter);
	cfs_buf_release(&w->key);
	return rc;
}

static void *row_walk_thread(void *arg)
{
	struct cfs_row_walk *w = arg;
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = row_walk_run(w, &e);

	pthread_mutex_lock(&w->lock);
	w->is_ended = true;
	w->rc = rc;
	w->error = e;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

int cfs_row_walk_new(struct cfs_row_walk **out,
		       const struct cfs_row_walk_opts *opts,
		       struct cfs_ctx ctx)
{
	struct cfs_row_walk *w = calloc(1, sizeof(*w));

	*out = NULL;
	if (w == NULL)
		return cfs_error_nomem(ctx.err);
	w->opts = *opts;
	cfs_holes_init(&w->holes);
	w->holes.found = row_walk_on_hole;
	w->holes.arg = w;
	w->holes.tells_lines = w->holes.asks_entries = true;
	w->outer = ctx.cancel;
	w->per_batch = opts->per_batch;
	w->cancel = (struct cfs_cancel){ .asked = walk_should_stop, .arg = w };
	pthread_mutex_init(&w->lock, NULL);
	cfs_cond_init(&w->changed);
	if (!cfs_thread_start(&w->thread, row_walk_thread, w)) {
		pthread_cond_destroy(&w->changed);
		pthread_mutex_destroy(&w->lock);
		cfs_holes_release(&w->holes);
		free(w);
		return cfs_error_set(ctx.err, CFS_ENOMEM,
				     "cannot start a thread");
	}
	*out = w;
	return CFS_OK;
}

int cfs_row_walk_next(struct cfs_row_walk *w,
			cfs_pos out[CFS_ROW_WALK_MAX], unsigned *n,
			struct cfs_ctx ctx)
{
	int rc = CFS_OK;

	*n = 0;
	pthread_mutex_lock(&w->lock);
	while (w->n_batches < 2 && !w->is_ended && !cfs_cancelled(ctx.cancel))
		cfs_cond_wait(&w->changed, &w->lock, ctx.cancel);
	if (w->n_batches >= 2 || w->is_ended) {
		while (w->n > 0 && (*n == 0 || !w->queue[w->first].is_first)) {
			out[(*n)++] = w->queue[w->first].pos;
			w->first = (w->first + 1) % QUEUE_MAX;
			w->n--;
		}
		w->n_batches -= *n > 0;
		pthread_cond_broadcast(&w->changed);
		if (*n == 0)
			rc = w->rc;
		rc = cfs_error_pass(ctx.err, &w->error, rc);
	} else {
		rc = cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
	}
	pthread_mutex_unlock(&w->lock);
	return rc;
}

void cfs_row_walk_free(struct cfs_row_walk *w)
{
	if (w == NULL)
		return;
	pthread_mutex_lock(&w->lock);
	w->is_freed = true;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	pthread_cond_destroy(&w->changed);
	pthread_mutex_destroy(&w->lock);
	cfs_holes_release(&w->holes);
	free(w);
}
