/* inflate_steps.c - reads a file from front to back in steps.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "inflate_steps.h"

#include "members.h"

/* Bytes first read, to learn how the file is compressed: of a server, whose
 * first answer a stream keeps, more than that takes. */
#define START_BYTES 16384u

/* At a member's end goes on to the next one, CFS_END: there is none.
 * CFS_EFORMAT if the file ends inside a member, or is damaged. */
static int end_member(struct cfs_member_stream *z, enum cfs_member_state state,
		      const struct cfs_source *src, struct cfs_ctx ctx)
{
	const char *name = cfs_member_stream_is_zstd(z) ? "zstd" : "gzip";
	int rc = CFS_END;

	if (state == CFS_MEMBER_END)
		rc = cfs_member_stream_next(z, ctx);
	if (rc != CFS_END ||
	    (state == CFS_MEMBER_END &&
	     cfs_member_stream_offset(z) >= src->size))
		return rc;
	if (state == CFS_MEMBER_CUT)
		return cfs_error_at(ctx.err, CFS_EFORMAT, src->name,
				    cfs_member_stream_offset(z),
				    "ends inside its %s data", name);
	return cfs_error_at(ctx.err, CFS_EFORMAT, src->name,
			    cfs_member_stream_offset(z),
			    "%s data is damaged", name);
}

static int inflate_all(struct cfs_source *src,
		       const struct cfs_inflate_steps *p, struct cfs_error *err)
{
	struct cfs_buf *b = p->into;
	struct cfs_member_stream *z;
	enum cfs_member_state state;
	size_t got;
	int rc = cfs_member_stream_new(&z, src, 0, src->size, NULL, err);

	while (rc == CFS_OK) {
		if (cfs_buf_reserve(b, CFS_INFLATE_STEP_BYTES) != CFS_OK) {
			rc = cfs_error_nomem(err);
			break;
		}
		rc = cfs_member_stream_read(z, b->p + b->n,
					    CFS_INFLATE_STEP_BYTES, &got,
					    &state, CFS_CTX(p->cancel, err));
		if (rc == CFS_OK && got > 0) {
			b->n += got;
			rc = p->take(p->arg, cfs_member_stream_offset(z));
		}
		if (rc == CFS_OK && state != CFS_MEMBER_MORE)
			rc = end_member(z, state, src, CFS_CTX(p->cancel, err));
	}
	cfs_member_stream_free(z);
	return rc == CFS_END ? CFS_OK : rc;
}

static int read_all(struct cfs_source *src, const struct cfs_inflate_steps *p,
		    struct cfs_error *err)
{
	struct cfs_buf *b = p->into;
	int rc = CFS_OK;

	for (uint64_t off = 0; rc == CFS_OK && off < src->size;) {
		size_t got = 0;

		if (cfs_cancelled(p->cancel))
			return cfs_error_set(err, CFS_EINTR, "interrupted");
		if (cfs_buf_reserve(b, CFS_INFLATE_STEP_BYTES) != CFS_OK)
			return cfs_error_nomem(err);
		rc = cfs_source_read_some(src, b->p + b->n,
					  CFS_INFLATE_STEP_BYTES, off, &got,
					  CFS_CTX(p->cancel, err));
		if (rc != CFS_OK || got == 0)
			break;
		b->n += got;
		off += got;
		rc = p->take(p->arg, off);
	}
	return rc;
}

int cfs_inflate_steps_read(struct cfs_source *src,
			   const struct cfs_inflate_steps *p,
			   struct cfs_error *err)
{
	uint8_t start[START_BYTES];
	size_t got = 0;
	int rc = cfs_source_find_size(src, CFS_CTX(p->cancel, err));

	if (rc == CFS_OK)
		rc = cfs_source_read_some(src, start, sizeof(start), 0, &got,
					  CFS_CTX(p->cancel, err));
	if (rc != CFS_OK)
		return rc;
	return cfs_coding_of(cfs_slice_of(start, got)) == CFS_CODING_NONE ?
		       read_all(src, p, err) :
		       inflate_all(src, p, err);
}
