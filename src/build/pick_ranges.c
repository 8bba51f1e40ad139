/* pick_ranges.c - from places in the tree to runs of an index's keys.
 *
 * Of each place the folder is taken that it is in, because what belongs to a
 * page (its queries, and what lies below it) may be spread over several runs,
 * and what is too much is left out later.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "pick_ranges.h"

#include <stdlib.h>

#include "base/array.h"

/* Runs of all places together. */
#define RUNS_MAX ((size_t)1 << 20)

static int by_lo(const void *a, const void *b)
{
	return cfs_slice_cmp(((const struct cfs_range *)a)->lo,
			     ((const struct cfs_range *)b)->lo);
}

/* Slices of v are offsets in r->bytes until all are there: .p counts from
 * NULL. */
static struct cfs_slice keep(struct cfs_pick_ranges *r, struct cfs_slice s)
{
	size_t at = r->bytes.n;

	cfs_buf_add(&r->bytes, s);
	return (struct cfs_slice){ (const uint8_t *)(uintptr_t)at, s.n };
}

static void settle(const struct cfs_pick_ranges *r, struct cfs_slice *s)
{
	s->p = r->bytes.p + (uintptr_t)s->p;
}

static int add_runs(struct cfs_pick_ranges *r, const struct cfs_ranges *of)
{
	for (unsigned i = 0; i < of->n; i++) {
		if (cfs_array_reserve((void **)&r->v, &r->room, r->n + 1,
				      sizeof(*r->v), RUNS_MAX) != CFS_OK)
			return CFS_ENOMEM;
		r->v[r->n++] = (struct cfs_range){
			.lo = keep(r, of->v[i].lo), .hi = keep(r, of->v[i].hi),
			.hi_open = of->v[i].hi_open };
	}
	return r->bytes.failed;
}

/* Runs that overlap or touch become one. */
static void join_runs(struct cfs_pick_ranges *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++) {
		settle(r, &r->v[i].lo);
		settle(r, &r->v[i].hi);
	}
	if (r->n > 0)
		qsort(r->v, r->n, sizeof(*r->v), by_lo);
	for (size_t i = 0; i < r->n; i++) {
		struct cfs_range *last = n > 0 ? &r->v[n - 1] : NULL;

		if (last == NULL || (!last->hi_open &&
				     cfs_slice_cmp(r->v[i].lo, last->hi) > 0)) {
			r->v[n++] = r->v[i];
			continue;
		}
		last->hi_open |= r->v[i].hi_open;
		if (cfs_slice_cmp(r->v[i].hi, last->hi) > 0)
			last->hi = r->v[i].hi;
	}
	r->n = n;
}

int cfs_pick_ranges_find(struct cfs_pick_ranges *out, const struct cfs_pick *p,
			 struct cfs_index *ix, const struct cfs_cancel *cancel,
			 struct cfs_error *err)
{
	struct cfs_path *path = malloc(sizeof(*path));
	struct cfs_ranges *runs = malloc(sizeof(*runs));
	size_t n = cfs_pick_places(p);
	int rc = CFS_OK;

	*out = (struct cfs_pick_ranges){ .n = 0 };
	cfs_buf_init(&out->bytes, SIZE_MAX);
	if (path == NULL || runs == NULL)
		rc = cfs_error_nomem(err);
	else
		cfs_ranges_init(runs);
	for (size_t i = 0; rc == CFS_OK && i < (n > 0 ? n : 1); i++) {
		path->n = path->host_n = 0;	/* the root */
		if (n > 0)
			cfs_pick_folder(p, i, path);
		runs->cancel = cancel;
		runs->err = err;
		rc = cfs_index_ranges(ix, path, CFS_BELOW_DIR, runs);
		if (rc == CFS_OK && add_runs(out, runs) != CFS_OK)
			rc = cfs_error_nomem(err);
		if (rc == CFS_ENOTFOUND)	/* no key can be there */
			rc = CFS_OK;
	}
	if (rc == CFS_OK)
		join_runs(out);
	if (runs != NULL && path != NULL)
		cfs_ranges_release(runs);
	free(runs);
	free(path);
	return rc;
}

void cfs_pick_ranges_release(struct cfs_pick_ranges *r)
{
	cfs_buf_release(&r->bytes);
	free(r->v);
	*r = (struct cfs_pick_ranges){ .n = 0 };
}
