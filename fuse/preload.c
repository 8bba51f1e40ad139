/* preload.c - a few threads load the files that follow those that are read.
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
#include "crawl/streams.h"
#include "fs.h"

#define THREADS_MAX 4u
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

/* A file that was loaded; holds one use of its handle. */
struct ready {
	struct cfs_handle *h;
	size_t bytes;
};

struct cfs_preload {
	struct cfs_fs *fs;
	struct cfs_readahead *ahead;	/* knows the readers */
	unsigned source;
	bool is_remote;
	_Atomic bool is_ending;
	pthread_mutex_t lock;		/* guards all below */
	pthread_cond_t work;
	pthread_cond_t views;		/* for the thread that loads
					 * only views */
	bool is_held;			/* until the next read: a file has not
					 * come yet, and others were requested
					 * after it */
	struct ready ready[READY_MAX];	/* a ring */
	unsigned ready_first, ready_n;
	size_t ready_bytes;
	int credit;
	uint64_t files, used;
	bool is_started;
	unsigned running;		/* threads that were started */
	struct cfs_pool pool;
};

static bool asked_to_end(void *arg)
{
	return ((struct cfs_preload *)arg)->is_ending;
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
	_Atomic bool would_wait = false;
	/* It makes no request: readahead.c has made those that are wanted. */
	const struct cfs_cancel cancel = {
		.asked = asked_to_end, .arg = p, .may_read_files = true,
		.would_wait = p->is_remote ? &would_wait : NULL,
	};
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

static void load_unlocks(struct cfs_preload *p,
			 const struct cfs_stream_file *file)
{
	const struct cfs_node n = { .type = CFS_NODE_FILE, .source = p->source,
				    .pos = file->pos, .view = file->view };
	enum made made = MADE_NOT;
	struct cfs_handle *h;
	size_t bytes;

	pthread_mutex_unlock(&p->lock);
	h = cfs_handles_open(p->fs->handles, cfs_ino_of(&n));
	if (h != NULL)
		made = make_ready(p, h, &bytes);
	if (h != NULL && made != MADE_READY)
		cfs_handles_close(p->fs->handles, h);
	if (made == MADE_NOT_YET)
		cfs_readahead_load_later(p->ahead, file);
	pthread_mutex_lock(&p->lock);
	if (made == MADE_READY)
		keep_unlocks(p, h, bytes);
	p->is_held = p->is_held || made == MADE_NOT_YET;
}

/* ---- the threads ------------------------------------------------------ */

/* views: some of what there is to load may be views. */
static void wake_locked(struct cfs_preload *p, bool views)
{
	pthread_cond_broadcast(&p->work);
	if (views)
		pthread_cond_signal(&p->views);
}

static void walk_unlocks(struct cfs_preload *p,
			 const struct cfs_stream_want *want)
{
	pthread_mutex_unlock(&p->lock);
	cfs_readahead_walk(p->ahead, want);
	pthread_mutex_lock(&p->lock);
	wake_locked(p, (want->views & ~(1u << CFS_VIEW_RAW)) != 0);
}

static void preload_run(void *arg)
{
	struct cfs_preload *p = arg;
	struct cfs_stream_want want;
	struct cfs_stream_file file;
	bool views_only;

	pthread_mutex_lock(&p->lock);
	views_only = ++p->running == cfs_processors();
	while (!p->is_ending) {
		bool may_load = p->credit > 0 && !p->is_held;

		if (may_load && cfs_readahead_load(p->ahead, views_only, &file))
			load_unlocks(p, &file);
		else if (views_only)
			pthread_cond_wait(&p->views, &p->lock);
		else if (may_load && cfs_readahead_take(p->ahead, &want))
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

void cfs_preload_note(struct cfs_preload *p, enum cfs_view view, bool was_ready,
		      unsigned to_do)
{
	pthread_mutex_lock(&p->lock);
	if (was_ready) {
		p->used++;
		p->credit += p->credit < CREDIT_MAX;
	}
	if ((to_do & CFS_READAHEAD_NEW) != 0 && p->credit < CREDIT_OF_READER)
		p->credit = CREDIT_OF_READER;
	if ((to_do & CFS_READAHEAD_LOAD) != 0 && p->credit > 0) {
		p->is_held = false;
		if (!p->is_started)
			preload_start_locked(p);
		wake_locked(p, view != CFS_VIEW_RAW);
	}
	pthread_mutex_unlock(&p->lock);
}

unsigned cfs_preload_next(struct cfs_preload *p, pid_t reader, uint64_t *ino,
			  unsigned max)
{
	struct cfs_stream_run run = cfs_readahead_run(p->ahead, reader);
	unsigned n = 0;

	if ((reader != 0 && run.n < RUN_MIN) || run.to <= run.last)
		return 0;
	pthread_mutex_lock(&p->lock);
	for (unsigned i = 0; i < p->ready_n && n < max; i++) {
		const struct cfs_handle *h =
			p->ready[(p->ready_first + i) % READY_MAX].h;
		struct cfs_node file;

		if (h->is_ready && cfs_ino_node(h->ino, &file) &&
		    file.pos > run.last && file.pos <= run.to)
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
	p->ahead = fs->ahead[source];
	p->is_remote = fs->crawls[source]->cache != NULL;
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
	wake_locked(p, true);
	pthread_mutex_unlock(&p->lock);
	if (p->is_started)
		cfs_pool_join(&p->pool);
	while (p->ready_n > 0)
		cfs_handles_close(p->fs->handles, drop_oldest_locked(p));
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->work);
	pthread_cond_destroy(&p->views);
	free(p);
}

void cfs_preload_get_stats(struct cfs_preload *p, struct cfs_preload_stats *out)
{
	pthread_mutex_lock(&p->lock);
	*out = (struct cfs_preload_stats){ p->files, p->used };
	pthread_mutex_unlock(&p->lock);
}
