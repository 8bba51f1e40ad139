/* fault.h - a source that fails on purpose, for tests.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SOURCE_FAULT_H
#define CFS_SOURCE_FAULT_H

#include "source.h"

/* What goes wrong.  All zero: nothing. */
struct cfs_fault {
	size_t max_read;	/* no read gives more bytes at once; 0: any */
	uint64_t fail_read;	/* this read fails, from 1 (and no other) */
	bool fail_byte_set;	/* reads of byte fail_byte and later fail */
	uint64_t fail_byte;
	bool size_set;		/* the file has changed to this size since it */
	uint64_t size;		/* was opened: it ends there, or has zeros */
	int code;		/* of failing reads; 0: CFS_EIO */
};

/*
 * A source over another that shows its bytes except for what `fault` says.
 * Takes inner over, also on failure.  The plan is copied; it can be changed
 * later (cfs_source_fault_plan) while no other thread reads.
 */
int cfs_source_open_fault(struct cfs_source **out, struct cfs_source *inner,
			  const struct cfs_fault *fault, struct cfs_error *err);
struct cfs_fault *cfs_source_fault_plan(struct cfs_source *src);

/* Calls of read_at so far, and bytes asked for in them. */
uint64_t cfs_source_fault_reads(const struct cfs_source *src);
uint64_t cfs_source_fault_bytes(const struct cfs_source *src);

#endif
