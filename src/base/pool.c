/* pool.c - threads that do one job together (see pool.h).
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

unsigned cfs_processors(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : (unsigned)n;
}
