/* gunzip.c - gzip members in memory (see gunzip.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gunzip.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <zlib.h>

#define PIECE_BYTES ((size_t)256 << 10)
#define MEMBER_MIN 18u		/* header and trailer */
/* No deflate stream expands more than this. */
#define RATIO_MAX 1032u

/* Inflates one member to the end of *out, making room as it is needed.
 * hint: bytes it probably has. */
static int one_member(struct libdeflate_decompressor *z, struct cfs_slice *in,
		      size_t hint, size_t max, uint8_t **out, size_t *n,
		      size_t *cap)
{
	enum libdeflate_result result = LIBDEFLATE_INSUFFICIENT_SPACE;
	size_t used = 0, got = 0, room = hint + 1;

	while (result == LIBDEFLATE_INSUFFICIENT_SPACE) {
		if (room > max - *n)
			room = max - *n;
		if (*cap - *n < room || *out == NULL) {
			uint8_t *p = realloc(*out, *n + room + 1);

			if (p == NULL)
				return CFS_ENOMEM;
			*out = p;
			*cap = *n + room;
		}
		result = libdeflate_gzip_decompress_ex(z, in->p, in->n,
				*out + *n, *cap - *n, &used, &got);
		if (result == LIBDEFLATE_INSUFFICIENT_SPACE &&
		    *cap - *n >= max - *n)
			return CFS_ELIMIT;
		room = 2 * (*cap - *n);
	}
	if (result != LIBDEFLATE_SUCCESS)
		return CFS_EFORMAT;
	*n += got;
	*in = cfs_slice_from(*in, used);
	return CFS_OK;
}

/* What the last four bytes say, if deflate can do that. */
static size_t declared_size(struct cfs_slice in)
{
	size_t n = in.n < MEMBER_MIN ? 0 : cfs_le32_get(in.p + in.n - 4);

	return n / RATIO_MAX <= in.n ? n : 4 * in.n;
}

int cfs_gunzip(struct cfs_slice in, size_t max, uint8_t **out, size_t *n,
	       struct cfs_error *err)
{
	struct libdeflate_decompressor *z = libdeflate_alloc_decompressor();
	size_t cap = 0;
	int rc = z == NULL ? CFS_ENOMEM : CFS_OK;

	*out = NULL;
	*n = 0;
	if (rc == CFS_OK && in.n == 0)
		rc = CFS_EFORMAT;
	while (rc == CFS_OK && in.n > 0)
		rc = one_member(z, &in, declared_size(in), max, out, n, &cap);
	if (z != NULL)
		libdeflate_free_decompressor(z);
	if (rc == CFS_OK)
		return CFS_OK;
	free(*out);
	*out = NULL;
	return cfs_error_set(err, rc, rc == CFS_ENOMEM ? "out of memory" :
			     rc == CFS_ELIMIT ? "inflates to more than %zu bytes"
			     : "gzip data is damaged", max);
}

size_t cfs_gunzip_peek(struct cfs_slice in, void *buf, size_t n)
{
	z_stream z = { .next_in = (uint8_t *)(uintptr_t)in.p,
		       .avail_in = (uInt)in.n, .next_out = buf,
		       .avail_out = (uInt)n };

	if (in.n < 3 || in.p[0] != 0x1f || in.p[1] != 0x8b ||
	    inflateInit2(&z, 16 + MAX_WBITS) != Z_OK)
		return 0;
	(void)inflate(&z, Z_SYNC_FLUSH);
	inflateEnd(&z);
	return n - z.avail_out;
}

/* A file on its way through inflate. */
struct stream {
	struct cfs_source *src;
	z_stream z;
	uint64_t off;		/* of the file: read so far */
	bool inside;		/* a member has begun and not ended */
	uint8_t in[PIECE_BYTES], out[PIECE_BYTES];
};

static int fill(struct stream *s, const struct cfs_cancel *cancel,
		struct cfs_error *err)
{
	size_t got;
	int rc;

	if (s->z.avail_in > 0)
		return CFS_OK;
	if (cfs_cancelled(cancel))
		return cfs_error_set(err, CFS_EINTR, "interrupted");
	rc = cfs_source_read_some(s->src, s->in, sizeof(s->in), s->off, &got,
				  cancel, err);
	if (rc != CFS_OK)
		return rc;
	if (got == 0)
		return !s->inside ? CFS_END :
		       cfs_error_at(err, CFS_EFORMAT, s->src->name, s->off,
				    "ends inside a gzip member");
	s->off += got;
	s->z.next_in = s->in;
	s->z.avail_in = (uInt)got;
	return CFS_OK;
}

static int step(struct stream *s, struct cfs_slice *piece,
		struct cfs_error *err)
{
	int z;

	if (!s->inside)
		inflateReset(&s->z);
	s->inside = true;
	s->z.next_out = s->out;
	s->z.avail_out = sizeof(s->out);
	z = inflate(&s->z, Z_NO_FLUSH);
	*piece = cfs_slice_of(s->out, sizeof(s->out) - s->z.avail_out);
	if (z == Z_STREAM_END)
		s->inside = false;
	else if (z != Z_OK && z != Z_BUF_ERROR)
		return cfs_error_at(err, z == Z_MEM_ERROR ? CFS_ENOMEM :
				    CFS_EFORMAT, s->src->name,
				    s->off - s->z.avail_in,
				    "gzip data is damaged");
	return CFS_OK;
}

int cfs_gunzip_source(struct cfs_source *src, cfs_gunzip_take *take, void *arg,
		      const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct stream *s = calloc(1, sizeof(*s));
	struct cfs_slice piece;
	int rc = CFS_OK;

	if (s == NULL || inflateInit2(&s->z, 16 + MAX_WBITS) != Z_OK) {
		free(s);
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	}
	s->src = src;
	while (rc == CFS_OK) {
		rc = fill(s, cancel, err);
		if (rc == CFS_OK)
			rc = step(s, &piece, err);
		if (rc == CFS_OK && piece.n > 0)
			rc = take(arg, piece, s->off - s->z.avail_in);
	}
	inflateEnd(&s->z);
	free(s);
	return rc == CFS_END ? CFS_OK : rc;
}
