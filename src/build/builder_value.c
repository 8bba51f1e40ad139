/* builder_value.c - what the builder's sort carries of a capture, a text or a
 * metadata record.
 *
 *      8  time, signed, made unsigned by turning its sign, big-endian
 *      4  archive, big-endian
 *      8  offset, big-endian
 *         varint: flags (enum value_flag)
 *      1  kind
 *      1  scheme
 *         varints: status, length, body size, inner offset, inner length
 *         varint and bytes: MIME type; URL
 *      8  hash of the record id (in a revisit or WET record, of the id it
 *         refers to)
 *      8  hash of the digest
 *      8  hash of the record id, where the first one is another's
 *      8  hash of the id it is concurrent to; all little-endian, if flagged
 *         varints: sizes of the metadata and text views, if flagged
 *         varint and bytes: notes, if flagged
 *
 * so that equal keys come in the order of time, archive and offset.  A text,
 * metadata or related record has the time 0, before all captures; then the
 * same, and
 *      1  enum cfs_side_kind
 *      8  time, little-endian
 *      8  hash of its capture's place, 0 if not known
 *      1  of a related record: what it is, 128 more if it is second; and
 *      1  its form, 128 more if it is alone in one member
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "builder_value.h"

#include "base/hash.h"
#include "codec/json.h"
#include "index/cfx_format.h"
#include "record/digest.h"

enum value_flag { VALUE_EXACT = 1, VALUE_ID = 2, VALUE_DIGEST = 4,
		  VALUE_VIEWS = 8, VALUE_TEXT = 16, VALUE_META = 32,
		  VALUE_WET = 64, VALUE_NOTES = 128, VALUE_RELATED = 256,
		  VALUE_OWN = 512, VALUE_CONCURRENT = 1024 };
#define VALUE_SIDE (VALUE_TEXT | VALUE_META | VALUE_RELATED)
#define SECOND 128u
#define ALONE 128u
#define HEAD_BYTES 20u		/* time, archive, offset */

bool cfs_builder_is_wet(const struct cfs_builder_capture *c)
{
	return c->kind == CFS_KIND_CONVERSION && c->refers_to.n > 0;
}

static void put_head(struct cfs_buf *v, uint64_t time, uint32_t archive,
		     uint64_t offset)
{
	uint8_t head[HEAD_BYTES];

	cfs_be64_put(head, time);
	cfs_be32_put(head + 8, archive);
	cfs_be64_put(head + 12, offset);
	cfs_buf_append(v, head, sizeof(head));
}

static void put_text(struct cfs_buf *v, struct cfs_slice s)
{
	cfs_buf_varint(v, s.n);
	cfs_buf_add(v, s);
}

/* Appends the hash of a reference to a record id or digest, if s is not
 * empty. */
static uint64_t put_hash(struct cfs_buf *v, struct cfs_slice s, bool is_digest,
			 struct cfs_buf *scratch)
{
	uint64_t h;

	if (s.n == 0)
		return 0;
	cfs_buf_reset(scratch);
	cfs_buf_adds(scratch, is_digest ? "digest:" : "id:");
	if (is_digest)
		cfs_digest_add(scratch, s);
	else
		cfs_buf_add(scratch, s);
	h = cfs_hash64(cfs_buf_slice(scratch), 0);
	cfs_buf_le64(v, h);
	return h;
}

/* Bytes that the metadata view has of the notes; 0 where they are no object. */
static uint64_t shown_bytes(struct cfs_slice notes, struct cfs_buf *scratch)
{
	struct cfs_json j = { .out = scratch, .depth = 1 };
	bool is_good;

	cfs_buf_reset(scratch);
	is_good = cfs_json_copy_members(&j, notes);
	return is_good ? scratch->n : 0;
}

void cfs_builder_value_capture(struct cfs_buf *v,
			       const struct cfs_builder_capture *c,
			       uint8_t scheme, struct cfs_slice url,
			       struct cfs_buf *scratch, uint64_t ref[2])
{
	bool is_wet = cfs_builder_is_wet(c);
	bool is_others = c->kind == CFS_KIND_REVISIT || is_wet;
	struct cfs_slice id = is_others ? c->refers_to : c->record_id;
	struct cfs_slice own = is_others ? c->record_id : CFS_SLICE_EMPTY;

	put_head(v, (uint64_t)c->time ^ (uint64_t)1 << 63, c->archive,
		 c->span.offset);
	cfs_buf_varint(v, (c->body_is_exact ? VALUE_EXACT : 0) |
			  (id.n ? VALUE_ID : 0) |
			  (c->digest.n ? VALUE_DIGEST : 0) |
			  (c->has_view_bytes ? VALUE_VIEWS : 0) |
			  (is_wet ? VALUE_WET : 0) |
			  (c->notes.n ? VALUE_NOTES : 0) |
			  (own.n ? VALUE_OWN : 0) |
			  (c->concurrent_to.n ? VALUE_CONCURRENT : 0));
	cfs_buf_addc(v, (uint8_t)c->kind);
	cfs_buf_addc(v, scheme);
	cfs_buf_varint(v, c->status);
	cfs_buf_varint(v, c->span.length);
	cfs_buf_varint(v, c->body_is_exact ? c->body_bytes : 0);
	cfs_buf_varint(v, c->span.inner_length ? c->span.inner_offset : 0);
	cfs_buf_varint(v, c->span.inner_length);
	put_text(v, cfs_slice_sub(c->mime, 0, CFS_CFX_MIME_MAX));
	put_text(v, url);
	ref[0] = put_hash(v, id, false, scratch);
	ref[1] = put_hash(v, c->digest, true, scratch);
	put_hash(v, own, false, scratch);
	put_hash(v, c->concurrent_to, false, scratch);
	if (c->has_view_bytes) {
		cfs_buf_varint(v, c->meta_bytes + (c->notes.n == 0 ? 0 :
				  shown_bytes(c->notes, scratch)));
		cfs_buf_varint(v, c->text_bytes);
	}
	if (c->notes.n > 0)
		put_text(v, c->notes);
}

void cfs_builder_value_side(struct cfs_buf *v,
			    const struct cfs_builder_side *s, uint8_t scheme,
			    struct cfs_slice url, struct cfs_buf *scratch)
{
	struct cfs_slice own = s->is_related ? s->record_id : CFS_SLICE_EMPTY;
	unsigned refers = s->is_related ? VALUE_CONCURRENT : VALUE_ID;

	put_head(v, 0, s->archive, s->span.offset);
	cfs_buf_varint(v, (s->is_related ? VALUE_RELATED :
			   s->is_meta ? VALUE_META : VALUE_TEXT) |
			  (own.n ? VALUE_OWN : 0) |
			  (s->refers_to.n ? refers : 0));
	cfs_buf_addc(v, CFS_KIND_SIDE);
	cfs_buf_addc(v, scheme);
	cfs_buf_varint(v, s->status);
	cfs_buf_varint(v, s->span.length);
	cfs_buf_varint(v, s->bytes);
	cfs_buf_varint(v, s->span.inner_offset);
	cfs_buf_varint(v, s->span.inner_length);
	put_text(v, CFS_SLICE_EMPTY);
	put_text(v, url);
	put_hash(v, own, false, scratch);
	put_hash(v, s->refers_to, false, scratch);
	cfs_buf_addc(v, (uint8_t)s->container);
	cfs_buf_le64(v, (uint64_t)s->time);
	cfs_buf_le64(v, s->has_place ? cfs_join_place(s->place_archive,
						      s->place_offset) : 0);
	if (s->is_related) {
		cfs_buf_addc(v, (uint8_t)(s->related.what |
				(s->related.is_second ? SECOND : 0)));
		cfs_buf_addc(v, (uint8_t)(s->related.form |
					  (s->is_one_member ? ALONE : 0)));
	}
}

static enum cfs_join_what what_of(unsigned flags)
{
	if (flags & VALUE_RELATED)
		return CFS_JOIN_RELATED;
	if (flags & VALUE_SIDE)
		return flags & VALUE_META ? CFS_JOIN_META : CFS_JOIN_TEXT;
	return flags & VALUE_WET ? CFS_JOIN_CONVERSION : CFS_JOIN_PAGE;
}

bool cfs_builder_value_decode(struct cfs_slice value,
			      struct cfs_join_item *item)
{
	struct cfs_cursor c = { value, false };
	struct cfs_slice head = cfs_cursor_take(&c, HEAD_BYTES);
	struct cfs_capture *e = &item->e;
	unsigned flags;

	if (c.bad)
		return false;
	e->time = (int64_t)(cfs_be64_get(head.p) ^ (uint64_t)1 << 63);
	e->loc.file[0] = cfs_be32_get(head.p + 8);
	e->loc.offset = cfs_be64_get(head.p + 12);
	flags = (unsigned)cfs_cursor_varint(&c);
	e->body_is_exact = flags & VALUE_EXACT;
	e->kind = (enum cfs_kind)cfs_cursor_u8(&c);
	e->scheme = cfs_cursor_u8(&c);
	e->status = (uint16_t)cfs_cursor_varint(&c);
	e->loc.length = cfs_cursor_varint(&c);
	e->body_bytes = cfs_cursor_varint(&c);
	e->loc.inner_offset = cfs_cursor_varint(&c);
	e->loc.inner_length = cfs_cursor_varint(&c);
	e->mime = cfs_cursor_take(&c, cfs_cursor_varint(&c));
	e->url = cfs_cursor_take(&c, cfs_cursor_varint(&c));
	item->what = what_of(flags);
	item->ref[0] = flags & VALUE_ID ? cfs_cursor_le64(&c) : 0;
	item->ref[1] = flags & VALUE_DIGEST ? cfs_cursor_le64(&c) : 0;
	item->id = e->kind == CFS_KIND_REVISIT ? 0 : item->ref[0];
	item->own = flags & VALUE_OWN ? cfs_cursor_le64(&c) : item->id;
	item->concurrent = flags & VALUE_CONCURRENT ? cfs_cursor_le64(&c) : 0;
	if (item->what != CFS_JOIN_PAGE)
		item->ref[0] = 0;
	e->has_view_bytes = flags & VALUE_VIEWS;
	if (flags & VALUE_VIEWS) {
		e->meta_bytes = cfs_cursor_varint(&c);
		e->text_bytes = cfs_cursor_varint(&c);
	}
	if (flags & VALUE_NOTES)
		item->notes = cfs_cursor_take(&c, cfs_cursor_varint(&c));
	if (flags & VALUE_SIDE) {
		item->container = (enum cfs_side_kind)cfs_cursor_u8(&c);
		e->time = (int64_t)cfs_cursor_le64(&c);
		item->place = cfs_cursor_le64(&c);
	}
	if (flags & VALUE_RELATED) {
		uint8_t what = cfs_cursor_u8(&c), form = cfs_cursor_u8(&c);

		item->related.what = what % SECOND;
		item->related.is_second = what >= SECOND;
		item->related.form = form % ALONE;
		item->is_one_member = form >= ALONE;
		item->bytes = e->body_bytes;
		e->body_bytes = 0;
		c.bad |= item->related.what >= CFS_RELATED_KINDS;
	}
	return !c.bad && c.rest.n == 0;
}
