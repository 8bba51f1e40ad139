/* members.h - inflates the members of a file one after the other, in steps, and
 * reads the dictionary at its start.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_MEMBERS_H
#define CFS_RECORD_MEMBERS_H

#include "base/cancel.h"
#include "base/error.h"
#include "codec/member.h"
#include "source/source.h"

/*
 * A stream inflates one member at a time, gzip or zstd, from a source, in
 * constant memory: 100 KiB, or for zstd as much as the frame demands (at most
 * CFS_ZST_WINDOW_MAX).  It serves for members that are too large for memory,
 * damaged, or cut off.
 */
struct cfs_member_stream;

enum cfs_member_state {
	CFS_MEMBER_MORE,	/* inside a member */
	CFS_MEMBER_END,		/* the member ended well; checksums agree */
	CFS_MEMBER_CUT,		/* the source ended inside the member */
	CFS_MEMBER_BAD,		/* the member is damaged here */
};

/* Starts at the member at file offset `off`; `end` is where the source is taken
 * to end.  dict: as in codec/member.h; the stream takes its own reference. */
int cfs_member_stream_new(struct cfs_member_stream **out,
			  struct cfs_source *src, uint64_t off, uint64_t end,
			  struct cfs_zst_dict *dict, struct cfs_error *err);
void cfs_member_stream_free(struct cfs_member_stream *z); /* accepts NULL */

/*
 * Inflates up to n bytes.  *got may be less at any time, but not 0 with
 * CFS_MEMBER_MORE.  With CFS_MEMBER_BAD the stream's `why` says what is wrong.
 * Only failures to read and of memory give a negative code.
 */
int cfs_member_stream_read(struct cfs_member_stream *z, void *buf, size_t n,
			   size_t *got, enum cfs_member_state *state,
			   struct cfs_ctx ctx);
/* The file offset behind the bytes consumed so far; after a zstd frame also
 * behind the skippable frames that follow it. */
uint64_t cfs_member_stream_offset(const struct cfs_member_stream *z);
const char *cfs_member_stream_why(const struct cfs_member_stream *z);
bool cfs_member_stream_is_zstd(const struct cfs_member_stream *z);
/* After CFS_MEMBER_END: goes to the member that follows.  CFS_END if none
 * follows (the file ends, or has other bytes there). */
int cfs_member_stream_next(struct cfs_member_stream *z, struct cfs_ctx ctx);

/*
 * Reads the dictionary in the skippable frame at file offset `off`; the caller
 * puts it.  *out is NULL if there is no such frame, by its first four bytes.
 * CFS_EFORMAT and CFS_ELIMIT as cfs_zst_dict_new; failures to read.
 */
int cfs_members_dict(struct cfs_source *src, uint64_t off,
		     struct cfs_zst_dict **out, struct cfs_ctx ctx);

#endif
