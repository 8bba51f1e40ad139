/* sync.h - condition variables on the monotonic clock, threads with all signals
 * blocked, and a thread that does something now and then.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_SYNC_H
#define CFS_BASE_SYNC_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "cancel.h"

/* A wait that can be cancelled polls its token this often. */
#define CFS_WAIT_SLICE_MS 50u

/* Initializes a condition whose timed waits use the monotonic clock: setting
 * the time of day does not affect them.  Free it with pthread_cond_destroy. */
void cfs_cond_init(pthread_cond_t *cond);

/* Wait for a signal, but no longer than until until_ms (cfs_monotonic_ms) or
 * for `ms`.  The caller holds lock.  Spurious wake-ups happen.  True when the
 * time is up. */
bool cfs_cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *lock,
			 int64_t until_ms);
bool cfs_cond_wait_ms(pthread_cond_t *cond, pthread_mutex_t *lock, unsigned ms);
/* Waits for a signal; with a cancel token no longer than CFS_WAIT_SLICE_MS,
 * after which the caller must poll it, and not at all if it must not wait. */
void cfs_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock,
		   const struct cfs_cancel *cancel);

/* Starts a thread in which every signal is blocked, so that signal handlers run
 * in other threads.  False if there can be no more threads. */
bool cfs_thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg);

/* Does something now and then, without any lock held.  Returns in how many
 * milliseconds it is to be done again; CFS_TURNS_REST: not before it is
 * wanted. */
typedef int64_t cfs_turn(void *arg);
#define CFS_TURNS_REST (-1)

struct cfs_turns {
	cfs_turn *turn;
	void *arg;
	pthread_mutex_t lock;		/* a leaf; guards all below */
	pthread_cond_t changed;
	pthread_t thread;
	bool has_thread, is_resting, is_wanted, is_ending;
};

void cfs_turns_init(struct cfs_turns *t, cfs_turn *turn, void *arg);
/* Wants a turn: it is done soon, unless a later time was told already.  The
 * first call starts the thread; false if there can be none. */
bool cfs_turns_want(struct cfs_turns *t);
/* Waits for a turn under way, ends the thread and releases *t. */
void cfs_turns_end(struct cfs_turns *t);

#endif
