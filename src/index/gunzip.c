/* gunzip.c - gzip members in memory (see gunzip.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gunzip.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <zlib.h>

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
