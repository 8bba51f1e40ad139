/* cache.c - opens and closes a cache, and wraps sources.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cache.h"

#include <assert.h>
#include <stdlib.h>

#include "blob.h"
#include "state.h"

int cfs_cache_open(struct cfs_cache **out, const struct cfs_cache_opts *opts,
		   struct cfs_error *err)
{
	struct cfs_cache *c = calloc(1, sizeof(*c));
	uint64_t bytes = opts->disk_bytes ? opts->disk_bytes :
					    CFS_CACHE_DISK_DEFAULT;

	*out = NULL;
	if (c == NULL)
		return cfs_error_nomem(err);
	c->mem_max = opts->mem_bytes ? opts->mem_bytes : CFS_CACHE_MEM_DEFAULT;
	c->budget = opts->budget;
	c->giver = (struct cfs_budget_giver){ .give = cfs_blob_give, .arg = c };
	c->queue_end = &c->queue;
	pthread_mutex_init(&c->lock, NULL);
	cfs_cond_init(&c->loaded);
	cfs_cond_init(&c->work);
	cfs_cond_init(&c->idle);
	cfs_cond_init(&c->room);
	cfs_budget_join(c->budget, &c->giver);
	if (opts->dir != NULL &&
	    cfs_disk_open(&c->disk, opts->dir, bytes, err) != CFS_OK) {
		cfs_cache_close(c);
		return cfs_error_nomem(err);
	}
	*out = c;
	return CFS_OK;
}

struct cfs_disk *cfs_cache_disk(struct cfs_cache *c)
{
	return c->disk;
}

void cfs_cache_flush(struct cfs_cache *c)
{
	pthread_mutex_lock(&c->lock);
	while (c->queue != NULL || c->is_writing || c->in_flight > 0)
		cfs_cond_wait_ms(&c->idle, &c->lock, CFS_WAIT_SLICE_MS);
	pthread_mutex_unlock(&c->lock);
}

void cfs_cache_close(struct cfs_cache *c)
{
	if (c == NULL)
		return;
	if (c->has_writer) {
		cfs_blob_abandon_all(c);
		cfs_cache_flush(c);
		pthread_mutex_lock(&c->lock);
		c->stop = true;
		pthread_cond_signal(&c->work);
		pthread_mutex_unlock(&c->lock);
		pthread_join(c->writer, NULL);
	}
	cfs_budget_leave(c->budget, &c->giver);
	cfs_blob_free_all(c);
	for (unsigned i = 0; i < CFS_CACHE_BUCKETS; i++)
		assert(c->objects[i] == NULL);
	while (c->counters != NULL) {
		struct cfs_counters_link *next = c->counters->next;

		free(c->counters);
		c->counters = next;
	}
	cfs_disk_close(c->disk);
	pthread_mutex_destroy(&c->lock);
	pthread_cond_destroy(&c->loaded);
	pthread_cond_destroy(&c->work);
	pthread_cond_destroy(&c->idle);
	pthread_cond_destroy(&c->room);
	free(c);
}

int cfs_cache_wrap(struct cfs_source **src, struct cfs_cache *c,
		   struct cfs_cache_counters *counters, unsigned validate_ms,
		   struct cfs_ctx ctx)
{
	struct cfs_cached_opts o = {
		.url = (*src)->url,
		.validate_ms = validate_ms,
		.counters = counters,
	};

	if ((*src)->is_local || (*src)->url == NULL)
		return CFS_OK;
	return cfs_cached_open(src, c, *src, &o, ctx);
}

static int open_through(void *arg, const char *location,
			struct cfs_source **out, struct cfs_ctx ctx)
{
	const struct cfs_cache_opener *o = arg;
	int rc = cfs_location_open(out, location, ctx.err);

	if (rc != CFS_OK || o->cache == NULL)
		return rc;
	return cfs_cache_wrap(out, o->cache, o->counters, 0, ctx);
}

void cfs_cache_opener_init(struct cfs_cache_opener *o, struct cfs_cache *c,
			   struct cfs_cache_counters *counters)
{
	o->base = (struct cfs_opener){ open_through, o };
	o->cache = c;
	o->counters = counters;
}

struct cfs_cache_counters *cfs_cache_counters_new(struct cfs_cache *c)
{
	struct cfs_counters_link *l = calloc(1, sizeof(*l));

	if (l == NULL)
		return NULL;
	pthread_mutex_lock(&c->lock);
	l->next = c->counters;
	c->counters = l;
	pthread_mutex_unlock(&c->lock);
	return &l->c;
}

void cfs_cache_get_stats(struct cfs_cache *c, struct cfs_cache_stats *out)
{
	pthread_mutex_lock(&c->lock);
	*out = (struct cfs_cache_stats){ c->mem, c->mem_max, c->in_flight };
	pthread_mutex_unlock(&c->lock);
}
