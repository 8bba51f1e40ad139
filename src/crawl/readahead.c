/* readahead.c - walks the index ahead of the streams, gives the store hints
 * what to fetch, and loads files.
 *
 * A hint costs nothing but a request of the source's.  Of each page, only the
 * records are fetched that the views read lately are made of, and only of pages
 * like those that are read (streams.c).
 *
 * A reader must not wait for a file that it could load itself.  So the page
 * being read and the next are not loaded: reader and thread would do the same
 * work.  The reader then finds every other page ready, or all of them.
 *
 * A reader of pages keeps a processor busy itself; one of .txt or .meta hardly
 * does.  So if there are as many threads that load as processors, one of them
 * loads views only.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "readahead.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/pool.h"
#include "companions.h"
#include "content.h"
#include "fetch_hints.h"
#include "ino.h"
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

/* The most threads that load. */
#define LOADERS_MAX 4u
/* How many more files may be loaded in vain than were used; beyond that, only a
 * new reader gets CREDIT_OF_READER more. */
#define CREDIT_MAX 64u
#define CREDIT_OF_READER 16u
/* Pages that a reader has read one after the other before it is taken to read
 * all that follow. */
#define RUN_MIN 4u

struct cfs_readahead {
	struct cfs_index *index;
	struct cfs_store *store;	/* NULL: nothing is fetched */
	/* Where files are loaded, and the most threads that do: the crawl of
	 * this source. */
	struct cfs_handles *handles;
	struct cfs_searches *searches;	/* NULL: there are none */
	struct cfs_crawl *crawl;
	unsigned source, loaders;
	_Atomic unsigned in_vain;	/* files not read, not counted yet */
	_Atomic uint64_t files;		/* loaded */
	_Atomic bool is_stopping;
	pthread_mutex_t lock;
	pthread_cond_t fetch, load;	/* for the thread that fetches; for
					 * those that load, */
	pthread_cond_t views;		/* and the one that loads only views */
	struct cfs_streams streams;	/* guarded by lock, as all below */
	bool is_held;			/* until the next read: a file has not
					 * come yet, and others were requested
					 * after it */
	unsigned credit;
	uint64_t records, requests, passed, used;
	bool is_started;
	unsigned running;		/* threads that have begun */
	struct cfs_pool pool;
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

/* Collects the entries of ix that are wanted.  True if it has no more. */
static bool collect_from(struct cfs_readahead *ra, struct cfs_index *ix,
			 struct ahead_batch *b)
{
	const struct cfs_stream_want *want = b->want;
	struct cfs_cancel cancel = { .asked = readahead_asked_to_stop,
				     .arg = ra };
	struct cfs_iter *it = malloc(sizeof(*it));
	struct cfs_path *path = malloc(sizeof(*path));
	int rc = CFS_ENOMEM;

	if (it != NULL && path != NULL) {
		cfs_iter_init(it);
		rc = cfs_index_at(ix, want->from, it, CFS_CTX(&cancel, NULL));
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

/* The same of the crawl's index, or of what a search has found in it, if that
 * is still there. */
static bool readahead_collect(struct cfs_readahead *ra, struct ahead_batch *b)
{
	unsigned search = b->want->search;
	struct cfs_search_hits pin;
	bool is_at_end;

	if (search == 0)
		return collect_from(ra, ra->index, b);
	if (ra->searches == NULL ||
	    !cfs_searches_peek(ra->searches, search - 1, ra->source, &pin))
		return false;
	is_at_end = collect_from(ra, pin.ix, b);
	cfs_lru_put(pin.ref);
	return is_at_end;
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

static void readahead_walk(struct cfs_readahead *ra,
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

/* ---- loading ---------------------------------------------------------- */

/* Loads the bytes of h unless somebody is loading or has loaded them.  Errors
 * are left to the request that meets them.  False: they have not come from the
 * server. */
static bool make_ready(struct cfs_readahead *ra, struct cfs_handle *h,
		       const struct cfs_node *file)
{
	_Atomic bool would_wait = false;
	/* It makes no request: those that are wanted have been made. */
	const struct cfs_cancel cancel = {
		.asked = readahead_asked_to_stop, .arg = ra,
		.may_read_files = true,
		.would_wait = ra->store != NULL ? &would_wait : NULL,
	};

	if (pthread_mutex_trylock(&h->lock) != 0)
		return true;
	h->until_ms = cfs_cancel_until_ms(&cancel);
	if (!h->is_loaded && !h->is_ready) {
		h->in_vain = &ra->in_vain;
		h->is_ready = cfs_content_load_quickly(ra->crawl, file,
					&ra->crawl->view, &h->content,
					CFS_CTX(&cancel, NULL)) == CFS_OK;
		ra->files += h->is_ready;
	}
	pthread_mutex_unlock(&h->lock);
	return !would_wait;
}

static void load_unlocks(struct cfs_readahead *ra,
			 const struct cfs_stream_file *file)
{
	const struct cfs_node n = { .type = CFS_NODE_FILE, .source = ra->source,
				    .pos = file->pos, .view = file->view };
	struct cfs_handle *h;
	bool has_come = true;

	pthread_mutex_unlock(&ra->lock);
	h = cfs_handles_open(ra->handles, cfs_ino_of(&n));
	if (h != NULL) {
		has_come = make_ready(ra, h, &n);
		cfs_handles_close(ra->handles, h);
	}
	pthread_mutex_lock(&ra->lock);
	if (!has_come)
		cfs_streams_load_later(&ra->streams, file);
	ra->is_held = ra->is_held || !has_come;
}

/* May a file be loaded? */
static bool may_load_locked(struct cfs_readahead *ra)
{
	unsigned in_vain = atomic_exchange(&ra->in_vain, 0);

	ra->credit -= in_vain < ra->credit ? in_vain : ra->credit;
	return ra->credit > 0 && !ra->is_held;
}

/* ---- the threads ------------------------------------------------------ */

/* views: some of what there is to load may be views. */
static void wake_locked(struct cfs_readahead *ra, bool views)
{
	pthread_cond_broadcast(&ra->load);
	if (views)
		pthread_cond_signal(&ra->views);
}

static void walk_unlocks(struct cfs_readahead *ra,
			 const struct cfs_stream_want *want)
{
	pthread_mutex_unlock(&ra->lock);
	readahead_walk(ra, want);
	pthread_mutex_lock(&ra->lock);
	if (ra->store == NULL)
		wake_locked(ra, (want->views & ~(1u << CFS_VIEW_RAW)) != 0);
}

static void fetch_ahead_locked(struct cfs_readahead *ra)
{
	struct cfs_stream_want want;

	while (!ra->is_stopping) {
		if (cfs_streams_take(&ra->streams, &want))
			walk_unlocks(ra, &want);
		else
			pthread_cond_wait(&ra->fetch, &ra->lock);
	}
}

static void load_ahead_locked(struct cfs_readahead *ra, bool views_only)
{
	struct cfs_stream_want want;
	struct cfs_stream_file file;

	while (!ra->is_stopping) {
		bool may_load = may_load_locked(ra);

		if (may_load && cfs_streams_load(&ra->streams, views_only,
						 &file))
			load_unlocks(ra, &file);
		else if (views_only)
			pthread_cond_wait(&ra->views, &ra->lock);
		else if (may_load && ra->store == NULL &&
			 cfs_streams_take(&ra->streams, &want))
			walk_unlocks(ra, &want);
		else
			pthread_cond_wait(&ra->load, &ra->lock);
	}
}

/* The first thread fetches, if anything is to be fetched; others load. */
static void readahead_run(void *arg)
{
	struct cfs_readahead *ra = arg;
	unsigned number;

	pthread_mutex_lock(&ra->lock);
	number = ra->running++ + (ra->store == NULL);
	if (number == 0)
		fetch_ahead_locked(ra);
	else
		load_ahead_locked(ra, number == cfs_processors());
	pthread_mutex_unlock(&ra->lock);
}

/* ---- readers ---------------------------------------------------------- */

void cfs_readahead_listed(struct cfs_readahead *ra,
			  const struct cfs_stream_listed *l, cfs_pos to)
{
	pthread_mutex_lock(&ra->lock);
	cfs_streams_listed(&ra->streams, l, to);
	pthread_mutex_unlock(&ra->lock);
}

/* Lets files be loaded, or first be found.  is_new: for another reader. */
static void let_load_locked(struct cfs_readahead *ra, bool is_new, bool views)
{
	if (is_new && ra->credit < CREDIT_OF_READER)
		ra->credit = CREDIT_OF_READER;
	if (ra->credit == 0)
		return;
	ra->is_held = false;
	wake_locked(ra, views);
}

void cfs_readahead_note(struct cfs_readahead *ra, pid_t reader,
			const struct cfs_node *file, bool was_ready)
{
	uint64_t recognised;
	bool is_wanted;

	pthread_mutex_lock(&ra->lock);
	recognised = ra->streams.recognised;
	is_wanted = cfs_streams_note(&ra->streams, reader, file->pos,
				     file->view);
	if (is_wanted && !ra->is_started) {
		unsigned n = ra->loaders + (ra->store != NULL);

		ra->is_started = cfs_pool_start(&ra->pool, n, readahead_run,
						ra) > 0;
	}
	if (is_wanted && ra->store != NULL)
		pthread_cond_signal(&ra->fetch);
	if (was_ready) {
		ra->used++;
		ra->credit += ra->credit < CREDIT_MAX;
	}
	if (ra->loaders > 0 &&
	    (is_wanted || (ra->store != NULL && ra->streams.recognised > 0)))
		let_load_locked(ra, ra->streams.recognised != recognised,
				file->view != CFS_VIEW_RAW);
	pthread_mutex_unlock(&ra->lock);
}

bool cfs_readahead_take(struct cfs_readahead *ra, struct cfs_handle *h,
			pid_t reader, const struct cfs_node *file)
{
	bool was_ready = h->is_ready;

	h->is_ready = false;
	if (ra != NULL)
		cfs_readahead_note(ra, reader, file, was_ready);
	return was_ready;
}

struct cfs_handle *cfs_readahead_next(struct cfs_readahead *ra, pid_t reader)
{
	struct cfs_stream_run run;

	pthread_mutex_lock(&ra->lock);
	run = cfs_streams_run(&ra->streams, reader);
	pthread_mutex_unlock(&ra->lock);
	if ((reader != 0 && run.n < RUN_MIN) || run.to <= run.last)
		return NULL;
	return cfs_handles_open_ready(ra->handles, ra->source, run.last,
				      run.to);
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
	pthread_cond_init(&ra->fetch, NULL);
	pthread_cond_init(&ra->load, NULL);
	pthread_cond_init(&ra->views, NULL);
	return CFS_OK;
}

void cfs_readahead_load_for(struct cfs_readahead *ra,
			    struct cfs_handles *handles,
			    struct cfs_searches *searches, struct cfs_crawl *c,
			    unsigned source)
{
	unsigned n = cfs_processors();

	ra->handles = handles;
	ra->searches = searches;
	ra->crawl = c;
	ra->source = source;
	if (n > 1)
		ra->loaders = n < LOADERS_MAX ? n : LOADERS_MAX;
}

void cfs_readahead_free(struct cfs_readahead *ra)
{
	if (ra == NULL)
		return;
	pthread_mutex_lock(&ra->lock);
	ra->is_stopping = true;
	pthread_cond_signal(&ra->fetch);
	wake_locked(ra, true);
	pthread_mutex_unlock(&ra->lock);
	if (ra->is_started)
		cfs_pool_join(&ra->pool);
	pthread_mutex_destroy(&ra->lock);
	pthread_cond_destroy(&ra->fetch);
	pthread_cond_destroy(&ra->load);
	pthread_cond_destroy(&ra->views);
	cfs_streams_release(&ra->streams);
	free(ra);
}

void cfs_readahead_get_stats(struct cfs_readahead *ra,
			     struct cfs_readahead_stats *out)
{
	pthread_mutex_lock(&ra->lock);
	*out = (struct cfs_readahead_stats){
		.streams = ra->streams.recognised, .records = ra->records,
		.requests = ra->requests, .passed = ra->passed,
		.loads = ra->loaders > 0, .files = ra->files,
		.files_used = ra->used,
	};
	pthread_mutex_unlock(&ra->lock);
}
