/* gzip.h - inflates and makes gzip members in memory.
 *
 * For members of a file, in constant memory, see record/members.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CODEC_GZIP_H
#define CFS_CODEC_GZIP_H

#include "base/buf.h"
#include "base/cancel.h"
#include "base/error.h"

/* The shortest possible member: header 10, an empty block 2, trailer 8. */
#define CFS_GZ_MEMBER_MIN 20u
/* The highest compression ratio of deflate. */
#define CFS_DEFLATE_RATIO 1032u

/* True if the bytes can begin a gzip member; checks four of them: magic,
 * method, reserved flags. */
bool cfs_gz_is_start(struct cfs_slice s);

/*
 * Inflates the member at the start of `in` and appends it to out; *used is
 * its length.  Fast (libdeflate), and all or nothing: CFS_EFORMAT if the member
 * is damaged or continues past the end of `in`.  The CRC is checked.
 * size_hint: the expected inflated size; 0 if unknown.  A hint that exceeds the
 * ratio of deflate is ignored.
 * Each thread has its own decompressor, freed when the thread ends.
 * CFS_ELIMIT past out->max, without making out fail; CFS_ENOMEM.
 */
int cfs_gz_member(struct cfs_slice in, struct cfs_buf *out, size_t size_hint,
		  size_t *used, struct cfs_error *err);

/* Inflates and appends all members of `in`, which consists of one or more.
 * Codes as cfs_gz_member, or CFS_EINTR; members appended before a failure
 * stay. */
int cfs_gz_members(struct cfs_slice in, struct cfs_buf *out,
		   struct cfs_ctx ctx);

/* The wrappers of deflate data, as zlib's windowBits. */
enum cfs_deflate {
	CFS_DEFLATE_RAW = -15,
	CFS_DEFLATE_ZLIB = 15,
	CFS_DEFLATE_GZIP = 31,
};

/*
 * Inflates the stream at the start of *in, as far as it is complete and
 * undamaged, and appends the result to out.  *in is advanced past the bytes
 * that were used.
 * 0 at its end; CFS_END if it is truncated, and *why is then NULL if nothing
 * but its checksum is missing, or the end of that; CFS_EFORMAT if it is
 * damaged, with the reason in *why (a constant); CFS_ELIMIT past out->max;
 * CFS_ENOMEM.
 */
int cfs_inflate(struct cfs_slice *in, enum cfs_deflate kind,
		struct cfs_buf *out, const char **why);

/* The inflated size modulo 2^32, from the last four bytes of `member`, which
 * must end where the member ends. */
uint32_t cfs_gz_declared_size(struct cfs_slice member);

/* Inflates the first bytes, up to n, of the member at the start of `in`, as far
 * as it is complete and undamaged; at most 64 KiB of input and output.  Returns
 * how many bytes; 0 if it is not a gzip member. */
size_t cfs_gz_peek(struct cfs_slice in, void *buf, size_t n);

/* Compresses `in` and appends it as one gzip member.  0, CFS_ENOMEM or
 * CFS_ELIMIT. */
int cfs_gz_compress(struct cfs_slice in, struct cfs_buf *out,
		    struct cfs_error *err);

/* The same in constant memory, somewhat slower: for bytes in a spilled buffer,
 * whose pages are released behind the compressor.  Also CFS_EIO, if out is
 * spilled. */
int cfs_gz_compress_long(struct cfs_slice in, struct cfs_buf *out,
			 struct cfs_error *err);

#endif
