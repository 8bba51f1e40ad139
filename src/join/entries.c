/* entries.c - joins the items of a key, and writes its entries.
 *
 * At most GROUP_MAX items of a key are joined at a time.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "entries.h"

#include <stdlib.h>

#include "base/clamp.h"
#include "format/cfx/cfx_joindata.h"
#include "index/related.h"

/* Items of one key, and their bytes, that are joined at a time. */
#define GROUP_MAX 65536u
#define GROUP_BYTES ((size_t)32 << 20)
#define SPAN_BYTES 6u
/* Most entries that one item of the ids stands for. */
#define RUN_MAX ((uint64_t)1 << 32)
/* The most that is noted about an entry: four hashes and sizes. */
#define ID_BYTES_MAX (4u * 8u + 2u * CFS_VIEW_BYTES_MAX)

void cfs_entries_init(struct cfs_entries *e,
		      const struct cfs_entries_opts *opts)
{
	*e = (struct cfs_entries){ .o = *opts };
	cfs_buf_init(&e->key, CFS_KEY_MAX);
	cfs_buf_init(&e->values, GROUP_BYTES);
	cfs_buf_init(&e->spans, SPAN_BYTES * GROUP_MAX);
	cfs_buf_init(&e->lists, CFS_RELATED_LIST_MAX * GROUP_MAX);
	cfs_buf_init(&e->item, CFS_CFX_JOINDATA_BLOCK_BYTES);
	cfs_buf_init(&e->run, CFS_CFX_JOINDATA_RUN_BYTES);
	cfs_buf_init(&e->annex_key, CFS_KEY_MAX);
}

void cfs_entries_release(struct cfs_entries *e)
{
	cfs_buf_release(&e->key);
	cfs_buf_release(&e->values);
	cfs_buf_release(&e->spans);
	cfs_buf_release(&e->lists);
	cfs_buf_release(&e->item);
	cfs_buf_release(&e->run);
	cfs_buf_release(&e->annex_key);
}

/* ---- joindata ---- */

static int put_joindata(struct cfs_entries *e, enum cfs_cfx_joindata_of which,
		    struct cfs_error *err)
{
	return e->item.failed != CFS_OK ?
	       cfs_error_set(err, e->item.failed, "an entry is too long") :
	       cfs_cfx_writer_joindata(e->o.writer, which,
				       cfs_buf_slice(&e->item), err);
}

/* Adds the entries about which the same bits are noted to the joindata. */
static int put_run(struct cfs_entries *e, struct cfs_error *err)
{
	uint64_t n = e->run_n;

	if (n == 0)
		return CFS_OK;
	cfs_buf_reset(&e->item);
	if (e->run_bits == 0) {
		cfs_buf_varint(&e->item, 2 * n);
	} else {
		cfs_buf_varint(&e->item, 2 * e->run_bits + 1);
		cfs_buf_varint(&e->item, n);
		cfs_buf_add(&e->item, cfs_buf_slice(&e->run));
	}
	e->run_n = 0;
	if (e->run.failed != CFS_OK)
		return cfs_error_nomem(err);
	cfs_buf_reset(&e->run);
	return put_joindata(e, CFS_CFX_JOINDATA_IDS, err);
}

/* True if the sizes are those of views that the crawl's own text and metadata
 * replace. */
static bool hides_sizes(const struct cfs_capture *e)
{
	uint32_t shown = e->views.known;

	for (unsigned slot = 0; slot < CFS_VIEW_SLOTS; slot++)
		if (cfs_capture_replaces(e, slot))
			shown &= ~(1u << slot);
	return e->views.known != 0 && shown == 0;
}

static bool is_incomplete(const struct cfs_join_item *t)
{
	return (t->is_segmented || t->was_segmented) && !t->is_whole;
}

/* hidden: the sizes of views that the entry is written without.  is_start: it
 * is the first segment of a record that is not complete. */
static unsigned bits_of(const struct cfs_join_item *t,
			const struct cfs_view_bytes *hidden, bool is_start)
{
	if (t->what != CFS_JOIN_PAGE)
		return CFS_CFX_ID_ANNEX;
	return cfs_flag(t->ref[0] != 0, CFS_CFX_ID_ID) |
	       cfs_flag(t->ref[1] != 0, CFS_CFX_ID_DIGEST) |
	       cfs_flag(t->own != t->id, CFS_CFX_ID_OWN) |
	       cfs_flag(t->concurrent != 0, CFS_CFX_ID_CONCURRENT) |
	       cfs_flag(cfs_view_bytes_have_pair(hidden), CFS_CFX_ID_PAIR) |
	       cfs_flag(cfs_view_bytes_listed(hidden) != 0, CFS_CFX_ID_LIST) |
	       cfs_flag(is_start, CFS_CFX_ID_SEGMENTED) | t->had;
}

static void put_id(struct cfs_buf *b, uint64_t hash, unsigned bytes)
{
	uint8_t le[8];

	cfs_le64_put(le, hash);
	cfs_buf_append(b, le, bytes);
}

/* Appends what bits_of says that there is. */
static void put_ids(struct cfs_buf *b, unsigned bits,
		    const struct cfs_join_item *t,
		    const struct cfs_view_bytes *hidden)
{
	const uint64_t hashes[] = { t->ref[0], t->ref[1], t->own,
				    t->concurrent };
	uint8_t sizes[CFS_VIEW_BYTES_MAX];

	for (unsigned i = 0; i < sizeof(hashes) / sizeof(*hashes); i++)
		if (bits >> i & 1)
			put_id(b, hashes[i],
			       cfs_cfx_id_bytes(1u << i));
	if (bits & CFS_CFX_ID_PAIR)
		cfs_buf_append(b, sizes, cfs_view_bytes_put_pair(hidden,
								 sizes));
	if (bits & CFS_CFX_ID_LIST)
		cfs_buf_append(b, sizes, cfs_view_bytes_put_list(hidden,
								 sizes));
}

/* hidden: as in bits_of */
static int note_ids(struct cfs_entries *e, const struct cfs_join_item *t,
		    const struct cfs_view_bytes *hidden, struct cfs_error *err)
{
	unsigned bits = bits_of(t, hidden, e->o.is_part && is_incomplete(t));
	int rc = CFS_OK;

	if (!e->o.keeps_joins)
		return CFS_OK;
	if (bits != e->run_bits || e->run_n == RUN_MAX ||
	    e->run.n + ID_BYTES_MAX > CFS_CFX_JOINDATA_RUN_BYTES)
		rc = put_run(e, err);
	e->run_bits = bits;
	e->run_n++;
	put_ids(&e->run, bits, t, hidden);
	return rc;
}

/* Where lone annexes are left out, they are not kept for later captures either.
 * The text of a WET file is then still an entry, which is read from the
 * joindata. */
static bool entries_is_kept(const struct cfs_entries *e,
			    const struct cfs_join_item *t)
{
	return t->is_kept &&
	       (!e->o.no_lone_annexes || e->o.is_part ||
		t->what == CFS_JOIN_CONVERSION ||
		(t->is_dropped &&
		 (t->what != CFS_JOIN_RELATED || t->given_1 != 0)));
}

static int note_annex(struct cfs_entries *e, const struct cfs_join_item *t,
		     struct cfs_error *err)
{
	struct cfs_slice key = cfs_buf_slice(&e->key);
	size_t shared = 0, most = key.n + t->raw.n + 3 * CFS_VARINT_MAX;

	if (!cfs_cfx_writer_begins_block(e->o.writer, CFS_CFX_JOINDATA_ANNEXES,
					 most))
		shared = cfs_slice_common(key, cfs_buf_slice(&e->annex_key));
	cfs_buf_reset(&e->item);
	cfs_buf_varint(&e->item, shared);
	cfs_buf_text(&e->item, cfs_slice_from(key, shared));
	cfs_buf_text(&e->item, t->raw);
	cfs_buf_reset(&e->annex_key);
	if (cfs_buf_add(&e->annex_key, key) != CFS_OK)
		return cfs_error_nomem(err);
	return put_joindata(e, CFS_CFX_JOINDATA_ANNEXES, err);
}

/* Counts a related record that no later merge sees. */
static void count_kept_out(struct cfs_entries *e, const struct cfs_join_item *t)
{
	if (t->what != CFS_JOIN_RELATED)
		return;
	if (t->given_1 != 0)
		e->o.counts->related_kept_out++;
	else
		e->o.counts->unrelated_kept_out++;
}

static int note_annexes(struct cfs_entries *e, struct cfs_join_item *items,
		      struct cfs_error *err)
{
	int rc = CFS_OK;

	if (!e->o.keeps_joins)
		return CFS_OK;
	cfs_join_keep(items, e->n);
	for (size_t i = 0; i < e->n && rc == CFS_OK; i++)
		if (entries_is_kept(e, &items[i]))
			rc = note_annex(e, &items[i], err);
		else
			count_kept_out(e, &items[i]);
	return rc;
}

/* ---- one entry ---- */

static int add_again(struct cfs_entries *e, cfs_pos pos, struct cfs_error *err)
{
	uint8_t key[8];

	if (e->o.again == NULL)
		return CFS_OK;
	cfs_be64_put(key, pos);
	return cfs_extsort_add(e->o.again, 0, cfs_slice_of(key, sizeof(key)),
			       CFS_SLICE_EMPTY, err);
}

/* Must the sizes of this revisit, if it has any, be found again?  Captures that
 * other inputs have under its hashes are found later, in
 * cfs_builder_refs_write. */
static bool is_new_revisit(const struct cfs_entries *e,
			   const struct cfs_join_item *t)
{
	if (t->e.kind != CFS_KIND_REVISIT || e->o.is_one)
		return false;
	if (t->input == e->o.scanned)
		return !t->e.body_is_exact;
	return e->o.revisits_are_new || e->o.again == NULL || e->is_mixed ||
	       !t->e.body_is_exact || t->e.body_bytes == 0 ||
	       (t->ref[0] == 0 && t->ref[1] == 0);
}

static int add_refs(struct cfs_entries *e, const struct cfs_join_item *t,
		    cfs_pos pos, struct cfs_error *err)
{
	const uint64_t asked[2] = { t->asked[0],
				    t->n_asked > 1 ? t->asked[1] : 0 };
	const uint64_t own[2] = { t->own, 0 };
	int rc = CFS_OK;

	if (t->n_asked > 0) {
		rc = cfs_builder_refs_add(e->o.refs, true, asked, CFS_POS_NONE,
					  t->input, err);
		if (rc == CFS_OK)
			rc = cfs_builder_refs_add(e->o.refs, false, asked, pos,
						  t->input, err);
	}
	/* a revisit may be what another one refers to */
	if (rc == CFS_OK && t->e.kind == CFS_KIND_REVISIT)
		rc = cfs_builder_refs_add(e->o.refs, false, own, pos, t->input,
					  err);
	if (rc == CFS_OK && cfs_builder_refs_any(e->o.refs))
		rc = cfs_builder_refs_add(e->o.refs,
					  t->e.kind == CFS_KIND_REVISIT, t->ref,
					  pos, t->input, err);
	return rc;
}

/* Are segments joined to it, or, for an entry of another index, no longer? */
static bool has_other_size(const struct cfs_entries *e,
			   const struct cfs_join_item *t)
{
	return t->is_longer || (t->is_segmented && !t->e.body_is_exact &&
				t->input != e->o.scanned);
}

static int write_entry(struct cfs_entries *e, struct cfs_join_item *t,
		       struct cfs_error *err)
{
	bool is_new = is_new_revisit(e, t) || has_other_size(e, t);
	struct cfs_view_bytes hidden = { .known = 0 };
	cfs_pos pos;
	int rc;

	if (is_incomplete(t))
		e->o.counts->incomplete++;
	if (is_new) {
		t->e.body_is_exact = false;
		t->e.views.known = 0;
	}
	if (hides_sizes(&t->e)) {
		hidden = t->e.views;
		t->e.views.known = 0;
	}
	rc = note_ids(e, t, &hidden, err);
	if (rc == CFS_OK)
		rc = cfs_cfx_writer_add(e->o.writer, cfs_buf_slice(&e->key),
					&t->e, t->notes, &pos, err);
	if (rc == CFS_OK && is_new)
		rc = add_again(e, pos, err);
	return rc == CFS_OK ? add_refs(e, t, pos, err) : rc;
}

/* ---- entries of one key ---- */

static bool takes(const struct cfs_entries *e, struct cfs_slice key,
		  struct cfs_slice value)
{
	return e->n == 0 || (e->n < GROUP_MAX &&
			     value.n <= GROUP_BYTES - e->values.n &&
			     cfs_slice_eq(key, cfs_buf_slice(&e->key)));
}

static int entries_compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_value(const void *a, const void *b)
{
	const struct cfs_join_item *x = a, *y = b;
	int c = cfs_slice_cmp(x->raw, y->raw);

	return c != 0 ? c : entries_compare(x->input, y->input);
}

static int in_index_order(const void *a, const void *b)
{
	const struct cfs_capture *x = &((const struct cfs_join_item *)a)->e;
	const struct cfs_capture *y = &((const struct cfs_join_item *)b)->e;
	int c = (x->time > y->time) - (x->time < y->time);

	if (c == 0)
		c = entries_compare(x->loc.file[0], y->loc.file[0]);
	if (c == 0)
		c = entries_compare(x->loc.offset, y->loc.offset);
	if (c == 0)
		c = entries_compare(x->loc.inner_offset, y->loc.inner_offset);
	return c != 0 ? c : entries_compare(x->text.loc.inner_offset,
					    y->text.loc.inner_offset);
}

/* Are these the same record, found twice? */
static bool entries_is_same(const struct cfs_entries *e,
			    const struct cfs_join_item *a,
			    const struct cfs_join_item *b)
{
	return a->what == b->what && a->e.time == b->e.time &&
	       a->e.loc.file[0] == b->e.loc.file[0] &&
	       a->e.loc.offset == b->e.loc.offset &&
	       a->e.loc.inner_offset == b->e.loc.inner_offset &&
	       (e->o.drops_repeats || a->e.loc.length == b->e.loc.length);
}

/* Ranks what an item says of its record: a line of a CDX file states neither
 * the size of the body nor the record's own id.  The size of a revisit does not
 * count, because it is found out only when the index is written. */
static unsigned entries_rank(const struct cfs_join_item *t)
{
	bool is_exact = t->e.body_is_exact && t->e.kind != CFS_KIND_REVISIT;

	return 2u * is_exact + (t->own != 0);
}

/* Keeps one item of each record that was found several times: the first of
 * those that say most of it. */
static void entries_drop_repeats(struct cfs_entries *e,
				 struct cfs_join_item *items)
{
	size_t n = 0;

	for (size_t i = 0; i < e->n; i++) {
		if (n == 0 || !entries_is_same(e, &items[n - 1], &items[i])) {
			items[n++] = items[i];
			continue;
		}
		if (items[i].what == CFS_JOIN_PAGE)
			e->o.counts->repeated++;
		if (entries_rank(&items[i]) > entries_rank(&items[n - 1]))
			items[n - 1] = items[i];
	}
	e->n = n;
}

static int decode_items(struct cfs_entries *e, struct cfs_join_item *items,
			bool *joins, struct cfs_error *err)
{
	struct cfs_cursor v = { cfs_buf_slice(&e->values), false };
	struct cfs_cursor n = { cfs_buf_slice(&e->spans), false };

	*joins = e->is_mixed = false;
	for (size_t i = 0; i < e->n; i++) {
		uint32_t bytes = cfs_cursor_le32(&n);

		items[i].input = cfs_cursor_le16(&n);
		if (!cfs_builder_value_decode(cfs_cursor_take(&v, bytes),
					      &items[i]))
			return cfs_error_set(err, CFS_EIO,
					     "temporary file is damaged");
		*joins |= items[i].what != CFS_JOIN_PAGE;
		e->is_mixed |= items[i].input != items[0].input;
	}
	return CFS_OK;
}

static int join_items(struct cfs_entries *e, struct cfs_join_item *items,
		      struct cfs_error *err)
{
	bool joins;
	int rc = decode_items(e, items, &joins, err);

	if (rc != CFS_OK)
		return rc;
	if (e->n > 1) {
		/* With other archive numbers an input's values may sort
		 * differently. */
		qsort(items, e->n, sizeof(*items), by_value);
		entries_drop_repeats(e, items);
	}
	if (!joins)
		return CFS_OK;
	if (cfs_join(items, e->n, e->o.origins, &e->lists, e->o.counts) !=
	    CFS_OK)
		return cfs_error_nomem(err);
	rc = note_annexes(e, items, err);
	if (e->n > 1)
		qsort(items, e->n, sizeof(*items), in_index_order);
	return rc;
}

/* The count of pages of the kind of a record that stayed alone. */
static uint64_t *lone_pages(struct cfs_builder_counts *c,
			    const struct cfs_join_item *t)
{
	if (t->what == CFS_JOIN_RELATED)
		return &c->related_pages;
	if (t->e.text.kind != CFS_COMPANION_NONE)
		return &c->text_pages;
	return &c->meta_pages;
}

/* True for a text or metadata record that stayed alone where such pages are not
 * wanted; counts it as left out. */
static bool entries_is_left_out(struct cfs_entries *e,
				const struct cfs_join_item *t)
{
	struct cfs_builder_counts *c = e->o.counts;

	if (!e->o.no_lone_annexes || t->what < CFS_JOIN_TEXT)
		return false;
	--*lone_pages(c, t);
	c->lone_annexes++;
	return true;
}

static int write_items(struct cfs_entries *e, struct cfs_error *err)
{
	struct cfs_join_item one = { .is_dropped = false }, *items = &one;
	int rc;

	if (e->n == 0)
		return CFS_OK;
	if (e->n > 1)
		items = calloc(e->n, sizeof(*items));
	if (items == NULL)
		return cfs_error_nomem(err);
	rc = join_items(e, items, err);
	for (size_t i = 0; i < e->n && rc == CFS_OK; i++)
		if (!items[i].is_dropped && !entries_is_left_out(e, &items[i]))
			rc = write_entry(e, &items[i], err);
	if (items != &one)
		free(items);
	e->n = 0;
	cfs_buf_reset(&e->values);
	cfs_buf_reset(&e->spans);
	return rc;
}

int cfs_entries_add(struct cfs_entries *e, struct cfs_slice key,
		    struct cfs_slice value, unsigned input,
		    struct cfs_error *err)
{
	int rc = takes(e, key, value) ? CFS_OK : write_items(e, err);

	if (rc != CFS_OK)
		return rc;
	if (e->n++ == 0) {
		cfs_buf_reset(&e->key);
		cfs_buf_add(&e->key, key);
	}
	cfs_buf_add(&e->values, value);
	cfs_buf_le32(&e->spans, (uint32_t)value.n);
	cfs_buf_le16(&e->spans, (uint16_t)input);
	return e->key.failed != CFS_OK || e->values.failed != CFS_OK ||
	       e->spans.failed != CFS_OK ? cfs_error_nomem(err) : CFS_OK;
}

int cfs_entries_finish(struct cfs_entries *e, struct cfs_error *err)
{
	int rc = write_items(e, err);

	return rc == CFS_OK ? put_run(e, err) : rc;
}
