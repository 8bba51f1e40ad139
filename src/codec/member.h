/* member.h - inflates and makes members of archives, for both compression
 * formats: gzip, and zstd, where a member is a frame.
 *
 * `dict` is the archive's zstd dictionary; NULL if it has none, or is gzip.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CODEC_MEMBER_H
#define CFS_CODEC_MEMBER_H

#include "base/cancel.h"
#include "gzip.h"
#include "zstd.h"

enum cfs_coding { CFS_CODING_NONE, CFS_CODING_GZIP, CFS_CODING_ZSTD };

/* The shortest member that can hold a record. */
#define CFS_MEMBER_MIN CFS_GZ_MEMBER_MIN
#define CFS_MEMBER_WHY_BYTES CFS_ZST_WHY_BYTES

/* The coding by the first four bytes: those of a gzip member, or of a zstd
 * frame, also a skippable one. */
enum cfs_coding cfs_coding_of(struct cfs_slice start);
const char *cfs_coding_name(enum cfs_coding c);		/* "gzip", "zstd" */

/* Inflates the whole member at the start of `in` and appends it to out; *used
 * is its length.  CFS_EFORMAT if that fails, also for lack of room
 * (cfs_gz_member, cfs_zst_member); nothing is then appended.  CFS_ENOMEM. */
int cfs_member_whole(struct cfs_slice in, const struct cfs_zst_dict *dict,
		     struct cfs_buf *out, size_t *used);

/* Inflates the member at the start of *in as far as it is complete and
 * undamaged: see cfs_inflate, cfs_zst_inflate. */
int cfs_member_inflate(struct cfs_slice *in, const struct cfs_zst_dict *dict,
		       struct cfs_buf *out, char why[CFS_MEMBER_WHY_BYTES]);

/* Inflates and appends all members at the start of `in`, at least one.  0;
 * CFS_EFORMAT if one is damaged or truncated; CFS_ELIMIT, CFS_ENOMEM,
 * CFS_EINTR. */
int cfs_members_inflate(struct cfs_slice in, const struct cfs_zst_dict *dict,
			struct cfs_buf *out, struct cfs_ctx ctx);

/* Inflates the first bytes of the member at the start of `in`: see cfs_gz_peek,
 * cfs_zst_peek. */
size_t cfs_member_peek(struct cfs_slice in, const struct cfs_zst_dict *dict,
		       void *buf, size_t n);

/* As cfs_gz_compress_long. */
int cfs_member_compress_long(enum cfs_coding coding, struct cfs_slice in,
			     struct cfs_buf *out, struct cfs_error *err);

/* Compresses `in` and appends it as one member.  coding must not be NONE. */
int cfs_member_compress(enum cfs_coding coding, struct cfs_slice in,
			struct cfs_zst_dict *dict, struct cfs_buf *out,
			struct cfs_error *err);

#endif
