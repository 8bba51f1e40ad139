/* key_runs.c - collects, merges and searches ranges of keys.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "key_runs.h"

#include <stdlib.h>

#include "base/array.h"

void cfs_key_runs_init(struct cfs_key_runs *r)
{
	*r = (struct cfs_key_runs){ .n = 0 };
	cfs_buf_init(&r->bytes, SIZE_MAX);
}

void cfs_key_runs_release(struct cfs_key_runs *r)
{
	cfs_buf_release(&r->bytes);
	free(r->v);
	cfs_key_runs_init(r);
}

/* While r->bytes grows, the slices of v are offsets in it: .p counts from
 * NULL. */
static struct cfs_slice key_runs_keep(struct cfs_key_runs *r,
				      struct cfs_slice s)
{
	size_t at = r->bytes.n;

	cfs_buf_add(&r->bytes, s);
	return (struct cfs_slice){ (const uint8_t *)(uintptr_t)at, s.n };
}

int cfs_key_runs_add(struct cfs_key_runs *r, const struct cfs_range *v)
{
	if (cfs_array_reserve((void **)&r->v, &r->room, r->n + 1,
			      sizeof(*r->v), CFS_KEY_RUNS_MAX) != CFS_OK)
		return CFS_ENOMEM;
	r->v[r->n++] = (struct cfs_range){ .lo = key_runs_keep(r, v->lo),
					   .hi = key_runs_keep(r, v->hi),
					   .hi_open = v->hi_open };
	return r->bytes.failed;
}

static void key_runs_point(const struct cfs_key_runs *r, struct cfs_slice *s)
{
	*s = s->n == 0 ? CFS_SLICE_EMPTY :
	     cfs_slice_of(r->bytes.p + (uintptr_t)s->p, s->n);
}

static int key_runs_by_lo(const void *a, const void *b)
{
	return cfs_slice_cmp(((const struct cfs_range *)a)->lo,
			     ((const struct cfs_range *)b)->lo);
}

void cfs_key_runs_settle(struct cfs_key_runs *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++) {
		key_runs_point(r, &r->v[i].lo);
		key_runs_point(r, &r->v[i].hi);
	}
	if (r->n > 0)
		qsort(r->v, r->n, sizeof(*r->v), key_runs_by_lo);
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

static bool ends_before(const struct cfs_range *v, struct cfs_slice key)
{
	return !v->hi_open && cfs_slice_cmp(v->hi, key) <= 0;
}

size_t cfs_key_runs_find(const struct cfs_key_runs *r, struct cfs_slice key)
{
	size_t at = 0;

	CFS_LOWER_BOUND(at, r->n, i, ends_before(&r->v[i], key));
	return at;
}

bool cfs_key_runs_hold(const struct cfs_key_runs *r, struct cfs_slice key)
{
	size_t at = cfs_key_runs_find(r, key);

	return at < r->n && cfs_slice_cmp(key, r->v[at].lo) >= 0;
}

/* Makes v what it has in common with another range.  False if that is
 * nothing. */
static bool cut_to(struct cfs_range *v, const struct cfs_range *to)
{
	if (cfs_slice_cmp(v->lo, to->lo) < 0)
		v->lo = to->lo;
	if (!to->hi_open && (v->hi_open || cfs_slice_cmp(to->hi, v->hi) < 0)) {
		v->hi = to->hi;
		v->hi_open = false;
	}
	return v->hi_open || cfs_slice_cmp(v->lo, v->hi) < 0;
}

int cfs_key_runs_add_common(struct cfs_key_runs *r,
			    const struct cfs_key_runs *a,
			    const struct cfs_key_runs *b)
{
	size_t i = 0, j = 0;
	int rc = CFS_OK;

	while (rc == CFS_OK && i < a->n && j < b->n) {
		struct cfs_range v = a->v[i];

		if (cut_to(&v, &b->v[j]))
			rc = cfs_key_runs_add(r, &v);
		/* the one that ends first has nothing more in common */
		if (b->v[j].hi_open || ends_before(&a->v[i], b->v[j].hi))
			i++;
		else
			j++;
	}
	return rc;
}

void cfs_key_runs_narrow(struct cfs_key_runs *r, const struct cfs_range *to)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++) {
		struct cfs_range v = r->v[i];

		if (cut_to(&v, to))
			r->v[n++] = v;
	}
	r->n = n;
}
