/* word_hits.c - sets of documents, as ascending numbers (words.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "words.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void cfs_hits_release(struct cfs_hits *h)
{
	free(h->v);
	*h = (struct cfs_hits){ 0 };
}

int cfs_hits_reserve(struct cfs_hits *h, size_t n)
{
	return cfs_array_reserve((void **)&h->v, &h->room, n, sizeof(*h->v),
				 (size_t)UINT32_MAX + 1);
}

int cfs_hits_all(struct cfs_hits *h, uint32_t n)
{
	int rc = cfs_hits_reserve(h, n);

	if (rc != CFS_OK)
		return rc;
	for (uint32_t i = 0; i < n; i++)
		h->v[i] = i;
	h->n = n;
	return CFS_OK;
}

int cfs_hits_and(struct cfs_hits *a, const struct cfs_hits *b)
{
	size_t n = 0;

	for (size_t i = 0, k = 0; i < a->n && k < b->n;) {
		if (a->v[i] == b->v[k])
			a->v[n++] = a->v[i];
		if (a->v[i] < b->v[k])
			i++;
		else if (a->v[i] > b->v[k])
			k++;
		else
			i++, k++;
	}
	a->n = n;
	return CFS_OK;
}

int cfs_hits_or(struct cfs_hits *a, const struct cfs_hits *b)
{
	struct cfs_hits both = { 0 };
	size_t i = 0, k = 0;
	int rc = cfs_hits_reserve(&both, a->n + b->n);

	if (rc != CFS_OK)
		return rc;
	while (i < a->n || k < b->n) {
		if (k == b->n || (i < a->n && a->v[i] < b->v[k]))
			both.v[both.n++] = a->v[i++];
		else if (i == a->n || a->v[i] > b->v[k])
			both.v[both.n++] = b->v[k++];
		else
			k++;
	}
	free(a->v);
	*a = both;
	return CFS_OK;
}
