/* zstd.c - inflates and makes zstd frames by libzstd (see zstd.h).
 *
 * Spec: RFC 8878, section 3.1; for archives "Zstandard Compression for WARC
 * Files 1.0" of the IIPC.  Integers are little-endian.
 *     frame       28 B5 2F FD, header, blocks, [4 bytes of checksum]
 *     header      descriptor; window (1 byte, unless single); dictionary id
 *                 (0, 1, 2 or 4 bytes); content size (0, 1, 2, 4 or 8)
 *     descriptor  bits 7-6 size of the content size, 5 single segment, 3 must
 *                 be 0, 2 checksum, 1-0 size of the dictionary id
 *     block       3 bytes: bit 0 last, bits 1-2 type (0 raw, 1 one byte
 *                 repeated, 2 compressed), then its size; its bytes
 *     skippable   5x 2A 4D 18, 4 bytes of length, as many bytes
 *     dictionary  skippable frame 5D with 37 A4 30 EC ..., or a frame of that
 * Limits: those of zstd.h, and that of the caller's buffer.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "zstd.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/hash.h"
#include "base/spill.h"

#define MAGIC 0xfd2fb528u
#define SKIP_MAGIC 0x184d2a50u
#define DICT_MAGIC_SKIP 0x184d2a5du
#define DICT_MAGIC 0xec30a437u
#define BLOCK_MAX 131072u
/* Compresses about as fast as crawlfs makes gzip members. */
#define LEVEL 6

static uint32_t magic_of(struct cfs_slice s)
{
	return s.n < 4 ? 0 : cfs_le32_get(s.p);
}

bool cfs_zst_is_frame(struct cfs_slice s)
{
	return magic_of(s) == MAGIC;
}

bool cfs_zst_is_skippable(struct cfs_slice s)
{
	return (magic_of(s) & ~15u) == SKIP_MAGIC;
}

bool cfs_zst_is_dict(struct cfs_slice s)
{
	return magic_of(s) == DICT_MAGIC_SKIP;
}

uint64_t cfs_zst_skippable_bytes(struct cfs_slice s)
{
	return s.n < CFS_ZST_SKIP_HEAD || !cfs_zst_is_skippable(s) ? 0 :
	       (uint64_t)CFS_ZST_SKIP_HEAD + cfs_le32_get(s.p + 4);
}

struct cfs_slice cfs_zst_without_skippable(struct cfs_slice s)
{
	while (cfs_zst_is_skippable(s)) {
		uint64_t n = cfs_zst_skippable_bytes(s);

		s = cfs_slice_from(s, n == 0 || n > s.n ? s.n : (size_t)n);
	}
	return s;
}

/* ---- looking at a frame ---- */

static uint64_t zstd_number(struct cfs_cursor *c, unsigned bytes)
{
	switch (bytes) {
	case 1: return cfs_cursor_u8(c);
	case 2: return cfs_cursor_le16(c);
	case 4: return cfs_cursor_le32(c);
	case 8: return cfs_cursor_le64(c);
	default: return 0;
	}
}

static int look_at_header(struct cfs_cursor *c, struct cfs_zst_frame *f)
{
	static const uint8_t id_bytes[] = { 0, 1, 2, 4 };
	static const uint8_t size_bytes[] = { 0, 2, 4, 8 };
	unsigned bits, window = 0, n;
	bool single;

	cfs_cursor_le32(c);
	bits = cfs_cursor_u8(c);
	single = (bits & 0x20) != 0;
	f->has_checksum = (bits & 4) != 0;
	if (!single)
		window = cfs_cursor_u8(c);
	f->dict_id = (uint32_t)zstd_number(c, id_bytes[bits & 3]);
	n = size_bytes[bits >> 6];
	if (n == 0 && single)
		n = 1;
	if (n == 0)
		f->content = CFS_ZST_CONTENT_UNKNOWN;
	else
		f->content = zstd_number(c, n) + (n == 2 ? 256 : 0);
	f->window = single ? f->content :
		    ((UINT64_C(1) << (window >> 3)) << 7) * (8 + (window & 7));
	if (c->bad)
		return CFS_END;
	return (bits & 8) != 0 ? CFS_EFORMAT : CFS_OK;
}

int cfs_zst_look(struct cfs_slice in, struct cfs_zst_frame *out)
{
	struct cfs_cursor c = { in, false };
	uint32_t block_max, head = 0;
	int rc;

	*out = (struct cfs_zst_frame){ .bytes = 0 };
	if (!cfs_zst_is_frame(in))
		return CFS_EFORMAT;
	rc = look_at_header(&c, out);
	if (rc != CFS_OK)
		return rc;
	block_max = out->window < BLOCK_MAX ? (uint32_t)out->window : BLOCK_MAX;
	while (!c.bad && (head & 1) == 0) {
		uint32_t size, type;

		head = cfs_cursor_u8(&c);
		head |= (uint32_t)cfs_cursor_le16(&c) << 8;
		size = head >> 3;
		type = head >> 1 & 3;
		if (!c.bad && (type == 3 || size > block_max ||
			       (type == 2 && size == 0)))
			return CFS_EFORMAT;
		cfs_cursor_take(&c, type == 1 ? 1 : size);
		out->most += type == 2 ? block_max : size;
	}
	if (out->has_checksum)
		cfs_cursor_take(&c, 4);
	out->bytes = c.bad ? 0 : (size_t)(c.rest.p - in.p);
	return CFS_OK;
}

uint64_t cfs_zst_empty_bytes(struct cfs_slice s)
{
	struct cfs_zst_frame f;

	if (!cfs_zst_is_frame(s))
		return cfs_zst_skippable_bytes(s);
	return cfs_zst_look(s, &f) == CFS_OK && f.most == 0 ? f.bytes : 0;
}

/* ---- dictionaries ---- */

struct cfs_zst_dict {
	atomic_uint refs;
	uint8_t *frame;			/* as in the archive */
	size_t frame_n;
	size_t raw_n;			/* bytes of the dictionary itself */
	uint64_t raw_hash;
	uint32_t id;
	ZSTD_DDict *reads;
	pthread_mutex_t lock;
	ZSTD_CDict *writes;		/* guarded by lock; made on first
					 * use */
};

/* Finds the dictionary in the frame of d.  *raw borrows from that, or from
 * `inflated`. */
static int find_raw(const struct cfs_zst_dict *d, struct cfs_buf *inflated,
		    struct cfs_slice *raw, struct cfs_error *err)
{
	char why[CFS_ZST_WHY_BYTES];
	int rc = CFS_OK;

	*raw = cfs_slice_from(cfs_slice_of(d->frame, d->frame_n),
			      CFS_ZST_SKIP_HEAD);
	if (cfs_zst_is_frame(*raw)) {
		struct cfs_slice in = *raw;

		rc = cfs_zst_inflate(&in, NULL, inflated, why);
		*raw = cfs_buf_slice(inflated);
	}
	if (rc == CFS_ENOMEM)
		return cfs_error_nomem(err);
	if (rc == CFS_ELIMIT)
		return cfs_error_set(err, rc, "the zstd dictionary inflates to "
				     "more than %zu bytes", CFS_ZST_DICT_MAX);
	if (rc != CFS_OK)
		return cfs_error_set(err, CFS_EFORMAT,
				     "the zstd dictionary is %s",
				     rc == CFS_END ? "cut off" : "damaged");
	if (magic_of(*raw) != DICT_MAGIC || raw->n < 8)
		return cfs_error_set(err, CFS_EFORMAT, "the frame of the zstd "
				     "dictionary holds none");
	return CFS_OK;
}

/* Loads the dictionary of d from its frame. */
static int digest(struct cfs_zst_dict *d, struct cfs_error *err)
{
	CFS_BUF(inflated, CFS_ZST_DICT_MAX);
	struct cfs_slice raw;
	int rc = find_raw(d, &inflated, &raw, err);

	if (rc == CFS_OK) {
		d->raw_n = raw.n;
		d->raw_hash = cfs_hash64(raw, 0);
		d->id = cfs_le32_get(raw.p + 4);
		d->reads = ZSTD_createDDict(raw.p, raw.n);
		if (d->reads == NULL)
			rc = cfs_error_set(err, CFS_EFORMAT,
					   "the zstd dictionary is damaged");
	}
	return rc;
}

int cfs_zst_dict_new(struct cfs_zst_dict **out, struct cfs_slice frame,
		     struct cfs_error *err)
{
	struct cfs_zst_dict *d;
	int rc;

	*out = NULL;
	if (!cfs_zst_is_dict(frame) ||
	    cfs_zst_skippable_bytes(frame) != frame.n)
		return cfs_error_set(err, CFS_EFORMAT,
				     "the zstd dictionary is cut off");
	d = calloc(1, sizeof(*d));
	if (d == NULL)
		return cfs_error_nomem(err);
	atomic_init(&d->refs, 1);
	pthread_mutex_init(&d->lock, NULL);
	d->frame = malloc(frame.n);
	rc = d->frame == NULL ? cfs_error_nomem(err) : CFS_OK;
	if (rc == CFS_OK) {
		memcpy(d->frame, frame.p, frame.n);
		d->frame_n = frame.n;
		rc = digest(d, err);
	}
	if (rc != CFS_OK) {
		cfs_zst_dict_put(d);
		return rc;
	}
	*out = d;
	return CFS_OK;
}

struct cfs_zst_dict *cfs_zst_dict_ref(struct cfs_zst_dict *d)
{
	if (d != NULL)
		atomic_fetch_add(&d->refs, 1);
	return d;
}

void cfs_zst_dict_put(struct cfs_zst_dict *d)
{
	if (d == NULL || atomic_fetch_sub(&d->refs, 1) > 1)
		return;
	ZSTD_freeDDict(d->reads);
	ZSTD_freeCDict(d->writes);
	pthread_mutex_destroy(&d->lock);
	free(d->frame);
	free(d);
}

struct cfs_slice cfs_zst_dict_frame(const struct cfs_zst_dict *d)
{
	return d == NULL ? CFS_SLICE_EMPTY : cfs_slice_of(d->frame, d->frame_n);
}

size_t cfs_zst_dict_cost(const struct cfs_zst_dict *d)
{
	return d == NULL ? 0 : sizeof(*d) + d->frame_n +
				    ZSTD_sizeof_DDict(d->reads);
}

bool cfs_zst_dict_is_same(const struct cfs_zst_dict *a,
			  const struct cfs_zst_dict *b)
{
	return a == b || (a != NULL && b != NULL && a->raw_n == b->raw_n &&
			  a->raw_hash == b->raw_hash);
}

bool cfs_zst_is_refused(const struct cfs_zst_frame *f,
			const struct cfs_zst_dict *d,
			char why[CFS_ZST_WHY_BYTES])
{
	if (f->window > CFS_ZST_WINDOW_MAX)
		snprintf(why, CFS_ZST_WHY_BYTES, "zstd frame needs a window of "
			 "%llu bytes: more than %llu are refused",
			 (unsigned long long)f->window,
			 (unsigned long long)CFS_ZST_WINDOW_MAX);
	else if (f->dict_id != 0 && d == NULL)
		snprintf(why, CFS_ZST_WHY_BYTES, "zstd frame needs dictionary "
			 "%u, and the archive has none", f->dict_id);
	else if (f->dict_id != 0 && f->dict_id != d->id)
		snprintf(why, CFS_ZST_WHY_BYTES, "zstd frame needs dictionary "
			 "%u, and the archive has %u", f->dict_id, d->id);
	else
		return false;
	return true;
}

/* ---- inflating ---- */

static pthread_key_t reader_key;
static pthread_once_t reader_once = PTHREAD_ONCE_INIT;
static bool have_key;

static void free_reader(void *p)
{
	ZSTD_freeDCtx(p);
}

static void zstd_make_key(void)
{
	have_key = pthread_key_create(&reader_key, free_reader) == 0;
}

/* This thread's context for whole frames; NULL if out of memory. */
static ZSTD_DCtx *my_reader(void)
{
	ZSTD_DCtx *z;

	pthread_once(&reader_once, zstd_make_key);
	if (!have_key)
		return NULL;
	z = pthread_getspecific(reader_key);
	if (z != NULL)
		return z;
	z = ZSTD_createDCtx();
	if (z != NULL && pthread_setspecific(reader_key, z) != 0) {
		ZSTD_freeDCtx(z);
		z = NULL;
	}
	return z;
}

struct ZSTD_DCtx_s *cfs_zst_reader_new(const struct cfs_zst_dict *d)
{
	ZSTD_DCtx *z = ZSTD_createDCtx();

	if (z != NULL &&
	    (ZSTD_isError(ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax,
						 CFS_ZST_WINDOW_LOG)) ||
	     (d != NULL && ZSTD_isError(ZSTD_DCtx_refDDict(z, d->reads))))) {
		ZSTD_freeDCtx(z);
		z = NULL;
	}
	return z;
}

void cfs_zst_why(size_t code, char why[CFS_ZST_WHY_BYTES])
{
	if (ZSTD_getErrorCode(code) == ZSTD_error_checksum_wrong)
		snprintf(why, CFS_ZST_WHY_BYTES,
			 "the checksum of a zstd frame is wrong");
	else
		snprintf(why, CFS_ZST_WHY_BYTES, "damaged zstd frame (%s)",
			 ZSTD_getErrorName(code));
}

int cfs_zst_member(struct cfs_slice in, const struct cfs_zst_dict *d,
		   struct cfs_buf *out, size_t *used)
{
	char why[CFS_ZST_WHY_BYTES];
	struct cfs_zst_frame f;
	ZSTD_DCtx *z = my_reader();
	uint64_t room;
	size_t got;

	if (z == NULL)
		return CFS_ENOMEM;
	if (cfs_zst_look(in, &f) != CFS_OK || f.bytes == 0 ||
	    cfs_zst_is_refused(&f, d, why))
		return CFS_EFORMAT;
	room = f.content < f.most ? f.content : f.most;
	if (room >= out->max - out->n || out->spill != NULL)
		return CFS_EFORMAT;
	if (cfs_buf_reserve(out, (size_t)room + 1) != CFS_OK)
		return CFS_ENOMEM;
	got = d != NULL ?
	      ZSTD_decompress_usingDDict(z, out->p + out->n, (size_t)room, in.p,
					 f.bytes, d->reads) :
	      ZSTD_decompressDCtx(z, out->p + out->n, (size_t)room, in.p,
				  f.bytes);
	if (ZSTD_isError(got))
		return CFS_EFORMAT;
	out->n += got;
	*used = f.bytes;
	return CFS_OK;
}

/* Inflates a frame step by step, as far as it is good. */
static int inflate_part(struct cfs_slice *in, const struct cfs_zst_dict *d,
			struct cfs_buf *out, char why[CFS_ZST_WHY_BYTES])
{
	ZSTD_DCtx *z = cfs_zst_reader_new(d);
	int rc = z == NULL ? CFS_ENOMEM : CFS_END;
	bool full = true;

	while (rc == CFS_END && (in->n > 0 || full)) {
		ZSTD_inBuffer i = { in->p, in->n, 0 };
		ZSTD_outBuffer o = { .pos = 0 };
		size_t code;

		rc = cfs_buf_reserve_some(out, in->n < 4096 ? 4096 :
						cfs_spill_part(out, in->n));
		if (rc != CFS_OK)
			break;
		o.dst = out->p + out->n;
		o.size = cfs_spill_room(out);
		code = ZSTD_decompressStream(z, &o, &i);
		out->n += o.pos;
		*in = cfs_slice_from(*in, i.pos);
		cfs_spill_settle(out);
		full = o.pos == o.size;
		rc = code == 0 ? CFS_OK : CFS_END;
		if (ZSTD_isError(code)) {
			rc = CFS_EFORMAT;
			cfs_zst_why(code, why);
		}
	}
	ZSTD_freeDCtx(z);
	return rc;
}

int cfs_zst_inflate(struct cfs_slice *in, const struct cfs_zst_dict *d,
		    struct cfs_buf *out, char why[CFS_ZST_WHY_BYTES])
{
	struct cfs_zst_frame f;
	size_t used = 0;
	int rc;

	*in = cfs_zst_without_skippable(*in);
	if (in->n == 0)
		return CFS_END;
	rc = cfs_zst_member(*in, d, out, &used);
	*in = cfs_slice_from(*in, used);
	if (rc == CFS_EFORMAT) {
		if (cfs_zst_look(*in, &f) == CFS_OK &&
		    cfs_zst_is_refused(&f, d, why))
			return CFS_EFORMAT;
		rc = inflate_part(in, d, out, why);
	}
	if (rc == CFS_OK)
		*in = cfs_zst_without_skippable(*in);
	return rc;
}

size_t cfs_zst_peek(struct cfs_slice in, const struct cfs_zst_dict *d,
		    void *buf, size_t n)
{
	char why[CFS_ZST_WHY_BYTES];
	struct cfs_zst_frame f;
	ZSTD_outBuffer o = { buf, n, 0 };
	ZSTD_inBuffer i = { NULL, 0, 0 };
	ZSTD_DCtx *z;

	in = cfs_slice_sub(cfs_zst_without_skippable(in), 0, CFS_ZST_FIRST_MAX);
	if (cfs_zst_look(in, &f) != CFS_OK || cfs_zst_is_refused(&f, d, why))
		return 0;
	z = cfs_zst_reader_new(d);
	if (z == NULL)
		return 0;
	i.src = in.p;
	i.size = in.n;
	while (o.pos < n && i.pos < i.size) {
		size_t before = o.pos, code = ZSTD_decompressStream(z, &o, &i);

		if (code == 0 || ZSTD_isError(code) || o.pos == before)
			break;
	}
	ZSTD_freeDCtx(z);
	return o.pos;
}

/* ---- compressing ---- */

/* The compression form of d; NULL if out of memory. */
static const ZSTD_CDict *writer_dict(struct cfs_zst_dict *d)
{
	const ZSTD_CDict *c;
	CFS_BUF(inflated, CFS_ZST_DICT_MAX);
	struct cfs_slice raw;

	pthread_mutex_lock(&d->lock);
	if (d->writes == NULL && find_raw(d, &inflated, &raw, NULL) == CFS_OK)
		d->writes = ZSTD_createCDict(raw.p, raw.n, LEVEL);
	c = d->writes;
	pthread_mutex_unlock(&d->lock);
	return c;
}

int cfs_zst_compress(struct cfs_slice in, struct cfs_zst_dict *d,
		     struct cfs_buf *out, struct cfs_error *err)
{
	const ZSTD_CDict *dict = d != NULL ? writer_dict(d) : NULL;
	ZSTD_CCtx *z = ZSTD_createCCtx();
	size_t n;
	int rc;

	if (z == NULL || (d != NULL && dict == NULL)) {
		ZSTD_freeCCtx(z);
		return cfs_error_nomem(err);
	}
	ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
	ZSTD_CCtx_refCDict(z, dict);
	rc = cfs_buf_reserve(out, ZSTD_compressBound(in.n));
	if (rc != CFS_OK) {
		cfs_error_set(err, rc, "no room for %zu bytes", in.n);
	} else {
		n = ZSTD_compress2(z, out->p + out->n, out->cap - out->n, in.p,
				   in.n);
		if (ZSTD_isError(n))
			rc = cfs_error_nomem(err);
		else
			out->n += n;
	}
	ZSTD_freeCCtx(z);
	return rc;
}

/* Compresses the next step. */
static int compress_step(ZSTD_CCtx *z, struct cfs_slice step,
			 bool is_last, struct cfs_buf *out)
{
	ZSTD_inBuffer from = { step.p, step.n, 0 };
	size_t left;

	do {
		int rc = cfs_buf_reserve(out, ZSTD_CStreamOutSize());
		ZSTD_outBuffer to = { out->p + out->n, ZSTD_CStreamOutSize(),
				      0 };

		if (rc != CFS_OK)
			return rc;
		left = ZSTD_compressStream2(z, &to, &from, is_last ?
					    ZSTD_e_end : ZSTD_e_continue);
		if (ZSTD_isError(left))
			return CFS_ENOMEM;
		out->n += to.pos;
		cfs_spill_settle(out);
	} while (is_last ? left > 0 : from.pos < from.size);
	return CFS_OK;
}

int cfs_zst_compress_long(struct cfs_slice in, struct cfs_buf *out,
			  struct cfs_error *err)
{
	ZSTD_CCtx *z = ZSTD_createCCtx();
	int rc = CFS_OK;

	if (z == NULL)
		return cfs_error_nomem(err);
	ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
	do {
		struct cfs_slice step = cfs_slice_sub(in, 0, CFS_SPILL_STEP);

		in = cfs_slice_from(in, step.n);
		rc = compress_step(z, step, in.n == 0, out);
		cfs_spill_out(step);
	} while (rc == CFS_OK && in.n > 0);
	ZSTD_freeCCtx(z);
	return rc == CFS_OK ? rc : cfs_error_set(err, rc, "no room for a "
						 "compressed record");
}
