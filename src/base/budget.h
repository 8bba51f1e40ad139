/* budget.h - the memory account of a program, with an upper limit.
 *
 * All large uses of memory are charged to it: caches, loads in progress,
 * objects in use.  A load first reserves what it may need.  If that exceeds the
 * limit, caches evict; if that is not enough, the load waits until other loads
 * have ended.  Loads are served in the order of arrival, but small ones may
 * overtake a large one a limited number of times.  A load never waits for
 * objects that are in use: when no other load runs it gets what it asks for.
 * So there is no deadlock, whatever the threads hold, as long as no thread
 * begins a load inside another one.
 *
 * Threads share it.  In all functions below, a budget of NULL has no limit and
 * counts nothing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_BUDGET_H
#define CFS_BASE_BUDGET_H

#include "cancel.h"
#include "error.h"

/* The uses of memory that are counted separately. */
enum cfs_mem {
	CFS_MEM_INDEX,		/* blocks of indexes */
	CFS_MEM_RECORDS,	/* inflated records, loaded or loading */
	CFS_MEM_VIEWS,		/* views made of them, likewise */
	CFS_MEM_REMOTE,		/* ranges of remote files, fetched or in
				 * flight */
	CFS_MEM_REPLIES,	/* replies being made for clients of a server */
	CFS_MEM_KINDS
};
extern const char *const cfs_mem_names[CFS_MEM_KINDS];

struct cfs_budget;		/* defined in budget.c */

struct cfs_budget *cfs_budget_new(uint64_t max_bytes);	/* NULL: no memory */
/* All memory must have been subtracted before.  Accepts NULL. */
void cfs_budget_free(struct cfs_budget *b);
/* The limit in bytes; UINT64_MAX for a budget of NULL. */
uint64_t cfs_budget_max(const struct cfs_budget *b);

/* A cache that can give memory back: `give` tries to free about `bytes` and
 * subtracts what it freed.  It is called on any thread.  The caller holds no
 * lock that `give` takes, except one that it only tries to take. */
struct cfs_budget_giver {
	void (*give)(void *arg, uint64_t bytes);
	void *arg;
	struct cfs_budget_giver *next;	/* budget.c */
};

/* The caller owns the giver and must not move it until cfs_budget_leave. */
void cfs_budget_join(struct cfs_budget *b, struct cfs_budget_giver *g);
void cfs_budget_leave(struct cfs_budget *b, struct cfs_budget_giver *g);

/* Count bytes that were allocated (add) or freed (sub).  They take no lock but
 * the budget's own. */
void cfs_budget_add(struct cfs_budget *b, enum cfs_mem kind, uint64_t bytes);
void cfs_budget_sub(struct cfs_budget *b, enum cfs_mem kind, uint64_t bytes);
/* Has caches evict if the limit is exceeded.  Call it after cfs_budget_add,
 * without holding locks. */
void cfs_budget_relieve(struct cfs_budget *b);
/* Has caches evict all that nobody holds; locks as for cfs_budget_relieve. */
void cfs_budget_squeeze(struct cfs_budget *b);

/* A load in progress. */
struct cfs_budget_load {
	struct cfs_budget *b;
	enum cfs_mem kind;
	uint64_t bytes;
};

/*
 * Begins a load that may need `bytes`, and reserves them; waits for its turn if
 * necessary, which extends the deadline of `cancel` by the time waited.
 * Returns 0, or CFS_EINTR if cancelled while waiting: the load has not begun.
 */
int cfs_budget_begin(struct cfs_budget_load *l, struct cfs_budget *b,
		     enum cfs_mem kind, uint64_t bytes, struct cfs_ctx ctx);
/* Reserves more for the load if that needs no waiting; false otherwise. */
bool cfs_budget_grow(struct cfs_budget_load *l, uint64_t bytes);
/* Ends the load: `kept` bytes stay reserved, the rest is released. */
void cfs_budget_end(struct cfs_budget_load *l, uint64_t kept);

struct cfs_budget_stats {
	uint64_t max, used, most;	/* bytes; most: the peak of used */
	uint64_t by_kind[CFS_MEM_KINDS];
	uint64_t waits;			/* loads that had to wait */
	uint64_t loading, waiting;	/* loads at present */
};
void cfs_budget_get_stats(struct cfs_budget *b, struct cfs_budget_stats *out);

#endif
