/* span.h - where a record lies.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SOURCE_SPAN_H
#define CFS_SOURCE_SPAN_H

#include <stdint.h>

/* A record's bytes in a file. */
struct cfs_span {
	/* The file, as an index numbers its files; compare whole.  The last
	 * number is the member's of a union. */
	uint64_t file[4];
	uint64_t offset;	/* of the record's first member (or of the
				 * record itself, uncompressed), in file
				 * bytes */
	uint64_t length;	/* of all its members, in file bytes; 0: not
				 * known, and it has one member */
	/* When several records share a member: the record's part of the
	 * inflated span.  inner_length 0: the whole span is the record.  Of a
	 * SequenceFile: the span is a unit, inner_offset the pair's number. */
	uint64_t inner_offset, inner_length;
};

#endif
