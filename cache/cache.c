/* cache.c - the memory tier, requests, and the thread that writes to disk.
 *
 * A blob is one request and what it brought.  While it is in flight its
 * extents make others wait for it; then its bytes serve them from memory, and
 * the writer thread puts them on disk.  Blobs go, oldest first, when memory
 * is full, but none that is in flight, being read or being written.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cache_internal.h"

#include <assert.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "net/open.h"

/* A disk slower than the network must not fill the memory: while more than
 * this waits to be written, it is not. */
#define QUEUE_MAX ((size_t)64 << 20)
/* What a blob takes besides its bytes, with its share of an object, about:
 * a crawl of small records in many archives has more of that than of bytes. */
#define BLOB_COST 1024u
/* A waiter asks this often whether it was cancelled. */
#define POLL_NS 50000000

void cfs_cache_cond_init(pthread_cond_t *cond)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &attr);
	pthread_condattr_destroy(&attr);
}

void cfs_cache_wait(struct cfs_cache *c, pthread_cond_t *cond,
		    const struct cfs_cancel *cancel)
{
	struct timespec t;

	if (cancel == NULL) {
		pthread_cond_wait(cond, &c->lock);
		return;
	}
	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_nsec += POLL_NS;
	if (t.tv_nsec >= 1000000000) {
		t.tv_sec++;
		t.tv_nsec -= 1000000000;
	}
	pthread_cond_timedwait(cond, &c->lock, &t);
}

/* ---- blobs ------------------------------------------------------------ */

static void lru_remove(struct cfs_cache *c, struct cfs_blob *b)
{
	if (!b->in_lru)
		return;
	*(b->newer ? &b->newer->older : &c->newest) = b->older;
	*(b->older ? &b->older->newer : &c->oldest) = b->newer;
	b->newer = b->older = NULL;
	b->in_lru = false;
}

static void lru_add(struct cfs_cache *c, struct cfs_blob *b)
{
	b->newer = NULL;
	b->older = c->newest;
	*(c->newest ? &c->newest->newer : &c->oldest) = b;
	c->newest = b;
	b->in_lru = true;
}

static void end_ahead(struct cfs_blob *b)
{
	if (!b->is_ahead || b->is_used)
		return;
	b->is_used = true;
	b->cache->ahead -= b->n;
}

void cfs_blob_use(struct cfs_blob *b)
{
	if (b->is_ahead && !b->is_used)
		CACHE_COUNT(b, ahead_used, 1);
	end_ahead(b);
	if (b->in_lru && b->cache->newest != b) {
		lru_remove(b->cache, b);
		lru_add(b->cache, b);
	}
}

void cfs_blob_detach(struct cfs_blob *b)
{
	uint64_t off = b->off, end = b->off + b->n;
	struct cfs_extents *x = &b->obj->x;
	struct cfs_extent *e;

	while (off < end && (e = cfs_extents_at(x, off)) != NULL &&
	       e->off < end) {
		off = e->off + e->n;
		if (e->blob != b)
			continue;
		e->blob = NULL;
		if (e->seg == NULL)
			cfs_extents_remove(x, e->off);
	}
}

static void free_blob(struct cfs_blob *b)
{
	struct cfs_cache *c = b->cache;

	if (b->is_ahead && !b->is_used && b->state == BLOB_READY) {
		CACHE_COUNT(b, ahead_wasted, 1);
		CACHE_COUNT(b, ahead_wasted_bytes, b->n);
	}
	end_ahead(b);
	lru_remove(c, b);
	cfs_blob_detach(b);
	c->mem -= b->n + BLOB_COST;
	assert(b->inner == NULL);
	cfs_object_put(c, b->obj);
	pthread_cond_destroy(&b->done);
	free(b->data);
	free(b->err);
	free(b);
}

static void evict(struct cfs_cache *c)
{
	struct cfs_blob *b = c->oldest;

	while (c->mem > c->mem_max && b != NULL) {
		struct cfs_blob *newer = b->newer;

		if (b->pins == 0)
			free_blob(b);
		b = newer;
	}
}

void cfs_blob_pin(struct cfs_blob *b)
{
	b->pins++;
}

void cfs_blob_unpin(struct cfs_blob *b)
{
	struct cfs_cache *c = b->cache;

	assert(b->pins > 0);
	if (--b->pins > 0)
		return;
	if (!b->in_lru)
		free_blob(b);
	else if (c->mem > c->mem_max)
		evict(c);
}

struct cfs_blob *cfs_blob_new(struct cfs_cached *h, uint64_t off, uint32_t n,
			      bool is_ahead)
{
	struct cfs_cache *c = h->cache;
	struct cfs_blob *b = calloc(1, sizeof(*b));
	struct cfs_extent e = { .off = off, .n = n, .blob = b };

	if (b == NULL)
		return NULL;
	*b = (struct cfs_blob){
		.cache = c, .obj = h->obj, .validator = h->validator,
		.counters = h->counters, .off = off, .n = n, .pins = 1,
		.is_ahead = is_ahead,
	};
	if (n > 0 && cfs_extents_fill(&h->obj->x, &e) != CFS_OK) {
		cfs_blob_detach(b);
		free(b);
		return NULL;
	}
	b->inner = cfs_source_ref(h->inner);
	cfs_cache_cond_init(&b->done);
	h->obj->refs++;
	c->in_flight++;
	c->mem += n + BLOB_COST;
	c->ahead += is_ahead ? n : 0;
	CACHE_COUNT(b, fetches, 1);
	CACHE_COUNT(b, fetch_bytes, n);
	if (is_ahead) {
		CACHE_COUNT(b, ahead, 1);
		CACHE_COUNT(b, ahead_bytes, n);
	}
	return b;
}

/* ---- completion ------------------------------------------------------- */

/* What the answer says of the object's state.  Or CFS_ECHANGED. */
static int confirm(struct cfs_blob *b, bool has_validator,
		   const char *validator, struct cfs_error *err)
{
	struct cfs_object *o = b->obj;
	uint64_t size = b->inner->size;

	if (o->is_changed)
		return cfs_error_at(err, CFS_ECHANGED, o->url, 0,
			"has changed since it was cached: open it again");
	if (has_validator && size != CFS_SIZE_UNKNOWN)
		return cfs_object_confirm(b->cache, o, validator, size,
					  b->inner->mtime, err);
	if (o->is_known && !o->is_checked)
		return cfs_object_confirm(b->cache, o, "", size, 0, err);
	if (!o->is_known)
		o->size = size;
	return CFS_OK;
}

/* Fewer bytes than asked for: the object ends there, if that can be. */
static int cut(struct cfs_blob *b, size_t got, struct cfs_error *err)
{
	struct cfs_object *o = b->obj;
	uint64_t end = b->off + got;

	if (got >= b->n)
		return CFS_OK;
	if (o->size != CFS_SIZE_UNKNOWN && end < o->size)
		return cfs_error_at(err, CFS_EIO, o->url, end,
				    "answer ends %zu bytes early", b->n - got);
	cfs_blob_detach(b);
	b->cache->mem -= b->n - got;
	if (b->is_ahead && !b->is_used)
		b->cache->ahead -= b->n - got;
	b->n = (uint32_t)got;
	o->size = o->size == CFS_SIZE_UNKNOWN ? end : o->size;
	if (got > 0) {
		struct cfs_extent e = { .off = b->off, .n = b->n, .blob = b };

		if (cfs_extents_fill(&o->x, &e) != CFS_OK)
			cfs_blob_detach(b);
	}
	return CFS_OK;
}

static void fail(struct cfs_blob *b, int code, const struct cfs_error *err)
{
	b->state = BLOB_FAILED;
	b->rc = code;
	b->err = err != NULL ? malloc(sizeof(*err)) : NULL;
	if (b->err != NULL)
		*b->err = *err;
	cfs_blob_detach(b);
	end_ahead(b);
	if (code != CFS_EINTR)
		CACHE_COUNT(b, failures, 1);
}

static void enqueue(struct cfs_cache *c, struct cfs_blob *b)
{
	b->next = NULL;
	*c->queue_end = b;
	c->queue_end = &b->next;
	c->queued += b->n;
	pthread_cond_signal(&c->work);
}

void cfs_blob_complete(struct cfs_blob *b, int code, struct cfs_slice bytes,
		       const struct cfs_error *err)
{
	struct cfs_error own = CFS_ERROR_INIT;
	struct cfs_cache *c = b->cache;
	char validator[CFS_CACHE_VALIDATOR_BYTES] = "";
	bool has_validator = false;
	size_t got = bytes.n < b->n ? bytes.n : b->n;

	if (code == CFS_OK && got > 0 && b->data == NULL) {
		b->data = malloc(got);
		if (b->data == NULL)
			code = cfs_error_set(&own, CFS_ENOMEM, "out of memory");
		else
			memcpy(b->data, bytes.p, got);
	}
	if (code == CFS_OK && b->validator != NULL)
		has_validator = b->validator(b->inner, validator);
	pthread_mutex_lock(&c->lock);
	if (code == CFS_OK)
		code = confirm(b, has_validator, validator, &own);
	if (code == CFS_OK)
		code = cut(b, got, &own);
	if (code != CFS_OK)
		fail(b, code, own.code != CFS_OK ? &own : err);
	else
		b->state = BLOB_READY;
	if (code == CFS_OK && b->n > 0)
		lru_add(c, b);
	c->in_flight--;
	pthread_cond_broadcast(&b->done);
	enqueue(c, b);			/* with the pin */
	evict(c);
	pthread_mutex_unlock(&c->lock);
}

/* ---- the writer ------------------------------------------------------- */

/* A run of a blob's bytes to be written. */
struct piece {
	uint64_t off;
	uint32_t n;
};

static bool next_piece(const struct cfs_blob *b, uint64_t from,
		       struct piece *out)
{
	uint64_t end = b->off + b->n;
	const struct cfs_extent *e;

	while (from < end && (e = cfs_extents_at(&b->obj->x, from)) != NULL &&
	       e->off < end) {
		from = e->off + e->n;
		if (e->blob != b || e->seg != NULL)
			continue;
		out->off = e->off;
		out->n = e->n < CCH_DATA_MAX ? e->n : CCH_DATA_MAX;
		return true;
	}
	return false;
}

/* The piece is on disk now: says so in its extents. */
static void note_piece(struct cfs_blob *b, const struct piece *p,
		       const struct cfs_disk_record *r)
{
	uint64_t off = p->off, end = p->off + p->n;
	struct cfs_extent *e;

	if (cfs_extents_split(&b->obj->x, end) != CFS_OK)
		return;
	while (off < end && (e = cfs_extents_at(&b->obj->x, off)) != NULL &&
	       e->off < end) {
		off = e->off + e->n;
		if (e->blob != b || e->seg != NULL || e->off < p->off)
			continue;
		e->seg = r->seg;
		e->rec_off = r->e.off;
		e->rec_n = r->e.n;
		e->rec_pos = r->e.pos;
		e->rec_sum = r->e.sum;
	}
}

/* Copies what the disk needs to know, so that no lock is needed for it. */
struct snapshot {
	char *url;
	char validator[CFS_CACHE_VALIDATOR_BYTES];
	struct cfs_cache_meta meta;
	struct cfs_cache_id id;
};

static bool take_snapshot(const struct cfs_object *o, struct snapshot *s)
{
	s->url = strdup(o->url);
	if (s->url == NULL)
		return false;
	memcpy(s->validator, o->validator, sizeof(s->validator));
	s->meta = cfs_object_meta(o);
	s->meta.url = cfs_slice_str(s->url);
	s->meta.validator = cfs_slice_str(s->validator);
	s->id = o->id;
	return true;
}

static bool is_keepable(const struct cfs_object *o)
{
	return o->is_known && o->validator[0] != '\0' &&
	       strlen(o->url) <= CCH_URL_MAX &&
	       strlen(o->validator) <= CCH_VALIDATOR_MAX;
}

/* Metadata alone: so that the next mount does not trust an old state. */
static void write_meta(struct cfs_cache *c, struct cfs_object *o)
{
	struct cfs_segment *meta_seg = NULL;
	struct cfs_disk_record r;
	struct snapshot s;

	o->wants_meta = false;
	if (!is_keepable(o) || !take_snapshot(o, &s))
		return;
	pthread_mutex_unlock(&c->lock);
	if (cfs_disk_put(c->disk, &s.meta, &meta_seg, NULL, 0, CFS_SLICE_EMPTY,
			 &r) != CFS_OK)
		meta_seg = NULL;
	pthread_mutex_lock(&c->lock);
	if (memcmp(&s.id, &o->id, sizeof(s.id)) == 0)
		o->meta_seg = meta_seg;
	free(s.url);
}

static void write_pieces(struct cfs_cache *c, struct cfs_blob *b)
{
	struct cfs_object *o = b->obj;
	struct snapshot s;
	struct piece p;
	uint64_t from = b->off;

	if (!is_keepable(o) || o->is_changed || !take_snapshot(o, &s))
		return;
	while (next_piece(b, from, &p)) {
		struct cfs_segment *meta_seg = o->meta_seg;
		struct cfs_disk_record r;
		int rc;

		from = p.off + p.n;
		pthread_mutex_unlock(&c->lock);
		rc = cfs_disk_put(c->disk, &s.meta, &meta_seg, &s.id, p.off,
				  cfs_slice_of(b->data + (p.off - b->off), p.n),
				  &r);
		pthread_mutex_lock(&c->lock);
		if (rc != CFS_OK || memcmp(&s.id, &o->id, sizeof(s.id)) != 0)
			break;
		o->meta_seg = meta_seg;
		note_piece(b, &p, &r);
		CACHE_COUNT(b, disk_bytes, p.n);
	}
	free(s.url);
}

static void write_blob(struct cfs_cache *c, struct cfs_blob *b)
{
	struct cfs_source *inner = b->inner;

	if (c->disk != NULL && b->obj->wants_meta)
		write_meta(c, b->obj);
	if (c->disk != NULL && b->state == BLOB_READY && b->n > 0 &&
	    c->queued <= QUEUE_MAX)
		write_pieces(c, b);
	b->inner = NULL;
	pthread_mutex_unlock(&c->lock);
	cfs_source_close(inner);
	pthread_mutex_lock(&c->lock);
}

static void *writer(void *arg)
{
	struct cfs_cache *c = arg;
	struct cfs_blob *b;

	pthread_mutex_lock(&c->lock);
	for (;;) {
		while (c->queue == NULL && !c->stop && !c->halt)
			pthread_cond_wait(&c->work, &c->lock);
		b = c->queue;
		if (b == NULL || c->halt)
			break;
		c->queue = b->next;
		if (c->queue == NULL)
			c->queue_end = &c->queue;
		c->is_writing = true;
		write_blob(c, b);
		c->queued -= b->n;
		cfs_blob_unpin(b);
		c->is_writing = false;
		if (c->queue == NULL)
			pthread_cond_broadcast(&c->idle);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

/* Signals are for other threads. */
static int start_writer(struct cfs_cache *c)
{
	sigset_t all, old;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&c->writer, NULL, writer, c);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	c->has_writer = rc == 0;
	return rc == 0 ? CFS_OK : CFS_ENOMEM;
}

/* ---- forks ------------------------------------------------------------ */

/* A mount opens its sources, then forks to the background: the writer ends
 * before and goes on after, in the child too. */
static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static struct cfs_cache *all;		/* guarded by all_lock */
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

static void before_fork(void)
{
	pthread_mutex_lock(&all_lock);
	for (struct cfs_cache *c = all; c != NULL; c = c->next) {
		pthread_mutex_lock(&c->lock);
		c->halt = true;
		pthread_cond_signal(&c->work);
		pthread_mutex_unlock(&c->lock);
		if (c->has_writer)
			pthread_join(c->writer, NULL);
		c->has_writer = false;
		pthread_mutex_lock(&c->lock);
		c->halt = false;
	}
}

static void after_fork(void)
{
	for (struct cfs_cache *c = all; c != NULL; c = c->next) {
		pthread_mutex_unlock(&c->lock);
		start_writer(c);
	}
	pthread_mutex_unlock(&all_lock);
}

static void watch_forks(void)
{
	pthread_atfork(before_fork, after_fork, after_fork);
}

static void join_all(struct cfs_cache *c)
{
	pthread_once(&fork_once, watch_forks);
	pthread_mutex_lock(&all_lock);
	c->next = all;
	all = c;
	pthread_mutex_unlock(&all_lock);
}

static void leave_all(struct cfs_cache *c)
{
	pthread_mutex_lock(&all_lock);
	for (struct cfs_cache **p = &all; *p != NULL; p = &(*p)->next) {
		if (*p == c) {
			*p = c->next;
			break;
		}
	}
	pthread_mutex_unlock(&all_lock);
}

/* ---- the cache -------------------------------------------------------- */

int cfs_cache_open(struct cfs_cache **out, const struct cfs_cache_opts *opts,
		   struct cfs_error *err)
{
	struct cfs_cache *c = calloc(1, sizeof(*c));
	uint64_t bytes = opts->disk_bytes ? opts->disk_bytes :
					    CFS_CACHE_DISK_DEFAULT;

	*out = NULL;
	if (c == NULL)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	c->mem_max = opts->mem_bytes ? opts->mem_bytes : CFS_CACHE_MEM_DEFAULT;
	c->queue_end = &c->queue;
	pthread_mutex_init(&c->lock, NULL);
	cfs_cache_cond_init(&c->loaded);
	cfs_cache_cond_init(&c->work);
	cfs_cache_cond_init(&c->idle);
	if ((opts->dir != NULL &&
	     cfs_disk_open(&c->disk, opts->dir, bytes, err) != CFS_OK) ||
	    start_writer(c) != CFS_OK) {
		cfs_cache_close(c);
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	}
	join_all(c);
	*out = c;
	return CFS_OK;
}

void cfs_cache_flush(struct cfs_cache *c)
{
	pthread_mutex_lock(&c->lock);
	while (c->queue != NULL || c->is_writing || c->in_flight > 0)
		cfs_cache_wait(c, &c->idle, &(struct cfs_cancel){ .asked = NULL });
	pthread_mutex_unlock(&c->lock);
}

void cfs_cache_close(struct cfs_cache *c)
{
	if (c == NULL)
		return;
	leave_all(c);
	if (c->has_writer) {
		cfs_cache_flush(c);
		pthread_mutex_lock(&c->lock);
		c->stop = true;
		pthread_cond_signal(&c->work);
		pthread_mutex_unlock(&c->lock);
		pthread_join(c->writer, NULL);
	}
	while (c->oldest != NULL)
		free_blob(c->oldest);
	for (unsigned i = 0; i < CACHE_BUCKETS; i++)
		assert(c->objects[i] == NULL);
	while (c->counters != NULL) {
		struct counters_link *next = c->counters->next;

		free(c->counters);
		c->counters = next;
	}
	cfs_disk_close(c->disk);
	pthread_mutex_destroy(&c->lock);
	pthread_cond_destroy(&c->loaded);
	pthread_cond_destroy(&c->work);
	pthread_cond_destroy(&c->idle);
	free(c);
}

static bool validator_of(struct cfs_source *inner,
			 char out[CFS_CACHE_VALIDATOR_BYTES])
{
	return cfs_source_validator(inner, out);
}

int cfs_cache_wrap(struct cfs_source **src, struct cfs_cache *c,
		   struct cfs_cache_counters *counters, unsigned validate_ms,
		   const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct cfs_cached_opts o = {
		.url = (*src)->url,
		.validator = validator_of,
		.abandon = cfs_source_abandon,
		.validate_ms = validate_ms,
		.counters = counters,
	};

	if ((*src)->is_local || (*src)->url == NULL)
		return CFS_OK;
	return cfs_cached_open(src, c, *src, &o, cancel, err);
}

static int open_through(void *arg, const char *location,
			struct cfs_source **out,
			const struct cfs_cancel *cancel, struct cfs_error *err)
{
	const struct cfs_cache_opener *o = arg;
	int rc = cfs_location_open(out, location, err);

	if (rc != CFS_OK || o->cache == NULL)
		return rc;
	return cfs_cache_wrap(out, o->cache, o->counters, 0, cancel, err);
}

void cfs_cache_opener_init(struct cfs_cache_opener *o, struct cfs_cache *c,
			   struct cfs_cache_counters *counters)
{
	o->base = (struct cfs_opener){ open_through, o };
	o->cache = c;
	o->counters = counters;
}

struct cfs_cache_counters *cfs_cache_counters_new(struct cfs_cache *c)
{
	struct counters_link *l = calloc(1, sizeof(*l));

	if (l == NULL)
		return NULL;
	pthread_mutex_lock(&c->lock);
	l->next = c->counters;
	c->counters = l;
	pthread_mutex_unlock(&c->lock);
	return &l->c;
}

void cfs_cache_get_stats(struct cfs_cache *c, struct cfs_cache_stats *out)
{
	pthread_mutex_lock(&c->lock);
	*out = (struct cfs_cache_stats){ c->mem, c->mem_max, c->in_flight };
	pthread_mutex_unlock(&c->lock);
}
