/* gzmember.c - the gzip members of a file, one after the other, by zlib.
 *
 * Spec: RFC 1952 (codec/gzip.c says what a member is).  zlib steps over every
 * optional header field and checks both trailer fields.
 * Limits: a stream holds 64 KiB.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gzmember.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "codec/gzip.h"

#define STREAM_IN 65536u

struct cfs_gz_stream {
	struct cfs_source *src;		/* borrowed */
	uint64_t next, end;		/* file bytes not yet read */
	enum cfs_gz_state state;
	char why[64];
	z_stream z;
	uint8_t in[STREAM_IN];
};

int cfs_gz_stream_new(struct cfs_gz_stream **out, struct cfs_source *src,
		      uint64_t off, uint64_t end, struct cfs_error *err)
{
	struct cfs_gz_stream *z = malloc(sizeof(*z));

	*out = NULL;
	if (z == NULL)
		return cfs_error_nomem(err);
	memset(z, 0, offsetof(struct cfs_gz_stream, in));
	z->src = src;
	z->next = off;
	z->end = end;
	if (inflateInit2(&z->z, 31) != Z_OK) {
		free(z);
		return cfs_error_nomem(err);
	}
	*out = z;
	return CFS_OK;
}

void cfs_gz_stream_free(struct cfs_gz_stream *z)
{
	if (z == NULL)
		return;
	inflateEnd(&z->z);
	free(z);
}

uint64_t cfs_gz_stream_offset(const struct cfs_gz_stream *z)
{
	return z->next - z->z.avail_in;
}

const char *cfs_gz_stream_why(const struct cfs_gz_stream *z)
{
	return z->why;
}

/* Moves what is left to the front and fills up behind it. */
static int refill(struct cfs_gz_stream *z, const struct cfs_cancel *cancel,
		  struct cfs_error *err)
{
	size_t have = z->z.avail_in, want = STREAM_IN - have, got = 0;
	int rc;

	if (have > 0)
		memmove(z->in, z->z.next_in, have);
	if (want > z->end - z->next)
		want = (size_t)(z->end - z->next);
	rc = want == 0 ? CFS_OK :
	     cfs_source_read_some(z->src, z->in + have, want, z->next, &got,
				  cancel, err);
	if (rc == CFS_OK) {
		z->next += got;
		if (got < want)		/* the file has become shorter */
			z->end = z->next;
	}
	z->z.next_in = z->in;
	z->z.avail_in = (uInt)(have + got);
	return rc;
}

static void note(struct cfs_gz_stream *z, enum cfs_gz_state state,
		 const char *why)
{
	z->state = state;
	snprintf(z->why, sizeof(z->why), "%s", why);
}

int cfs_gz_stream_read(struct cfs_gz_stream *z, void *buf, size_t n,
		       size_t *got, enum cfs_gz_state *state,
		       const struct cfs_cancel *cancel, struct cfs_error *err)
{
	int rc = CFS_OK, zrc;

	z->z.next_out = buf;
	z->z.avail_out = n > UINT32_MAX ? UINT32_MAX : (uInt)n;
	n = z->z.avail_out;
	while (z->state == CFS_GZ_MORE && z->z.avail_out == n && n > 0) {
		if (cfs_cancelled(cancel)) {
			rc = cfs_error_set(err, CFS_EINTR, "interrupted");
			break;
		}
		if (z->z.avail_in == 0 &&
		    (rc = refill(z, cancel, err)) != CFS_OK)
			break;
		zrc = inflate(&z->z, Z_NO_FLUSH);
		if (zrc == Z_STREAM_END)
			note(z, CFS_GZ_MEMBER_END, "");
		else if (zrc == Z_MEM_ERROR)
			rc = cfs_error_nomem(err);
		else if (zrc == Z_BUF_ERROR && z->z.avail_in == 0 &&
			 z->next == z->end)
			note(z, CFS_GZ_CUT, "ends inside a gzip member");
		else if (zrc != Z_OK && zrc != Z_BUF_ERROR)
			note(z, CFS_GZ_BAD, z->z.msg != NULL ? z->z.msg :
			     "damaged deflate data");
		if (rc != CFS_OK)
			break;
	}
	*got = n - z->z.avail_out;
	*state = z->state;
	return rc;
}

int cfs_gz_stream_next(struct cfs_gz_stream *z, const struct cfs_cancel *cancel,
		       struct cfs_error *err)
{
	int rc = CFS_OK;

	assert(z->state == CFS_GZ_MEMBER_END);
	if (z->z.avail_in < 4)
		rc = refill(z, cancel, err);
	if (rc != CFS_OK)
		return rc;
	if (!cfs_gz_is_start(cfs_slice_of(z->z.next_in, z->z.avail_in)))
		return CFS_END;
	inflateReset(&z->z);
	z->state = CFS_GZ_MORE;
	return CFS_OK;
}
