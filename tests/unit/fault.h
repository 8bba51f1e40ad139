/* fault.h - a source that fails on purpose, for tests of its readers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_UNIT_FAULT_H
#define CFS_UNIT_FAULT_H

#include "source/source.h"

/* The faults to cause; all zero: none. */
struct cfs_fault {
	size_t max_read;	/* most bytes that a read returns; 0: any */
	uint64_t fail_read;	/* number of the read that fails; 0: none */
	bool fail_byte_set;	/* reads from fail_byte on fail */
	uint64_t fail_byte;
	bool size_set;		/* the file has changed its size since it was */
	uint64_t size;		/* opened: it is cut there, or has
				 * zeros added */
	int code;		/* of failing reads; 0: CFS_EIO */
	bool is_silent;		/* they report nothing, as some sources do */
};

/*
 * Makes a source that shows the bytes of inner, except for what `fault` says.
 * Takes inner over, also on failure.  Copies the plan, which can be changed
 * later (cfs_source_fault_plan) while no other thread reads.
 */
int cfs_source_open_fault(struct cfs_source **out, struct cfs_source *inner,
			  const struct cfs_fault *fault, struct cfs_error *err);
struct cfs_fault *cfs_source_fault_plan(struct cfs_source *src);

/* Calls of read_at so far, and the bytes that they asked for. */
uint64_t cfs_source_fault_reads(const struct cfs_source *src);
uint64_t cfs_source_fault_bytes(const struct cfs_source *src);

#endif
