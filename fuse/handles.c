/* handles.c - a hash table of open files, and a lossy memo of sizes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "handles.h"

#include <stdlib.h>
#include <time.h>

#include "base/memo.h"
#include "ino.h"

#define BUCKET_BITS 10
#define BUCKETS (1u << BUCKET_BITS)
#define MEMO_BITS 16
#define LOCK_PATIENCE_MS 50

struct cfs_handles {
	pthread_mutex_t lock;
	struct cfs_handle *buckets[BUCKETS];	/* guarded by lock */
	struct {
		uint64_t ino, size;
	} memo[1u << MEMO_BITS];		/* guarded by lock */
	const struct cfs_crawl *keepers[CFS_SOURCES_MAX];	/* or NULL */
};

struct cfs_handles *cfs_handles_new(void)
{
	struct cfs_handles *t = calloc(1, sizeof(*t));

	if (t != NULL)
		pthread_mutex_init(&t->lock, NULL);
	return t;
}

static void free_handle(struct cfs_handle *h)
{
	cfs_file_bytes_release(&h->content);
	pthread_mutex_destroy(&h->lock);
	free(h);
}

void cfs_handles_free(struct cfs_handles *t)
{
	if (t == NULL)
		return;
	for (unsigned i = 0; i < BUCKETS; i++) {
		while (t->buckets[i] != NULL) {
			struct cfs_handle *h = t->buckets[i];

			t->buckets[i] = h->chain;
			free_handle(h);
		}
	}
	pthread_mutex_destroy(&t->lock);
	free(t);
}

static struct cfs_handle *find_locked(struct cfs_handles *t, uint64_t ino)
{
	struct cfs_handle *h = t->buckets[cfs_memo_slot(ino, BUCKET_BITS)];

	while (h != NULL && h->ino != ino)
		h = h->chain;
	return h;
}

struct cfs_handle *cfs_handles_open(struct cfs_handles *t, uint64_t ino)
{
	struct cfs_handle *h;

	pthread_mutex_lock(&t->lock);
	h = find_locked(t, ino);
	if (h == NULL) {
		h = calloc(1, sizeof(*h));
		if (h != NULL) {
			struct cfs_handle **b =
				&t->buckets[cfs_memo_slot(ino, BUCKET_BITS)];

			h->ino = ino;
			h->size = CFS_SIZE_UNKNOWN;
			pthread_mutex_init(&h->lock, NULL);
			cfs_buf_init(&h->content.own, 0);
			h->chain = *b;
			*b = h;
		}
	}
	if (h != NULL)
		h->refs++;
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
	bool last;

	pthread_mutex_lock(&t->lock);
	last = --h->refs == 0;
	if (last) {
		struct cfs_handle **p =
			&t->buckets[cfs_memo_slot(h->ino, BUCKET_BITS)];

		while (*p != h)
			p = &(*p)->chain;
		*p = h->chain;
	}
	pthread_mutex_unlock(&t->lock);
	if (last)
		free_handle(h);
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

void cfs_handles_keep_sizes(struct cfs_handles *t, unsigned source,
			    const struct cfs_crawl *c)
{
	t->keepers[source] = c;
}

/* The crawl that keeps the size of a file; NULL: none does. */
static const struct cfs_crawl *keeper(const struct cfs_handles *t, uint64_t ino,
				      struct cfs_node *file)
{
	return cfs_ino_node(ino, file) ? t->keepers[file->source] : NULL;
}

bool cfs_handles_size(struct cfs_handles *t, uint64_t ino, uint64_t *size)
{
	const struct cfs_crawl *c;
	struct cfs_node file;

	if (cfs_handles_loaded_size(t, ino, size))
		return true;
	c = keeper(t, ino, &file);
	return c != NULL && cfs_learnt_size(c, &file, size);
}

bool cfs_handles_loaded_size(struct cfs_handles *t, uint64_t ino,
			     uint64_t *size)
{
	size_t slot = cfs_memo_slot(ino, MEMO_BITS);
	struct cfs_handle *h;

	*size = CFS_SIZE_UNKNOWN;
	pthread_mutex_lock(&t->lock);
	if (t->memo[slot].ino == ino) {
		*size = t->memo[slot].size;
	} else {
		h = find_locked(t, ino);
		if (h != NULL)
			*size = h->size;
	}
	pthread_mutex_unlock(&t->lock);
	return *size != CFS_SIZE_UNKNOWN;
}

void cfs_handles_note_size(struct cfs_handles *t, uint64_t ino, uint64_t size)
{
	size_t slot = cfs_memo_slot(ino, MEMO_BITS);
	const struct cfs_crawl *c;
	struct cfs_node file;

	pthread_mutex_lock(&t->lock);
	t->memo[slot].ino = ino;
	t->memo[slot].size = size;
	pthread_mutex_unlock(&t->lock);
	c = keeper(t, ino, &file);
	if (c != NULL)
		cfs_learnt_note(c, &file, size);
}
