/* span.h - the place of a record.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SOURCE_SPAN_H
#define CFS_SOURCE_SPAN_H

#include <stdint.h>

/* A record's bytes in a file. */
struct cfs_span {
	/* The file, as an index numbers its files; compare all four numbers.
	 * The last one is that of the member in a union. */
	uint64_t file[4];
	uint64_t offset;	/* of the record's first member in the file, or
				 * of an uncompressed record itself */
	uint64_t length;	/* of all its members, in file bytes; 0: one
				 * member, whose length is not known */
	/* If several records share a member: the record's part of the inflated
	 * bytes.  inner_length 0: all of them.  For a SequenceFile the span is
	 * a unit of the file, and inner_offset the number of a pair. */
	uint64_t inner_offset, inner_length;
};

#endif
