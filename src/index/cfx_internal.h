/* cfx_internal.h - what cfx.c and cfx_block.c share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_CFX_INTERNAL_H
#define CFS_INDEX_CFX_INTERNAL_H

#include <stdatomic.h>

#include "ahead.h"
#include "cfx.h"
#include "cfx_format.h"
#include "codec/symbols.h"

/* A class with what the decoder wants to know at once. */
struct cfx_class_in {
	struct cfx_class c;
	uint32_t fixed;		/* bytes of a value after the class number, up
				 * to what its flags add */
};

struct cfs_cfx {
	struct cfs_index base;
	struct cfx_header head;
	struct cfs_symbols symbols;
	uint8_t *tables[CFX_SECTIONS];		/* as in the file */
	const uint8_t **archives;		/* records in its table */
	struct cfs_slice *mimes;
	struct cfx_class_in *classes;
	uint32_t n_archives, n_mimes, n_classes;
	struct cfs_lru *blocks;
	struct cfx_block *root;
	atomic_uint_fast64_t block_reads;
	struct cfs_ahead ahead;
};

/*
 * A block in memory: checksum and restarts are known to be good, entries are
 * not.  One allocation: a search that finds the block out of the processor's
 * caches touches few pages.
 */
struct cfx_block {
	uint64_t file_off;
	uint32_t number, n_entries, first_child;
	uint32_t bytes;			/* stored */
	uint32_t end;			/* where entries must have ended */
	uint32_t n_restarts;
	uint32_t skip;			/* bytes all restart keys begin with */
	uint8_t level;
	/* Of every restart key the eight bytes after these, big-endian; then
	 * offsets of the entries, and of the decoded keys (one more). */
	const uint64_t *words;
	const uint32_t *restart_off, *key_off;
	const uint8_t *keys;
	const uint8_t *p;		/* the stored bytes */
};

/* Reads and checks a block, which is then freed with free.  CFS_EFORMAT names
 * file and offset. */
int cfx_block_load(struct cfs_cfx *x, unsigned level, uint32_t number,
		   struct cfx_block **out, size_t *bytes,
		   const struct cfs_cancel *cancel, struct cfs_error *err);

/* An entry as it lies in its block. */
struct cfx_entry {
	uint32_t shared;
	struct cfs_slice rest;		/* of the key, coded in a leaf */
	struct cfs_slice value;		/* empty above the leaves */
	uint32_t next_off;
};

/* Reads the entry at off.  0 or CFS_EFORMAT, without a report. */
int cfx_entry_parse(const struct cfs_cfx *x, const struct cfx_block *b,
		    uint32_t off, struct cfx_entry *out);

/* Reports a fault of a block. */
int cfx_block_bad(const struct cfs_cfx *x, const struct cfx_block *b,
		  uint32_t off, const char *what, struct cfs_error *err);

struct cfs_slice cfx_restart_key(const struct cfx_block *b, uint32_t i);

/* Finds the last entry of an upper block whose separator is < key, or entry
 * 0.  0 or CFS_EFORMAT. */
int cfx_block_child(const struct cfs_cfx *x, const struct cfx_block *b,
		    struct cfs_slice key, uint32_t *entry,
		    struct cfs_error *err);

/* Finds the first entry of a leaf whose key is >= key and puts it under the
 * iterator (key, value, pos, block_off).  0; CFS_END: all are less. */
int cfx_block_seek(const struct cfs_cfx *x, const struct cfx_block *b,
		   struct cfs_slice key, struct cfs_iter *it,
		   struct cfs_error *err);

/* Puts entry `slot` under the iterator, which may stand anywhere; slot is
 * less than n_entries. */
int cfx_block_at(const struct cfs_cfx *x, const struct cfx_block *b,
		 uint32_t slot, struct cfs_iter *it, struct cfs_error *err);

/* Moves the iterator, which stands on an entry of b that is not its last, to
 * the next one. */
int cfx_block_step(const struct cfs_cfx *x, const struct cfx_block *b,
		   struct cfs_iter *it, struct cfs_error *err);

#endif
