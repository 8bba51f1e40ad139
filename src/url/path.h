/* path.h - components of tree paths, and the ranges of keys below a path.
 *
 * Every form of key (crawlfs, SURT, trivio) is split into these components.
 * The limits of URLs, keys and paths are here too.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_URL_PATH_H
#define CFS_URL_PATH_H

#include "base/buf.h"
#include "base/cancel.h"
#include "base/error.h"
#include "url.h"

/* The longest key.  A key is its URL rearranged; escapes add at most four bytes
 * per level (".." becomes "%2E%2E"), which, as levels are limited, is less than
 * half of CFS_URL_MAX. */
#define CFS_KEY_MAX (CFS_URL_MAX + CFS_URL_MAX / 2 + 64u)
/* The most levels of a path: the depth fits in ten bits of an inode number
 * (doc/design.md, "Limits"). */
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

/* The names in the tree of segments "." and "..", which no directory can
 * hold. */
#define CFS_PATH_DOT CFS_SLICE_LIT("%2E")
#define CFS_PATH_DOTS CFS_SLICE_LIT("%2E%2E")

static inline bool cfs_path_is_dots(struct cfs_slice s)
{
	return s.n > 0 && s.n <= 2 && s.p[0] == '.' && s.p[s.n - 1] == '.';
}

/* True if s is one of the two aliases. */
static inline bool cfs_path_is_alias(struct cfs_slice s)
{
	return cfs_slice_eq(s, CFS_PATH_DOT) || cfs_slice_eq(s, CFS_PATH_DOTS);
}

/* The name of a segment in the tree: the segment itself, or an alias. */
static inline struct cfs_slice cfs_path_name_dots(struct cfs_slice s)
{
	if (!cfs_path_is_dots(s))
		return s;
	return s.n == 1 ? CFS_PATH_DOT : CFS_PATH_DOTS;
}

/* The reverse: the dots that an alias stands for, or the name itself. */
static inline struct cfs_slice cfs_path_spell_dots(struct cfs_slice s)
{
	return !cfs_path_is_alias(s) ? s : cfs_slice_of("..", s.n / 3);
}

/* Makes a path from the labels of a host, separated by `sep`, and segments,
 * separated by '/'.  Segments "." and ".." are not replaced by their aliases.
 * CFS_ENOTFOUND if there are more than CFS_DEPTH_MAX components. */
int cfs_path_make(struct cfs_path *out, struct cfs_slice host, uint8_t sep,
		  struct cfs_slice segments);

/* False if no key can have these components: a label contains a character of
 * not_in_labels (all below '@'), a segment contains '/', or either contains NUL
 * or is "." or "..". */
bool cfs_path_is_possible(const struct cfs_path *path,
			  const char *not_in_labels);

/* The number of bytes of all components, with one separator each. */
size_t cfs_path_bytes(const struct cfs_path *path);

/* Appends the host labels of a path, separated by `sep`; returns
 * out->failed. */
int cfs_path_add_host(struct cfs_buf *out, const struct cfs_path *path,
		      uint8_t sep);

/* Appends the labels of a host in reverse order; they are separated by `from`
 * in host, and by `to` in the output. */
void cfs_path_reverse_labels(struct cfs_buf *out, struct cfs_slice host,
			     uint8_t from, uint8_t to);

/* One range of keys, lo <= key < hi; hi_open: no upper bound. */
struct cfs_range {
	struct cfs_slice lo, hi;
	bool hi_open;
};

/* Up to CFS_RANGES_MAX disjoint ascending ranges of keys.  The slices borrow
 * from `bytes`; init once, refill, release.  Finding the ranges may need reads
 * of the index, for which the caller may set `cancel` and `err` (or NULL). */
#define CFS_RANGES_MAX 64
struct cfs_ranges {
	unsigned n;
	struct cfs_range v[CFS_RANGES_MAX];
	struct cfs_buf bytes;
	struct cfs_ctx ctx;
};

enum cfs_below { CFS_BELOW_DIR, CFS_BELOW_PAGE };

void cfs_ranges_init(struct cfs_ranges *r);
void cfs_ranges_release(struct cfs_ranges *r);

/* Empties r for the ranges of a path.  For the root it adds the only one, that
 * of all keys.  CFS_ENOTFOUND if a page is asked for and the path is too short
 * for one. */
int cfs_ranges_begin(struct cfs_ranges *r, const struct cfs_path *path,
		     enum cfs_below below);

/* Adds the range from b + lo up to b + hi, where b is the bytes in r->bytes
 * from `at` on.  The caller has reserved room for b + lo and b + hi. */
void cfs_ranges_add(struct cfs_ranges *r, size_t at, struct cfs_slice lo,
		    struct cfs_slice hi);

#endif
