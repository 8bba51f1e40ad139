/* listings.c - lossy sets of processes and folders, and the few parts of
 * listings that were made last (see listings.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "listings.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/cancel.h"
#include "base/memo.h"

#define STATTERS_BITS 12
#define BARE_BITS 16
/* Listings without nodes are taken back after so many look-ups of their files:
 * a few files opened by name are no reason to. */
#define LOOK_UPS_MIN 64u
#define SUBFOLDERS_BITS 8
/* As many processes can list large folders at a time; each part has as many
 * bytes as the kernel asks for, 32 KiB or more. */
#define SLOTS 4u
/* A part that was not asked for by then will not be. */
#define KEPT_MS 1000

struct kept_part {
	struct cfs_listing_part part;	/* out.buf NULL: none */
	int64_t since_ms;
};

struct cfs_listings {
	/* lossy sets of processes and of folders, see base/memo.h */
	_Atomic uint64_t statters[1u << STATTERS_BITS];
	_Atomic uint64_t bare[1u << BARE_BITS];
	atomic_uint n_bare;		/* folders added since all were
					 * taken back */
	atomic_uint n_look_ups;		/* look-ups of files in such folders */
	struct cfs_memo *subfolders;	/* folder -> uint64_t */
	pthread_mutex_t lock;		/* a leaf */
	struct kept_part slots[SLOTS];	/* guarded by lock */
	unsigned next;			/* the slot to use; guarded by lock */
};

struct cfs_listings *cfs_listings_new(void)
{
	struct cfs_listings *l = calloc(1, sizeof(*l));

	if (l == NULL)
		return NULL;
	pthread_mutex_init(&l->lock, NULL);
	l->subfolders = cfs_memo_new(SUBFOLDERS_BITS, sizeof(uint64_t));
	if (l->subfolders != NULL)
		return l;
	cfs_listings_free(l);
	return NULL;
}

void cfs_listings_free(struct cfs_listings *l)
{
	if (l == NULL)
		return;
	for (unsigned i = 0; i < SLOTS; i++)
		free(l->slots[i].part.out.buf);
	cfs_memo_free(l->subfolders);
	pthread_mutex_destroy(&l->lock);
	free(l);
}

/* ---- which should have attributes --------------------------------------- */

bool cfs_listings_is_statter(const struct cfs_listings *l, pid_t pid)
{
	return cfs_memo_has(l->statters, STATTERS_BITS,
			    (uint64_t)pid);
}

bool cfs_listings_note_look_up(struct cfs_listings *l, pid_t pid,
			       uint64_t folder)
{
	cfs_memo_add(l->statters, STATTERS_BITS, (uint64_t)pid);
	if (!cfs_memo_has(l->bare, BARE_BITS, folder) ||
	    atomic_fetch_add(&l->n_look_ups, 1) + 1 < LOOK_UPS_MIN)
		return false;
	atomic_store(&l->n_look_ups, 0);
	return atomic_exchange(&l->n_bare, 0) > 0;
}

uint64_t cfs_listings_take_back(struct cfs_listings *l, size_t *at)
{
	while (*at < 1u << BARE_BITS) {
		_Atomic uint64_t *slot = &l->bare[(*at)++];
		uint64_t folder = atomic_load_explicit(slot,
						       memory_order_relaxed);

		if (folder != 0 &&
		    atomic_compare_exchange_strong(slot, &folder, 0))
			return folder;
	}
	return 0;
}

void cfs_listings_note_nodes(struct cfs_listings *l, uint64_t folder)
{
	cfs_memo_remove(l->bare, BARE_BITS, folder);
}

void cfs_listings_note_bare(struct cfs_listings *l, uint64_t folder)
{
	cfs_memo_add(l->bare, BARE_BITS, folder);
	atomic_fetch_add_explicit(&l->n_bare, 1, memory_order_relaxed);
}

uint64_t cfs_listings_subfolders(struct cfs_listings *l, uint64_t folder)
{
	uint64_t n = 0;

	return cfs_memo_get(l->subfolders, folder, &n) ? n : 0;
}

void cfs_listings_note_subfolders(struct cfs_listings *l, uint64_t folder,
				  uint64_t n)
{
	cfs_memo_put(l->subfolders, folder, &n);
}

/* ---- parts made ahead --------------------------------------------------- */

void cfs_listings_put_part(struct cfs_listings *l,
			const struct cfs_listing_part *part)
{
	struct kept_part *slot;

	pthread_mutex_lock(&l->lock);
	slot = &l->slots[l->next++ % SLOTS];
	free(slot->part.out.buf);
	slot->part = *part;
	slot->since_ms = cfs_monotonic_ms();
	pthread_mutex_unlock(&l->lock);
}

static bool is_asked_for(const struct cfs_listing_part *kept,
			 const struct cfs_listing_part *p)
{
	return kept->out.buf != NULL && kept->folder == p->folder &&
	       kept->off == p->off && kept->has_nodes == p->has_nodes &&
	       kept->out.size == p->out.size && kept->out.plus == p->out.plus;
}

bool cfs_listings_take_part(struct cfs_listings *l, struct cfs_listing_part *p)
{
	int64_t now_ms = cfs_monotonic_ms();
	bool found = false;

	pthread_mutex_lock(&l->lock);
	for (unsigned i = 0; i < SLOTS && !found; i++) {
		struct kept_part *slot = &l->slots[i];

		found = is_asked_for(&slot->part, p) &&
			now_ms - slot->since_ms < KEPT_MS;
		if (found) {
			*p = slot->part;
			slot->part.out.buf = NULL;
		}
	}
	pthread_mutex_unlock(&l->lock);
	return found;
}
