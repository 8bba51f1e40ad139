/* union_internal.h - what the files of a union share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_UNION_INTERNAL_H
#define CFS_INDEX_UNION_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "union.h"

/* ---- seeks in several members at once ----------------------------------- */

/* A seek in one member. */
struct cfs_union_seek {
	struct cfs_index *ix;
	struct cfs_iter *it;
	int rc;
	struct cfs_error error;
	struct cfs_union_seek *next;
	struct cfs_union_batch *batch;
};

/* Seeks of one caller for the same key.  All are done when cfs_union_ask
 * returns. */
struct cfs_union_batch {
	struct cfs_slice key;
	const struct cfs_cancel *cancel;
	struct cfs_union_seek v[CFS_UNION_MAX];
	unsigned n;
	unsigned left;			/* guarded by the askers' lock */
};

/* Threads that wait for servers; started when first needed. */
struct cfs_union_askers {
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	struct cfs_union_seek *queue;	/* guarded by lock, as all below */
	bool is_ending;
	unsigned n, max;
	pthread_t threads[CFS_UNION_MAX];
};

void cfs_union_askers_init(struct cfs_union_askers *a, unsigned max);
void cfs_union_askers_release(struct cfs_union_askers *a);

/* Makes the seeks of a batch: in local members one after the other, in several
 * remote ones at the same time.  Sets the rc of each. */
void cfs_union_ask(struct cfs_union_askers *a, struct cfs_union_batch *b);

/* ---- the index, and where an iterator of it stands ---------------------- */

struct cfs_union_state;

struct cfs_union {
	struct cfs_index base;
	struct cfs_index_ops ops;
	struct cfs_index *members[CFS_UNION_MAX];
	char *places[CFS_UNION_MAX];
	uint8_t tags[CFS_UNION_MAX];
	unsigned n;
	struct cfs_memo *ports;		/* for SURT keys: see cdx.h */
	struct cfs_lru *groups;		/* of struct cfs_union_group */
	atomic_bool has_groups;		/* a group has been kept */
	struct cfs_union_askers askers;
	unsigned warm_max;		/* pooled states that keep blocks */
	pthread_mutex_t lock;
	struct cfs_union_state *pool;	/* guarded by lock */
	unsigned pooled;		/* guarded by lock */
};

/* ---- the captures of one key, in order ----------------------------------- */

/* The sort key of the captures of one URL key. */
struct cfs_union_place {
	int64_t time;
	cfs_pos pos;			/* in the union */
};
int cfs_union_in_order(const struct cfs_union_place *a,
		       const struct cfs_union_place *b);

/* All captures of a key that has many, in order, or a stretch of them. */
struct cfs_union_group {
	size_t n;
	bool is_partial;		/* another stretch follows */
	struct cfs_union_place v[];
};

/* Allocates a group of n captures; NULL if out of memory. */
struct cfs_union_group *cfs_union_group_new(size_t n, bool is_partial);
struct cfs_lru *cfs_union_groups_new(size_t max_bytes);

/* Names a group.  after: it is the one behind that capture; NULL: the key's
 * first one.  has_holes: captures in blocks that cannot be read may be missing,
 * so that only iterators which step over those may use it. */
struct cfs_lru_key cfs_union_group_key(struct cfs_slice key,
				       const struct cfs_union_place *after,
				       bool has_holes);
/* Pins a group.  NULL if it is not cached. */
struct cfs_lru_ref *cfs_union_group_find(struct cfs_union *u,
					 struct cfs_lru_key name);
/* Caches g, which it takes over, also on failure, and pins it.  0;
 * CFS_ENOMEM. */
int cfs_union_group_keep(struct cfs_union *u, struct cfs_lru_key name,
			 struct cfs_union_group *g, struct cfs_lru_ref **out,
			 struct cfs_error *err);

/* Implement seek, at, next and skip of struct cfs_index_ops. */
int cfs_union_seek_op(struct cfs_index *ix, struct cfs_slice key,
		      struct cfs_iter *it, struct cfs_ctx ctx);
int cfs_union_at_op(struct cfs_index *ix, cfs_pos pos, struct cfs_iter *it,
		    struct cfs_ctx ctx);
int cfs_union_next_op(struct cfs_iter *it, struct cfs_ctx ctx);
int cfs_union_skip_op(struct cfs_iter *it, cfs_pos hole, struct cfs_ctx ctx);

/* The member's iterator behind an iterator of the union that stands on an
 * entry, and the number of that member. */
struct cfs_iter *cfs_union_inner(const struct cfs_iter *it, unsigned *member);

/* A hash of an archive's name together with its member's place. */
int cfs_union_hash_archive(struct cfs_union *u, unsigned member,
			   const struct cfs_span *loc, uint64_t *out,
			   struct cfs_error *err);

/* Frees the pooled states. */
void cfs_union_pool_release(struct cfs_union *u);

#endif
