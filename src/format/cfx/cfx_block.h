/* cfx_block.h - one block of a crawlfs index: loading, searching, stepping.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CFX_CFX_BLOCK_H
#define CFS_CFX_CFX_BLOCK_H

#include "base/lru.h"
#include "cfx_format.h"
#include "cfx_value.h"
#include "codec/symbols.h"
#include "index/ahead.h"
#include "index/index.h"

/* Bytes behind a block in memory, so that numbers are read as whole words. */
#define CFS_CFX_BLOCK_PAD 8u

/* An open index, as the functions for its blocks need it. */
struct cfs_cfx {
	struct cfs_index base;
	struct cfs_cfx_header head;
	struct cfs_symbols symbols;
	uint8_t *tables[CFS_CFX_SECTIONS];		/* as in the file */
	const uint8_t **archives;		/* rows of the archive table */
	uint8_t ref_bytes;			/* of a reference */
	struct cfs_slice *mimes;
	struct cfs_cfx_class *classes;
	uint32_t n_archives, n_mimes, n_classes;
	struct cfs_lru *blocks;
	struct cfs_cfx_block *root;	/* NULL if damaged, or if it is the
					 * only leaf */
	atomic_bool is_upper_damaged;	/* a block above the leaves */
	struct cfs_ahead ahead;
};

/*
 * A block in memory.  Its checksum and restarts have been checked, its entries
 * have not.  It is one allocation, so that a search that finds the block out of
 * the processor's caches touches few pages.
 */
struct cfs_cfx_block {
	uint64_t file_off;
	uint32_t number, n_entries, first_child;
	uint32_t bytes;			/* stored */
	uint32_t end;			/* offset where entries end at most */
	uint32_t n_restarts;
	uint32_t skip;			/* common prefix of all restart keys */
	uint8_t level;
	/* The eight bytes of each restart key behind the common prefix,
	 * big-endian; then the offsets of the restarts' entries, and of their
	 * decoded keys (with one more offset for the end). */
	const uint64_t *words;
	const uint32_t *restart_off, *key_off;
	const uint8_t *keys;
	const uint8_t *p;		/* the stored bytes */
};

/* Reads and checks a block, to be released with free().  CFS_EFORMAT names file
 * and offset. */
int cfs_cfx_block_load(struct cfs_cfx *x, unsigned level, uint32_t number,
		       struct cfs_cfx_block **out, size_t *bytes,
		       struct cfs_ctx ctx);

/* The key at restart i of a block (not one of references). */
struct cfs_slice cfs_cfx_restart_key(const struct cfs_cfx_block *b, uint32_t i);

/* Finds the last entry of an upper block whose separator is < key, or entry
 * 0.  0 or CFS_EFORMAT. */
int cfs_cfx_block_child(const struct cfs_cfx *x, const struct cfs_cfx_block *b,
			struct cfs_slice key, uint32_t *entry,
			struct cfs_error *err);

/* Finds the first entry of a leaf whose key is >= key and sets the iterator
 * (key, value, pos, block_off) to it.  0; CFS_END: all keys are less. */
int cfs_cfx_block_seek(const struct cfs_cfx *x, const struct cfs_cfx_block *b,
		       struct cfs_slice key, struct cfs_iter *it,
		       struct cfs_error *err);

/* Sets the iterator, wherever it stands, to entry `slot`, which is less than
 * n_entries. */
int cfs_cfx_block_at(const struct cfs_cfx *x, const struct cfs_cfx_block *b,
		     uint32_t slot, struct cfs_iter *it, struct cfs_error *err);

/* Advances the iterator to the next entry; it stands on an entry of b, but not
 * on the last one. */
int cfs_cfx_block_step(const struct cfs_cfx *x, const struct cfs_cfx_block *b,
		       struct cfs_iter *it, struct cfs_error *err);

#endif
