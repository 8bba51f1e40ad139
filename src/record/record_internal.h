/* record_internal.h - what the record parsers share among themselves.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_RECORD_INTERNAL_H
#define CFS_RECORD_RECORD_INTERNAL_H

#include "record.h"

/*
 * Memory that lives as long as a record: field tables and unfolded values in
 * blocks, and the decoded body.  The first block is part of the structure,
 * enough for ordinary heads, so that a record costs one allocation.
 */
#define CFS_RECORD_ARENA_FIRST 3072u

struct cfs_record_block {
	struct cfs_record_block *next;
	max_align_t bytes[];
};

struct cfs_record_own {
	struct cfs_record_block *more;	/* blocks of one allocation each */
	uint8_t *body;			/* decoded, or NULL */
	uint8_t *unfolding;		/* the value lines are being joined to */
	size_t first_used;
	max_align_t first[CFS_RECORD_ARENA_FIRST / sizeof(max_align_t)];
};

/* n bytes aligned for anything, or NULL. */
void *cfs_record_alloc(struct cfs_record_own *own, size_t n);

/* How the bytes of a record are to be cut, found in its header alone. */
struct cfs_record_shape {
	enum cfs_archive_format format;
	size_t skip;			/* line ends before the header */
	size_t head_bytes;		/* ARC: the line; WARC: to the blank line */
	bool has_declared;		/* a usable content length is there */
	uint64_t declared;
};

/*
 * Reads no more than the header.  0; CFS_EFORMAT when no record begins here;
 * CFS_END when the header goes on past the end of `bytes` and more might
 * help; CFS_ELIMIT when it is longer than a header may be.
 */
int cfs_record_measure(struct cfs_slice bytes, struct cfs_record_shape *out,
		       struct cfs_error *err);

/* Line ends at the start of s: CR and LF. */
size_t cfs_record_newlines(struct cfs_slice s);

/*
 * The first place in s where a record's header line begins: at 0 or after a
 * LF.  s.n if there is none.  Lines cut off by the end of s do not count;
 * *from_line (may be NULL) is where the first such line begins.
 */
size_t cfs_record_find_start(struct cfs_slice s, enum cfs_archive_format format,
			     size_t *from_line);

#endif
