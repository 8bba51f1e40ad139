/* ahead.h - blocks of a remote index asked for before a scan reaches them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_AHEAD_H
#define CFS_INDEX_AHEAD_H

#include <stdatomic.h>
#include <stdint.h>

/* Most blocks ahead of a scan. */
#define CFS_AHEAD_MAX 16u

/* Threads share it; what they do at the same time may cost a hint. */
struct cfs_ahead {
	atomic_uint next;	/* block after the one loaded last */
	atomic_uint window;
};

/* Block `number` is being loaded: how many of those after it are likely to be
 * wanted soon?  None until three have come one after the other. */
static inline unsigned cfs_ahead_blocks(struct cfs_ahead *a, uint32_t number)
{
	unsigned next = atomic_exchange(&a->next, number + 1);
	unsigned w = atomic_load(&a->window);

	w = number != next || number == 0 ? 0 : w == 0 ? 1 :
	    w * 2 < CFS_AHEAD_MAX ? w * 2 : CFS_AHEAD_MAX;
	atomic_store(&a->window, w);
	return w > 1 ? w : 0;
}

#endif
