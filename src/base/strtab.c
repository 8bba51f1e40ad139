/* strtab.c - a string table with a hash index (see strtab.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "strtab.h"

#include <pthread.h>
#include <stdlib.h>

#include "array.h"
#include "hash.h"

#define CHUNK_BYTES 65536u
#define STRINGS_MAX (1u << 29)	/* a power of two, like n_slots */

struct string_chunk {
	struct string_chunk *next;
	size_t n, cap;
	uint8_t bytes[];
};

struct cfs_strtab {
	pthread_mutex_t lock;		/* guards the rest */
	size_t max, bytes;
	struct string_chunk *chunks;
	struct cfs_slice *v;		/* by number */
	uint32_t n;
	size_t room;			/* capacity of v */
	uint32_t *slots;		/* number + 1 by hash; 0: free */
	uint32_t n_slots;		/* a power of two */
};

struct cfs_strtab *cfs_strtab_new(size_t max_bytes)
{
	struct cfs_strtab *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return NULL;
	t->max = max_bytes;
	pthread_mutex_init(&t->lock, NULL);
	return t;
}

void cfs_strtab_free(struct cfs_strtab *t)
{
	if (t == NULL)
		return;
	while (t->chunks != NULL) {
		struct string_chunk *next = t->chunks->next;

		free(t->chunks);
		t->chunks = next;
	}
	free(t->v);
	free(t->slots);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

/* The slot that holds the string, or the free one where it belongs. */
static uint32_t strtab_slot_of(const struct cfs_strtab *t, struct cfs_slice s)
{
	uint32_t i = (uint32_t)cfs_hash64(s, 0) & (t->n_slots - 1);

	while (t->slots[i] != 0 && !cfs_slice_eq(t->v[t->slots[i] - 1], s))
		i = (i + 1) & (t->n_slots - 1);
	return i;
}

/* Makes room for one more string, keeping half of the slots free. */
static int strtab_grow(struct cfs_strtab *t)
{
	int rc = cfs_array_reserve((void **)&t->v, &t->room, (size_t)t->n + 1,
				   sizeof(*t->v), STRINGS_MAX);
	uint32_t *slots;

	if (rc != CFS_OK || t->n_slots >= 2 * t->room)
		return rc;
	slots = calloc(2 * t->room, sizeof(*slots));
	if (slots == NULL)
		return CFS_ENOMEM;
	free(t->slots);
	t->slots = slots;
	t->n_slots = (uint32_t)(2 * t->room);
	for (uint32_t i = 0; i < t->n; i++)
		t->slots[strtab_slot_of(t, t->v[i])] = i + 1;
	return CFS_OK;
}

static int strtab_keep(struct cfs_strtab *t, struct cfs_slice s,
		       struct cfs_slice *out)
{
	size_t cap = s.n > CHUNK_BYTES ? s.n : CHUNK_BYTES;
	struct string_chunk *c = t->chunks;

	if (s.n > t->max - t->bytes)
		return CFS_ELIMIT;
	if (c == NULL || c->cap - c->n < s.n) {
		c = malloc(sizeof(*c) + cap);
		if (c == NULL)
			return CFS_ENOMEM;
		c->next = t->chunks;
		c->n = 0;
		c->cap = cap;
		t->chunks = c;
	}
	if (s.n > 0)
		memcpy(c->bytes + c->n, s.p, s.n);
	*out = cfs_slice_of(c->bytes + c->n, s.n);
	c->n += s.n;
	t->bytes += s.n;
	return CFS_OK;
}

int cfs_strtab_add_up_to(struct cfs_strtab *t, struct cfs_slice s,
			 uint32_t max_strings, uint32_t *out)
{
	struct cfs_slice kept;
	uint32_t slot;
	int rc;

	pthread_mutex_lock(&t->lock);
	rc = strtab_grow(t);
	if (rc != CFS_OK)
		goto out;
	slot = strtab_slot_of(t, s);
	if (t->slots[slot] == 0) {
		rc = t->n < max_strings ? strtab_keep(t, s, &kept) : CFS_ELIMIT;
		if (rc != CFS_OK)
			goto out;
		t->v[t->n++] = kept;
		t->slots[slot] = t->n;
	}
	*out = t->slots[slot] - 1;
out:
	pthread_mutex_unlock(&t->lock);
	return rc;
}

int cfs_strtab_add(struct cfs_strtab *t, struct cfs_slice s, uint32_t *out)
{
	return cfs_strtab_add_up_to(t, s, STRINGS_MAX, out);
}

struct cfs_slice cfs_strtab_get(struct cfs_strtab *t, uint32_t i)
{
	struct cfs_slice s = CFS_SLICE_EMPTY;

	pthread_mutex_lock(&t->lock);
	if (i < t->n)
		s = t->v[i];
	pthread_mutex_unlock(&t->lock);
	return s;
}

uint32_t cfs_strtab_count(struct cfs_strtab *t)
{
	uint32_t n;

	pthread_mutex_lock(&t->lock);
	n = t->n;
	pthread_mutex_unlock(&t->lock);
	return n;
}
