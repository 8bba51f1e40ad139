/* extsort.c - external merge sort of (key, value) pairs.
 *
 * Each feeder has memory of its own (kv_array.h); when that is full it is
 * sorted and written as a run to a temporary file of that feeder.  At the end,
 * the feeders' memory is merged if nothing was spilled; else the runs are
 * merged, as many at a time as the memory has room for buffers.
 *
 * A run is a sequence of
 *
 *     varint bytes shared with the previous key, varint bytes of the rest of
 *     the key, varint bytes of the value, rest, value
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "extsort.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/clamp.h"
#include "base/fileio.h"
#include "base/pool.h"

#define FAN_IN_MAX 128u
/* Runs of one sort: enough for some terabytes. */
#define RUNS_MAX ((size_t)1 << 24)
/* Pairs between two checks for cancellation. */
#define CANCEL_EVERY 4096u

/* Size limits of a run's buffer, which must hold the longest pair. */
#define BUFFER_MIN ((size_t)3 * 65536)
#define BUFFER_MAX ((size_t)1 << 20)

/* A temporary file without a name; contains runs one after the other. */
struct run_file {
	int fd;			/* -1: not created yet */
	uint64_t bytes;
};

struct sort_run {
	int fd;			/* the run_file's, borrowed */
	uint64_t off, bytes;
};

/* Appends a run to a file, pair by pair in order. */
struct writer {
	const char *dir;	/* the file's folder, for messages */
	struct run_file *file;
	uint64_t start;
	struct cfs_buf out, last;
};

/* Reads a run from memory or from a file; has the current pair. */
struct run_reader {
	const struct cfs_kv_array *pairs;	/* NULL: reads a file */
	size_t next;
	const char *dir;		/* the file's folder, for messages */
	struct sort_run left;		/* the part not yet read into buf */
	uint8_t *buf;
	size_t cap, n, pos;
	struct cfs_buf key_bytes;
	struct cfs_slice key, value;
};

struct sort_feeder {
	struct cfs_kv_array pairs;
	struct run_file file;
	uint64_t n;
};

struct cfs_extsort {
	struct cfs_extsort_opts opts;
	char *tmp_dir;
	struct sort_feeder *feeders;
	size_t feeder_bytes;
	pthread_mutex_t lock;
	struct sort_run *runs;		/* guarded by lock while adding */
	size_t n_runs, cap_runs;	/* likewise */
	struct run_file merged;	/* contains runs merged from runs */
	/* Merging: a binary heap of readers, the smallest first. */
	struct run_reader *readers;
	struct run_reader **heap;
	unsigned n_readers, n_heap;
	bool started;			/* the smallest pair was returned */
	unsigned since_cancel;
};

static int extsort_asked_to_stop(const struct cfs_extsort *s,
				 struct cfs_error *err)
{
	return cfs_cancelled(s->opts.cancel) ?
		cfs_error_set(err, CFS_EINTR, "interrupted") : CFS_OK;
}

/* ---- writing runs ---- */

static int begin_run(struct cfs_extsort *s, struct writer *w,
		     struct run_file *file, struct cfs_error *err)
{
	*w = (struct writer){ .dir = s->tmp_dir, .file = file,
			      .start = file->bytes };
	cfs_buf_init(&w->out, BUFFER_MAX);
	cfs_buf_init(&w->last, CFS_KV_ARRAY_ITEM_MAX);
	if (file->fd < 0)
		file->fd = cfs_temp_file(w->dir);
	if (file->fd < 0)
		return cfs_error_at(err, CFS_EIO, w->dir, 0,
				    "cannot make a temporary file: %s",
				    strerror(errno));
	return CFS_OK;
}

static int extsort_flush(struct writer *w, struct cfs_error *err)
{
	struct run_file *f = w->file;
	size_t done;

	if (w->out.failed != CFS_OK || w->last.failed != CFS_OK)
		return cfs_error_nomem(err);
	done = cfs_write_at(f->fd, w->out.p, w->out.n, f->bytes);
	f->bytes += done;
	if (done < w->out.n)
		return cfs_error_at(err, CFS_EIO, w->dir, 0,
				    "cannot write a temporary file (%" PRIu64
				    " bytes so far): %s", f->bytes,
				    strerror(errno));
	cfs_buf_reset(&w->out);
	return CFS_OK;
}

static int extsort_put(struct writer *w, struct cfs_slice key,
		       struct cfs_slice value, struct cfs_error *err)
{
	size_t shared = cfs_slice_common(key, cfs_buf_slice(&w->last));
	int rc = CFS_OK;

	if (w->out.n > BUFFER_MAX - BUFFER_MIN)
		rc = extsort_flush(w, err);
	if (rc != CFS_OK)
		return rc;
	cfs_buf_varint(&w->out, shared);
	cfs_buf_varint(&w->out, key.n - shared);
	cfs_buf_varint(&w->out, value.n);
	cfs_buf_add(&w->out, cfs_slice_from(key, shared));
	cfs_buf_add(&w->out, value);
	w->last.n = shared;
	cfs_buf_add(&w->last, cfs_slice_from(key, shared));
	return CFS_OK;
}

/* Ends a run and adds it to s->runs.  rc: result of writing so far. */
static int extsort_end_run(struct cfs_extsort *s, struct writer *w, int rc,
			   struct cfs_error *err)
{
	if (rc == CFS_OK)
		rc = extsort_flush(w, err);
	cfs_buf_release(&w->out);
	cfs_buf_release(&w->last);
	if (rc != CFS_OK)
		return rc;
	pthread_mutex_lock(&s->lock);
	rc = cfs_array_reserve((void **)&s->runs, &s->cap_runs, s->n_runs + 1,
			       sizeof(*s->runs), RUNS_MAX);
	if (rc == CFS_OK)
		s->runs[s->n_runs++] = (struct sort_run){
			w->file->fd, w->start, w->file->bytes - w->start };
	pthread_mutex_unlock(&s->lock);
	return rc == CFS_OK ? rc : cfs_error_nomem(err);
}

/* ---- adding ---- */

/* Writes a feeder's sorted pairs as a run, then clears them. */
static int spill(struct cfs_extsort *s, struct sort_feeder *f,
		 struct cfs_error *err)
{
	struct writer w;
	int rc = begin_run(s, &w, &f->file, err);

	for (size_t i = 0; rc == CFS_OK && i < f->pairs.n; i++) {
		struct cfs_slice key, value;

		if (i % CANCEL_EVERY == 0)
			rc = extsort_asked_to_stop(s, err);
		cfs_kv_array_get(&f->pairs, i, &key, &value);
		if (rc == CFS_OK)
			rc = extsort_put(&w, key, value, err);
	}
	rc = extsort_end_run(s, &w, rc, err);
	if (rc == CFS_OK)
		cfs_kv_array_clear(&f->pairs);
	return rc;
}

int cfs_extsort_add(struct cfs_extsort *s, unsigned feeder,
		    struct cfs_slice key, struct cfs_slice value,
		    struct cfs_error *err)
{
	struct sort_feeder *f = &s->feeders[feeder];
	int rc;

	assert(feeder < s->opts.feeders && s->readers == NULL);
	if (key.n > CFS_EXTSORT_ITEM_MAX || value.n > CFS_EXTSORT_ITEM_MAX)
		return cfs_error_set(err, CFS_ELIMIT,
				     "item is too long to sort");
	if (f->pairs.mem == NULL &&
	    cfs_kv_array_init(&f->pairs, s->feeder_bytes) != CFS_OK)
		return cfs_error_nomem(err);
	if (!cfs_kv_array_add(&f->pairs, key, value)) {
		cfs_kv_array_sort(&f->pairs);
		rc = spill(s, f, err);
		if (rc != CFS_OK)
			return rc;
		cfs_kv_array_add(&f->pairs, key, value); /* now it has room */
	}
	f->n++;
	return CFS_OK;
}

/* ---- reading runs ---- */

/* Reads until the next pair, if there is one, is in the buffer. */
static int extsort_refill(struct run_reader *r, struct cfs_error *err)
{
	size_t want;

	if (r->n - r->pos >= BUFFER_MIN - 1024 || r->left.bytes == 0)
		return CFS_OK;
	memmove(r->buf, r->buf + r->pos, r->n - r->pos);
	r->n -= r->pos;
	r->pos = 0;
	want = r->cap - r->n;
	if (want > r->left.bytes)
		want = (size_t)r->left.bytes;
	if (cfs_read_at(r->left.fd, r->buf + r->n, want, r->left.off) < want)
		return cfs_error_at(err, CFS_EIO, r->dir, 0,
				    "cannot read a temporary file: %s",
				    errno != 0 ? strerror(errno) :
						 "it has shrunk");
	r->n += want;
	r->left.off += want;
	r->left.bytes -= want;
	return CFS_OK;
}

static int read_from_file(struct run_reader *r, struct cfs_error *err)
{
	struct cfs_cursor c;
	uint64_t shared, rest_n, value_n;
	int rc = extsort_refill(r, err);

	if (rc != CFS_OK)
		return rc;
	if (r->n == r->pos)
		return CFS_END;
	c = (struct cfs_cursor){ { r->buf + r->pos, r->n - r->pos }, false };
	shared = cfs_cursor_varint(&c);
	rest_n = cfs_cursor_varint(&c);
	value_n = cfs_cursor_varint(&c);
	if (shared > r->key_bytes.n)
		c.bad = true;
	r->key_bytes.n = c.bad ? 0 : (size_t)shared;
	cfs_buf_add(&r->key_bytes, cfs_cursor_take(&c, rest_n));
	r->value = cfs_cursor_take(&c, value_n);
	r->key = cfs_buf_slice(&r->key_bytes);
	r->pos = r->n - c.rest.n;
	if (r->key_bytes.failed == CFS_ENOMEM)
		return cfs_error_nomem(err);
	if (c.bad || r->key_bytes.failed != CFS_OK)
		return cfs_error_at(err, CFS_EIO, r->dir, 0,
				    "temporary file is damaged");
	return CFS_OK;
}

static int extsort_read_next(struct run_reader *r, struct cfs_error *err)
{
	if (r->pairs == NULL)
		return read_from_file(r, err);
	if (r->next == r->pairs->n)
		return CFS_END;
	cfs_kv_array_get(r->pairs, r->next++, &r->key, &r->value);
	return CFS_OK;
}

/* ---- the heap ---- */

static bool less(const struct run_reader *a, const struct run_reader *b)
{
	int c = cfs_slice_cmp(a->key, b->key);

	return c != 0 ? c < 0 : cfs_slice_cmp(a->value, b->value) < 0;
}

static void extsort_sift_down(struct cfs_extsort *s, unsigned i)
{
	struct run_reader *x = s->heap[i];

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
	for (unsigned i = 0; i < s->n_readers; i++) {
		free(s->readers[i].buf);
		cfs_buf_release(&s->readers[i].key_bytes);
	}
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

/* Reads the first pair of each reader and orders the readers. */
static int start_heap(struct cfs_extsort *s, struct cfs_error *err)
{
	s->n_heap = 0;
	for (unsigned i = 0; i < s->n_readers; i++) {
		int rc = extsort_read_next(&s->readers[i], err);

		if (rc < 0)
			return rc;
		if (rc == CFS_OK)
			s->heap[s->n_heap++] = &s->readers[i];
	}
	for (unsigned i = s->n_heap / 2; i-- > 0;)
		extsort_sift_down(s, i);
	s->started = false;
	return CFS_OK;
}

int cfs_extsort_next(struct cfs_extsort *s, struct cfs_slice *key,
		     struct cfs_slice *value, struct cfs_error *err)
{
	int rc;

	if (++s->since_cancel == CANCEL_EVERY) {
		s->since_cancel = 0;
		rc = extsort_asked_to_stop(s, err);
		if (rc != CFS_OK)
			return rc;
	}
	if (s->started && s->n_heap > 0) {
		rc = extsort_read_next(s->heap[0], err);
		if (rc < 0)
			return rc;
		if (rc == CFS_END)
			s->heap[0] = s->heap[--s->n_heap];
		if (s->n_heap > 1)
			extsort_sift_down(s, 0);
	}
	s->started = true;
	if (s->n_heap == 0)
		return CFS_END;
	*key = s->heap[0]->key;
	*value = s->heap[0]->value;
	return CFS_OK;
}

/* ---- merging ---- */

/* Merges the feeders' memory: nothing was spilled. */
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

/* Opens the first n runs for merging. */
static int open_runs(struct cfs_extsort *s, unsigned n, size_t buffer_bytes,
		     struct cfs_error *err)
{
	int rc = new_readers(s, n, err);

	if (rc != CFS_OK)
		return rc;
	while (s->n_readers < n) {
		struct run_reader *r = &s->readers[s->n_readers];

		*r = (struct run_reader){ .dir = s->tmp_dir,
				      .cap = buffer_bytes,
				      .left = s->runs[s->n_readers++],
				      .buf = malloc(buffer_bytes) };
		cfs_buf_init(&r->key_bytes, CFS_KV_ARRAY_ITEM_MAX);
		if (r->buf == NULL)
			return cfs_error_nomem(err);
	}
	return start_heap(s, err);
}

/* Merges the first n runs into one, and frees their space. */
static int extsort_merge_some(struct cfs_extsort *s, unsigned n,
			      size_t buffer_bytes, struct cfs_error *err)
{
	struct cfs_slice key, value;
	struct writer w;
	int rc = begin_run(s, &w, &s->merged, err);

	if (rc == CFS_OK)
		rc = open_runs(s, n, buffer_bytes, err);
	while (rc == CFS_OK) {
		rc = cfs_extsort_next(s, &key, &value, err);
		if (rc == CFS_OK)
			rc = extsort_put(&w, key, value, err);
	}
	rc = extsort_end_run(s, &w, rc == CFS_END ? CFS_OK : rc, err);
	free_readers(s);
	if (rc != CFS_OK)
		return rc;
	/* If this fails, the space is freed when the files are closed. */
	for (unsigned i = 0; i < n; i++)
		(void)fallocate(s->runs[i].fd, FALLOC_FL_PUNCH_HOLE |
				FALLOC_FL_KEEP_SIZE, (off_t)s->runs[i].off,
				(off_t)s->runs[i].bytes);
	s->n_runs -= n;
	memmove(s->runs, s->runs + n, s->n_runs * sizeof(*s->runs));
	return CFS_OK;
}

/* Spills what is left in memory, and uses that memory for reading buffers. */
static int merge_files(struct cfs_extsort *s, struct cfs_error *err)
{
	size_t memory = s->feeder_bytes * s->opts.feeders, buffer_bytes;
	unsigned fan_in;
	int rc = CFS_OK;

	for (unsigned i = 0; rc == CFS_OK && i < s->opts.feeders; i++) {
		if (s->feeders[i].pairs.n > 0)
			rc = spill(s, &s->feeders[i], err);
		cfs_kv_array_release(&s->feeders[i].pairs);
	}
	fan_in = (unsigned)cfs_clamp_u64(memory / BUFFER_MIN, 2, FAN_IN_MAX);
	buffer_bytes = (size_t)cfs_clamp_u64(memory / fan_in, BUFFER_MIN,
					     BUFFER_MAX);
	while (rc == CFS_OK && s->n_runs > fan_in)
		rc = extsort_merge_some(s, fan_in, buffer_bytes, err);
	return rc != CFS_OK ? rc :
	       open_runs(s, (unsigned)s->n_runs, buffer_bytes, err);
}

static int sort_feeder(void *arg, size_t i, unsigned thread, struct cfs_ctx ctx)
{
	struct cfs_extsort *s = arg;

	(void)thread, (void)ctx.cancel, (void)ctx;
	cfs_kv_array_sort(&s->feeders[i].pairs);
	return CFS_OK;
}

int cfs_extsort_merge(struct cfs_extsort *s, struct cfs_error *err)
{
	struct cfs_pool_calls calls = { .n = s->opts.feeders,
					.one = sort_feeder, .arg = s };
	int rc;

	assert(s->readers == NULL);
	for (unsigned i = 0; i < s->opts.feeders; i++)
		calls.threads += s->feeders[i].pairs.n > 1;
	rc = cfs_pool_each(&calls, CFS_CTX(s->opts.cancel, err));
	if (rc != CFS_OK)
		return rc;
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
		    const struct cfs_extsort_opts *opts, struct cfs_error *err)
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
	s->merged.fd = -1;
	s->feeders = calloc(opts->feeders, sizeof(*s->feeders));
	if (s->tmp_dir == NULL || s->feeders == NULL) {
		s->opts.feeders = 0;
		cfs_extsort_free(s);
		return cfs_error_nomem(err);
	}
	for (unsigned i = 0; i < opts->feeders; i++)
		s->feeders[i].file.fd = -1;
	*out = s;
	return CFS_OK;
}

static void close_file(struct run_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
}

void cfs_extsort_free(struct cfs_extsort *s)
{
	if (s == NULL)
		return;
	free_readers(s);
	for (unsigned i = 0; i < s->opts.feeders; i++) {
		cfs_kv_array_release(&s->feeders[i].pairs);
		close_file(&s->feeders[i].file);
	}
	close_file(&s->merged);
	free(s->feeders);
	free(s->runs);
	free(s->tmp_dir);
	pthread_mutex_destroy(&s->lock);
	free(s);
}
