/* index_walk.h - all entries of an index, or those of a range of its keys or of
 * its blocks, in their order.  What cannot be read is an item of the walk, too.
 *
 * The caller chooses what that means.  Without holes, it ends the walk.  With
 * holes, each damaged block, and each damaged entry, is told once, and the walk
 * goes on behind it.  A listing (crawl/list.c) does so too, and fails once all
 * that can be listed has been.  What a server does not deliver is no damage: it
 * ends every walk.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_INDEX_WALK_H
#define CFS_INDEX_INDEX_WALK_H

#include <pthread.h>

#include "index.h"

/* Called for a damaged place, with its position: that of a block's slot 0, or
 * of an entry.  Nonzero ends the walk with that code. */
typedef int cfs_hole_fn(void *arg, cfs_pos pos, const struct cfs_error *why);

/* The damaged places of one index that walks have met.  Threads share it. */
struct cfs_holes {
	cfs_hole_fn *found;		/* NULL: each is logged */
	void *arg;
	/* Lines that are lost beside an entry (cfs_index_lost) are told, too;
	 * else they are left out in silence.  asks_entries: the owner asks each
	 * entry that is taken, so that only the others are told, once each. */
	bool tells_lines, asks_entries;
	struct cfs_holes *all;		/* NULL, or where they are told
					 * instead */
	pthread_mutex_t lock;
	uint64_t *v;			/* hashes of places, ascending; guarded
					 * by lock */
	size_t n, room;			/* guarded by lock */
	atomic_uint lines;		/* logged */
};
void cfs_holes_init(struct cfs_holes *g);
void cfs_holes_release(struct cfs_holes *g);

/* Adds the place that an error names, unless it is there; tells it then, with
 * the position that was asked for.  0, the result of `found`, or CFS_ENOMEM. */
int cfs_holes_add(struct cfs_holes *g, cfs_pos pos,
		  const struct cfs_error *why);

/* Their number. */
size_t cfs_holes_count(struct cfs_holes *g);

/* Fails because entries of ix are missing from what has been given.  Returns
 * CFS_EFORMAT. */
int cfs_holes_fail(const struct cfs_index *ix, struct cfs_error *err);

/* One thread uses it; it is large. */
struct cfs_index_walk {
	struct cfs_index *ix;
	struct cfs_holes *holes;		/* NULL: damage ends the walk */
	struct cfs_ctx ctx;
	struct cfs_range range;		/* its ends are borrowed */
	uint64_t from, to;		/* blocks; to 0: the range counts */
	bool has_begun, is_early;
	unsigned turn;
	struct cfs_error error;
	struct cfs_iter it;		/* stands on the entry */
	struct cfs_capture cap;		/* of the entry, if it was asked for */
};

/* Makes a walk over all of ix; the fields range, or from and to, limit it
 * before the first step.  0; CFS_ENOMEM. */
int cfs_index_walk_new(struct cfs_index_walk **out, struct cfs_index *ix,
		       struct cfs_holes *holes, struct cfs_ctx ctx);
void cfs_index_walk_free(struct cfs_index_walk *w);	/* accepts NULL */

/* Lets w begin again, at the start of a range. */
void cfs_index_walk_in(struct cfs_index_walk *w, const struct cfs_range *range);

/* Steps to the next entry.  0; CFS_END; CFS_EINTR; failures as of
 * cfs_index_next. */
int cfs_index_walk_next(struct cfs_index_walk *w);

/* Decodes the entry into w->cap.  CFS_ENOTFOUND: it is not picked, or it is a
 * hole. */
int cfs_index_walk_take(struct cfs_index_walk *w);

/* Steps to the next entry that can be taken, and takes it. */
int cfs_index_walk_capture(struct cfs_index_walk *w);

#endif
