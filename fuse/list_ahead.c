/* list_ahead.c - keeps the few parts of listings that were made last (see
 * list_ahead.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "list_ahead.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/cancel.h"

/* As many processes can list large folders at a time; each part has as many
 * bytes as the kernel asks for, 32 KiB or more. */
#define SLOTS 4u
/* A part that was not asked for by then will not be. */
#define KEPT_MS 1000

struct kept_part {
	struct cfs_list_part part;	/* out.buf NULL: none */
	int64_t since_ms;
};

struct cfs_list_ahead {
	pthread_mutex_t lock;		/* a leaf */
	struct kept_part slots[SLOTS];	/* guarded by lock */
	unsigned next;			/* the slot to use; guarded by lock */
};

struct cfs_list_ahead *cfs_list_ahead_new(void)
{
	struct cfs_list_ahead *l = calloc(1, sizeof(*l));

	if (l != NULL)
		pthread_mutex_init(&l->lock, NULL);
	return l;
}

void cfs_list_ahead_free(struct cfs_list_ahead *l)
{
	if (l == NULL)
		return;
	for (unsigned i = 0; i < SLOTS; i++)
		free(l->slots[i].part.out.buf);
	pthread_mutex_destroy(&l->lock);
	free(l);
}

void cfs_list_ahead_put(struct cfs_list_ahead *l,
			const struct cfs_list_part *part)
{
	struct kept_part *slot;

	pthread_mutex_lock(&l->lock);
	slot = &l->slots[l->next++ % SLOTS];
	free(slot->part.out.buf);
	slot->part = *part;
	slot->since_ms = cfs_monotonic_ms();
	pthread_mutex_unlock(&l->lock);
}

static bool is_asked_for(const struct cfs_list_part *kept,
			 const struct cfs_list_part *p)
{
	return kept->out.buf != NULL && kept->folder == p->folder &&
	       kept->off == p->off && kept->has_nodes == p->has_nodes &&
	       kept->out.size == p->out.size && kept->out.plus == p->out.plus;
}

bool cfs_list_ahead_take(struct cfs_list_ahead *l, struct cfs_list_part *p)
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
