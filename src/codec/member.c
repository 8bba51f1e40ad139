/* member.c - chooses gzip or zstd by the first bytes of a member (see
 * member.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "member.h"

#include <stdio.h>

enum cfs_coding cfs_coding_of(struct cfs_slice start)
{
	if (cfs_gz_is_start(start))
		return CFS_CODING_GZIP;
	if (cfs_zst_is_frame(start) || cfs_zst_is_skippable(start))
		return CFS_CODING_ZSTD;
	return CFS_CODING_NONE;
}

const char *cfs_coding_name(enum cfs_coding c)
{
	return c == CFS_CODING_ZSTD ? "zstd" : "gzip";
}

int cfs_member_whole(struct cfs_slice in, const struct cfs_zst_dict *dict,
		     struct cfs_buf *out, size_t *used)
{
	int rc = cfs_zst_is_frame(in) ? cfs_zst_member(in, dict, out, used) :
		 cfs_gz_member(in, out, 0, used, NULL);

	return rc == CFS_OK || rc == CFS_ENOMEM ? rc : CFS_EFORMAT;
}

int cfs_member_inflate(struct cfs_slice *in, const struct cfs_zst_dict *dict,
		       struct cfs_buf *out, char why[CFS_MEMBER_WHY_BYTES])
{
	const char *text = "";
	int rc;

	if (!cfs_gz_is_start(*in))
		return cfs_zst_inflate(in, dict, out, why);
	rc = cfs_inflate(in, CFS_DEFLATE_GZIP, out, &text);
	if (rc == CFS_EFORMAT)
		snprintf(why, CFS_MEMBER_WHY_BYTES, "%s", text);
	return rc;
}

int cfs_members_inflate(struct cfs_slice in, const struct cfs_zst_dict *dict,
			struct cfs_buf *out, struct cfs_ctx ctx)
{
	char why[CFS_MEMBER_WHY_BYTES];
	int rc;

	do {
		if (cfs_cancelled(ctx.cancel))
			return cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
		rc = cfs_member_inflate(&in, dict, out, why);
	} while (rc == CFS_OK && cfs_coding_of(in) != CFS_CODING_NONE);
	switch (rc) {
	case CFS_OK: return CFS_OK;
	case CFS_ENOMEM: return cfs_error_nomem(ctx.err);
	case CFS_ELIMIT:
		return cfs_error_set(ctx.err, rc, "inflates to more than %zu bytes",
				     out->max);
	case CFS_END: return cfs_error_set(ctx.err, CFS_EFORMAT, "is cut off");
	default: return cfs_error_set(ctx.err, rc, "%s", why);
	}
}

size_t cfs_member_peek(struct cfs_slice in, const struct cfs_zst_dict *dict,
		       void *buf, size_t n)
{
	return cfs_gz_is_start(in) ? cfs_gz_peek(in, buf, n) :
				     cfs_zst_peek(in, dict, buf, n);
}

int cfs_member_compress(enum cfs_coding coding, struct cfs_slice in,
			struct cfs_zst_dict *dict, struct cfs_buf *out,
			struct cfs_error *err)
{
	return coding == CFS_CODING_ZSTD ?
	       cfs_zst_compress(in, dict, out, err) :
	       cfs_gz_compress(in, out, err);
}

int cfs_member_compress_long(enum cfs_coding coding, struct cfs_slice in,
			     struct cfs_buf *out, struct cfs_error *err)
{
	return coding == CFS_CODING_ZSTD ?
	       cfs_zst_compress_long(in, out, err) :
	       cfs_gz_compress_long(in, out, err);
}
