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
#include "url.h"

/* A key is its URL rearranged.  Escapes lengthen it by at most four bytes a
 * level (".." is "%2E%2E"), and levels are bounded: never by half. */
#define CFS_KEY_MAX (CFS_URL_MAX + CFS_URL_MAX / 2 + 64u)
/* Levels of a path: a depth fits ten bits of an inode number (doc/design.md,
 * "Limits"). */
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

/* "." and "..", which no directory can hold, go by these names in the tree. */
#define CFS_PATH_DOT CFS_SLICE_LIT("%2E")
#define CFS_PATH_DOTS CFS_SLICE_LIT("%2E%2E")

static inline bool cfs_path_is_dots(struct cfs_slice s)
{
	return s.n > 0 && s.n <= 2 && s.p[0] == '.' && s.p[s.n - 1] == '.';
}

/* Is s one of the two? */
static inline bool cfs_path_is_alias(struct cfs_slice s)
{
	return cfs_slice_eq(s, CFS_PATH_DOT) || cfs_slice_eq(s, CFS_PATH_DOTS);
}

/* The name of a segment in the tree: itself, or one of the two. */
static inline struct cfs_slice cfs_path_name_dots(struct cfs_slice s)
{
	return !cfs_path_is_dots(s) ? s :
	       s.n == 1 ? CFS_PATH_DOT : CFS_PATH_DOTS;
}

/* And back: the dots that an alias stands for, or the name itself. */
static inline struct cfs_slice cfs_path_spell_dots(struct cfs_slice s)
{
	return !cfs_path_is_alias(s) ? s : cfs_slice_of("..", s.n / 3);
}

/* Makes a path of the labels of a host, which are separated by `sep`, and of
 * segments, separated by '/'.  Dots keep their names.  CFS_ENOTFOUND when
 * these are more than CFS_DEPTH_MAX components. */
int cfs_path_make(struct cfs_path *out, struct cfs_slice host, uint8_t sep,
		  struct cfs_slice segments);

/* False if no key has these components: a label has a character of that set
 * (all below '@'), or any a NUL, a segment a '/', or is "." or "..". */
bool cfs_path_is_possible(const struct cfs_path *path,
			  const char *not_in_labels);

/* Bytes of all components with a separator each. */
size_t cfs_path_bytes(const struct cfs_path *path);

/* Appends the labels of a path; returns out->failed. */
int cfs_path_add_host(struct cfs_buf *out, const struct cfs_path *path,
		      uint8_t sep);

/* Appends the labels of a host, which a key separates by `from`, in the other
 * order, separated by `to`. */
void cfs_path_reverse_labels(struct cfs_buf *out, struct cfs_slice host,
			     uint8_t from, uint8_t to);

/* One run of keys, lo <= key < hi; hi_open: no upper bound. */
struct cfs_range {
	struct cfs_slice lo, hi;
	bool hi_open;
};

/* Up to CFS_RANGES_MAX disjoint ascending runs of keys.  The slices borrow
 * from `bytes`; init once, refill, release.  An index may have to read to
 * find them: `cancel` and `err` are the caller's to set, or NULL. */
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

/* Empties r for the runs of a path.  For the root there is just one, that of
 * all keys, which is then in r.  CFS_ENOTFOUND: the path is no page's. */
int cfs_ranges_begin(struct cfs_ranges *r, const struct cfs_path *path,
		     enum cfs_below below);

/* Adds the run from b + lo up to b + hi, where b is what stands in r->bytes
 * from `at` on.  The caller has reserved room for three times b. */
void cfs_ranges_add(struct cfs_ranges *r, size_t at, struct cfs_slice lo,
		    struct cfs_slice hi);

#endif
