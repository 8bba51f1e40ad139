/* part.c - opens a part of an index: one of N, or what some keys name.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "part.h"

#include <stdlib.h>

#include "filter.h"

#define TURNS_PER_QUESTION 64u	/* entries passed over between two questions
				 * whether the call is cancelled */

struct key_part {
	struct cfs_index base;		/* `whole` and `held` are owned */
	struct cfs_index_ops ops;
	struct cfs_part_keys keys;	/* but for the ranges */
	struct cfs_buf from, to;	/* the ends of K/N */
};

/* ---- K/N ---- */

int cfs_part_parse(const char *text, struct cfs_part *out,
		   struct cfs_error *err)
{
	struct cfs_slice rest = cfs_slice_str(text);
	struct cfs_slice first = cfs_slice_split(&rest, '/');
	uint64_t k = 0, n = 0;
	int rc = cfs_slice_parse_u64(first, CFS_PARTS_MAX, &k);

	if (rc == CFS_OK)
		rc = cfs_slice_parse_u64(rest, CFS_PARTS_MAX, &n);
	if (rc == CFS_ELIMIT)
		return cfs_error_set(err, CFS_EUSAGE, "'%.40s': there can be "
				     "%u parts at most", text, CFS_PARTS_MAX);
	if (rc != CFS_OK || k == 0 || k > n)
		return cfs_error_set(err, CFS_EUSAGE, "'%.40s' is not K/N, the "
				     "K-th of N parts, with K from 1 to N",
				     text);
	*out = (struct cfs_part){ (uint32_t)k, (uint32_t)n };
	return CFS_OK;
}

/* ---- calls that stay within the part ---- */

static bool part_covers(const struct cfs_index *ix, struct cfs_slice key)
{
	const struct key_part *p = (const struct key_part *)ix;

	return p->keys.covers(p->keys.arg, key);
}

/* Moves on to an entry that the part holds.  rc: the result of the last
 * move. */
static int part_settle(struct cfs_index *ix, struct cfs_iter *it, int rc,
		       struct cfs_ctx ctx)
{
	const struct cfs_key_runs *held = &ix->held;

	for (unsigned turn = 1; rc == CFS_OK; turn++) {
		size_t at = cfs_key_runs_find(held, it->key);

		if (at == held->n)
			return CFS_END;
		if (cfs_slice_cmp(it->key, held->v[at].lo) < 0)
			rc = cfs_filter_seek(ix, held->v[at].lo, it, ctx);
		else if (ix->covers == NULL || ix->covers(ix, it->key))
			return CFS_OK;
		else
			rc = cfs_filter_next(it, ctx);
		if (turn % TURNS_PER_QUESTION == 0 &&
		    cfs_cancelled(ctx.cancel))
			return cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
	}
	return rc;
}

static int part_seek(struct cfs_index *ix, struct cfs_slice key,
		     struct cfs_iter *it, struct cfs_ctx ctx)
{
	size_t at = cfs_key_runs_find(&ix->held, key);

	if (at == ix->held.n)
		return CFS_END;
	if (cfs_slice_cmp(key, ix->held.v[at].lo) < 0)
		key = ix->held.v[at].lo;
	return part_settle(ix, it, cfs_filter_seek(ix, key, it, ctx), ctx);
}

static int part_next(struct cfs_iter *it, struct cfs_ctx ctx)
{
	return part_settle(it->ix, it, cfs_filter_next(it, ctx), ctx);
}

static int part_skip(struct cfs_iter *it, cfs_pos hole, struct cfs_ctx ctx)
{
	return part_settle(it->ix, it, cfs_filter_skip(it, hole, ctx), ctx);
}

static void part_close(struct cfs_index *ix)
{
	struct key_part *p = (struct key_part *)ix;

	cfs_filter_close(ix);
	cfs_part_keys_release(&p->keys);
	cfs_key_runs_release(&ix->held);
	cfs_buf_release(&p->from);
	cfs_buf_release(&p->to);
	free(p);
}

/* ---- opening ---- */

/* The key at which the first k of n parts end.  CFS_END: the index ends. */
static int part_cut(struct cfs_index *whole, struct cfs_part part, uint32_t k,
		    struct cfs_buf *out, struct cfs_ctx ctx)
{
	int rc = CFS_OK;

	if (k == part.n)
		return CFS_END;
	if (k > 0)
		rc = cfs_index_cut(whole, k, part.n, out, ctx);
	return rc == CFS_OK && out->failed != CFS_OK ?
		       cfs_error_nomem(ctx.err) :
		       rc;
}

/* Narrows p to part K/N.  The part is empty if it begins where the index ends,
 * or ends where it begins. */
static int part_narrow(struct key_part *p, struct cfs_part part,
		       struct cfs_ctx ctx)
{
	struct cfs_index *ix = &p->base;
	struct cfs_range ends = { CFS_SLICE_EMPTY, CFS_SLICE_EMPTY, false };
	int rc = part_cut(ix->whole, part, part.k - 1, &p->from, ctx);

	if (rc == CFS_OK) {
		rc = part_cut(ix->whole, part, part.k, &p->to, ctx);
		ends.hi_open = rc == CFS_END;
	}
	if (rc != CFS_OK && rc != CFS_END)
		return rc;
	ends.lo = cfs_buf_slice(&p->from);
	ends.hi = cfs_buf_slice(&p->to);
	if (rc == CFS_OK && cfs_slice_cmp(ends.lo, ends.hi) > 0)
		return cfs_error_at(ctx.err, CFS_EFORMAT, ix->src->name, 0,
				    "keys are out of order: it cannot be cut "
				    "into parts");
	cfs_key_runs_narrow(&ix->held, &ends);
	return CFS_OK;
}

/* Makes a part that holds all keys of `whole`, which it owns then. */
static struct key_part *part_new(struct cfs_index *whole)
{
	struct key_part *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	cfs_buf_init(&p->from, CFS_KEY_MAX);
	cfs_buf_init(&p->to, CFS_KEY_MAX);
	p->ops = cfs_filter_ops(whole->ops);
	p->ops.seek = part_seek;
	p->ops.next = part_next;
	p->ops.skip = part_skip;
	p->ops.close = part_close;
	p->base = *whole;		/* its entries have the same traits */
	p->base.ops = &p->ops;
	p->base.whole = whole;
	p->base.captures = p->base.blocks = 0;
	cfs_key_runs_init(&p->base.held);
	return p;
}

int cfs_part_open(struct cfs_index **out, struct cfs_index *ix,
		  struct cfs_part part, struct cfs_ctx ctx)
{
	const struct cfs_range all = { .lo = CFS_SLICE_EMPTY,
				       .hi = CFS_SLICE_EMPTY, .hi_open = true };
	struct key_part *p;
	int rc = CFS_OK;

	*out = ix;
	if (part.n == 0)
		return CFS_OK;
	*out = NULL;
	if (ix->whole != NULL) {
		p = (struct key_part *)ix;
	} else {
		p = part_new(ix);
		if (p == NULL) {
			cfs_index_close(ix);
			return cfs_error_nomem(ctx.err);
		}
		rc = cfs_key_runs_add(&p->base.held, &all);
		cfs_key_runs_settle(&p->base.held);
		if (rc != CFS_OK)
			cfs_error_nomem(ctx.err);
	}
	if (rc == CFS_OK)
		rc = part_narrow(p, part, ctx);
	if (rc != CFS_OK)
		part_close(&p->base);
	else
		*out = &p->base;
	return rc;
}

int cfs_part_open_keys(struct cfs_index **out, struct cfs_index *whole,
		       struct cfs_part_keys *keys, struct cfs_error *err)
{
	struct key_part *p = part_new(whole);

	*out = NULL;
	if (p == NULL) {
		cfs_index_close(whole);
		cfs_part_keys_release(keys);
		return cfs_error_nomem(err);
	}
	p->keys = *keys;
	p->base.held = keys->runs;
	p->base.covers = keys->covers != NULL ? part_covers : NULL;
	cfs_key_runs_init(&p->keys.runs);
	*keys = (struct cfs_part_keys){ .arg = NULL };
	cfs_key_runs_init(&keys->runs);
	*out = &p->base;
	return CFS_OK;
}

void cfs_part_keys_release(struct cfs_part_keys *keys)
{
	cfs_key_runs_release(&keys->runs);
	if (keys->free != NULL)
		keys->free(keys->arg);
	*keys = (struct cfs_part_keys){ .arg = NULL };
	cfs_key_runs_init(&keys->runs);
}
