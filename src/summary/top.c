/* top.c - the greatest items, in a sorted array (see counts.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "counts.h"

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

int cfs_top_offer(struct cfs_top *t, const struct cfs_top_item *item)
{
	struct cfs_top_item kept = *item;
	size_t i = t->n;

	while (i > 0 && top_cmp(item, &t->v[i - 1]) < 0)
		i--;
	if (i == t->max)
		return CFS_OK;
	if (cfs_array_reserve((void **)&t->v, &t->room, t->n + 1,
			      sizeof(*t->v), t->max + 1) != CFS_OK)
		return CFS_ENOMEM;
	kept.own = malloc(item->text.n + 1);
	if (kept.own == NULL)
		return CFS_ENOMEM;
	memcpy(kept.own, item->text.p, item->text.n);
	kept.text = cfs_slice_of(kept.own, item->text.n);
	if (t->n == t->max)
		free(t->v[--t->n].own);
	memmove(t->v + i + 1, t->v + i, (t->n - i) * sizeof(*t->v));
	t->v[i] = kept;
	t->n++;
	return CFS_OK;
}

int cfs_top_merge(struct cfs_top *t, const struct cfs_top *from)
{
	int rc = CFS_OK;

	for (size_t i = 0; rc == CFS_OK && i < from->n; i++)
		rc = cfs_top_offer(t, &from->v[i]);
	return rc;
}
