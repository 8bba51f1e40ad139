/* pool.c - runs one function on several threads (see pool.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "pool.h"

#include <unistd.h>

#include "sync.h"

static void *run(void *arg)
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
	       cfs_thread_start(&pool->threads[pool->n], run, pool))
		pool->n++;
	return pool->n;
}

void cfs_pool_join(struct cfs_pool *pool)
{
	for (unsigned i = 0; i < pool->n; i++)
		pthread_join(pool->threads[i], NULL);
	pool->n = 0;
}

/* A list of calls, each of which is made by one of the threads. */
struct pool_each {
	cfs_pool_one *one;
	void *arg;
	size_t n;
	pthread_mutex_t lock;
	size_t next;			/* guarded by lock, as those below */
	int rc;
	struct cfs_error err;
};

static bool take(struct pool_each *e, size_t *i)
{
	bool is_left;

	pthread_mutex_lock(&e->lock);
	is_left = e->rc == CFS_OK && e->next < e->n;
	if (is_left)
		*i = e->next++;
	pthread_mutex_unlock(&e->lock);
	return is_left;
}

static void do_some(void *arg)
{
	struct pool_each *e = arg;
	size_t i;

	while (take(e, &i)) {
		struct cfs_error err = CFS_ERROR_INIT;
		int rc = e->one(e->arg, i, &err);

		if (rc == CFS_OK)
			continue;
		pthread_mutex_lock(&e->lock);
		if (e->rc == CFS_OK) {
			e->rc = rc;
			e->err = err;
		}
		pthread_mutex_unlock(&e->lock);
	}
}

int cfs_pool_each(unsigned threads, size_t n, cfs_pool_one *one, void *arg,
		  struct cfs_error *err)
{
	struct pool_each e = { .one = one, .arg = arg, .n = n,
			  .lock = PTHREAD_MUTEX_INITIALIZER };
	size_t others = n < threads ? n : threads;
	struct cfs_pool pool;

	cfs_pool_start(&pool, others > 0 ? (unsigned)others - 1 : 0, do_some,
		       &e);
	do_some(&e);
	cfs_pool_join(&pool);
	pthread_mutex_destroy(&e.lock);
	if (e.rc != CFS_OK)
		cfs_error_copy(err, &e.err);
	return e.rc;
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
	return started > 0;
}

unsigned cfs_processors(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : (unsigned)n;
}
