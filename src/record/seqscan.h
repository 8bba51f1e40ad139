/* seqscan.h - walks through a whole SequenceFile, pair by pair.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_SEQSCAN_H
#define CFS_RECORD_SEQSCAN_H

#include "scan.h"
#include "seqfile.h"

/* A pair and its place. */
struct cfs_seq_item {
	struct cfs_span span;		/* of the unit; inner_offset is the
					 * pair's number in it */
	struct cfs_slice key, value;	/* serialised; until the callback
					 * ends */
};

/* Returns nonzero to stop the walk with that code. */
typedef int cfs_seq_fn(void *arg, const struct cfs_seq_item *item);

/*
 * Walks through a whole file.
 *
 * opts    limits and parts are not for these files; may be NULL.  After damage
 *         the walk resumes at the next sync marker
 * counts  pairs are records, units are members; may be NULL
 *
 * 0 at its end, damage or not; the callback's code; what cfs_seq_head_read
 * returns; CFS_EIO, CFS_ENOMEM, CFS_EINTR.
 */
int cfs_seq_scan(struct cfs_source *src, const struct cfs_scan_opts *opts,
		 cfs_seq_fn *fn, struct cfs_scan_counts *counts,
		 struct cfs_error *err);

#endif
