/* member.h - what the members of archives are compressed with: gzip, or zstd,
 * where a member is a frame.  One call each, whichever it is.
 *
 * `dict` is the archive's zstd dictionary; NULL: it has none, or is gzip.
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

/* What begins with these bytes, four of which are looked at: a gzip member, or
 * a zstd frame of either kind. */
enum cfs_coding cfs_coding_of(struct cfs_slice start);
const char *cfs_coding_name(enum cfs_coding c);		/* "gzip", "zstd" */

/* The member at the start of `in`, whole or not at all, is appended to out;
 * *used is its length.  CFS_EFORMAT: that does not do (cfs_gz_member,
 * cfs_zst_member); CFS_ENOMEM. */
int cfs_member_whole(struct cfs_slice in, const struct cfs_zst_dict *dict,
		     struct cfs_buf *out, size_t *used);

/* As far as its bytes go and are good: cfs_inflate, cfs_zst_inflate. */
int cfs_member_inflate(struct cfs_slice *in, const struct cfs_zst_dict *dict,
		       struct cfs_buf *out, char why[CFS_MEMBER_WHY_BYTES]);

/* Appends all the members that `in` begins with, one at least.  0;
 * CFS_EFORMAT for damage, or what is cut off; CFS_ELIMIT, CFS_ENOMEM,
 * CFS_EINTR. */
int cfs_members_inflate(struct cfs_slice in, const struct cfs_zst_dict *dict,
			struct cfs_buf *out, const struct cfs_cancel *cancel,
			struct cfs_error *err);

/* The start of the member that `in` begins with: cfs_gz_peek, cfs_zst_peek. */
size_t cfs_member_peek(struct cfs_slice in, const struct cfs_zst_dict *dict,
		       void *buf, size_t n);

/* Appends `in` as one member of that coding, which is not NONE. */
int cfs_member_compress(enum cfs_coding coding, struct cfs_slice in,
			struct cfs_zst_dict *dict, struct cfs_buf *out,
			struct cfs_error *err);

#endif
