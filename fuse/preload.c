/* preload.c - a few threads walk the index ahead of the streams and load the
 * files that follow.
 *
 * A reader must not wait for a file that it could load itself.  So the threads
 * skip the page being read and the next: reader and thread would do the same
 * work.  The reader then finds every other page ready, or all of them.
 *
 * A reader of pages keeps a processor busy itself; one of .txt or .meta hardly
 * does.  So if there are as many threads as processors, one of them loads views
 * only.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "preload.h"

#include <stdlib.h>

#include "base/pool.h"
#include "crawl/content.h"
#include "fs.h"

#define THREADS_MAX 4u
/* Entries loaded ahead of a reader, and entries that a step of it may pass
 * over: what it does not read is loaded in vain. */
#define WINDOW 16u
#define STEP_MAX 2u
/* For small pages, waking a thread costs as much as loading one. */
#define REFILL_PART 2u
#define QUEUE_MAX 64u
/* Limits on files that are or were ready.  The bytes are those of the files:
 * a page may also keep its inflated record, of at most four times QUICK_BYTES
 * in content.c. */
#define READY_MAX 128u
#define READY_BYTES_MAX ((size_t)4 << 20)
/* How many more files may be loaded in vain than were used; beyond that, only a
 * new reader gets CREDIT_OF_READER more. */
#define CREDIT_MAX 64
#define CREDIT_OF_READER 16
/* Pages that a reader has read one after the other before it is taken to read
 * all that follow. */
#define RUN_MIN 4u

/* A file to be loaded. */
struct page_item {
	uint64_t ino;
	cfs_pos before;		/* the entry before its own */
	const struct cfs_stream *stream;
	uint64_t serial;	/* serial of the stream */
};

/* A file that was loaded; holds one use of its handle. */
struct ready {
	struct cfs_handle *h;
	size_t bytes;
};

struct cfs_preload {
	struct cfs_fs *fs;
	unsigned source;
	bool is_remote;
	_Atomic bool is_ending;
	pthread_mutex_t lock;
	pthread_cond_t work;
	pthread_cond_t views;		/* for the thread that loads
					 * only views */
	struct cfs_streams streams;	/* guarded by lock, as all below */
	struct page_item queue[QUEUE_MAX];
	unsigned queue_first, queue_n;
	bool is_walking;		/* a thread walks the index */
	bool is_held;			/* until the next read: the first file
					 * of the queue has not come yet */
	struct ready ready[READY_MAX];	/* a ring */
	unsigned ready_first, ready_n;
	size_t ready_bytes;
	int credit;
	uint64_t recognised;		/* streams that were given credit */
	uint64_t files, used;
	bool is_started;
	unsigned running;		/* threads that were started */
	struct cfs_pool pool;
};

static bool asked_to_end(void *arg)
{
	return ((struct cfs_preload *)arg)->is_ending;
}

/* ---- what to load ----------------------------------------------------- */

static void push_locked(struct cfs_preload *p, const struct cfs_stream_want *w,
			cfs_pos pos, cfs_pos before)
{
	for (unsigned v = CFS_VIEW_RAW; v < CFS_VIEW_COUNT; v++) {
		struct cfs_node n = { .type = CFS_NODE_FILE,
				      .source = p->source, .pos = pos,
				      .view = (enum cfs_view)v };

		if ((w->views & 1u << v) == 0 || p->queue_n == QUEUE_MAX)
			continue;
		p->queue[(p->queue_first + p->queue_n++) % QUEUE_MAX] =
			(struct page_item){ .ino = cfs_ino_of(&n),
					    .before = before,
					    .stream = w->stream,
					    .serial = w->serial };
	}
}

/* Puts i, which has not come from its server yet, back, and waits with all
 * others: they were requested after it. */
static void hold_locked(struct cfs_preload *p, const struct page_item *i)
{
	p->is_held = true;
	if (p->queue_n == QUEUE_MAX)
		return;
	p->queue_first = (p->queue_first + QUEUE_MAX - 1) % QUEUE_MAX;
	p->queue[p->queue_first] = *i;
	p->queue_n++;
}

static bool is_view(const struct page_item *i)
{
	struct cfs_node n;

	return cfs_ino_node(i->ino, &n) && n.view != CFS_VIEW_RAW;
}

/* Takes the next file that its reader has not reached. */
static bool pop_locked(struct cfs_preload *p, bool views_only,
		       struct page_item *out)
{
	while (p->queue_n > 0 && !p->is_held &&
	       (!views_only || is_view(&p->queue[p->queue_first]))) {
		*out = p->queue[p->queue_first];
		p->queue_first = (p->queue_first + 1) % QUEUE_MAX;
		p->queue_n--;
		if (out->stream->serial == out->serial &&
		    out->stream->last < out->before)
			return true;
	}
	return false;
}

/* For a thread that makes no request of its own: readahead.c has made those
 * that are wanted.  would_wait: set to false, then borrowed. */
static struct cfs_cancel cancel_of(struct cfs_preload *p,
				   _Atomic bool *would_wait)
{
	*would_wait = false;
	return (struct cfs_cancel){ .asked = asked_to_end, .arg = p,
				    .would_wait = p->is_remote ? would_wait :
								 NULL,
				    .may_read_files = true };
}

/* A place in the walk: an entry, and whether it differs in key from the
 * one before. */
struct page_step {
	cfs_pos pos, before;
	bool is_single;
};

/* Moves to the next entry.  key: that of the entry in *s; replaced. */
static int walk_on(struct cfs_iter *it, struct page_step *s,
		   struct cfs_buf *key, const struct cfs_cancel *cancel)
{
	int rc = cfs_index_next_shown(it, CFS_CTX(cancel, NULL));
	bool same;

	if (rc != CFS_OK)
		return rc;
	same = cfs_slice_eq(it->key, cfs_buf_slice(key));
	*s = (struct page_step){ .pos = it->pos, .before = s->pos,
			    .is_single = !same };
	cfs_buf_reset(key);
	cfs_buf_add(key, it->key);
	return key->failed;
}

/* Queues the entries after w->from that are the only ones of their page: of
 * several, the walk cannot tell which will be read.  seen: room for w->entries.
 * Returns how many it has. */
static unsigned preload_walk(struct cfs_preload *p,
			     const struct cfs_stream_want *w,
			     struct cfs_stream_ahead *seen, bool *is_at_end)
{
	_Atomic bool would_wait;
	struct cfs_cancel cancel = cancel_of(p, &would_wait);
	struct cfs_index *index = p->fs->crawls[p->source]->index;
	struct page_step s = { .pos = w->from }, next;
	struct cfs_iter *it = malloc(sizeof(*it));
	struct cfs_buf key;
	unsigned n = 0;
	int rc;

	*is_at_end = false;
	if (it == NULL)
		return 0;
	cfs_buf_init(&key, CFS_KEY_MAX);
	cfs_iter_init(it);
	rc = cfs_index_at(index, w->from, it, CFS_CTX(&cancel, NULL));
	cfs_buf_add(&key, rc == CFS_OK ? it->key : CFS_SLICE_EMPTY);
	for (unsigned i = 0; i <= w->entries && rc == CFS_OK; i++) {
		next = s;
		rc = walk_on(it, &next, &key, &cancel);
		if (rc != CFS_OK && rc != CFS_END)
			break;
		if (s.is_single && (rc == CFS_END || next.is_single)) {
			pthread_mutex_lock(&p->lock);
			push_locked(p, w, s.pos, s.before);
			pthread_mutex_unlock(&p->lock);
		}
		if (i > 0)
			seen[n++] = (struct cfs_stream_ahead){ .pos = s.pos,
							.is_asked = true };
		s = next;
	}
	*is_at_end = rc == CFS_END;
	cfs_iter_release(it);
	cfs_buf_release(&key);
	free(it);
	return n;
}

static void wake_others_locked(struct cfs_preload *p,
			       const struct cfs_stream_want *w)
{
	if (p->queue_n > 1)
		pthread_cond_broadcast(&p->work);
	if (p->queue_n > 0 && (w->views & ~(1u << CFS_VIEW_RAW)) != 0)
		pthread_cond_signal(&p->views);
}

static void walk_unlocks(struct cfs_preload *p, const struct cfs_stream_want *w)
{
	struct cfs_stream_ahead *seen =
		calloc((size_t)w->entries + 1, sizeof(*seen));
	bool is_at_end = false;
	unsigned n = 0;

	p->is_walking = true;
	pthread_mutex_unlock(&p->lock);
	if (seen != NULL)
		n = preload_walk(p, w, seen, &is_at_end);
	pthread_mutex_lock(&p->lock);
	p->is_walking = false;
	cfs_streams_done(&p->streams, w, seen, n, is_at_end);
	free(seen);
	wake_others_locked(p, w);
}

/* ---- loading ---------------------------------------------------------- */

/* The outcome of loading a file ahead. */
enum made {
	MADE_READY,
	MADE_NOT,		/* others load it, it takes long, or it fails */
	MADE_NOT_YET,		/* its bytes have not come from the server */
};

/* Loads the bytes of h unless somebody is loading or has loaded them.  Errors
 * are left to the request that meets them. */
static enum made make_ready(struct cfs_preload *p, struct cfs_handle *h,
			    size_t *n)
{
	_Atomic bool would_wait;
	struct cfs_cancel cancel = cancel_of(p, &would_wait);
	struct cfs_node file;
	bool done = false;

	if (pthread_mutex_trylock(&h->lock) != 0)
		return MADE_NOT;
	h->until_ms = cfs_cancel_until_ms(&cancel);
	if (!h->is_loaded && !h->is_ready && cfs_ino_node(h->ino, &file))
		done = cfs_content_load_quickly(p->fs->crawls[p->source], &file,
						&p->fs->opts.view, &h->content,
						CFS_CTX(&cancel, NULL)) ==
		       CFS_OK;
	if (done)
		*n = h->content.bytes.n;
	h->is_ready = h->is_ready || done;
	pthread_mutex_unlock(&h->lock);
	if (done)
		return MADE_READY;
	return would_wait ? MADE_NOT_YET : MADE_NOT;
}

static struct cfs_handle *drop_oldest_locked(struct cfs_preload *p)
{
	struct cfs_handle *h = p->ready[p->ready_first].h;

	p->ready_bytes -= p->ready[p->ready_first].bytes;
	p->ready_first = (p->ready_first + 1) % READY_MAX;
	p->ready_n--;
	if (h->is_ready && p->credit > 0)
		p->credit--;
	return h;
}

/* Adds h to the ready files, with the caller's use of it. */
static void keep_unlocks(struct cfs_preload *p, struct cfs_handle *h, size_t n)
{
	p->files++;
	while (p->ready_n == READY_MAX ||
	       (p->ready_n > 0 && p->ready_bytes + n > READY_BYTES_MAX)) {
		struct cfs_handle *old = drop_oldest_locked(p);

		pthread_mutex_unlock(&p->lock);
		cfs_handles_close(p->fs->handles, old);
		pthread_mutex_lock(&p->lock);
	}
	p->ready[(p->ready_first + p->ready_n++) % READY_MAX] =
		(struct ready){ h, n };
	p->ready_bytes += n;
}

static void load_unlocks(struct cfs_preload *p, const struct page_item *i)
{
	enum made made = MADE_NOT;
	struct cfs_handle *h;
	size_t n;

	pthread_mutex_unlock(&p->lock);
	h = cfs_handles_open(p->fs->handles, i->ino);
	if (h != NULL)
		made = make_ready(p, h, &n);
	if (h != NULL && made != MADE_READY)
		cfs_handles_close(p->fs->handles, h);
	pthread_mutex_lock(&p->lock);
	if (made == MADE_READY)
		keep_unlocks(p, h, n);
	else if (made == MADE_NOT_YET)
		hold_locked(p, i);
}

/* ---- the threads ------------------------------------------------------ */

static void preload_run(void *arg)
{
	struct cfs_preload *p = arg;
	struct cfs_stream_want want;
	bool views_only;
	struct page_item i;

	pthread_mutex_lock(&p->lock);
	views_only = ++p->running == cfs_processors();
	while (!p->is_ending) {
		if (pop_locked(p, views_only, &i))
			load_unlocks(p, &i);
		else if (views_only)
			pthread_cond_wait(&p->views, &p->lock);
		else if (!p->is_walking && p->credit > 0 &&
			 cfs_streams_take(&p->streams, &want))
			walk_unlocks(p, &want);
		else
			pthread_cond_wait(&p->work, &p->lock);
	}
	pthread_mutex_unlock(&p->lock);
}

static void preload_start_locked(struct cfs_preload *p)
{
	unsigned n = cfs_processors();

	cfs_pool_start(&p->pool, n < THREADS_MAX ? n : THREADS_MAX, preload_run,
		       p);
	p->is_started = true;
}

void cfs_preload_note(struct cfs_preload *p, cfs_pos pos, enum cfs_view view,
		      bool was_ready)
{
	bool is_wanted;

	pthread_mutex_lock(&p->lock);
	is_wanted = cfs_streams_note(&p->streams, pos, view);
	if (was_ready) {
		p->used++;
		p->credit += p->credit < CREDIT_MAX;
	}
	if (p->recognised != p->streams.recognised) {
		p->recognised = p->streams.recognised;
		if (p->credit < CREDIT_OF_READER)
			p->credit = CREDIT_OF_READER;
	}
	if (is_wanted && p->credit > 0) {
		if (!p->is_started)
			preload_start_locked(p);
		pthread_cond_signal(&p->work);
	}
	if (p->is_held) {
		p->is_held = false;
		pthread_cond_broadcast(&p->work);
		pthread_cond_signal(&p->views);
	}
	pthread_mutex_unlock(&p->lock);
}

unsigned cfs_preload_next(struct cfs_preload *p, cfs_pos pos, uint64_t *ino,
			  unsigned max)
{
	unsigned n = 0;

	pthread_mutex_lock(&p->lock);
	if (cfs_streams_run(&p->streams, pos) < RUN_MIN)
		max = 0;
	for (unsigned i = 0; i < p->ready_n && n < max; i++) {
		const struct cfs_handle *h =
			p->ready[(p->ready_first + i) % READY_MAX].h;
		struct cfs_node file;

		if (h->is_ready && cfs_ino_node(h->ino, &file) &&
		    file.pos > pos)
			ino[n++] = h->ino;
	}
	pthread_mutex_unlock(&p->lock);
	return n;
}

/* ---- opening and closing ---------------------------------------------- */

struct cfs_preload *cfs_preload_new(struct cfs_fs *fs, unsigned source)
{
	struct cfs_preload *p;

	if (cfs_processors() < 2)
		return NULL;
	p = calloc(1, sizeof(*p));
	if (p == NULL)
		return NULL;
	p->fs = fs;
	p->source = source;
	p->is_remote = fs->crawls[source]->cache != NULL;
	p->streams.max = WINDOW;
	p->streams.step_max = STEP_MAX;
	p->streams.refill_part = REFILL_PART;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->work, NULL);
	pthread_cond_init(&p->views, NULL);
	return p;
}

void cfs_preload_free(struct cfs_preload *p)
{
	if (p == NULL)
		return;
	pthread_mutex_lock(&p->lock);
	p->is_ending = true;
	pthread_cond_broadcast(&p->work);
	pthread_cond_broadcast(&p->views);
	pthread_mutex_unlock(&p->lock);
	if (p->is_started)
		cfs_pool_join(&p->pool);
	while (p->ready_n > 0)
		cfs_handles_close(p->fs->handles, drop_oldest_locked(p));
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->work);
	pthread_cond_destroy(&p->views);
	cfs_streams_release(&p->streams);
	free(p);
}

void cfs_preload_get_stats(struct cfs_preload *p, struct cfs_preload_stats *out)
{
	pthread_mutex_lock(&p->lock);
	*out = (struct cfs_preload_stats){ p->files, p->used };
	pthread_mutex_unlock(&p->lock);
}
