/* hits.h - an index in which only some entries are seen: those that a search
 * has found.
 *
 * It steps from hit to hit.  Names, numbers of captures and positions are those
 * of the whole index, which cfs_index_whole() gives, as in a part (part.h); but
 * here single captures of a page may be left out.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_HITS_H
#define CFS_INDEX_HITS_H

#include "index.h"

/* The most hits: their numbers are part of inode numbers. */
#define CFS_HITS_MAX ((UINT32_C(1) << 28) - 2)

/* Orders n positions: *out has their numbers, by position; malloced.  0 or
 * CFS_ENOMEM. */
int cfs_pos_order(const cfs_pos *v, size_t n, uint32_t **out);

/*
 * Makes an index of n entries of `of`, which is borrowed and must live as long.
 *
 * v  their positions, in the order of `of`, each once; from malloc(), taken
 *    over, also on failure; NULL if n is 0
 *
 * 0; CFS_ENOMEM; CFS_ELIMIT for more than CFS_HITS_MAX.
 */
int cfs_hits_index_open(struct cfs_index **out, struct cfs_index *of,
			cfs_pos *v, size_t n, struct cfs_error *err);

/* The memory that such an index of n hits takes, in bytes. */
size_t cfs_hits_index_bytes(const struct cfs_index *of, size_t n);

/* Is there a hit at this position? */
bool cfs_hits_index_has(const struct cfs_index *ix, cfs_pos pos);

/* The position of hit k, in the order of the index from 0 on.  CFS_POS_NONE if
 * there are not so many. */
cfs_pos cfs_hits_index_pos(const struct cfs_index *ix, size_t k);

#endif
