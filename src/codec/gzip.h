/* gzip.h - gzip members in memory: inflates them whole, and makes them.
 *
 * Members of a file, in constant memory: record/members.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CODEC_GZIP_H
#define CFS_CODEC_GZIP_H

#include "base/buf.h"
#include "base/cancel.h"
#include "base/error.h"

/* The shortest member there can be: header 10, an empty block 2, trailer 8. */
#define CFS_GZ_MEMBER_MIN 20u
#define CFS_GZ_TRAILER 8u
/* No deflate data inflates to more than so many times its bytes. */
#define CFS_DEFLATE_RATIO 1032u

/* True if the bytes can begin a gzip member (four of them are looked at:
 * magic, method, reserved flags). */
bool cfs_gz_is_start(struct cfs_slice s);

/*
 * Inflates the member at the start of `in` and appends it to out; *used is
 * its length.  Fast (libdeflate), and all or nothing: a member that is damaged
 * or goes on past the end of `in` is CFS_EFORMAT.  The CRC is checked.
 * size_hint: how many bytes to expect; 0, or what deflate cannot do: not known.
 * Each thread has a decompressor of its own, freed when it ends.
 * CFS_ELIMIT past out->max, which does not make out fail; CFS_ENOMEM.
 */
int cfs_gz_member(struct cfs_slice in, struct cfs_buf *out, size_t size_hint,
		  size_t *used, struct cfs_error *err);

/* Appends all the members that `in` consists of, one at least.  Codes as
 * cfs_gz_member, or CFS_EINTR; what was appended before a failure stays. */
int cfs_gz_members(struct cfs_slice in, struct cfs_buf *out,
		   const struct cfs_cancel *cancel, struct cfs_error *err);

/* What deflate data is wrapped in, in zlib's numbers. */
enum cfs_deflate {
	CFS_DEFLATE_RAW = -15,
	CFS_DEFLATE_ZLIB = 15,
	CFS_DEFLATE_GZIP = 31,
};

/*
 * Inflates the stream at the start of *in, which is cut to what follows, and
 * appends what it holds to out, as far as its bytes go and are good.
 * 0 at its end; CFS_END: it is cut off; CFS_EFORMAT: it is damaged, *why (a
 * constant) says how; CFS_ELIMIT past out->max; CFS_ENOMEM.
 */
int cfs_inflate(struct cfs_slice *in, enum cfs_deflate kind,
		struct cfs_buf *out, const char **why);

/* The inflated size that the last four bytes of a member declare, modulo
 * 2^32.  `member` ends where the member ends. */
uint32_t cfs_gz_declared_size(struct cfs_slice member);

/* Inflates up to n bytes of the member at the start of `in`, as far as its
 * bytes go and are good; at most 64 KiB in and out.  Returns how many came
 * out; 0 for what is not a gzip member. */
size_t cfs_gz_peek(struct cfs_slice in, void *buf, size_t n);

/* Appends `in` as one gzip member.  CFS_ENOMEM, CFS_ELIMIT. */
int cfs_gz_compress(struct cfs_slice in, struct cfs_buf *out,
		    struct cfs_error *err);

#endif
