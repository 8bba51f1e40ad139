/* join_segments.c - joins the segments of divided records to their first
 * segments (ISO 28500, section 7), by the id that they state.
 *
 * A record's segments are a chain: the record has the number of the second one,
 * each segment that of the next.  Copies of a record share one chain.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "join_internal.h"

static bool join_segments_is_segment(const struct cfs_join_item *t)
{
	return t->what == CFS_JOIN_RELATED &&
	       t->related.what == CFS_RELATED_SEGMENT;
}

/* Links consecutive segments.  first: item number plus 1, by segment number; 0:
 * there is none. */
static void link_segments(struct cfs_joining *j, const uint32_t *first)
{
	for (unsigned k = 2; k <= CFS_SEGMENTS_MAX; k++)
		if (first[k] != 0)
			j->items[first[k] - 1].slots[CFS_RELATED_SEGMENT] =
				first[k + 1];
}

/* Joins the chain that begins with item `from` - 1 to a page. */
static void take_chain(struct cfs_joining *j, struct cfs_join_item *page,
		       uint32_t from)
{
	uint32_t *slot = &page->slots[CFS_RELATED_SEGMENT];

	for (*slot = from; from != 0;) {
		struct cfs_join_item *t = &j->items[from - 1];

		if (!t->is_dropped) {
			t->is_dropped = true;
			t->given_1 = (uint32_t)(page - j->items) + 1;
			j->counts->segments++;
		}
		page->is_longer = true;
		page->is_whole = t->related.form > 0;
		from = t->slots[CFS_RELATED_SEGMENT];
	}
}

/* Joins a run of one record: segments, then pages. */
static void join_segments_join_run(struct cfs_joining *j, size_t from,
				   size_t to)
{
	uint32_t first[CFS_SEGMENTS_MAX + 2] = { 0 };
	struct cfs_companion had[CFS_SEGMENTS_MAX];

	for (size_t i = from; i < to; i++) {
		const struct cfs_join_item *t = cfs_join_tagged(j, i);
		unsigned k = t->related.segment;

		if (join_segments_is_segment(t) && first[k] == 0)
			first[k] = (uint32_t)(t - j->items) + 1;
	}
	link_segments(j, first);
	for (size_t i = from; i < to; i++) {
		struct cfs_join_item *page = cfs_join_tagged(j, i);

		if (page->what == CFS_JOIN_PAGE)
			take_chain(j, page, first[2 + cfs_related_segments(
							&page->e, had)]);
	}
}

static bool has_segments(const struct cfs_joining *j)
{
	for (size_t i = 0; i < j->n; i++)
		if (join_segments_is_segment(&j->items[i]))
			return true;
	return false;
}

void cfs_join_segments(struct cfs_joining *j)
{
	if (!has_segments(j))
		return;
	for (size_t i = 0; i < j->n; i++) {
		const struct cfs_join_item *t = &j->items[i];

		if (t->what == CFS_JOIN_PAGE && t->own != 0)
			cfs_join_tag(j, i, t->own);
		else if (join_segments_is_segment(t) && t->concurrent != 0 &&
			 t->related.segment >= 2)
			cfs_join_tag(j, i, t->concurrent);
	}
	cfs_join_each_run(j, join_segments_join_run);
	for (size_t i = 0; i < j->n; i++) {
		struct cfs_join_item *t = &j->items[i];

		if (!join_segments_is_segment(t) || t->is_dropped)
			continue;
		t->is_dropped = true;
		j->counts->lone_segments++;
	}
}
