/* gzip.c - gzip members in memory, by libdeflate (whole) and zlib (in part).
 *
 * Spec: RFC 1952.  A file is a sequence of members; each has a header (10
 * bytes, then FEXTRA, FNAME, FCOMMENT, FHCRC if the flags say so), deflate
 * data, and a trailer:
 *     4 bytes  CRC-32 of the inflated bytes, little-endian
 *     4 bytes  their number modulo 2^32
 * Both libraries skip all optional header fields and check both trailer fields.
 * Limits: that of the caller's buffer.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gzip.h"

#include <assert.h>
#include <libdeflate.h>
#include <pthread.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/spill.h"

/* Bytes of output that a long member is made in. */
#define LONG_OUT_BYTES ((uInt)64 << 10)

#define PEEK_MAX 65536u
/* The most bytes of input or output of one call of inflate(). */
#define CALL_MAX ((size_t)1 << 30)
/* In the data_type of a z_stream: the last block has just ended. */
#define LAST_BLOCK_ENDS (128 + 64)
/* First guess of a member's inflated size: GUESS_MIN, or this many times that
 * for longer input. */
#define GUESS_RATIO 6u
#define GUESS_MIN 65536u

bool cfs_gz_is_start(struct cfs_slice s)
{
	return s.n >= 4 && s.p[0] == 0x1f && s.p[1] == 0x8b && s.p[2] == 8 &&
	       (s.p[3] & 0xe0) == 0;
}

/* The decompressors of one thread. */
struct tools {
	struct libdeflate_decompressor *whole;
	z_stream z;
	bool has_z;
};

static pthread_key_t tools_key;
static pthread_once_t tools_once = PTHREAD_ONCE_INIT;
static bool have_key;

static void free_tools(void *p)
{
	struct tools *t = p;

	if (t->whole != NULL)
		libdeflate_free_decompressor(t->whole);
	if (t->has_z)
		inflateEnd(&t->z);
	free(t);
}

static void gzip_make_key(void)
{
	have_key = pthread_key_create(&tools_key, free_tools) == 0;
}

/* The decompressors of this thread; NULL if out of memory. */
static struct tools *my_tools(void)
{
	struct tools *t;

	pthread_once(&tools_once, gzip_make_key);
	if (!have_key)
		return NULL;
	t = pthread_getspecific(tools_key);
	if (t != NULL)
		return t;
	t = calloc(1, sizeof(*t));
	if (t == NULL)
		return NULL;
	t->whole = libdeflate_alloc_decompressor();
	t->has_z = inflateInit2(&t->z, CFS_DEFLATE_GZIP) == Z_OK;
	if (t->whole == NULL || !t->has_z ||
	    pthread_setspecific(tools_key, t) != 0) {
		free_tools(t);
		return NULL;
	}
	return t;
}

/* How many bytes to reserve at first. */
static size_t first_guess(struct cfs_slice in, const struct cfs_buf *out,
			  size_t hint)
{
	size_t left = out->max - out->n, want = out->cap - out->n;

	if (hint > 0 && hint / CFS_DEFLATE_RATIO <= in.n && hint <= left)
		return hint;
	if (want < GUESS_MIN)
		want = in.n > GUESS_MIN ? GUESS_MIN * GUESS_RATIO : GUESS_MIN;
	return want < left ? want : left;
}

/* Inflates into the free room of `out`, which may be none. */
static enum libdeflate_result inflate_into(struct tools *t, struct cfs_slice in,
					   struct cfs_buf *out, size_t *used)
{
	uint8_t none;
	size_t got = 0;
	enum libdeflate_result r;

	r = libdeflate_gzip_decompress_ex(t->whole, in.p, in.n,
			out->p == NULL ? &none : out->p + out->n,
			out->cap - out->n, used, &got);
	if (r == LIBDEFLATE_SUCCESS)
		out->n += got;
	return r;
}

int cfs_gz_member(struct cfs_slice in, struct cfs_buf *out, size_t size_hint,
		  size_t *used, struct cfs_error *err)
{
	struct tools *t = my_tools();
	size_t room = first_guess(in, out, size_hint);
	enum libdeflate_result r;

	for (;;) {
		if (t == NULL || cfs_buf_reserve(out, room) != CFS_OK)
			return cfs_error_nomem(err);
		r = inflate_into(t, in, out, used);
		if (r != LIBDEFLATE_INSUFFICIENT_SPACE)
			break;
		if (out->cap >= out->max)
			return cfs_error_set(err, CFS_ELIMIT,
					     "inflates to more than %zu bytes",
					     out->max);
		room = out->cap > (out->max - out->n) / 2 ?
			       out->max - out->n : out->cap * 2;
	}
	return r == LIBDEFLATE_SUCCESS ? CFS_OK :
	       cfs_error_set(err, CFS_EFORMAT, "gzip data is damaged");
}

int cfs_gz_members(struct cfs_slice in, struct cfs_buf *out, struct cfs_ctx ctx)
{
	size_t used = 0;
	int rc;

	do {
		if (cfs_cancelled(ctx.cancel))
			return cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
		rc = cfs_gz_member(in, out, cfs_gz_declared_size(in), &used,
				   ctx.err);
		if (rc == CFS_OK)
			in = cfs_slice_from(in, used);
	} while (rc == CFS_OK && in.n > 0);
	return rc;
}

uint32_t cfs_gz_declared_size(struct cfs_slice member)
{
	return member.n < 4 ? 0 : cfs_le32_get(member.p + member.n - 4);
}

int cfs_inflate(struct cfs_slice *in, enum cfs_deflate kind,
		struct cfs_buf *out, const char **why)
{
	struct tools *t = my_tools();
	bool is_at_checksum = false;
	int zrc = Z_OK;
	size_t used;

	if (kind == CFS_DEFLATE_GZIP && out->spill == NULL &&
	    cfs_gz_member(*in, out, cfs_gz_declared_size(*in), &used, NULL) ==
	    CFS_OK) {
		*in = cfs_slice_from(*in, used);
		return CFS_OK;
	}
	if (t == NULL || inflateReset2(&t->z, (int)kind) != Z_OK)
		return CFS_ENOMEM;
	while (zrc == Z_OK) {
		size_t take = cfs_spill_part(out, in->n < CALL_MAX ? in->n :
								     CALL_MAX);
		size_t room = cfs_spill_room(out);
		int rc = CFS_OK;

		if (room == 0)
			rc = cfs_buf_reserve_some(out, take < 2048 ?
							       4096 : take * 2);
		if (rc != CFS_OK)
			return rc;
		room = cfs_spill_room(out);
		if (room > CALL_MAX)
			room = CALL_MAX;
		t->z.next_in = (z_const Bytef *)(uintptr_t)in->p;
		t->z.avail_in = (uInt)take;
		t->z.next_out = out->p + out->n;
		t->z.avail_out = (uInt)room;
		/* it also returns behind each block, and says which is the
		 * last one */
		zrc = inflate(&t->z, Z_BLOCK);
		is_at_checksum |= (t->z.data_type & LAST_BLOCK_ENDS) ==
				  LAST_BLOCK_ENDS;
		*in = cfs_slice_from(*in, take - t->z.avail_in);
		out->n += room - t->z.avail_out;
		cfs_spill_settle(out);
	}
	*why = t->z.msg != NULL ? t->z.msg : "damaged";
	if (is_at_checksum && zrc == Z_BUF_ERROR)
		*why = NULL;
	switch (zrc) {
	case Z_STREAM_END: return CFS_OK;
	case Z_BUF_ERROR: return CFS_END;
	case Z_MEM_ERROR: return CFS_ENOMEM;
	default: return CFS_EFORMAT;
	}
}

size_t cfs_gz_peek(struct cfs_slice in, void *buf, size_t n)
{
	struct tools *t = my_tools();

	if (t == NULL || inflateReset2(&t->z, CFS_DEFLATE_GZIP) != Z_OK)
		return 0;
	t->z.next_in = (z_const Bytef *)(uintptr_t)in.p;
	t->z.avail_in = in.n > PEEK_MAX ? PEEK_MAX : (uInt)in.n;
	t->z.next_out = buf;
	t->z.avail_out = n > PEEK_MAX ? PEEK_MAX : (uInt)n;
	inflate(&t->z, Z_SYNC_FLUSH);
	return t->z.total_out;
}

int cfs_gz_compress(struct cfs_slice in, struct cfs_buf *out,
		    struct cfs_error *err)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(6);
	size_t n;
	int rc;

	if (c == NULL)
		return cfs_error_nomem(err);
	rc = cfs_buf_reserve(out, libdeflate_gzip_compress_bound(c, in.n));
	if (rc == CFS_OK) {
		n = libdeflate_gzip_compress(c, in.p, in.n, out->p + out->n,
					     out->cap - out->n);
		assert(n > 0);
		out->n += n;
	} else {
		cfs_error_set(err, rc, "no room for %zu bytes", in.n);
	}
	libdeflate_free_compressor(c);
	return rc;
}

/* Compresses the next step; *done at the end of the member. */
static int deflate_step(z_stream *z, bool is_last, struct cfs_buf *out,
			bool *done)
{
	int end = Z_OK;

	do {
		int rc = cfs_buf_reserve(out, LONG_OUT_BYTES);

		if (rc != CFS_OK)
			return rc;
		z->next_out = out->p + out->n;
		z->avail_out = LONG_OUT_BYTES;
		end = deflate(z, is_last ? Z_FINISH : Z_NO_FLUSH);
		out->n += LONG_OUT_BYTES - z->avail_out;
		cfs_spill_settle(out);
	} while (z->avail_out == 0 && end != Z_STREAM_END);
	*done = end == Z_STREAM_END;
	return CFS_OK;
}

int cfs_gz_compress_long(struct cfs_slice in, struct cfs_buf *out,
			 struct cfs_error *err)
{
	z_stream z = { .next_in = NULL };
	bool done = false;
	int rc = CFS_OK;

	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
			 CFS_DEFLATE_GZIP, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return cfs_error_nomem(err);
	while (rc == CFS_OK && !done) {
		struct cfs_slice step = cfs_slice_sub(in, 0, CFS_SPILL_STEP);

		in = cfs_slice_from(in, step.n);
		z.next_in = (Bytef *)(uintptr_t)step.p;
		z.avail_in = (uInt)step.n;
		rc = deflate_step(&z, in.n == 0, out, &done);
		cfs_spill_out(step);
	}
	deflateEnd(&z);
	return rc == CFS_OK ? rc : cfs_error_set(err, rc, "no room for a "
						 "compressed record");
}
