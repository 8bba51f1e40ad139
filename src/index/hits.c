/* hits.c - steps through an index from one hit of a search to the next.
 *
 * Where positions ascend with keys, a key is searched for in the index, and its
 * position among the hits.  In a union they do not ascend; there the keys of
 * the hits themselves are compared.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "hits.h"

#include <stdlib.h>

#include "base/array.h"
#include "filter.h"

struct hits {
	struct cfs_index base;		/* `whole` is borrowed */
	struct cfs_index_ops ops;
	cfs_pos *v;			/* in the order of the index */
	uint32_t *by_pos;		/* their numbers by position; NULL:
					 * positions ascend */
	size_t n;
};

/* The number of the hit that comes first by position from pos on; n if there is
 * none. */
static size_t hits_from(const struct hits *h, cfs_pos pos)
{
	size_t lo = 0;

	if (h->by_pos == NULL) {
		CFS_LOWER_BOUND(lo, h->n, i, h->v[i] < pos);
		return lo;
	}
	CFS_LOWER_BOUND(lo, h->n, i, h->v[h->by_pos[i]] < pos);
	return lo < h->n ? h->by_pos[lo] : h->n;
}

/* Moves to hit k. */
static int go(const struct hits *h, size_t k, struct cfs_iter *it,
	      struct cfs_ctx ctx)
{
	struct cfs_index *ix = it->ix, *whole = h->base.whole;
	int rc;

	if (k >= h->n)
		return CFS_END;
	it->ix = whole;
	rc = whole->ops->at(whole, h->v[k], it, ctx);
	it->ix = ix;
	it->hit = k;
	return rc != CFS_ENOTFOUND ? rc :
	       cfs_error_at(ctx.err, CFS_EFORMAT, whole->src->name, 0,
			    "block %u lacks an entry that the list of words "
			    "has", cfs_pos_block(h->v[k]));
}

/* Moves to the first hit of k and those behind it that is in another block than
 * the hole. */
static int go_behind(const struct hits *h, size_t k, cfs_pos hole,
		     struct cfs_iter *it, struct cfs_ctx ctx)
{
	while (k < h->n && cfs_pos_block(h->v[k]) == cfs_pos_block(hole))
		k++;
	return go(h, k, it, ctx);
}

/* Moves to the first of the hits lo to hi - 1 that can be read; sets *at to its
 * number, or to hi.  What cannot be read is not reported here. */
static int go_readable(const struct hits *h, size_t lo, size_t hi, size_t *at,
		       struct cfs_iter *it, const struct cfs_cancel *cancel)
{
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = CFS_END;

	for (*at = lo; *at < hi; ++*at) {
		it->hole = CFS_POS_NONE;
		rc = go(h, *at, it, CFS_CTX(cancel, &e));
		if (!cfs_index_is_at_hole(it, rc))
			break;
		cfs_error_clear(&e);
	}
	it->hole = CFS_POS_NONE;
	return *at == hi ? CFS_OK : rc;
}

/*
 * Finds the first hit whose key is at least `key` in an index whose positions
 * do not ascend, from the hit on where `it` stands if that comes before.  A hit
 * that cannot be read counts as one that may be it.
 */
static int find_by_keys(const struct hits *h, struct cfs_slice key,
			struct cfs_iter *it, size_t *out, struct cfs_ctx ctx)
{
	size_t lo = 0, hi = h->n, step = 1, at;
	bool near = it->pos != CFS_POS_NONE && it->hit < h->n &&
		    h->v[it->hit] == it->pos &&
		    cfs_slice_cmp(it->key, key) < 0;
	int rc = CFS_OK;

	if (near)
		lo = it->hit + 1;
	while (lo < hi && rc == CFS_OK) {
		size_t mid = lo + (hi - lo) / 2;

		if (near && lo + step < mid)
			mid = lo + step;
		step *= 2;
		rc = go_readable(h, mid, hi, &at, it, ctx.cancel);
		if (rc == CFS_OK && at < hi && cfs_slice_cmp(it->key, key) < 0)
			lo = at + 1;
		else
			hi = mid;
	}
	*out = lo;
	return rc == CFS_OK ? rc :
	       cfs_error_set(ctx.err, rc, "cannot search '%s'",
			     h->base.src->name);
}

static int hits_seek(struct cfs_index *ix, struct cfs_slice key,
		     struct cfs_iter *it, struct cfs_ctx ctx)
{
	const struct hits *h = (const struct hits *)ix;
	struct cfs_error e = CFS_ERROR_INIT;
	size_t k;
	int rc;

	if (h->n == 0)
		return CFS_END;
	if (ix->is_merged) {
		rc = find_by_keys(h, key, it, &k, ctx);
		return rc == CFS_OK ? go(h, k, it, ctx) : rc;
	}
	rc = cfs_filter_seek(ix, key, it, CFS_CTX(ctx.cancel, &e));
	if (rc == CFS_OK)
		return go(h, hits_from(h, it->pos), it, ctx);
	if (!cfs_index_is_at_hole(it, rc))
		return cfs_error_pass(ctx.err, &e, rc);
	/* damage of a block without a hit is none of this index */
	k = hits_from(h, it->hole);
	it->hole = CFS_POS_NONE;
	return go(h, k, it, ctx);
}

static int hits_at(struct cfs_index *ix, cfs_pos pos, struct cfs_iter *it,
		   struct cfs_ctx ctx)
{
	const struct hits *h = (const struct hits *)ix;

	return cfs_hits_index_has(ix, pos) ? go(h, hits_from(h, pos), it, ctx) :
					CFS_ENOTFOUND;
}

static int hits_next(struct cfs_iter *it, struct cfs_ctx ctx)
{
	return go((const struct hits *)it->ix, it->hit + 1, it, ctx);
}

static int hits_skip(struct cfs_iter *it, cfs_pos hole, struct cfs_ctx ctx)
{
	return go_behind((const struct hits *)it->ix, it->hit, hole, it, ctx);
}

static void hits_close(struct cfs_index *ix)
{
	struct hits *h = (struct hits *)ix;

	free(h->by_pos);
	free(h->v);
	free(h);
}

static int hits_by_pos(const void *a, const void *b, void *arg)
{
	const cfs_pos *v = *(const cfs_pos *const *)arg;
	cfs_pos x = v[*(const uint32_t *)a], y = v[*(const uint32_t *)b];

	return x < y ? -1 : x > y;
}

int cfs_pos_order(const cfs_pos *v, size_t n, uint32_t **out)
{
	uint32_t *order = calloc(n + 1, sizeof(*order));
	bool ascend = true;

	*out = order;
	if (order == NULL)
		return CFS_ENOMEM;
	for (size_t i = 0; i < n; i++) {
		order[i] = (uint32_t)i;
		ascend = ascend && (i == 0 || v[i - 1] <= v[i]);
	}
	if (!ascend)	/* those of an index that is no union do */
		qsort_r(order, n, sizeof(*order), hits_by_pos, &v);
	return CFS_OK;
}

int cfs_hits_index_open(struct cfs_index **out, struct cfs_index *of,
			cfs_pos *v, size_t n, struct cfs_error *err)
{
	struct cfs_index *whole = cfs_index_whole(of);
	struct hits *h = calloc(1, sizeof(*h));

	*out = NULL;
	if (h == NULL || n > CFS_HITS_MAX) {
		free(v);
		free(h);
		return h == NULL ? cfs_error_nomem(err) :
		       cfs_error_set(err, CFS_ELIMIT, "more than %u hits",
				     CFS_HITS_MAX);
	}
	h->base = *whole;
	h->ops = cfs_filter_ops(whole->ops);
	h->ops.seek = hits_seek;
	h->ops.at = hits_at;
	h->ops.next = hits_next;
	h->ops.skip = hits_skip;
	h->ops.shows = NULL;
	h->ops.close = hits_close;
	h->base.ops = &h->ops;
	h->base.whole = whole;
	h->base.captures = n;
	h->base.blocks = 0;
	cfs_key_runs_init(&h->base.held);
	h->base.covers = NULL;
	h->v = v;
	h->n = n;
	if (h->base.is_merged && cfs_pos_order(v, n, &h->by_pos) != CFS_OK) {
		hits_close(&h->base);
		return cfs_error_nomem(err);
	}
	*out = &h->base;
	return CFS_OK;
}

size_t cfs_hits_index_bytes(const struct cfs_index *of, size_t n)
{
	size_t each = sizeof(cfs_pos) +
		      (of->is_merged ? sizeof(uint32_t) : 0);

	return sizeof(struct hits) + n * each;
}

bool cfs_hits_index_has(const struct cfs_index *ix, cfs_pos pos)
{
	const struct hits *h = (const struct hits *)ix;
	size_t k = hits_from(h, pos);

	return k < h->n && h->v[k] == pos;
}

cfs_pos cfs_hits_index_pos(const struct cfs_index *ix, size_t k)
{
	const struct hits *h = (const struct hits *)ix;

	return k < h->n ? h->v[k] : CFS_POS_NONE;
}
