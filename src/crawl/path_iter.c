/* path_iter.c - steps from match to match through the key ranges of a path.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "path_iter.h"

void cfs_path_iter_init(struct cfs_path_iter *r, struct cfs_index *ix,
			struct cfs_ctx ctx)
{
	r->ix = ix;
	r->ctx = ctx;
	r->takes_all = false;
	cfs_ranges_init(&r->ranges);
	r->ranges.ctx = ctx;
	cfs_iter_init(&r->it);
	r->keeps_gaps = false;
	r->beside = NULL;
	cfs_buf_init(&r->gap, CFS_KEY_MAX + 8);
}

void cfs_path_iter_release(struct cfs_path_iter *r)
{
	cfs_ranges_release(&r->ranges);
	cfs_iter_release(&r->it);
	cfs_buf_release(&r->gap);
}

/* ---- gaps ---- */

void cfs_path_iter_keep_gaps(struct cfs_path_iter *r)
{
	r->keeps_gaps = true;
}

/* Remembers that no key is at least `from` and less than that of r->it. */
static void note_gap(struct cfs_path_iter *r, struct cfs_slice from)
{
	if (!r->keeps_gaps || r->gap.n > 0)
		return;
	if (cfs_buf_add(&r->gap, from) != CFS_OK)
		cfs_buf_reset(&r->gap);
}

/* To be called before r->it is moved. */
static void forget_gap(struct cfs_path_iter *r)
{
	cfs_buf_reset(&r->gap);
}

/* True if the entry under r->it is the first one whose key is at least
 * `key`. */
static bool is_first_from(const struct cfs_path_iter *r, struct cfs_slice key)
{
	return r->gap.n > 0 && cfs_slice_cmp(key, r->it.key) <= 0 &&
	       cfs_slice_cmp(key, cfs_buf_slice(&r->gap)) >= 0;
}

static bool has_none(const struct cfs_path_iter *r, const struct cfs_range *v)
{
	return is_first_from(r, v->lo) && !v->hi_open &&
	       cfs_slice_cmp(v->hi, r->it.key) <= 0;
}

/* ---- iterating ---- */

/* Moves r->it to the first entry whose key is at least `key`. */
static int path_iter_search(struct cfs_path_iter *r, struct cfs_slice key)
{
	if (is_first_from(r, key))
		return CFS_OK;
	forget_gap(r);
	return cfs_index_seek(r->ix, key, &r->it, r->ctx);
}

static int path_iter_step(struct cfs_path_iter *r)
{
	forget_gap(r);
	return cfs_index_next(&r->it, r->ctx);
}

/* Compares the first n components from the last: that differs most often. */
static bool same_comps(const struct cfs_path *a, const struct cfs_path *b,
		       unsigned n)
{
	while (n-- > 0)
		if (!cfs_slice_eq(a->comp[n], b->comp[n]))
			return false;
	return true;
}

bool cfs_path_starts(const struct cfs_path *p, const struct cfs_path *e)
{
	if (e->n < p->n ||
	    (p->n == p->host_n ? e->host_n < p->n : e->host_n != p->host_n))
		return false;
	return same_comps(p, e, p->n);
}

bool cfs_path_is_below(const struct cfs_path *p, const struct cfs_path *e)
{
	return e->n > p->n && cfs_path_starts(p, e);
}

bool cfs_path_eq(const struct cfs_path *p, const struct cfs_path *e)
{
	return p->n == e->n && p->host_n == e->host_n && same_comps(p, e, p->n);
}

static bool in_range(const struct cfs_range *g, struct cfs_slice key)
{
	return g->hi_open || cfs_slice_cmp(key, g->hi) < 0;
}

/* True in the usual case of a listing: the key is that of the directory, and
 * more components.  False: it is not known. */
static bool is_plainly_below(struct cfs_path_iter *r)
{
	const struct cfs_range *g = &r->ranges.v[0];

	return r->is_prefix && cfs_slice_starts(r->it.key, g->lo) &&
	       r->ix->ops->split_below(r->it.key, r->path, g->lo, &r->entry) ==
		       CFS_OK;
}

static bool path_iter_matches(struct cfs_path_iter *r)
{
	if (cfs_index_split(r->ix, r->it.key, &r->entry) != CFS_OK)
		return false;
	if (r->below == CFS_BELOW_DIR)
		return cfs_path_is_below(r->path, &r->entry);
	return cfs_path_eq(r->path, &r->entry) &&
	       (r->takes_all || cfs_index_shows(&r->it));
}

/* Every move must go forward: a damaged index must not cause an endless loop.
 * A merged index ensures that by its keys. */
static int check_forward(struct cfs_path_iter *r, cfs_pos from)
{
	if (from == CFS_POS_NONE || r->it.pos > from || r->ix->is_merged)
		return CFS_OK;
	return cfs_error_at(r->ctx.err, CFS_EFORMAT, r->ix->src->name, 0,
			    "index block %u is out of order",
			    cfs_pos_block(r->it.pos));
}

/* Moves on to a match.  rc: the result of the last move of `it`, which began at
 * position `from`. */
static int path_iter_settle(struct cfs_path_iter *r, int rc, cfs_pos from)
{
	while (rc == CFS_OK && (rc = check_forward(r, from)) == CFS_OK) {
		from = r->it.pos;
		if (is_plainly_below(r))
			return CFS_OK;
		while (!in_range(&r->ranges.v[r->at], r->it.key))
			if (++r->at == r->ranges.n) {
				note_gap(r, r->ranges.v[r->at - 1].hi);
				return CFS_END;
			}
		if (cfs_slice_cmp(r->it.key, r->ranges.v[r->at].lo) < 0) {
			rc = path_iter_search(r, r->ranges.v[r->at].lo);
			continue;
		}
		if (path_iter_matches(r))
			return CFS_OK;
		rc = path_iter_step(r);
	}
	return rc;
}

static int path_iter_begin(struct cfs_path_iter *r, const struct cfs_path *path,
			   enum cfs_below below)
{
	int rc;

	r->path = path;
	r->below = below;
	r->at = 0;
	rc = cfs_index_ranges(r->ix, path, below, &r->ranges);
	r->is_prefix = rc == CFS_OK && below == CFS_BELOW_DIR &&
		       r->ranges.n == 1 && r->ix->ops->split_below != NULL;
	if (rc == CFS_ENOTFOUND || (rc == CFS_OK && r->ranges.n == 0))
		return CFS_END;
	return rc == CFS_ENOMEM ? cfs_error_nomem(r->ctx.err) : rc;
}

int cfs_path_iter_first(struct cfs_path_iter *r, const struct cfs_path *path,
			enum cfs_below below)
{
	int rc = path_iter_begin(r, path, below);

	if (rc != CFS_OK)
		return rc;
	if (r->beside != NULL && r->ranges.n == 1 &&
	    has_none(r->beside, &r->ranges.v[0]))
		return CFS_END;
	return path_iter_settle(r, path_iter_search(r, r->ranges.v[0].lo),
				CFS_POS_NONE);
}

int cfs_path_iter_next(struct cfs_path_iter *r)
{
	cfs_pos from = r->it.pos;

	return path_iter_settle(r, path_iter_step(r), from);
}

int cfs_path_iter_seek(struct cfs_path_iter *r, struct cfs_slice key)
{
	cfs_pos from = r->it.pos;

	return path_iter_settle(r, path_iter_search(r, key), from);
}

int cfs_path_iter_skip(struct cfs_path_iter *r)
{
	int rc;

	forget_gap(r);
	rc = cfs_index_skip(&r->it, r->ctx);
	/* the block may lie before the range that was searched for */
	while (rc == CFS_OK && r->at < r->ranges.n &&
	       cfs_slice_cmp(r->it.key, r->ranges.v[r->at].lo) < 0)
		rc = cfs_index_next(&r->it, r->ctx);
	return path_iter_settle(r, rc, CFS_POS_NONE);
}

int cfs_path_iter_at(struct cfs_path_iter *r, const struct cfs_path *path,
		     enum cfs_below below, cfs_pos pos)
{
	int rc = path_iter_begin(r, path, below);

	forget_gap(r);
	if (rc == CFS_OK && pos != CFS_POS_NONE)
		rc = cfs_index_at(r->ix, pos, &r->it, r->ctx);
	if (rc != CFS_OK)
		return rc == CFS_END ? CFS_ENOTFOUND : rc;
	while (r->at < r->ranges.n && !in_range(&r->ranges.v[r->at], r->it.key))
		r->at++;
	return r->at < r->ranges.n && path_iter_matches(r) ? CFS_OK :
							     CFS_ENOTFOUND;
}

int cfs_path_iter_seek_after(struct cfs_path_iter *r,
			     const struct cfs_ranges *over)
{
	unsigned i = 0;

	while (i < over->n && !in_range(&over->v[i], r->it.key))
		i++;
	if (i == over->n)
		return cfs_path_iter_next(r);
	if (over->v[i].hi_open)
		return CFS_END;
	return cfs_path_iter_seek(r, over->v[i].hi);
}
