/* sort_value.c - encodes captures, texts and metadata records as the values
 * of the builder's sort.
 *
 *      8  time, signed, its sign bit inverted, big-endian
 *      4  archive, big-endian
 *      8  offset, big-endian
 *         varint: flags (enum value_flag)
 *      1  kind
 *      1  scheme
 *         varints: status (of a segment, its number), length, body size,
 *         inner offset, inner length
 *         varint and bytes: MIME type; URL
 *      8  hash of the record id (in a revisit or WET record, of the id it
 *         refers to); this and the others are short (cfs_cfx_short_hash)
 *      8  hash of the digest
 *      8  hash of the record's own id, where the first one is another's
 *      8  hash of the id it is concurrent to; all little-endian, if flagged
 *         sizes of views: a pair, a list (index/view_bytes.h), if flagged
 *         varint and bytes: notes; languages; digest, if flagged
 *         for an entry of another index, if flagged: enum cfs_adjacency and
 *         the request's length (varints); varint and bytes: the list of
 *         related records; text; metadata (index/related.h)
 *         varint n, n times 8 bytes: hashes by which its revisits refer to it
 *
 * Values of equal keys are therefore sorted by time, archive and offset.  A
 * text, metadata or related record has the time 0, before all captures; then
 * the same fields, and
 *
 *      1  enum cfs_companion_kind
 *      8  time, little-endian
 *     12  zero
 *      1  related record: its kind, plus 128 if is_second; and
 *      1  its form, plus 128 if it fills one member by itself
 *      8  metadata, if flagged: cfs_join_arc_place, little-endian; and
 *         varint: the segment of the archive
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sort_value.h"

#include "base/clamp.h"
#include "base/hash.h"
#include "codec/json.h"
#include "format/cfx/cfx_joindata.h"
#include "index/related.h"
#include "index/language_codes.h"
#include "record/digest.h"
#include "url/url.h"

enum value_flag {
	VALUE_EXACT = 1,
	VALUE_ID = 2,
	VALUE_DIGEST = 4,
	VALUE_PAIR = 8,
	VALUE_TEXT = 16,
	VALUE_META = 32,
	VALUE_WET = 64,
	VALUE_NOTES = 128,
	VALUE_RELATED = 256,
	VALUE_OWN = 512,
	VALUE_CONCURRENT = 1024,
	/* entries of indexes, not in lists: */
	VALUE_ADJACENT = 2048,
	VALUE_LIST = 4096,
	VALUE_HAS_TEXT = 8192,
	VALUE_HAS_META = 16384,
	VALUE_ASKED = 32768,
	VALUE_HAS_RELATED = 65536,
	VALUE_SEGMENTED = 131072,
	VALUE_SIZES = 262144,
	VALUE_PLACE = 524288,
	VALUE_WAS_SEGMENTED = 1048576,	/* only of an entry of a part */
	VALUE_LANGUAGES = 2097152,
	VALUE_KEPT_DIGEST = 4194304,
};
#define VALUE_ANNEX (VALUE_TEXT | VALUE_META | VALUE_RELATED)
#define SECOND 128u
#define ALONE 128u
#define HEAD_BYTES 20u		/* time, archive, offset */
#define ZERO_BYTES 12u

/* True for the text of another record (WET).  That record may be in the index
 * too, so the text is joined by its id. */
static bool is_wet_text(const struct cfs_builder_capture *c)
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

/* The short hash of a record id or digest; 0 if s is empty. */
static uint64_t sort_value_hash(struct cfs_slice s, bool is_digest,
				struct cfs_buf *scratch)
{
	if (s.n == 0)
		return 0;
	cfs_buf_reset(scratch);
	cfs_buf_adds(scratch, is_digest ? "digest:" : "id:");
	if (is_digest)
		cfs_digest_add(scratch, s);
	else
		cfs_buf_add(scratch, s);
	return cfs_cfx_short_hash(cfs_hash64(cfs_buf_slice(scratch), 0),
				  is_digest ? CFS_CFX_REF_HASH_BYTES :
					      CFS_CFX_ID_HASH_BYTES);
}

static unsigned flags_of_sizes(const struct cfs_view_bytes *s)
{
	return cfs_flag(cfs_view_bytes_have_pair(s), VALUE_PAIR) |
	       cfs_flag(cfs_view_bytes_listed(s) != 0, VALUE_SIZES);
}

static void sort_value_put_sizes(struct cfs_buf *v,
				 const struct cfs_view_bytes *s)
{
	uint8_t bytes[CFS_VIEW_BYTES_MAX];

	cfs_buf_append(v, bytes, cfs_view_bytes_put_pair(s, bytes));
	cfs_buf_append(v, bytes, cfs_view_bytes_put_list(s, bytes));
}

/* Bytes that the notes take in the metadata view; 0 if they are not an
 * object. */
static uint64_t shown_bytes(struct cfs_slice notes, struct cfs_buf *scratch)
{
	struct cfs_json j = { .out = scratch, .depth = 1 };
	bool is_good;

	cfs_buf_reset(scratch);
	is_good = cfs_json_copy_members(&j, notes);
	return is_good ? scratch->n : 0;
}

/* ---- encoding ---- */

/* The stored id.  ref[0] of anything but a page is 0: revisits cannot refer to
 * it. */
static uint64_t sort_value_id_of(const struct cfs_join_item *t)
{
	return t->what == CFS_JOIN_PAGE ? t->ref[0] : t->id;
}

static unsigned flags_of_what(const struct cfs_join_item *t)
{
	static const unsigned flags[] = {
		[CFS_JOIN_PAGE] = 0, [CFS_JOIN_CONVERSION] = VALUE_WET,
		[CFS_JOIN_TEXT] = VALUE_TEXT, [CFS_JOIN_META] = VALUE_META,
		[CFS_JOIN_RELATED] = VALUE_RELATED };

	return flags[t->what];
}

static unsigned flags_of(const struct cfs_join_item *t)
{
	const struct cfs_capture *e = &t->e;

	return flags_of_what(t) | flags_of_sizes(&e->views) |
	       cfs_flag(e->body_is_exact, VALUE_EXACT) |
	       cfs_flag(t->is_segmented, VALUE_SEGMENTED) |
	       cfs_flag(t->was_segmented, VALUE_WAS_SEGMENTED) |
	       cfs_flag(sort_value_id_of(t) != 0, VALUE_ID) |
	       cfs_flag(t->ref[1] != 0, VALUE_DIGEST) |
	       cfs_flag(t->notes.n > 0, VALUE_NOTES) |
	       cfs_flag(e->languages.n > 0, VALUE_LANGUAGES) |
	       cfs_flag(e->digest.n > 0, VALUE_KEPT_DIGEST) |
	       cfs_flag(t->own != 0 && t->own != t->id, VALUE_OWN) |
	       cfs_flag(t->concurrent != 0, VALUE_CONCURRENT) |
	       cfs_flag(t->arc_place != 0, VALUE_PLACE) |
	       cfs_flag(e->adjacent != 0, VALUE_ADJACENT) |
	       cfs_flag(e->related.n > 0, VALUE_LIST) |
	       cfs_flag(e->text.kind != CFS_COMPANION_NONE, VALUE_HAS_TEXT) |
	       cfs_flag(e->meta.kind != CFS_COMPANION_NONE, VALUE_HAS_META) |
	       cfs_flag(t->had & CFS_CFX_ID_RELATED, VALUE_HAS_RELATED) |
	       cfs_flag(t->n_asked > 0, VALUE_ASKED);
}

static uint64_t stored_bytes(const struct cfs_join_item *t)
{
	if (t->what == CFS_JOIN_RELATED)
		return t->bytes;
	return t->e.body_is_exact || t->what >= CFS_JOIN_TEXT ?
	       t->e.body_bytes : 0;
}

static void put_hashes(struct cfs_buf *v, unsigned flags,
		       const struct cfs_join_item *t)
{
	if (flags & VALUE_ID)
		cfs_buf_le64(v, sort_value_id_of(t));
	if (flags & VALUE_DIGEST)
		cfs_buf_le64(v, t->ref[1]);
	if (flags & VALUE_OWN)
		cfs_buf_le64(v, t->own);
	if (flags & VALUE_CONCURRENT)
		cfs_buf_le64(v, t->concurrent);
}

static void put_annex(struct cfs_buf *v,
				const struct cfs_companion *s)
{
	uint8_t bytes[CFS_COMPANION_MAX];

	cfs_buf_append(v, bytes, cfs_companion_put(s, bytes));
}

/* Appends what only an entry of another index has. */
static void sort_value_put_entry(struct cfs_buf *v, unsigned flags,
				 const struct cfs_join_item *t)
{
	const struct cfs_capture *e = &t->e;

	if (flags & VALUE_ADJACENT) {
		cfs_buf_varint(v, e->adjacent);
		cfs_buf_varint(v, e->request_bytes);
	}
	if (flags & VALUE_LIST)
		cfs_buf_text(v, e->related);
	if (flags & VALUE_HAS_TEXT)
		put_annex(v, &e->text);
	if (flags & VALUE_HAS_META)
		put_annex(v, &e->meta);
	if (flags & VALUE_ASKED)
		cfs_buf_varint(v, t->n_asked);
	for (unsigned i = 0; i < t->n_asked; i++)
		cfs_buf_le64(v, t->asked[i]);
}

/* Appends the fields that only a text, metadata or related record has. */
static void sort_value_put_own(struct cfs_buf *v, const struct cfs_join_item *t)
{
	static const uint8_t zero[ZERO_BYTES];

	cfs_buf_addc(v, (uint8_t)t->container);
	cfs_buf_le64(v, (uint64_t)t->e.time);
	cfs_buf_append(v, zero, sizeof(zero));
	if (t->what == CFS_JOIN_RELATED) {
		cfs_buf_addc(v, (uint8_t)(t->related.what |
				cfs_flag(t->related.is_second, SECOND)));
		cfs_buf_addc(v, (uint8_t)(t->related.form |
					  cfs_flag(t->is_one_member, ALONE)));
	}
	if (t->arc_place != 0) {
		cfs_buf_le64(v, t->arc_place);
		cfs_buf_varint(v, t->arc_segment);
	}
}

void cfs_builder_value_encode(struct cfs_buf *v, const struct cfs_join_item *t)
{
	const struct cfs_capture *e = &t->e;
	unsigned flags = flags_of(t);
	bool is_annex = t->what >= CFS_JOIN_TEXT;

	put_head(v, is_annex ? 0 : (uint64_t)e->time ^ (uint64_t)1 << 63,
		 (uint32_t)e->loc.file[0], e->loc.offset);
	cfs_buf_varint(v, flags);
	cfs_buf_addc(v, (uint8_t)e->kind);
	cfs_buf_addc(v, e->scheme);
	cfs_buf_varint(v, e->status);
	cfs_buf_varint(v, e->loc.length);
	cfs_buf_varint(v, stored_bytes(t));
	cfs_buf_varint(v, is_annex || e->loc.inner_length > 0 ?
			  e->loc.inner_offset : 0);
	cfs_buf_varint(v, e->loc.inner_length);
	cfs_buf_text(v, e->mime);
	cfs_buf_text(v, e->url);
	put_hashes(v, flags, t);
	sort_value_put_sizes(v, &e->views);
	if (flags & VALUE_NOTES)
		cfs_buf_text(v, t->notes);
	if (flags & VALUE_LANGUAGES)
		cfs_buf_text(v, e->languages);
	if (flags & VALUE_KEPT_DIGEST)
		cfs_buf_text(v, e->digest);
	sort_value_put_entry(v, flags, t);
	if (is_annex)
		sort_value_put_own(v, t);
}

/* ---- what the indexer hands over ---- */

void cfs_builder_value_capture(struct cfs_buf *v,
			       const struct cfs_builder_capture *c,
			       uint8_t scheme, struct cfs_slice url,
			       struct cfs_buf *scratch, uint64_t ref[2])
{
	bool is_wet = is_wet_text(c);
	bool is_others = c->kind == CFS_KIND_REVISIT || is_wet;
	struct cfs_join_item t = { .notes = c->notes,
		.is_segmented = c->is_segmented,
		.e = { .kind = c->kind, .scheme = scheme, .url = url,
		       .mime = cfs_slice_sub(c->mime, 0, CFS_CFX_MIME_MAX),
		       .time = c->time, .status = c->status, .loc = c->span,
		       .body_is_exact = c->body_is_exact,
		       .body_bytes = c->body_bytes, .views = c->views,
		       .languages = c->languages,
		       .digest = cfs_slice_sub(c->kept_digest, 0,
					       CFS_DIGEST_TEXT_MAX) } };

	t.e.loc.file[0] = c->archive;
	t.what = is_wet ? CFS_JOIN_CONVERSION : CFS_JOIN_PAGE;
	ref[0] = sort_value_hash(is_others ? c->refers_to : c->record_id,
				 false, scratch);
	ref[1] = sort_value_hash(c->digest, true, scratch);
	t.ref[0] = ref[0];
	t.ref[1] = ref[1];
	t.id = c->kind == CFS_KIND_REVISIT ? 0 : ref[0];
	if (is_others)
		t.own = sort_value_hash(c->record_id, false, scratch);
	t.concurrent = sort_value_hash(c->concurrent_to, false, scratch);
	if (c->notes.n > 0 && cfs_view_bytes_are_known(&t.e.views,
						       CFS_SLOT_META))
		t.e.views.bytes[CFS_SLOT_META] += shown_bytes(c->notes,
							      scratch);
	cfs_builder_value_encode(v, &t);
}

static enum cfs_join_what sort_value_kind_of(const struct cfs_builder_annex *s)
{
	if (s->is_related)
		return CFS_JOIN_RELATED;
	return s->is_meta ? CFS_JOIN_META : CFS_JOIN_TEXT;
}

void cfs_builder_value_annex(struct cfs_buf *v,
			    const struct cfs_builder_annex *s, uint8_t scheme,
			    struct cfs_slice url, struct cfs_buf *scratch)
{
	uint64_t refers_to = sort_value_hash(s->refers_to, false, scratch);
	struct cfs_join_item t = { .what = sort_value_kind_of(s),
		.container = s->container, .bytes = s->bytes,
		.related = s->related, .is_one_member = s->is_one_member,
		.e = { .kind = CFS_KIND_ANNEX, .scheme = scheme, .url = url,
		       .mime = CFS_SLICE_EMPTY, .time = s->time,
		       .status = s->status, .loc = s->span,
		       .body_bytes = s->bytes } };

	t.e.loc.file[0] = s->archive;
	if (s->is_related) {
		t.e.status = s->related.segment;
		t.own = sort_value_hash(s->record_id, false, scratch);
		t.concurrent = refers_to;
	} else {
		t.id = refers_to;
	}
	if (s->has_place) {
		t.arc_place = cfs_join_arc_place(s->place_date_ms,
						 s->place_partition,
						 s->place_offset);
		t.arc_segment = s->place_segment;
	}
	cfs_builder_value_encode(v, &t);
}

/* ---- records of another index ---- */

bool cfs_builder_value_renumber(struct cfs_join_item *t,
				const uint32_t *numbers, uint32_t n_numbers)
{
	if (t->e.loc.file[0] >= n_numbers)
		return false;
	t->e.loc.file[0] = numbers[t->e.loc.file[0]];
	return true;
}

/* ---- decoding ---- */

static void take_entry(struct cfs_cursor *c, unsigned flags,
		       struct cfs_join_item *t)
{
	if (flags & VALUE_ADJACENT) {
		t->e.adjacent = (uint8_t)cfs_cursor_varint(c);
		t->e.request_bytes = cfs_cursor_varint(c);
	}
	if (flags & VALUE_LIST)
		t->e.related = cfs_cursor_text(c);
	if (flags & VALUE_HAS_TEXT)
		c->bad |= !cfs_companion_take(&t->e.text, c);
	if (flags & VALUE_HAS_META)
		c->bad |= !cfs_companion_take(&t->e.meta, c);
	t->had = cfs_flag(flags & VALUE_HAS_TEXT, CFS_CFX_ID_TEXT) |
		 cfs_flag(flags & VALUE_HAS_META, CFS_CFX_ID_META) |
		 cfs_flag(flags & VALUE_HAS_RELATED, CFS_CFX_ID_RELATED);
	if (flags & VALUE_ASKED)
		t->n_asked = (unsigned)cfs_cursor_varint(c);
	if (t->n_asked > CFS_JOIN_ASKED_MAX) {
		t->n_asked = 0;
		c->bad = true;
	}
	for (unsigned i = 0; i < t->n_asked; i++)
		t->asked[i] = cfs_cursor_le64(c);
}

static uint64_t take_short(struct cfs_cursor *c, unsigned bytes)
{
	return cfs_cfx_short_hash(cfs_cursor_le64(c), bytes);
}

/* Takes the hashes that are flagged, and what follows from them. */
static void take_hashes(struct cfs_cursor *c, unsigned flags,
			struct cfs_join_item *t)
{
	const unsigned n = CFS_CFX_ID_HASH_BYTES;

	t->ref[0] = flags & VALUE_ID ? take_short(c, n) : 0;
	t->ref[1] = flags & VALUE_DIGEST ?
		    take_short(c, CFS_CFX_REF_HASH_BYTES) : 0;
	t->id = t->e.kind == CFS_KIND_REVISIT ? 0 : t->ref[0];
	t->own = flags & VALUE_OWN ? take_short(c, n) : t->id;
	t->concurrent = flags & VALUE_CONCURRENT ? take_short(c, n) : 0;
	if (t->what != CFS_JOIN_PAGE)
		t->ref[0] = 0;
}

static enum cfs_join_what what_of(unsigned flags)
{
	if (flags & VALUE_RELATED)
		return CFS_JOIN_RELATED;
	if (flags & VALUE_ANNEX)
		return flags & VALUE_META ? CFS_JOIN_META : CFS_JOIN_TEXT;
	return flags & VALUE_WET ? CFS_JOIN_CONVERSION : CFS_JOIN_PAGE;
}

/* Takes the fields that only a text, metadata or related record has. */
static void take_own(struct cfs_cursor *c, unsigned flags,
		     struct cfs_join_item *item)
{
	uint8_t what, form;

	item->container = (enum cfs_companion_kind)cfs_cursor_u8(c);
	item->e.time = (int64_t)cfs_cursor_le64(c);
	cfs_cursor_take(c, ZERO_BYTES);
	if (flags & VALUE_PLACE) {
		item->arc_place = cfs_cursor_le64(c);
		item->arc_segment = cfs_cursor_varint(c);
		c->bad |= item->what != CFS_JOIN_META || item->arc_place == 0;
		return;
	}
	if (!(flags & VALUE_RELATED))
		return;
	what = cfs_cursor_u8(c);
	form = cfs_cursor_u8(c);
	item->related.what = what % SECOND;
	item->related.is_second = what >= SECOND;
	item->related.form = form % ALONE;
	item->is_one_member = form >= ALONE;
	if (item->related.what == CFS_RELATED_SEGMENT)
		item->related.segment = item->e.status <= CFS_SEGMENTS_MAX + 1 ?
					(uint8_t)item->e.status : 0;
	item->bytes = item->e.body_bytes;
	item->e.body_bytes = 0;
	c->bad |= item->related.what >= CFS_RELATED_KINDS;
}

static bool is_annex(const struct cfs_companion *s)
{
	return s->loc.file[0] <= UINT32_MAX;
}

/* Values of indexes and parts come from files that may have been crafted, with
 * valid checksums, so what index writers rely on is checked here. */
static bool is_possible(const struct cfs_join_item *item)
{
	const struct cfs_capture *e = &item->e;

	return e->kind <= CFS_KIND_ANNEX && e->scheme <= CFS_SCHEME_FTP &&
	       e->adjacent < CFS_ADJACENT_COUNT &&
	       e->url.n <= CFS_URL_MAX && e->mime.n <= CFS_CFX_MIME_MAX &&
	       e->loc.offset <= INT64_MAX && e->loc.length <= INT64_MAX &&
	       item->notes.n <= CFS_NOTES_MAX &&
	       e->languages.n <= CFS_LANGUAGES_BYTES &&
	       e->digest.n <= CFS_DIGEST_TEXT_MAX &&
	       e->related.n <= CFS_RELATED_LIST_MAX &&
	       is_annex(&e->text) && is_annex(&e->meta) &&
	       item->container <= CFS_COMPANION_WARC &&
	       item->related.form < CFS_RELATED_FORMS;
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
	item->raw = value;
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
	e->mime = cfs_cursor_text(&c);
	e->url = cfs_cursor_text(&c);
	item->what = what_of(flags);
	take_hashes(&c, flags, item);
	item->is_segmented = flags & VALUE_SEGMENTED;
	item->was_segmented = flags & VALUE_WAS_SEGMENTED;
	if (flags & VALUE_PAIR)
		cfs_view_bytes_take_pair(&e->views, &c);
	if (flags & VALUE_SIZES)
		cfs_view_bytes_take_list(&e->views, &c);
	if (flags & VALUE_NOTES)
		item->notes = cfs_cursor_text(&c);
	if (flags & VALUE_LANGUAGES)
		e->languages = cfs_cursor_text(&c);
	if (flags & VALUE_KEPT_DIGEST)
		e->digest = cfs_cursor_text(&c);
	take_entry(&c, flags, item);
	if (flags & VALUE_ANNEX)
		take_own(&c, flags, item);
	return !c.bad && c.rest.n == 0 && is_possible(item);
}
