/* budget.c - the memory account, and the queue of loads that wait for memory.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "budget.h"

#include <assert.h>
#include <stdlib.h>

#include "sync.h"

const char *const cfs_mem_names[CFS_MEM_KINDS] = {
	[CFS_MEM_INDEX] = "index", [CFS_MEM_RECORDS] = "records",
	[CFS_MEM_VIEWS] = "views", [CFS_MEM_REMOTE] = "remote",
	[CFS_MEM_REPLIES] = "replies",
};

/* A load of at most this part of the limit may overtake a waiting one if there
 * is room for it; at most OVERTAKEN_MAX loads overtake the same one. */
#define SMALL_PART 64u
#define OVERTAKEN_MAX 64u

/* A waiting load, on the stack of its thread. */
struct waiter {
	struct waiter *next;
	unsigned overtaken;		/* guarded by the budget's lock */
};

struct cfs_budget {
	uint64_t max;
	pthread_mutex_t lock;
	pthread_cond_t change;		/* memory freed, or `first` changed */
	uint64_t used, most;		/* guarded by lock, as those below */
	uint64_t by_kind[CFS_MEM_KINDS];
	uint64_t waits;
	unsigned loading, waiting;
	struct waiter *first, **end;
	pthread_mutex_t givers_lock;	/* taken before lock and before locks
					 * of givers */
	struct cfs_budget_giver *givers;	/* guarded by givers_lock */
};

struct cfs_budget *cfs_budget_new(uint64_t max_bytes)
{
	struct cfs_budget *b = calloc(1, sizeof(*b));

	if (b == NULL)
		return NULL;
	b->max = max_bytes;
	b->end = &b->first;
	pthread_mutex_init(&b->lock, NULL);
	pthread_mutex_init(&b->givers_lock, NULL);
	cfs_cond_init(&b->change);
	return b;
}

void cfs_budget_free(struct cfs_budget *b)
{
	if (b == NULL)
		return;
	assert(b->used == 0 && b->givers == NULL);
	pthread_cond_destroy(&b->change);
	pthread_mutex_destroy(&b->givers_lock);
	pthread_mutex_destroy(&b->lock);
	free(b);
}

uint64_t cfs_budget_max(const struct cfs_budget *b)
{
	return b != NULL ? b->max : UINT64_MAX;
}

/* ---- giving way -------------------------------------------------------- */

void cfs_budget_join(struct cfs_budget *b, struct cfs_budget_giver *g)
{
	if (b == NULL)
		return;
	pthread_mutex_lock(&b->givers_lock);
	g->next = b->givers;
	b->givers = g;
	pthread_mutex_unlock(&b->givers_lock);
}

void cfs_budget_leave(struct cfs_budget *b, struct cfs_budget_giver *g)
{
	struct cfs_budget_giver **p;

	if (b == NULL)
		return;
	pthread_mutex_lock(&b->givers_lock);
	for (p = &b->givers; *p != NULL; p = &(*p)->next) {
		if (*p == g) {
			*p = g->next;
			break;
		}
	}
	pthread_mutex_unlock(&b->givers_lock);
}

/* How many bytes must be freed to have room for `bytes`. */
static uint64_t excess_locked(const struct cfs_budget *b, uint64_t bytes)
{
	uint64_t room = b->max > b->used ? b->max - b->used : 0;
	uint64_t over = b->used > b->max ? b->used - b->max : 0;
	uint64_t lack = bytes > room ? bytes - room : 0;

	return lack > UINT64_MAX - over ? UINT64_MAX : lack + over;
}

static uint64_t excess(struct cfs_budget *b, uint64_t bytes)
{
	uint64_t n;

	pthread_mutex_lock(&b->lock);
	n = excess_locked(b, bytes);
	pthread_mutex_unlock(&b->lock);
	return n;
}

/* Asks the givers one after the other until there is room for `bytes`. */
static void budget_make_room(struct cfs_budget *b, uint64_t bytes)
{
	uint64_t n;

	pthread_mutex_lock(&b->givers_lock);
	for (struct cfs_budget_giver *g = b->givers;
	     g != NULL && (n = excess(b, bytes)) > 0; g = g->next)
		g->give(g->arg, n);
	pthread_mutex_unlock(&b->givers_lock);
}

void cfs_budget_relieve(struct cfs_budget *b)
{
	if (b != NULL && excess(b, 0) > 0)
		budget_make_room(b, 0);
}

void cfs_budget_squeeze(struct cfs_budget *b)
{
	if (b != NULL)
		budget_make_room(b, UINT64_MAX);
}

/* ---- accounting -------------------------------------------------------- */

static void budget_add_locked(struct cfs_budget *b, enum cfs_mem kind,
			      uint64_t bytes)
{
	assert(bytes <= UINT64_MAX - b->used);
	b->used += bytes;
	b->by_kind[kind] += bytes;
	if (b->used > b->most)
		b->most = b->used;
}

void cfs_budget_add(struct cfs_budget *b, enum cfs_mem kind, uint64_t bytes)
{
	if (b == NULL)
		return;
	pthread_mutex_lock(&b->lock);
	budget_add_locked(b, kind, bytes);
	pthread_mutex_unlock(&b->lock);
}

static void sub_locked(struct cfs_budget *b, enum cfs_mem kind, uint64_t bytes)
{
	assert(bytes <= b->by_kind[kind]);
	b->used -= bytes;
	b->by_kind[kind] -= bytes;
	if (b->first != NULL)
		pthread_cond_broadcast(&b->change);
}

void cfs_budget_sub(struct cfs_budget *b, enum cfs_mem kind, uint64_t bytes)
{
	if (b == NULL)
		return;
	pthread_mutex_lock(&b->lock);
	sub_locked(b, kind, bytes);
	pthread_mutex_unlock(&b->lock);
}

/* ---- loads ------------------------------------------------------------- */

static void leave_queue_locked(struct cfs_budget *b, struct waiter *w)
{
	struct waiter **p = &b->first;

	while (*p != w)
		p = &(*p)->next;
	*p = w->next;
	if (w->next == NULL)
		b->end = p;
	b->waiting--;
	pthread_cond_broadcast(&b->change);
}

static void wait_a_while(struct cfs_budget *b, const struct cfs_cancel *cancel)
{
	int64_t from = cfs_monotonic_ms();

	if (!cfs_cancel_may_wait(cancel))
		return;
	cfs_cond_wait_ms(&b->change, &b->lock, CFS_WAIT_SLICE_MS);
	cfs_cancel_waited(cancel, (unsigned)(cfs_monotonic_ms() - from));
}

/* Waits until w is first in the queue, and there is room or no other load runs.
 * It is woken when memory is freed, and asks the caches again each time:
 * objects that were in use may not be any more. */
static int budget_wait_locked(struct cfs_budget *b, struct waiter *w,
			      uint64_t bytes, struct cfs_ctx ctx)
{
	int rc = CFS_OK;

	while (rc == CFS_OK) {
		if (b->first == w && excess_locked(b, bytes) > 0) {
			pthread_mutex_unlock(&b->lock);
			budget_make_room(b, bytes);
			pthread_mutex_lock(&b->lock);
		}
		if (b->first == w && (b->loading == 0 ||
				      excess_locked(b, bytes) == 0))
			break;
		if (cfs_cancelled(ctx.cancel))
			rc = cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
		else
			wait_a_while(b, ctx.cancel);
	}
	return rc;
}

/* True if a load may begin without queueing. */
static bool is_next_locked(struct cfs_budget *b, uint64_t bytes)
{
	if (excess_locked(b, bytes) > 0)
		return false;
	if (b->first == NULL)
		return true;
	if (bytes > b->max / SMALL_PART || b->first->overtaken >= OVERTAKEN_MAX)
		return false;
	b->first->overtaken++;
	return true;
}

int cfs_budget_begin(struct cfs_budget_load *l, struct cfs_budget *b,
		     enum cfs_mem kind, uint64_t bytes, struct cfs_ctx ctx)
{
	struct waiter w = { NULL, 0 };
	int rc = CFS_OK;

	*l = (struct cfs_budget_load){ b, kind, bytes };
	if (b == NULL)
		return CFS_OK;
	pthread_mutex_lock(&b->lock);
	if (!is_next_locked(b, bytes)) {
		*b->end = &w;
		b->end = &w.next;
		b->waiting++;
		b->waits += b->first != &w || b->loading > 0;
		rc = budget_wait_locked(b, &w, bytes, ctx);
		leave_queue_locked(b, &w);
	}
	if (rc == CFS_OK) {
		budget_add_locked(b, kind, bytes);
		b->loading++;
	}
	pthread_mutex_unlock(&b->lock);
	if (rc != CFS_OK)
		l->b = NULL;
	return rc;
}

bool cfs_budget_grow(struct cfs_budget_load *l, uint64_t bytes)
{
	struct cfs_budget *b = l->b;
	bool ok;

	if (b == NULL)
		return true;
	if (excess(b, bytes) > 0)
		budget_make_room(b, bytes);
	pthread_mutex_lock(&b->lock);
	ok = excess_locked(b, bytes) == 0;
	if (ok) {
		budget_add_locked(b, l->kind, bytes);
		l->bytes += bytes;
	}
	pthread_mutex_unlock(&b->lock);
	return ok;
}

void cfs_budget_end(struct cfs_budget_load *l, uint64_t kept)
{
	struct cfs_budget *b = l->b;

	if (b == NULL)
		return;
	pthread_mutex_lock(&b->lock);
	if (kept > l->bytes)
		budget_add_locked(b, l->kind, kept - l->bytes);
	else
		sub_locked(b, l->kind, l->bytes - kept);
	b->loading--;
	if (b->first != NULL)
		pthread_cond_broadcast(&b->change);
	pthread_mutex_unlock(&b->lock);
	l->b = NULL;
}

void cfs_budget_get_stats(struct cfs_budget *b, struct cfs_budget_stats *out)
{
	*out = (struct cfs_budget_stats){ .max = UINT64_MAX };
	if (b == NULL)
		return;
	pthread_mutex_lock(&b->lock);
	*out = (struct cfs_budget_stats){
		.max = b->max, .used = b->used, .most = b->most,
		.waits = b->waits, .loading = b->loading,
		.waiting = b->waiting,
	};
	for (unsigned i = 0; i < CFS_MEM_KINDS; i++)
		out->by_kind[i] = b->by_kind[i];
	pthread_mutex_unlock(&b->lock);
}
