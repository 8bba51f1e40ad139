/* ahead.h - read-ahead for scans of a remote index: how many blocks to fetch.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_AHEAD_H
#define CFS_INDEX_AHEAD_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clamp.h"

/* Blocks that are ahead of a scan, at least, and at most. */
#define CFS_AHEAD_WINDOW 16u
#define CFS_AHEAD_MAX (CFS_AHEAD_WINDOW + CFS_AHEAD_WINDOW / 2)
/* Blocks that a scan may skip and still count as one: those that are cached, or
 * those of a large folder that it steps over. */
#define CFS_AHEAD_GAP 2u
/* Scans tracked at once; a load that continues none of them replaces one. */
#define CFS_AHEAD_SCANS 4u

/* Shared by threads without a lock: a race costs a hint at worst. */
struct cfs_ahead {
	struct cfs_ahead_scan {
		atomic_uint next;	/* block after the one loaded last */
		atomic_uint window;
		atomic_uint until;	/* block after the last one told */
	} scans[CFS_AHEAD_SCANS];
	atomic_uint turn;		/* the scan to replace next */
};

/* To be called when block `number` is loaded; `next` is the block after it.
 * Returns how many blocks from `next` on are likely to be wanted soon: 0 until
 * a scan has loaded three blocks, and while those that were told are enough, so
 * that the next ones come together. */
static inline unsigned cfs_ahead_blocks(struct cfs_ahead *a, uint32_t number,
					uint32_t next)
{
	struct cfs_ahead_scan *s = NULL;
	unsigned w = 0, until;

	for (unsigned i = 0; i < CFS_AHEAD_SCANS && number > 0; i++) {
		unsigned expected = atomic_load(&a->scans[i].next);

		if (expected > 0 && number >= expected &&
		    number - expected <= CFS_AHEAD_GAP)
			s = &a->scans[i];
	}
	if (s != NULL) {
		w = (unsigned)cfs_clamp_u64(atomic_load(&s->window) * 2, 1,
					    CFS_AHEAD_WINDOW);
	} else {
		s = &a->scans[atomic_fetch_add(&a->turn, 1) % CFS_AHEAD_SCANS];
	}
	until = w > 0 ? atomic_load(&s->until) : 0;
	atomic_store(&s->next, next);
	atomic_store(&s->window, w);
	if (w <= 1 || (until > next && until - next >= w))
		w = 0;
	else
		w += w / 2;
	atomic_store(&s->until, w > 0 ? next + w : until);
	return w;
}

#endif
