/* cache.h - the block cache: a source wrapped round a source.
 *
 * What is read through a wrapped source is kept, in memory for a while and on
 * disk up to a bound (format.h), and not requested again.  The wrapped source
 * is asked for exactly what was read, less what is cached; missing parts with
 * a small gap between them become one request.  Readers that want the same
 * missing bytes share one request, and each can give up without ending it.  A
 * failure is reported to the readers that waited for it, and not remembered.
 *
 * An object is known by its URL, and a state of it by the validator that its
 * source reports with the first answer (an ETag).  Until an answer has come,
 * the state seen last is assumed to hold, so that a crawl that is in the cache
 * can be read without the network.  If an answer then reports another state,
 * the old bytes are no longer used; and if some have been handed out, reads of
 * this source fail: bytes of two states are never mixed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CACHE_CACHE_H
#define CFS_CACHE_CACHE_H

#include "base/budget.h"
#include "counters.h"
#include "net/open_location.h"

struct cfs_cache;	/* threads share it */
struct cfs_disk;

#define CFS_CACHE_DISK_DEFAULT (UINT64_C(10) << 30)
#define CFS_CACHE_MEM_DEFAULT ((size_t)64 << 20)

struct cfs_cache_opts {
	const char *dir;	/* NULL: memory only */
	uint64_t disk_bytes;	/* 0: CFS_CACHE_DISK_DEFAULT */
	size_t mem_bytes;	/* 0: CFS_CACHE_MEM_DEFAULT */
	struct cfs_budget *budget;	/* the budget that mem_bytes is a part
					 * of; NULL: none */
};

/* Opens a cache.  Fails only with CFS_ENOMEM: a folder that cannot be used
 * causes a warning. */
int cfs_cache_open(struct cfs_cache **out, const struct cfs_cache_opts *opts,
		   struct cfs_error *err);
/* All wrapped sources must have been closed.  Waits for requests under way.
 * Accepts NULL. */
void cfs_cache_close(struct cfs_cache *c);

/* The part of the cache on disk; NULL: none.  Lent as long as the cache is
 * open. */
struct cfs_disk *cfs_cache_disk(struct cfs_cache *c);

/* New counters; they live as long as the cache.  NULL: out of memory. */
struct cfs_cache_counters *cfs_cache_counters_new(struct cfs_cache *c);

/* Wraps *src, if it is remote; else leaves it as it is.  On failure *src is
 * NULL. */
int cfs_cache_wrap(struct cfs_source **src, struct cfs_cache *c,
		   struct cfs_cache_counters *counters, unsigned validate_ms,
		   struct cfs_ctx ctx);

/* Opens locations, remote ones through the cache; a store is given &o->base.
 * It must not be moved or copied after init. */
struct cfs_cache_opener {
	struct cfs_opener base;
	struct cfs_cache *cache;	/* NULL: none */
	struct cfs_cache_counters *counters;
};

void cfs_cache_opener_init(struct cfs_cache_opener *o, struct cfs_cache *c,
			   struct cfs_cache_counters *counters);

struct cfs_cache_stats {
	uint64_t mem_bytes, mem_max;	/* in memory now, and at most */
	uint64_t in_flight;		/* requests */
};
void cfs_cache_get_stats(struct cfs_cache *c, struct cfs_cache_stats *out);

/* Waits until all that was read is on disk.  For tests. */
void cfs_cache_flush(struct cfs_cache *c);

#endif
