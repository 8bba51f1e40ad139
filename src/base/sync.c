/* sync.c - timed waits and threads (see sync.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sync.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

void cfs_cond_init(pthread_cond_t *cond)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &attr);
	pthread_condattr_destroy(&attr);
}

bool cfs_cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *lock,
			 int64_t until_ms)
{
	struct timespec t = { 0 };

	if (until_ms > 0)
		t = (struct timespec){ .tv_sec = until_ms / 1000,
				       .tv_nsec = until_ms % 1000 * 1000000 };
	return pthread_cond_timedwait(cond, lock, &t) == ETIMEDOUT;
}

bool cfs_cond_wait_ms(pthread_cond_t *cond, pthread_mutex_t *lock, unsigned ms)
{
	return cfs_cond_wait_until(cond, lock, cfs_monotonic_ms() + ms);
}

void cfs_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock,
		   const struct cfs_cancel *cancel)
{
	if (!cfs_cancel_may_wait(cancel))
		return;
	if (cancel == NULL)
		pthread_cond_wait(cond, lock);
	else
		cfs_cond_wait_ms(cond, lock, CFS_WAIT_SLICE_MS);
}

bool cfs_thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg)
{
	sigset_t every, before;
	int rc;

	sigfillset(&every);
	pthread_sigmask(SIG_SETMASK, &every, &before);
	rc = pthread_create(thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return rc == 0;
}
