/* fetch_hints.c - joins the ranges of records that will be read.
 *
 * A hint costs nothing but a request of the source's.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fetch_hints.h"

#include <stdlib.h>

#include "base/array.h"

#define HINTS_MAX ((size_t)1 << 20)
#define NAMES_MAX ((size_t)16 << 20)

struct cfs_fetch_hint {
	struct cfs_span loc;
	size_t name_off, name_n;	/* in the names */
	size_t order;			/* place in the order of reading */
};

/* Hints, sorted by place, that become one request. */
struct joined {
	size_t from, end;
	size_t order;			/* that of the one read first */
	struct cfs_span all;
};

void cfs_fetch_hints_init(struct cfs_fetch_hints *h)
{
	*h = (struct cfs_fetch_hints){ .n = 0 };
	cfs_buf_init(&h->names, NAMES_MAX);
}

void cfs_fetch_hints_release(struct cfs_fetch_hints *h)
{
	free(h->v);
	cfs_buf_release(&h->names);
	cfs_fetch_hints_init(h);
}

void cfs_fetch_hints_add(struct cfs_fetch_hints *h, struct cfs_slice archive,
			 const struct cfs_span *loc)
{
	size_t at = h->names.n;

	if (loc->length == 0 ||
	    cfs_array_reserve((void **)&h->v, &h->room, h->n + 1,
			      sizeof(*h->v), HINTS_MAX) != CFS_OK)
		return;
	/* neighbours are mostly of one archive */
	if (h->n > 0 && h->v[h->n - 1].name_n == archive.n &&
	    cfs_slice_eq(archive, cfs_slice_sub(cfs_buf_slice(&h->names),
						h->v[h->n - 1].name_off,
						archive.n)))
		at = h->v[h->n - 1].name_off;
	else if (cfs_buf_add(&h->names, archive) != CFS_OK)
		return;
	h->v[h->n] = (struct cfs_fetch_hint){ *loc, at, archive.n, h->n };
	h->n++;
}

void cfs_fetch_hints_add_entry(struct cfs_fetch_hints *h,
			       const struct cfs_entry *e)
{
	if (e->cap.kind != CFS_KIND_ANNEX)
		cfs_fetch_hints_add(h, cfs_buf_slice(&e->archive),
				    &e->cap.loc);
}

void cfs_fetch_hints_reset(struct cfs_fetch_hints *h)
{
	h->n = 0;
	cfs_buf_reset(&h->names);
}

static struct cfs_slice name_of(const struct cfs_fetch_hints *h,
				const struct cfs_fetch_hint *i)
{
	return cfs_slice_sub(cfs_buf_slice(&h->names), i->name_off, i->name_n);
}

/* Joins the ranges from v[i] to v[n - 1] that can be fetched by one request. */
static void join_run(const struct cfs_fetch_hints *h, size_t i, size_t n,
		     const struct cfs_near_rule *how, struct joined *out)
{
	struct cfs_slice name = name_of(h, &h->v[i]);
	struct cfs_near range = { .to = 0 };
	size_t k = i;

	*out = (struct joined){ .from = i, .order = h->v[i].order,
				.all = h->v[i].loc };
	for (; k < n; k++) {
		const struct cfs_span *loc = &h->v[k].loc;

		if (!cfs_slice_eq(name_of(h, &h->v[k]), name) ||
		    !cfs_near_add(&range, loc->offset, loc->length, how))
			break;
		if (h->v[k].order < out->order)
			out->order = h->v[k].order;
	}
	out->end = k;
	out->all.length = range.to - range.from;
}

static void give_run(const struct cfs_fetch_hints *h, struct cfs_store *store,
		     const struct joined *j)
{
	struct cfs_slice name = name_of(h, &h->v[j->from]);

	if (j->end > j->from + 1)
		cfs_store_prefetch(store, name, &j->all);
	/* The hints for single records say where each begins and ends. */
	for (size_t i = j->from; i < j->end; i++)
		cfs_store_prefetch(store, name, &h->v[i].loc);
}

/* The hints that were read come last, the others by place. */
struct order {
	const struct cfs_fetch_hints *h;
	size_t from;
};

static int by_place(const void *va, const void *vb, void *arg)
{
	const struct cfs_fetch_hint *a = va, *b = vb;
	const struct order *o = arg;
	int c = (a->order < o->from) - (b->order < o->from);

	if (c == 0)
		c = cfs_slice_cmp(name_of(o->h, a), name_of(o->h, b));
	if (c != 0)
		return c;
	return a->loc.offset < b->loc.offset ? -1 :
	       a->loc.offset > b->loc.offset;
}

static int by_order(const void *va, const void *vb)
{
	const struct joined *a = va, *b = vb;

	return a->order < b->order ? -1 : a->order > b->order;
}

unsigned cfs_fetch_hints_give(struct cfs_fetch_hints *h,
			      struct cfs_store *store,
			      const struct cfs_near_rule *how, size_t from,
			      const _Atomic bool *should_stop)
{
	size_t left = from < h->n ? h->n - from : 0;
	struct joined *v = calloc(left + 1, sizeof(*v));
	struct order order = { h, from };
	unsigned n = 0;

	if (v != NULL && h->n > 1)
		qsort_r(h->v, h->n, sizeof(*h->v), by_place, &order);
	for (size_t i = 0; v != NULL && i < left; i = v[n++].end)
		join_run(h, i, left, how, &v[n]);
	if (n > 1)
		qsort(v, n, sizeof(*v), by_order);
	for (unsigned i = 0; i < n; i++)
		if (should_stop == NULL || !*should_stop)
			give_run(h, store, &v[i]);
	free(v);
	return n;
}
