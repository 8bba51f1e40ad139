/* sizes.c - asks servers for the sizes of archives, by threads.
 *
 * Every answer carries the size, so one byte of each archive is read: through
 * the block cache, which keeps the sizes, and requests none that it has.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sizes.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/pool.h"
#include "base/sync.h"
#include "progress.h"

#define THREADS_MAX 64u
#define SHOW_MS 100
#define BYTES_MAX 4e18		/* of all that is asked for */

struct asking {
	const struct cfs_sizes_opts *opts;
	uint32_t all, n;		/* archives; those requested */
	struct cfs_cancel cancel;
	atomic_bool stop;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* The rest is guarded by lock. */
	uint32_t next, done, known, missing;
	unsigned ended;			/* threads that have */
	uint64_t bytes;
	struct cfs_error why;
};

static bool should_stop(void *arg)
{
	struct asking *a = arg;

	return atomic_load_explicit(&a->stop, memory_order_relaxed) ||
	       cfs_cancelled(a->opts->cancel);
}

static int ask_one(struct asking *a, uint32_t number, uint64_t *bytes,
		   struct cfs_error *err)
{
	struct cfs_slice name = cfs_strtab_get(a->opts->names, number);
	struct cfs_source *src;
	uint8_t byte;
	size_t got;
	int rc = cfs_store_source(a->opts->store, name, &src, &a->cancel, err);

	if (rc != CFS_OK)
		return rc;
	if (src->size == CFS_SIZE_UNKNOWN)
		rc = cfs_source_read_some(src, &byte, 1, 0, &got, &a->cancel,
					  err);
	if (rc == CFS_OK)
		rc = cfs_source_find_size(src, &a->cancel, err);
	*bytes = src->size;
	cfs_source_close(src);
	return rc;
}

/* The number of requested archive i: they are spread evenly over all. */
static uint32_t number_of(const struct asking *a, uint32_t i)
{
	return (uint32_t)((uint64_t)i * a->all / a->n);
}

static void work(void *arg)
{
	struct asking *a = arg;

	pthread_mutex_lock(&a->lock);
	while (a->next < a->n && !should_stop(a)) {
		struct cfs_error e = CFS_ERROR_INIT;
		uint32_t i = a->next++;
		uint64_t bytes = 0;
		int rc;

		pthread_mutex_unlock(&a->lock);
		rc = ask_one(a, number_of(a, i), &bytes, &e);
		pthread_mutex_lock(&a->lock);
		a->done++;
		if (rc == CFS_OK && bytes < (uint64_t)BYTES_MAX - a->bytes) {
			a->bytes += bytes;
			a->known++;
		} else if (rc == CFS_ENOTFOUND || rc == CFS_OK) {
			a->missing++;
		} else if (!should_stop(a)) {
			a->why = e;
			atomic_store(&a->stop, true);
		}
	}
	a->ended++;
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
}

static void wait_for_all(struct asking *a, unsigned threads)
{
	pthread_mutex_lock(&a->lock);
	while (a->ended < threads) {
		uint32_t done = a->done;

		pthread_mutex_unlock(&a->lock);
		cfs_progress_count("requesting sizes of archives", done, a->n);
		pthread_mutex_lock(&a->lock);
		if (a->ended < threads)
			cfs_cond_wait_ms(&a->changed, &a->lock, SHOW_MS);
	}
	pthread_mutex_unlock(&a->lock);
	cfs_progress_end();
}

static int run_threads(struct asking *a, struct cfs_error *err)
{
	unsigned threads, most = a->opts->parallel;
	struct cfs_pool pool;

	if (most == 0 || most > THREADS_MAX)
		most = THREADS_MAX;
	threads = cfs_pool_start(&pool, most < a->n ? most : a->n, work, a);
	if (threads == 0)
		return cfs_error_set(err, CFS_ENOMEM, "cannot start a thread");
	wait_for_all(a, threads);
	cfs_pool_join(&pool);
	return cfs_cancelled(a->opts->cancel) ?
	       cfs_error_set(err, CFS_EINTR, "interrupted") : CFS_OK;
}

/* A server may claim any size. */
static uint64_t bounded(double bytes)
{
	return bytes < BYTES_MAX ? (uint64_t)bytes : (uint64_t)BYTES_MAX;
}

static void add_up(const struct asking *a, struct cfs_sizes *out)
{
	uint64_t rest = a->all - a->known - a->missing;

	*out = (struct cfs_sizes){ .bytes = a->bytes, .known = a->known,
		.guessed = a->missing, .why = a->why };
	if (a->known > 0)
		out->as_mean = rest;
	else
		out->guessed += rest;
	if (a->known > 0)
		out->bytes += bounded((double)a->bytes / a->known *
				      (double)rest);
	out->bytes += out->guessed * CFS_SIZES_GUESS;
}

int cfs_sizes_ask(struct cfs_sizes *out, const struct cfs_sizes_opts *opts,
		  struct cfs_error *err)
{
	struct asking a = { .opts = opts, .all = cfs_strtab_count(opts->names) };
	int rc;

	*out = (struct cfs_sizes){ .bytes = 0 };
	if (a.all == 0)
		return CFS_OK;
	a.n = a.all <= CFS_SIZES_ASK_MAX ? a.all : CFS_SIZES_SAMPLE;
	a.cancel = (struct cfs_cancel){ .asked = should_stop, .arg = &a };
	pthread_mutex_init(&a.lock, NULL);
	cfs_cond_init(&a.changed);
	rc = run_threads(&a, err);
	pthread_cond_destroy(&a.changed);
	pthread_mutex_destroy(&a.lock);
	add_up(&a, out);
	return rc;
}
