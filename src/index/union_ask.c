/* union_ask.c - seeks in several remote members at the same time.
 *
 * Remote seeks wait in one queue.  A caller that has queued some works through
 * the queue as well until its own are done, so that it gets on even if no
 * thread could be started.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "union_internal.h"

#include "base/sync.h"

static void seek_now(struct cfs_union_seek *s)
{
	s->rc = cfs_index_seek(s->ix, s->batch->key, s->it,
			       CFS_CTX(s->batch->cancel, &s->error));
}

/* Makes the first seek in the queue, without the lock. */
static void serve_unlocks(struct cfs_union_askers *a)
{
	struct cfs_union_seek *s = a->queue;

	a->queue = s->next;
	pthread_mutex_unlock(&a->lock);
	seek_now(s);
	pthread_mutex_lock(&a->lock);
	if (--s->batch->left == 0)
		pthread_cond_broadcast(&a->done);
}

static void *union_ask_run(void *arg)
{
	struct cfs_union_askers *a = arg;

	pthread_mutex_lock(&a->lock);
	while (!a->is_ending) {
		if (a->queue != NULL)
			serve_unlocks(a);
		else
			pthread_cond_wait(&a->work, &a->lock);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

static void start_threads_locked(struct cfs_union_askers *a, unsigned n)
{
	while (a->n < n && a->n < a->max &&
	       cfs_thread_start(&a->threads[a->n], union_ask_run, a))
		a->n++;
}

/* Does nothing: the seeks must not wait, not even for others in the queue. */
static void refuse_to_wait(struct cfs_union_batch *b)
{
	for (unsigned i = 0; i < b->n; i++)
		b->v[i].rc = cfs_cancel_before_wait(
			CFS_CTX(b->cancel, &b->v[i].error));
}

void cfs_union_ask(struct cfs_union_askers *a, struct cfs_union_batch *b)
{
	unsigned remote = 0;

	for (unsigned i = 0; i < b->n; i++) {
		b->v[i].batch = b;
		remote += !b->v[i].ix->src->is_local;
	}
	if (remote > 1 && !cfs_cancel_may_wait(b->cancel)) {
		refuse_to_wait(b);
		return;
	}
	b->left = remote > 1 ? remote : 0;
	if (b->left > 0) {
		pthread_mutex_lock(&a->lock);
		for (unsigned i = b->n; i-- > 0;) {
			if (b->v[i].ix->src->is_local)
				continue;
			b->v[i].next = a->queue;
			a->queue = &b->v[i];
		}
		start_threads_locked(a, remote - 1);
		pthread_cond_broadcast(&a->work);
		pthread_mutex_unlock(&a->lock);
	}
	for (unsigned i = 0; i < b->n; i++)
		if (remote < 2 || b->v[i].ix->src->is_local)
			seek_now(&b->v[i]);
	if (remote < 2)
		return;
	pthread_mutex_lock(&a->lock);
	while (b->left > 0) {
		if (a->queue != NULL)
			serve_unlocks(a);
		else
			cfs_cond_wait(&a->done, &a->lock, NULL);
	}
	pthread_mutex_unlock(&a->lock);
}

void cfs_union_askers_init(struct cfs_union_askers *a, unsigned max)
{
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->work, NULL);
	pthread_cond_init(&a->done, NULL);
	a->queue = NULL;
	a->is_ending = false;
	a->n = 0;
	a->max = max;
}

void cfs_union_askers_release(struct cfs_union_askers *a)
{
	pthread_mutex_lock(&a->lock);
	a->is_ending = true;
	pthread_cond_broadcast(&a->work);
	pthread_mutex_unlock(&a->lock);
	for (unsigned i = 0; i < a->n; i++)
		pthread_join(a->threads[i], NULL);
	pthread_mutex_destroy(&a->lock);
	pthread_cond_destroy(&a->work);
	pthread_cond_destroy(&a->done);
}
