/* counters.h - statistics of reads through a cache.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CACHE_COUNTERS_H
#define CFS_CACHE_COUNTERS_H

#include <stdatomic.h>
#include <stdint.h>

/* The counters of one or more wrapped sources. */
struct cfs_cache_counters {
	_Atomic uint64_t hits, misses;	/* reads; miss: one that sent
					 * a request */
	_Atomic uint64_t hit_bytes, miss_bytes;
	_Atomic uint64_t fetches, fetch_bytes;	/* requests, to the
						 * wrapped source */
	_Atomic uint64_t failures;
	/* The requests that were made on a hint (cfs_source_prefetch): then
	 * read, dropped unread, or in memory and not yet read. */
	_Atomic uint64_t ahead, ahead_bytes, ahead_used, ahead_wasted,
		ahead_wasted_bytes, ahead_unread, ahead_unread_bytes;
	_Atomic uint64_t disk_bytes;	/* written to disk */
	_Atomic uint64_t damaged;	/* records dropped: wrong checksum */
};

/* Adds n to a counter of `who`, if who->counters is set. */
#define CFS_CACHE_COUNT(who, field, n) \
	do { \
		if ((who)->counters != NULL) \
			atomic_fetch_add_explicit(&(who)->counters->field, \
						  (n), memory_order_relaxed); \
	} while (0)

#endif
