/* path_iter.h - all entries below, or of, one path, in index order.
 *
 * Of a page only those that the index shows: what its time leaves out is no
 * capture of the page, but still keeps a directory in its place.
 *
 * An index may spread them over several runs of keys that hold other entries
 * too (a PB-tree does); a run steps from match to match.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_PATH_ITER_H
#define CFS_CRAWL_PATH_ITER_H

#include "index/index.h"

/* One thread's. */
struct cfs_path_iter {
	struct cfs_index *ix;
	const struct cfs_cancel *cancel;
	struct cfs_error *err;
	const struct cfs_path *path;	/* borrowed */
	enum cfs_below below;
	bool takes_all;			/* of a page also what its time leaves
					 * out; the caller's to set */
	struct cfs_ranges ranges;
	unsigned at;			/* range that `it` stands in */
	struct cfs_iter it;
	struct cfs_path entry;		/* components of the entry under `it` */
};

/* For runs through ix, which use cancel and err.  r->ranges may be used, too,
 * while none is under way. */
void cfs_path_iter_init(struct cfs_path_iter *r, struct cfs_index *ix,
			const struct cfs_cancel *cancel, struct cfs_error *err);
void cfs_path_iter_release(struct cfs_path_iter *r);

/* To the first match, the next one, the first with a key >= key, which is
 * past the entry under `it`.  0; CFS_END; a failure. */
int cfs_path_iter_first(struct cfs_path_iter *r, const struct cfs_path *path,
			enum cfs_below below);
int cfs_path_iter_next(struct cfs_path_iter *r);
int cfs_path_iter_seek(struct cfs_path_iter *r, struct cfs_slice key);

/* Stands on the entry at pos, where r->it may be already (CFS_POS_NONE).  It
 * must match: else CFS_ENOTFOUND. */
int cfs_path_iter_at(struct cfs_path_iter *r, const struct cfs_path *path,
		     enum cfs_below below, cfs_pos pos);

/* Past the end of the range the entry is in: to the next range's first match.
 * The way over a subtree is a run of the subtree's own ranges. */
int cfs_path_iter_seek_after(struct cfs_path_iter *r,
			     const struct cfs_ranges *over);

/* True if e is p or lies below p; lies below p; is p. */
bool cfs_path_starts(const struct cfs_path *p, const struct cfs_path *e);
bool cfs_path_is_below(const struct cfs_path *p, const struct cfs_path *e);
bool cfs_path_eq(const struct cfs_path *p, const struct cfs_path *e);

#endif
