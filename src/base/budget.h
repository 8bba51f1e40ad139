/* budget.h - one account of the memory of a program, with a ceiling.
 *
 * Everything that takes memory in earnest draws from it: caches, loads in
 * progress, what is in use.  A load first takes what it may need; where that is
 * not there, caches give way, and if that does not do it waits until other
 * loads have ended, in the order of arrival; small ones may overtake a large
 * one some times.  What others have lent and use is never
 * waited for: a load that is alone gets what it asks for.  So nothing waits for
 * itself, whatever is held meanwhile, as long as no thread begins a load inside
 * of another one.
 *
 * Threads share it.  Everywhere below, a budget that is NULL has no ceiling and
 * keeps no account.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_BUDGET_H
#define CFS_BASE_BUDGET_H

#include "cancel.h"
#include "error.h"

/* What memory is for. */
enum cfs_mem {
	CFS_MEM_INDEX,		/* blocks of indexes */
	CFS_MEM_RECORDS,	/* inflated records, loads of them included */
	CFS_MEM_VIEWS,		/* text and metadata made of them, likewise */
	CFS_MEM_REMOTE,		/* ranges of remote files, those in flight
				 * too */
	CFS_MEM_KINDS
};
extern const char *const cfs_mem_names[CFS_MEM_KINDS];

struct cfs_budget;		/* defined in budget.c */

struct cfs_budget *cfs_budget_new(uint64_t max_bytes);	/* NULL: no memory */
/* Nothing may be accounted for any more.  Accepts NULL. */
void cfs_budget_free(struct cfs_budget *b);
/* UINT64_MAX where there is none. */
uint64_t cfs_budget_max(const struct cfs_budget *b);

/* Something that can give memory back: tries to free about so many bytes, and
 * accounts for that.  Called on any thread, which holds no lock of its own that
 * the giver takes, except one that the giver only tries. */
struct cfs_budget_giver {
	void (*give)(void *arg, uint64_t bytes);
	void *arg;
	struct cfs_budget_giver *next;	/* budget.c */
};

/* The giver is the caller's, and stays where it is until it leaves. */
void cfs_budget_join(struct cfs_budget *b, struct cfs_budget_giver *g);
void cfs_budget_leave(struct cfs_budget *b, struct cfs_budget_giver *g);

/* Accounts for bytes that are there, or are no more.  Takes no other lock. */
void cfs_budget_add(struct cfs_budget *b, enum cfs_mem kind, uint64_t bytes);
void cfs_budget_sub(struct cfs_budget *b, enum cfs_mem kind, uint64_t bytes);
/* After adding, without locks: has caches give way if that was too much. */
void cfs_budget_relieve(struct cfs_budget *b);

/* A load in progress. */
struct cfs_budget_load {
	struct cfs_budget *b;
	enum cfs_mem kind;
	uint64_t bytes;
};

/*
 * Begins a load that may need so many bytes, and accounts for these; waits for
 * its turn if need be, which puts the deadline of `cancel` off.  0; CFS_EINTR
 * while waiting: it has not begun.
 */
int cfs_budget_begin(struct cfs_budget_load *l, struct cfs_budget *b,
		     enum cfs_mem kind, uint64_t bytes,
		     const struct cfs_cancel *cancel, struct cfs_error *err);
/* Takes more for it, if that is there without waiting.  False: it is not. */
bool cfs_budget_grow(struct cfs_budget_load *l, uint64_t bytes);
/* Ends it: `kept` bytes stay accounted for, the rest is free. */
void cfs_budget_end(struct cfs_budget_load *l, uint64_t kept);

struct cfs_budget_stats {
	uint64_t max, used, most;	/* most: that was ever used */
	uint64_t by_kind[CFS_MEM_KINDS];
	uint64_t waits;			/* loads that had to wait */
	uint64_t loading, waiting;	/* now */
};
void cfs_budget_get_stats(struct cfs_budget *b, struct cfs_budget_stats *out);

#endif
