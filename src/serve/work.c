/* work.c - the queues of work, and their threads.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "server_internal.h"

#include <stdlib.h>

#include "base/pool.h"
#include "base/sync.h"

struct work_group {
	struct cfs_work *all;
	pthread_cond_t change;
	struct cfs_work_item *first, **last;	/* guarded by the lock */
	struct cfs_pool pool;
};

struct cfs_work {
	pthread_mutex_t lock;
	_Atomic bool is_ending;		/* set with lock held */
	struct work_group groups[CFS_WORK_GROUPS];
	struct cfs_cancel stop;
};

static bool is_over_at_once(void *arg)
{
	struct cfs_at_once *a = arg;

	if (cfs_monotonic_ms() > a->until_ms)
		a->is_over = true;
	return a->is_over;
}

void cfs_at_once_begin(struct cfs_at_once *a)
{
	*a = (struct cfs_at_once){
		.cancel = { .asked = is_over_at_once, .arg = a,
			    .would_wait = &a->is_over },
		.until_ms = cfs_monotonic_ms() + CFS_AT_ONCE_MS,
	};
}

static bool is_work_ending(void *arg)
{
	const struct cfs_work *w = arg;

	return w->is_ending;
}

static struct cfs_work_item *take_work_item(struct work_group *g)
{
	struct cfs_work *w = g->all;
	struct cfs_work_item *item;

	pthread_mutex_lock(&w->lock);
	while (g->first == NULL && !w->is_ending)
		pthread_cond_wait(&g->change, &w->lock);
	item = g->first;
	if (item != NULL) {
		g->first = item->next;
		if (g->first == NULL)
			g->last = &g->first;
	}
	pthread_mutex_unlock(&w->lock);
	return item;
}

static void run_items(void *arg)
{
	struct work_group *g = arg;
	struct cfs_work_item *item;

	while ((item = take_work_item(g)) != NULL)
		item->run(item, &g->all->stop);
}

int cfs_work_new(struct cfs_work **out, unsigned threads, struct cfs_error *err)
{
	struct cfs_work *w = calloc(1, sizeof(*w));

	*out = w;
	if (w == NULL)
		return cfs_error_nomem(err);
	pthread_mutex_init(&w->lock, NULL);
	w->stop = (struct cfs_cancel){ .asked = is_work_ending, .arg = w };
	for (unsigned i = 0; i < CFS_WORK_GROUPS; i++) {
		w->groups[i].all = w;
		w->groups[i].last = &w->groups[i].first;
		pthread_cond_init(&w->groups[i].change, NULL);
	}
	for (unsigned i = 0; i < CFS_WORK_GROUPS; i++) {
		struct work_group *g = &w->groups[i];

		if (cfs_pool_start(&g->pool, i == CFS_WORK_QUICK ? threads :
				   cfs_processors(), run_items, g) > 0)
			continue;
		cfs_work_stop(w);
		cfs_work_free(w);
		*out = NULL;
		return cfs_error_set(err, CFS_ENOMEM,
				     "cannot start threads");
	}
	return CFS_OK;
}

bool cfs_work_add(struct cfs_work *w, struct cfs_work_item *item,
		  enum cfs_work_group group)
{
	struct work_group *g = &w->groups[group];
	bool is_taken;

	pthread_mutex_lock(&w->lock);
	is_taken = !w->is_ending;
	if (is_taken) {
		item->next = NULL;
		*g->last = item;
		g->last = &item->next;
		pthread_cond_signal(&g->change);
	}
	pthread_mutex_unlock(&w->lock);
	return is_taken;
}

void cfs_work_stop(struct cfs_work *w)
{
	pthread_mutex_lock(&w->lock);
	w->is_ending = true;
	for (unsigned i = 0; i < CFS_WORK_GROUPS; i++)
		pthread_cond_broadcast(&w->groups[i].change);
	pthread_mutex_unlock(&w->lock);
	for (unsigned i = 0; i < CFS_WORK_GROUPS; i++)
		cfs_pool_join(&w->groups[i].pool);
}

void cfs_work_free(struct cfs_work *w)
{
	if (w == NULL)
		return;
	for (unsigned i = 0; i < CFS_WORK_GROUPS; i++)
		pthread_cond_destroy(&w->groups[i].change);
	pthread_mutex_destroy(&w->lock);
	free(w);
}
