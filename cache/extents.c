/* extents.c - a sorted map of extents: finding, adding, splitting.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "extents.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

#define CHUNK_MAX 64u
/* The first chunk is small, as only a few records of most archives are read. */
#define CHUNK_MIN 2u

struct extent_chunk {
	unsigned n;			/* 1 or more */
	unsigned cap;
	struct cfs_extent v[];
};

/* The first offset is repeated here, so that a search does not touch
 * the chunks. */
struct cfs_chunk_ref {
	uint64_t first;
	struct extent_chunk *c;
};

void cfs_extents_release(struct cfs_extents *x)
{
	for (size_t i = 0; i < x->n_chunks; i++)
		free(x->chunks[i].c);
	free(x->chunks);
	*x = (struct cfs_extents){ 0 };
}

static uint64_t extent_end(const struct cfs_extent *e)
{
	return e->off + e->n;
}

/* The chunk to search for `off`: the last one that begins at or before it. */
static size_t find_chunk(const struct cfs_extents *x, uint64_t off)
{
	size_t at = 0;

	CFS_LOWER_BOUND(at, x->n_chunks, i, x->chunks[i].first <= off);
	return at > 0 ? at - 1 : 0;
}

/* The first slot whose extent ends after `off`; c->n if none does. */
static unsigned extents_find_slot(const struct extent_chunk *c, uint64_t off)
{
	unsigned at = 0;

	CFS_LOWER_BOUND(at, c->n, i, extent_end(&c->v[i]) <= off);
	return at;
}

struct cfs_extent *cfs_extents_at(const struct cfs_extents *x, uint64_t off)
{
	size_t i;
	unsigned k;

	if (x->n_chunks == 0)
		return NULL;
	i = find_chunk(x, off);
	k = extents_find_slot(x->chunks[i].c, off);
	if (k < x->chunks[i].c->n)
		return &x->chunks[i].c->v[k];
	return i + 1 < x->n_chunks ? &x->chunks[i + 1].c->v[0] : NULL;
}

struct cfs_extent *cfs_extents_next(const struct cfs_extents *x, uint64_t *off,
				    uint64_t end)
{
	struct cfs_extent *e = *off < end ? cfs_extents_at(x, *off) : NULL;

	if (e == NULL || e->off >= end)
		return NULL;
	*off = extent_end(e);
	return e;
}

/* Inserts an empty chunk at place i. */
static struct extent_chunk *add_chunk(struct cfs_extents *x, size_t i)
{
	unsigned extents = x->n_chunks > 0 ? CHUNK_MAX : CHUNK_MIN;
	struct extent_chunk *c = malloc(sizeof(*c) + extents * sizeof(c->v[0]));

	if (c == NULL)
		return NULL;
	c->cap = extents;
	if (x->n_chunks == x->cap) {
		size_t cap = x->cap ? x->cap * 2 : 1;
		struct cfs_chunk_ref *t = realloc(x->chunks, cap * sizeof(*t));

		if (t == NULL) {
			free(c);
			return NULL;
		}
		x->chunks = t;
		x->cap = cap;
	}
	memmove(x->chunks + i + 1, x->chunks + i,
		(x->n_chunks - i) * sizeof(*x->chunks));
	x->chunks[i] = (struct cfs_chunk_ref){ 0, c };
	x->n_chunks++;
	c->n = 0;
	return c;
}

/* Makes room for more extents in chunk i. */
static struct extent_chunk *grow_chunk(struct cfs_extents *x, size_t i)
{
	unsigned cap = x->chunks[i].c->cap * 2;
	struct extent_chunk *c;

	if (cap > CHUNK_MAX)
		cap = CHUNK_MAX;
	c = realloc(x->chunks[i].c, sizeof(*c) + cap * sizeof(c->v[0]));
	if (c == NULL)
		return NULL;
	c->cap = cap;
	x->chunks[i].c = c;
	return c;
}

int cfs_extents_insert(struct cfs_extents *x, const struct cfs_extent *e)
{
	size_t i = find_chunk(x, e->off);
	struct extent_chunk *c =
		x->n_chunks > 0 ? x->chunks[i].c : add_chunk(x, 0);
	unsigned k;

	if (c == NULL)
		return CFS_ENOMEM;
	if (c->n == c->cap && c->cap < CHUNK_MAX) {
		c = grow_chunk(x, i);
		if (c == NULL)
			return CFS_ENOMEM;
	}
	k = extents_find_slot(c, e->off);
	if (c->n == CHUNK_MAX) {
		/* Those behind it go to a chunk of their own, so that reading
		 * from front to back fills them; but half if they are more than
		 * a quarter. */
		unsigned keep = k < CHUNK_MAX / 4 * 3 ? CHUNK_MAX / 2 : k;
		struct extent_chunk *d = add_chunk(x, i + 1);

		if (d == NULL)
			return CFS_ENOMEM;
		d->n = CHUNK_MAX - keep;
		c->n = keep;
		memcpy(d->v, c->v + keep, d->n * sizeof(d->v[0]));
		if (d->n > 0)
			x->chunks[i + 1].first = d->v[0].off;
		if (d->n == 0 || d->v[0].off <= e->off) {
			c = d;
			i++;
		}
		k = extents_find_slot(c, e->off);
	}
	assert(k == c->n || extent_end(e) <= c->v[k].off);
	memmove(c->v + k + 1, c->v + k, (c->n - k) * sizeof(c->v[0]));
	c->v[k] = *e;
	c->n++;
	x->n++;
	x->chunks[i].first = c->v[0].off;
	return CFS_OK;
}

int cfs_extents_fill(struct cfs_extents *x, const struct cfs_extent *e)
{
	uint64_t off = e->off, end = extent_end(e);
	int rc = CFS_OK;

	while (off < end && rc == CFS_OK) {
		const struct cfs_extent *h = cfs_extents_at(x, off);
		struct cfs_extent part = *e;

		if (h != NULL && h->off <= off) {
			off = extent_end(h);
			continue;
		}
		part.off = off;
		part.n = (uint32_t)((h != NULL && h->off < end ? h->off : end) -
				    off);
		off += part.n;
		rc = cfs_extents_insert(x, &part);
	}
	return rc;
}

void cfs_extents_remove(struct cfs_extents *x, uint64_t off)
{
	size_t i = find_chunk(x, off);
	struct extent_chunk *c = x->chunks[i].c;
	unsigned k = extents_find_slot(c, off);

	assert(k < c->n && c->v[k].off == off);
	memmove(c->v + k, c->v + k + 1, (c->n - k - 1) * sizeof(c->v[0]));
	x->n--;
	if (--c->n > 0) {
		x->chunks[i].first = c->v[0].off;
		return;
	}
	free(c);
	memmove(x->chunks + i, x->chunks + i + 1,
		(x->n_chunks - i - 1) * sizeof(*x->chunks));
	x->n_chunks--;
}

int cfs_extents_split(struct cfs_extents *x, uint64_t off)
{
	struct cfs_extent *e = cfs_extents_at(x, off), right;
	int rc;

	if (e == NULL || e->off >= off)
		return CFS_OK;
	right = *e;
	right.off = off;
	right.n = (uint32_t)(extent_end(e) - off);
	e->n -= right.n;
	rc = cfs_extents_insert(x, &right);
	if (rc != CFS_OK) {
		e = cfs_extents_at(x, off - 1);
		if (e != NULL)
			e->n += right.n;
	}
	return rc;
}
