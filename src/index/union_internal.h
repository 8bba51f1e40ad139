/* union_internal.h - what the files of a union share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_UNION_INTERNAL_H
#define CFS_INDEX_UNION_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "union.h"

/* ---- members asked side by side ----------------------------------------- */

/* A seek in one member. */
struct cfs_union_seek {
	struct cfs_index *ix;
	struct cfs_iter *it;
	int rc;
	struct cfs_error error;
	struct cfs_union_seek *next;
	struct cfs_union_batch *batch;
};

/* Seeks of one caller for the same key.  They end before cfs_union_ask
 * returns. */
struct cfs_union_batch {
	struct cfs_slice key;
	const struct cfs_cancel *cancel;
	struct cfs_union_seek v[CFS_UNION_MAX];
	unsigned n;
	unsigned left;			/* guarded by the askers' lock */
};

/* Threads that wait for servers; started when they are first needed. */
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

/* Makes the seeks of a batch: those of local members one after the other,
 * several of remote ones at the same time.  Each has its rc then. */
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
	struct cfs_memo *ports;		/* of SURT keys: see cdx.h */
	struct cfs_lru *groups;
	atomic_bool has_groups;		/* there have been any */
	struct cfs_union_askers askers;
	unsigned warm_max;		/* states that keep their blocks */
	pthread_mutex_t lock;
	struct cfs_union_state *pool;	/* guarded by lock */
	unsigned pooled;		/* guarded by lock */
};

#define CFS_UNION_POS_BITS (48 - CFS_UNION_MEMBER_BITS)
#define CFS_UNION_POS_MASK ((UINT64_C(1) << CFS_UNION_POS_BITS) - 1)

static inline cfs_pos cfs_union_pos(unsigned member, cfs_pos pos)
{
	return (cfs_pos)member << CFS_UNION_POS_BITS | pos;
}

/* ---- the captures of one key, in order ----------------------------------- */

/* What decides on the order of two captures of one key. */
struct cfs_union_place {
	int64_t time;
	cfs_pos pos;			/* of the union */
};
int cfs_union_in_order(const struct cfs_union_place *a,
		       const struct cfs_union_place *b);

/* Those of a key that has many, in all members, or a piece of them. */
struct cfs_union_group {
	size_t n;
	bool is_partial;		/* another piece follows */
	struct cfs_union_place v[];
};

/* Room for n captures; NULL: no memory. */
struct cfs_union_group *cfs_union_group_new(size_t n, bool is_partial);
struct cfs_lru *cfs_union_groups_new(size_t max_bytes);

/* Pins the group of a key, the piece after a capture (NULL: the first); NULL if
 * it is not kept. */
struct cfs_lru_ref *cfs_union_group_find(struct cfs_union *u,
					 struct cfs_slice key,
					 const struct cfs_union_place *after);
/* Keeps g, which it takes over, also on failure, and pins it.  0;
 * CFS_ENOMEM. */
int cfs_union_group_keep(struct cfs_union *u, struct cfs_slice key,
			 const struct cfs_union_place *after,
			 struct cfs_union_group *g, struct cfs_lru_ref **out,
			 struct cfs_error *err);

/* The three moves of struct cfs_index_ops. */
int cfs_union_seek_op(struct cfs_index *ix, struct cfs_slice key,
		      struct cfs_iter *it, const struct cfs_cancel *cancel,
		      struct cfs_error *err);
int cfs_union_at_op(struct cfs_index *ix, cfs_pos pos, struct cfs_iter *it,
		    const struct cfs_cancel *cancel, struct cfs_error *err);
int cfs_union_next_op(struct cfs_iter *it, const struct cfs_cancel *cancel,
		      struct cfs_error *err);

/* The member's own iterator below one of the union that stands on an entry,
 * and which member it is. */
struct cfs_iter *cfs_union_inner(const struct cfs_iter *it, unsigned *member);

/* A hash of the place of an archive and its name. */
int cfs_union_hash_archive(struct cfs_union *u, unsigned member,
			   const struct cfs_span *loc, uint64_t *out,
			   struct cfs_error *err);

/* Ends the states that are kept. */
void cfs_union_pool_release(struct cfs_union *u);

#endif
