/* blob.c - the memory tier of the cache: requests, and the bytes they brought.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "blob.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "extents.h"
#include "object.h"

/* Roughly what a blob takes besides its bytes, with its part of an object.  In
 * a crawl with small records in many archives that is more than the bytes. */
#define BLOB_COST 1024u

static void add_mem(struct cfs_cache *c, size_t n)
{
	c->mem += n;
	cfs_budget_add(c->budget, CFS_MEM_REMOTE, n);
}

static void take_mem(struct cfs_cache *c, size_t n)
{
	c->mem -= n;
	cfs_budget_sub(c->budget, CFS_MEM_REMOTE, n);
}

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

/* Counts bytes fetched ahead as unread (n 1), or no longer so (n -1). */
static void count_unread(struct cfs_blob *b, int n)
{
	if (!b->is_ahead || b->is_used || b->state != CFS_BLOB_READY)
		return;
	CFS_CACHE_COUNT(b, ahead_unread, (uint64_t)(int64_t)n);
	CFS_CACHE_COUNT(b, ahead_unread_bytes,
			(uint64_t)((int64_t)n * (int64_t)b->n));
}

static void end_ahead(struct cfs_blob *b)
{
	count_unread(b, -1);
	if (!b->is_ahead || b->is_used)
		return;
	b->is_used = true;
	b->cache->ahead -= b->n;
}

void cfs_blob_use(struct cfs_blob *b)
{
	if (b->is_ahead && !b->is_used)
		CFS_CACHE_COUNT(b, ahead_used, 1);
	end_ahead(b);
	if (b->in_lru && b->cache->newest != b) {
		lru_remove(b->cache, b);
		lru_add(b->cache, b);
	}
}

/* Takes the blob out of its extents, and removes those that are not on
 * disk either. */
static void detach(struct cfs_blob *b)
{
	uint64_t off = b->off, end = b->off + b->n;
	struct cfs_extents *x = &b->obj->x;
	struct cfs_extent *e;

	while ((e = cfs_extents_next(x, &off, end)) != NULL) {
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

	if (b->is_ahead && !b->is_used && b->state == CFS_BLOB_READY) {
		CFS_CACHE_COUNT(b, ahead_wasted, 1);
		CFS_CACHE_COUNT(b, ahead_wasted_bytes, b->n);
	}
	end_ahead(b);
	lru_remove(c, b);
	detach(b);
	take_mem(c, b->n + BLOB_COST);
	assert(b->inner == NULL);
	cfs_object_put(c, b->obj);
	pthread_cond_destroy(&b->done);
	free(b->data);
	free(b->err);
	free(b);
}

static void evict(struct cfs_cache *c, size_t max)
{
	struct cfs_blob *b = c->oldest;

	while (c->mem > max && b != NULL) {
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
		evict(c, c->mem_max);
	pthread_cond_broadcast(&c->room);
}

bool cfs_blob_has_room(struct cfs_cache *c, size_t n)
{
	if (c->budget == NULL)
		return true;
	n = n < c->mem_max ? n : c->mem_max;
	evict(c, c->mem_max - n);
	return c->mem <= c->mem_max - n;
}

void cfs_blob_give(void *cache, uint64_t bytes)
{
	struct cfs_cache *c = cache;

	pthread_mutex_lock(&c->lock);
	evict(c, c->mem > bytes ? c->mem - (size_t)bytes : 0);
	pthread_mutex_unlock(&c->lock);
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
		.cache = c, .obj = h->obj, .counters = h->counters,
		.off = off, .n = n, .pins = 1, .is_ahead = is_ahead,
	};
	if (n > 0 && cfs_extents_fill(&h->obj->x, &e) != CFS_OK) {
		detach(b);
		free(b);
		return NULL;
	}
	b->inner = cfs_source_ref(h->inner);
	cfs_cond_init(&b->done);
	h->obj->refs++;
	c->in_flight++;
	b->next = c->flying;
	c->flying = b;
	add_mem(c, n + BLOB_COST);
	c->ahead += is_ahead ? n : 0;
	CFS_CACHE_COUNT(b, fetches, 1);
	CFS_CACHE_COUNT(b, fetch_bytes, n);
	if (is_ahead) {
		CFS_CACHE_COUNT(b, ahead, 1);
		CFS_CACHE_COUNT(b, ahead_bytes, n);
	}
	return b;
}

/* ---- completion ------------------------------------------------------- */

/* Notes what the answer shows of the object's state.  CFS_ECHANGED if it
 * has changed. */
static int confirm(struct cfs_blob *b, bool has_validator,
		   const char *validator, struct cfs_error *err)
{
	struct cfs_object *o = b->obj;
	uint64_t size = b->inner->size;

	if (o->is_changed)
		return cfs_object_error_changed(o, err);
	if (has_validator && size != CFS_SIZE_UNKNOWN)
		return cfs_object_confirm(o, validator, size,
					  b->inner->mtime, err);
	if (o->is_known && !o->is_checked)
		return cfs_object_confirm(o, "", size, 0, err);
	if (!o->is_known)
		o->size = size;
	return CFS_OK;
}

/* Handles an answer with fewer bytes than asked for: the object ends there,
 * unless it is known to be longer. */
static int blob_cut(struct cfs_blob *b, size_t got, struct cfs_error *err)
{
	struct cfs_object *o = b->obj;
	uint64_t end = b->off + got;

	if (got >= b->n)
		return CFS_OK;
	if (o->size != CFS_SIZE_UNKNOWN && end < o->size)
		return cfs_error_at(err, CFS_EIO, o->url, end,
				    "answer ends %zu bytes early", b->n - got);
	detach(b);
	take_mem(b->cache, b->n - got);
	if (b->is_ahead && !b->is_used)
		b->cache->ahead -= b->n - got;
	b->n = (uint32_t)got;
	o->size = o->size == CFS_SIZE_UNKNOWN ? end : o->size;
	if (got > 0) {
		struct cfs_extent e = { .off = b->off, .n = b->n, .blob = b };

		if (cfs_extents_fill(&o->x, &e) != CFS_OK)
			detach(b);
	}
	return CFS_OK;
}

static void blob_fail(struct cfs_blob *b, int code, const struct cfs_error *err)
{
	b->state = CFS_BLOB_FAILED;
	b->rc = code;
	b->err = err != NULL ? malloc(sizeof(*err)) : NULL;
	if (b->err != NULL) {
		*b->err = *err;
		b->err->code = code;
	}
	detach(b);
	end_ahead(b);
	if (code != CFS_EINTR)
		CFS_CACHE_COUNT(b, failures, 1);
}

static void blob_enqueue(struct cfs_cache *c, struct cfs_blob *b)
{
	b->next = NULL;
	*c->queue_end = b;
	c->queue_end = &b->next;
	c->queued += b->n;
	pthread_cond_signal(&c->work);
}

/* Removes the blob from those in flight. */
static void land(struct cfs_cache *c, struct cfs_blob *b)
{
	struct cfs_blob **p = &c->flying;

	while (*p != b)
		p = &(*p)->next;
	*p = b->next;
	c->in_flight--;
}

void cfs_blob_complete(void *blob, int code, struct cfs_slice bytes,
		       const struct cfs_error *err)
{
	struct cfs_blob *b = blob;
	struct cfs_error own = CFS_ERROR_INIT;
	struct cfs_cache *c = b->cache;
	char validator[CFS_VALIDATOR_BYTES] = "";
	bool has_validator = false;
	size_t got = bytes.n < b->n ? bytes.n : b->n;

	if (code == CFS_OK && got > 0 && b->data == NULL) {
		b->data = malloc(got);
		if (b->data == NULL)
			code = cfs_error_nomem(&own);
		else
			memcpy(b->data, bytes.p, got);
	}
	if (code == CFS_OK)
		has_validator = cfs_source_validator(b->inner, validator);
	pthread_mutex_lock(&c->lock);
	if (code == CFS_OK)
		code = confirm(b, has_validator, validator, &own);
	if (code == CFS_OK)
		code = blob_cut(b, got, &own);
	if (code != CFS_OK)
		blob_fail(b, code, own.code != CFS_OK ? &own : err);
	else
		b->state = CFS_BLOB_READY;
	count_unread(b, 1);
	if (code == CFS_OK && b->n > 0)
		lru_add(c, b);
	land(c, b);
	pthread_cond_broadcast(&b->done);
	blob_enqueue(c, b);			/* passes on the pin */
	evict(c, c->mem_max);
	pthread_cond_broadcast(&c->room);
	pthread_mutex_unlock(&c->lock);
}

void cfs_blob_abandon_all(struct cfs_cache *c)
{
	pthread_mutex_lock(&c->lock);
	while (c->flying != NULL) {
		struct cfs_blob *b = c->flying;
		struct cfs_source *inner = cfs_source_ref(b->inner);

		/* its completion takes the lock */
		pthread_mutex_unlock(&c->lock);
		cfs_source_abandon(inner);
		cfs_source_close(inner);
		pthread_mutex_lock(&c->lock);
		while (c->flying == b)
			cfs_cond_wait_ms(&c->room, &c->lock, CFS_WAIT_SLICE_MS);
	}
	pthread_mutex_unlock(&c->lock);
}

void cfs_blob_free_all(struct cfs_cache *c)
{
	while (c->oldest != NULL)
		free_blob(c->oldest);
}
