/* gzmember.h - the gzip members of a file, one after the other, in pieces.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_GZMEMBER_H
#define CFS_RECORD_GZMEMBER_H

#include "base/cancel.h"
#include "base/error.h"
#include "source/source.h"

/*
 * A stream of one member at a time, from a source, in constant memory.
 * For members too large for memory, for damaged and for cut-off ones.
 */
struct cfs_gz_stream;

enum cfs_gz_state {
	CFS_GZ_MORE,		/* inside a member */
	CFS_GZ_MEMBER_END,	/* the member ended well; CRC and size agree */
	CFS_GZ_CUT,		/* the source ended inside the member */
	CFS_GZ_BAD,		/* the member is damaged here */
};

/* Starts at the member at file offset `off`; `end` bounds the source. */
int cfs_gz_stream_new(struct cfs_gz_stream **out, struct cfs_source *src,
		      uint64_t off, uint64_t end, struct cfs_error *err);
void cfs_gz_stream_free(struct cfs_gz_stream *z);	/* accepts NULL */

/*
 * Inflates up to n bytes.  *got may be less at any time; 0 with CFS_GZ_MORE
 * never.  On CFS_GZ_BAD `why` of the stream says what is wrong.  Only
 * reading and memory failures return a negative code.
 */
int cfs_gz_stream_read(struct cfs_gz_stream *z, void *buf, size_t n,
		       size_t *got, enum cfs_gz_state *state,
		       const struct cfs_cancel *cancel, struct cfs_error *err);
/* File bytes consumed so far are those before this offset. */
uint64_t cfs_gz_stream_offset(const struct cfs_gz_stream *z);
const char *cfs_gz_stream_why(const struct cfs_gz_stream *z);
/* After CFS_GZ_MEMBER_END: starts on the member that follows.
 * CFS_END if there is none (the end, or other bytes). */
int cfs_gz_stream_next(struct cfs_gz_stream *z, const struct cfs_cancel *cancel,
		       struct cfs_error *err);

#endif
