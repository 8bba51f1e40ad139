/* dircache_hints.c - lossy sets of processes and folders (see
 * dircache_hints.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "dircache_hints.h"

#include "base/error.h"
#include "base/memo.h"

/* Listings without nodes are taken back after so many look-ups of their files:
 * a few files opened by name are no reason to. */
#define LOOK_UPS_MIN 64u
#define SUBFOLDERS_BITS 8

int cfs_dircache_init(struct cfs_dircache *l)
{
	l->subfolders = cfs_memo_new(SUBFOLDERS_BITS, sizeof(uint64_t));
	return l->subfolders != NULL ? CFS_OK : CFS_ENOMEM;
}

void cfs_dircache_release(struct cfs_dircache *l)
{
	cfs_memo_free(l->subfolders);
}

bool cfs_dircache_is_statter(const struct cfs_dircache *l, pid_t pid)
{
	return cfs_memo_has(l->statters, CFS_DIRCACHE_STATTERS_BITS,
			    (uint64_t)pid);
}

bool cfs_dircache_note_look_up(struct cfs_dircache *l, pid_t pid,
			       uint64_t folder)
{
	cfs_memo_add(l->statters, CFS_DIRCACHE_STATTERS_BITS, (uint64_t)pid);
	if (!cfs_memo_has(l->bare, CFS_DIRCACHE_BARE_BITS, folder) ||
	    atomic_fetch_add(&l->n_look_ups, 1) + 1 < LOOK_UPS_MIN)
		return false;
	atomic_store(&l->n_look_ups, 0);
	return atomic_exchange(&l->n_bare, 0) > 0;
}

uint64_t cfs_dircache_take_back(struct cfs_dircache *l, size_t *at)
{
	while (*at < 1u << CFS_DIRCACHE_BARE_BITS) {
		_Atomic uint64_t *slot = &l->bare[(*at)++];
		uint64_t folder = atomic_load_explicit(slot,
						       memory_order_relaxed);

		if (folder != 0 &&
		    atomic_compare_exchange_strong(slot, &folder, 0))
			return folder;
	}
	return 0;
}

void cfs_dircache_note_nodes(struct cfs_dircache *l, uint64_t folder)
{
	cfs_memo_remove(l->bare, CFS_DIRCACHE_BARE_BITS, folder);
}

void cfs_dircache_note_bare(struct cfs_dircache *l, uint64_t folder)
{
	cfs_memo_add(l->bare, CFS_DIRCACHE_BARE_BITS, folder);
	atomic_fetch_add_explicit(&l->n_bare, 1, memory_order_relaxed);
}

uint64_t cfs_dircache_subfolders(struct cfs_dircache *l, uint64_t folder)
{
	uint64_t n = 0;

	return cfs_memo_get(l->subfolders, folder, &n) ? n : 0;
}

void cfs_dircache_note_subfolders(struct cfs_dircache *l, uint64_t folder,
				  uint64_t n)
{
	cfs_memo_put(l->subfolders, folder, &n);
}
