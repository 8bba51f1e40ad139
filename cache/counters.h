/* counters.h - what the readers of a cache count.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CACHE_COUNTERS_H
#define CFS_CACHE_COUNTERS_H

#include <stdatomic.h>
#include <stdint.h>

/* Of one or more wrapped sources. */
struct cfs_cache_counters {
	_Atomic uint64_t hits, misses;	/* reads; miss: it had to ask */
	_Atomic uint64_t hit_bytes, miss_bytes;
	_Atomic uint64_t fetches, fetch_bytes;	/* requests sent down */
	_Atomic uint64_t failures;
	/* Of these, asked for by cfs_source_prefetch; then read, or dropped
	 * unread; or in memory, and not read yet. */
	_Atomic uint64_t ahead, ahead_bytes, ahead_used, ahead_wasted,
		ahead_wasted_bytes, ahead_unread, ahead_unread_bytes;
	_Atomic uint64_t disk_bytes;	/* written to disk */
	_Atomic uint64_t damaged;	/* records dropped for their checksum */
};

/* Adds n to a counter of `who`, if that counts. */
#define CFS_CACHE_COUNT(who, field, n) \
	do { \
		if ((who)->counters != NULL) \
			atomic_fetch_add_explicit(&(who)->counters->field, \
						  (n), memory_order_relaxed); \
	} while (0)

#endif
