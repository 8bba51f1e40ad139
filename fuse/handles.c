/* handles.c - a hash table of files in use, a list of those that were in use a
 * moment ago, and a lossy memo of sizes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "handles.h"

#include <stdlib.h>
#include <time.h>

#include "base/memo.h"
#include "base/sync.h"
#include "ino.h"

#define BUCKET_BITS 10
#define BUCKETS (1u << BUCKET_BITS)
#define MEMO_BITS 16
#define LOCK_PATIENCE_MS 50
/* Contents without a user: limits on their bytes, number and age.  The latest
 * two stay whatever their size: a program that reads a huge file part by part
 * must not have it inflated for each part, and nor must two such programs. */
#define IDLE_BYTES_MAX ((size_t)4 << 20)
#define IDLE_MAX 64u
#define IDLE_ANY_SIZE 2u
#define IDLE_MS 2000
/* Files without a name, to which large records are inflated, may be more than
 * the disk has.  Beyond IDLE_DISK_MAX only the latest stays, and what was used
 * so lately that a program is reading it part by part. */
#define IDLE_DISK_MAX ((uint64_t)128 << 20)
#define IDLE_DISK_MS 100

struct cfs_handles {
	pthread_mutex_t lock;
	struct cfs_handle *buckets[BUCKETS];	/* guarded by lock, as all
						 * below */
	struct cfs_handle *oldest, *newest;	/* loaded, without user */
	unsigned idle;
	size_t idle_bytes;
	uint64_t idle_disk;	/* bytes in files */
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

static void idle_remove_locked(struct cfs_handles *t, struct cfs_handle *h)
{
	*(h->older != NULL ? &h->older->newer : &t->oldest) = h->newer;
	*(h->newer != NULL ? &h->newer->older : &t->newest) = h->older;
	t->idle--;
	t->idle_bytes -= cfs_file_bytes_memory(&h->content);
	t->idle_disk -= bytes_on_disk(h);
}

static void idle_add_locked(struct cfs_handles *t, struct cfs_handle *h)
{
	h->older = t->newest;
	h->newer = NULL;
	*(h->older != NULL ? &h->older->newer : &t->oldest) = h;
	t->newest = h;
	t->idle++;
	t->idle_bytes += cfs_file_bytes_memory(&h->content);
	t->idle_disk += bytes_on_disk(h);
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
static bool is_expired_locked(const struct cfs_handles *t,
			      const struct cfs_handle *h, int64_t now_ms,
			      bool others)
{
	int64_t idle_ms = now_ms - h->idle_since_ms;

	return idle_ms > IDLE_MS || t->idle > IDLE_MAX ||
	       (t->idle_bytes > IDLE_BYTES_MAX && t->idle > IDLE_ANY_SIZE) ||
	       (t->idle_disk > IDLE_DISK_MAX && (others || t->idle > 1) &&
		idle_ms > IDLE_DISK_MS);
}

/* Removes idle handles beyond the limits, or all of them, from the table and
 * returns them as a chain. */
static struct cfs_handle *expire_locked(struct cfs_handles *t, bool all,
					bool others)
{
	int64_t now_ms = cfs_monotonic_ms();
	struct cfs_handle *gone = NULL, *h;

	while ((h = t->oldest) != NULL &&
	       (all || is_expired_locked(t, h, now_ms, others))) {
		idle_remove_locked(t, h);
		forget_locked(t, h);
		h->chain = gone;
		gone = h;
	}
	return gone;
}

/* Is so much idle that it must not stay until the next request? */
static bool is_much_idle_locked(const struct cfs_handles *t)
{
	return t->idle_bytes > IDLE_BYTES_MAX || t->idle_disk > 0;
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
	bool was_loaded, was_ready;
	size_t n = 0;

	if (pthread_mutex_trylock(&h->lock) != 0)
		return 0;
	was_loaded = h->is_loaded;
	was_ready = h->is_ready;
	if (was_ready || (was_loaded && h->can_reload))
		n = cfs_file_bytes_memory(&h->content);
	if (n > 0) {
		h->is_loaded = h->is_ready = false;
		if (h->uses > 0) {	/* a request may have seen it loaded */
			h->is_loaded = was_loaded;
			h->is_ready = was_ready;
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

	pthread_mutex_lock(&t->lock);
	for (const struct cfs_handle *h = t->oldest; h != NULL; h = h->newer) {
		size_t n = cfs_file_bytes_memory(&h->content);

		bytes -= n < bytes ? n : bytes;
	}
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

struct cfs_handle *cfs_handles_open(struct cfs_handles *t, uint64_t ino)
{
	struct cfs_handle *h;

	pthread_mutex_lock(&t->lock);
	h = handles_find_locked(t, ino);
	if (h == NULL)
		h = new_handle_locked(t, ino);
	else if (h->refs == 0)
		idle_remove_locked(t, h);
	if (h != NULL)
		h->refs++;
	pthread_mutex_unlock(&t->lock);
	return h;
}

struct cfs_handle *cfs_handles_open_ready(struct cfs_handles *t, uint64_t ino)
{
	struct cfs_handle *h;

	pthread_mutex_lock(&t->lock);
	h = handles_find_locked(t, ino);
	if (h != NULL && h->refs > 0 && h->is_ready)
		h->refs++;
	else
		h = NULL;
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
	if (--h->refs == 0 && h->is_loaded) {
		idle_add_locked(t, h);
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

void cfs_handles_loaded(struct cfs_handles *t, const struct cfs_handle *h)
{
	struct cfs_handle *gone;

	if (bytes_on_disk(h) == 0)
		return;
	pthread_mutex_lock(&t->lock);
	gone = expire_locked(t, false, true);
	pthread_mutex_unlock(&t->lock);
	free_chain(gone);
}

int cfs_handle_lock(struct cfs_handle *h, const struct cfs_cancel *cancel)
{
	while (pthread_mutex_trylock(&h->lock) != 0) {
		struct timespec t;
		int rc;

		clock_gettime(CLOCK_REALTIME, &t);
		t.tv_nsec += LOCK_PATIENCE_MS * 1000000L;
		t.tv_sec += t.tv_nsec / 1000000000;
		t.tv_nsec %= 1000000000;
		if (pthread_mutex_timedlock(&h->lock, &t) == 0)
			break;
		rc = cfs_cancel_check_behind(cancel, h->until_ms, NULL);
		if (rc != CFS_OK)
			return rc;
	}
	h->until_ms = cfs_cancel_until_ms(cancel);
	return CFS_OK;
}

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
