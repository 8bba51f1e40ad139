/* top.c - a heap of the greatest items (see top.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "top.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* <0 if a comes before b: it is greater. */
static int top_cmp(const void *a, const void *b)
{
	const struct cfs_top_item *x = a, *y = b;

	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return cfs_slice_cmp(x->text, y->text);
}

void cfs_top_release(struct cfs_top *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->v[i].own);
	free(t->v);
	*t = (struct cfs_top){ .max = t->max };
}

/* True if an item would be kept. */
static bool top_wants(const struct cfs_top *t, const struct cfs_top_item *item)
{
	if (t->n < t->max)
		return true;
	return t->max > 0 && top_cmp(item, &t->v[0]) < 0;
}

static void top_swap(struct cfs_top *t, size_t a, size_t b)
{
	struct cfs_top_item x = t->v[a];

	t->v[a] = t->v[b];
	t->v[b] = x;
}

static void top_rise(struct cfs_top *t, size_t i)
{
	while (i > 0 && top_cmp(&t->v[(i - 1) / 2], &t->v[i]) < 0) {
		top_swap(t, i, (i - 1) / 2);
		i = (i - 1) / 2;
	}
}

static void top_sink(struct cfs_top *t, size_t i)
{
	for (size_t child; (child = 2 * i + 1) < t->n; i = child) {
		if (child + 1 < t->n &&
		    top_cmp(&t->v[child], &t->v[child + 1]) < 0)
			child++;
		if (top_cmp(&t->v[i], &t->v[child]) >= 0)
			break;
		top_swap(t, i, child);
	}
}

int cfs_top_offer(struct cfs_top *t, const struct cfs_top_item *item)
{
	struct cfs_top_item kept = *item;

	if (!top_wants(t, item))
		return CFS_OK;
	if (cfs_array_reserve((void **)&t->v, &t->room, t->n + 1,
			      sizeof(*t->v), t->max + 1) != CFS_OK)
		return CFS_ENOMEM;
	kept.own = malloc(item->text.n + 1);
	if (kept.own == NULL)
		return CFS_ENOMEM;
	memcpy(kept.own, item->text.p, item->text.n);
	kept.text = cfs_slice_of(kept.own, item->text.n);
	if (t->n < t->max) {
		t->v[t->n++] = kept;
		top_rise(t, t->n - 1);
	} else {
		free(t->v[0].own);
		t->v[0] = kept;
		top_sink(t, 0);
	}
	return CFS_OK;
}

int cfs_top_merge(struct cfs_top *t, const struct cfs_top *from)
{
	int rc = CFS_OK;

	for (size_t i = 0; rc == CFS_OK && i < from->n; i++)
		rc = cfs_top_offer(t, &from->v[i]);
	return rc;
}

void cfs_top_sort(struct cfs_top *t)
{
	if (t->n > 0)
		qsort(t->v, t->n, sizeof(*t->v), top_cmp);
}
