/* pool.h - runs one function on several threads.
 *
 *     struct cfs_pool pool;
 *
 *     if (cfs_pool_start(&pool, 8, work, &job) == 0)
 *             work(&job);              no thread started: do it here
 *     cfs_pool_join(&pool);
 *
 * The threads share `arg`, which holds the lock and the list of work; each
 * thread returns when nothing is left.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_POOL_H
#define CFS_BASE_POOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "error.h"

#define CFS_POOL_MAX 256u

typedef void cfs_pool_work(void *arg);

struct cfs_pool {
	unsigned n;			/* threads that were started */
	pthread_t threads[CFS_POOL_MAX];
	cfs_pool_work *work;
	void *arg;
};

/* Starts up to n threads (at most CFS_POOL_MAX), with signals blocked.
 * Returns how many: fewer, or 0, if the system refuses more. */
unsigned cfs_pool_start(struct cfs_pool *pool, unsigned n, cfs_pool_work *work,
			void *arg);

/* Waits until all threads have returned.  Call it once for each start. */
void cfs_pool_join(struct cfs_pool *pool);

/* Starts up to n threads and waits until all have returned.  Meanwhile the
 * caller's thread calls show(arg) every `every_ms`, and at the end.  False if
 * no thread can be started; then nothing was called. */
bool cfs_pool_run(unsigned n, cfs_pool_work *work, void *arg,
		  unsigned every_ms, cfs_pool_work *show);

/* Calls one(arg, i, ..) for each i below n, begun in that order, on the
 * caller's thread and up to threads - 1 others.  After a failure no further
 * call is begun; the first failure is returned. */
typedef int cfs_pool_one(void *arg, size_t i, struct cfs_error *err);
int cfs_pool_each(unsigned threads, size_t n, cfs_pool_one *one, void *arg,
		  struct cfs_error *err);

/* Processors that are online, at least 1. */
unsigned cfs_processors(void);

#endif
