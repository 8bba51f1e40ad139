/* join_related.c - joins related records (requests, metadata, screenshots) to
 * captures.
 *
 * Items are in the order of the sort: related records before captures, which
 * are in the order of time, archive and offset.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "join_internal.h"

#include "base/array.h"

/* ---- joining two items ---- */

static bool join_related_is_loose(const struct cfs_join_item *t)
{
	return t->what == CFS_JOIN_RELATED && !t->is_dropped;
}

/* True for requests and metadata: they lie in the archive of their capture, and
 * do not become a page without it. */
static bool is_of_fetch(const struct cfs_join_item *t)
{
	return t->related.what <= CFS_RELATED_METADATA;
}

static uint64_t join_related_distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Times as unsigned numbers in the same order. */
static uint64_t time_of(const struct cfs_join_item *t)
{
	return (uint64_t)t->e.time ^ (uint64_t)1 << 63;
}

/* Does an entry of another index have one of this kind already? */
static bool has_one(const struct cfs_join_item *page, unsigned what)
{
	struct cfs_companion annex;

	return what < CFS_RELATED_COUNT &&
	       (page->e.adjacent != CFS_ADJACENT_NOWHERE ||
		page->e.related.n > 0) &&
	       cfs_related_find(&page->e, what, &annex);
}

/* Joins t to a page, unless the page has one of the kind. */
static bool join_related_give(struct cfs_joining *j, struct cfs_join_item *page,
			      struct cfs_join_item *t)
{
	uint32_t *slot = &page->slots[t->related.what];

	if (*slot != 0 || has_one(page, t->related.what) ||
	    (t->related.what == CFS_RELATED_TEXT &&
	     page->e.text.kind != CFS_COMPANION_NONE))
		return false;
	*slot = (uint32_t)(t - j->items) + 1;
	t->is_dropped = true;
	t->given_1 = (uint32_t)(page - j->items) + 1;
	j->counts->related++;
	return true;
}

/* Joins t to a page, also in place of one that is farther away in time.  Of the
 * two, the farther one is left out. */
static void give_nearer(struct cfs_joining *j, struct cfs_join_item *page,
			struct cfs_join_item *t)
{
	uint32_t *slot = &page->slots[t->related.what];
	const struct cfs_join_item *has;

	if (join_related_give(j, page, t))
		return;
	t->is_dropped = true;
	j->counts->unrelated++;
	if (*slot == 0)
		return;
	has = &j->items[*slot - 1];
	if (has->related.is_second == t->related.is_second &&
	    join_related_distance(time_of(has), time_of(page)) >
	    join_related_distance(time_of(t), time_of(page)))
		*slot = (uint32_t)(t - j->items) + 1;
}

/* ---- the nearest page ---- */

static uint64_t join_related_offset_of(const struct cfs_join_item *t)
{
	return t->e.loc.offset;
}

/* Finds the page that is nearest by `by`; tags from .. to - 1 are in that
 * order. */
static struct cfs_join_item *nearest(
	const struct cfs_joining *j, size_t from, size_t to,
	const struct cfs_join_item *t,
	uint64_t (*by)(const struct cfs_join_item *))
{
	size_t at = from;

	CFS_LOWER_BOUND(at, to, i, by(cfs_join_tagged(j, i)) < by(t));
	if (at == to || (at > from &&
			 join_related_distance(by(cfs_join_tagged(j, at - 1)),
					       by(t)) <=
			 join_related_distance(by(cfs_join_tagged(j, at)),
					       by(t))))
		at--;
	return cfs_join_tagged(j, at);
}

/* The first page of a run, behind its related records; `to` if there is
 * none. */
static size_t first_page(const struct cfs_joining *j, size_t from, size_t to)
{
	while (from < to &&
	       cfs_join_tagged(j, from)->what == CFS_JOIN_RELATED)
		from++;
	return from;
}

/* ---- by id ---- */

/* Joins by id; if the page has several copies in one archive, to the
 * nearest. */
static void join_named(struct cfs_joining *j, size_t from, size_t to)
{
	size_t pages = first_page(j, from, to);

	for (size_t i = from; i < pages && pages < to; i++) {
		struct cfs_join_item *t = cfs_join_tagged(j, i);

		if (!join_related_is_loose(t) ||
		    join_related_give(j,
				      nearest(j, pages, to, t,
					      join_related_offset_of),
				      t) ||
		    to - pages > 1)
			continue;
		t->is_dropped = true;		/* second of its kind */
		j->counts->unrelated++;
	}
}

static void join_related_by_name(struct cfs_joining *j, bool same_archive)
{
	for (size_t i = 0; i < j->n; i++) {
		const struct cfs_join_item *t = &j->items[i];
		uint64_t seed = same_archive ? cfs_join_place(
				(uint32_t)t->e.loc.file[0], 0) : 0;

		if (t->what != CFS_JOIN_PAGE && !join_related_is_loose(t))
			continue;
		if (t->own != 0)
			cfs_join_tag(j, i, t->own ^ seed);
		if (t->concurrent != 0 && t->concurrent != t->own)
			cfs_join_tag(j, i, t->concurrent ^ seed);
	}
	cfs_join_each_run(j, join_named);
}

/* ---- by place and time ---- */

static void join_places(struct cfs_joining *j, size_t from, size_t to)
{
	size_t pages = first_page(j, from, to);

	for (size_t i = from; i < pages && pages < to; i++) {
		struct cfs_join_item *t = cfs_join_tagged(j, i);

		join_related_give(j,
				  nearest(j, pages, to, t,
					  join_related_offset_of),
				  t);
	}
}

/* Joins records of one URL, archive and second by their places in the
 * archive. */
static void join_related_by_place(struct cfs_joining *j)
{
	for (size_t i = 0; i < j->n; i++) {
		const struct cfs_join_item *t = &j->items[i];

		if (t->what == CFS_JOIN_PAGE ||
		    (join_related_is_loose(t) && is_of_fetch(t)))
			cfs_join_tag(j, i, cfs_join_url_hash(t,
				cfs_join_place((uint32_t)t->e.loc.file[0],
					       (uint64_t)t->e.time)));
	}
	cfs_join_each_run(j, join_places);
}

static void join_times(struct cfs_joining *j, size_t from, size_t to)
{
	size_t pages = first_page(j, from, to);

	for (int is_second = 0; is_second < 2 && pages < to; is_second++)
		for (size_t i = from; i < pages; i++) {
			struct cfs_join_item *t = cfs_join_tagged(j, i);

			if (t->related.is_second == is_second)
				give_nearer(j, nearest(j, pages, to, t,
						       time_of), t);
		}
}

/* Browser crawlers write screenshots and texts to archives of their own,
 * seconds later. */
static void join_related_by_time(struct cfs_joining *j, bool same_url)
{
	for (size_t i = 0; i < j->n; i++) {
		const struct cfs_join_item *t = &j->items[i];

		if (t->what == CFS_JOIN_PAGE ||
		    (join_related_is_loose(t) && !is_of_fetch(t)))
			cfs_join_tag(j, i,
				same_url ? cfs_join_url_hash(t, 0) : 0);
	}
	cfs_join_each_run(j, join_times);
}

/* ---- records that were not joined ---- */

/* Joins a run to its page, which a text or metadata record has become; if there
 * is none, the first record becomes one. */
static void make_page(struct cfs_joining *j, size_t from, size_t to)
{
	struct cfs_join_item *page = NULL, *t;

	for (size_t i = from; i < to && page == NULL; i++)
		if (cfs_join_tagged(j, i)->what != CFS_JOIN_RELATED)
			page = cfs_join_tagged(j, i);
	for (size_t i = from; i < to; i++) {
		t = cfs_join_tagged(j, i);
		if (t->what != CFS_JOIN_RELATED)
			continue;
		if (page != NULL) {
			join_related_give(j, page, t);
			continue;
		}
		page = t;
		join_related_give(j, page, t);
		t->is_dropped = false;
		t->e.kind = CFS_KIND_ANNEX;
		t->e.body_is_exact = true;
		j->counts->related--;
		j->counts->related_pages++;
	}
}

static void join_related_make_pages(struct cfs_joining *j)
{
	bool any = false;

	for (size_t i = 0; i < j->n; i++) {
		const struct cfs_join_item *t = &j->items[i];

		if (join_related_is_loose(t) && is_of_fetch(t))
			continue;
		any |= join_related_is_loose(t);
		if (join_related_is_loose(t) ||
		    (t->e.kind == CFS_KIND_ANNEX && !t->is_dropped))
			cfs_join_tag(j, i, cfs_join_url_hash(t, 0));
	}
	if (!any)
		j->n_tags = 0;
	cfs_join_each_run(j, make_page);
}

static void drop_rest(struct cfs_joining *j)
{
	for (size_t i = 0; i < j->n; i++) {
		struct cfs_join_item *t = &j->items[i];

		if (!join_related_is_loose(t) || t->e.body_is_exact)
			continue;
		t->is_dropped = true;
		j->counts->unrelated++;
	}
}

/* ---- lists ---- */

static struct cfs_companion annex_of(const struct cfs_join_item *t)
{
	return (struct cfs_companion){ .kind = CFS_COMPANION_WARC,
				       .loc = t->e.loc,
				       .form = t->related.form,
				       .is_one_member = t->is_one_member,
				       .bytes = t->bytes };
}

static void join_related_take_text(struct cfs_joining *j,
				   struct cfs_join_item *page)
{
	uint32_t slot = page->slots[CFS_RELATED_TEXT];

	if (slot == 0)
		return;
	page->e.text = annex_of(&j->items[slot - 1]);
	if (page->e.kind != CFS_KIND_ANNEX)
		return;
	page->e.body_bytes = page->e.text.bytes;
	page->e.body_is_exact =
		page->e.text.bytes != CFS_COMPANION_BYTES_UNKNOWN;
	page->e.mime = CFS_SLICE_LIT("text/plain");
}

/* Its record in annexes[], or NULL if the page `has` none of this kind. */
static const struct cfs_companion *annex_if(unsigned has, unsigned what,
					   const struct cfs_companion *annexes)
{
	return has & 1u << what ? &annexes[what] : NULL;
}

/* Collects a page's related records; those from another index are kept.  Sets
 * *near_ones to the kinds that need no list; returns the other kinds, as
 * bits. */
static unsigned join_related_gather(struct cfs_joining *j,
				    struct cfs_join_item *page,
				    struct cfs_companion *annexes,
				    unsigned *near_ones)
{
	bool was_there = page->e.adjacent != CFS_ADJACENT_NOWHERE ||
			 page->e.related.n > 0;
	unsigned has = 0;

	*near_ones = 0;
	for (unsigned what = 0; what < CFS_RELATED_COUNT; what++) {
		if (page->slots[what] != 0)
			annexes[what] = annex_of(
				&j->items[page->slots[what] - 1]);
		else if (!has_one(page, what))
			continue;
		else if (!cfs_related_listed(&page->e, what, &annexes[what]))
			*near_ones |= 1u << what;
		has |= 1u << what;
	}
	if (!was_there)
		*near_ones = cfs_related_next_to(&page->e,
			annex_if(has, CFS_RELATED_REQUEST, annexes),
			annex_if(has, CFS_RELATED_METADATA, annexes));
	return has & ~*near_ones;
}

/* Adds the segments in the entry's list, then those joined to it. */
static void join_related_add_segments(struct cfs_joining *j,
				      struct cfs_join_item *page,
				      struct cfs_related_near *near,
				      struct cfs_buf *lists)
{
	struct cfs_companion had[CFS_SEGMENTS_MAX];
	unsigned n = cfs_related_segments(&page->e, had);
	uint32_t next = page->slots[CFS_RELATED_SEGMENT];

	for (unsigned i = 0; i < n; i++)
		cfs_related_put(lists, near, CFS_RELATED_SEGMENT, &had[i]);
	while (next != 0) {
		struct cfs_companion annex = annex_of(
			&j->items[next - 1]);

		cfs_related_put(lists, near, CFS_RELATED_SEGMENT, &annex);
		next = j->items[next - 1].slots[CFS_RELATED_SEGMENT];
	}
}

static size_t join_related_add_list(struct cfs_joining *j,
				    struct cfs_join_item *page,
				    struct cfs_buf *lists)
{
	struct cfs_related_near near = cfs_related_near(&page->e.loc);
	struct cfs_companion annexes[CFS_RELATED_COUNT];
	size_t before = lists->n;
	unsigned near_ones, has = join_related_gather(j, page, annexes,
						      &near_ones);

	for (unsigned what = 0; what < CFS_RELATED_COUNT; what++)
		if (has & 1u << what)
			cfs_related_put(lists, &near, what, &annexes[what]);
	join_related_add_segments(j, page, &near, lists);
	return lists->n - before;
}

/* Makes the lists of all pages, one after the other; slices of the buffer are
 * set once it does not move any more. */
static int make_lists(struct cfs_joining *j, struct cfs_buf *lists)
{
	size_t at = 0;

	cfs_buf_reset(lists);
	for (size_t i = 0; i < j->n; i++) {
		struct cfs_join_item *t = &j->items[i];

		if (t->is_dropped)
			continue;
		join_related_take_text(j, t);
		t->e.related.n = join_related_add_list(j, t, lists);
	}
	if (lists->failed != CFS_OK)
		return CFS_ENOMEM;
	for (size_t i = 0; i < j->n; i++) {
		struct cfs_join_item *t = &j->items[i];

		t->e.related = t->is_dropped ? CFS_SLICE_EMPTY :
			       cfs_slice_sub(cfs_buf_slice(lists), at,
					     t->e.related.n);
		at += t->e.related.n;
	}
	return CFS_OK;
}

/* ---- joindata ---- */

static bool join_related_is_kept(const struct cfs_join_item *items,
				 const struct cfs_join_item *t)
{
	if (t->what == CFS_JOIN_PAGE)
		return false;
	if (t->what != CFS_JOIN_RELATED || !is_of_fetch(t))
		return true;
	if (t->given_1 != 0)
		return items[t->given_1 - 1].e.loc.file[0] != t->e.loc.file[0];
	return t->own != 0 || t->concurrent != 0;
}

void cfs_join_keep(struct cfs_join_item *items, size_t n)
{
	for (size_t i = 0; i < n; i++)
		items[i].is_kept = join_related_is_kept(items, &items[i]);
}

int cfs_join_related(struct cfs_joining *j, struct cfs_buf *lists)
{
	bool any = false;

	for (size_t i = 0; i < j->n; i++)
		any |= j->items[i].what == CFS_JOIN_RELATED;
	if (!any)
		return CFS_OK;
	cfs_join_segments(j);
	join_related_by_name(j, true);
	join_related_by_place(j);
	join_related_by_name(j, false);
	join_related_by_time(j, true);
	join_related_by_time(j, false);
	join_related_make_pages(j);
	drop_rest(j);
	return make_lists(j, lists);
}
