/* readahead.c - walks the index ahead of the streams, and gives the store hints
 * what to fetch.
 *
 * A hint costs nothing but a request of the source's.  Of each page, only the
 * records are fetched that the views read lately are made of, and only of pages
 * like those that are read (streams.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "readahead.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/sync.h"
#include "companions.h"

/* Ranges of an archive that are closer together than GAP_BYTES become one
 * request, of at most JOIN_MAX bytes: more would keep the reader waiting for
 * its first record. */
#define GAP_BYTES 8192u
#define JOIN_MAX (512u << 10)
/* Entries that one step of a reader may pass over, and the part of a window
 * that is read before more is asked for; of archives that are here, where
 * waking a thread costs as much as loading a small page, other ones. */
#define STEP_MAX 8u
#define REFILL_PART 4u
#define STEP_MAX_HERE 2u
#define REFILL_PART_HERE 2u
#define SUFFIX_MAX 8u

struct cfs_readahead {
	struct cfs_index *index;
	struct cfs_store *store;	/* NULL: nothing is fetched */
	pthread_mutex_t lock;
	pthread_cond_t work;
	struct cfs_streams streams;	/* guarded by lock, as all below */
	bool has_thread;
	_Atomic bool is_stopping;	/* read without the lock, too */
	pthread_t thread;
	uint64_t records, requests, passed;
};

/* A record to be fetched. */
struct ahead_item {
	struct cfs_span loc;
	size_t name_off, name_n;	/* in the batch's names */
	unsigned order;			/* place in the order of reading */
};

/* Items, sorted by place, that become one request. */
struct joined {
	unsigned from, end;
	unsigned order;			/* that of the item read first */
	struct cfs_span all;
};

struct ahead_batch {
	const struct cfs_stream_want *want;
	struct cfs_stream_ahead *seen; /* entries passed, want->looks at most */
	unsigned n_seen, n_asked;
	struct ahead_item *v;
	struct joined *joined;		/* has room for one for each item */
	unsigned n, n_joined;
	struct cfs_buf names;
	struct cfs_buf key;		/* of the entry passed last */
};

/* Page, text and metadata may lie in three archives. */
#define ITEMS_PER_ENTRY 3u

/* ---- what to fetch ---------------------------------------------------- */

static bool readahead_asked_to_stop(void *arg)
{
	return ((struct cfs_readahead *)arg)->is_stopping;
}

static void add_item(struct cfs_readahead *ra, struct ahead_batch *b,
		     const struct cfs_span *loc)
{
	struct ahead_item *i = &b->v[b->n];

	if (loc->length == 0)
		return;
	*i = (struct ahead_item){ .loc = *loc, .name_off = b->names.n,
			    .order = b->n };
	if (cfs_index_archive_name(ra->index, loc, &b->names, NULL) != CFS_OK)
		return;
	i->name_n = b->names.n - i->name_off;
	b->n++;
}

/* Adds what the views being read are made of: the record, or the
 * crawl's companions. */
static void add_records(struct cfs_readahead *ra, struct ahead_batch *b,
			const struct cfs_capture *cap)
{
	bool has_record = false;

	for (unsigned v = CFS_VIEW_RAW; v < CFS_VIEW_COUNT; v++) {
		struct cfs_companion comp;

		if ((b->want->views & 1u << v) == 0)
			continue;
		if (cfs_companion_of(cap, (enum cfs_view)v, &comp)) {
			add_item(ra, b, &comp.loc);
			continue;
		}
		if (cfs_view_is_related((enum cfs_view)v))
			continue;
		if (!has_record && cap->kind != CFS_KIND_ANNEX)
			add_item(ra, b, &cap->loc);
		has_record = true;
	}
}

static uint8_t sort_of(struct cfs_slice s)
{
	return (uint8_t)(cfs_hash64(s, 0) % CFS_SORTS);
}

/* The suffix of a page's name, behind its last dot, as patterns for names see
 * it; empty if there is none. */
static struct cfs_slice suffix_of(struct cfs_slice name)
{
	size_t n = 0;

	while (n < name.n && n <= SUFFIX_MAX && name.p[name.n - n - 1] != '.' &&
	       name.p[name.n - n - 1] != '/')
		n++;
	return n > 0 && n <= SUFFIX_MAX && n < name.n &&
	       name.p[name.n - n - 1] == '.' ?
	       cfs_slice_from(name, name.n - n) : CFS_SLICE_EMPTY;
}

static void add_entry(struct cfs_readahead *ra, struct ahead_batch *b,
		      struct cfs_iter *it, struct cfs_path *path)
{
	struct cfs_stream_ahead *e = &b->seen[b->n_seen++];
	bool is_same = cfs_slice_eq(it->key, cfs_buf_slice(&b->key));
	struct cfs_slice name = CFS_SLICE_EMPTY;
	struct cfs_capture cap;

	*e = (struct cfs_stream_ahead){ .pos = it->pos, .is_single = !is_same };
	if (is_same && b->n_seen > 1)
		e[-1].is_single = false;
	cfs_buf_reset(&b->key);
	cfs_buf_add(&b->key, it->key);
	e->is_asked = ra->store == NULL;
	if (ra->store != NULL &&
	    cfs_index_capture(it, &cap, NULL) == CFS_OK) {
		if (cfs_index_split(it->ix, it->key, path) == CFS_OK &&
		    path->n > 0)
			name = path->comp[path->n - 1];
		e->suffix = sort_of(suffix_of(name));
		e->mime = sort_of(cap.mime);
		e->is_asked = cfs_habits_want(&b->want->habits, e);
		if (e->is_asked)
			add_records(ra, b, &cap);
	}
	b->n_asked += e->is_asked;
}

/* Moves to the next entry; CFS_END behind the last one of the part. */
static int next_entry(struct cfs_readahead *ra, struct cfs_iter *it,
		      const struct cfs_cancel *cancel)
{
	int rc = cfs_index_next_shown(it, CFS_CTX(cancel, NULL));

	return rc == CFS_OK && !cfs_index_holds(ra->index, it->key) ? CFS_END :
								      rc;
}

/* Collects the entries that are wanted.  True if the index has no more. */
static bool readahead_collect(struct cfs_readahead *ra, struct ahead_batch *b)
{
	const struct cfs_stream_want *want = b->want;
	struct cfs_cancel cancel = { .asked = readahead_asked_to_stop,
				     .arg = ra };
	struct cfs_iter *it = malloc(sizeof(*it));
	struct cfs_path *path = malloc(sizeof(*path));
	int rc = CFS_ENOMEM;

	if (it != NULL && path != NULL) {
		cfs_iter_init(it);
		rc = cfs_index_at(ra->index, want->from, it,
				  CFS_CTX(&cancel, NULL));
		if (rc == CFS_OK)
			cfs_buf_add(&b->key, it->key);
		while (rc == CFS_OK && b->n_seen < want->looks &&
		       b->n_asked < want->entries) {
			rc = next_entry(ra, it, &cancel);
			if (rc == CFS_OK)
				add_entry(ra, b, it, path);
		}
		if (rc == CFS_OK && b->n_seen > 0) {
			rc = next_entry(ra, it, &cancel);
			if (rc != CFS_END)	/* else the last is single */
				b->seen[b->n_seen - 1].is_single &=
					rc == CFS_OK &&
					!cfs_slice_eq(it->key,
						      cfs_buf_slice(&b->key));
		}
		cfs_iter_release(it);
	}
	free(path);
	free(it);
	return rc == CFS_END;
}

static struct cfs_slice readahead_name_of(const struct ahead_batch *b,
					  const struct ahead_item *i)
{
	return cfs_slice_sub(cfs_buf_slice(&b->names), i->name_off, i->name_n);
}

/* Joins the records from v[i] on that can be fetched by one request. */
static void readahead_join_run(struct ahead_batch *b, unsigned i)
{
	struct joined *j = &b->joined[b->n_joined++];
	struct cfs_slice name = readahead_name_of(b, &b->v[i]);
	struct cfs_span all = b->v[i].loc;
	unsigned k = i + 1;

	*j = (struct joined){ .from = i, .order = b->v[i].order };
	for (; k < b->n; k++) {
		const struct cfs_span *loc = &b->v[k].loc;
		uint64_t end = all.offset + all.length;

		if (!cfs_slice_eq(readahead_name_of(b, &b->v[k]), name) ||
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

static void hint_run(struct cfs_readahead *ra, const struct ahead_batch *b,
		     const struct joined *j)
{
	struct cfs_slice name = readahead_name_of(b, &b->v[j->from]);

	if (j->end > j->from + 1)
		cfs_store_prefetch(ra->store, name, &j->all);
	/* The hints for single records say where each begins and ends. */
	for (unsigned i = j->from; i < j->end; i++)
		cfs_store_prefetch(ra->store, name, &b->v[i].loc);
}

static int readahead_by_place(const void *va, const void *vb, void *batch)
{
	const struct ahead_item *a = va, *b = vb;
	int c = cfs_slice_cmp(readahead_name_of(batch, a),
			      readahead_name_of(batch, b));

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

/* Joins neighbouring records, then asks first for what is read first, because a
 * server may be given only few requests at a time. */
static void hint(struct cfs_readahead *ra, struct ahead_batch *b)
{
	qsort_r(b->v, b->n, sizeof(*b->v), readahead_by_place, b);
	for (unsigned i = 0; i < b->n; i = b->joined[b->n_joined - 1].end)
		readahead_join_run(b, i);
	qsort(b->joined, b->n_joined, sizeof(*b->joined), by_order);
	for (unsigned i = 0; i < b->n_joined && !ra->is_stopping; i++)
		hint_run(ra, b, &b->joined[i]);
}

static bool batch_init(struct ahead_batch *b,
		       const struct cfs_stream_want *want)
{
	size_t n = (size_t)want->entries * ITEMS_PER_ENTRY + 1;

	*b = (struct ahead_batch){ .want = want };
	cfs_buf_init(&b->names, 1 << 20);
	cfs_buf_init(&b->key, CFS_KEY_MAX);
	b->seen = calloc((size_t)want->looks + 1, sizeof(*b->seen));
	b->v = calloc(n, sizeof(*b->v));
	b->joined = calloc(n, sizeof(*b->joined));
	return b->seen != NULL && b->v != NULL && b->joined != NULL;
}

static void batch_release(struct ahead_batch *b)
{
	cfs_buf_release(&b->names);
	cfs_buf_release(&b->key);
	free(b->seen);
	free(b->v);
	free(b->joined);
}

/* ---- the thread ------------------------------------------------------- */

void cfs_readahead_walk(struct cfs_readahead *ra,
			const struct cfs_stream_want *want)
{
	bool is_at_end = false, has_room;
	struct ahead_batch b;

	has_room = batch_init(&b, want);
	if (has_room) {
		is_at_end = readahead_collect(ra, &b);
		hint(ra, &b);
	}
	pthread_mutex_lock(&ra->lock);
	if (has_room) {
		ra->records += b.n;
		ra->requests += b.n_joined;
		ra->passed += b.n_seen - b.n_asked;
	}
	cfs_streams_done(&ra->streams, want, b.seen, b.n_seen, is_at_end);
	pthread_mutex_unlock(&ra->lock);
	batch_release(&b);
}

bool cfs_readahead_take(struct cfs_readahead *ra, struct cfs_stream_want *out)
{
	bool taken;

	pthread_mutex_lock(&ra->lock);
	taken = ra->store == NULL && cfs_streams_take(&ra->streams, out);
	pthread_mutex_unlock(&ra->lock);
	return taken;
}

static void *readahead_run(void *arg)
{
	struct cfs_readahead *ra = arg;
	struct cfs_stream_want want;

	pthread_mutex_lock(&ra->lock);
	while (!ra->is_stopping) {
		if (!cfs_streams_take(&ra->streams, &want)) {
			pthread_cond_wait(&ra->work, &ra->lock);
			continue;
		}
		pthread_mutex_unlock(&ra->lock);
		cfs_readahead_walk(ra, &want);
		pthread_mutex_lock(&ra->lock);
	}
	pthread_mutex_unlock(&ra->lock);
	return NULL;
}

void cfs_readahead_listed(struct cfs_readahead *ra, pid_t reader, cfs_pos pos,
			  cfs_pos to)
{
	pthread_mutex_lock(&ra->lock);
	cfs_streams_listed(&ra->streams, reader, pos, to);
	pthread_mutex_unlock(&ra->lock);
}

unsigned cfs_readahead_note(struct cfs_readahead *ra, pid_t reader, cfs_pos pos,
			    enum cfs_view view)
{
	uint64_t recognised;
	bool is_wanted;
	unsigned to_do;

	pthread_mutex_lock(&ra->lock);
	recognised = ra->streams.recognised;
	is_wanted = cfs_streams_note(&ra->streams, reader, pos, view);
	to_do = ra->streams.recognised != recognised ? CFS_READAHEAD_NEW : 0;
	if (is_wanted && ra->store != NULL) {
		if (!ra->has_thread)
			ra->has_thread = cfs_thread_start(&ra->thread,
							  readahead_run, ra);
		pthread_cond_signal(&ra->work);
	}
	if (is_wanted || (ra->store != NULL && ra->streams.recognised > 0))
		to_do |= CFS_READAHEAD_LOAD;
	pthread_mutex_unlock(&ra->lock);
	return to_do;
}

struct cfs_stream_run cfs_readahead_run(struct cfs_readahead *ra, pid_t reader)
{
	struct cfs_stream_run run;

	pthread_mutex_lock(&ra->lock);
	run = cfs_streams_run(&ra->streams, reader);
	pthread_mutex_unlock(&ra->lock);
	return run;
}

bool cfs_readahead_load(struct cfs_readahead *ra, bool views_only,
			struct cfs_stream_file *out)
{
	bool found;

	pthread_mutex_lock(&ra->lock);
	found = cfs_streams_load(&ra->streams, views_only, out);
	pthread_mutex_unlock(&ra->lock);
	return found;
}

void cfs_readahead_load_later(struct cfs_readahead *ra,
			      const struct cfs_stream_file *file)
{
	pthread_mutex_lock(&ra->lock);
	cfs_streams_load_later(&ra->streams, file);
	pthread_mutex_unlock(&ra->lock);
}

/* ---- opening and closing ---------------------------------------------- */

int cfs_readahead_new(struct cfs_readahead **out, struct cfs_index *index,
		      struct cfs_store *store, unsigned window,
		      struct cfs_error *err)
{
	struct cfs_readahead *ra = calloc(1, sizeof(*ra));

	*out = ra;
	if (ra == NULL)
		return cfs_error_nomem(err);
	ra->index = index;
	ra->store = store;
	ra->streams.step_max = STEP_MAX;
	ra->streams.refill_part = REFILL_PART;
	ra->streams.max = window > 0 ? window : CFS_READAHEAD_DEFAULT;
	if (store == NULL) {
		ra->streams.step_max = STEP_MAX_HERE;
		ra->streams.refill_part = REFILL_PART_HERE;
		ra->streams.max = CFS_LOADED_AHEAD;
	}
	pthread_mutex_init(&ra->lock, NULL);
	pthread_cond_init(&ra->work, NULL);
	return CFS_OK;
}

void cfs_readahead_free(struct cfs_readahead *ra)
{
	if (ra == NULL)
		return;
	ra->is_stopping = true;
	pthread_mutex_lock(&ra->lock);
	pthread_cond_signal(&ra->work);
	pthread_mutex_unlock(&ra->lock);
	if (ra->has_thread)
		pthread_join(ra->thread, NULL);
	pthread_mutex_destroy(&ra->lock);
	pthread_cond_destroy(&ra->work);
	cfs_streams_release(&ra->streams);
	free(ra);
}

void cfs_readahead_get_stats(struct cfs_readahead *ra,
			     struct cfs_readahead_stats *out)
{
	pthread_mutex_lock(&ra->lock);
	*out = (struct cfs_readahead_stats){ ra->streams.recognised,
					     ra->records, ra->requests,
					     ra->passed };
	pthread_mutex_unlock(&ra->lock);
}
