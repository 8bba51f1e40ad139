/* cache_internal.h - what cache.c, object.c and cached.c share.
 *
 * One lock guards all of this.  It is never held while bytes are read,
 * written, fetched or copied.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CACHE_CACHE_INTERNAL_H
#define CFS_CACHE_CACHE_INTERNAL_H

#include <pthread.h>

#include "cache.h"
#include "disk.h"
#include "extents.h"

#define CACHE_BUCKETS 4096u

enum blob_state { BLOB_IN_FLIGHT, BLOB_READY, BLOB_FAILED };

/* One request and the bytes it brings. */
struct cfs_blob {
	struct cfs_cache *cache;
	struct cfs_object *obj;
	struct cfs_source *inner;	/* owned; the writer closes it */
	bool (*validator)(struct cfs_source *inner,
			  char out[CFS_CACHE_VALIDATOR_BYTES]);
	struct cfs_cache_counters *counters;
	uint64_t off;
	uint32_t n;
	uint8_t *data;			/* once ready; immutable */
	enum blob_state state;
	int rc;				/* FAILED: why */
	struct cfs_error *err;		/* FAILED: in words; may be NULL */
	_Atomic uint64_t came;		/* bytes, while it is in flight */
	unsigned pins;
	bool is_ahead;			/* nobody has asked for it but a hint */
	bool is_used;
	bool in_lru;
	struct cfs_blob *newer, *older;	/* in_lru */
	struct cfs_blob *next;		/* in the writer's queue */
	pthread_cond_t done;
};

/* One URL, as it is known in this process. */
struct cfs_object {
	struct cfs_object *chain;
	bool in_table;
	char *url;
	unsigned refs;			/* open sources and blobs */
	struct cfs_extents x;
	/* Which state of it: */
	bool is_known;
	bool is_checked;		/* an answer has said so */
	bool is_served;			/* bytes went out before that */
	bool is_changed;		/* and then it was another one */
	bool wants_meta;		/* which is not on disk yet */
	uint64_t size;
	int64_t mtime;
	uint64_t learnt_ns;
	char validator[CFS_CACHE_VALIDATOR_BYTES];
	struct cfs_cache_id id;
	/* What the disk has of it: */
	bool is_loaded, is_loading;
	uint64_t generation;
	struct cfs_segment *meta_seg;	/* the writer's */
};

/* A wrapped source. */
struct cfs_cached {
	struct cfs_source base;
	struct cfs_cache *cache;
	struct cfs_source *inner;
	struct cfs_object *obj;
	bool (*validator)(struct cfs_source *inner,
			  char out[CFS_CACHE_VALIDATOR_BYTES]);
	void (*abandon)(struct cfs_source *inner);
	struct cfs_cache_counters *counters;
};

struct counters_link {
	struct cfs_cache_counters c;
	struct counters_link *next;
};

struct cfs_cache {
	struct cfs_disk *disk;		/* NULL: memory only */
	size_t mem_max;
	pthread_mutex_t lock;
	pthread_cond_t loaded;		/* an object's load has ended */
	pthread_cond_t work;		/* the writer has something to do */
	pthread_cond_t idle;		/* fewer in flight, or queue empty */
	struct cfs_object *objects[CACHE_BUCKETS];
	struct cfs_blob *newest, *oldest;
	size_t mem;			/* of blobs, in flight too */
	size_t ahead;			/* of these, fetched on a hint, unread */
	size_t queued;			/* of these, waiting for the writer */
	unsigned in_flight;
	struct cfs_blob *queue, **queue_end;
	bool is_writing, stop, halt, has_writer;	/* halt: for a fork */
	struct cfs_cache *next;		/* of all; see cache.c */
	pthread_t writer;
	struct counters_link *counters;
};

/* ---- object.c: what is known of an URL; the lock is held ---- */

/* Finds or makes the object, one reference more.  NULL: out of memory. */
struct cfs_object *cfs_object_get(struct cfs_cache *c, const char *url,
				  bool *is_new);
void cfs_object_put(struct cfs_cache *c, struct cfs_object *o);

/* Looks up on disk which state of it was seen last.  Drops the lock. */
void cfs_object_recall(struct cfs_cache *c, struct cfs_object *o);
/* Makes its extents on disk known, if they are not.  Drops the lock. */
int cfs_object_load(struct cfs_cache *c, struct cfs_object *o,
		    const struct cfs_cancel *cancel, struct cfs_error *err);

/* An answer has come that belongs to this state.  CFS_ECHANGED: it is another,
 * and bytes of the old one have been served. */
int cfs_object_confirm(struct cfs_cache *c, struct cfs_object *o,
		       const char *validator, uint64_t size, int64_t mtime,
		       struct cfs_error *err);

/* What is on disk as metadata; borrows from o. */
struct cfs_cache_meta cfs_object_meta(const struct cfs_object *o);

/* Removes the extents of a record that turned out bad. */
void cfs_object_drop_record(struct cfs_object *o,
			    const struct cfs_disk_record *r);

/* ---- cache.c: blobs; the lock is held unless said otherwise ---- */

/* A request for [off, off + n), in flight from now on; pinned for the
 * completion.  NULL: out of memory. */
struct cfs_blob *cfs_blob_new(struct cfs_cached *h, uint64_t off, uint32_t n,
			      bool is_ahead);
void cfs_blob_pin(struct cfs_blob *b);
void cfs_blob_unpin(struct cfs_blob *b);
/* Somebody reads it: it is not the next to go. */
void cfs_blob_use(struct cfs_blob *b);
/* Takes its extents away; blobs without bytes have none. */
void cfs_blob_detach(struct cfs_blob *b);
/* The request has ended.  The lock is not held.  Runs once for each blob. */
void cfs_blob_complete(struct cfs_blob *b, int code, struct cfs_slice bytes,
		       const struct cfs_error *err);

/* Waits on a condition; with a cancel token no longer than 50 ms. */
void cfs_cache_wait(struct cfs_cache *c, pthread_cond_t *cond,
		    const struct cfs_cancel *cancel);
void cfs_cache_cond_init(pthread_cond_t *cond);

#define CACHE_COUNT(h, field, k) \
	do { \
		if ((h)->counters != NULL) \
			atomic_fetch_add_explicit(&(h)->counters->field, (k), \
						  memory_order_relaxed); \
	} while (0)

#endif
