/* cfx_value_write.c - writes the value of an entry of a crawlfs index (layout:
 * cfx_format.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cfx_value.h"

#include <assert.h>
#include <string.h>

#include "base/clamp.h"
#include "base/hex.h"

/* A class as the table of strings has it: the number of its head, and the
 * widths of its numbers, two in a byte. */
#define WIDTHS_BYTES (CFS_CFX_NUMBERS / 2u)
#define ROW_BYTES (4u + WIDTHS_BYTES)
/* Requests longer than this have all of their length in the value, so that odd
 * ones do not make many heads. */
#define REQUEST_IN_HEAD_MAX 4095u

int cfs_cfx_value_writer_init(struct cfs_cfx_value_writer *w)
{
	w->mimes = cfs_strtab_new(SIZE_MAX);	/* have limits of their own */
	w->heads = cfs_strtab_new(SIZE_MAX);
	w->classes = cfs_strtab_new(SIZE_MAX);
	return w->mimes == NULL || w->heads == NULL || w->classes == NULL ?
	       CFS_ENOMEM : CFS_OK;
}

void cfs_cfx_value_writer_release(struct cfs_cfx_value_writer *w)
{
	cfs_strtab_free(w->mimes);
	cfs_strtab_free(w->heads);
	cfs_strtab_free(w->classes);
}

/* ---- extras ---- */

static uint8_t *put_extra(uint8_t *q, unsigned tag, const void *p, size_t n)
{
	q += cfs_varint_put(q, tag);
	q += cfs_varint_put(q, n);
	if (n > 0)
		memcpy(q, p, n);
	return q + n;
}

static uint8_t *put_companion(uint8_t *q, unsigned tag,
					 const struct cfs_companion *s)
{
	uint8_t t[CFS_COMPANION_MAX];

	return put_extra(q, tag, t, cfs_companion_put(s, t));
}

/* A SHA-1 in its usual form takes 21 bytes instead of 38. */
static uint8_t *put_digest(uint8_t *q, struct cfs_slice digest)
{
	static const struct cfs_slice label = CFS_SLICE_LIT("sha1:");
	uint8_t t[1 + CFS_DIGEST_TEXT_MAX] = { CFS_CFX_DIGEST_SHA1 };

	if (cfs_slice_starts(digest, label) &&
	    cfs_digits_read(cfs_slice_from(digest, label.n), 5, t + 1,
			    CFS_CFX_SHA1_BYTES))
		return put_extra(q, CFS_CFX_EXTRA_DIGEST, t,
				 1 + CFS_CFX_SHA1_BYTES);
	t[0] = CFS_CFX_DIGEST_TEXT;
	memcpy(t + 1, digest.p, digest.n);
	return put_extra(q, CFS_CFX_EXTRA_DIGEST, t, 1 + digest.n);
}

static bool wants_extras(const struct cfs_capture *e)
{
	return e->text.kind != CFS_COMPANION_NONE ||
	       e->meta.kind != CFS_COMPANION_NONE ||
	       cfs_view_bytes_listed(&e->views) != 0 || e->notes.bytes > 0 ||
	       e->related.n > 0 || e->languages.n > 0 || e->digest.n > 0;
}

/* is_full: the tables had no room, so status and MIME type go here. */
static uint8_t *put_extras(uint8_t *p, const struct cfs_capture *e,
			   struct cfs_slice mime, bool is_full)
{
	uint8_t t[CFS_CFX_EXTRAS_MAX], v[CFS_VIEW_BYTES_MAX], *q = t;
	size_t n;

	if (is_full) {
		q = put_extra(q, CFS_CFX_EXTRA_MIME, mime.p, mime.n);
		n = cfs_varint_put(v, e->status);
		q = put_extra(q, CFS_CFX_EXTRA_STATUS, v, n);
	}
	if (e->text.kind != CFS_COMPANION_NONE)
		q = put_companion(q, CFS_CFX_EXTRA_TEXT, &e->text);
	if (e->meta.kind != CFS_COMPANION_NONE)
		q = put_companion(q, CFS_CFX_EXTRA_META, &e->meta);
	n = cfs_view_bytes_put_list(&e->views, v);
	if (n > 0)
		q = put_extra(q, CFS_CFX_EXTRA_LIST, v, n);
	if (e->notes.bytes > 0) {
		n = cfs_varint_put(v, e->notes.block);
		n += cfs_varint_put(v + n, e->notes.offset);
		n += cfs_varint_put(v + n, e->notes.bytes);
		q = put_extra(q, CFS_CFX_EXTRA_NOTES, v, n);
	}
	if (e->related.n > 0 && e->related.n <= CFS_RELATED_LIST_MAX)
		q = put_extra(q, CFS_CFX_EXTRA_RELATED, e->related.p,
			      e->related.n);
	if (e->languages.n > 0 && e->languages.n <= CFS_LANGUAGES_BYTES)
		q = put_extra(q, CFS_CFX_EXTRA_LANGUAGES, e->languages.p,
			      e->languages.n);
	if (e->digest.n > 0 && e->digest.n <= CFS_DIGEST_TEXT_MAX)
		q = put_digest(q, e->digest);
	p += cfs_varint_put(p, (uint64_t)(q - t));
	memcpy(p, t, (size_t)(q - t));
	return p + (q - t);
}

/* ---- classes ---- */

/* A capture's value while it is encoded. */
struct making {
	const struct cfs_capture *e;
	struct cfs_slice mime;
	uint8_t flags, request_high;
	bool is_full;		/* status and MIME type go to the extras */
	uint64_t v[CFS_CFX_NUMBERS];
	uint8_t units[CFS_CFX_NUMBERS];
};

static uint8_t value_flags(const struct cfs_capture *e)
{
	return (uint8_t)(
		cfs_flag(e->loc.inner_length > 0, CFS_CFX_FLAG_INNER) |
		(unsigned)e->adjacent << CFS_CFX_ADJACENT_SHIFT |
		cfs_flag(e->url.n > 0, CFS_CFX_FLAG_URL) |
		cfs_flag(wants_extras(e), CFS_CFX_FLAG_EXTRAS) |
		cfs_flag(cfs_view_bytes_have_pair(&e->views),
			 CFS_CFX_FLAG_PAIR) |
		cfs_flag(e->body_is_exact, CFS_CFX_FLAG_BODY));
}

/* Sets the numbers of the fixed part. */
static void set_numbers(const struct cfs_cfx_value_writer *w, struct making *m)
{
	const struct cfs_capture *e = m->e;
	uint64_t late = (uint64_t)e->time -
			cfs_cfx_clock_at(&w->clocks[e->loc.file[0]],
					 e->loc.offset);

	m->v[CFS_CFX_TIME] = late << 1 ^ (0 - (late >> 63));
	m->v[CFS_CFX_LENGTH] = e->loc.length;
	if (m->flags & CFS_CFX_FLAG_BODY)
		m->v[CFS_CFX_BODY] = e->body_bytes;
	if (m->flags & CFS_CFX_FLAG_PAIR) {
		m->v[CFS_CFX_TEXT_BYTES] = e->views.bytes[CFS_SLOT_TEXT];
		m->v[CFS_CFX_META_BYTES] = e->views.bytes[CFS_SLOT_META];
	}
	if (cfs_adjacency_has_length(e->adjacent))
		m->v[CFS_CFX_REQUEST] = e->request_bytes;
	for (unsigned i = 0; i < CFS_CFX_NUMBERS; i++)
		m->units[i] = cfs_cfx_units(m->v[i]);
	if (cfs_adjacency_has_length(e->adjacent) && !m->is_full &&
	    e->request_bytes <= REQUEST_IN_HEAD_MAX) {
		m->request_high = (uint8_t)(e->request_bytes >> 8);
		m->v[CFS_CFX_REQUEST] = e->request_bytes & 255;
		m->units[CFS_CFX_REQUEST] = 4;
	}
}

/* Finds or assigns the number of the head; CFS_ELIMIT if `max` are in use. */
static int head_number(struct cfs_cfx_value_writer *w, const struct making *m,
		       uint32_t mime, uint32_t max, uint32_t *number)
{
	uint8_t b[CFS_CFX_HEAD_BYTES] = { (uint8_t)m->e->kind, m->e->scheme };

	cfs_le16_put(b + 2, m->is_full ? 0 : m->e->status);
	cfs_le16_put(b + 4, (uint16_t)mime);
	b[6] = m->flags;
	b[7] = m->request_high;
	return cfs_strtab_add_up_to(w->heads, cfs_slice_of(b, sizeof(b)), max,
				    number);
}

static int find_head(struct cfs_cfx_value_writer *w, struct making *m,
		     uint32_t *number)
{
	uint32_t mime;
	int rc = cfs_strtab_add_up_to(w->mimes, m->mime, CFS_CFX_MIMES_MAX,
				      &mime);

	if (rc == CFS_OK)
		rc = head_number(w, m, mime, CFS_CFX_HEADS_MAX, number);
	if (rc != CFS_ELIMIT)
		return rc;
	m->is_full = true;
	m->flags |= CFS_CFX_FLAG_EXTRAS;
	m->request_high = 0;
	set_numbers(w, m);
	return head_number(w, m, 0, CFS_CFX_HEADS_LIMIT, number);
}

static int class_number(struct cfs_cfx_value_writer *w, const struct making *m,
			uint32_t head, uint32_t max, uint32_t *number)
{
	uint8_t b[ROW_BYTES];

	cfs_le32_put(b, head);
	for (unsigned i = 0; i < WIDTHS_BYTES; i++)
		b[4 + i] = (uint8_t)(m->units[2 * i] |
				     m->units[2 * i + 1] << 4);
	return cfs_strtab_add_up_to(w->classes, cfs_slice_of(b, sizeof(b)), max,
				    number);
}

/* Finds or assigns the class of a capture.  0 or CFS_ENOMEM. */
static int classify(struct cfs_cfx_value_writer *w, struct making *m,
		    uint32_t *number)
{
	uint32_t head;
	int rc;

	set_numbers(w, m);
	rc = find_head(w, m, &head);
	if (rc == CFS_OK)
		rc = class_number(w, m, head, CFS_CFX_CLASSES_MAX, number);
	if (rc != CFS_ELIMIT)
		return rc;
	memset(m->units, CFS_CFX_WIDEST, sizeof(m->units));
	return class_number(w, m, head, CFS_CFX_CLASSES_LIMIT, number);
}

/* ---- values ---- */

/* Bits behind those that were put; bytes there are zero. */
struct bits_out {
	uint8_t *p;
	unsigned at;
};

static void put_bits(struct bits_out *out, uint64_t v, unsigned n)
{
	while (n > 0) {
		unsigned shift = out->at % 8, now = 8 - shift;

		if (now > n)
			now = n;
		out->p[out->at / 8] |=
			(uint8_t)((v & ((1u << now) - 1)) << shift);
		v >>= now;
		out->at += now;
		n -= now;
	}
}

static uint8_t *put_fixed(const struct cfs_cfx_value_writer *w, uint8_t *p,
			  const struct making *m)
{
	struct bits_out out = { p, 0 };

	memset(p, 0, 8 * (CFS_CFX_NUMBERS + 2));
	put_bits(&out, m->e->loc.file[0], w->archive_bits);
	put_bits(&out, m->e->loc.offset, w->offset_bits);
	for (unsigned i = 0; i < CFS_CFX_NUMBERS; i++)
		put_bits(&out, m->v[i], cfs_cfx_bits_of(m->units[i]));
	return p + (out.at + 7) / 8;
}

/* Puts what replaces a part of the key's URL.  NULL without memory. */
static uint8_t *cfx_value_write_put_url(struct cfs_cfx_value_writer *w,
					uint8_t *p, struct cfs_slice key,
					const struct cfs_capture *e)
{
	struct cfs_slice url = e->url, of_key;
	uint8_t head[2 * CFS_VARINT_MAX];
	size_t before, after = 0, n, codes_n;
	struct cfs_buf b;
	int rc = cfs_cfx_key_url(key, e->scheme, &b);

	of_key = cfs_buf_slice(&b);
	before = cfs_slice_common(url, of_key);
	url = cfs_slice_from(url, before);
	of_key = cfs_slice_from(of_key, before);
	while (after < url.n && after < of_key.n &&
	       url.p[url.n - after - 1] == of_key.p[of_key.n - after - 1])
		after++;
	cfs_buf_release(&b);
	n = cfs_varint_put(head, before);
	n += cfs_varint_put(head + n, after);
	codes_n = cfs_symbols_encode(w->encoder,
				     cfs_slice_sub(url, 0, url.n - after),
				     w->codes);
	p += cfs_varint_put(p, n + codes_n);
	memcpy(p, head, n);
	memcpy(p + n, w->codes, codes_n);
	return rc == CFS_OK ? p + n + codes_n : NULL;
}

size_t cfs_cfx_value_encode(struct cfs_cfx_value_writer *w,
			    struct cfs_slice key, const struct cfs_capture *e)
{
	struct making m = { .e = e, .flags = value_flags(e),
		.mime = cfs_slice_sub(e->mime, 0, CFS_CFX_MIME_MAX) };
	uint8_t *p = w->value;
	uint32_t number;

	if (classify(w, &m, &number) != CFS_OK)
		return 0;
	p += cfs_varint_put(p, number);
	p = put_fixed(w, p, &m);
	if (m.flags & CFS_CFX_FLAG_INNER) {
		p += cfs_varint_put(p, e->loc.inner_offset);
		p += cfs_varint_put(p, e->loc.inner_length);
	}
	if (m.flags & CFS_CFX_FLAG_URL)
		p = cfx_value_write_put_url(w, p, key, e);
	if (p == NULL)
		return 0;
	if (m.flags & CFS_CFX_FLAG_EXTRAS)
		p = put_extras(p, e, m.mime, m.is_full);
	assert((size_t)(p - w->value) <= sizeof(w->value));
	return (size_t)(p - w->value);
}

/* ---- tables ---- */

void cfs_cfx_value_writer_mimes(const struct cfs_cfx_value_writer *w,
				struct cfs_buf *out, uint64_t *n)
{
	uint32_t count = cfs_strtab_count(w->mimes);

	for (uint32_t i = 0; i < count; i++) {
		struct cfs_slice mime = cfs_strtab_get(w->mimes, i);

		cfs_buf_addc(out, (uint8_t)mime.n);
		cfs_buf_add(out, mime);
	}
	*n = count;
}

void cfs_cfx_value_writer_classes(const struct cfs_cfx_value_writer *w,
				  struct cfs_buf *out, uint64_t *n)
{
	uint32_t heads = cfs_strtab_count(w->heads);
	uint32_t count = cfs_strtab_count(w->classes);

	cfs_buf_le32(out, heads);
	for (uint32_t i = 0; i < heads; i++)
		cfs_buf_add(out, cfs_strtab_get(w->heads, i));
	for (uint32_t i = 0; i < count; i++) {
		struct cfs_slice row = cfs_strtab_get(w->classes, i);

		cfs_buf_varint(out, cfs_le32_get(row.p));
		cfs_buf_add(out, cfs_slice_from(row, 4));
	}
	*n = count;
}
