/* ahead.h - blocks of a remote index asked for before a scan reaches them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_AHEAD_H
#define CFS_INDEX_AHEAD_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Most blocks ahead of a scan. */
#define CFS_AHEAD_MAX 16u
/* Blocks a scan may leave out: it has them already, or steps over a large
 * folder. */
#define CFS_AHEAD_GAP 2u
/* Scans that are told apart; a block read elsewhere takes the place of one. */
#define CFS_AHEAD_SCANS 4u

/* Threads share it; what they do at the same time may cost a hint. */
struct cfs_ahead {
	struct cfs_ahead_scan {
		atomic_uint next;	/* block after the one loaded last */
		atomic_uint window;
	} scans[CFS_AHEAD_SCANS];
	atomic_uint turn;		/* which place is given away next */
};

/* Block `number` is being loaded, and `next` is the one after it: how many of
 * those after it are likely to be wanted soon?  None until three have come,
 * one soon after the other. */
static inline unsigned cfs_ahead_blocks(struct cfs_ahead *a, uint32_t number,
					uint32_t next)
{
	struct cfs_ahead_scan *s = NULL;
	unsigned w = 0;

	for (unsigned i = 0; i < CFS_AHEAD_SCANS && number > 0; i++) {
		unsigned expected = atomic_load(&a->scans[i].next);

		if (expected > 0 && number >= expected &&
		    number - expected <= CFS_AHEAD_GAP)
			s = &a->scans[i];
	}
	if (s != NULL) {
		w = atomic_load(&s->window);
		w = w == 0 ? 1 : w * 2 < CFS_AHEAD_MAX ? w * 2 : CFS_AHEAD_MAX;
	} else {
		s = &a->scans[atomic_fetch_add(&a->turn, 1) % CFS_AHEAD_SCANS];
	}
	atomic_store(&s->next, next);
	atomic_store(&s->window, w);
	return w > 1 ? w : 0;
}

#endif
