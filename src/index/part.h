/* part.h - a part of an index, as an index of its own: the K-th of N, or what
 * has some keys.
 *
 * The parts are consecutive ranges of keys.  Every process that opens the same
 * index cuts it at the same keys, which depend on its bytes alone, so every
 * capture is in exactly one part.  A position is that of the whole index;
 * entries of other parts can be read by theirs, but seek and next never reach
 * them.
 *
 * In an index not made by crawlfs, captures of one page may have several keys
 * (ports, say).  The page belongs to the part with the first of them; code that
 * shows pages finds the others in the whole index (cfs_index_whole).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_PART_H
#define CFS_INDEX_PART_H

#include "index.h"

/* Most parts: five digits in a file's name. */
#define CFS_PARTS_MAX 99999u

struct cfs_part {
	uint32_t k, n;		/* k from 1 to n; n 0: the whole index */
};

/* Reads "K/N".  CFS_EUSAGE, and err says what is wrong with it. */
int cfs_part_parse(const char *text, struct cfs_part *out,
		   struct cfs_error *err);

/*
 * Opens part part.k of part.n of `ix`, which it takes over, also on failure.
 * Reads no more than its two ends require: of a remote index a block for each.
 * If ix holds some keys only (cfs_part_open_keys), it is narrowed: cut where
 * the whole index would be.  *out == ix for n 0.  0; CFS_ENOMEM; failures of
 * cfs_index_cut.
 */
int cfs_part_open(struct cfs_index **out, struct cfs_index *ix,
		  struct cfs_part part, struct cfs_ctx ctx);

/* The keys that an index is limited to; zeroed but for `runs`, which the caller
 * initializes, fills and settles. */
struct cfs_part_keys {
	struct cfs_key_runs runs;
	/* Is a key in the ranges one of them?  NULL: all are.  Threads call it
	 * at the same time. */
	bool (*covers)(const void *arg, struct cfs_slice key);
	void (*free)(void *arg);	/* NULL: nothing to free */
	void *arg;
};
void cfs_part_keys_release(struct cfs_part_keys *keys);

/* Limits an index to some keys.  Takes over `whole`, which is not a part, and
 * what *keys holds, also on failure.  0 or CFS_ENOMEM. */
int cfs_part_open_keys(struct cfs_index **out, struct cfs_index *whole,
		       struct cfs_part_keys *keys, struct cfs_error *err);

#endif
