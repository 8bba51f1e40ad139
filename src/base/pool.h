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

#include "cancel.h"
#include "error.h"

#define CFS_POOL_MAX 256u

typedef void cfs_pool_work(void *arg);

/* Call number i of cfs_pool_each.  `thread` is a number that no other call has
 * at the same time, and is less than the number of threads.  `cancel` asks to
 * stop also once another call has failed; it is never NULL. */
typedef int cfs_pool_one(void *arg, size_t i, unsigned thread,
			 struct cfs_ctx ctx);

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

/* Calls with the numbers 0 to n - 1, shared out among threads. */
struct cfs_pool_calls {
	unsigned threads;		/* the most at a time; 0 counts as 1 */
	size_t n;
	cfs_pool_one *one;
	void *arg;
	cfs_pool_work *show;		/* shows progress; NULL: none */
	unsigned every_ms;		/* how often; 0 without `show` */
};

/*
 * Makes all the calls; they are begun in the order of their numbers.
 *
 * Without `show`, the caller's thread makes calls as well, so that no thread
 * need be started.  With it, the caller's thread only calls show(arg), every
 * `every_ms` and at the end, and CFS_ENOMEM says that no thread can be started.
 *
 * After a failure or a cancellation no further call is begun, and those under
 * way are asked to stop by the `cancel` that they were given.  Returns the
 * first failure in time, CFS_EINTR if calls were left out because of `cancel`,
 * or CFS_OK.
 */
int cfs_pool_each(const struct cfs_pool_calls *calls, struct cfs_ctx ctx);

/* Processors that are online, at least 1. */
unsigned cfs_processors(void);

/* How many threads answer requests at the same time: one more than there are
 * processors, so that the end of a request (an interrupt) is noticed while all
 * are busy, and at least 3; with a crawl on a server, so many that requests
 * which wait for it do not keep others from being answered. */
unsigned cfs_request_threads(bool is_remote);

#endif
