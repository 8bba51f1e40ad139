/* pbtree_internal.h - an open PB-tree and its blocks, for what reads them
 * (pbtree.c) and what searches them (pbtree_seek.c).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_PBTREE_PBTREE_INTERNAL_H
#define CFS_PBTREE_PBTREE_INTERNAL_H

#include "index/ahead.h"
#include "pbtree.h"

/* A loaded block.  Key (or prefix) i begins at off[i] and is followed by NUL
 * and `value` bytes; off[n] is where the list ends. */
struct pb_block {
	uint32_t n, value;
	uint32_t *off;
	uint8_t bytes[];
};

struct pbtree {
	struct cfs_index base;
	uint32_t block_bytes, value_bytes;
	uint32_t index_blocks, data_blocks;
	struct pb_block *root;		/* NULL if damaged */
	struct cfs_lru *lru;		/* by block number, index and data */
	struct cfs_ahead ahead;
	atomic_bool index_reported;	/* damage in it was reported */
};

static inline uint64_t pb_offset(const struct pbtree *t, uint32_t number)
{
	return CFS_PBTREE_HEADER_BYTES + (uint64_t)number * t->block_bytes;
}

static inline struct cfs_slice pb_key(const struct pb_block *b, uint32_t i)
{
	return (struct cfs_slice){ b->bytes + b->off[i],
				   b->off[i + 1] - b->off[i] - 1 - b->value };
}

static inline struct cfs_slice pb_value(const struct pb_block *b, uint32_t i)
{
	return (struct cfs_slice){ b->bytes + b->off[i + 1] - b->value,
				   b->value };
}

/* ---- blocks (pbtree.c) ---- */

/* Fails because block `number` is damaged at that byte.  CFS_EFORMAT. */
int cfs_pbtree_bad(const struct pbtree *t, uint32_t number, uint32_t at,
		   struct cfs_error *err, const char *what);

/* Pins a block, and a data block by its number among those; the caller puts
 * *ref.  0; CFS_EFORMAT, CFS_ELIMIT: it is damaged; failures to read. */
int cfs_pbtree_block(struct pbtree *t, uint32_t number,
		     struct cfs_lru_ref **ref, struct pb_block **b,
		     struct cfs_ctx ctx);
int cfs_pbtree_data(struct pbtree *t, uint32_t i, struct cfs_lru_ref **ref,
		    struct pb_block **b, struct cfs_ctx ctx);

/* Moves the iterator to a slot of the block that it holds. */
void cfs_pbtree_set_slot(struct cfs_iter *it, const struct pb_block *b,
			 uint32_t number, uint32_t slot);
/* Moves it to a slot of data block `number`; takes over the pin. */
void cfs_pbtree_set(struct cfs_iter *it, struct cfs_lru_ref *ref,
		    uint32_t number, uint32_t slot);
/* Takes the result of a move to a data block: a damaged one is the hole. */
int cfs_pbtree_moved(struct cfs_iter *it, uint32_t number, int rc);

/* ---- searches (pbtree_seek.c) ---- */

/* Logs once that the index part cannot be used: why, or, if that is CFS_OK, a
 * bad pointer in block `number`. */
void cfs_pbtree_report(struct pbtree *t, uint32_t number,
		       const struct cfs_error *why);

/* Compares the first key of data block i with a key of its neighbour, by a
 * small read: *c as of cfs_slice_cmp, and as it was if the block is damaged.
 * 0, or failures to read. */
int cfs_pbtree_order(struct pbtree *t, uint32_t i, struct cfs_slice key, int *c,
		     struct cfs_ctx ctx);

/* Implements cfs_index_seek. */
int cfs_pbtree_seek(struct cfs_index *ix, struct cfs_slice key,
		    struct cfs_iter *it, struct cfs_ctx ctx);

#endif
