/* arena.c - hands out memory that is freed all at once.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct cfs_arena_block {
	struct cfs_arena_block *next;
	max_align_t bytes[];
};

struct cfs_arena *cfs_arena_new(void)
{
	struct cfs_arena *a = malloc(sizeof(*a));

	if (a != NULL)
		memset(a, 0, offsetof(struct cfs_arena, first));
	return a;
}

void cfs_arena_free(struct cfs_arena *a)
{
	while (a != NULL && a->more != NULL) {
		struct cfs_arena_block *b = a->more;

		a->more = b->next;
		free(b);
	}
	free(a);
}

void *cfs_arena_alloc(struct cfs_arena *a, size_t n)
{
	struct cfs_arena_block *b;
	uint8_t *p;

	n = (n + sizeof(max_align_t) - 1) / sizeof(max_align_t) *
	    sizeof(max_align_t);
	if (n <= sizeof(a->first) - a->first_used) {
		p = (uint8_t *)a->first + a->first_used;
		a->first_used += n;
		return p;
	}
	b = malloc(sizeof(*b) + n);
	if (b == NULL)
		return NULL;
	b->next = a->more;
	a->more = b;
	return b->bytes;
}
