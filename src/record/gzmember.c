/* gzmember.c - gzip members by libdeflate (whole) and zlib (streamed).
 *
 * Spec: RFC 1952.  A file is a row of members; each has a header (10 bytes,
 * then FEXTRA, FNAME, FCOMMENT, FHCRC as the flags say), deflate data, and a
 * trailer:
 *     4 bytes  CRC-32 of the inflated bytes, little-endian
 *     4 bytes  their number modulo 2^32
 * Both libraries step over every optional header field and check both
 * trailer fields.
 * Limits: the caller's, in struct cfs_gz_out; a stream holds 64 KiB.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gzmember.h"

#include <assert.h>
#include <libdeflate.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/buf.h"

#define STREAM_IN 65536u
/* First guess of a member's inflated size, as a multiple of what is given. */
#define GUESS_RATIO 6u
#define GUESS_MIN 65536u

bool cfs_gz_is_start(struct cfs_slice s)
{
	return s.n >= 4 && s.p[0] == 0x1f && s.p[1] == 0x8b && s.p[2] == 8 &&
	       (s.p[3] & 0xe0) == 0;
}

void cfs_gz_out_init(struct cfs_gz_out *o, size_t max_bytes)
{
	*o = (struct cfs_gz_out){ .max = max_bytes };
}

void cfs_gz_out_release(struct cfs_gz_out *o)
{
	free(o->p);
	o->p = NULL;
	o->n = o->cap = 0;
}

int cfs_gz_out_reserve(struct cfs_gz_out *o, size_t more)
{
	size_t cap;
	uint8_t *p;

	if (more <= o->cap - o->n)
		return CFS_OK;
	if (more > o->max - o->n)
		return CFS_ELIMIT;
	cap = o->cap > SIZE_MAX / 2 ? SIZE_MAX : o->cap * 2;
	if (cap < o->n + more)
		cap = o->n + more;
	if (cap > o->max)
		cap = o->max;
	p = realloc(o->p, cap);
	if (p == NULL)
		return CFS_ENOMEM;
	o->p = p;
	o->cap = cap;
	return CFS_OK;
}

/* ---- whole members ---- */

/* What a thread keeps for all its calls. */
struct tools {
	struct libdeflate_decompressor *whole;
	z_stream peek;
	bool can_peek;
};

static pthread_key_t tools_key;
static pthread_once_t tools_once = PTHREAD_ONCE_INIT;
static bool have_key;

static void free_tools(void *p)
{
	struct tools *t = p;

	if (t->whole != NULL)
		libdeflate_free_decompressor(t->whole);
	if (t->can_peek)
		inflateEnd(&t->peek);
	free(t);
}

static void make_key(void)
{
	have_key = pthread_key_create(&tools_key, free_tools) == 0;
}

/* This thread's, or NULL. */
static struct tools *my_tools(void)
{
	struct tools *t;

	pthread_once(&tools_once, make_key);
	if (!have_key)
		return NULL;
	t = pthread_getspecific(tools_key);
	if (t != NULL)
		return t;
	t = calloc(1, sizeof(*t));
	if (t == NULL)
		return NULL;
	t->whole = libdeflate_alloc_decompressor();
	t->can_peek = inflateInit2(&t->peek, 31) == Z_OK;
	if (t->whole == NULL || !t->can_peek ||
	    pthread_setspecific(tools_key, t) != 0) {
		free_tools(t);
		return NULL;
	}
	return t;
}

static size_t first_guess(struct cfs_slice in, const struct cfs_gz_out *o,
			  size_t hint)
{
	size_t left = o->max - o->n, want = hint;

	if (hint == 0) {
		want = o->cap - o->n;	/* what is there already */
		if (want < GUESS_MIN)
			want = in.n > GUESS_MIN ? GUESS_MIN * GUESS_RATIO :
						  GUESS_MIN;
	}
	return want < left ? want : left;
}

int cfs_gz_member(struct cfs_slice in, struct cfs_gz_out *o, size_t size_hint,
		  size_t *used, struct cfs_error *err)
{
	struct tools *t = my_tools();
	size_t room = first_guess(in, o, size_hint), got = 0;
	enum libdeflate_result r;
	int rc;

	if (t == NULL)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	for (;;) {
		rc = cfs_gz_out_reserve(o, room > 0 ? room : 1);
		if (rc == CFS_ELIMIT && room == 0)
			r = LIBDEFLATE_INSUFFICIENT_SPACE;
		else if (rc != CFS_OK)
			return cfs_error_set(err, rc, "out of memory");
		else
			r = libdeflate_gzip_decompress_ex(t->whole, in.p, in.n,
					o->p + o->n, o->cap - o->n, used, &got);
		if (r != LIBDEFLATE_INSUFFICIENT_SPACE)
			break;
		if (o->cap >= o->max)
			return cfs_error_set(err, CFS_ELIMIT,
				"record inflates to more than %zu bytes",
				o->max);
		room = o->cap > (o->max - o->n) / 2 ? o->max - o->n :
						      o->cap * 2;
	}
	if (r != LIBDEFLATE_SUCCESS)
		return cfs_error_set(err, CFS_EFORMAT,
				     "gzip member is damaged");
	o->n += got;
	return CFS_OK;
}

uint32_t cfs_gz_declared_size(struct cfs_slice member)
{
	return member.n < 4 ? 0 : cfs_le32_get(member.p + member.n - 4);
}

size_t cfs_gz_peek(struct cfs_slice in, void *buf, size_t n)
{
	struct tools *t = my_tools();

	if (t == NULL || inflateReset(&t->peek) != Z_OK)
		return 0;
	t->peek.next_in = (z_const Bytef *)(uintptr_t)in.p;
	t->peek.avail_in = in.n > STREAM_IN ? STREAM_IN : (uInt)in.n;
	t->peek.next_out = buf;
	t->peek.avail_out = n > STREAM_IN ? STREAM_IN : (uInt)n;
	inflate(&t->peek, Z_SYNC_FLUSH);
	return t->peek.total_out;
}

/* ---- a stream ---- */

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
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	memset(z, 0, offsetof(struct cfs_gz_stream, in));
	z->src = src;
	z->next = off;
	z->end = end;
	if (inflateInit2(&z->z, 31) != Z_OK) {
		free(z);
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
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
			rc = cfs_error_set(err, CFS_ENOMEM, "out of memory");
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

int cfs_gz_compress(struct cfs_slice in, struct cfs_buf *out,
		    struct cfs_error *err)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(6);
	size_t n;
	int rc;

	if (c == NULL)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
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
