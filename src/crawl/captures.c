/* captures.c - reads the captures of a page, and finds them by number, position
 * or time.
 *
 * Limits: CFS_CAPTURES_MAX captures kept of a page.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "captures.h"

#include <stdlib.h>

#include "base/array.h"
#include "index/dates.h"
#include "page.h"

#define POS_MASK (CFS_KEPT_GOOD - 1)
#define FLAG_ORIGINAL (CFS_KEPT_GOOD << 1)	/* not a revisit */

/* An eighth of a cache is the limit for one object (lru.c).  A mount's memory
 * is mostly for indexes and records. */
#define CACHE_PART 2u
#define BYTES_EACH (sizeof(struct cfs_kept_capture) + 3 * sizeof(uint32_t))
#define READ_ON 2	/* the page has more than CFS_CAPTURES_FEW entries */
#define TURNS_PER_QUESTION 64u

static cfs_pos pos_of(const struct cfs_kept_capture *c)
{
	return c->pos_flags & POS_MASK;
}

/* ---- reading ---- */

static void captures_free(void *obj)
{
	struct cfs_captures *p = obj;

	if (p == NULL)
		return;
	free(p->v);
	free(p->by_pos);
	free(p->by_time);
	free(p->originals);
	free(p);
}

struct cfs_lru *cfs_captures_cache_new(uint64_t mem_bytes)
{
	return cfs_lru_new((size_t)(mem_bytes / CACHE_PART), captures_free);
}

static size_t captures_max(const struct cfs_lru *cache)
{
	size_t n = (cfs_lru_object_max(cache) - sizeof(struct cfs_captures)) /
		   BYTES_EACH;

	if (n > CFS_CAPTURES_MAX)
		return CFS_CAPTURES_MAX;
	return n < CFS_CAPTURES_FEW ? CFS_CAPTURES_FEW : n;
}

/* Drops every second one of the captures that are kept. */
static void thin_out(struct cfs_captures *p)
{
	size_t to = 0;

	for (size_t i = 0; i < p->n_v; i += 2)
		p->v[to++] = p->v[i];
	p->n_v = to;
	p->shift++;
}

static int captures_keep(struct cfs_captures *p, const struct cfs_capture *cap,
			 cfs_pos pos)
{
	struct cfs_kept_capture one = { cap->time, pos };
	int rc;

	if (p->n_v == p->max)
		thin_out(p);

	if (cfs_capture_is_good(cap))
		one.pos_flags |= CFS_KEPT_GOOD;
	if (cap->kind != CFS_KIND_REVISIT) {
		one.pos_flags |= FLAG_ORIGINAL;
		if (p->n_early < CFS_ORIGINALS_MAX && p->shift == 0)
			p->early[p->n_early++] = (uint32_t)p->n_v;
	}
	if ((p->n & ((UINT64_C(1) << p->shift) - 1)) != 0)
		return CFS_OK;
	rc = cfs_array_reserve((void **)&p->v, &p->room, p->n_v + 1,
			       sizeof(*p->v), p->max);
	if (rc == CFS_OK)
		p->v[p->n_v++] = one;
	return rc;
}

/* Adds the capture under w->page as number p->n, unless it is outside the time
 * limits. */
static int captures_take_capture(struct cfs_walk *w, struct cfs_captures *p,
				 struct cfs_choice *best)
{
	cfs_pos pos = w->page.it.pos;
	struct cfs_capture cap;
	int rc = cfs_index_capture(&w->page.it, &cap, w->ctx.err);

	if (rc != CFS_OK)
		return rc == CFS_ENOTFOUND ? CFS_OK : rc;
	if (p->n == 0) {
		p->first = pos;
		p->is_shown = cfs_index_holds(w->c->index, w->page.it.key);
	}
	cfs_choice_offer(best, &cap, pos);
	if (best->pos == pos)
		p->preferred_number = p->n;
	rc = captures_keep(p, &cap, pos);
	p->n++;
	return rc == CFS_ENOMEM ? cfs_error_nomem(w->ctx.err) : rc;
}

/* Reads the entries of a page into *p, whose array is reused: at most `max`
 * (READ_ON: there are more). */
static int captures_read_page(struct cfs_walk *w, const struct cfs_path *path,
			      uint64_t max, struct cfs_captures *p)
{
	struct cfs_choice best = { 0 };
	uint64_t entries = 0;
	int rc;

	*p = (struct cfs_captures){ .v = p->v, .room = p->room,
				    .max = captures_max(w->c->pages) };
	w->page.takes_all = true;
	rc = cfs_path_iter_first(&w->page, path, CFS_BELOW_PAGE);
	while (rc == CFS_OK && entries < max) {
		if (++entries % TURNS_PER_QUESTION == 0 &&
		    cfs_cancelled(w->ctx.cancel))
			rc = cfs_error_set(w->ctx.err, CFS_EINTR, "interrupted");
		if (rc == CFS_OK)
			rc = captures_take_capture(w, p, &best);
		if (rc == CFS_OK)
			rc = cfs_path_iter_next(&w->page);
	}
	w->page.takes_all = false;
	p->preferred = best.pos;
	if (rc == CFS_OK)
		return READ_ON;
	return rc == CFS_END ? CFS_OK : rc;
}

/* ---- in other orders ---- */

static int captures_compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_pos(const void *va, const void *vb, void *arg)
{
	const struct cfs_kept_capture *v = arg;

	return captures_compare(pos_of(&v[*(const uint32_t *)va]),
				pos_of(&v[*(const uint32_t *)vb]));
}

static int captures_by_time(const void *va, const void *vb, void *arg)
{
	const struct cfs_kept_capture *v = arg;
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;

	if (v[a].time != v[b].time)
		return v[a].time < v[b].time ? -1 : 1;
	return captures_compare(a, b);
}

static int by_time_good_first(const void *va, const void *vb, void *arg)
{
	const struct cfs_kept_capture *v = arg;
	const struct cfs_kept_capture *a = &v[*(const uint32_t *)va];
	const struct cfs_kept_capture *b = &v[*(const uint32_t *)vb];

	if (a->time == b->time && cfs_kept_is_good(a) != cfs_kept_is_good(b))
		return cfs_kept_is_good(a) ? -1 : 1;
	return captures_by_time(va, vb, arg);
}

/* Sorts the indexes of the captures that have a flag (0: of all). */
static int sorted(const struct cfs_captures *p, uint64_t flag,
		  int (*order)(const void *, const void *, void *),
		  uint32_t **out, size_t *n)
{
	*n = 0;
	*out = malloc((p->n_v + 1) * sizeof(**out));
	if (*out == NULL)
		return CFS_ENOMEM;
	for (size_t i = 0; i < p->n_v; i++)
		if (flag == 0 || (p->v[i].pos_flags & flag) != 0)
			(*out)[(*n)++] = (uint32_t)i;
	if (*n > 1)
		qsort_r(*out, *n, sizeof(**out), order, p->v);
	return CFS_OK;
}

static int sort_page(struct cfs_captures *p)
{
	size_t n;
	int rc = CFS_OK;

	for (size_t i = 1; i < p->n_v && p->by_pos == NULL; i++)
		if (pos_of(&p->v[i]) < pos_of(&p->v[i - 1]))
			rc = sorted(p, 0, by_pos, &p->by_pos, &n);
	if (rc != CFS_OK || p->shift > 0)
		return rc;
	rc = sorted(p, 0, by_time_good_first, &p->by_time, &n);
	return rc != CFS_OK ? rc : sorted(p, FLAG_ORIGINAL, captures_by_time,
					  &p->originals, &p->n_originals);
}

/* ---- captures of pages with many ---- */

/* Gives back unused memory. */
static void fit(struct cfs_captures *p)
{
	struct cfs_kept_capture *v = realloc(p->v, p->n_v * sizeof(*v));

	if (v == NULL)
		return;
	p->v = v;
	p->room = p->n_v;
}

struct page_loading {
	struct cfs_walk *w;
	const struct cfs_path *path;
};

static int captures_load(void *arg, struct cfs_lru_key key, void **obj,
			 size_t *bytes, struct cfs_ctx ctx)
{
	struct page_loading *l = arg;
	struct cfs_captures *p = calloc(1, sizeof(*p));
	int rc = p == NULL ? CFS_ENOMEM : CFS_OK;

	(void)key;
	(void)ctx;			/* those of the walk are used */
	if (rc == CFS_OK)
		rc = captures_read_page(l->w, l->path, UINT64_MAX, p);
	if (rc == CFS_OK && p->n_v > 0)
		fit(p);
	if (rc == CFS_OK)
		rc = sort_page(p);
	if (rc != CFS_OK) {
		captures_free(p);
		return rc == CFS_ENOMEM ? cfs_error_nomem(ctx.err) : rc;
	}
	*obj = p;
	*bytes = sizeof(*p) + p->n_v * BYTES_EACH;
	return CFS_OK;
}

/* Appends the components of a page, which identify it. */
static int captures_add_name(struct cfs_buf *out, const struct cfs_path *path)
{
	cfs_buf_varint(out, path->host_n);
	for (unsigned i = 0; i < path->n; i++) {
		cfs_buf_varint(out, path->comp[i].n);
		cfs_buf_add(out, path->comp[i]);
	}
	return out->failed;
}

/* Sets w->page_name.  *same: it was that already. */
static int captures_take_name(struct cfs_walk *w, const struct cfs_path *path,
			      bool *same)
{
	struct cfs_buf *name = &w->asked_name, before = w->page_name;
	int rc;

	cfs_buf_reset(name);
	rc = captures_add_name(name, path);
	*same = rc == CFS_OK && before.n > 0 &&
		cfs_slice_eq(cfs_buf_slice(name), cfs_buf_slice(&before));
	if (*same || rc != CFS_OK)
		return rc == CFS_OK ? rc : cfs_error_nomem(w->ctx.err);
	w->page_name = *name;
	*name = before;
	cfs_lru_put(w->many);
	w->many = NULL;
	return CFS_OK;
}

int cfs_captures_get(struct cfs_walk *w, const struct cfs_path *path,
		     const struct cfs_captures **out)
{
	struct page_loading l = { w, path };
	struct cfs_lru_key key;
	bool same;
	int rc = captures_take_name(w, path, &same);

	if (rc == CFS_OK && w->few == NULL &&
	    (w->few = calloc(1, sizeof(*w->few))) == NULL)
		rc = cfs_error_nomem(w->ctx.err);
	key = CFS_LRU_KEY((uintptr_t)w->c->index, 0);
	key.name = cfs_buf_slice(&w->page_name);
	if (rc == CFS_OK && !same)
		w->many = cfs_lru_peek(w->c->pages, key);
	if (rc == CFS_OK && !same && w->many == NULL) {
		rc = captures_read_page(w, path, CFS_CAPTURES_FEW, w->few);
		if (rc == READ_ON)
			rc = cfs_lru_get(w->c->pages, key, captures_load, &l,
					 &w->many, w->ctx);
	}
	if (rc != CFS_OK) {
		cfs_buf_reset(&w->page_name);
		return rc;
	}
	*out = w->many != NULL ? cfs_lru_obj(w->many) : w->few;
	return CFS_OK;
}

/* ---- by number and position ---- */

int cfs_captures_pos(struct cfs_walk *w, const struct cfs_captures *p,
		     const struct cfs_path *path, uint64_t number, cfs_pos *out)
{
	uint64_t steps = number & ((UINT64_C(1) << p->shift) - 1);
	int rc;

	*out = pos_of(&p->v[number >> p->shift]);
	if (steps == 0)
		return CFS_OK;
	rc = cfs_path_iter_at(&w->page, path, CFS_BELOW_PAGE, *out);
	while (rc == CFS_OK && steps-- > 0)
		rc = cfs_path_iter_next(&w->page);
	*out = w->page.it.pos;
	return rc == CFS_END ? CFS_ENOTFOUND : rc;
}

/* Finds the index in v of the capture at a position; false if v lacks it. */
static bool find_kept(const struct cfs_captures *p, cfs_pos pos, size_t *out)
{
	size_t at = 0;

	CFS_LOWER_BOUND(at, p->n_v, i, pos_of(&p->v[p->by_pos != NULL ?
					p->by_pos[i] : i]) < pos);
	if (at == p->n_v)
		return false;
	*out = p->by_pos != NULL ? p->by_pos[at] : at;
	return pos_of(&p->v[*out]) == pos;
}

/* Searches v of a page with few captures, which is not sorted. */
static bool find_among_few(const struct cfs_captures *p, cfs_pos pos,
			   size_t *out)
{
	for (*out = 0; *out < p->n_v; ++*out)
		if (pos_of(&p->v[*out]) == pos)
			return true;
	return false;
}

/* Where v lacks some captures: steps to one that v has, or to the end. */
static int step_to_kept(struct cfs_walk *w, const struct cfs_captures *p,
			const struct cfs_path *path, cfs_pos pos, uint64_t *out)
{
	uint64_t steps = 0;
	size_t i = 0;
	int rc = cfs_path_iter_at(&w->page, path, CFS_BELOW_PAGE, pos);

	while (rc == CFS_OK && !find_kept(p, w->page.it.pos, &i)) {
		steps++;
		rc = cfs_path_iter_next(&w->page);
	}
	*out = p->n - steps;
	if (rc == CFS_OK)
		*out = ((uint64_t)i << p->shift) - steps;
	else if (rc == CFS_ENOTFOUND)
		*out = p->n;
	return rc < 0 && rc != CFS_ENOTFOUND ? rc : CFS_OK;
}

int cfs_captures_number(struct cfs_walk *w, const struct cfs_captures *p,
			const struct cfs_path *path, cfs_pos pos, uint64_t *out)
{
	size_t i = 0;
	bool is_kept = p->n <= CFS_CAPTURES_FEW ? find_among_few(p, pos, &i) :
						  find_kept(p, pos, &i);

	*out = is_kept ? (uint64_t)i << p->shift : p->n;
	return is_kept || p->shift == 0 ? CFS_OK :
	       step_to_kept(w, p, path, pos, out);
}

/* ---- by time ---- */

struct nearest {
	int64_t moment;
	bool any, is_good;
	uint64_t distance;
	cfs_pos pos;
};

static void captures_offer(struct nearest *best, int64_t time, bool is_good,
			   cfs_pos pos)
{
	uint64_t distance = cfs_dates_distance(time, best->moment);

	if (best->any && (distance > best->distance ||
			  (distance == best->distance &&
			   (!is_good || best->is_good))))
		return;
	*best = (struct nearest){ best->moment, true, is_good, distance, pos };
}

static void offer_kept(struct nearest *best, const struct cfs_kept_capture *c)
{
	captures_offer(best, c->time, cfs_kept_is_good(c), pos_of(c));
}

/* The first index in `order` whose capture is not before a time, or (after) is
 * later than it. */
static size_t find_time(const struct cfs_captures *p, const uint32_t *order,
			size_t n, int64_t time, bool after)
{
	size_t at = 0;

	CFS_LOWER_BOUND(at, n, i, after ? p->v[order[i]].time <= time :
					  p->v[order[i]].time < time);
	return at;
}

/* Within a second the first capture in by_time is the best.  The nearest two
 * recorded seconds before the moment and the two after it are tried, because
 * one may be the unknown time. */
static void offer_around(struct nearest *best, const struct cfs_captures *p)
{
	size_t n = p->n_v;
	size_t up = find_time(p, p->by_time, n, best->moment, false);
	size_t down = up;

	for (unsigned i = 0; i < 2 && down > 0; i++) {
		int64_t time = p->v[p->by_time[down - 1]].time;

		down = find_time(p, p->by_time, n, time, false);
		offer_kept(best, &p->v[p->by_time[down]]);
	}
	for (unsigned i = 0; i < 2 && up < n; i++) {
		const struct cfs_kept_capture *c = &p->v[p->by_time[up]];

		offer_kept(best, c);
		up = find_time(p, p->by_time, n, c->time, true);
	}
}

int cfs_captures_nearest(struct cfs_walk *w, const struct cfs_captures *p,
			 const struct cfs_path *path, int64_t moment,
			 cfs_pos *out)
{
	struct nearest best = { .moment = moment };
	int rc = CFS_OK;

	if (p->by_time != NULL)
		offer_around(&best, p);
	else if (p->shift == 0)
		for (size_t i = 0; i < p->n_v; i++)
			offer_kept(&best, &p->v[i]);
	else
		rc = cfs_path_iter_first(&w->page, path, CFS_BELOW_PAGE);
	while (rc == CFS_OK && p->shift > 0) {
		struct cfs_capture cap;

		rc = cfs_index_capture(&w->page.it, &cap, w->ctx.err);
		if (rc != CFS_OK)
			return rc;
		captures_offer(&best, cap.time, cfs_capture_is_good(&cap),
			       w->page.it.pos);
		rc = cfs_path_iter_next(&w->page);
	}
	*out = best.pos;
	return rc < 0 ? rc : CFS_OK;
}

static bool is_wanted_kind(const struct cfs_capture_query *q, bool is_revisit)
{
	return is_revisit == (q->what == CFS_CAPTURES_REVISITS);
}

/* Reads captures of a page that has too many to keep, or is damaged. */
static int read_some(struct cfs_walk *w, const struct cfs_path *path,
		     const struct cfs_capture_query *q,
		     cfs_pos out[CFS_ORIGINALS_MAX], unsigned *n)
{
	int rc = cfs_path_iter_first(&w->page, path, CFS_BELOW_PAGE);
	int64_t last = INT64_MIN;

	while (rc == CFS_OK && *n < CFS_ORIGINALS_MAX) {
		struct cfs_capture cap;

		if (cfs_index_capture(&w->page.it, &cap, NULL) != CFS_OK ||
		    !is_wanted_kind(q, cap.kind == CFS_KIND_REVISIT)) {
			rc = cfs_path_iter_next(&w->page);
			continue;
		}
		if (q->what == CFS_CAPTURES_BEFORE && cap.time != 0 &&
		    cap.time <= *q->time && cap.time >= last) {
			last = cap.time;
			out[0] = w->page.it.pos;
			*n = 1;
		} else if (q->what != CFS_CAPTURES_BEFORE &&
			   (q->time == NULL || cap.time == *q->time)) {
			out[(*n)++] = w->page.it.pos;
		}
		rc = cfs_path_iter_next(&w->page);
	}
	return rc < 0 ? rc : CFS_OK;
}

/* Takes captures of one time, or the last one before it, off an order by
 * time. */
static void take_by_time(const struct cfs_captures *p, const uint32_t *o,
			 size_t n_o, const struct cfs_capture_query *q,
			 cfs_pos out[CFS_ORIGINALS_MAX], unsigned *n)
{
	size_t i = find_time(p, o, n_o, *q->time,
			     q->what == CFS_CAPTURES_BEFORE);

	if (q->what == CFS_CAPTURES_BEFORE) {
		if (i > 0 && p->v[o[i - 1]].time != 0)
			out[(*n)++] = pos_of(&p->v[o[i - 1]]);
		return;
	}
	for (; i < n_o && p->v[o[i]].time == *q->time && *n < CFS_ORIGINALS_MAX;
	     i++)
		if (is_wanted_kind(q, (p->v[o[i]].pos_flags &
				       FLAG_ORIGINAL) == 0))
			out[(*n)++] = pos_of(&p->v[o[i]]);
}

/* The same of few captures, in any order. */
static void take_of_few(const struct cfs_captures *p,
			const struct cfs_capture_query *q,
			cfs_pos out[CFS_ORIGINALS_MAX], unsigned *n)
{
	int64_t last = INT64_MIN;

	for (size_t i = 0; i < p->n_v && *n < CFS_ORIGINALS_MAX; i++) {
		const struct cfs_kept_capture *v = &p->v[i];

		if (!is_wanted_kind(q, (v->pos_flags & FLAG_ORIGINAL) == 0))
			continue;
		if (q->what == CFS_CAPTURES_BEFORE && v->time != 0 &&
		    v->time <= *q->time && v->time >= last) {
			last = v->time;
			out[0] = pos_of(v);
			*n = 1;
		} else if (q->what != CFS_CAPTURES_BEFORE &&
			   v->time == *q->time) {
			out[(*n)++] = pos_of(v);
		}
	}
}

int cfs_captures_find(struct cfs_walk *w, const struct cfs_path *path,
		      const struct cfs_capture_query *q,
		      cfs_pos out[CFS_ORIGINALS_MAX], unsigned *n)
{
	const struct cfs_captures *p;
	int rc = cfs_captures_get(w, path, &p);

	*n = 0;
	if (rc == CFS_EFORMAT || (rc == CFS_OK && p->shift > 0))
		return read_some(w, path, q, out, n);
	if (rc != CFS_OK)
		return rc;
	if (q->time == NULL)
		for (; *n < p->n_early; ++*n)
			out[*n] = pos_of(&p->v[p->early[*n]]);
	else if (p->originals == NULL)
		take_of_few(p, q, out, n);
	else if (q->what == CFS_CAPTURES_REVISITS)
		take_by_time(p, p->by_time, p->n_v, q, out, n);
	else
		take_by_time(p, p->originals, p->n_originals, q, out, n);
	return CFS_OK;
}

void cfs_captures_end(struct cfs_walk *w)
{
	cfs_lru_put(w->many);
	captures_free(w->few);
	cfs_buf_release(&w->page_name);
	cfs_buf_release(&w->asked_name);
}
