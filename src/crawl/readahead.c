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
#include "fetch_hints.h"
#include "net/location.h"

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

struct ahead_batch {
	const struct cfs_stream_want *want;
	struct cfs_stream_ahead *seen; /* entries passed, want->looks at most */
	unsigned n_seen, n_asked;
	struct cfs_fetch_hints hints;
	size_t n;			/* records that will be fetched, by */
	unsigned n_joined;		/* so many requests */
	struct cfs_buf name;		/* scratch */
	struct cfs_buf key;		/* of the entry passed last */
};

/* ---- what to fetch ---------------------------------------------------- */

static bool readahead_asked_to_stop(void *arg)
{
	return ((struct cfs_readahead *)arg)->is_stopping;
}

static void add_item(struct cfs_readahead *ra, struct ahead_batch *b,
		     const struct cfs_span *loc)
{
	cfs_buf_reset(&b->name);
	if (loc->length > 0 &&
	    cfs_index_archive_name(ra->index, loc, &b->name, NULL) == CFS_OK)
		cfs_fetch_hints_add(&b->hints, cfs_buf_slice(&b->name), loc);
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

static bool batch_init(struct ahead_batch *b,
		       const struct cfs_stream_want *want)
{
	*b = (struct ahead_batch){ .want = want };
	cfs_fetch_hints_init(&b->hints);
	cfs_buf_init(&b->name, CFS_LOCATION_MAX);
	cfs_buf_init(&b->key, CFS_KEY_MAX);
	b->seen = calloc((size_t)want->looks + 1, sizeof(*b->seen));
	return b->seen != NULL;
}

static void batch_release(struct ahead_batch *b)
{
	cfs_fetch_hints_release(&b->hints);
	cfs_buf_release(&b->name);
	cfs_buf_release(&b->key);
	free(b->seen);
}

/* ---- the thread ------------------------------------------------------- */

void cfs_readahead_walk(struct cfs_readahead *ra,
			const struct cfs_stream_want *want)
{
	static const struct cfs_near_rule how = { GAP_BYTES, JOIN_MAX, 0 };
	bool is_at_end = false, has_room;
	struct ahead_batch b;

	has_room = batch_init(&b, want);
	if (has_room) {
		is_at_end = readahead_collect(ra, &b);
		b.n = b.hints.n;
		b.n_joined = cfs_fetch_hints_give(&b.hints, ra->store, &how, 0,
						  &ra->is_stopping);
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
