/* cfx_value.c - reads the value of an entry of a crawlfs index (layout:
 * cfx_format.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cfx_value.h"

#include <stdlib.h>

#include "base/hex.h"
#include "cfx_block.h"
#include "cfx_notes.h"
#include "index/related.h"
#include "url/urlkey.h"

/* ---- classes ---- */

/* Sets what follows from a class's fields; false if they cannot be. */
static bool complete(const struct cfs_cfx *x, struct cfs_cfx_class *c)
{
	unsigned lies = cfs_cfx_adjacency(c->flags);
	unsigned bits = x->head.archive_bits + x->head.offset_bits;

	for (unsigned i = 0; i < CFS_CFX_NUMBERS; i++)
		bits += c->bits[i];
	c->fixed = (uint16_t)((bits + 7) / 8);
	c->has_rest = c->flags & (CFS_CFX_FLAG_INNER | CFS_CFX_FLAG_URL |
				  CFS_CFX_FLAG_EXTRAS);
	return c->kind <= CFS_KIND_ANNEX && c->scheme <= CFS_SCHEME_FTP &&
	       c->mime < x->n_mimes && lies < CFS_ADJACENT_COUNT;
}

/* heads: of the table; n: their number */
static bool take_class(const struct cfs_cfx *x, struct cfs_cursor *in,
		       const uint8_t *heads, uint32_t n,
		       struct cfs_cfx_class *c)
{
	uint64_t number = cfs_cursor_varint(in);
	struct cfs_slice widths = cfs_cursor_take(in, CFS_CFX_NUMBERS / 2);
	const uint8_t *p;

	if (in->bad || number >= n)
		return false;
	p = heads + number * CFS_CFX_HEAD_BYTES;
	*c = (struct cfs_cfx_class){ .kind = p[0], .scheme = p[1],
		.status = cfs_le16_get(p + 2), .mime = cfs_le16_get(p + 4),
		.flags = p[6], .request_high = p[7] };
	for (unsigned i = 0; i < CFS_CFX_NUMBERS; i++)
		c->bits[i] = cfs_cfx_bits_of(widths.p[i / 2] >> 4 * (i % 2) &
					     15);
	return complete(x, c);
}

int cfs_cfx_classes_read(struct cfs_cfx *x, struct cfs_slice table, uint64_t n,
			 size_t *at)
{
	struct cfs_cursor in = { table, false };
	uint32_t n_heads = cfs_cursor_le32(&in);
	struct cfs_slice heads =
		cfs_cursor_take(&in, (size_t)n_heads * CFS_CFX_HEAD_BYTES);
	bool good = true;

	*at = 0;
	/* the table lies in the file, and a class has four bytes at least */
	if (in.bad || n > in.rest.n / 4)
		return CFS_EFORMAT;
	x->classes = calloc(n + 1, sizeof(*x->classes));
	if (x->classes == NULL)
		return CFS_ENOMEM;
	x->n_classes = (uint32_t)n;
	for (uint32_t i = 0; good && i < n; i++) {
		*at = table.n - in.rest.n;
		good = take_class(x, &in, heads.p, n_heads, &x->classes[i]);
	}
	return good && in.rest.n == 0 ? CFS_OK : CFS_EFORMAT;
}

/* ---- fixed numbers ---- */

/* The bits of a value that are read next. */
struct bits_in {
	const uint8_t *p;
	unsigned at;
};

/* Takes n bits, at most 64.  It reads up to nine bytes: blocks in memory are
 * longer by CFS_CFX_BLOCK_PAD than in the file. */
static uint64_t take_bits(struct bits_in *in, unsigned n)
{
	const uint8_t *p = in->p + in->at / 8;
	unsigned shift = in->at % 8;
	uint64_t v = cfs_le64_get(p) >> shift;

	if (shift > 0 && n + shift > 64)
		v |= (uint64_t)p[8] << (64 - shift);
	in->at += n;
	return n == 64 ? v : v & (((uint64_t)1 << n) - 1);
}

/* The time that is meant by the number v. */
static int64_t clock_time(const struct cfs_cfx *x, const struct cfs_span *loc,
		       uint64_t v)
{
	const uint8_t *row = x->archives[loc->file[0]];
	struct cfs_cfx_clock clock = { (int64_t)cfs_le64_get(row + 16),
				       cfs_le32_get(row + 24) };

	v = v >> 1 ^ (0 - (v & 1));
	return (int64_t)(cfs_cfx_clock_at(&clock, loc->offset) + v);
}

static int take_fixed(const struct cfs_cfx *x, const struct cfs_cfx_class *c,
		      struct bits_in *in, struct cfs_capture *out)
{
	uint64_t v[CFS_CFX_NUMBERS];

	out->loc.file[0] = take_bits(in, x->head.archive_bits);
	out->loc.offset = take_bits(in, x->head.offset_bits);
	if (out->loc.file[0] >= x->n_archives)
		return CFS_EFORMAT;
	for (unsigned i = 0; i < CFS_CFX_NUMBERS; i++)
		v[i] = take_bits(in, c->bits[i]);
	out->time = clock_time(x, &out->loc, v[CFS_CFX_TIME]);
	out->loc.length = v[CFS_CFX_LENGTH];
	out->body_is_exact = c->flags & CFS_CFX_FLAG_BODY;
	if (out->body_is_exact)
		out->body_bytes = v[CFS_CFX_BODY];
	if (c->flags & CFS_CFX_FLAG_PAIR) {
		cfs_view_bytes_set(&out->views, CFS_SLOT_TEXT,
				   v[CFS_CFX_TEXT_BYTES]);
		cfs_view_bytes_set(&out->views, CFS_SLOT_META,
				   v[CFS_CFX_META_BYTES]);
	}
	if (cfs_adjacency_has_length(out->adjacent))
		out->request_bytes = ((uint64_t)c->request_high << 8) +
				     v[CFS_CFX_REQUEST];
	return CFS_OK;
}

/* ---- extras ---- */

/* Reads a companion; CFS_COMPANION_NONE if its kind is not known here. */
static void take_companion(const struct cfs_cfx *x, struct cfs_cursor *c,
				struct cfs_companion *out)
{
	cfs_companion_take(out, c);
	if (out->loc.file[0] >= x->n_archives)
		c->bad = true;
}

/* Reads a digest: a SHA-1 is written out in the iterator. */
static void take_digest(struct cfs_cursor *c, struct cfs_iter *it,
			struct cfs_slice *out)
{
	static const char label[] = "sha1:";
	const size_t n = sizeof(label) - 1;
	uint8_t kind = cfs_cursor_u8(c);

	if (kind == CFS_CFX_DIGEST_TEXT && c->rest.n <= CFS_DIGEST_TEXT_MAX)
		*out = c->rest;
	if (kind != CFS_CFX_DIGEST_SHA1 || c->rest.n != CFS_CFX_SHA1_BYTES)
		return;
	memcpy(it->digest_buf, label, n);
	*out = cfs_slice_of((const uint8_t *)it->digest_buf,
			    n + cfs_digits_put(c->rest.p, CFS_CFX_SHA1_BYTES,
					       5, it->digest_buf + n));
}

static void take_extras(const struct cfs_cfx *x, struct cfs_cursor *c,
			struct cfs_iter *it, struct cfs_capture *out)
{
	struct cfs_cursor in = { cfs_cursor_take(c, cfs_cursor_varint(c)),
				 false };

	while (in.rest.n > 0 && !in.bad) {
		uint64_t tag = cfs_cursor_varint(&in);
		struct cfs_cursor one = {
			cfs_cursor_take(&in, cfs_cursor_varint(&in)), false };

		if (tag == CFS_CFX_EXTRA_MIME)
			out->mime = one.rest;
		else if (tag == CFS_CFX_EXTRA_STATUS)
			out->status = (uint16_t)cfs_cursor_varint(&one);
		else if (tag == CFS_CFX_EXTRA_TEXT)
			take_companion(x, &one, &out->text);
		else if (tag == CFS_CFX_EXTRA_META)
			take_companion(x, &one, &out->meta);
		else if (tag == CFS_CFX_EXTRA_NOTES)
			cfs_cfx_notes_take(&x->head, &one, &out->notes);
		else if (tag == CFS_CFX_EXTRA_RELATED)
			out->related = one.rest;
		else if (tag == CFS_CFX_EXTRA_LIST)
			cfs_view_bytes_take_list(&out->views, &one);
		else if (tag == CFS_CFX_EXTRA_LANGUAGES)
			out->languages = one.rest;
		else if (tag == CFS_CFX_EXTRA_DIGEST)
			take_digest(&one, it, &out->digest);
		in.bad |= one.bad;
	}
	c->bad |= in.bad;
}

/* ---- URLs ---- */

/* Makes the URL from that of the key, of which a part is replaced. */
static int replace_part(const struct cfs_cfx *x, struct cfs_slice of_key,
			struct cfs_cursor *in, struct cfs_iter *it)
{
	uint64_t before = cfs_cursor_varint(in), after = cfs_cursor_varint(in);
	const size_t max = sizeof(it->url_buf);
	size_t n;

	if (in->bad || before > of_key.n || after > of_key.n - before ||
	    before > max ||
	    cfs_symbols_decode(&x->symbols, in->rest, it->url_buf + before,
			       max - (size_t)before, &n) != CFS_OK)
		return CFS_EFORMAT;
	n += (size_t)before;
	if (after > max - n)
		return CFS_EFORMAT;
	if (before > 0)
		memcpy(it->url_buf, of_key.p, (size_t)before);
	if (after > 0)
		memcpy(it->url_buf + n, of_key.p + of_key.n - after,
		       (size_t)after);
	it->url_n = n + (size_t)after;
	return CFS_OK;
}

static int take_url(const struct cfs_cfx *x, struct cfs_cursor *c,
		    struct cfs_iter *it, struct cfs_capture *out)
{
	struct cfs_cursor in = { cfs_cursor_take(c, cfs_cursor_varint(c)),
				 false };
	struct cfs_buf of_key;
	int rc;

	if (c->bad)
		return CFS_EFORMAT;
	rc = cfs_cfx_key_url(it->key, out->scheme, &of_key);
	if (rc == CFS_OK)
		rc = replace_part(x, cfs_buf_slice(&of_key), &in, it);
	cfs_buf_release(&of_key);
	out->url = cfs_slice_of(it->url_buf, it->url_n);
	if (rc == CFS_ENOMEM)
		return rc;
	return rc == CFS_OK ? CFS_OK : CFS_EFORMAT;
}

int cfs_cfx_key_url(struct cfs_slice key, uint8_t scheme, struct cfs_buf *out)
{
	int rc;

	cfs_buf_init(out, CFS_CFX_KEY_URL_MAX);
	rc = cfs_urlkey_url(key, (enum cfs_scheme)scheme, out);
	if (out->failed == CFS_ENOMEM)
		return CFS_ENOMEM;
	if (rc != CFS_OK)
		cfs_buf_reset(out);
	return CFS_OK;
}

/* ---- the value ---- */

int cfs_cfx_value_decode(const struct cfs_cfx *x, struct cfs_iter *it,
			 struct cfs_capture *out)
{
	struct cfs_cursor c = { it->value, false };
	uint64_t number = cfs_cursor_varint(&c);
	const struct cfs_cfx_class *cl;
	struct bits_in in;
	int rc = CFS_OK;

	if (c.bad || number >= x->n_classes)
		return CFS_EFORMAT;
	cl = &x->classes[number];
	in = (struct bits_in){ cfs_cursor_take(&c, cl->fixed).p, 0 };
	out->kind = cl->kind;
	out->scheme = cl->scheme;
	out->status = cl->status;
	out->mime = x->mimes[cl->mime];
	out->adjacent = (uint8_t)cfs_cfx_adjacency(cl->flags);
	if (c.bad || take_fixed(x, cl, &in, out) != CFS_OK)
		return CFS_EFORMAT;
	if (cl->flags & CFS_CFX_FLAG_INNER) {
		out->loc.inner_offset = cfs_cursor_varint(&c);
		out->loc.inner_length = cfs_cursor_varint(&c);
	}
	if (cl->flags & CFS_CFX_FLAG_URL)
		rc = take_url(x, &c, it, out);
	if (rc != CFS_OK)
		return rc;
	if (cl->flags & CFS_CFX_FLAG_EXTRAS)
		take_extras(x, &c, it, out);
	if (x->head.view_version == 0)
		out->views.known = 0;
	return c.bad || c.rest.n > 0 ? CFS_EFORMAT : CFS_OK;
}
