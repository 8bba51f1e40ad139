/* seqscan.h - walks through a whole SequenceFile, pair by pair.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_SEQSCAN_H
#define CFS_RECORD_SEQSCAN_H

#include "seqfile.h"
#include "source/span.h"

/* A pair and its place. */
struct cfs_seq_item {
	struct cfs_span span;		/* of the unit; inner_offset is the
					 * pair's number in it */
	struct cfs_slice key, value;	/* serialised; until the callback ends */
};

struct cfs_seq_opts {
	/* Damage, with place and reason; the walk resumes at the next sync
	 * marker.  May be NULL. */
	void (*damaged)(void *arg, const struct cfs_error *what);
	/* File bytes passed since the last call.  May be NULL. */
	void (*advanced)(void *arg, uint64_t bytes);
	const struct cfs_cancel *cancel;
	void *arg;			/* of all callbacks */
};

struct cfs_seq_counts {
	uint64_t pairs, units, damaged;
	uint64_t inflated_bytes;
};

/* Returns nonzero to stop the walk with that code. */
typedef int cfs_seq_fn(void *arg, const struct cfs_seq_item *item);

/* Walks through a whole file.  0 at its end, damage or not; the callback's
 * code; what cfs_seq_head_read returns; CFS_EIO, CFS_ENOMEM, CFS_EINTR. */
int cfs_seq_scan(struct cfs_source *src, const struct cfs_seq_opts *opts,
		 cfs_seq_fn *fn, struct cfs_seq_counts *counts,
		 struct cfs_error *err);

#endif
