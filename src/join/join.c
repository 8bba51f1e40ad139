/* join.c - joins the crawl's own text and metadata to the captures of one key.
 *
 * Each step tags items with the hash of what it joins by, sorts the tags and
 * handles runs of equal hashes, so that n captures of a key cost n log n.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "join_internal.h"

#include <stdlib.h>

#include "base/hash.h"

uint64_t cfs_join_place(uint32_t archive, uint64_t offset)
{
	uint8_t b[12];
	uint64_t h;

	cfs_le32_put(b, archive);
	cfs_le64_put(b + 4, offset);
	h = cfs_hash64(cfs_slice_of(b, sizeof(b)), 1);
	return h != 0 ? h : 1;
}

uint64_t cfs_join_arc_place(uint64_t date_ms, uint32_t partition,
			    uint64_t offset)
{
	uint8_t b[20];
	uint64_t h;

	cfs_le64_put(b, date_ms);
	cfs_le64_put(b + 8, offset);
	cfs_le32_put(b + 16, partition);
	h = cfs_hash64(cfs_slice_of(b, sizeof(b)), 2);
	return h != 0 ? h : 1;
}

uint64_t cfs_join_url_hash(const struct cfs_join_item *t, uint64_t seed)
{
	return cfs_hash64(t->e.url, seed * 4 + t->e.scheme);
}

/* ---- tags ---- */

static int join_by_hash(const void *a, const void *b)
{
	const struct cfs_join_tag *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->item < y->item ? -1 : x->item > y->item;
}

void cfs_join_each_run(struct cfs_joining *j,
		       void (*fn)(struct cfs_joining *j, size_t from,
				  size_t to))
{
	size_t to;

	if (j->n_tags > 1)
		qsort(j->tags, j->n_tags, sizeof(*j->tags), join_by_hash);
	for (size_t from = 0; from < j->n_tags; from = to) {
		for (to = from + 1; to < j->n_tags; to++)
			if (j->tags[to].hash != j->tags[from].hash)
				break;
		fn(j, from, to);
	}
	j->n_tags = 0;
}

/* ---- joining two items ---- */

static struct cfs_companion join_annex_of(const struct cfs_join_item *t)
{
	struct cfs_companion annex = { .kind = t->container,
		.bytes = t->e.body_bytes, .loc = t->e.loc };

	if (t->what != CFS_JOIN_CONVERSION)
		return annex;
	annex.kind = CFS_COMPANION_WARC;
	if (!t->e.body_is_exact)	/* another charset, or cut off */
		annex.bytes = CFS_COMPANION_BYTES_UNKNOWN;
	return annex;
}

/* Joins t to a page.  False if the page has one already. */
static bool join_give(struct cfs_joining *j, struct cfs_join_item *page,
		      struct cfs_join_item *t)
{
	bool is_meta = t->what == CFS_JOIN_META;
	struct cfs_companion *to = is_meta ? &page->e.meta : &page->e.text;

	if (to->kind != CFS_COMPANION_NONE)
		return false;
	*to = join_annex_of(t);
	t->is_dropped = true;
	if (is_meta)
		j->counts->metas++;
	else
		j->counts->texts++;
	return true;
}

static void join_leave_out(struct cfs_joining *j, struct cfs_join_item *t)
{
	t->is_dropped = true;
	j->counts->unclear++;
}

/* ---- by id and place ---- */

/* Joins a run to its first page; if there is none, to its first text of a WET
 * file, which is then a page. */
static void join_run(struct cfs_joining *j, size_t from, size_t to)
{
	struct cfs_join_item *page = NULL;

	for (int what = CFS_JOIN_PAGE; what <= CFS_JOIN_CONVERSION; what++)
		for (size_t i = from; i < to && page == NULL; i++)
			if ((int)cfs_join_tagged(j, i)->what == what)
				page = cfs_join_tagged(j, i);
	for (size_t i = from; i < to && page != NULL; i++) {
		struct cfs_join_item *t = cfs_join_tagged(j, i);

		if (t != page && t->what > page->what && !join_give(j, page, t))
			join_leave_out(j, t);	/* the page has one already */
	}
}

static void join_by_id(struct cfs_joining *j)
{
	for (size_t i = 0; i < j->n; i++)
		if (j->items[i].id != 0)
			cfs_join_tag(j, i, j->items[i].id);
	cfs_join_each_run(j, join_run);
}

/* Which archives of the date and number that metadata states are meant. */
enum scope { SAME_FOLDER, SAME_SEGMENT, ANYWHERE };

/* Tags a page, or metadata that knows the place of its page. */
static void tag_arc_place(struct cfs_joining *j, size_t i, enum scope scope)
{
	const struct cfs_join_item *t = &j->items[i];
	const struct cfs_builder_origin *o = &j->origins[t->e.loc.file[0]];
	uint64_t place = t->arc_place, segment = t->arc_segment;

	if (t->what == CFS_JOIN_PAGE) {
		place = !o->has_date ? 0 :
			cfs_join_arc_place(o->date_ms, o->partition_1 - 1,
					   t->e.loc.offset);
		segment = o->segment;
	}
	if (place == 0 || t->is_dropped ||
	    (scope == SAME_SEGMENT && segment == 0))
		return;
	if (scope == SAME_FOLDER)
		place ^= o->folder;
	else if (scope == SAME_SEGMENT)
		place ^= segment;
	cfs_join_tag(j, i, place);
}

static void by_arc_place(struct cfs_joining *j)
{
	bool any = false;

	for (size_t i = 0; i < j->n && j->origins != NULL; i++)
		any |= j->items[i].arc_place != 0;
	for (int scope = SAME_FOLDER; any && scope <= ANYWHERE; scope++) {
		for (size_t i = 0; i < j->n; i++)
			tag_arc_place(j, i, (enum scope)scope);
		cfs_join_each_run(j, join_run);
	}
}

/* ---- by URL ---- */

/* True for a text that can only be joined by URL; and for a page without
 * text. */
static bool join_is_loose(const struct cfs_join_item *t)
{
	return t->what == CFS_JOIN_TEXT && t->id == 0 && !t->is_dropped;
}
static bool join_is_open(const struct cfs_join_item *t)
{
	return t->what == CFS_JOIN_PAGE && t->e.text.kind == CFS_COMPANION_NONE;
}

/* Pairs the texts and pages of a run in their order, if there are as many texts
 * as pages. */
static void pair_run(struct cfs_joining *j, size_t from, size_t to)
{
	size_t texts = 0, page = from;

	for (size_t i = from; i < to; i++)
		texts += cfs_join_tagged(j, i)->what == CFS_JOIN_TEXT;
	if (texts == 0 || texts == to - from)
		return;
	for (size_t i = from; i < to; i++) {
		if (cfs_join_tagged(j, i)->what != CFS_JOIN_TEXT)
			continue;
		if (texts * 2 != to - from) {
			join_leave_out(j, cfs_join_tagged(j, i));
			continue;
		}
		while (cfs_join_tagged(j, page)->what == CFS_JOIN_TEXT)
			page++;
		join_give(j, cfs_join_tagged(j, page++), cfs_join_tagged(j, i));
	}
}

static uint32_t partition_of(const struct cfs_joining *j,
			     const struct cfs_join_item *t)
{
	return j->origins != NULL ? j->origins[t->e.loc.file[0]].partition_1 :
				    0;
}

static void by_partition(struct cfs_joining *j, bool same_folder)
{
	for (size_t i = 0; i < j->n; i++) {
		const struct cfs_join_item *t = &j->items[i];
		uint64_t seed = partition_of(j, t);

		if (seed == 0 || !(join_is_loose(t) || join_is_open(t)))
			continue;
		if (same_folder)
			seed += j->origins[t->e.loc.file[0]].folder << 32;
		cfs_join_tag(j, i, cfs_join_url_hash(t, seed));
	}
	cfs_join_each_run(j, pair_run);
}

/* Joins the only text and the only page of a run; otherwise leaves its texts
 * out. */
static void join_only_pair(struct cfs_joining *j, size_t from, size_t to)
{
	struct cfs_join_item *page = NULL, *text = NULL;
	size_t texts = 0, pages = 0;

	for (size_t i = from; i < to; i++)
		if (cfs_join_tagged(j, i)->what == CFS_JOIN_TEXT) {
			text = cfs_join_tagged(j, i);
			texts++;
		}
	for (size_t i = from; i < to && texts > 0; i++) {
		struct cfs_join_item *t = cfs_join_tagged(j, i);

		if (t->what != CFS_JOIN_PAGE ||
		    (partition_of(j, t) != 0 && partition_of(j, text) != 0))
			continue;	/* different partitions */
		page = t;
		pages++;
	}
	if (texts == 1 && pages == 1)
		join_give(j, page, text);
	for (size_t i = from; i < to && pages > 0; i++)
		if (join_is_loose(cfs_join_tagged(j, i)))
			join_leave_out(j, cfs_join_tagged(j, i));
}

/* For files whose names state no partition. */
static void join_by_url(struct cfs_joining *j)
{
	for (size_t i = 0; i < j->n; i++)
		if (join_is_loose(&j->items[i]) || join_is_open(&j->items[i]))
			cfs_join_tag(j, i, cfs_join_url_hash(&j->items[i], 0));
	cfs_join_each_run(j, join_only_pair);
}

/* ---- metadata without a reference ---- */

static bool is_loose_meta(const struct cfs_join_item *t)
{
	return t->what == CFS_JOIN_META && t->id == 0 && t->arc_place == 0 &&
	       !t->is_dropped;
}

/* Gives the only page of a run its metadata. */
static void give_to_only_page(struct cfs_joining *j, size_t from, size_t to)
{
	struct cfs_join_item *page = NULL;
	size_t pages = 0;

	for (size_t i = from; i < to; i++)
		if (cfs_join_tagged(j, i)->what == CFS_JOIN_PAGE) {
			page = cfs_join_tagged(j, i);
			pages++;
		}
	for (size_t i = from; i < to && pages > 0; i++) {
		struct cfs_join_item *t = cfs_join_tagged(j, i);

		if (is_loose_meta(t) && (pages > 1 || !join_give(j, page, t)))
			join_leave_out(j, t);
	}
}

/* WAT records of an ARC file, or without WARC-Refers-To, name their capture by
 * its URL and date. */
static void join_by_date(struct cfs_joining *j)
{
	bool any = false;

	for (size_t i = 0; i < j->n; i++)
		any |= is_loose_meta(&j->items[i]);
	for (size_t i = 0; i < j->n && any; i++) {
		const struct cfs_join_item *t = &j->items[i];

		if (is_loose_meta(t) || t->what == CFS_JOIN_PAGE)
			cfs_join_tag(j, i, cfs_join_url_hash(t,
						(uint64_t)t->e.time));
	}
	cfs_join_each_run(j, give_to_only_page);
}

/* ---- items that were not joined ---- */

static void become_page(struct cfs_joining *j, struct cfs_join_item *t)
{
	struct cfs_companion *own =
		t->what == CFS_JOIN_TEXT ? &t->e.text : &t->e.meta;

	*own = join_annex_of(t);
	t->e.kind = CFS_KIND_ANNEX;
	t->e.loc.inner_offset = t->e.loc.inner_length = 0;
	t->e.body_is_exact = true;
	t->e.body_bytes =
		t->e.text.kind != CFS_COMPANION_NONE ? t->e.text.bytes : 0;
	t->e.mime = t->e.text.kind != CFS_COMPANION_NONE ?
		    CFS_SLICE_LIT("text/plain") : CFS_SLICE_EMPTY;
	if (t->e.text.kind != CFS_COMPANION_NONE)
		j->counts->text_pages++;
	else
		j->counts->meta_pages++;
}

/* Makes one page of a URL's text and metadata, if there is one of each. */
static void become_pages(struct cfs_joining *j, size_t from, size_t to)
{
	struct cfs_join_item *a = cfs_join_tagged(j, from),
			     *b = cfs_join_tagged(j, to - 1);

	if (to - from == 2 && a->what != b->what) {
		struct cfs_join_item *meta = a->what == CFS_JOIN_META ? a : b;

		join_give(j, meta, meta == a ? b : a);
		j->counts->texts--;	/* not joined to a capture */
	}
	for (size_t i = from; i < to; i++)
		if (!cfs_join_tagged(j, i)->is_dropped)
			become_page(j, cfs_join_tagged(j, i));
}

static void join_make_pages(struct cfs_joining *j)
{
	for (size_t i = 0; i < j->n; i++)
		if ((j->items[i].what == CFS_JOIN_TEXT ||
		     j->items[i].what == CFS_JOIN_META) &&
		    !j->items[i].is_dropped)
			cfs_join_tag(j, i, cfs_join_url_hash(&j->items[i], 0));
	cfs_join_each_run(j, become_pages);
}

int cfs_join(struct cfs_join_item *items, size_t n,
	     const struct cfs_builder_origin *origins, struct cfs_buf *lists,
	     struct cfs_builder_counts *counts)
{
	struct cfs_joining j = { .items = items, .n = n, .origins = origins,
				 .counts = counts };
	int rc;

	j.tags = calloc(2 * n + 1, sizeof(*j.tags));
	if (j.tags == NULL)
		return CFS_ENOMEM;
	join_by_id(&j);
	by_arc_place(&j);
	join_by_date(&j);
	by_partition(&j, true);
	by_partition(&j, false);
	join_by_url(&j);
	join_make_pages(&j);
	rc = cfs_join_related(&j, lists);
	free(j.tags);
	return rc;
}
