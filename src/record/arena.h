/* arena.h - memory that lives as long as a record: field tables, unfolded
 * values.
 *
 * The first bytes are part of the structure, enough for ordinary heads, so
 * that a record costs one allocation.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_ARENA_H
#define CFS_RECORD_ARENA_H

#include <stddef.h>

#define CFS_ARENA_FIRST 3072u

struct cfs_arena {
	struct cfs_arena_block *more;	/* one allocation each */
	size_t first_used;
	max_align_t first[CFS_ARENA_FIRST / sizeof(max_align_t)];
};

struct cfs_arena *cfs_arena_new(void);		/* NULL: out of memory */
void cfs_arena_free(struct cfs_arena *a);	/* accepts NULL */

/* n bytes aligned for anything, or NULL. */
void *cfs_arena_alloc(struct cfs_arena *a, size_t n);

#endif
