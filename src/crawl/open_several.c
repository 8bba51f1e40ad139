/* open_several.c - opens a SOURCE that stands for one crawl or several, joins
 * these, and limits the result.
 *
 * A member is opened as if it were alone, with its share of the memory; then
 * its index goes to the union, and a store for all replaces its own.  Members
 * on servers are opened in parallel.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <pthread.h>
#include <stdlib.h>

#include "base/pool.h"
#include "index/union.h"
#include "net/collections.h"
#include "net/location.h"
#include "sources.h"

struct opening {
	const struct cfs_sources *s;
	const struct cfs_crawl_opts *opts;	/* those of the union */
	struct cfs_crawl_opts v[CFS_UNION_MAX];
	struct cfs_crawl **members;
	struct cfs_error errors[CFS_UNION_MAX];
	int rc[CFS_UNION_MAX];
	pthread_mutex_t lock;		/* held while progress is shown */
};

static bool is_remote(const char *source, const char *data)
{
	return cfs_location_is_url(source) || cfs_collection_is_name(source) ||
	       (data != NULL && cfs_location_is_url(data));
}

/* Serialises progress, so that one line is shown at a time. */
static void building(void *arg, const char *source,
		     const struct cfs_progress *p)
{
	struct opening *o = arg;

	pthread_mutex_lock(&o->lock);
	o->opts->building(o->opts->arg, source, p);
	pthread_mutex_unlock(&o->lock);
}

static void open_several_open_member(struct opening *o, size_t i)
{
	o->rc[i] = cfs_crawl_open_one(&o->members[i], o->s->v[i], &o->v[i],
				      &o->errors[i]);
}

/* Opens a member on a server.  A failure does not end the others: that of the
 * first member in order is reported. */
static int open_several_open_remote(void *arg, size_t i, unsigned thread,
				    struct cfs_ctx ctx)
{
	struct opening *o = arg;

	(void)thread, (void)ctx.cancel, (void)ctx;
	if (is_remote(o->s->v[i], o->v[i].data))
		open_several_open_member(o, i);
	return CFS_OK;
}

/* Makes each member's options: its folder of archives, its part of memory. */
static int hand_out(struct opening *o, struct cfs_crawl *c,
		    const struct cfs_sources *data, struct cfs_error *err)
{
	uint64_t mem = o->opts->mem_bytes ? o->opts->mem_bytes :
					    CFS_CRAWL_MEM_DEFAULT;
	bool any = false;
	int rc = CFS_OK;

	if (data->n > 1 && data->n != o->s->n)
		return cfs_error_set(err, CFS_EUSAGE, "data: a list of %zu for "
				     "%zu sources", data->n, o->s->n);
	for (size_t i = 0; i < o->s->n; i++) {
		o->v[i] = *o->opts;
		o->v[i].beside = (const char *const *)o->s->v;
		o->v[i].n_beside = o->s->n;
		o->v[i].mem_bytes = mem / o->s->n;
		if (data->n > 0)
			o->v[i].data = data->v[data->n > 1 ? i : 0];
		any |= is_remote(o->s->v[i], o->v[i].data);
		if (o->opts->building != NULL) {
			o->v[i].building = building;
			o->v[i].arg = o;
		}
	}
	if (any)
		rc = cfs_crawl_use_cache(c, err);
	for (size_t i = 0; i < o->s->n; i++)
		o->v[i].counters = c->counters;
	return rc;
}

static int open_each(struct opening *o, struct cfs_error *err)
{
	struct cfs_pool_calls calls = { .n = o->s->n,
					.one = open_several_open_remote,
					.arg = o };
	int rc;

	for (size_t i = 0; i < o->s->n; i++)
		calls.threads += is_remote(o->s->v[i], o->v[i].data);
	rc = cfs_pool_each(&calls, CFS_CTX(NULL, err));
	for (size_t i = 0; i < o->s->n && rc == CFS_OK; i++) {
		if (!is_remote(o->s->v[i], o->v[i].data))
			open_several_open_member(o, i);
		rc = o->rc[i];
		cfs_error_pass(err, &o->errors[i], rc);
	}
	return rc;
}

/* Joins the names as "A,B,C", for messages. */
static int open_several_list_names(const struct cfs_sources *s,
				   struct cfs_buf *out)
{
	for (size_t i = 0; i < s->n; i++) {
		if (i > 0)
			cfs_buf_addc(out, ',');
		cfs_buf_adds(out, s->v[i]);
	}
	return out->failed;
}

static int open_all(struct cfs_crawl *c, const struct cfs_sources *s,
		    struct cfs_error *err)
{
	struct opening *o = calloc(1, sizeof(*o));
	struct cfs_sources data = { .n = 0 };
	int rc = CFS_OK;

	if (o == NULL)
		return cfs_error_nomem(err);
	o->s = s;
	o->opts = c->opts;
	o->members = c->members;
	pthread_mutex_init(&o->lock, NULL);
	if (c->opts->data != NULL)
		rc = cfs_sources_split(&data, c->opts->data, err);
	if (rc == CFS_OK)
		rc = hand_out(o, c, &data, err);
	if (rc == CFS_OK)
		rc = open_each(o, err);
	if (rc == CFS_OK)
		rc = cfs_crawl_need_page(c->members, c->n_members, err);
	if (rc == CFS_OK)
		rc = cfs_crawl_join(c, err);
	pthread_mutex_destroy(&o->lock);
	cfs_sources_release(&data);
	free(o);
	return rc;
}

/* Opens several sources, at least two, as one crawl. */
static int open_several_open_members(struct cfs_crawl **out,
				     const struct cfs_sources *s,
				     const struct cfs_crawl_opts *opts,
				     struct cfs_error *err)
{
	struct cfs_crawl *c = NULL;
	CFS_BUF(names, CFS_UNION_MAX * (size_t)PATH_MAX * 2);
	int rc;

	*out = NULL;
	if (s->n > CFS_UNION_MAX)
		return cfs_error_set(err, CFS_ELIMIT, "%zu sources are more "
			"than the %u that can be one tree: make one index of "
			"them with 'crawlfs index'", s->n, CFS_UNION_MAX);
	rc = open_several_list_names(s, &names);
	rc = rc == CFS_OK ? cfs_crawl_new(&c, cfs_buf_str(&names), opts, err) :
			    cfs_error_nomem(err);
	if (rc == CFS_OK)
		c->members = calloc(s->n, sizeof(struct cfs_crawl *));
	if (rc == CFS_OK && c->members == NULL)
		rc = cfs_error_nomem(err);
	if (rc == CFS_OK) {
		c->n_members = s->n;
		rc = open_all(c, s, err);
	}
	if (rc == CFS_OK) {
		c->opts = NULL;
		*out = c;
		c = NULL;		/* now the caller's */
	}
	cfs_crawl_close(c);
	return rc;
}

/* ---- opening and limiting ------------------------------------------------ */

static int open_limited(struct cfs_crawl **out, const struct cfs_sources *s,
			const struct cfs_crawl_opts *opts,
			struct cfs_error *err)
{
	int rc = s->n == 1 ? cfs_crawl_open_one(out, s->v[0], opts, err) :
		 open_several_open_members(out, s, opts, err);

	if (rc == CFS_OK)
		rc = cfs_crawl_limit(*out, opts, err);
	if (rc != CFS_OK) {
		cfs_crawl_close(*out);
		*out = NULL;
	}
	return rc;
}

int cfs_crawl_open_all(struct cfs_crawl **out, const char *const *sources,
		       size_t n, const struct cfs_crawl_opts *opts,
		       struct cfs_error *err)
{
	struct cfs_sources all = { .n = 0 };
	int rc = CFS_OK;

	*out = NULL;
	for (size_t i = 0; i < n && rc == CFS_OK; i++)
		rc = cfs_sources_add(&all, sources[i], opts, err);
	if (rc == CFS_OK)
		rc = open_limited(out, &all, opts, err);
	cfs_sources_release(&all);
	return rc;
}

int cfs_crawl_open(struct cfs_crawl **out, const char *source,
		   const struct cfs_crawl_opts *opts, struct cfs_error *err)
{
	return cfs_crawl_open_all(out, &source, 1, opts, err);
}
