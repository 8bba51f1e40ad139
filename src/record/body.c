/* body.c - undoes transfer and content encodings that the bytes really have.
 *
 * Spec: RFC 9112 section 7.1 (chunked), RFC 9110 section 8.4 (gzip, deflate,
 * br), RFC 1950 to 1952, RFC 7932, RFC 8878 and 9659 (zstd).
 *     chunked = *(size-hex [";" ext] CRLF data CRLF) "0" CRLF ... CRLF
 * Crawlers decode bodies and keep the head (doc/formats.md, "HTTP bodies"), so
 * a declared encoding is undone only if the bytes have it:
 *     chunked   the first size line is valid and its chunk is complete, with
 *               its CRLF or the end of the bytes; or the chunk is cut off: it
 *               declares more bytes than there are
 *     gzip      the magic, and some output, or an early end
 *     deflate   a zlib header, and some output; or raw deflate data that ends
 *               well at the end of the bytes
 *     br        ends well at the end of the bytes; brotli has no magic, so a
 *               stream that ends early is believed only if the bytes do not
 *               look like text
 *     zstd      as gzip
 * Bytes behind a gzip, zlib or zstd stream are ignored.  Raw deflate and brotli
 * are proved by their end: behind it there may only be strays (line ends,
 * blanks, NULs, a last chunk), and only if the bytes do not look like text.
 * An encoding that begins well and then ends early or is corrupt gives what
 * could be decoded.  A gzip or zlib stream that only lacks its checksum, or the
 * end of that, is whole: that of gzip need not be looked at (RFC 1952, section
 * 2.3.1.2), and browsers miss neither.  One that is there and wrong is damage.
 * Several encodings are undone from the last to the first, each if the bytes
 * have it.
 * Limits: the caller's bytes; ENCODINGS_MAX names.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "body.h"

#include <brotli/decode.h>
#include <string.h>

#include "base/ascii.h"
#include "base/spill.h"
#include "codec/member.h"
#include "codec/zstd.h"
#include "record.h"

/* Two occur; a longer list is an attempt to cause work. */
#define ENCODINGS_MAX 4

enum encoding { ENC_NONE, ENC_CHUNKED, ENC_GZIP, ENC_DEFLATE, ENC_BROTLI,
		ENC_ZSTD };

/* The result of trying one encoding, besides failures (negative). */
enum coding_verdict {
	NOT_SO,		/* the bytes do not have it */
	DECODED,
	UNCHECKED,	/* decoded; but there is no checksum */
	BROKEN,		/* partly decoded */
};

static enum encoding encoding_of(struct cfs_slice name)
{
	static const struct {
		const char *name;
		enum encoding enc;
	} names[] = {
		{ "chunked", ENC_CHUNKED }, { "gzip", ENC_GZIP },
		{ "x-gzip", ENC_GZIP }, { "deflate", ENC_DEFLATE },
		{ "br", ENC_BROTLI }, { "zstd", ENC_ZSTD },
	};

	name = cfs_slice_trim(name);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (cfs_slice_eq_nocase(name, cfs_slice_str(names[i].name)))
			return names[i].enc;
	return ENC_NONE;
}

/* Appends the encodings listed in all fields of that name, in order. */
static size_t list_encodings(const struct cfs_fields *http, const char *name,
			     enum encoding out[ENCODINGS_MAX], size_t n)
{
	for (size_t i = 0; i < http->n; i++) {
		struct cfs_slice v = http->v[i].value;

		if (!cfs_slice_eq_nocase(http->v[i].name, cfs_slice_str(name)))
			continue;
		while (v.n > 0 && n < ENCODINGS_MAX) {
			out[n] = encoding_of(cfs_slice_split(&v, ','));
			if (out[n] != ENC_NONE)
				n++;
		}
	}
	return n;
}

/* Lists all encodings in the order in which they were applied. */
static size_t encodings(const struct cfs_fields *http,
			enum encoding out[ENCODINGS_MAX])
{
	size_t n = list_encodings(http, "Content-Encoding", out, 0);

	return list_encodings(http, "Transfer-Encoding", out, n);
}

/* ---- chunked ---- */

/* Takes a size line.  False if there is none. */
static bool take_size(struct cfs_slice *in, uint64_t *size)
{
	ptrdiff_t lf = cfs_slice_find(cfs_slice_sub(*in, 0, 4096), '\n');
	struct cfs_slice line;
	size_t i = 0;

	if (lf < 2 || in->p[lf - 1] != '\r')
		return false;
	line = cfs_slice_sub(*in, 0, (size_t)lf - 1);
	for (*size = 0; i < line.n && cfs_is_xdigit(line.p[i]); i++) {
		if (i == 15)
			return false;
		*size = *size << 4 | (uint64_t)cfs_xdigit_value(line.p[i]);
	}
	if (i == 0)
		return false;
	i += cfs_slice_run(cfs_slice_from(line, i), cfs_is_blank);
	if (i < line.n && line.p[i] != ';')
		return false;
	*in = cfs_slice_from(*in, (size_t)lf + 1);
	return true;
}

/* Takes a chunk's data, as far as the bytes go, and its line end.  False if
 * either is incomplete. */
static bool take_chunk(struct cfs_slice *in, uint64_t size,
		       struct cfs_slice *data)
{
	bool whole = size <= in->n;

	*data = cfs_slice_sub(*in, 0, whole ? (size_t)size : in->n);
	*in = cfs_slice_from(*in, data->n);
	if (!whole || !cfs_slice_starts(*in, CFS_SLICE_LIT("\r\n")))
		return false;
	*in = cfs_slice_from(*in, 2);
	return true;
}

/* True if the first bytes are all printable or blank. */
static bool looks_like_text(struct cfs_slice s)
{
	s = cfs_slice_sub(s, 0, 64);
	for (size_t i = 0; i < s.n; i++)
		if ((s.p[i] < 0x20 && s.p[i] != '\t' && s.p[i] != '\n' &&
		     s.p[i] != '\r') || s.p[i] == 0x7f)
			return false;
	return true;
}

/* True if a first line and what follows it may be a chunk of more bytes than
 * there are.  A word such as "add" may begin a text, too. */
static bool may_be_cut_chunk(struct cfs_slice line, struct cfs_slice data)
{
	for (size_t i = 0; i < line.n && cfs_is_xdigit(line.p[i]); i++)
		if (cfs_is_digit(line.p[i]))
			return data.n > 0;
	return data.n > 0 && (!looks_like_text(data) ||
			      memchr("<{[", data.p[0], 3) != NULL);
}

static int unchunk(struct cfs_slice in, bool is_cut, struct cfs_buf *out)
{
	struct cfs_slice data, first = in;
	uint64_t size;
	bool whole;

	if (!take_size(&first, &size))
		return NOT_SO;
	whole = size == 0 || take_chunk(&first, size, &data);
	if (!whole && data.n == size)	/* the cut may be in its line end */
		whole = first.n == 0 || (first.n == 1 && first.p[0] == '\r');
	if (!whole && (data.n == size ||
		       !(is_cut || may_be_cut_chunk(in, data))))
		return NOT_SO;
	if (cfs_buf_reserve(out, in.n) != CFS_OK)
		return out->failed;
	while (take_size(&in, &size)) {
		if (size == 0)
			return DECODED;
		whole = take_chunk(&in, size, &data);
		while (data.n > 0) {
			size_t n = cfs_spill_part(out, data.n);

			memcpy(out->p + out->n, data.p, n);
			out->n += n;
			data = cfs_slice_from(data, n);
			cfs_spill_settle(out);
		}
		if (!whole)
			break;
	}
	return BROKEN;
}

/* ---- strays ---- */

static struct cfs_slice skip_padding(struct cfs_slice s)
{
	size_t n = 0;

	while (n < s.n && memchr("\r\n\t ", s.p[n], 5) != NULL)
		n++;
	return cfs_slice_from(s, n);
}

/* True if nothing, or only strays, follow the stream that `all` begins with. */
static bool ends_here(struct cfs_slice all, struct cfs_slice rest)
{
	if (rest.n == 0)
		return true;
	rest = skip_padding(rest);
	if (rest.n > 0 && rest.p[0] == '0')	/* left from chunked */
		rest = skip_padding(cfs_slice_from(rest, 1));
	return rest.n == 0 && !looks_like_text(all);
}

/* ---- gzip and deflate ---- */

/* The verdict from the result of inflating.  why: NULL if only a checksum is
 * missing. */
static int verdict_of(int rc, const char *why, const struct cfs_buf *out)
{
	if (rc != CFS_END && rc != CFS_EFORMAT)
		return rc == CFS_OK ? DECODED : rc;
	if (out->n == 0)
		return NOT_SO;
	return rc == CFS_END && why == NULL ? UNCHECKED : BROKEN;
}

/* The same of a coding that is told by its magic: it may end before the first
 * byte that it holds. */
static int verdict_of_magic(int rc, const char *why, const struct cfs_buf *out)
{
	if (rc != CFS_END)
		return verdict_of(rc, why, out);
	return why == NULL ? UNCHECKED : BROKEN;
}

static int ungzip(struct cfs_slice in, struct cfs_buf *out)
{
	const char *why;
	int rc;

	if (!cfs_gz_is_start(in))
		return NOT_SO;
	do {
		rc = cfs_inflate(&in, CFS_DEFLATE_GZIP, out, &why);
		in = skip_padding(in);
	} while (rc == CFS_OK && cfs_gz_is_start(in));
	return verdict_of_magic(rc, why, out);
}

static bool is_zlib_header(struct cfs_slice in)
{
	return in.n >= 2 && (in.p[0] & 15) == 8 && in.p[0] >> 4 <= 7 &&
	       (in.p[0] << 8 | in.p[1]) % 31 == 0;
}

static int undeflate(struct cfs_slice in, struct cfs_buf *out)
{
	struct cfs_slice all = in;
	const char *why;
	int rc, v;

	if (is_zlib_header(in)) {
		rc = cfs_inflate(&in, CFS_DEFLATE_ZLIB, out, &why);
		return verdict_of(rc, why, out);
	}
	rc = cfs_inflate(&in, CFS_DEFLATE_RAW, out, &why);
	v = verdict_of(rc, why, out);
	return v == BROKEN ||
	       (v == DECODED && (out->n == 0 || !ends_here(all, in))) ?
	       NOT_SO : v;
}

/* ---- zstd ---- */

static int unzstd(struct cfs_slice in, struct cfs_buf *out)
{
	char why[CFS_ZST_WHY_BYTES];
	int rc;

	if (!cfs_zst_is_frame(in))
		return NOT_SO;
	do {
		rc = cfs_zst_inflate(&in, NULL, out, why);
		in = skip_padding(in);
	} while (rc == CFS_OK && cfs_zst_is_frame(in));
	return verdict_of_magic(rc, why, out);
}

/* ---- brotli ---- */

static int unbrotli(struct cfs_slice in, struct cfs_buf *out)
{
	BrotliDecoderState *d = BrotliDecoderCreateInstance(NULL, NULL, NULL);
	BrotliDecoderResult r = BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT;
	struct cfs_slice all = in;

	if (d == NULL)
		return CFS_ENOMEM;
	while (r == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT &&
	       cfs_buf_reserve_some(out, in.n < 4096 ? 4096 :
			cfs_spill_part(out, in.n)) == CFS_OK) {
		size_t room = cfs_spill_room(out);
		uint8_t *next = out->p + out->n;

		r = BrotliDecoderDecompressStream(d, &in.n, &in.p, &room, &next,
						  NULL);
		out->n = (size_t)(next - out->p);
		cfs_spill_settle(out);
	}
	BrotliDecoderDestroyInstance(d);
	if (out->failed != CFS_OK)
		return out->failed;
	if (r == BROTLI_DECODER_RESULT_SUCCESS)
		return out->n > 0 && ends_here(all, in) ? DECODED : NOT_SO;
	return out->n > 0 && !looks_like_text(all) ? BROKEN : NOT_SO;
}

/* ---- all of them ---- */

static int decode_one(enum encoding e, struct cfs_slice in, bool is_cut,
		      struct cfs_buf *out)
{
	switch (e) {
	case ENC_CHUNKED: return unchunk(in, is_cut, out);
	case ENC_GZIP: return ungzip(in, out);
	case ENC_DEFLATE: return undeflate(in, out);
	case ENC_BROTLI: return unbrotli(in, out);
	case ENC_ZSTD: return unzstd(in, out);
	case ENC_NONE: break;
	}
	return NOT_SO;
}

static int begin_result(struct cfs_buf *out, size_t max, const char *dir,
			struct cfs_slice in, struct cfs_error *err)
{
	int rc;

	cfs_buf_init(out, max);
	rc = dir != NULL ? cfs_spill_begin(out, dir, err) : CFS_OK;
	if (rc == CFS_OK && dir != NULL)
		cfs_spill_made_of(out, in);
	return rc;
}

static int body_failed(int rc, size_t max, struct cfs_error *err)
{
	switch (rc) {
	case CFS_ELIMIT:
		return cfs_error_set(err, rc,
				     "body decodes to more than %zu bytes", max);
	case CFS_EIO:
		return cfs_error_set(err, rc, "no room for a body that "
				     "decodes to %zu bytes", max);
	default:
		return cfs_error_set(err, rc, "out of memory");
	}
}

int cfs_body_decode(struct cfs_slice stored, const struct cfs_fields *http,
		    bool is_cut, size_t max, const char *dir,
		    struct cfs_body_result *res, struct cfs_error *err)
{
	enum encoding e[ENCODINGS_MAX];
	size_t n = encodings(http, e);

	*res = (struct cfs_body_result){ .is_damaged = false };
	while (n-- > 0 && stored.n > 0) {
		struct cfs_buf out;
		int v = begin_result(&out, max, dir, stored, err);

		if (v != CFS_OK)
			return v;
		v = decode_one(e[n], stored, is_cut || res->is_damaged, &out);
		if (v == NOT_SO || v < 0)
			cfs_buf_release(&out);
		if (v == NOT_SO)
			continue;
		cfs_buf_release(&res->own);
		if (v < 0)
			return body_failed(v, max, err);
		if (dir != NULL)
			cfs_spill_finish(&out);
		res->own = out;
		res->is_damaged = res->is_damaged || v == BROKEN;
		res->is_unchecked = res->is_unchecked || v == UNCHECKED;
		stored = cfs_buf_slice(&res->own);
	}
	return CFS_OK;
}

bool cfs_body_may_decode(struct cfs_slice start, const struct cfs_fields *http)
{
	enum encoding e[ENCODINGS_MAX];
	size_t n = encodings(http, e);
	bool may = false;
	uint64_t size;

	for (size_t i = 0; i < n; i++) {
		struct cfs_slice in = start;

		if (e[i] == ENC_GZIP)
			may = may || cfs_gz_is_start(in);
		else if (e[i] == ENC_ZSTD)
			may = may || cfs_zst_is_frame(in);
		else if (e[i] == ENC_CHUNKED)
			may = may || take_size(&in, &size);
		else
			may = true;
	}
	return may && start.n > 0;
}

int cfs_body_decode_by(const char *name, struct cfs_slice stored,
		       const struct cfs_fields *http, bool is_cut,
		       const char *dir, struct cfs_body_result *result,
		       struct cfs_error *err)
{
	struct cfs_field *v = calloc(http->n + 1, sizeof(*v));
	struct cfs_fields some = { .v = v };
	int rc;

	if (v == NULL)
		return cfs_error_nomem(err);
	for (size_t i = 0; i < http->n; i++)
		if (name == NULL || cfs_slice_eq_nocase(http->v[i].name,
							cfs_slice_str(name)))
			v[some.n++] = http->v[i];
	rc = cfs_body_decode(stored, &some, is_cut, CFS_RECORD_MAX_DEFAULT, dir,
			     result, err);
	free(v);
	return rc;
}
