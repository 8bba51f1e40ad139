/* union_group.c - caches the sorted captures of keys that have many.
 *
 * To find the first capture of a key in a union, or the one after another, the
 * captures of all members have to be sorted.  The result is shared by all
 * iterators, in a cache that is bounded in bytes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "union_internal.h"

#include <stdlib.h>

int cfs_union_in_order(const struct cfs_union_place *a,
		       const struct cfs_union_place *b)
{
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->pos > b->pos) - (a->pos < b->pos);
}

static size_t union_group_bytes_of(size_t n)
{
	return sizeof(struct cfs_union_group) +
	       n * sizeof(struct cfs_union_place);
}

struct cfs_union_group *cfs_union_group_new(size_t n, bool is_partial)
{
	struct cfs_union_group *g = malloc(union_group_bytes_of(n));

	if (g == NULL)
		return NULL;
	g->n = n;
	g->is_partial = is_partial;
	return g;
}

struct cfs_lru *cfs_union_groups_new(size_t max_bytes)
{
	return cfs_lru_new(max_bytes, free);
}

struct cfs_lru_key cfs_union_group_key(struct cfs_slice key,
				       const struct cfs_union_place *after,
				       bool has_holes)
{
	struct cfs_lru_key out = CFS_LRU_NAME(key);

	if (after != NULL) {
		out.a = (uint64_t)after->time;
		out.b = after->pos;
		out.c = 1;
	}
	if (has_holes)
		out.c |= 2;
	return out;
}

struct cfs_lru_ref *cfs_union_group_find(struct cfs_union *u,
					 struct cfs_lru_key name)
{
	return atomic_load_explicit(&u->has_groups, memory_order_relaxed) ?
	       cfs_lru_peek(u->groups, name) : NULL;
}

/* Called unless another iterator has cached the same group meanwhile. */
static int union_group_take(void *arg, struct cfs_lru_key key, void **obj,
			    size_t *bytes, struct cfs_ctx ctx)
{
	struct cfs_union_group **g = arg;

	(void)key;
	(void)ctx;
	*obj = *g;
	*bytes = union_group_bytes_of((*g)->n);
	*g = NULL;
	return CFS_OK;
}

int cfs_union_group_keep(struct cfs_union *u, struct cfs_lru_key name,
			 struct cfs_union_group *g, struct cfs_lru_ref **out,
			 struct cfs_error *err)
{
	int rc = cfs_lru_get(u->groups, name, union_group_take, &g, out,
			     CFS_CTX(NULL, err));

	free(g);
	atomic_store_explicit(&u->has_groups, true, memory_order_relaxed);
	return rc;
}
