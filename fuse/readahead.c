/* readahead.c - fetches what is likely to be read next (see readahead.h).
 *
 * A reader in order is known by positions in the index: each a few entries
 * after the one before.  Three such steps make a stream; random reads of a
 * small crawl hardly ever take three.  One thread walks the index ahead of
 * the streams and gives hints to the store, which cost nothing but a request
 * of the source's own.  Of each page it asks for what the views are made of
 * that the reader has been reading.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "readahead.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "crawl/sides.h"

#define STREAMS 8u
/* Entries one step of a reader may pass over, as long as nothing was read
 * ahead for it: other captures, pages it does not want. */
#define STEP_MAX 8u
/* Steps that make a stream, and the records it gets ahead at first. */
#define STEPS_MIN 3u
#define WINDOW_MIN 4u
/* More is asked for when this part of the window has been read: the smaller,
 * the more requests are under way at any time, and the fewer can be joined. */
#define REFILL_PART 4u
/* Ranges of one archive closer together than this are one request, of at most
 * so many bytes: more would keep the reader waiting for its first record. */
#define GAP_BYTES 8192u
#define JOIN_MAX (512u << 10)

struct stream {
	bool is_used;
	cfs_pos last;		/* read last */
	cfs_pos ahead;		/* hinted up to this one; 0: nothing */
	unsigned steps;
	unsigned window;	/* records; 0: not recognised yet */
	unsigned left;		/* of those hinted, not reached yet, about */
	uint64_t serial;	/* which stream this is */
	uint64_t clock;		/* when, for replacement */
	/* Views (bit 1 << view) read since the window was last moved, and in
	 * the time before that: what of each page is wanted. */
	unsigned views, views_before;
	bool is_wanted;		/* the thread has to do something */
	bool is_at_end;		/* of the index */
};

struct cfs_readahead {
	struct cfs_crawl *crawl;
	unsigned max;
	pthread_mutex_t lock;
	pthread_cond_t work;
	struct stream streams[STREAMS];	/* guarded by lock, as all below */
	uint64_t clock, serial;
	bool stop, has_thread;
	_Atomic bool stopping;
	pthread_t thread;
	struct cfs_readahead_stats stats;
};

/* A record to be fetched. */
struct item {
	struct cfs_span loc;
	size_t name_off, name_n;	/* in the batch's names */
	unsigned order;			/* in which it will be read */
};

/* Items in the order of their places that are one request. */
struct joined {
	unsigned from, end;
	unsigned order;			/* of the item read first */
	struct cfs_span all;
};

struct batch {
	unsigned views;
	struct item *v;
	struct joined *joined;		/* room for as many as items */
	unsigned n, n_joined;
	struct cfs_buf names;
};

/* Page, text and metadata may lie in three files. */
#define ITEMS_PER_ENTRY 3u

/* ---- recognising ------------------------------------------------------ */

/* How many entries b is after a, if that can be seen from their numbers and
 * is few; else UINT_MAX.  The first entries of a block follow the last ones of
 * the block before. */
static unsigned distance(cfs_pos a, cfs_pos b)
{
	uint32_t block = cfs_pos_block(b) - cfs_pos_block(a);

	if (b < a || block > 1)
		return UINT32_MAX;
	return block == 0 ? cfs_pos_slot(b) - cfs_pos_slot(a) :
			    cfs_pos_slot(b) + 1;
}

static bool is_step(const struct stream *s, cfs_pos pos)
{
	if (!s->is_used || pos < s->last)
		return false;
	if (s->window > 0 && s->ahead > 0 && pos <= s->ahead)
		return true;
	return distance(s->last, pos) <= STEP_MAX;
}

static struct stream *find_stream(struct cfs_readahead *ra, cfs_pos pos)
{
	struct stream *oldest = &ra->streams[0], *best = NULL;

	for (unsigned i = 0; i < STREAMS; i++) {
		struct stream *s = &ra->streams[i];

		if (is_step(s, pos) && (best == NULL || s->last > best->last))
			best = s;
		if (!s->is_used || (oldest->is_used && s->clock < oldest->clock))
			oldest = s;
	}
	if (best != NULL)
		return best;
	*oldest = (struct stream){ .is_used = true, .last = pos,
				   .serial = ++ra->serial };
	return oldest;
}

/* The reader has got some records further. */
static void advance(struct cfs_readahead *ra, struct stream *s, cfs_pos pos)
{
	unsigned d = distance(s->last, pos);

	s->last = pos;
	s->steps++;
	s->left -= d < s->left ? d : s->left;
	if (s->steps < STEPS_MIN || s->is_at_end)
		return;
	if (s->window == 0) {
		s->window = WINDOW_MIN < ra->max ? WINDOW_MIN : ra->max;
		ra->stats.streams++;
		s->is_wanted = true;
	} else if (s->left <= s->window - s->window / REFILL_PART) {
		s->window = s->window * 2 < ra->max ? s->window * 2 : ra->max;
		s->is_wanted = true;
	}
}

static void *run(void *arg);

/* Signals are for other threads. */
static void start_thread(struct cfs_readahead *ra)
{
	sigset_t every, old;

	sigfillset(&every);
	pthread_sigmask(SIG_SETMASK, &every, &old);
	ra->has_thread = pthread_create(&ra->thread, NULL, run, ra) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void cfs_readahead_note(struct cfs_readahead *ra, cfs_pos pos,
			enum cfs_view view)
{
	struct stream *s;

	pthread_mutex_lock(&ra->lock);
	s = find_stream(ra, pos);
	s->clock = ++ra->clock;
	s->views |= 1u << view;
	if (pos != s->last)		/* else another view of the page */
		advance(ra, s, pos);
	if (s->is_wanted && !ra->has_thread)
		start_thread(ra);
	if (s->is_wanted)
		pthread_cond_signal(&ra->work);
	pthread_mutex_unlock(&ra->lock);
}

/* ---- fetching --------------------------------------------------------- */

static bool asked_to_stop(void *arg)
{
	return ((struct cfs_readahead *)arg)->stopping;
}

static void add_item(struct cfs_readahead *ra, struct batch *b,
		     const struct cfs_span *loc)
{
	struct item *i = &b->v[b->n];

	if (loc->length == 0)
		return;
	*i = (struct item){ .loc = *loc, .name_off = b->names.n,
			    .order = b->n };
	if (cfs_index_archive_name(ra->crawl->index, loc, &b->names, NULL) !=
	    CFS_OK)
		return;
	i->name_n = b->names.n - i->name_off;
	b->n++;
}

/* What the views that are being read are made of: the record, or the crawl's
 * own text and metadata. */
static void add_entry(struct cfs_readahead *ra, struct batch *b,
		      const struct cfs_iter *it)
{
	struct cfs_capture cap;
	bool has_record = false;

	if (cfs_index_capture(it, &cap, NULL) != CFS_OK)
		return;
	for (unsigned v = CFS_VIEW_RAW; v < CFS_VIEW_COUNT; v++) {
		const struct cfs_side *side = cfs_side_of(&cap,
							  (enum cfs_view)v);

		if ((b->views & 1u << v) == 0)
			continue;
		if (side != NULL)
			add_item(ra, b, &side->loc);
		else if (!has_record && cap.kind != CFS_KIND_SIDE)
			add_item(ra, b, &cap.loc);
		has_record = has_record || side == NULL;
	}
}

/* The entries after `from`, at most `max`; *last is the last one seen. */
static void collect(struct cfs_readahead *ra, cfs_pos from, unsigned max,
		    struct batch *b, cfs_pos *last, bool *is_at_end)
{
	struct cfs_cancel cancel = { .asked = asked_to_stop, .arg = ra };
	struct cfs_iter *it = malloc(sizeof(*it));
	int rc;

	*last = from;
	*is_at_end = false;
	if (it == NULL)
		return;
	cfs_iter_init(it);
	rc = cfs_index_at(ra->crawl->index, from, it, &cancel, NULL);
	for (unsigned i = 0; i < max && rc == CFS_OK; i++) {
		rc = cfs_index_next(it, &cancel, NULL);
		if (rc != CFS_OK)
			break;
		*last = it->pos;
		add_entry(ra, b, it);
	}
	*is_at_end = rc == CFS_END;
	cfs_iter_release(it);
	free(it);
}

static struct cfs_slice name_of(const struct batch *b, const struct item *i)
{
	return cfs_slice_sub(cfs_buf_slice(&b->names), i->name_off, i->name_n);
}

/* The records from v[i] on that can be one request. */
static void join_run(struct batch *b, unsigned i)
{
	struct joined *j = &b->joined[b->n_joined++];
	struct cfs_slice name = name_of(b, &b->v[i]);
	struct cfs_span all = b->v[i].loc;
	unsigned k = i + 1;

	*j = (struct joined){ .from = i, .order = b->v[i].order };
	for (; k < b->n; k++) {
		const struct cfs_span *loc = &b->v[k].loc;
		uint64_t end = all.offset + all.length;

		if (!cfs_slice_eq(name_of(b, &b->v[k]), name) ||
		    loc->offset < all.offset ||
		    (loc->offset > end && loc->offset - end > GAP_BYTES) ||
		    loc->length > JOIN_MAX || loc->offset > UINT64_MAX / 2 ||
		    loc->offset + loc->length - all.offset > JOIN_MAX)
			break;
		if (loc->offset + loc->length > end)
			all.length = loc->offset + loc->length - all.offset;
		if (b->v[k].order < j->order)
			j->order = b->v[k].order;
	}
	j->end = k;
	j->all = all;
}

static void hint_run(struct cfs_readahead *ra, const struct batch *b,
		     const struct joined *j)
{
	struct cfs_slice name = name_of(b, &b->v[j->from]);

	if (j->end > j->from + 1)
		cfs_store_prefetch(ra->crawl->store, name, &j->all);
	/* where each begins and ends */
	for (unsigned i = j->from; i < j->end; i++)
		cfs_store_prefetch(ra->crawl->store, name, &b->v[i].loc);
}

static int by_place(const void *va, const void *vb, void *batch)
{
	const struct item *a = va, *b = vb;
	int c = cfs_slice_cmp(name_of(batch, a), name_of(batch, b));

	if (c != 0)
		return c;
	return a->loc.offset < b->loc.offset ? -1 :
	       a->loc.offset > b->loc.offset;
}

static int by_order(const void *va, const void *vb)
{
	const struct joined *a = va, *b = vb;

	return a->order < b->order ? -1 : a->order > b->order;
}

/* Near ones are joined; what is read first is asked for first, because a
 * server may get only few requests at a time. */
static void hint(struct cfs_readahead *ra, struct batch *b)
{
	qsort_r(b->v, b->n, sizeof(*b->v), by_place, b);
	for (unsigned i = 0; i < b->n; i = b->joined[b->n_joined - 1].end)
		join_run(b, i);
	qsort(b->joined, b->n_joined, sizeof(*b->joined), by_order);
	for (unsigned i = 0; i < b->n_joined && !ra->stopping; i++)
		hint_run(ra, b, &b->joined[i]);
	pthread_mutex_lock(&ra->lock);
	ra->stats.records += b->n;
	ra->stats.requests += b->n_joined;
	pthread_mutex_unlock(&ra->lock);
}

static bool batch_init(struct batch *b, unsigned entries, unsigned views)
{
	size_t n = (size_t)entries * ITEMS_PER_ENTRY + 1;

	*b = (struct batch){ .views = views };
	cfs_buf_init(&b->names, 1 << 20);
	b->v = calloc(n, sizeof(*b->v));
	b->joined = calloc(n, sizeof(*b->joined));
	return b->v != NULL && b->joined != NULL;
}

static void batch_release(struct batch *b)
{
	cfs_buf_release(&b->names);
	free(b->v);
	free(b->joined);
}

/* Brings one stream's window up to its size.  The lock is held, and dropped
 * in between. */
static void serve(struct cfs_readahead *ra, struct stream *s)
{
	cfs_pos from = s->ahead > s->last ? s->ahead : s->last, last;
	unsigned want, views = s->views | s->views_before;
	uint64_t serial = s->serial;
	bool is_at_end;
	struct batch b;

	s->is_wanted = false;
	s->views_before = s->views;
	s->views = 0;
	if (from == s->last)
		s->left = 0;		/* it has overtaken us */
	want = s->window > s->left ? s->window - s->left : 0;
	if (!batch_init(&b, want, views)) {
		batch_release(&b);
		return;
	}
	pthread_mutex_unlock(&ra->lock);
	collect(ra, from, want, &b, &last, &is_at_end);
	hint(ra, &b);
	pthread_mutex_lock(&ra->lock);
	if (s->serial == serial) {	/* not replaced meanwhile */
		s->ahead = last;
		s->left += want;
		s->is_at_end = is_at_end;
	}
	batch_release(&b);
}

static void *run(void *arg)
{
	struct cfs_readahead *ra = arg;

	pthread_mutex_lock(&ra->lock);
	while (!ra->stop) {
		struct stream *next = NULL;

		for (unsigned i = 0; i < STREAMS; i++)
			if (ra->streams[i].is_wanted &&
			    (next == NULL || ra->streams[i].clock > next->clock))
				next = &ra->streams[i];
		if (next != NULL)
			serve(ra, next);
		else
			pthread_cond_wait(&ra->work, &ra->lock);
	}
	pthread_mutex_unlock(&ra->lock);
	return NULL;
}

/* ---- opening and closing ---------------------------------------------- */

int cfs_readahead_new(struct cfs_readahead **out, struct cfs_crawl *c,
		      unsigned window, struct cfs_error *err)
{
	struct cfs_readahead *ra = calloc(1, sizeof(*ra));

	*out = ra;
	if (ra == NULL)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	ra->crawl = c;
	ra->max = window > 0 ? window : CFS_READAHEAD_DEFAULT;
	pthread_mutex_init(&ra->lock, NULL);
	pthread_cond_init(&ra->work, NULL);
	return CFS_OK;
}

void cfs_readahead_free(struct cfs_readahead *ra)
{
	if (ra == NULL)
		return;
	ra->stopping = true;
	pthread_mutex_lock(&ra->lock);
	ra->stop = true;
	pthread_cond_signal(&ra->work);
	pthread_mutex_unlock(&ra->lock);
	if (ra->has_thread)
		pthread_join(ra->thread, NULL);
	pthread_mutex_destroy(&ra->lock);
	pthread_cond_destroy(&ra->work);
	free(ra);
}

void cfs_readahead_get_stats(struct cfs_readahead *ra,
			     struct cfs_readahead_stats *out)
{
	pthread_mutex_lock(&ra->lock);
	*out = ra->stats;
	pthread_mutex_unlock(&ra->lock);
}
