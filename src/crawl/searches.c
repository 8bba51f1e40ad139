/* searches.c - keeps queries by number, and what they have found.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "searches.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "index/hits.h"

/* Kept hits take this part of the budget at most. */
#define HITS_PART 8u
#define HITS_DEFAULT ((size_t)32 << 20)

struct query {
	char *name;			/* NULL: the number is free */
	size_t name_n;
	struct cfs_word_query *q;
	uint64_t serial;		/* no other query has it */
	uint64_t uses, last;		/* last: when it was asked for */
};

struct cfs_searches {
	struct cfs_crawl *const *crawls;
	unsigned n_crawls;
	struct cfs_lru *hits;		/* of struct kept_hits, by serial and
					 * crawl */
	pthread_mutex_t lock;
	struct query *v;		/* by number; guarded by lock, as are */
	size_t n, room, used;		/* used: numbers that are not free */
	uint64_t time;
};

struct kept_hits {
	struct cfs_index *ix;
	size_t n;
};

static void kept_free(void *obj)
{
	struct kept_hits *k = obj;

	cfs_index_close(k->ix);
	free(k);
}

struct cfs_searches *cfs_searches_new(struct cfs_crawl *const *crawls,
				      unsigned n, struct cfs_budget *budget)
{
	struct cfs_searches *s = calloc(1, sizeof(*s));
	size_t max = budget == NULL ? HITS_DEFAULT :
		     (size_t)(cfs_budget_max(budget) / HITS_PART);

	if (s == NULL)
		return NULL;
	s->crawls = crawls;
	s->n_crawls = n;
	s->hits = cfs_lru_new(max, kept_free);
	if (s->hits == NULL) {
		free(s);
		return NULL;
	}
	cfs_lru_charge_to(s->hits, budget, CFS_MEM_INDEX, false);
	pthread_mutex_init(&s->lock, NULL);
	return s;
}

static void query_free(struct query *q)
{
	free(q->name);
	cfs_word_query_free(q->q);
	*q = (struct query){ .name = NULL };
}

void cfs_searches_free(struct cfs_searches *s)
{
	if (s == NULL)
		return;
	cfs_lru_free(s->hits);
	for (size_t i = 0; i < s->n; i++)
		query_free(&s->v[i]);
	free(s->v);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* ---- queries ------------------------------------------------------------- */

static struct query *find_name_locked(struct cfs_searches *s,
				      struct cfs_slice name)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].name != NULL &&
		    cfs_slice_eq(cfs_slice_of(s->v[i].name, s->v[i].name_n),
				 name))
			return &s->v[i];
	return NULL;
}

/* Drops the oldest query that nobody uses.  False: there is none. */
static bool drop_oldest_locked(struct cfs_searches *s)
{
	struct query *oldest = NULL;

	for (size_t i = 0; i < s->n; i++) {
		struct query *q = &s->v[i];

		if (q->name != NULL && q->uses == 0 &&
		    (oldest == NULL || q->last < oldest->last))
			oldest = q;
	}
	if (oldest == NULL)
		return false;
	query_free(oldest);
	s->used--;
	return true;
}

/* A free number; NULL: there is none, or no memory. */
static struct query *take_number_locked(struct cfs_searches *s)
{
	while (s->used >= CFS_SEARCHES_MAX && drop_oldest_locked(s))
		;
	for (size_t i = 0; s->used < s->n && i < s->n; i++)
		if (s->v[i].name == NULL)
			return &s->v[i];
	if (cfs_array_reserve((void **)&s->v, &s->room, s->n + 1,
			      sizeof(*s->v), CFS_SEARCH_NUMBERS) != CFS_OK)
		return NULL;
	s->v[s->n] = (struct query){ .name = NULL };
	return &s->v[s->n++];
}

/* Adds a query, which is taken over unless there is no place for it. */
static struct query *add_locked(struct cfs_searches *s, struct cfs_slice name,
				struct cfs_word_query *q)
{
	char *copy = strndup((const char *)name.p, name.n);
	struct query *to = copy == NULL ? NULL : take_number_locked(s);

	if (to == NULL) {
		free(copy);
		return NULL;
	}
	s->used++;
	*to = (struct query){ .name = copy, .name_n = name.n, .q = q,
			      .serial = ++s->time };
	return to;
}

static bool enter_known(struct cfs_searches *s, struct cfs_slice name,
			unsigned *number)
{
	struct query *found;

	pthread_mutex_lock(&s->lock);
	found = find_name_locked(s, name);
	if (found != NULL) {
		found->uses++;
		found->last = ++s->time;
		*number = (unsigned)(found - s->v);
	}
	pthread_mutex_unlock(&s->lock);
	return found != NULL;
}

int cfs_searches_enter(struct cfs_searches *s, struct cfs_slice name,
		       unsigned *number, bool *is_new, struct cfs_ctx ctx)
{
	const struct cfs_word_lists *lists;
	struct cfs_word_query *q;
	struct query *added;
	int rc = CFS_OK;

	*is_new = false;
	if (cfs_slice_starts(name, CFS_SLICE_LIT(".")))
		return CFS_ENOTFOUND;
	if (enter_known(s, name, number))
		return CFS_OK;
	for (unsigned i = 0; rc == CFS_OK && i < s->n_crawls; i++)
		rc = cfs_crawl_words(s->crawls[i], &lists, ctx);
	if (rc == CFS_OK)
		rc = cfs_word_query_parse(&q, name, ctx.err);
	if (rc != CFS_OK)
		return rc;
	pthread_mutex_lock(&s->lock);
	added = find_name_locked(s, name);	/* another thread's */
	if (added == NULL) {
		added = add_locked(s, name, q);
		*is_new = added != NULL;
	}
	if (added != NULL) {
		added->uses++;
		added->last = ++s->time;
		*number = (unsigned)(added - s->v);
	}
	pthread_mutex_unlock(&s->lock);
	if (!*is_new)
		cfs_word_query_free(q);
	return added != NULL ? CFS_OK :
	       cfs_error_set(ctx.err, CFS_ELIMIT, "too many searches are in "
			     "use");
}

void cfs_searches_use(struct cfs_searches *s, unsigned number)
{
	pthread_mutex_lock(&s->lock);
	if (number < s->n)
		s->v[number].uses++;
	pthread_mutex_unlock(&s->lock);
}

void cfs_searches_end(struct cfs_searches *s, unsigned number, uint64_t n)
{
	pthread_mutex_lock(&s->lock);
	if (number < s->n)
		s->v[number].uses -= n < s->v[number].uses ? n :
							s->v[number].uses;
	pthread_mutex_unlock(&s->lock);
}

int cfs_searches_next(struct cfs_searches *s, unsigned *number,
		      struct cfs_buf *name)
{
	size_t i = *number;
	int rc = CFS_END;

	pthread_mutex_lock(&s->lock);
	while (i < s->n && s->v[i].name == NULL)
		i++;
	if (i < s->n)
		rc = cfs_buf_append(name, s->v[i].name, s->v[i].name_n);
	pthread_mutex_unlock(&s->lock);
	*number = (unsigned)i;
	return rc;
}

/* ---- what they find ------------------------------------------------------ */

static int find_bounded(struct cfs_crawl *c, const struct cfs_word_query *q,
			struct cfs_found *out, struct cfs_ctx ctx)
{
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_timed_cancel timed;
	int rc;

	cfs_timed_cancel_begin(&timed, ctx.cancel, CFS_SEARCH_MS);
	rc = cfs_crawl_find(c, q, out, CFS_CTX(&timed.cancel, &e));
	if (rc == CFS_EINTR && timed.is_late)
		return cfs_error_set(ctx.err, CFS_ETIMEOUT, "the search took "
				     "more than %u seconds: more words make it "
				     "shorter", CFS_SEARCH_MS / 1000u);
	return cfs_error_pass(ctx.err, &e, rc);
}

struct search_asked {
	struct cfs_searches *s;
	const struct cfs_word_query *q;
	unsigned crawl;
	uint64_t unread;		/* result */
};

static int hits_load(void *arg, struct cfs_lru_key key, void **obj,
		     size_t *bytes, struct cfs_ctx ctx)
{
	struct search_asked *a = arg;
	struct cfs_crawl *c = a->s->crawls[a->crawl];
	struct cfs_found found = { .n = 0 };
	struct kept_hits *k;
	int rc = find_bounded(c, a->q, &found, ctx);

	(void)key;
	if (rc != CFS_OK)
		return rc;
	*bytes = sizeof(*k) + cfs_hits_index_bytes(c->index, found.n);
	if (*bytes > cfs_lru_object_max(a->s->hits)) {
		rc = cfs_error_set(ctx.err, CFS_ELIMIT, "%zu pages match, too "
				   "many for the memory there is (mem=): search "
				   "for more words", found.n);
		cfs_found_release(&found);
		return rc;
	}
	k = calloc(1, sizeof(*k));
	if (k == NULL) {
		cfs_found_release(&found);
		return cfs_error_nomem(ctx.err);
	}
	a->unread = found.unread;
	k->n = found.n;
	rc = cfs_hits_index_open(&k->ix, c->index, found.v, found.n, ctx.err);
	if (rc == CFS_OK)
		*obj = k;
	else
		free(k);
	return rc;
}

/* Finds a query by its number, for hits_load.  0 if there is none; else its
 * serial. */
static uint64_t serial_of(struct cfs_searches *s, unsigned number,
			  const struct cfs_word_query **q)
{
	uint64_t serial = 0;

	pthread_mutex_lock(&s->lock);
	if (number < s->n && s->v[number].name != NULL) {
		*q = s->v[number].q;
		serial = s->v[number].serial;
		s->v[number].last = ++s->time;
	}
	pthread_mutex_unlock(&s->lock);
	return serial;
}

static void lend_hits(struct cfs_search_hits *out)
{
	const struct kept_hits *k = cfs_lru_obj(out->ref);

	out->ix = k->ix;
	out->n = k->n;
}

int cfs_searches_get(struct cfs_searches *s, unsigned number, unsigned i,
		     struct cfs_search_hits *out, struct cfs_ctx ctx)
{
	struct search_asked a = { .s = s, .crawl = i };
	uint64_t serial = serial_of(s, number, &a.q);
	int rc;

	*out = (struct cfs_search_hits){ .ix = NULL };
	if (i >= s->n_crawls || serial == 0)
		return CFS_ENOTFOUND;
	rc = cfs_lru_get(s->hits, CFS_LRU_KEY(serial, i), hits_load, &a,
			 &out->ref, ctx);
	if (rc == CFS_OK)
		lend_hits(out);
	out->unread = a.unread;
	return rc;
}

bool cfs_searches_peek(struct cfs_searches *s, unsigned number, unsigned i,
		       struct cfs_search_hits *out)
{
	const struct cfs_word_query *q;
	uint64_t serial = serial_of(s, number, &q);

	*out = (struct cfs_search_hits){ .ix = NULL };
	if (serial != 0)
		out->ref = cfs_lru_peek(s->hits, CFS_LRU_KEY(serial, i));
	if (out->ref != NULL)
		lend_hits(out);
	return out->ref != NULL;
}
