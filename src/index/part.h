/* part.h - the K-th of N pieces of an index, as an index of its own.
 *
 * The pieces are runs of keys that follow each other.  All that work on one
 * index cut it at the same keys, which depend on its bytes alone, so every
 * capture is in one piece.  A position is that of the whole index; entries of
 * other pieces can be read by theirs, but neither search nor step comes to
 * them.
 *
 * Captures of one page may have several keys, where an index is not made by
 * crawlfs (ports, say).  The page is in the piece of the first of them: whoever
 * shows pages asks the whole index which they are, cfs_index_whole.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_PART_H
#define CFS_INDEX_PART_H

#include "index.h"

/* Most pieces: what five digits of a file's name count. */
#define CFS_PARTS_MAX 99999u

struct cfs_part {
	uint32_t k, n;		/* k from 1 to n; n 0: the whole index */
};

/* Reads "K/N".  CFS_EUSAGE, and err says what is wrong with it. */
int cfs_part_parse(const char *text, struct cfs_part *out,
		   struct cfs_error *err);

/*
 * Opens piece part.k of part.n of `whole`, which it takes over, also on
 * failure.  Reads as much as finding its two ends needs: of a remote index a
 * block for each.  *out == whole for n 0.  0; CFS_ENOMEM; failures of
 * cfs_index_cut.
 */
int cfs_part_open(struct cfs_index **out, struct cfs_index *whole,
		  struct cfs_part part, const struct cfs_cancel *cancel,
		  struct cfs_error *err);

#endif
