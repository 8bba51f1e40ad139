/* streams.c - recognises readers in order by the positions they read.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "readahead.h"

#include <stdlib.h>
#include <string.h>

/* Steps that make a stream, and the first size of its window, in records. */
#define STEPS_MIN 3u
#define WINDOW_MIN 4u
/* Readers of first files that may be believed without having been proven
 * right. */
#define BELIEVED_MAX 4u
/* Entries looked at for each record of a window; and, early on, for each step
 * that the reader has made. */
#define LOOKS 4u
/* An entry this far behind the last one read has been passed over.  Processes
 * that share the reading do not read in order among themselves. */
#define LAG 8u
#define BEHIND_MAX 64u
/* Entries that establish a habit, and the number at which counts are halved. */
#define HABIT_MIN 4u
#define HABIT_MAX 16u

/* ---- habits ------------------------------------------------------------ */

static void streams_count(struct cfs_habit *h, bool is_read)
{
	if (h->read + h->passed >= HABIT_MAX) {
		h->read /= 2;
		h->passed /= 2;
	}
	h->read += is_read;
	h->passed += !is_read;
}

static bool is_known(const struct cfs_habit *h)
{
	return h->read + h->passed >= (int)HABIT_MIN;
}

/* Was at least one in `of` read? */
static bool is_read(const struct cfs_habit *h, int of)
{
	return h->read * of >= h->read + h->passed;
}

bool cfs_habits_want(const struct cfs_habits *h,
		     const struct cfs_stream_ahead *e)
{
	const struct cfs_habit *sorts[2] = { &h->suffix[e->suffix],
					     &h->mime[e->mime] };

	for (unsigned i = 0; i < 2; i++) {
		if (!is_known(sorts[i]))
			continue;
		if (is_read(sorts[i], 4))	/* nearly one in three */
			return true;
		if (!is_read(sorts[i], 8))
			return false;
	}
	return !is_known(&h->all) || is_read(&h->all, 3);
}

static void streams_learn(struct cfs_habits *h, struct cfs_stream_ahead *e)
{
	if (e->is_counted)
		return;
	e->is_counted = true;
	streams_count(&h->suffix[e->suffix], e->is_read);
	streams_count(&h->mime[e->mime], e->is_read);
	streams_count(&h->all, e->is_read);
}

/* ---- what is ahead ----------------------------------------------------- */

static unsigned looks_max(const struct cfs_streams *all,
			  const struct cfs_stream *s)
{
	unsigned most = LOOKS * all->max;

	return s->steps < most / LOOKS ? LOOKS * s->steps : most;
}

/* Records being fetched that the reader has not reached. */
static unsigned left_of(const struct cfs_stream *s)
{
	unsigned left = 0;

	for (unsigned i = s->at; i < s->n; i++)
		left += s->v[i].is_asked;
	return left;
}

/* The first entry ahead that was left out, but is like those that are
 * read now. */
static unsigned first_missed(const struct cfs_stream *s)
{
	unsigned i = s->at;

	while (i < s->n && (s->v[i].is_asked ||
			    !cfs_habits_want(&s->habits, &s->v[i])))
		i++;
	return i;
}

static bool find_ahead(const struct cfs_stream *s, cfs_pos pos, unsigned *i)
{
	for (*i = 0; *i < s->n; (*i)++)
		if (s->v[*i].pos == pos)
			return true;
	return false;
}

/* The reader has reached v[at - 1]: entries well behind it count as read or
 * passed over, and are dropped when there are many. */
static void leave_behind(struct cfs_stream *s)
{
	unsigned gone = s->at > BEHIND_MAX ? s->at - LAG : 0;

	for (unsigned i = 0; i + LAG < s->at; i++)
		streams_learn(&s->habits, &s->v[i]);
	if (gone == 0)
		return;
	memmove(s->v, s->v + gone, (s->n - gone) * sizeof(*s->v));
	s->n -= gone;
	s->at -= gone;
}

/* Notes that the reader reads v[i]. */
static void reach(struct cfs_stream *s, unsigned i)
{
	struct cfs_stream_ahead *e = &s->v[i];

	if (!e->is_read && e->is_counted) {	/* late */
		streams_count(&s->habits.suffix[e->suffix], true);
		streams_count(&s->habits.mime[e->mime], true);
		streams_count(&s->habits.all, true);
	}
	e->is_read = true;
	if (i < s->at)
		return;
	s->run = i == s->at ? s->run + 1 : 0;
	s->at = i + 1;
	s->last = e->pos;
	s->steps++;
	s->is_beyond = false;
	leave_behind(s);
}

/* ---- steps ------------------------------------------------------------- */

/* How many entries b is after a, if their numbers show that it is a few;
 * else UINT32_MAX.  The first entries of a block follow the last ones of the
 * block before. */
static unsigned streams_distance(cfs_pos a, cfs_pos b)
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
	return s->is_used && (streams_distance(s->last, pos) <= all->step_max ||
			      (s->n > 0 && streams_distance(s->v[s->n - 1].pos,
							    pos) <=
						   all->step_max));
}

/* Finds the stream that has pos in its window, nearly always as the
 * next entry. */
static struct cfs_stream *find_known(struct cfs_streams *all, cfs_pos pos,
				     unsigned *i)
{
	for (struct cfs_stream *s = all->v; s < all->v + CFS_STREAMS; s++) {
		*i = s->at;
		if (s->at < s->n && s->v[s->at].pos == pos)
			return s;
	}
	for (struct cfs_stream *s = all->v; s < all->v + CFS_STREAMS; s++)
		if (find_ahead(s, pos, i))
			return s;
	return NULL;
}

static struct cfs_stream *find_stream(struct cfs_streams *all, cfs_pos pos)
{
	struct cfs_stream *oldest = &all->v[0], *best = NULL;

	for (unsigned i = 0; i < CFS_STREAMS; i++) {
		struct cfs_stream *s = &all->v[i];

		if (is_step(all, s, pos) &&
		    (best == NULL || s->last > best->last))
			best = s;
		if (!s->is_used ||
		    (oldest->is_used && s->clock < oldest->clock))
			oldest = s;
	}
	if (best != NULL)
		return best;
	free(oldest->v);
	*oldest = (struct cfs_stream){ .is_used = true, .last = pos,
				       .serial = ++all->serial };
	return oldest;
}

/* Notes that the reader has moved on to an entry outside of v. */
static void streams_step(struct cfs_stream *s, cfs_pos pos)
{
	s->last = pos;
	s->steps++;
	s->run = 0;
	s->at = s->n;
	s->is_beyond = true;
	leave_behind(s);
}

/* Has this reader listed the folder whose first page it reads now?  Forgets
 * that, and tells of which search the folder is. */
static bool has_listed(struct cfs_streams *all, pid_t reader, cfs_pos pos,
		       unsigned *search)
{
	for (unsigned i = 0; i < CFS_LISTED && i < all->n_listed; i++) {
		struct cfs_stream_listed *l = &all->listed[i];

		if (l->reader != reader || l->pos != pos || reader == 0)
			continue;
		l->reader = 0;
		*search = l->search;
		return true;
	}
	return false;
}

/* A reader at the first file of a folder that was listed is taken for one in
 * order if such readers are: one that reads on makes up for another. */
static void streams_believe(struct cfs_streams *all, struct cfs_stream *s,
			    unsigned search)
{
	if (s->steps > 0 || all->believed >= BELIEVED_MAX)
		return;
	s->search = search;
	all->believed++;
	s->is_believed = true;
	s->steps = STEPS_MIN;
}

static void streams_prove(struct cfs_streams *all, struct cfs_stream *s)
{
	if (!s->is_believed || s->steps < 2 * STEPS_MIN)
		return;
	s->is_believed = false;
	all->believed -= all->believed < 2 ? all->believed : 2;
}

/* Doubles the window, unless the reader passes over nearly all that is
 * fetched: one that reads every third page is better served by fetching three
 * than by waiting. */
static void set_window(struct cfs_streams *all, struct cfs_stream *s)
{
	unsigned read = 0, passed = 0;

	for (unsigned i = 0; i < s->at; i++) {
		read += s->v[i].is_asked && s->v[i].is_read;
		passed += s->v[i].is_asked && !s->v[i].is_read;
	}
	if (passed > 2 * read + WINDOW_MIN)
		s->window = s->window / 2 > WINDOW_MIN ? s->window / 2 :
							 WINDOW_MIN;
	else
		s->window *= 2;
	if (s->window > all->max)
		s->window = all->max;
}

/* Decides whether the window is to be filled. */
static void streams_judge(struct cfs_streams *all, struct cfs_stream *s)
{
	unsigned looks = looks_max(all, s), part = all->refill_part;

	if (s->steps < STEPS_MIN || s->is_at_end || s->is_wanted ||
	    s->is_filling)
		return;
	if (s->window == 0) {
		s->window = WINDOW_MIN < all->max ? WINDOW_MIN : all->max;
		all->recognised++;
		s->is_wanted = true;
	} else if (left_of(s) <= s->window - s->window / part &&
		   (s->n - s->at <= looks - looks / part ||
		    first_missed(s) < s->n)) {
		set_window(all, s);
		s->is_wanted = true;
	}
}

void cfs_streams_listed(struct cfs_streams *all,
			const struct cfs_stream_listed *l, cfs_pos to)
{
	all->listed_to = to;
	all->listed[all->n_listed++ % CFS_LISTED] = *l;
}

bool cfs_streams_note(struct cfs_streams *all, pid_t reader, cfs_pos pos,
		      enum cfs_view view)
{
	unsigned i, search;
	struct cfs_stream *s = find_known(all, pos, &i);
	bool is_in_v = s != NULL;

	if (!is_in_v)
		s = find_stream(all, pos);
	all->alone = reader == all->reader ? all->alone + 1 : 0;
	all->reader = reader;
	s->clock = ++all->clock;
	s->views |= 1u << view;
	if (s->is_filling)
		s->recent[s->n_recent++ % CFS_RECENT] = pos;
	if (is_in_v)
		reach(s, i);
	else if (pos != s->last)	/* else another view of the page */
		streams_step(s, pos);
	if (has_listed(all, reader, pos, &search))
		streams_believe(all, s, search);
	streams_prove(all, s);
	streams_judge(all, s);
	return s->is_wanted;
}

struct cfs_stream_run cfs_streams_run(const struct cfs_streams *all,
				      pid_t reader)
{
	const struct cfs_stream *s = &all->v[0];
	struct cfs_stream_run run;

	for (unsigned i = 1; i < CFS_STREAMS; i++)
		if (all->v[i].clock > s->clock)
			s = &all->v[i];
	run = (struct cfs_stream_run){ s->run, s->last, all->listed_to };
	if (reader == 0)
		return run;
	run.to = UINT64_MAX;
	if (run.n > all->alone)
		run.n = all->alone;
	if (reader != all->reader)
		run.n = 0;
	return run;
}

/* ---- loading ----------------------------------------------------------- */

/* The first file ahead of a reader that is not being loaded, of these views. */
static struct cfs_stream_ahead *first_to_load(struct cfs_stream *s,
					      unsigned among, unsigned *views)
{
	for (unsigned i = s->at + 1;
	     i < s->n && i <= s->at + CFS_LOADED_AHEAD; i++) {
		struct cfs_stream_ahead *e = &s->v[i];

		*views = (s->views | s->views_before) & among & ~e->loaded;
		if (e->is_asked && e->is_single && *views != 0)
			return e;
	}
	return NULL;
}

bool cfs_streams_load(struct cfs_streams *all, bool views_only,
		      struct cfs_stream_file *out)
{
	unsigned among = ~(views_only ? 1u << CFS_VIEW_RAW : 0), views, found;
	struct cfs_stream_ahead *best = NULL, *e;
	uint64_t clock = 0;

	for (unsigned i = 0; i < CFS_STREAMS; i++) {
		struct cfs_stream *s = &all->v[i];

		if (s->clock < clock)
			continue;
		e = first_to_load(s, among, &views);
		if (e == NULL)
			continue;
		best = e;
		found = views;
		clock = s->clock;
	}
	if (best == NULL)
		return false;
	*out = (struct cfs_stream_file){ best->pos, CFS_VIEW_RAW };
	while ((found & 1u << out->view) == 0)
		out->view++;
	best->loaded |= 1u << out->view;
	return true;
}

void cfs_streams_load_later(struct cfs_streams *all,
			    const struct cfs_stream_file *file)
{
	struct cfs_stream *s;
	unsigned i;

	s = find_known(all, file->pos, &i);
	if (s != NULL)
		s->v[i].loaded &= ~(1u << file->view);
}

/* ---- filling ----------------------------------------------------------- */

bool cfs_streams_take(struct cfs_streams *all, struct cfs_stream_want *out)
{
	struct cfs_stream *s = NULL;
	unsigned looks, looked, left;
	cfs_pos from;

	for (unsigned i = 0; i < CFS_STREAMS; i++)
		if (all->v[i].is_wanted &&
		    (s == NULL || all->v[i].clock > s->clock))
			s = &all->v[i];
	if (s == NULL)
		return false;
	s->n = first_missed(s);		/* looked at again from here on */
	looks = looks_max(all, s);
	looked = s->n - s->at;
	left = left_of(s);
	from = s->last;
	if (s->n > 0 && !s->is_beyond)
		from = s->v[s->n - 1].pos;
	*out = (struct cfs_stream_want){
		.stream = s,
		.serial = s->serial,
		.from = from,
		.looks = looks > looked ? looks - looked : 0,
		.entries = s->window > left ? s->window - left : 0,
		.views = s->views | s->views_before,
		.search = s->search,
		.habits = s->habits,
	};
	s->is_wanted = false;
	s->is_filling = true;
	s->n_recent = 0;
	s->views_before = s->views;
	s->views = 0;
	return true;
}

/* The entries from v[from] on have become known.  The reader may have reached
 * or passed some of them meanwhile; these do not count as passed over. */
static void catch_up(struct cfs_stream *s, unsigned from)
{
	unsigned n = s->n_recent < CFS_RECENT ? s->n_recent : CFS_RECENT;
	unsigned i;

	s->is_beyond = n > 0 && s->is_beyond;
	for (unsigned k = 0; k < n; k++) {
		if (!find_ahead(s, s->recent[k], &i))
			continue;
		s->v[i].is_read = true;
		s->is_beyond = s->is_beyond && s->recent[k] != s->last;
		if (i >= s->at)
			s->at = i + 1;
	}
	if (s->is_beyond)
		s->at = s->n;
	for (i = from; i < s->at; i++)
		s->v[i].is_counted = true;
}

void cfs_streams_done(struct cfs_streams *all,
		      const struct cfs_stream_want *want,
		      const struct cfs_stream_ahead *v, unsigned n,
		      bool is_at_end)
{
	unsigned room = BEHIND_MAX + LOOKS * all->max;
	struct cfs_stream *s = want->stream;
	unsigned from = s->n;

	if (s->serial != want->serial)	/* the stream was replaced meanwhile */
		return;
	s->is_filling = false;
	s->is_at_end = is_at_end;
	if (s->v == NULL)
		s->v = calloc(room, sizeof(*s->v));
	if (s->v == NULL || n > room - s->n)
		return;
	if (n > 0)
		memcpy(s->v + s->n, v, n * sizeof(*v));
	s->n += n;
	catch_up(s, from);
	leave_behind(s);
}

void cfs_streams_release(struct cfs_streams *all)
{
	for (unsigned i = 0; i < CFS_STREAMS; i++)
		free(all->v[i].v);
}
