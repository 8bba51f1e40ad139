/* sync.h - condition variables on the monotonic clock, and threads that leave
 * signals alone.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_SYNC_H
#define CFS_BASE_SYNC_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "cancel.h"

/* How long a wait that can be cancelled lasts before it asks again. */
#define CFS_WAIT_SLICE_MS 50u

/* A condition whose timed waits go by the monotonic clock: setting the time
 * of day neither ends nor prolongs them.  End it with pthread_cond_destroy. */
void cfs_cond_init(pthread_cond_t *cond);

/* Waits for a signal, but no longer than until_ms (cfs_monotonic_ms) or for
 * `ms`.  The caller holds lock.  Wakes without a reason too.  True when the
 * time is up. */
bool cfs_cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *lock,
			 int64_t until_ms);
bool cfs_cond_wait_ms(pthread_cond_t *cond, pthread_mutex_t *lock, unsigned ms);
/* Waits for a signal; with a cancel token no longer than until it is time to
 * ask that again. */
void cfs_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock,
		   const struct cfs_cancel *cancel);

/* Starts a thread in which every signal is blocked, so that the program's
 * handlers run elsewhere.  False if there can be no more threads. */
bool cfs_thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg);

#endif
