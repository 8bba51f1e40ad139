/* seqfile.c - parses Hadoop SequenceFiles, version 6.
 *
 * Spec: doc/formats.md, "SequenceFiles".
 *     file   = "SEQ" 6, class names, flags, codec, metadata, sync, units
 *     block  = -1 sync, VInt pairs, 4 times (VInt length, codec stream):
 *              key lengths, keys, value lengths, values
 *     record = [-1 sync] i32 length, i32 key length, key, value
 * Integers are big-endian.  In a compressed file without blocks, each value is
 * a codec stream of its own; keys are never compressed.
 *
 * The only checksum is the codec's.
 *
 * Limits: CFS_SEQ_UNIT_MAX, stored and inflated; HEAD_MAX, PAIRS_MAX.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "seqfile.h"

#include "codec/gzip.h"

#define VERSION 6u
#define MAGIC_BYTES 4u
/* Enough for two class names, a codec and a few notes of the writer. */
#define HEAD_SHORT 4096u
#define HEAD_MAX ((size_t)1 << 20)
#define NAME_MAX_BYTES 1024u
#define PAIRS_MAX 4096u			/* pairs of metadata */
#define ESCAPE_BYTES 4u
#define PARTS 4u

/* ---- numbers ---- */

/* The number of bytes that follow the first one. */
static unsigned further_bytes(int first)
{
	if (first < -120)
		return (unsigned)(-120 - first);
	return first < -112 ? (unsigned)(-112 - first) : 0;
}

int64_t cfs_seq_vint(struct cfs_cursor *c)
{
	int first = (int8_t)cfs_cursor_u8(c);
	bool negative = first < -120;
	unsigned n = further_bytes(first);
	struct cfs_slice s = cfs_cursor_take(c, n);
	uint64_t v = 0;

	if (n == 0)
		return first;
	for (size_t i = 0; i < s.n; i++)
		v = v << 8 | s.p[i];
	return (int64_t)(negative ? ~v : v);
}

/* Takes a VInt that counts something: never negative, nor beyond a unit. */
static size_t take_count(struct cfs_cursor *c)
{
	int64_t v = cfs_seq_vint(c);

	if (v < 0 || (uint64_t)v > CFS_SEQ_UNIT_MAX) {
		c->bad = true;
		return 0;
	}
	return (size_t)v;
}

bool cfs_seq_unwrap(enum cfs_seq_class class, struct cfs_slice serialised,
		    struct cfs_slice *out)
{
	struct cfs_cursor c = { serialised, false };
	size_t n =
		class == CFS_SEQ_BYTES ? cfs_cursor_be32(&c) : take_count(&c);

	*out = cfs_cursor_take(&c, n);
	return !c.bad && c.rest.n == 0;
}

/* ---- header ---- */

bool cfs_seq_is_magic(struct cfs_slice s)
{
	return s.n >= MAGIC_BYTES && memcmp(s.p, "SEQ", 3) == 0 && s.p[3] <= 15;
}

static struct cfs_slice take_name(struct cfs_cursor *c)
{
	return cfs_cursor_take(c, take_count(c));
}

static enum cfs_seq_class class_of(struct cfs_slice name)
{
	return cfs_slice_ends(name, CFS_SLICE_LIT(".BytesWritable")) ?
	       CFS_SEQ_BYTES : CFS_SEQ_TEXT;
}

static int set_codec(struct cfs_slice name, struct cfs_seq_head *h,
		     struct cfs_error *err)
{
	if (cfs_slice_ends(name, CFS_SLICE_LIT(".DefaultCodec")) ||
	    cfs_slice_ends(name, CFS_SLICE_LIT(".DeflateCodec")))
		h->codec = CFS_SEQ_ZLIB;
	else if (cfs_slice_ends(name, CFS_SLICE_LIT(".GzipCodec")))
		h->codec = CFS_SEQ_GZIP;
	else
		return cfs_error_set(err, CFS_EUNSUPPORTED,
			"codec '%.*s' is not supported (DefaultCodec and "
			"GzipCodec are)", (int)(name.n < 120 ? name.n : 120),
			(const char *)name.p);
	return CFS_OK;
}

static void skip_metadata(struct cfs_cursor *c)
{
	uint32_t n = cfs_cursor_be32(c);

	if (n > PAIRS_MAX)
		c->bad = true;
	for (uint32_t i = 0; i < n && !c->bad; i++) {
		take_name(c);
		take_name(c);
	}
}

/* CFS_END: the header continues past these bytes (or its lengths are wrong). */
static int parse_head(struct cfs_slice in, struct cfs_seq_head *h,
		      struct cfs_error *err)
{
	struct cfs_cursor c = { in, false };
	struct cfs_slice magic = cfs_cursor_take(&c, MAGIC_BYTES), key, value;
	struct cfs_slice codec = CFS_SLICE_EMPTY, sync;
	uint8_t compressed, block;

	if (!cfs_seq_is_magic(magic))
		return cfs_error_set(err, CFS_EFORMAT, "is not a SequenceFile");
	if (magic.p[3] != VERSION)
		return cfs_error_set(err, CFS_EUNSUPPORTED,
				     "SequenceFile of version %u (only 6 is "
				     "supported)", magic.p[3]);
	key = take_name(&c);
	value = take_name(&c);
	compressed = cfs_cursor_u8(&c);
	block = cfs_cursor_u8(&c);
	if (compressed)
		codec = take_name(&c);
	skip_metadata(&c);
	sync = cfs_cursor_take(&c, CFS_SEQ_SYNC_BYTES);
	if (c.bad)
		return CFS_END;
	if (compressed > 1 || block > compressed || key.n > NAME_MAX_BYTES ||
	    value.n > NAME_MAX_BYTES)
		return cfs_error_set(err, CFS_EFORMAT, "header is damaged");
	*h = (struct cfs_seq_head){ .is_block = block, .first = in.n - c.rest.n,
		.key_class = class_of(key), .value_class = class_of(value) };
	memcpy(h->sync, sync.p, sizeof(h->sync));
	return compressed ? set_codec(codec, h, err) : CFS_OK;
}

int cfs_seq_head_read(struct cfs_source *src, struct cfs_seq_head *out,
		      struct cfs_ctx ctx)
{
	static const size_t sizes[] = { HEAD_SHORT, HEAD_MAX };
	CFS_BUF(b, HEAD_MAX);
	size_t got;
	int rc = CFS_END;

	for (size_t i = 0; i < 2 && rc == CFS_END; i++) {
		if (cfs_buf_reserve(&b, sizes[i]) != CFS_OK) {
			rc = cfs_error_nomem(ctx.err);
			break;
		}
		rc = cfs_source_read_some(src, b.p, sizes[i], 0, &got, ctx);
		if (rc == CFS_OK)
			rc = parse_head(cfs_slice_of(b.p, got), out, ctx.err);
		if (got < sizes[i])
			break;
	}
	if (rc == CFS_END)
		rc = cfs_error_set(ctx.err, CFS_EFORMAT, "header is damaged");
	cfs_error_where(ctx.err, src->name, 0);
	return rc;
}

/* ---- codecs ---- */

/* Appends the contents of a codec stream.  Empty input is an empty value;
 * several gzip members are one stream. */
static int decode(enum cfs_seq_codec codec, struct cfs_slice in,
		  struct cfs_buf *out, struct cfs_error *err)
{
	enum cfs_deflate kind = codec == CFS_SEQ_GZIP ? CFS_DEFLATE_GZIP :
							CFS_DEFLATE_ZLIB;
	const char *why = "";
	int rc = CFS_OK;

	while (rc == CFS_OK && in.n > 0) {
		rc = cfs_inflate(&in, kind, out, &why);
		if (rc == CFS_OK && in.n > 0 && codec != CFS_SEQ_GZIP)
			return cfs_error_set(err, CFS_EFORMAT,
					     "bytes follow compressed data");
	}
	if (rc == CFS_ENOMEM)
		return cfs_error_nomem(err);
	if (rc == CFS_ELIMIT)
		return cfs_error_set(err, rc, "inflates to more than %zu bytes",
				     out->max);
	if (rc == CFS_OK)
		return CFS_OK;
	return cfs_error_set(err, CFS_EFORMAT, "compressed data is %s",
			     rc == CFS_END ? "cut off" : why);
}

/* ---- units ---- */

void cfs_seq_unit_init(struct cfs_seq_unit *u)
{
	*u = (struct cfs_seq_unit){ .n = 0 };
	cfs_buf_init(&u->own, CFS_SEQ_UNIT_MAX);
}

void cfs_seq_unit_release(struct cfs_seq_unit *u)
{
	cfs_buf_release(&u->own);
	u->n = 0;
}

bool cfs_seq_is_mark(const struct cfs_seq_head *h, struct cfs_slice s)
{
	return s.n >= CFS_SEQ_MARK_BYTES &&
	       memcmp(s.p, "\xff\xff\xff\xff", ESCAPE_BYTES) == 0 &&
	       memcmp(s.p + ESCAPE_BYTES, h->sync, CFS_SEQ_SYNC_BYTES) == 0;
}

ptrdiff_t cfs_seq_find_mark(const struct cfs_seq_head *h, struct cfs_slice s)
{
	uint8_t mark[CFS_SEQ_MARK_BYTES] = { 0xff, 0xff, 0xff, 0xff };

	memcpy(mark + ESCAPE_BYTES, h->sync, CFS_SEQ_SYNC_BYTES);
	return cfs_slice_search(s, cfs_slice_of(mark, sizeof(mark)));
}

int cfs_seq_unit_measure(const struct cfs_seq_head *h, struct cfs_slice in,
			 size_t *n)
{
	struct cfs_cursor c = { in, false };
	uint32_t all, key;

	if (!h->is_block) {
		all = cfs_cursor_be32(&c);
		key = cfs_cursor_be32(&c);
		*n = CFS_SEQ_RECORD_HEAD + (c.bad ? 0 : (size_t)all);
		if (c.bad)
			return CFS_END;
		return key > all || all > CFS_SEQ_UNIT_MAX ? CFS_EFORMAT :
							     CFS_OK;
	}
	if (in.n >= CFS_SEQ_MARK_BYTES && !cfs_seq_is_mark(h, in))
		return CFS_EFORMAT;
	cfs_cursor_take(&c, CFS_SEQ_MARK_BYTES);
	for (unsigned i = 0; i <= PARTS; i++) {
		struct cfs_cursor before = c;
		int64_t v = cfs_seq_vint(&c);
		size_t left = c.rest.n, passed = in.n - left;

		if (before.bad || c.bad) {
			*n = in.n + CFS_VARINT_MAX;
			return CFS_END;
		}
		if (v < 0 || (uint64_t)v > CFS_SEQ_UNIT_MAX - passed)
			return CFS_EFORMAT;
		if (i == 0)	/* the number of pairs */
			continue;
		*n = passed + (size_t)v;
		if (*n > CFS_SEQ_UNIT_MAX)
			return CFS_EFORMAT;
		if (i < PARTS && (size_t)v > left)
			return CFS_END;
		cfs_cursor_take(&c, (size_t)v);
	}
	return CFS_OK;
}

static int parse_block(const struct cfs_seq_head *h, struct cfs_slice bytes,
		       struct cfs_seq_unit *u, struct cfs_error *err)
{
	struct cfs_cursor c = { cfs_slice_from(bytes, CFS_SEQ_MARK_BYTES),
				false };
	struct cfs_slice *parts[PARTS] = { &u->key_lengths, &u->keys,
					   &u->value_lengths, &u->values };
	size_t n = take_count(&c), ends[PARTS], from = 0;
	int rc = CFS_OK;

	for (unsigned i = 0; i < PARTS && rc == CFS_OK; i++) {
		struct cfs_slice in = cfs_cursor_take(&c, take_count(&c));

		if (!c.bad)
			rc = decode(h->codec, in, &u->own, err);
		ends[i] = u->own.n;
	}
	if (rc != CFS_OK)
		return rc;
	if (c.bad || c.rest.n > 0 || !cfs_seq_is_mark(h, bytes))
		return cfs_error_set(err, CFS_EFORMAT, "block is damaged");
	for (unsigned i = 0; i < PARTS; from = ends[i++])
		*parts[i] = cfs_slice_sub(cfs_buf_slice(&u->own), from,
					  ends[i] - from);
	u->n = (uint32_t)n;
	/* a length takes at least a byte, which bounds the number of pairs */
	if (n > u->key_lengths.n || n > u->value_lengths.n)
		return cfs_error_set(err, CFS_EFORMAT,
				     "block has fewer lengths than pairs");
	return CFS_OK;
}

static int parse_record(const struct cfs_seq_head *h, struct cfs_slice bytes,
			struct cfs_seq_unit *u, struct cfs_error *err)
{
	struct cfs_cursor c = { bytes, false };
	uint32_t all = cfs_cursor_be32(&c), key_n = cfs_cursor_be32(&c);
	struct cfs_slice value;
	int rc;

	u->keys = cfs_cursor_take(&c, key_n);
	value = c.rest;
	if (c.bad || key_n > all || bytes.n - CFS_SEQ_RECORD_HEAD != all)
		return cfs_error_set(err, CFS_EFORMAT, "record is damaged");
	u->n = 1;
	u->key_lengths = u->value_lengths = CFS_SLICE_EMPTY;
	u->values = value;
	if (h->codec == CFS_SEQ_PLAIN)
		return CFS_OK;
	rc = decode(h->codec, value, &u->own, err);
	u->values = cfs_buf_slice(&u->own);
	return rc;
}

int cfs_seq_unit_parse(const struct cfs_seq_head *head, struct cfs_slice bytes,
		       struct cfs_seq_unit *u, struct cfs_error *err)
{
	int rc;

	cfs_buf_reset(&u->own);
	u->n = 0;
	if (bytes.n > CFS_SEQ_UNIT_MAX)
		return cfs_error_set(err, CFS_ELIMIT,
				     "more than %zu bytes in one piece",
				     CFS_SEQ_UNIT_MAX);
	rc = head->is_block ? parse_block(head, bytes, u, err) :
			      parse_record(head, bytes, u, err);
	if (rc != CFS_OK)
		u->n = 0;
	return rc;
}

void cfs_seq_walk_start(struct cfs_seq_walk *w, const struct cfs_seq_unit *u)
{
	*w = (struct cfs_seq_walk){ .unit = u,
		.key_lengths = { u->key_lengths, false },
		.keys = { u->keys, false },
		.value_lengths = { u->value_lengths, false },
		.values = { u->values, false } };
}

int cfs_seq_walk_next(struct cfs_seq_walk *w, struct cfs_slice *key,
		      struct cfs_slice *value)
{
	if (w->next == w->unit->n)
		return CFS_END;
	w->next++;
	if (w->key_lengths.rest.n == 0 && w->unit->key_lengths.n == 0) {
		*key = w->unit->keys;		/* a unit of a single pair */
		*value = w->unit->values;
		return CFS_OK;
	}
	*key = cfs_cursor_take(&w->keys, take_count(&w->key_lengths));
	*value = cfs_cursor_take(&w->values, take_count(&w->value_lengths));
	return w->key_lengths.bad || w->keys.bad || w->value_lengths.bad ||
	       w->values.bad ? CFS_EFORMAT : CFS_OK;
}

int cfs_seq_unit_get(const struct cfs_seq_unit *u, uint32_t number,
		     struct cfs_slice *key, struct cfs_slice *value)
{
	struct cfs_seq_walk w;
	int rc = CFS_OK;

	if (number >= u->n)
		return CFS_ENOTFOUND;
	cfs_seq_walk_start(&w, u);
	for (uint32_t i = 0; i <= number && rc == CFS_OK; i++)
		rc = cfs_seq_walk_next(&w, key, value);
	return rc;
}
