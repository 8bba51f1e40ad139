/* path_iter.h - iterates over the entries of one path, or of all below it.
 *
 * A page's captures outside the time limits are skipped, but still keep their
 * directory in its place.
 *
 * An index may spread matches over several ranges of keys that hold other
 * entries too (a PB-tree does); the iterator steps from match to match.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_PATH_ITER_H
#define CFS_CRAWL_PATH_ITER_H

#include "index/index.h"

/* Used by one thread. */
struct cfs_path_iter {
	struct cfs_index *ix;
	struct cfs_ctx ctx;
	const struct cfs_path *path;	/* borrowed */
	enum cfs_below below;
	bool takes_all;			/* also a page's captures outside the
					 * time limits; set by the caller */
	struct cfs_ranges ranges;
	bool is_prefix;			/* the one range has just the keys that
					 * begin with its first one */
	unsigned at;			/* the range that `it` is in */
	struct cfs_iter it;
	struct cfs_path entry;		/* components of the entry under `it` */
	bool keeps_gaps;
	/* No key of ix is at least `gap` and less than that of `it`; empty:
	 * nothing is known. */
	struct cfs_buf gap;
	/* Another iterator over the same index, whose gap counts, too; or
	 * NULL. */
	const struct cfs_path_iter *beside;
};

/* For iterating over ix; failures and cancellation go through err and cancel.
 * While no iteration is under way, the caller may use r->ranges. */
void cfs_path_iter_init(struct cfs_path_iter *r, struct cfs_index *ix,
			struct cfs_ctx ctx);
void cfs_path_iter_release(struct cfs_path_iter *r);

/* From now on an iteration that is complete remembers that there is no entry
 * between its last one and the one behind: an iteration that begins there needs
 * no search.  Only the functions here may then move r->it. */
void cfs_path_iter_keep_gaps(struct cfs_path_iter *r);

/* True if r has ended and stands at the first entry behind its last match. */
static inline bool cfs_path_iter_is_behind_gap(const struct cfs_path_iter *r)
{
	return r->gap.n > 0;
}

/* Move to the first match, the next one, or the first with a key >= key, which
 * must be past the entry under `it`.  0; CFS_END; a failure. */
int cfs_path_iter_first(struct cfs_path_iter *r, const struct cfs_path *path,
			enum cfs_below below);
int cfs_path_iter_next(struct cfs_path_iter *r);
int cfs_path_iter_seek(struct cfs_path_iter *r, struct cfs_slice key);

/* Moves to the first match behind the block that r->it could not read. */
int cfs_path_iter_skip(struct cfs_path_iter *r);

/* Moves to the entry at pos; CFS_POS_NONE: r->it is there already.
 * CFS_ENOTFOUND if it does not match. */
int cfs_path_iter_at(struct cfs_path_iter *r, const struct cfs_path *path,
		     enum cfs_below below, cfs_pos pos);

/* Skips the subtree whose ranges are `over`: moves past the end of the one the
 * entry is in, to the next match. */
int cfs_path_iter_seek_after(struct cfs_path_iter *r,
			     const struct cfs_ranges *over);

/* True if e is p or lies below p; if it lies below p; if it is p. */
bool cfs_path_starts(const struct cfs_path *p, const struct cfs_path *e);
bool cfs_path_is_below(const struct cfs_path *p, const struct cfs_path *e);
bool cfs_path_eq(const struct cfs_path *p, const struct cfs_path *e);

#endif
