/* members.c - inflates the members of a file by zlib and libzstd.
 *
 * Spec: RFC 1952 (codec/gzip.c says what a member is), RFC 8878
 * (codec/zstd.c).  zlib skips every optional header field; both libraries check
 * what a trailer holds.  Skippable zstd frames belong to the frame before them;
 * those at the beginning are skipped.
 * Limits: a stream holds 64 KiB of the file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "members.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "codec/gzip.h"
#include "codec/zstd.h"

#define STREAM_IN 65536u
/* First read of a dictionary in a remote file: most are no longer. */
#define DICT_FIRST ((size_t)256 << 10)

struct cfs_member_stream {
	struct cfs_source *src;		/* borrowed */
	uint64_t next, end;		/* range of the file left to read */
	const uint8_t *p;		/* bytes read, not yet used, in `in` */
	size_t n;
	enum cfs_coding coding;		/* NONE: nothing has been read yet */
	enum cfs_member_state state;
	char why[CFS_MEMBER_WHY_BYTES];
	struct cfs_zst_dict *dict;
	ZSTD_DCtx *zst;			/* NULL until coding is ZSTD */
	z_stream z;			/* used if coding is GZIP */
	uint8_t in[STREAM_IN];
};

int cfs_member_stream_new(struct cfs_member_stream **out,
			  struct cfs_source *src, uint64_t off, uint64_t end,
			  struct cfs_zst_dict *dict, struct cfs_error *err)
{
	struct cfs_member_stream *z = malloc(sizeof(*z));

	*out = NULL;
	if (z == NULL)
		return cfs_error_nomem(err);
	memset(z, 0, offsetof(struct cfs_member_stream, in));
	z->src = src;
	z->next = off;
	z->end = end;
	z->dict = cfs_zst_dict_ref(dict);
	*out = z;
	return CFS_OK;
}

void cfs_member_stream_free(struct cfs_member_stream *z)
{
	if (z == NULL)
		return;
	if (z->coding == CFS_CODING_GZIP)
		inflateEnd(&z->z);
	ZSTD_freeDCtx(z->zst);
	cfs_zst_dict_put(z->dict);
	free(z);
}

uint64_t cfs_member_stream_offset(const struct cfs_member_stream *z)
{
	return z->next - z->n;
}

const char *cfs_member_stream_why(const struct cfs_member_stream *z)
{
	return z->why;
}

bool cfs_member_stream_is_zstd(const struct cfs_member_stream *z)
{
	return z->coding == CFS_CODING_ZSTD;
}

/* Moves the unused bytes to the front and reads more behind them. */
static int refill(struct cfs_member_stream *z, struct cfs_ctx ctx)
{
	size_t want = STREAM_IN - z->n, got = 0;
	int rc;

	if (z->n > 0)
		memmove(z->in, z->p, z->n);
	if (want > z->end - z->next)
		want = (size_t)(z->end - z->next);
	rc = want == 0 ? CFS_OK :
	     cfs_source_read_some(z->src, z->in + z->n, want, z->next, &got,
				  ctx);
	if (rc == CFS_OK) {
		z->next += got;
		if (got == 0 && want > 0)	/* the file was truncated */
			z->end = z->next;
	}
	z->p = z->in;
	z->n += got;
	return rc;
}

static void note(struct cfs_member_stream *z, enum cfs_member_state state,
		 const char *why)
{
	z->state = state;
	snprintf(z->why, sizeof(z->why), "%s", why);
}

/* Skips the skippable frames that are next and whole.  all: also one with a
 * dictionary, which does not belong to the frame before it. */
static int pass_skippable(struct cfs_member_stream *z, bool all,
			  struct cfs_ctx ctx)
{
	for (;;) {
		struct cfs_slice s;
		uint64_t n;
		int rc = z->n < CFS_ZST_HEAD_MAX ? refill(z, ctx) :
						   CFS_OK;

		s = cfs_slice_of(z->p, z->n);
		n = cfs_zst_skippable_bytes(s);
		if (rc != CFS_OK || n == 0 || (!all && cfs_zst_is_dict(s)))
			return rc;
		if (n <= z->n) {
			z->p += n;
			z->n -= (size_t)n;
			continue;
		}
		n -= z->n;
		if (n > z->end - z->next)
			return rc;
		z->n = 0;
		z->next += n;
	}
}

/* At the beginning of a frame: checks whether it can be read. */
static void look_at_frame(struct cfs_member_stream *z)
{
	struct cfs_zst_frame f;

	if (cfs_zst_look(cfs_slice_of(z->p, z->n), &f) == CFS_OK &&
	    cfs_zst_is_refused(&f, z->dict, z->why))
		z->state = CFS_MEMBER_BAD;
}

/* At the first member: finds out its coding. */
static int members_begin(struct cfs_member_stream *z, struct cfs_ctx ctx)
{
	int rc = refill(z, ctx);

	if (rc != CFS_OK)
		return rc;
	if (cfs_coding_of(cfs_slice_of(z->p, z->n)) != CFS_CODING_ZSTD) {
		if (inflateInit2(&z->z, 31) != Z_OK)
			return cfs_error_nomem(ctx.err);
		z->coding = CFS_CODING_GZIP;
		return CFS_OK;
	}
	z->zst = cfs_zst_reader_new(z->dict);
	if (z->zst == NULL)
		return cfs_error_nomem(ctx.err);
	z->coding = CFS_CODING_ZSTD;
	rc = pass_skippable(z, true, ctx);
	look_at_frame(z);
	return rc;
}

/* Inflates into at most `room` bytes; sets z->state. */
static int inflate_gzip(struct cfs_member_stream *z, uint8_t *out, size_t room,
			size_t *got, struct cfs_error *err)
{
	int zrc;

	z->z.next_in = (z_const Bytef *)(uintptr_t)z->p;
	z->z.avail_in = (uInt)z->n;
	z->z.next_out = out;
	z->z.avail_out = room > UINT32_MAX ? UINT32_MAX : (uInt)room;
	room = z->z.avail_out;
	zrc = inflate(&z->z, Z_NO_FLUSH);
	*got = room - z->z.avail_out;
	z->p += z->n - z->z.avail_in;
	z->n = z->z.avail_in;
	if (zrc == Z_STREAM_END)
		note(z, CFS_MEMBER_END, "");
	else if (zrc == Z_MEM_ERROR)
		return cfs_error_nomem(err);
	else if (zrc == Z_BUF_ERROR && z->n == 0 && z->next == z->end)
		note(z, CFS_MEMBER_CUT, "ends inside a gzip member");
	else if (zrc != Z_OK && zrc != Z_BUF_ERROR)
		note(z, CFS_MEMBER_BAD, z->z.msg != NULL ? z->z.msg :
		     "damaged deflate data");
	return CFS_OK;
}

static int inflate_zstd(struct cfs_member_stream *z, uint8_t *out, size_t room,
			size_t *got, struct cfs_ctx ctx)
{
	ZSTD_inBuffer i = { z->p, z->n, 0 };
	ZSTD_outBuffer o = { out, room, 0 };
	bool at_end = z->n == 0 && z->next == z->end;
	size_t code = ZSTD_decompressStream(z->zst, &o, &i);

	*got = o.pos;
	z->p += i.pos;
	z->n -= i.pos;
	if (ZSTD_isError(code)) {
		cfs_zst_why(code, z->why);
		z->state = CFS_MEMBER_BAD;
	} else if (code == 0) {
		note(z, CFS_MEMBER_END, "");
		return pass_skippable(z, false, ctx);
	} else if (at_end && o.pos == 0) {
		note(z, CFS_MEMBER_CUT, "ends inside a zstd frame");
	}
	return CFS_OK;
}

int cfs_member_stream_read(struct cfs_member_stream *z, void *buf, size_t n,
			   size_t *got, enum cfs_member_state *state,
			   struct cfs_ctx ctx)
{
	int rc = z->coding == CFS_CODING_NONE ? members_begin(z, ctx) : CFS_OK;

	*got = 0;
	while (rc == CFS_OK && z->state == CFS_MEMBER_MORE && *got == 0 &&
	       n > 0) {
		if (cfs_cancelled(ctx.cancel))
			rc = cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
		else if (z->n == 0)
			rc = refill(z, ctx);
		if (rc == CFS_OK)
			rc = z->coding == CFS_CODING_GZIP ?
			     inflate_gzip(z, buf, n, got, ctx.err) :
			     inflate_zstd(z, buf, n, got, ctx);
	}
	*state = z->state;
	return rc;
}

int cfs_member_stream_next(struct cfs_member_stream *z, struct cfs_ctx ctx)
{
	struct cfs_slice s;
	int rc = CFS_OK;

	assert(z->state == CFS_MEMBER_END);
	if (z->coding == CFS_CODING_ZSTD)
		rc = pass_skippable(z, true, ctx);
	else if (z->n < 4)
		rc = refill(z, ctx);
	if (rc != CFS_OK)
		return rc;
	s = cfs_slice_of(z->p, z->n);
	if (z->coding == CFS_CODING_GZIP ? !cfs_gz_is_start(s) :
					   !cfs_zst_is_frame(s))
		return CFS_END;
	z->state = CFS_MEMBER_MORE;
	if (z->coding == CFS_CODING_GZIP)
		inflateReset(&z->z);
	else
		look_at_frame(z);
	return CFS_OK;
}

int cfs_members_dict(struct cfs_source *src, uint64_t off,
		     struct cfs_zst_dict **out, struct cfs_ctx ctx)
{
	size_t first = src->is_local ? CFS_ZST_SKIP_HEAD : DICT_FIRST, got = 0;
	size_t more = 0, n;
	uint8_t *p = malloc(first), *all;
	int rc;

	*out = NULL;
	if (p == NULL)
		return cfs_error_nomem(ctx.err);
	rc = cfs_source_read_some(src, p, first, off, &got, ctx);
	if (rc != CFS_OK || !cfs_zst_is_dict(cfs_slice_of(p, got)))
		goto out;
	n = (size_t)cfs_zst_skippable_bytes(cfs_slice_of(p, got));
	if (n > CFS_ZST_SKIP_HEAD + CFS_ZST_DICT_MAX) {
		rc = cfs_error_at(ctx.err, CFS_ELIMIT, src->name, off, "a zstd "
				  "dictionary of more than %zu bytes",
				  CFS_ZST_DICT_MAX);
	} else if (n > got) {
		all = realloc(p, n);
		if (all == NULL) {
			rc = cfs_error_nomem(ctx.err);
			goto out;
		}
		p = all;
		rc = cfs_source_read_some(src, p + got, n - got, off + got,
					  &more, ctx);
	}
	if (rc == CFS_OK)
		rc = cfs_zst_dict_new(out,
				      cfs_slice_of(p, n > got + more ?
							      got + more :
							      n),
				      ctx.err);
	cfs_error_where(ctx.err, src->name, off);
out:
	free(p);
	return rc;
}
