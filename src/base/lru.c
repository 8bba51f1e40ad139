/* lru.c - a shared cache of loaded objects (see lru.h).
 *
 * The cache is split into shards by key hash, each with its own lock, hash
 * table and recency list, so that threads seldom contend.  A hit on the most
 * recent object does not change the list.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "lru.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "hash.h"
#include "sync.h"

#define SHARDS 8u
#define BUCKETS_MIN 64u

enum state { LOADING, READY, FAILED };

struct cfs_lru_ref {
	struct cfs_lru_key key;		/* key.name points to `name` below */
	uint64_t hash;
	struct shard *shard;
	void *obj;
	size_t bytes;
	unsigned pins;			/* guarded by shard lock */
	enum state state;		/* guarded by shard lock */
	int64_t until_ms;		/* deadline of the load */
	bool in_table;			/* guarded by shard lock */
	struct cfs_lru_ref *chain;	/* hash chain */
	struct cfs_lru_ref *prev, *next;	/* recency list, if READY */
	uint8_t name[];
};

struct shard {
	pthread_mutex_t lock;
	pthread_cond_t loaded;
	struct cfs_lru *lru;
	struct cfs_lru_ref **buckets;
	size_t n_buckets, n_objects;
	struct cfs_lru_ref *newest, *oldest;
	size_t bytes;
	uint64_t hits, misses, evicted;
};

struct cfs_lru {
	size_t max_shard_bytes;
	void (*free_obj)(void *obj);
	struct cfs_budget *budget;	/* NULL: none */
	struct cfs_budget_giver giver;
	enum cfs_mem kind;
	bool by_loader;
	atomic_uint next_given;		/* the shard to evict from first */
	struct shard shards[SHARDS];
};

static uint64_t hash_key(struct cfs_lru_key k)
{
	uint64_t x = k.a * 0x9E3779B97F4A7C15u ^ (k.b + 0xD1B54A32D192ED03u);

	x ^= k.c * 0xC2B2AE3D27D4EB4Fu ^ k.d * 0x165667B19E3779F9u;
	if (k.name.n > 0)
		x ^= cfs_hash_fast(k.name, 0);
	x ^= x >> 32;
	x *= 0xD6E8FEB86659FD93u;
	return x ^ x >> 29;
}

static int init_shard(struct shard *s, struct cfs_lru *lru)
{
	s->lru = lru;
	s->n_buckets = BUCKETS_MIN;
	s->buckets = calloc(s->n_buckets, sizeof(*s->buckets));
	if (s->buckets == NULL)
		return CFS_ENOMEM;
	pthread_mutex_init(&s->lock, NULL);
	cfs_cond_init(&s->loaded);
	return CFS_OK;
}

struct cfs_lru *cfs_lru_new(size_t max_bytes, void (*free_obj)(void *obj))
{
	struct cfs_lru *lru = calloc(1, sizeof(*lru));

	if (lru == NULL)
		return NULL;
	lru->max_shard_bytes = max_bytes / SHARDS;
	lru->free_obj = free_obj;
	for (unsigned i = 0; i < SHARDS; i++) {
		if (init_shard(&lru->shards[i], lru) != CFS_OK) {
			cfs_lru_free(lru);
			return NULL;
		}
	}
	return lru;
}

/* An object must fit in its shard. */
size_t cfs_lru_object_max(const struct cfs_lru *lru)
{
	return lru->max_shard_bytes;
}

static void unlink_recency(struct shard *s, struct cfs_lru_ref *r)
{
	*(r->prev ? &r->prev->next : &s->newest) = r->next;
	*(r->next ? &r->next->prev : &s->oldest) = r->prev;
	r->prev = r->next = NULL;
}

static void push_newest(struct shard *s, struct cfs_lru_ref *r)
{
	r->prev = NULL;
	r->next = s->newest;
	*(s->newest ? &s->newest->prev : &s->oldest) = r;
	s->newest = r;
}

static struct cfs_lru_ref **lru_bucket_of(struct shard *s, uint64_t h)
{
	return &s->buckets[(h >> 3) & (s->n_buckets - 1)];
}

static void unlink_table(struct shard *s, struct cfs_lru_ref *r)
{
	struct cfs_lru_ref **p = lru_bucket_of(s, r->hash);

	while (*p != r)
		p = &(*p)->chain;
	*p = r->chain;
	r->in_table = false;
	s->n_objects--;
}

/* Removes unpinned objects, oldest first, until the shard has at most `max`
 * bytes.  Returns them chained, for the caller to free without the lock. */
static struct cfs_lru_ref *evict_locked(struct shard *s, size_t max)
{
	struct cfs_lru_ref *dead = NULL, *r = s->oldest;

	while (s->bytes > max && r != NULL) {
		struct cfs_lru_ref *newer = r->prev;

		if (r->pins == 0) {
			unlink_recency(s, r);
			unlink_table(s, r);
			s->bytes -= r->bytes;
			s->evicted++;
			r->chain = dead;
			dead = r;
		}
		r = newer;
	}
	return dead;
}

static void free_dead(struct cfs_lru *lru, struct cfs_lru_ref *dead)
{
	while (dead != NULL) {
		struct cfs_lru_ref *next = dead->chain;

		lru->free_obj(dead->obj);
		cfs_budget_sub(lru->budget, lru->kind, dead->bytes);
		free(dead);
		dead = next;
	}
}

/* Evicts from each shard in turn, first an equal part of `bytes` from each,
 * then the rest from any. */
static void lru_give(void *arg, uint64_t bytes)
{
	struct cfs_lru *lru = arg;
	unsigned first = atomic_fetch_add(&lru->next_given, 1);

	for (unsigned i = 0; i < 2 * SHARDS && bytes > 0; i++) {
		struct shard *s = &lru->shards[(first + i) % SHARDS];
		uint64_t part = i < SHARDS ? bytes / (SHARDS - i) + 1 : bytes;
		struct cfs_lru_ref *dead;
		size_t had, given;

		pthread_mutex_lock(&s->lock);
		had = s->bytes;
		dead = evict_locked(s, had > part ? had - (size_t)part : 0);
		given = had - s->bytes;
		pthread_mutex_unlock(&s->lock);
		free_dead(lru, dead);
		bytes -= given < bytes ? given : bytes;
	}
}

void cfs_lru_charge_to(struct cfs_lru *lru, struct cfs_budget *budget,
		       enum cfs_mem kind, bool by_loader)
{
	struct cfs_lru_stats now;

	cfs_lru_get_stats(lru, &now);
	cfs_budget_add(budget, kind, now.bytes);
	lru->budget = budget;
	lru->kind = kind;
	lru->by_loader = by_loader;
	lru->giver = (struct cfs_budget_giver){ .give = lru_give, .arg = lru };
	cfs_budget_join(budget, &lru->giver);
}

void cfs_lru_free(struct cfs_lru *lru)
{
	if (lru == NULL)
		return;
	cfs_budget_leave(lru->budget, &lru->giver);
	for (unsigned i = 0; i < SHARDS; i++) {
		struct shard *s = &lru->shards[i];

		if (s->buckets == NULL)
			continue;
		while (s->newest != NULL) {
			struct cfs_lru_ref *r = s->newest;

			assert(r->pins == 0);
			unlink_recency(s, r);
			r->chain = NULL;
			free_dead(lru, r);
		}
		free(s->buckets);
		pthread_mutex_destroy(&s->lock);
		pthread_cond_destroy(&s->loaded);
	}
	free(lru);
}

static bool same_key(const struct cfs_lru_key *x, const struct cfs_lru_key *y)
{
	return x->a == y->a && x->b == y->b && x->c == y->c && x->d == y->d &&
	       cfs_slice_eq(x->name, y->name);
}

static struct cfs_lru_ref *lru_find_locked(struct shard *s,
					   struct cfs_lru_key key, uint64_t h)
{
	struct cfs_lru_ref *r = *lru_bucket_of(s, h);

	while (r != NULL && (r->hash != h || !same_key(&r->key, &key)))
		r = r->chain;
	return r;
}

static void lru_grow_locked(struct shard *s)
{
	size_t n = s->n_buckets * 2, old_n = s->n_buckets;
	struct cfs_lru_ref **old = s->buckets, **nb = calloc(n, sizeof(*nb));

	if (nb == NULL)
		return;		/* longer chains still work */
	s->buckets = nb;
	s->n_buckets = n;
	for (size_t i = 0; i < old_n; i++) {
		struct cfs_lru_ref *r = old[i];

		while (r != NULL) {
			struct cfs_lru_ref *next = r->chain;
			struct cfs_lru_ref **b = lru_bucket_of(s, r->hash);

			r->chain = *b;
			*b = r;
			r = next;
		}
	}
	free(old);
}

static struct cfs_lru_ref *insert_loading_locked(struct shard *s,
						 struct cfs_lru_key key,
						 uint64_t h, int64_t until_ms)
{
	struct cfs_lru_ref *r = malloc(sizeof(*r) + key.name.n);
	struct cfs_lru_ref **b;

	if (r == NULL)
		return NULL;
	if (s->n_objects >= s->n_buckets)
		lru_grow_locked(s);
	b = lru_bucket_of(s, h);
	*r = (struct cfs_lru_ref){ .key = key, .hash = h, .shard = s,
				   .pins = 1, .state = LOADING,
				   .until_ms = until_ms, .in_table = true };
	if (key.name.n > 0)
		memcpy(r->name, key.name.p, key.name.n);
	r->key.name.p = r->name;
	r->chain = *b;
	*b = r;
	s->n_objects++;
	s->misses++;
	return r;
}

static void unpin_locked(struct cfs_lru_ref *r, struct cfs_lru_ref **dead)
{
	assert(r->pins > 0);
	if (--r->pins == 0 && !r->in_table) {	/* a failed load's last
						 * waiter */
		r->chain = NULL;
		*dead = r;
	}
}

/* Stores the result of the load that this thread began.  Returns rc. */
static int finish_load(struct cfs_lru_ref *r, int rc, void *obj, size_t bytes)
{
	struct shard *s = r->shard;
	struct cfs_lru_ref *evicted = NULL, *failed = NULL;
	size_t own = sizeof(*r) + r->key.name.n;

	if (rc == CFS_OK)
		cfs_budget_add(s->lru->budget, s->lru->kind, own +
			       (s->lru->by_loader ? 0 : bytes));
	pthread_mutex_lock(&s->lock);
	if (rc == CFS_OK) {
		r->obj = obj;
		r->bytes = bytes + own;
		r->state = READY;
		s->bytes += r->bytes;
		push_newest(s, r);
		evicted = evict_locked(s, s->lru->max_shard_bytes);
	} else {
		r->state = FAILED;
		unlink_table(s, r);
		unpin_locked(r, &failed);
	}
	pthread_cond_broadcast(&s->loaded);
	pthread_mutex_unlock(&s->lock);
	free_dead(s->lru, evicted);
	free(failed);
	cfs_budget_relieve(s->lru->budget);
	return rc;
}

int cfs_lru_get(struct cfs_lru *lru, struct cfs_lru_key key, cfs_lru_load *load,
		void *arg, struct cfs_lru_ref **out, struct cfs_ctx ctx)
{
	uint64_t h = hash_key(key);
	struct shard *s = &lru->shards[h % SHARDS];
	struct cfs_lru_ref *r;
	size_t bytes = 0;
	void *obj = NULL;
	int rc;

	*out = NULL;
	pthread_mutex_lock(&s->lock);
	while ((r = lru_find_locked(s, key, h)) != NULL) {
		struct cfs_lru_ref *failed = NULL;

		r->pins++;
		rc = CFS_OK;
		while (r->state == LOADING && rc == CFS_OK) {
			rc = cfs_cancel_check_behind(ctx.cancel, r->until_ms,
						     ctx.err);
			if (rc == CFS_OK)
				cfs_cond_wait(&s->loaded, &s->lock, ctx.cancel);
		}
		if (r->state == READY) {
			s->hits++;
			if (s->newest != r) {
				unlink_recency(s, r);
				push_newest(s, r);
			}
			pthread_mutex_unlock(&s->lock);
			*out = r;
			return CFS_OK;
		}
		unpin_locked(r, &failed);
		free(failed);
		if (rc != CFS_OK) {
			pthread_mutex_unlock(&s->lock);
			return rc;
		}
		/* the other thread's load failed: load it here */
	}
	r = insert_loading_locked(s, key, h, cfs_cancel_until_ms(ctx.cancel));
	pthread_mutex_unlock(&s->lock);
	if (r == NULL)
		return cfs_error_nomem(ctx.err);
	rc = load(arg, key, &obj, &bytes, ctx);
	rc = finish_load(r, rc, obj, bytes);
	if (rc == CFS_OK)
		*out = r;
	return rc;
}

struct cfs_lru_ref *cfs_lru_peek(struct cfs_lru *lru, struct cfs_lru_key key)
{
	uint64_t h = hash_key(key);
	struct shard *s = &lru->shards[h % SHARDS];
	struct cfs_lru_ref *r;

	pthread_mutex_lock(&s->lock);
	r = lru_find_locked(s, key, h);
	if (r != NULL && r->state == READY)
		r->pins++;
	else
		r = NULL;
	pthread_mutex_unlock(&s->lock);
	return r;
}

struct cfs_lru_ref *cfs_lru_hold(struct cfs_lru_ref *ref)
{
	pthread_mutex_lock(&ref->shard->lock);
	ref->pins++;
	pthread_mutex_unlock(&ref->shard->lock);
	return ref;
}

void cfs_lru_put(struct cfs_lru_ref *ref)
{
	struct cfs_lru_ref *evicted = NULL, *failed = NULL;
	struct shard *s;

	if (ref == NULL)
		return;
	s = ref->shard;
	pthread_mutex_lock(&s->lock);
	unpin_locked(ref, &failed);
	if (s->bytes > s->lru->max_shard_bytes)
		evicted = evict_locked(s, s->lru->max_shard_bytes);
	pthread_mutex_unlock(&s->lock);
	free_dead(s->lru, evicted);
	free(failed);
}

void cfs_lru_drop(struct cfs_lru_ref *ref)
{
	struct cfs_lru_ref *dead = NULL, *failed = NULL;
	struct shard *s = ref->shard;

	pthread_mutex_lock(&s->lock);
	if (ref->pins == 1 && ref->in_table && ref->state == READY) {
		unlink_recency(s, ref);
		unlink_table(s, ref);
		s->bytes -= ref->bytes;
		s->evicted++;
		ref->chain = NULL;
		dead = ref;
	} else {
		unpin_locked(ref, &failed);
	}
	pthread_mutex_unlock(&s->lock);
	free_dead(s->lru, dead);
	free(failed);
}

void *cfs_lru_obj(const struct cfs_lru_ref *ref)
{
	return ref->obj;
}

void cfs_lru_get_stats(struct cfs_lru *lru, struct cfs_lru_stats *out)
{
	*out = (struct cfs_lru_stats){ 0 };
	for (unsigned i = 0; i < SHARDS; i++) {
		struct shard *s = &lru->shards[i];

		pthread_mutex_lock(&s->lock);
		out->hits += s->hits;
		out->misses += s->misses;
		out->evicted += s->evicted;
		out->bytes += s->bytes;
		out->objects += s->n_objects;
		pthread_mutex_unlock(&s->lock);
	}
}
