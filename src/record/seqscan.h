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
	struct cfs_slice key, value;	/* serialised; valid during the
					 * callback */
};

/* Returns nonzero to stop the walk with that code. */
typedef int cfs_seq_fn(void *arg, const struct cfs_seq_item *item);

/*
 * Walks through a whole file.
 *
 * opts    its limits and parts do not apply to these files; may be NULL.
 *         After damage the walk resumes at the next sync marker
 * counts  pairs count as records, units as members; may be NULL
 *
 * 0 at the end of the file, damaged or not; the callback's code; failures of
 * cfs_seq_head_read; CFS_EIO, CFS_ENOMEM, CFS_EINTR.
 */
int cfs_seq_scan(struct cfs_source *src, const struct cfs_scan_opts *opts,
		 cfs_seq_fn *fn, struct cfs_scan_counts *counts,
		 struct cfs_error *err);

#endif
