/* pool.c - runs one function on several threads (see pool.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "pool.h"

#include <stdatomic.h>
#include <unistd.h>

#include "sync.h"

#define REQUEST_THREADS_MIN 3u
#define REQUEST_THREADS_SPARE 1u
#define REQUEST_THREADS_REMOTE 64u

static void *pool_run(void *arg)
{
	struct cfs_pool *pool = arg;

	pool->work(pool->arg);
	return NULL;
}

unsigned cfs_pool_start(struct cfs_pool *pool, unsigned n, cfs_pool_work *work,
			void *arg)
{
	pool->n = 0;
	pool->work = work;
	pool->arg = arg;
	if (n > CFS_POOL_MAX)
		n = CFS_POOL_MAX;
	while (pool->n < n &&
	       cfs_thread_start(&pool->threads[pool->n], pool_run, pool))
		pool->n++;
	return pool->n;
}

void cfs_pool_join(struct cfs_pool *pool)
{
	for (unsigned i = 0; i < pool->n; i++)
		pthread_join(pool->threads[i], NULL);
	pool->n = 0;
}

/* Threads that are watched while they work. */
struct watched {
	cfs_pool_work *work;
	void *arg;
	pthread_mutex_t lock;
	pthread_cond_t changed;		/* one has returned */
	unsigned ended;			/* guarded by lock */
};

static void work_watched(void *arg)
{
	struct watched *w = arg;

	w->work(w->arg);
	pthread_mutex_lock(&w->lock);
	w->ended++;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

bool cfs_pool_run(unsigned n, cfs_pool_work *work, void *arg,
		  unsigned every_ms, cfs_pool_work *show)
{
	struct watched w = { .work = work, .arg = arg,
			     .lock = PTHREAD_MUTEX_INITIALIZER };
	struct cfs_pool pool;
	unsigned started;

	cfs_cond_init(&w.changed);
	started = cfs_pool_start(&pool, n, work_watched, &w);
	pthread_mutex_lock(&w.lock);
	while (w.ended < started) {
		cfs_cond_wait_ms(&w.changed, &w.lock, every_ms);
		pthread_mutex_unlock(&w.lock);
		show(arg);
		pthread_mutex_lock(&w.lock);
	}
	pthread_mutex_unlock(&w.lock);
	cfs_pool_join(&pool);
	pthread_cond_destroy(&w.changed);
	pthread_mutex_destroy(&w.lock);
	/* Threads may have ended before the loop, or since the last time. */
	if (started > 0)
		show(arg);
	return started > 0;
}

/* Calls that are under way. */
struct pool_each {
	const struct cfs_pool_calls *calls;
	const struct cfs_cancel *outer;	/* the caller's */
	struct cfs_cancel cancel;	/* the calls' */
	atomic_bool has_failed;
	pthread_mutex_t lock;
	unsigned threads;		/* numbered so far; guarded by lock, as
					 * those below */
	size_t next;
	int rc;
	struct cfs_error err;
};

static bool pool_should_stop(void *arg)
{
	struct pool_each *e = arg;

	return atomic_load_explicit(&e->has_failed, memory_order_relaxed) ||
	       cfs_cancelled(e->outer);
}

static bool pool_take(struct pool_each *e, size_t *i)
{
	bool is_left;

	pthread_mutex_lock(&e->lock);
	is_left = e->rc == CFS_OK && e->next < e->calls->n;
	if (is_left)
		*i = e->next++;
	pthread_mutex_unlock(&e->lock);
	return is_left;
}

static void pool_fail(struct pool_each *e, int rc, const struct cfs_error *err)
{
	pthread_mutex_lock(&e->lock);
	if (e->rc == CFS_OK) {
		e->rc = rc;
		e->err = *err;
	}
	atomic_store(&e->has_failed, true);
	pthread_mutex_unlock(&e->lock);
}

static void do_some(void *arg)
{
	struct pool_each *e = arg;
	unsigned thread;
	size_t i;

	pthread_mutex_lock(&e->lock);
	thread = e->threads++;
	pthread_mutex_unlock(&e->lock);
	while (pool_take(e, &i)) {
		struct cfs_error err = CFS_ERROR_INIT;
		int rc = cfs_cancelled(e->outer) ?
			 cfs_error_set(&err, CFS_EINTR, "interrupted") :
			 e->calls->one(e->calls->arg, i, thread,
				       CFS_CTX(&e->cancel, &err));

		if (rc != CFS_OK)
			pool_fail(e, rc, &err);
	}
}

static void show_each(void *arg)
{
	const struct pool_each *e = arg;

	e->calls->show(e->calls->arg);
}

int cfs_pool_each(const struct cfs_pool_calls *calls, struct cfs_ctx ctx)
{
	struct pool_each e = { .calls = calls, .outer = ctx.cancel,
			       .lock = PTHREAD_MUTEX_INITIALIZER };
	size_t most = calls->n < calls->threads ? calls->n : calls->threads;
	unsigned threads = most < CFS_POOL_MAX ? (unsigned)most : CFS_POOL_MAX;
	struct cfs_pool pool;

	e.cancel = (struct cfs_cancel){ .asked = pool_should_stop, .arg = &e,
		.until = ctx.cancel != NULL ? ctx.cancel->until : NULL };
	if (calls->show == NULL) {
		cfs_pool_start(&pool, threads > 0 ? threads - 1 : 0, do_some,
			       &e);
		do_some(&e);
		cfs_pool_join(&pool);
	} else if (calls->n == 0) {
		calls->show(calls->arg);
	} else if (!cfs_pool_run(threads > 0 ? threads : 1, do_some, &e,
				 calls->every_ms, show_each)) {
		e.rc = cfs_error_set(&e.err, CFS_ENOMEM,
				     "cannot start a thread");
	}
	pthread_mutex_destroy(&e.lock);
	return cfs_error_pass(ctx.err, &e.err, e.rc);
}

unsigned cfs_processors(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : (unsigned)n;
}

unsigned cfs_request_threads(bool is_remote)
{
	unsigned n = cfs_processors() + REQUEST_THREADS_SPARE;
	unsigned least = is_remote ? REQUEST_THREADS_REMOTE :
				     REQUEST_THREADS_MIN;

	return n < least ? least : n;
}
