/* handles.c - a hash table of files in use, lists of those that were in use a
 * moment ago or will soon be, and a lossy memo of sizes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "handles.h"

#include <stdlib.h>
#include <time.h>

#include "base/memo.h"
#include "base/sync.h"
#include "content.h"
#include "ino.h"

#define BUCKET_BITS 10
#define BUCKETS (1u << BUCKET_BITS)
#define MEMO_BITS 16
#define LOCK_PATIENCE_MS 50
/* Contents without a user: limits on their bytes, number and age.  The latest
 * two stay whatever their size: a program that reads a huge file part by part
 * must not have it inflated for each part, and nor must two such programs.  The
 * bytes are those of the files: a page may also keep its inflated record, of at
 * most four times QUICK_BYTES in content.c if it was loaded ahead. */
#define IDLE_BYTES_MAX ((size_t)4 << 20)
#define IDLE_MAX 64u
#define READY_MAX 128u
#define IDLE_ANY_SIZE 2u
#define IDLE_MS 2000
/* Files without a name, to which large records are inflated, may be more than
 * the disk has.  Beyond IDLE_DISK_MAX only the latest stays, and what was used
 * so lately that a program is reading it part by part. */
#define IDLE_DISK_MAX ((uint64_t)128 << 20)
#define IDLE_DISK_MS 100

/* Files without a user, whose bytes are there. */
struct cfs_idle {
	struct cfs_handle *oldest, *newest;
	unsigned n;
	size_t bytes;		/* in memory */
	uint64_t disk;		/* bytes in files */
};

struct cfs_handles {
	pthread_mutex_t lock;
	struct cfs_handle *buckets[BUCKETS];	/* guarded by lock, as all
						 * below */
	struct cfs_idle idle;	/* they were read, and go soon; */
	struct cfs_idle ready;	/* they are ready, and stay */
	struct cfs_turns reaper;		/* not guarded */
	struct cfs_memo *sizes;			/* not guarded */
	struct cfs_budget *budget;
	struct cfs_budget_giver giver;
	struct cfs_crawl *const *crawls;
};

static void free_chain(struct cfs_handle *gone)
{
	while (gone != NULL) {
		struct cfs_handle *h = gone;

		gone = h->chain;
		cfs_file_bytes_release(&h->content);
		pthread_mutex_destroy(&h->lock);
		free(h);
	}
}

void cfs_handles_free(struct cfs_handles *t)
{
	if (t == NULL)
		return;
	cfs_turns_end(&t->reaper);
	cfs_budget_leave(t->budget, &t->giver);
	for (unsigned i = 0; i < BUCKETS; i++)
		free_chain(t->buckets[i]);
	pthread_mutex_destroy(&t->lock);
	cfs_memo_free(t->sizes);
	free(t);
}

static struct cfs_handle *handles_find_locked(struct cfs_handles *t,
					      uint64_t ino)
{
	struct cfs_handle *h = t->buckets[cfs_memo_slot(ino, BUCKET_BITS)];

	while (h != NULL && h->ino != ino)
		h = h->chain;
	return h;
}

static struct cfs_handle *new_handle_locked(struct cfs_handles *t, uint64_t ino)
{
	struct cfs_handle **b = &t->buckets[cfs_memo_slot(ino, BUCKET_BITS)];
	struct cfs_handle *h = calloc(1, sizeof(*h));

	if (h == NULL)
		return NULL;
	h->ino = ino;
	h->all = t;
	h->size = h->estimate = CFS_SIZE_UNKNOWN;
	pthread_mutex_init(&h->lock, NULL);
	cfs_buf_init(&h->content.own, 0);
	h->chain = *b;
	*b = h;
	return h;
}

/* ---- without a user ---- */

static uint64_t bytes_on_disk(const struct cfs_handle *h)
{
	return cfs_file_bytes_are_spilled(&h->content) ? h->content.bytes.n : 0;
}

static void idle_remove_locked(struct cfs_handle *h)
{
	struct cfs_idle *l = h->idle;

	*(h->older != NULL ? &h->older->newer : &l->oldest) = h->newer;
	*(h->newer != NULL ? &h->newer->older : &l->newest) = h->older;
	l->n--;
	l->bytes -= cfs_file_bytes_memory(&h->content);
	l->disk -= bytes_on_disk(h);
	h->idle = NULL;
}

static void idle_add_locked(struct cfs_handle *h)
{
	struct cfs_idle *l = h->is_ready ? &h->all->ready : &h->all->idle;

	h->idle = l;
	h->older = l->newest;
	h->newer = NULL;
	*(h->older != NULL ? &h->older->newer : &l->oldest) = h;
	l->newest = h;
	l->n++;
	l->bytes += cfs_file_bytes_memory(&h->content);
	l->disk += bytes_on_disk(h);
	h->idle_since_ms = cfs_monotonic_ms();
}

static void forget_locked(struct cfs_handles *t, struct cfs_handle *h)
{
	struct cfs_handle **p = &t->buckets[cfs_memo_slot(h->ino, BUCKET_BITS)];

	while (*p != h)
		p = &(*p)->chain;
	*p = h->chain;
}

/* The latest stays on the disk unless `others` were loaded since. */
static bool is_expired_locked(const struct cfs_handle *h, int64_t now_ms,
			      bool others)
{
	const struct cfs_idle *l = h->idle;
	int64_t idle_ms = now_ms - h->idle_since_ms;

	if (h->is_ready)
		return l->n > READY_MAX ||
		       (l->bytes > IDLE_BYTES_MAX && l->n > 1);
	return idle_ms > IDLE_MS || l->n > IDLE_MAX ||
	       (l->bytes > IDLE_BYTES_MAX && l->n > IDLE_ANY_SIZE) ||
	       (l->disk > IDLE_DISK_MAX && (others || l->n > 1) &&
		idle_ms > IDLE_DISK_MS);
}

/* Removes the handles of a list that are beyond its limits, or all of them,
 * from the table and puts them before the chain `gone`. */
static struct cfs_handle *expire_list_locked(struct cfs_idle *l, bool all,
					     bool others,
					     struct cfs_handle *gone)
{
	int64_t now_ms = cfs_monotonic_ms();
	struct cfs_handle *h;

	while ((h = l->oldest) != NULL &&
	       (all || is_expired_locked(h, now_ms, others))) {
		idle_remove_locked(h);
		forget_locked(h->all, h);
		if (h->is_ready && h->in_vain != NULL)
			++*h->in_vain;
		h->chain = gone;
		gone = h;
	}
	return gone;
}

static struct cfs_handle *expire_locked(struct cfs_handles *t, bool all,
					bool others)
{
	return expire_list_locked(&t->ready, all, others,
				  expire_list_locked(&t->idle, all, others,
						     NULL));
}

/* Is so much idle that it must not stay until the next request? */
static bool is_much_idle_locked(const struct cfs_handles *t)
{
	return t->idle.bytes > IDLE_BYTES_MAX || t->idle.disk > 0;
}

/* Frees idle contents even if no more requests come. */
static int64_t reap(void *arg)
{
	struct cfs_handles *t = arg;
	struct cfs_handle *gone;
	bool again;

	pthread_mutex_lock(&t->lock);
	gone = expire_locked(t, false, false);
	again = is_much_idle_locked(t);
	pthread_mutex_unlock(&t->lock);
	free_chain(gone);
	return again ? IDLE_MS : CFS_TURNS_REST;
}

/* ---- where memory is scarce ---- */

/* Drops the bytes of an open file unless a request uses them.  Returns
 * how many. */
static size_t unload(struct cfs_handle *h)
{
	size_t n = 0;

	if (pthread_mutex_trylock(&h->lock) != 0)
		return 0;
	if (h->is_loaded && h->can_reload)
		n = cfs_file_bytes_memory(&h->content);
	if (n > 0) {
		h->is_loaded = false;
		if (h->uses > 0) {	/* a request may have seen it loaded */
			h->is_loaded = true;
			n = 0;
		} else {
			cfs_file_bytes_release(&h->content);
		}
	}
	pthread_mutex_unlock(&h->lock);
	return n;
}

static void handles_give(void *arg, uint64_t bytes)
{
	struct cfs_handles *t = arg;
	struct cfs_handle *gone;
	size_t idle;

	pthread_mutex_lock(&t->lock);
	idle = t->idle.bytes + t->ready.bytes;
	bytes -= idle < bytes ? idle : bytes;
	gone = expire_locked(t, true, false);
	for (unsigned i = 0; i < BUCKETS && bytes > 0; i++) {
		for (struct cfs_handle *h = t->buckets[i];
		     h != NULL && bytes > 0; h = h->chain) {
			size_t n = unload(h);

			bytes -= n < bytes ? n : bytes;
		}
	}
	pthread_mutex_unlock(&t->lock);
	free_chain(gone);
}

struct cfs_handles *cfs_handles_new(struct cfs_crawl *const *crawls,
				    struct cfs_budget *budget)
{
	struct cfs_handles *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return NULL;
	t->crawls = crawls;
	t->budget = budget;
	t->giver = (struct cfs_budget_giver){ .give = handles_give, .arg = t };
	pthread_mutex_init(&t->lock, NULL);
	cfs_turns_init(&t->reaper, reap, t);
	cfs_budget_join(budget,
			&t->giver); /* handles_give() may come at once */
	t->sizes = cfs_memo_new(MEMO_BITS, sizeof(uint64_t));
	if (t->sizes != NULL)
		return t;
	cfs_handles_free(t);
	return NULL;
}

/* ---- users ---- */

static void open_locked(struct cfs_handle *h)
{
	if (h->idle != NULL)
		idle_remove_locked(h);
	h->refs++;
}

struct cfs_handle *cfs_handles_open(struct cfs_handles *t, uint64_t ino)
{
	struct cfs_handle *h;

	pthread_mutex_lock(&t->lock);
	h = handles_find_locked(t, ino);
	if (h == NULL)
		h = new_handle_locked(t, ino);
	if (h != NULL)
		open_locked(h);
	pthread_mutex_unlock(&t->lock);
	return h;
}

struct cfs_handle *cfs_handles_open_ready(struct cfs_handles *t,
					  unsigned source, cfs_pos from,
					  cfs_pos to)
{
	struct cfs_handle *h;
	struct cfs_node n;

	pthread_mutex_lock(&t->lock);
	for (h = t->ready.oldest; h != NULL; h = h->newer)
		if (cfs_ino_node(h->ino, &n) && n.source == source &&
		    n.pos > from && n.pos <= to)
			break;
	if (h != NULL)
		open_locked(h);
	pthread_mutex_unlock(&t->lock);
	return h;
}

void cfs_handles_hold(struct cfs_handles *t, struct cfs_handle *h)
{
	pthread_mutex_lock(&t->lock);
	h->refs++;
	pthread_mutex_unlock(&t->lock);
}

void cfs_handles_close(struct cfs_handles *t, struct cfs_handle *h)
{
	struct cfs_handle *gone = NULL;

	pthread_mutex_lock(&t->lock);
	if (--h->refs == 0 && (h->is_loaded || h->is_ready)) {
		idle_add_locked(h);
		gone = expire_locked(t, false, false);
		if (is_much_idle_locked(t))
			cfs_turns_want(&t->reaper);
	} else if (h->refs == 0) {
		forget_locked(t, h);
		h->chain = NULL;
		gone = h;
	}
	pthread_mutex_unlock(&t->lock);
	free_chain(gone);
}

static void give_back(void *lender)
{
	struct cfs_handle *h = lender;

	cfs_handle_end_use(h);
	cfs_handles_close(h->all, h);
}

void cfs_handle_share(struct cfs_handle *h, struct cfs_file_bytes *out)
{
	*out = h->content;
	out->give_back = give_back;
	out->lender = h;
}

/* ---- loading ---- */

/* Waits for the lock of h, looking now and then whether to give up. */
static int lock_handle(struct cfs_handle *h, struct cfs_ctx ctx)
{
	while (pthread_mutex_trylock(&h->lock) != 0) {
		int rc = cfs_cancel_before_wait(ctx);
		struct timespec t;

		if (rc != CFS_OK)
			return rc;
		clock_gettime(CLOCK_REALTIME, &t);
		t.tv_nsec += LOCK_PATIENCE_MS * 1000000L;
		t.tv_sec += t.tv_nsec / 1000000000;
		t.tv_nsec %= 1000000000;
		if (pthread_mutex_timedlock(&h->lock, &t) == 0)
			break;
		rc = cfs_cancel_check_behind(ctx.cancel, h->until_ms, NULL);
		if (rc != CFS_OK)
			return rc;
	}
	h->until_ms = cfs_cancel_until_ms(ctx.cancel);
	return CFS_OK;
}

static int load_locked(struct cfs_handle *h, cfs_handle_loader *load, void *arg,
		       struct cfs_ctx ctx)
{
	struct cfs_handles *t = h->all;
	struct cfs_handle *gone;
	int rc = load(arg, h, ctx);

	if (rc < CFS_OK && !h->is_ready)
		cfs_file_bytes_release(&h->content);
	if (rc != CFS_OK)
		return rc;
	h->size = cfs_file_bytes_size(&h->content);
	h->is_loaded = true;
	if (bytes_on_disk(h) == 0)
		return CFS_OK;
	pthread_mutex_lock(&t->lock);	/* others make room on the disk */
	gone = expire_locked(t, false, true);
	pthread_mutex_unlock(&t->lock);
	free_chain(gone);
	return CFS_OK;
}

int cfs_handle_load(struct cfs_handle *h, bool quickly, cfs_handle_loader *load,
		    void *arg, struct cfs_ctx ctx)
{
	int rc;

	cfs_handle_use(h);
	if (h->is_loaded)
		return CFS_OK;
	rc = quickly && h->takes_long ? CFS_CONTENT_TAKES_LONG :
					lock_handle(h, ctx);
	if (rc == CFS_OK) {
		if (!h->is_loaded)
			rc = load_locked(h, load, arg, ctx);
		h->takes_long = rc == CFS_CONTENT_TAKES_LONG;
		pthread_mutex_unlock(&h->lock);
	}
	if (rc != CFS_OK)
		cfs_handle_end_use(h);
	return rc;
}

void cfs_handle_take_ready(struct cfs_handle *h, cfs_handle_loader *load,
			   void *arg)
{
	if (pthread_mutex_trylock(&h->lock) != 0)
		return;
	if (h->is_ready && !h->is_loaded)
		(void)load_locked(h, load, arg, CFS_CTX(NULL, NULL));
	pthread_mutex_unlock(&h->lock);
}

/* ---- sizes ---- */

/* The crawl that ino's file belongs to; NULL if it is not a file of a crawl. */
static const struct cfs_crawl *handles_crawl_of(const struct cfs_handles *t,
						uint64_t ino,
						struct cfs_node *file)
{
	return cfs_ino_node(ino, file) ? t->crawls[file->source] : NULL;
}

bool cfs_handles_size(struct cfs_handles *t, uint64_t ino, bool kept_too,
		      uint64_t *size)
{
	const struct cfs_crawl *c;
	struct cfs_handle *h;
	struct cfs_node file;

	if (cfs_memo_get(t->sizes, ino, size))
		return true;
	pthread_mutex_lock(&t->lock);
	h = handles_find_locked(t, ino);
	*size = h != NULL ? h->size : CFS_SIZE_UNKNOWN;
	pthread_mutex_unlock(&t->lock);
	if (*size != CFS_SIZE_UNKNOWN)
		return true;
	c = kept_too ? handles_crawl_of(t, ino, &file) : NULL;
	return c != NULL && cfs_kept_sizes_size(c, &file, size);
}

void cfs_handles_note_size(struct cfs_handles *t, uint64_t ino, uint64_t size)
{
	const struct cfs_crawl *c;
	struct cfs_node file;

	cfs_memo_put(t->sizes, ino, &size);
	c = handles_crawl_of(t, ino, &file);
	if (c != NULL)
		cfs_kept_sizes_note(c, &file, size);
}
