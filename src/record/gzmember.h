/* gzmember.h - gzip members: inflate one whole, or a file's members in a stream.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_GZMEMBER_H
#define CFS_RECORD_GZMEMBER_H

#include "base/cancel.h"
#include "base/error.h"
#include "source/source.h"

/* The shortest member there can be: header 10, an empty block 2, trailer 8. */
#define CFS_GZ_MEMBER_MIN 20u
#define CFS_GZ_TRAILER 8u

/* True if the bytes can begin a gzip member (four of them are looked at:
 * magic, method, reserved flags). */
bool cfs_gz_is_start(struct cfs_slice s);

/*
 * Inflated bytes.  Plain malloc memory, never cleared: p is taken over by
 * whoever sets it to NULL.
 */
struct cfs_gz_out {
	uint8_t *p;
	size_t n, cap;
	size_t max;	/* n never exceeds it */
};

void cfs_gz_out_init(struct cfs_gz_out *o, size_t max_bytes);
void cfs_gz_out_release(struct cfs_gz_out *o);
/* Room for `more` bytes after n.  0, CFS_ELIMIT or CFS_ENOMEM. */
int cfs_gz_out_reserve(struct cfs_gz_out *o, size_t more);

/*
 * Inflates the member at the start of `in` and appends it to o; *used is its
 * length.  Fast (libdeflate), and all or nothing: a member that is damaged
 * or goes on past the end of `in` is CFS_EFORMAT.  The CRC is checked.
 * size_hint: how many bytes to expect; 0 if not known.
 * Each thread has a decompressor of its own, freed when it ends.
 * CFS_ELIMIT past o->max; CFS_ENOMEM.
 */
int cfs_gz_member(struct cfs_slice in, struct cfs_gz_out *o, size_t size_hint,
		  size_t *used, struct cfs_error *err);

/* The inflated size that the last four bytes of a member declare, modulo
 * 2^32.  `member` ends where the member ends. */
uint32_t cfs_gz_declared_size(struct cfs_slice member);

/* Inflates up to n bytes of the member at the start of `in`, as far as its
 * bytes go and are good.  Returns how many came out. */
size_t cfs_gz_peek(struct cfs_slice in, void *buf, size_t n);

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
/* After CFS_GZ_MEMBER_END: goes on with the member that follows.
 * CFS_END if there is none (the end, or other bytes). */
int cfs_gz_stream_next(struct cfs_gz_stream *z, const struct cfs_cancel *cancel,
		       struct cfs_error *err);

/* Appends `in` as one gzip member.  CFS_ENOMEM, CFS_ELIMIT. */
struct cfs_buf;
int cfs_gz_compress(struct cfs_slice in, struct cfs_buf *out,
		    struct cfs_error *err);

#endif
