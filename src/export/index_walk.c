/* index_walk.c - the thread that walks, and the queue behind it.
 *
 * The walk goes on while threads make rows, since it is the one part of an
 * export in index order that cannot be shared out: prefixes may overlap, and
 * the next entry of several joined indexes is known only once the last one was
 * passed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "index_rows_internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/sync.h"

/* Most positions that wait in the queue. */
#define QUEUE_MAX ((size_t)16384)

struct cfs_index_walk {
	const struct cfs_prefixes *prefixes;
	const struct cfs_cancel *outer;	/* of the run */
	unsigned per_batch;
	pthread_t thread;
	struct cfs_cancel cancel;	/* of the thread */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* Guarded by lock: */
	cfs_pos queue[QUEUE_MAX];	/* a ring */
	size_t first, n;
	bool is_ended, is_freed;
	int rc;
	struct cfs_error error;
};

static bool walk_should_stop(void *arg)
{
	struct cfs_index_walk *w = arg;
	bool yes;

	if (cfs_cancelled(w->outer))
		return true;
	pthread_mutex_lock(&w->lock);
	yes = w->is_freed;
	pthread_mutex_unlock(&w->lock);
	return yes;
}

static int index_walk_on_entry(void *arg, const struct cfs_iter *it,
			       const struct cfs_capture *cap)
{
	struct cfs_index_walk *w = arg;
	int rc = CFS_OK;

	(void)cap;
	pthread_mutex_lock(&w->lock);
	while (w->n == QUEUE_MAX && !w->is_freed && !cfs_cancelled(w->outer))
		cfs_cond_wait(&w->changed, &w->lock, w->outer);
	if (w->n == QUEUE_MAX) {
		rc = CFS_EINTR;
	} else {
		w->queue[(w->first + w->n++) % QUEUE_MAX] = it->pos;
		if (w->n % w->per_batch == 0)
			pthread_cond_broadcast(&w->changed);
	}
	pthread_mutex_unlock(&w->lock);
	return rc;
}

static void *index_walk_thread(void *arg)
{
	struct cfs_index_walk *w = arg;
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = cfs_prefixes_each(w->prefixes, index_walk_on_entry, w,
				   CFS_CTX(&w->cancel, &e));

	pthread_mutex_lock(&w->lock);
	w->is_ended = true;
	w->rc = rc;
	w->error = e;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

int cfs_index_walk_new(struct cfs_index_walk **out,
		       const struct cfs_prefixes *prefixes, unsigned per_batch,
		       struct cfs_ctx ctx)
{
	struct cfs_index_walk *w = calloc(1, sizeof(*w));

	*out = NULL;
	if (w == NULL)
		return cfs_error_nomem(ctx.err);
	w->prefixes = prefixes;
	w->outer = ctx.cancel;
	w->per_batch = per_batch;
	w->cancel = (struct cfs_cancel){ .asked = walk_should_stop, .arg = w };
	pthread_mutex_init(&w->lock, NULL);
	cfs_cond_init(&w->changed);
	if (!cfs_thread_start(&w->thread, index_walk_thread, w)) {
		pthread_cond_destroy(&w->changed);
		pthread_mutex_destroy(&w->lock);
		free(w);
		return cfs_error_set(ctx.err, CFS_ENOMEM,
				     "cannot start a thread");
	}
	*out = w;
	return CFS_OK;
}

int cfs_index_walk_next(struct cfs_index_walk *w,
			cfs_pos out[CFS_INDEX_WALK_MAX], unsigned *n,
			struct cfs_ctx ctx)
{
	int rc = CFS_OK;

	*n = 0;
	pthread_mutex_lock(&w->lock);
	while (w->n < w->per_batch && !w->is_ended &&
	       !cfs_cancelled(ctx.cancel))
		cfs_cond_wait(&w->changed, &w->lock, ctx.cancel);
	if (w->n >= w->per_batch || w->is_ended) {
		while (*n < w->per_batch && w->n > 0) {
			out[(*n)++] = w->queue[w->first];
			w->first = (w->first + 1) % QUEUE_MAX;
			w->n--;
		}
		pthread_cond_broadcast(&w->changed);
		if (*n == 0)
			rc = w->rc;
		rc = cfs_error_pass(ctx.err, &w->error, rc);
	} else {
		rc = cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
	}
	pthread_mutex_unlock(&w->lock);
	return rc;
}

void cfs_index_walk_free(struct cfs_index_walk *w)
{
	if (w == NULL)
		return;
	pthread_mutex_lock(&w->lock);
	w->is_freed = true;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	pthread_cond_destroy(&w->changed);
	pthread_mutex_destroy(&w->lock);
	free(w);
}
