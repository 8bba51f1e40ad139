/* streams.c - recognises readers in order by the positions they read.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "streams.h"

/* Steps that make a stream, and the records it gets ahead at first. */
#define STEPS_MIN 3u
#define WINDOW_MIN 4u
/* More is asked for when this part of the window has been read: the smaller,
 * the more requests are under way at any time, and the fewer can be joined. */
#define REFILL_PART 4u

/* How many entries b is after a, if that can be seen from their numbers and
 * is few; else UINT32_MAX.  The first entries of a block follow the last ones
 * of the block before. */
static unsigned distance(cfs_pos a, cfs_pos b)
{
	uint32_t block = cfs_pos_block(b) - cfs_pos_block(a);

	if (b < a || block > 1)
		return UINT32_MAX;
	return block == 0 ? cfs_pos_slot(b) - cfs_pos_slot(a) :
			    cfs_pos_slot(b) + 1;
}

static bool is_step(const struct cfs_streams *all, const struct cfs_stream *s,
		    cfs_pos pos)
{
	if (!s->is_used || pos < s->last)
		return false;
	if (s->window > 0 && s->ahead > 0 && pos <= s->ahead)
		return true;
	return distance(s->last, pos) <= all->step_max;
}

static struct cfs_stream *find_stream(struct cfs_streams *all, cfs_pos pos)
{
	struct cfs_stream *oldest = &all->v[0], *best = NULL;

	for (unsigned i = 0; i < CFS_STREAMS; i++) {
		struct cfs_stream *s = &all->v[i];

		if (is_step(all, s, pos) &&
		    (best == NULL || s->last > best->last))
			best = s;
		if (!s->is_used || (oldest->is_used && s->clock < oldest->clock))
			oldest = s;
	}
	if (best != NULL)
		return best;
	*oldest = (struct cfs_stream){ .is_used = true, .last = pos,
				       .serial = ++all->serial };
	return oldest;
}

/* The reader has got some records further. */
static void advance(struct cfs_streams *all, struct cfs_stream *s, cfs_pos pos)
{
	unsigned d = distance(s->last, pos);

	s->last = pos;
	s->steps++;
	s->left -= d < s->left ? d : s->left;
	if (s->steps < STEPS_MIN || s->is_at_end)
		return;
	if (s->window == 0) {
		s->window = WINDOW_MIN < all->max ? WINDOW_MIN : all->max;
		all->recognised++;
		s->is_wanted = true;
	} else if (s->left <= s->window - s->window / REFILL_PART) {
		s->window = s->window * 2 < all->max ? s->window * 2 : all->max;
		s->is_wanted = true;
	}
}

bool cfs_streams_note(struct cfs_streams *all, cfs_pos pos, enum cfs_view view)
{
	struct cfs_stream *s = find_stream(all, pos);

	s->clock = ++all->clock;
	s->views |= 1u << view;
	if (pos != s->last)		/* else another view of the page */
		advance(all, s, pos);
	return s->is_wanted;
}

bool cfs_streams_take(struct cfs_streams *all, struct cfs_stream_want *out)
{
	struct cfs_stream *s = NULL;

	for (unsigned i = 0; i < CFS_STREAMS; i++)
		if (all->v[i].is_wanted &&
		    (s == NULL || all->v[i].clock > s->clock))
			s = &all->v[i];
	if (s == NULL)
		return false;
	*out = (struct cfs_stream_want){
		.stream = s,
		.serial = s->serial,
		.from = s->ahead > s->last ? s->ahead : s->last,
		.views = s->views | s->views_before,
	};
	s->is_wanted = false;
	s->views_before = s->views;
	s->views = 0;
	if (out->from == s->last)
		s->left = 0;		/* the reader has overtaken us */
	out->entries = s->window > s->left ? s->window - s->left : 0;
	return true;
}

void cfs_streams_done(const struct cfs_stream_want *want, cfs_pos last,
		      bool is_at_end)
{
	struct cfs_stream *s = want->stream;

	if (s->serial != want->serial)	/* replaced meanwhile */
		return;
	s->ahead = last;
	s->left += want->entries;
	s->is_at_end = is_at_end;
}
