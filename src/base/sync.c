/* sync.c - timed waits, threads and turns (see sync.h).
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

/* ---- turns --------------------------------------------------------------- */

void cfs_turns_init(struct cfs_turns *t, cfs_turn *turn, void *arg)
{
	*t = (struct cfs_turns){ .turn = turn, .arg = arg };
	pthread_mutex_init(&t->lock, NULL);
	cfs_cond_init(&t->changed);
}

static void rest_locked(struct cfs_turns *t)
{
	t->is_resting = true;
	while (!t->is_wanted && !t->is_ending)
		pthread_cond_wait(&t->changed, &t->lock);
	t->is_resting = false;
}

static void *run_turns(void *arg)
{
	struct cfs_turns *t = arg;
	int64_t pause_ms, until_ms;

	pthread_mutex_lock(&t->lock);
	while (!t->is_ending) {
		t->is_wanted = false;
		pthread_mutex_unlock(&t->lock);
		pause_ms = t->turn(t->arg);
		until_ms = cfs_monotonic_ms() + pause_ms;
		pthread_mutex_lock(&t->lock);
		if (pause_ms == CFS_TURNS_REST)
			rest_locked(t);
		else
			while (!t->is_ending &&
			       !cfs_cond_wait_until(&t->changed, &t->lock,
						    until_ms))
				continue;
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

bool cfs_turns_want(struct cfs_turns *t)
{
	bool has_thread;

	pthread_mutex_lock(&t->lock);
	t->is_wanted = true;
	if (t->is_resting)
		pthread_cond_signal(&t->changed);
	if (!t->has_thread)
		t->has_thread = cfs_thread_start(&t->thread, run_turns, t);
	has_thread = t->has_thread;
	pthread_mutex_unlock(&t->lock);
	return has_thread;
}

void cfs_turns_end(struct cfs_turns *t)
{
	pthread_mutex_lock(&t->lock);
	t->is_ending = true;
	pthread_cond_signal(&t->changed);
	pthread_mutex_unlock(&t->lock);
	if (t->has_thread)
		pthread_join(t->thread, NULL);
	pthread_cond_destroy(&t->changed);
	pthread_mutex_destroy(&t->lock);
}
