/* lru.h - a shared cache of loaded objects, bounded in bytes.
 *
 * Used for index blocks, open archives and inflated records.  Threads that
 * want a missing object at the same time share one load: the first loads,
 * the others wait.  A failed load is not remembered.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_LRU_H
#define CFS_BASE_LRU_H

#include <stdint.h>

#include "budget.h"
#include "cancel.h"
#include "error.h"
#include "slice.h"

struct cfs_lru;		/* defined in lru.c; threads share it */

/* The key of an object: four numbers and a name, each of which may be 0 or
 * empty.  The cache keeps a copy of the name. */
struct cfs_lru_key {
	uint64_t a, b, c, d;
	struct cfs_slice name;
};

#define CFS_LRU_KEY(a, b) \
	((struct cfs_lru_key){ (a), (b), 0, 0, CFS_SLICE_EMPTY })
#define CFS_LRU_NAME(name) ((struct cfs_lru_key){ 0, 0, 0, 0, (name) })

/* An object in the cache, pinned while somebody holds it. */
struct cfs_lru_ref;

/*
 * Loads the object of `key`: sets *obj and its cost in bytes.  Runs without
 * the cache's lock.  Returns 0 or a negative code (then *obj is not used).
 */
typedef int cfs_lru_load(void *arg, struct cfs_lru_key key, void **obj,
			 size_t *obj_bytes, struct cfs_ctx ctx);

struct cfs_lru_stats {
	uint64_t hits, misses, evicted;
	uint64_t bytes, objects;
};

/* free_obj frees an object that nobody holds; it may run on any thread.  NULL:
 * out of memory. */
struct cfs_lru *cfs_lru_new(size_t max_bytes, void (*free_obj)(void *obj));
/* The size in bytes of the largest object that stays in the cache when nobody
 * holds it. */
size_t cfs_lru_object_max(const struct cfs_lru *lru);
/* No object may be held any more.  Accepts NULL. */
void cfs_lru_free(struct cfs_lru *lru);

/* Charges the cache's objects to a budget (may be NULL), for which it evicts
 * objects that nobody holds.  by_loader: the loader charges obj_bytes itself.
 * Called by one thread, before others use the cache. */
void cfs_lru_charge_to(struct cfs_lru *lru, struct cfs_budget *budget,
		       enum cfs_mem kind, bool by_loader);

/*
 * Finds or loads an object and pins it in *out; cfs_lru_put unpins it.
 * Pinned objects are not evicted but count towards the limit, so only objects
 * in use can exceed it.
 * Returns 0, the loader's code, CFS_ENOMEM, or CFS_EINTR or CFS_ETIMEOUT while
 * waiting.
 */
int cfs_lru_get(struct cfs_lru *lru, struct cfs_lru_key key, cfs_lru_load *load,
		void *arg, struct cfs_lru_ref **out, struct cfs_ctx ctx);
/* Finds and pins an object without loading it: NULL if it is not cached. */
struct cfs_lru_ref *cfs_lru_peek(struct cfs_lru *lru, struct cfs_lru_key key);
/* Pins an object once more that is already pinned.  Returns ref. */
struct cfs_lru_ref *cfs_lru_hold(struct cfs_lru_ref *ref);
void cfs_lru_put(struct cfs_lru_ref *ref);	/* accepts NULL */
/* The same, and forgets the object if nobody else has it. */
void cfs_lru_drop(struct cfs_lru_ref *ref);
void *cfs_lru_obj(const struct cfs_lru_ref *ref);

void cfs_lru_get_stats(struct cfs_lru *lru, struct cfs_lru_stats *out);

#endif
