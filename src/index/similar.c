/* similar.c - finds hashes that differ in few bits by parts of them.
 *
 * Hashes are cut into `bits` + 2 runs of bits.  Two of them that differ in at
 * most `bits` bits agree in two runs at least, so each is in a list for each
 * pair of runs, by a hash of what it has there, and a search goes through one
 * list for each pair (permuted tables, as in Manku, Jain and Das Sarma 2007,
 * without copies of the hashes).
 *
 * For 3 bits there are 10 lists, whose 25 bits or so seldom agree by chance;
 * for 7 there are 36, whose 14 often do: many hashes are then looked at.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "similar.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

#define LIST_BITS 17u
#define LISTS ((size_t)1 << LIST_BITS)
#define RUNS_MAX (CFS_SIMILAR_BITS_MAX + 2u)
#define PAIRS_MAX (RUNS_MAX * (RUNS_MAX - 1u) / 2u)
/* An odd number, by which the highest bits of a product depend on all. */
#define MIX UINT64_C(0x9E3779B97F4A7C15)

struct cfs_similar {
	unsigned bits, pairs;
	uint64_t masks[PAIRS_MAX];	/* the bits of each pair of runs */
	uint64_t *hash;
	uint32_t *next;			/* for each hash and pair: number plus 1
					 * of the hash added before to this
					 * list; 0: none */
	uint32_t *last;			/* for each pair and list: number plus 1
					 * of the hash added last; 0: none */
	size_t n, max, hash_room, next_room;
};

/* The bits of run i of n. */
static uint64_t run_mask(unsigned i, unsigned n)
{
	unsigned from = i * 64 / n, to = (i + 1) * 64 / n;

	return (to < 64 ? (uint64_t)1 << to : 0) - ((uint64_t)1 << from);
}

struct cfs_similar *cfs_similar_new(unsigned bits, size_t memory_bytes)
{
	const unsigned runs = bits + 2;
	struct cfs_similar *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->bits = bits;
	for (unsigned i = 0; i < runs; i++)
		for (unsigned k = 0; k < i; k++)
			s->masks[s->pairs++] = run_mask(i, runs) |
					       run_mask(k, runs);
	s->last = calloc(s->pairs * LISTS, sizeof(*s->last));
	if (s->last == NULL) {
		free(s);
		return NULL;
	}
	s->max = memory_bytes /
		 (sizeof(*s->hash) + s->pairs * sizeof(*s->next));
	if (s->max >= UINT32_MAX)
		s->max = UINT32_MAX - 1;
	return s;
}

void cfs_similar_free(struct cfs_similar *s)
{
	if (s == NULL)
		return;
	free(s->hash);
	free(s->next);
	free(s->last);
	free(s);
}

void cfs_similar_clear(struct cfs_similar *s)
{
	s->n = 0;
	memset(s->last, 0, s->pairs * LISTS * sizeof(*s->last));
}

/* The list of a pair of runs that a hash is in. */
static uint32_t *list_of(const struct cfs_similar *s, unsigned pair,
			 uint64_t hash)
{
	uint64_t number = (hash & s->masks[pair]) * MIX >> (64 - LIST_BITS);

	return &s->last[pair * LISTS + (size_t)number];
}

int cfs_similar_add(struct cfs_similar *s, uint64_t hash)
{
	int rc = cfs_array_reserve((void **)&s->hash, &s->hash_room, s->n + 1,
				   sizeof(*s->hash), s->max);

	if (rc == CFS_OK)
		rc = cfs_array_reserve((void **)&s->next, &s->next_room,
				       s->n + 1, s->pairs * sizeof(*s->next),
				       s->max);
	if (rc != CFS_OK)
		return rc;
	s->hash[s->n] = hash;
	for (unsigned pair = 0; pair < s->pairs; pair++) {
		uint32_t *last = list_of(s, pair, hash);

		s->next[s->n * s->pairs + pair] = *last;
		*last = (uint32_t)s->n + 1;
	}
	s->n++;
	return CFS_OK;
}

bool cfs_similar_find(const struct cfs_similar *s, uint64_t hash,
		      uint64_t *first)
{
	uint32_t best = UINT32_MAX;

	for (unsigned pair = 0; pair < s->pairs; pair++)
		for (size_t at = *list_of(s, pair, hash); at != 0;
		     at = s->next[(at - 1) * s->pairs + pair])
			if (at < best &&
			    cfs_similar_distance(s->hash[at - 1], hash) <=
				    s->bits)
				best = (uint32_t)at;
	if (best == UINT32_MAX)
		return false;
	*first = s->hash[best - 1];
	return true;
}
