/* state.h - what the cache holds in memory: its objects, their bytes, and the
 * requests under way.
 *
 * One lock, that of the cache, guards all of it.  It is never held while bytes
 * are read, written, fetched or copied: functions whose name ends in _unlocks
 * are called with the lock held, release it for that, and take it again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CACHE_STATE_H
#define CFS_CACHE_STATE_H

#include "base/budget.h"
#include "base/sync.h"
#include "counters.h"
#include "disk.h"
#include "extents.h"
#include "source/source.h"

#define CFS_CACHE_BUCKETS 4096u

enum cfs_blob_state { CFS_BLOB_IN_FLIGHT, CFS_BLOB_READY, CFS_BLOB_FAILED };

/* One request and the bytes it brings. */
struct cfs_blob {
	struct cfs_cache *cache;
	struct cfs_object *obj;
	struct cfs_source *inner;	/* owned; closed by the writer */
	struct cfs_cache_counters *counters;
	uint64_t off;
	uint32_t n;
	uint8_t *data;			/* set once READY; immutable */
	enum cfs_blob_state state;
	int rc;				/* a FAILED one's */
	struct cfs_error *err;		/* the same in words; may be NULL */
	_Atomic uint64_t came;		/* bytes received while in flight */
	unsigned pins;
	bool is_ahead;			/* fetched on a hint, for no reader */
	bool is_used;
	bool in_lru;
	struct cfs_blob *newer, *older;	/* in_lru */
	struct cfs_blob *next;		/* among those in flight, or in the
					 * writer's queue */
	pthread_cond_t done;
};

/* One URL, as this process knows it. */
struct cfs_object {
	struct cfs_object *chain;
	bool in_table;
	char *url;
	unsigned refs;			/* open sources and blobs */
	struct cfs_extents x;
	/* The state of the object: */
	bool is_known;
	bool is_checked;		/* an answer has confirmed it */
	bool is_served;			/* bytes were served before that */
	bool is_changed;		/* the answer then showed
					 * another state */
	bool wants_meta;		/* metadata not on disk yet */
	uint64_t size;
	int64_t mtime;
	uint64_t learnt_ns;
	char validator[CFS_SEG_VALIDATOR_MAX + 1];
	struct cfs_cache_id id;
	/* The state on disk: */
	bool is_loaded, is_loading;
	uint64_t generation;
	struct cfs_segment *meta_seg;	/* for the writer */
};

/* A wrapped source. */
struct cfs_cached {
	struct cfs_source base;
	struct cfs_cache *cache;
	struct cfs_source *inner;
	struct cfs_object *obj;
	struct cfs_cache_counters *counters;
};

struct cfs_counters_link {
	struct cfs_cache_counters c;
	struct cfs_counters_link *next;
};

struct cfs_cache {
	struct cfs_disk *disk;		/* NULL: memory only */
	size_t mem_max;
	struct cfs_budget *budget;	/* NULL: none */
	struct cfs_budget_giver giver;
	pthread_mutex_t lock;
	pthread_cond_t loaded;		/* an object was loaded */
	pthread_cond_t work;		/* the writer has something to do */
	pthread_cond_t idle;		/* fewer in flight, or queue empty */
	pthread_cond_t room;		/* memory may be free */
	struct cfs_object *objects[CFS_CACHE_BUCKETS];
	struct cfs_blob *newest, *oldest;
	size_t mem;			/* bytes of blobs, in flight too */
	size_t ahead;			/* those of `mem` fetched ahead,
					 * unread */
	size_t queued;			/* those of `mem` waiting for the
					 * writer */
	unsigned in_flight;
	struct cfs_blob *flying;	/* the blobs in flight, chained */
	struct cfs_blob *queue, **queue_end;
	bool is_writing, stop, has_writer;
	pthread_t writer;
	struct cfs_counters_link *counters;
};

/* Starts the thread that writes to disk what requests have brought (writer.c),
 * unless it runs.  The caller holds the lock.  CFS_ENOMEM if no thread can be
 * started. */
int cfs_writer_start(struct cfs_cache *c);

/* ---- the source wrapped round a source (cached.c) ---- */

struct cfs_cached_opts {
	const char *url;	/* the name of the object in the cache */
	/* How long to wait for the server to confirm what is cached, before any
	 * of it is served from disk.  0: do not wait; the first answer that
	 * comes decides. */
	unsigned validate_ms;
	struct cfs_cache_counters *counters;	/* NULL: not counted */
};

/* Wraps inner, which it takes over, also on failure.  An object without a
 * validator (cfs_source_validator) is not kept on disk. */
int cfs_cached_open(struct cfs_source **out, struct cfs_cache *c,
		    struct cfs_source *inner,
		    const struct cfs_cached_opts *opts, struct cfs_ctx ctx);

#endif
