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

/* A window of blocks is ahead of a scan at all times, and half of one comes at
 * a time.  It is half as long as the scan so far, so that no more is fetched in
 * vain; at least CFS_AHEAD_WINDOW blocks, and at most CFS_AHEAD_BYTES where
 * that is more: what a server that answers late sends meanwhile. */
#define CFS_AHEAD_WINDOW 16u
#define CFS_AHEAD_BYTES (1u << 20)
/* So many blocks are ahead at most, or so many bytes where that is more. */
#define CFS_AHEAD_MAX (CFS_AHEAD_WINDOW + CFS_AHEAD_WINDOW / 2)
#define CFS_AHEAD_MAX_BYTES (CFS_AHEAD_BYTES + CFS_AHEAD_BYTES / 2)
/* Blocks that a scan may skip and still count as one: those that are cached, or
 * those of a large folder that it steps over. */
#define CFS_AHEAD_GAP 2u
/* Scans tracked at once; a load that continues none of them replaces one. */
#define CFS_AHEAD_SCANS 4u

/* Shared by threads without a lock: a race costs a hint at worst. */
struct cfs_ahead {
	struct cfs_ahead_scan {
		atomic_uint next;	/* block after the one loaded last */
		atomic_uint loaded;	/* blocks, but for the first */
		atomic_uint until;	/* block after the last one told */
	} scans[CFS_AHEAD_SCANS];
	atomic_uint turn;		/* the scan to replace next */
};

/* Returns the window of a scan that has loaded so many blocks behind its first
 * one: 0 until it is clear that it is a scan. */
static inline unsigned cfs_ahead_window(unsigned loaded, uint64_t block_bytes)
{
	uint64_t most = CFS_AHEAD_BYTES / (block_bytes > 0 ? block_bytes : 1);
	unsigned least = loaded > 4 ? CFS_AHEAD_WINDOW : (1u << loaded) / 2;

	if (loaded < 2)
		return 0;
	return (unsigned)cfs_clamp_u64(cfs_clamp_u64(loaded / 2, 0, most),
				       least, UINT32_MAX / 2);
}

/* A block that is loaded. */
struct cfs_ahead_block {
	uint32_t number;
	uint32_t next;		/* the block after it */
	uint32_t behind;	/* blocks from `next` on that can be fetched */
	uint64_t bytes;		/* of this block */
};

/* To be called when a block is loaded.  Returns how many blocks from b.next on
 * are likely to be wanted soon: 0 until a scan has loaded three blocks, and as
 * long as those that were told are enough: the next ones come together. */
static inline unsigned cfs_ahead_blocks(struct cfs_ahead *a,
					struct cfs_ahead_block b)
{
	struct cfs_ahead_scan *s = NULL;
	unsigned loaded = 0, told, w;

	for (unsigned i = 0; i < CFS_AHEAD_SCANS && b.number > 0; i++) {
		unsigned expected = atomic_load(&a->scans[i].next);

		if (expected > 0 && b.number >= expected &&
		    b.number - expected <= CFS_AHEAD_GAP)
			s = &a->scans[i];
	}
	if (s != NULL)
		loaded = atomic_load(&s->loaded) + 1;
	else
		s = &a->scans[atomic_fetch_add(&a->turn, 1) % CFS_AHEAD_SCANS];
	w = cfs_ahead_window(loaded, b.bytes);
	told = w > 0 ? atomic_load(&s->until) : 0;
	told = told > b.next ? told - b.next : 0;
	w = told < w ? w + w / 2 : 0;
	if (w > b.behind)
		w = told < b.behind ? b.behind : 0;
	atomic_store(&s->next, b.next);
	atomic_store(&s->loaded, loaded);
	atomic_store(&s->until, b.next + (w > 0 ? w : told));
	return w;
}

#endif
