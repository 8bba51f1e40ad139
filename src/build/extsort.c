/* extsort.c - external merge sort of (key, value) pairs (see extsort.h).
 *
 * In memory a feeder's pairs lie at the front of its arena as
 *     16 bits key length, 16 bits value length (host order), key, value
 * and grow towards an array of references that grows from the back.  They are
 * sorted by multikey quicksort with seven bytes of the key cached in each
 * reference (after Bentley and Sedgewick, and Kaerkkaeinen and Rantala's
 * "Engineering radix sort for strings").
 *
 * A run in a temporary file is a sequence of
 *     varint bytes shared with the key before, varint bytes of the rest of
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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fileio.h"

/* Bytes cached in a reference; the eighth says how many there were. */
#define CHUNK 7u
/* Up to this many are sorted by insertion. */
#define SMALL 12u
/* A run's read buffer holds at least one pair. */
#define READ_MIN ((size_t)3 * 65536)
#define READ_MAX ((size_t)1 << 20)
#define FAN_IN_MAX 128u
/* Pairs between two questions whether to stop. */
#define CANCEL_EVERY 4096u

struct ref {
	uint64_t word;	/* seven bytes big-endian, and their number or 8 */
	uint64_t off;	/* in the arena */
};

struct cfs_extsort_run {
	uint8_t *mem;
	size_t cap, used;	/* of the arena: bytes of pairs */
	size_t n;		/* references, at the end of the arena */
	struct ref *refs;	/* the last one added, or the first in order */
};

struct tmp_file {
	int fd;			/* -1: not made yet */
	uint64_t bytes;
};

struct file_run {
	int fd;
	uint64_t off, bytes;
};

/* Sequential reading of a run. */
struct reader {
	struct file_run at;
	uint8_t *buf;
	size_t cap, n, pos;
	struct cfs_buf key;
	/* Memory runs: */
	const struct cfs_extsort_run *run;
	size_t next;
	/* The pair at hand. */
	struct cfs_slice k, v;
};

struct feeder {
	struct cfs_extsort_run run;
	struct tmp_file tmp;
	uint64_t n;
};

struct cfs_extsort {
	struct cfs_extsort_opts opts;
	char *tmp_dir;
	struct feeder *feeders;
	size_t feeder_bytes;
	pthread_mutex_t lock;
	struct file_run *runs;		/* guarded by lock while adding */
	size_t n_runs, cap_runs;	/* likewise */
	struct tmp_file merged;		/* runs made of runs */
	/* The merge: a binary heap of readers, least first. */
	struct reader *readers;
	struct reader **heap;
	unsigned n_readers, n_heap;
	bool started;			/* the least one has been handed out */
	unsigned since_cancel;
};

/* ---- pairs in memory ---- */

static void pair_at(const struct cfs_extsort_run *run, uint64_t off,
		    struct cfs_slice *key, struct cfs_slice *value)
{
	const uint8_t *p = run->mem + off;
	uint16_t n[2];

	memcpy(n, p, sizeof(n));
	*key = (struct cfs_slice){ p + 4, n[0] };
	*value = (struct cfs_slice){ p + 4 + n[0], n[1] };
}

size_t cfs_extsort_run_count(const struct cfs_extsort_run *run)
{
	return run->n;
}

struct cfs_slice cfs_extsort_run_key(const struct cfs_extsort_run *run,
				     size_t i)
{
	struct cfs_slice k, v;

	pair_at(run, run->refs[i].off, &k, &v);
	return k;
}

struct cfs_slice cfs_extsort_run_value(const struct cfs_extsort_run *run,
				       size_t i)
{
	struct cfs_slice k, v;

	pair_at(run, run->refs[i].off, &k, &v);
	return v;
}

/* Seven bytes of s from off on, and in the lowest byte how many there are, 8
 * if it goes on: so words order as the strings do, and equal words that end
 * are equal strings. */
static uint64_t chunk_of(struct cfs_slice s, size_t off)
{
	const uint8_t *p = s.p + off;
	uint64_t w = 0;
	size_t n = s.n - off;

	if (n > CHUNK) {	/* so there are eight to read */
		w = (uint64_t)p[0] << 56 | (uint64_t)p[1] << 48 |
		    (uint64_t)p[2] << 40 | (uint64_t)p[3] << 32 |
		    (uint64_t)p[4] << 24 | (uint64_t)p[5] << 16 |
		    (uint64_t)p[6] << 8 | p[7];
		return (w & ~(uint64_t)0xff) | 8;
	}
	for (size_t i = 0; i < n; i++)
		w |= (uint64_t)p[i] << (56 - 8 * i);
	return w | n;
}

/* Chunk `depth` of a pair: those of the key, then those of the value. */
static uint64_t pair_chunk(const struct cfs_extsort_run *run, uint64_t off,
			   uint32_t depth)
{
	struct cfs_slice k, v;
	size_t chunks;

	pair_at(run, off, &k, &v);
	chunks = k.n / CHUNK + 1;
	if (k.n > 0 && k.n % CHUNK == 0)
		chunks--;
	if (depth < chunks)
		return chunk_of(k, (size_t)depth * CHUNK);
	return chunk_of(v, (size_t)(depth - chunks) * CHUNK);
}

static int pair_cmp(const struct cfs_extsort_run *run, const struct ref *a,
		    const struct ref *b)
{
	struct cfs_slice ka, va, kb, vb;
	int c;

	if (a->word != b->word)
		return a->word < b->word ? -1 : 1;
	pair_at(run, a->off, &ka, &va);
	pair_at(run, b->off, &kb, &vb);
	c = cfs_slice_cmp(ka, kb);
	return c != 0 ? c : cfs_slice_cmp(va, vb);
}

static void insertion_sort(const struct cfs_extsort_run *run, struct ref *r,
			   size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct ref x = r[i];
		size_t j = i;

		for (; j > 0 && pair_cmp(run, &x, &r[j - 1]) < 0; j--)
			r[j] = r[j - 1];
		r[j] = x;
	}
}

static uint64_t median(uint64_t a, uint64_t b, uint64_t c)
{
	if (a < b)
		return b < c ? b : a < c ? c : a;
	return a < c ? a : b < c ? c : b;
}

static uint64_t choose_pivot(const struct ref *r, size_t n)
{
	size_t e = n / 8;

	if (n < 64)
		return median(r[0].word, r[n / 2].word, r[n - 1].word);
	return median(median(r[0].word, r[e].word, r[2 * e].word),
		      median(r[3 * e].word, r[4 * e].word, r[5 * e].word),
		      median(r[6 * e].word, r[7 * e].word, r[n - 1].word));
}

static void swap_refs(struct ref *a, struct ref *b)
{
	struct ref t = *a;

	*a = *b;
	*b = t;
}

/* Splits into less, equal, greater: [0, *lt), [*lt, *gt), [*gt, n). */
static void partition(struct ref *r, size_t n, uint64_t pivot, size_t *lt,
		      size_t *gt)
{
	size_t i = 0;

	*lt = 0;
	*gt = n;
	while (i < *gt) {
		if (r[i].word < pivot)
			swap_refs(&r[i++], &r[(*lt)++]);
		else if (r[i].word > pivot)
			swap_refs(&r[i], &r[--*gt]);
		else
			i++;
	}
}

struct span {
	struct ref *r;
	size_t n;
	uint32_t depth;
};

/* The pairs of a span have equal chunks before `depth`; their words hold
 * chunk `depth`.  True if the equal ones have more to compare. */
static bool go_deeper(const struct cfs_extsort_run *run, struct span *s)
{
	struct cfs_slice k, v;
	size_t chunks;

	if ((s->r[0].word & 0xff) == 8)
		goto deeper;
	/* the key has ended, or the value: then they are the same */
	pair_at(run, s->r[0].off, &k, &v);
	chunks = k.n > 0 ? (k.n + CHUNK - 1) / CHUNK : 1;
	if (s->depth >= chunks)
		return false;
deeper:
	s->depth++;
	for (size_t i = 0; i < s->n; i++)
		s->r[i].word = pair_chunk(run, s->r[i].off, s->depth);
	return true;
}

/* Spans wait on a stack.  The largest part is always done at once, the other
 * two are no more than half: so the stack holds twice the logarithm. */
static void sort_run(struct cfs_extsort_run *run)
{
	struct span stack[2 * 64 + 2], s = { run->refs, run->n, 0 };
	unsigned top = 0;

	for (;;) {
		struct span part[3];
		size_t lt, gt;
		unsigned big = 0;

		if (s.n <= SMALL) {
			insertion_sort(run, s.r, s.n);
			if (top == 0)
				return;
			s = stack[--top];
			continue;
		}
		partition(s.r, s.n, choose_pivot(s.r, s.n), &lt, &gt);
		part[0] = (struct span){ s.r, lt, s.depth };
		part[1] = (struct span){ s.r + lt, gt - lt, s.depth };
		part[2] = (struct span){ s.r + gt, s.n - gt, s.depth };
		if (part[1].n > 1 && !go_deeper(run, &part[1]))
			part[1].n = 0;
		for (unsigned i = 1; i < 3; i++)
			if (part[i].n > part[big].n)
				big = i;
		for (unsigned i = 0; i < 3; i++)
			if (i != big && part[i].n > 1)
				stack[top++] = part[i];
		s = part[big];
	}
}

/* ---- temporary files ---- */

static int tmp_open(const struct cfs_extsort *s, struct tmp_file *t,
		    struct cfs_error *err)
{
	if (t->fd < 0)
		t->fd = cfs_temp_file(s->tmp_dir);
	if (t->fd < 0)
		return cfs_error_at(err, CFS_EIO, s->tmp_dir, 0,
				    "cannot make a temporary file: %s",
				    strerror(errno));
	return CFS_OK;
}

static int tmp_write(const struct cfs_extsort *s, struct tmp_file *t,
		     const uint8_t *p, size_t n, struct cfs_error *err)
{
	size_t done = cfs_write_at(t->fd, p, n, t->bytes);

	t->bytes += done;
	if (done < n)
		return cfs_error_at(err, CFS_EIO, s->tmp_dir, 0,
				    "cannot write a temporary file (%" PRIu64
				    " bytes so far): %s", t->bytes,
				    strerror(errno));
	return CFS_OK;
}

/* Writes a run pair by pair. */
struct run_writer {
	struct cfs_extsort *s;
	struct tmp_file *file;
	uint64_t start;
	struct cfs_buf out, last;
};

static int run_begin(struct run_writer *w, struct cfs_extsort *s,
		     struct tmp_file *file, struct cfs_error *err)
{
	int rc = tmp_open(s, file, err);

	*w = (struct run_writer){ .s = s, .file = file, .start = file->bytes };
	cfs_buf_init(&w->out, READ_MAX);
	cfs_buf_init(&w->last, CFS_EXTSORT_ITEM_MAX);
	return rc;
}

static int run_flush(struct run_writer *w, struct cfs_error *err)
{
	int rc = w->out.failed != CFS_OK || w->last.failed != CFS_OK ?
		cfs_error_set(err, CFS_ENOMEM, "out of memory") :
		tmp_write(w->s, w->file, w->out.p, w->out.n, err);

	cfs_buf_reset(&w->out);
	return rc;
}

static int run_put(struct run_writer *w, struct cfs_slice key,
		   struct cfs_slice value, struct cfs_error *err)
{
	size_t shared = cfs_slice_common(key, cfs_buf_slice(&w->last));
	int rc = CFS_OK;

	if (w->out.n > READ_MAX - READ_MIN)
		rc = run_flush(w, err);
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

/* Makes the run known; frees the writer in any case. */
static int run_end(struct run_writer *w, int rc, struct cfs_error *err)
{
	struct cfs_extsort *s = w->s;

	if (rc == CFS_OK)
		rc = run_flush(w, err);
	cfs_buf_release(&w->out);
	cfs_buf_release(&w->last);
	if (rc != CFS_OK)
		return rc;
	pthread_mutex_lock(&s->lock);
	if (s->n_runs == s->cap_runs) {
		size_t cap = s->cap_runs ? s->cap_runs * 2 : 16;
		struct file_run *p = realloc(s->runs, cap * sizeof(*p));

		if (p == NULL)
			rc = cfs_error_set(err, CFS_ENOMEM, "out of memory");
		else {
			s->runs = p;
			s->cap_runs = cap;
		}
	}
	if (rc == CFS_OK)
		s->runs[s->n_runs++] = (struct file_run){
			w->file->fd, w->start, w->file->bytes - w->start };
	pthread_mutex_unlock(&s->lock);
	return rc;
}

static int asked_to_stop(const struct cfs_extsort *s, struct cfs_error *err)
{
	return cfs_cancelled(s->opts.cancel) ?
		cfs_error_set(err, CFS_EINTR, "interrupted") : CFS_OK;
}

/* ---- adding ---- */

static void run_clear(struct cfs_extsort_run *run)
{
	run->used = run->n = 0;
	run->refs = (struct ref *)(void *)(run->mem + run->cap);
}

static void sort_and_tell(struct cfs_extsort *s, unsigned feeder)
{
	struct cfs_extsort_run *run = &s->feeders[feeder].run;

	sort_run(run);
	if (s->opts.sorted != NULL && run->n > 0)
		s->opts.sorted(s->opts.arg, feeder, run);
}

/* Writes a sorted run out and forgets it. */
static int spill(struct cfs_extsort *s, struct feeder *f,
		 struct cfs_error *err)
{
	struct run_writer w;
	int rc = run_begin(&w, s, &f->tmp, err);

	for (size_t i = 0; rc == CFS_OK && i < f->run.n; i++) {
		struct cfs_slice k, v;

		if (i % CANCEL_EVERY == 0)
			rc = asked_to_stop(s, err);
		pair_at(&f->run, f->run.refs[i].off, &k, &v);
		if (rc == CFS_OK)
			rc = run_put(&w, k, v, err);
	}
	rc = run_end(&w, rc, err);
	if (rc == CFS_OK)
		run_clear(&f->run);
	return rc;
}

static int alloc_arena(struct cfs_extsort *s, struct cfs_extsort_run *run,
		       struct cfs_error *err)
{
	/* whole references, so that those at the end are aligned */
	run->cap = s->feeder_bytes / sizeof(struct ref) * sizeof(struct ref);
	run->mem = malloc(run->cap);
	if (run->mem == NULL)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	run_clear(run);
	return CFS_OK;
}

int cfs_extsort_add(struct cfs_extsort *s, unsigned feeder,
		    struct cfs_slice key, struct cfs_slice value,
		    struct cfs_error *err)
{
	struct feeder *f = &s->feeders[feeder];
	struct cfs_extsort_run *run = &f->run;
	size_t need = 4 + key.n + value.n + sizeof(struct ref);
	uint16_t n[2] = { (uint16_t)key.n, (uint16_t)value.n };
	int rc = CFS_OK;
	uint8_t *p;

	assert(feeder < s->opts.feeders && s->readers == NULL);
	if (key.n > CFS_EXTSORT_ITEM_MAX || value.n > CFS_EXTSORT_ITEM_MAX)
		return cfs_error_set(err, CFS_ELIMIT, "item is too long to sort");
	if (run->mem == NULL)
		rc = alloc_arena(s, run, err);
	if (rc == CFS_OK && need > run->cap - run->used -
				   run->n * sizeof(struct ref)) {
		sort_and_tell(s, feeder);
		rc = spill(s, f, err);
	}
	if (rc != CFS_OK)
		return rc;
	p = run->mem + run->used;
	memcpy(p, n, sizeof(n));
	memcpy(p + 4, key.p, key.n);
	memcpy(p + 4 + key.n, value.p, value.n);
	run->refs--;
	run->refs[0] = (struct ref){ chunk_of(key, 0), run->used };
	run->used += 4 + key.n + value.n;
	run->n++;
	f->n++;
	return CFS_OK;
}

/* ---- reading runs ---- */

/* Has at least n bytes in the buffer, or all that are left. */
static int refill(struct cfs_extsort *s, struct reader *r, size_t n,
		  struct cfs_error *err)
{
	if (r->n - r->pos >= n || r->at.bytes == 0)
		return CFS_OK;
	memmove(r->buf, r->buf + r->pos, r->n - r->pos);
	r->n -= r->pos;
	r->pos = 0;
	while (r->n < r->cap && r->at.bytes > 0) {
		size_t want = r->cap - r->n;
		ssize_t got;

		if (want > r->at.bytes)
			want = (size_t)r->at.bytes;
		got = pread(r->at.fd, r->buf + r->n, want, (off_t)r->at.off);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return cfs_error_at(err, CFS_EIO, s->tmp_dir, 0,
					    "cannot read a temporary file: %s",
					    got < 0 ? strerror(errno) :
						      "it has shrunk");
		r->n += (size_t)got;
		r->at.off += (uint64_t)got;
		r->at.bytes -= (uint64_t)got;
	}
	return CFS_OK;
}

/* The next pair of a run in a file.  0, CFS_END, CFS_EIO. */
static int read_pair(struct cfs_extsort *s, struct reader *r,
		     struct cfs_error *err)
{
	struct cfs_cursor c;
	uint64_t shared, rest_n, value_n;
	int rc = refill(s, r, READ_MIN - 1024, err);

	if (rc != CFS_OK)
		return rc;
	if (r->n == r->pos)
		return CFS_END;
	c = (struct cfs_cursor){ { r->buf + r->pos, r->n - r->pos }, false };
	shared = cfs_cursor_varint(&c);
	rest_n = cfs_cursor_varint(&c);
	value_n = cfs_cursor_varint(&c);
	if (shared > r->key.n)
		c.bad = true;
	r->key.n = c.bad ? 0 : (size_t)shared;
	cfs_buf_add(&r->key, cfs_cursor_take(&c, rest_n));
	r->v = cfs_cursor_take(&c, value_n);
	r->k = cfs_buf_slice(&r->key);
	r->pos = r->n - c.rest.n;
	if (r->key.failed == CFS_ENOMEM)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	if (c.bad || r->key.failed != CFS_OK)
		return cfs_error_at(err, CFS_EIO, s->tmp_dir, 0,
				    "temporary file is damaged");
	return CFS_OK;
}

static int read_next(struct cfs_extsort *s, struct reader *r,
		     struct cfs_error *err)
{
	if (r->run == NULL)
		return read_pair(s, r, err);
	if (r->next == r->run->n)
		return CFS_END;
	pair_at(r->run, r->run->refs[r->next++].off, &r->k, &r->v);
	return CFS_OK;
}

/* ---- the heap ---- */

static bool less(const struct reader *a, const struct reader *b)
{
	int c = cfs_slice_cmp(a->k, b->k);

	return c != 0 ? c < 0 : cfs_slice_cmp(a->v, b->v) < 0;
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

static void readers_free(struct cfs_extsort *s)
{
	for (unsigned i = 0; i < s->n_readers; i++) {
		free(s->readers[i].buf);
		cfs_buf_release(&s->readers[i].key);
	}
	free(s->readers);
	free(s->heap);
	s->readers = NULL;
	s->heap = NULL;
	s->n_readers = s->n_heap = 0;
	s->started = false;
}

static int readers_new(struct cfs_extsort *s, unsigned n, size_t buf_bytes,
		       struct cfs_error *err)
{
	s->readers = calloc(n + 1, sizeof(*s->readers));
	s->heap = calloc(n + 1, sizeof(*s->heap));
	if (s->readers == NULL || s->heap == NULL)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	s->n_readers = n;
	for (unsigned i = 0; i < n; i++) {
		struct reader *r = &s->readers[i];

		cfs_buf_init(&r->key, CFS_EXTSORT_ITEM_MAX);
		r->cap = buf_bytes;
		if (buf_bytes > 0 && (r->buf = malloc(buf_bytes)) == NULL)
			return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	}
	return CFS_OK;
}

/* Reads the first pair of each and orders them. */
static int heap_start(struct cfs_extsort *s, struct cfs_error *err)
{
	s->n_heap = 0;
	for (unsigned i = 0; i < s->n_readers; i++) {
		int rc = read_next(s, &s->readers[i], err);

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
		rc = read_next(s, s->heap[0], err);
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
	*key = s->heap[0]->k;
	*value = s->heap[0]->v;
	return CFS_OK;
}

/* ---- merging ---- */

/* Merges from memory: nothing was spilled. */
static int merge_memory(struct cfs_extsort *s, struct cfs_error *err)
{
	int rc = readers_new(s, s->opts.feeders, 0, err);

	for (unsigned i = 0; rc == CFS_OK && i < s->opts.feeders; i++)
		s->readers[i].run = &s->feeders[i].run;
	return rc == CFS_OK ? heap_start(s, err) : rc;
}

static void arena_free(struct cfs_extsort_run *run)
{
	free(run->mem);
	*run = (struct cfs_extsort_run){ 0 };
}

/* Opens the first n file runs and takes them off the list. */
static int open_runs(struct cfs_extsort *s, unsigned n, size_t buf_bytes,
		     struct cfs_error *err)
{
	int rc = readers_new(s, n, buf_bytes, err);

	if (rc != CFS_OK)
		return rc;
	for (unsigned i = 0; i < n; i++)
		s->readers[i].at = s->runs[i];
	s->n_runs -= n;
	memmove(s->runs, s->runs + n, s->n_runs * sizeof(*s->runs));
	return heap_start(s, err);
}

/* Makes one run of the first n, and gives their space back. */
static int merge_some(struct cfs_extsort *s, unsigned n, size_t buf_bytes,
		      struct cfs_error *err)
{
	struct cfs_slice k, v;
	struct run_writer w;
	struct file_run *old;
	int rc;

	old = calloc(n, sizeof(*old));
	if (old == NULL)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	memcpy(old, s->runs, n * sizeof(*old));
	rc = run_begin(&w, s, &s->merged, err);
	if (rc == CFS_OK)
		rc = open_runs(s, n, buf_bytes, err);
	while (rc == CFS_OK) {
		rc = cfs_extsort_next(s, &k, &v, err);
		if (rc == CFS_OK)
			rc = run_put(&w, k, v, err);
	}
	rc = run_end(&w, rc == CFS_END ? CFS_OK : rc, err);
	readers_free(s);
	/* may fail: then the space is free only at the end */
	for (unsigned i = 0; i < n && rc == CFS_OK; i++)
		(void)fallocate(old[i].fd, FALLOC_FL_PUNCH_HOLE |
				FALLOC_FL_KEEP_SIZE, (off_t)old[i].off,
				(off_t)old[i].bytes);
	free(old);
	return rc;
}

/* Spills what is in memory too, and uses the memory to read with. */
static int merge_files(struct cfs_extsort *s, struct cfs_error *err)
{
	size_t memory = s->feeder_bytes * s->opts.feeders, buf_bytes;
	unsigned fan_in;
	int rc = CFS_OK;

	for (unsigned i = 0; rc == CFS_OK && i < s->opts.feeders; i++) {
		if (s->feeders[i].run.n > 0)
			rc = spill(s, &s->feeders[i], err);
		arena_free(&s->feeders[i].run);
	}
	fan_in = memory / READ_MIN > FAN_IN_MAX ? FAN_IN_MAX :
		 (unsigned)(memory / READ_MIN);
	if (fan_in < 2)
		fan_in = 2;
	buf_bytes = memory / fan_in > READ_MAX ? READ_MAX : memory / fan_in;
	if (buf_bytes < READ_MIN)
		buf_bytes = READ_MIN;
	while (rc == CFS_OK && s->n_runs > fan_in)
		rc = merge_some(s, fan_in, buf_bytes, err);
	return rc == CFS_OK ? open_runs(s, (unsigned)s->n_runs, buf_bytes, err)
			    : rc;
}

struct sort_job {
	struct cfs_extsort *s;
	unsigned feeder;
	pthread_t thread;
	bool joined;
};

static void *sort_thread(void *arg)
{
	struct sort_job *j = arg;

	sort_and_tell(j->s, j->feeder);
	return NULL;
}

/* Sorts what every feeder has in memory, each on a thread of its own. */
static int sort_all(struct cfs_extsort *s, struct cfs_error *err)
{
	struct sort_job *jobs = calloc(s->opts.feeders, sizeof(*jobs));

	if (jobs == NULL)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	for (unsigned i = 0; i < s->opts.feeders; i++) {
		jobs[i] = (struct sort_job){ .s = s, .feeder = i };
		if (i > 0 && s->feeders[i].run.n > 1)
			jobs[i].joined = pthread_create(&jobs[i].thread, NULL,
							sort_thread,
							&jobs[i]) == 0;
	}
	for (unsigned i = 0; i < s->opts.feeders; i++) {
		if (jobs[i].joined)
			pthread_join(jobs[i].thread, NULL);
		else
			sort_and_tell(s, i);
	}
	free(jobs);
	return CFS_OK;
}

int cfs_extsort_merge(struct cfs_extsort *s, struct cfs_error *err)
{
	int rc = asked_to_stop(s, err);

	assert(s->readers == NULL);
	if (rc == CFS_OK)
		rc = sort_all(s, err);
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
		    const struct cfs_extsort_opts *opts,
		    struct cfs_error *err)
{
	struct cfs_extsort *s = calloc(1, sizeof(*s));

	*out = NULL;
	if (s == NULL)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	assert(opts->feeders > 0);
	s->opts = *opts;
	pthread_mutex_init(&s->lock, NULL);
	s->merged.fd = -1;
	s->feeder_bytes = opts->memory_bytes / opts->feeders;
	if (s->feeder_bytes < CFS_EXTSORT_MEMORY_MIN)
		s->feeder_bytes = CFS_EXTSORT_MEMORY_MIN;
	s->tmp_dir = strdup(opts->tmp_dir);
	s->feeders = calloc(opts->feeders, sizeof(*s->feeders));
	if (s->tmp_dir == NULL || s->feeders == NULL) {
		s->opts.feeders = s->feeders ? opts->feeders : 0;
		cfs_extsort_free(s);
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	}
	for (unsigned i = 0; i < opts->feeders; i++)
		s->feeders[i].tmp.fd = -1;
	*out = s;
	return CFS_OK;
}

static void tmp_close(struct tmp_file *t)
{
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
}

void cfs_extsort_free(struct cfs_extsort *s)
{
	if (s == NULL)
		return;
	readers_free(s);
	for (unsigned i = 0; i < s->opts.feeders; i++) {
		arena_free(&s->feeders[i].run);
		tmp_close(&s->feeders[i].tmp);
	}
	tmp_close(&s->merged);
	free(s->feeders);
	free(s->runs);
	free(s->tmp_dir);
	pthread_mutex_destroy(&s->lock);
	free(s);
}
