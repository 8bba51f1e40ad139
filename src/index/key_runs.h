/* key_runs.h - any number of disjoint and ascending ranges of keys.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_KEY_RUNS_H
#define CFS_INDEX_KEY_RUNS_H

#include "base/buf.h"
#include "url/path.h"

#define CFS_KEY_RUNS_MAX ((size_t)1 << 20)

/* The slices of v borrow from `bytes`, but only once they are settled. */
struct cfs_key_runs {
	struct cfs_range *v;
	size_t n, room;
	struct cfs_buf bytes;
};

void cfs_key_runs_init(struct cfs_key_runs *r);
void cfs_key_runs_release(struct cfs_key_runs *r);

/* Adds a copy of a range, in any order; ranges may overlap.  0, CFS_ENOMEM (or
 * more than CFS_KEY_RUNS_MAX). */
int cfs_key_runs_add(struct cfs_key_runs *r, const struct cfs_range *v);

/* Ends adding: sorts the ranges, and merges those that overlap or touch. */
void cfs_key_runs_settle(struct cfs_key_runs *r);

/* The number of the first range that holds keys >= `key`; n if none does. */
size_t cfs_key_runs_find(const struct cfs_key_runs *r, struct cfs_slice key);

/* Adds the keys that are in a range of a and in one of b; both are settled. */
int cfs_key_runs_add_common(struct cfs_key_runs *r,
			    const struct cfs_key_runs *a,
			    const struct cfs_key_runs *b);

/* True if a range holds the key. */
bool cfs_key_runs_hold(const struct cfs_key_runs *r, struct cfs_slice key);

/* Leaves the keys of a range, whose slices must live as long as r. */
void cfs_key_runs_narrow(struct cfs_key_runs *r, const struct cfs_range *to);

#endif
