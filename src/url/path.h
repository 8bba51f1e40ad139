/* path.h - tree components, and the runs of keys that hold them.
 *
 * What every form of key (crawlfs, SURT, trivio) is taken apart into, and
 * the limits that a URL, a key and a path keep.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_URL_PATH_H
#define CFS_URL_PATH_H

#include "base/buf.h"
#include "base/cancel.h"
#include "base/error.h"

/* A URL longer than this is skipped and counted (doc/design.md, "Limits"). */
#define CFS_URL_MAX 8192u
/* A key is its URL rearranged.  Escapes lengthen it by at most four bytes a
 * level (".." is "%2E%2E"), and levels are bounded: never by half. */
#define CFS_KEY_MAX (CFS_URL_MAX + CFS_URL_MAX / 2 + 64u)
/* Levels of a path, so that a depth fits ten bits (doc/design.md, "Positions"). */
#define CFS_DEPTH_MAX 1023u

/*
 * The tree components of an entry or of a directory, raw (unescaped) bytes:
 * host labels outermost first, then one marker "_", then path segments.
 *
 *     http://www.gnu.org/a//b     org gnu www _ a "" b      host_n 3, n 7
 *
 * comp[host_n] is the marker where n > host_n; a path with n == host_n is a
 * directory of host labels (the root: both 0).  An entry has at least one
 * label, the marker and one segment.
 */
struct cfs_path {
	unsigned n, host_n;
	struct cfs_slice comp[CFS_DEPTH_MAX + 1];
};

/* One run of keys, lo <= key < hi; hi_open: no upper bound. */
struct cfs_range {
	struct cfs_slice lo, hi;
	bool hi_open;
};

/* Up to CFS_RANGES_MAX disjoint ascending runs of keys.  The slices borrow
 * from `bytes`; init once, refill, release.  An index may have to read to
 * tell them: `cancel` and `err` are the caller's to set, or NULL. */
#define CFS_RANGES_MAX 64
struct cfs_ranges {
	unsigned n;
	struct cfs_range v[CFS_RANGES_MAX];
	struct cfs_buf bytes;
	const struct cfs_cancel *cancel;
	struct cfs_error *err;
};

enum cfs_below { CFS_BELOW_DIR, CFS_BELOW_PAGE };

void cfs_ranges_init(struct cfs_ranges *r);
void cfs_ranges_release(struct cfs_ranges *r);

#endif
