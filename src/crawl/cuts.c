/* cuts.c - finds components whose names are cut, by reading their folders.
 *
 * Where key order is tree order, only what begins like the name is read, and
 * has a series of stretches of its own.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cuts.h"

#include <stdlib.h>

#include "base/array.h"

#define CACHE_PART 8u
#define TURNS_PER_QUESTION 64u

struct cut {
	uint64_t hash;		/* hash of the component */
	cfs_pos pos;		/* an entry of it, or below it */
};

/* A stretch of the entries below a folder, in the order of a listing. */
struct cut_stretch {
	cfs_pos next;		/* where the next stretch begins */
	bool is_last;		/* there is no next one */
	uint32_t n;
	size_t room;
	struct cut *v;		/* sorted by hash */
};

static void stretch_free(void *obj)
{
	struct cut_stretch *s = obj;

	if (s == NULL)
		return;
	free(s->v);
	free(s);
}

struct cfs_lru *cfs_cuts_cache_new(uint64_t mem_bytes)
{
	return cfs_lru_new((size_t)(mem_bytes / CACHE_PART), stretch_free);
}

/* ---- reading ---- */

struct cuts_reading {
	struct cfs_walk *w;
	enum cfs_zone zone;
	struct cfs_slice begin;	/* beginning of the name */
	cfs_pos from;		/* start; CFS_POS_NONE: the first stretch */
};

/* How many entries stretch `number` has. */
static uint32_t stretch_max(const struct cfs_lru *cache, uint64_t number)
{
	uint64_t fit =
		(cfs_lru_object_max(cache) - sizeof(struct cut_stretch)) /
		sizeof(struct cut);
	uint64_t max = number < 16 ? (uint64_t)CFS_CUTS_FIRST << number :
				     CFS_CUTS_MAX;

	if (max > CFS_CUTS_MAX)
		max = CFS_CUTS_MAX;
	if (max > fit)
		max = fit > CFS_CUTS_FIRST ? fit : CFS_CUTS_FIRST;
	return (uint32_t)max;
}

/* Moves w->below to the first entry of a series. */
static int first_entry(struct cuts_reading *r)
{
	struct cfs_walk *w = r->w;
	enum cfs_below below = r->zone == CFS_ZONE_HOST ? CFS_BELOW_DIR
							: CFS_BELOW_PAGE;
	int rc = cfs_path_iter_first(&w->below, &w->dir, CFS_BELOW_DIR);

	if (rc != CFS_OK || !w->c->index->is_ordered ||
	    cfs_slice_cmp(w->below.entry.comp[w->dir.n], r->begin) >= 0)
		return rc;
	/* skip to what begins like the name */
	rc = cfs_walk_child(w, r->begin, false);
	if (rc == CFS_OK)
		rc = cfs_index_ranges(w->c->index, &w->child, below,
				      &w->probe.ranges);
	if (rc == CFS_ELIMIT || rc == CFS_ENOTFOUND)
		return CFS_END;
	return rc == CFS_OK ? cfs_path_iter_seek(&w->below,
						 w->probe.ranges.v[0].lo) : rc;
}

/* Moves w->below past its entry or, if that lies deeper, past all below
 * w->child. */
static int cuts_pass(struct cfs_walk *w)
{
	int rc;

	if (w->below.entry.n == w->dir.n + 1)
		return cfs_path_iter_next(&w->below);
	rc = cfs_index_ranges(w->c->index, &w->child, CFS_BELOW_DIR,
			      &w->probe.ranges);
	return rc == CFS_OK ?
		       cfs_path_iter_seek_after(&w->below, &w->probe.ranges) :
		       rc;
}

/* Keeps the component under w->below, if its name is cut. */
static int cuts_take(struct cuts_reading *r, struct cut_stretch *s)
{
	struct cfs_walk *w = r->w;
	struct cut one = { .pos = w->below.it.pos };
	int rc;

	if (!cfs_name_is_cut(w->below.entry.comp[w->dir.n], r->zone,
			     &one.hash) ||
	    (s->n > 0 && s->v[s->n - 1].hash == one.hash))
		return CFS_OK; /* or the same component again */
	rc = cfs_array_reserve((void **)&s->v, &s->room, (size_t)s->n + 1,
			       sizeof(*s->v), CFS_CUTS_MAX);
	if (rc != CFS_OK)
		return cfs_error_nomem(w->ctx.err);
	s->v[s->n++] = one;
	return CFS_OK;
}

static int cuts_read_stretch(struct cuts_reading *r, uint32_t max,
			     struct cut_stretch *s)
{
	struct cfs_walk *w = r->w;
	int rc = r->from == CFS_POS_NONE ? first_entry(r) :
		 cfs_path_iter_at(&w->below, &w->dir, CFS_BELOW_DIR, r->from);

	for (uint32_t i = 1; rc == CFS_OK && i <= max; i++) {
		if (i % TURNS_PER_QUESTION == 0 && cfs_cancelled(w->ctx.cancel))
			return cfs_error_set(w->ctx.err, CFS_EINTR, "interrupted");
		if (w->c->index->is_ordered &&
		    !cfs_slice_starts(w->below.entry.comp[w->dir.n], r->begin))
			rc = CFS_END;
		/* no component is too long, but the path may be too deep */
		if (rc == CFS_OK)
			rc = cfs_walk_child_of(w, &w->below.entry) == CFS_OK ?
			     cuts_take(r, s) : CFS_END;
		if (rc == CFS_OK)
			rc = cuts_pass(w);
	}
	s->is_last = rc == CFS_END;
	s->next = w->below.it.pos;
	return rc == CFS_END ? CFS_OK : rc;
}

static int cuts_by_hash(const void *a, const void *b)
{
	const struct cut *x = a, *y = b;
	int c = (x->hash > y->hash) - (x->hash < y->hash);

	return c != 0 ? c : (x->pos > y->pos) - (x->pos < y->pos);
}

static int cuts_load(void *arg, struct cfs_lru_key key, void **obj,
		     size_t *bytes, struct cfs_ctx ctx)
{
	struct cuts_reading *r = arg;
	struct cut_stretch *s = calloc(1, sizeof(*s));
	int rc;

	(void)ctx;			/* that of the walk is used */
	if (s == NULL)
		return cfs_error_nomem(ctx.err);
	rc = cuts_read_stretch(r, stretch_max(r->w->c->cuts, key.a), s);
	if (rc != CFS_OK) {
		stretch_free(s);
		return rc;
	}
	if (s->n > 1)
		qsort(s->v, s->n, sizeof(*s->v), cuts_by_hash);
	*obj = s;
	*bytes = sizeof(*s) + s->room * sizeof(*s->v);
	return CFS_OK;
}

/* ---- finding ---- */

/* Finds the component of `name` in a stretch and makes it w->child. */
static int find_in(struct cuts_reading *r, const struct cut_stretch *s,
		   const struct cfs_name *name)
{
	struct cfs_walk *w = r->w;
	uint32_t at = 0;

	CFS_LOWER_BOUND(at, s->n, i, s->v[i].hash < name->hash);
	for (; at < s->n && s->v[at].hash == name->hash; at++) {
		int rc = cfs_path_iter_at(&w->below, &w->dir, CFS_BELOW_DIR,
					  s->v[at].pos);

		if (rc != CFS_OK)
			return rc;
		if (cfs_name_is_of(name, w->below.entry.comp[w->dir.n],
				   r->zone))
			return cfs_walk_child_of(w, &w->below.entry);
	}
	return CFS_ENOTFOUND;
}

/* Appends the cache key of the stretches of a folder, or of what begins alike
 * in it. */
static int add_series(struct cfs_buf *out, const struct cfs_walk *w,
		      struct cfs_slice begin)
{
	cfs_buf_varint(out, w->dir.host_n);
	cfs_buf_varint(out, w->dir.n);
	for (unsigned i = 0; i < w->dir.n; i++) {
		cfs_buf_varint(out, w->dir.comp[i].n);
		cfs_buf_add(out, w->dir.comp[i]);
	}
	if (w->c->index->is_ordered)
		cfs_buf_add(out, begin);
	return out->failed != CFS_OK ? cfs_error_nomem(w->ctx.err) : CFS_OK;
}

int cfs_cuts_find(struct cfs_walk *w, const struct cfs_name *name,
		  enum cfs_zone zone)
{
	struct cuts_reading r = { w, zone,
				  cfs_slice_of(name->comp, name->comp_n),
				  CFS_POS_NONE };
	struct cfs_lru_key key = CFS_LRU_KEY(0, 0);
	CFS_BUF(series, 2 * CFS_KEY_MAX + 4 * (CFS_DEPTH_MAX + 3));
	bool is_last = false;
	int rc = add_series(&series, w, r.begin);

	key.name = cfs_buf_slice(&series);
	for (; rc == CFS_OK && !is_last; key.a++) {
		struct cfs_lru_ref *ref;
		const struct cut_stretch *s;

		rc = cfs_lru_get(w->c->cuts, key, cuts_load, &r, &ref, w->ctx);
		if (rc != CFS_OK)
			break;
		s = cfs_lru_obj(ref);
		rc = find_in(&r, s, name);
		is_last = rc == CFS_OK || s->is_last;
		rc = rc == CFS_ENOTFOUND && !is_last ? CFS_OK : rc;
		r.from = s->next;
		cfs_lru_put(ref);
	}
	return rc;
}
