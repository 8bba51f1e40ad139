/* captures.h - the captures of one page by number, by position and by time.
 *
 * A page may have too many captures to read them all again whenever one of them
 * is named.  The captures of such a page are read once and kept in a bounded
 * cache of the crawl.  It may be dropped at any time: answers are always those
 * that reading the page's entries in order would give.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_CAPTURES_H
#define CFS_CRAWL_CAPTURES_H

#include "walk.h"

/* A page with at most this many entries is not cached: reading them again takes
 * no longer than a look-up in the cache. */
#define CFS_CAPTURES_FEW 64u
/* A page with more captures than this, or than the cache has room for (28 bytes
 * each), keeps only every 2nd, 4th, ... by number and position, and none by
 * time. */
#define CFS_CAPTURES_MAX ((size_t)1 << 19)
/* Most captures of a page that are tried as originals of a revisit. */
#define CFS_ORIGINALS_MAX 64u

/* One capture: its position in the low 48 bits, flags above them. */
struct cfs_kept_capture {
	int64_t time;
	uint64_t pos_flags;
};

/* As cfs_capture_is_good says. */
#define CFS_KEPT_GOOD (UINT64_C(1) << 48)

static inline bool cfs_kept_is_good(const struct cfs_kept_capture *c)
{
	return (c->pos_flags & CFS_KEPT_GOOD) != 0;
}

/* The captures of one page.  Numbers count from 0, in index order. */
struct cfs_captures {
	uint64_t n;
	cfs_pos first, preferred;	/* valid if n is not 0 */
	uint64_t preferred_number;
	bool is_shown;			/* the page belongs to this part of the
					 * index, not to another */
	unsigned shift;			/* v holds every 2^shift-th capture */
	struct cfs_kept_capture *v;
	size_t n_v, room, max;		/* max: most entries that v may get */
	/* Indexes into v: by position (NULL if v is so sorted itself); by time,
	 * good captures first within a second; by time without revisits.  All
	 * are NULL if v is small or does not hold all captures. */
	uint32_t *by_pos, *by_time, *originals;
	size_t n_originals;
	uint32_t early[CFS_ORIGINALS_MAX];	/* the first that are not
						 * revisits */
	unsigned n_early;
};

/* Makes the cache for a crawl with mem_bytes of memory.  NULL: out of
 * memory. */
struct cfs_lru *cfs_captures_cache_new(uint64_t mem_bytes);

/*
 * Finds all captures of a page that the index shows, whichever part it is in.
 *
 * path  the page; it may be w's, or borrow from any iterator but w->page's
 * out   owned by w; valid until w asks for another page or ends
 *
 * Returns 0, even if there is none (n is 0); CFS_ENOMEM, CFS_EINTR, failures of
 * reading.
 */
int cfs_captures_get(struct cfs_walk *w, const struct cfs_path *path,
		     const struct cfs_captures **out);

/* Releases the captures that w holds. */
void cfs_captures_end(struct cfs_walk *w);

/* The calls below take p, the captures of `path`.  They may have to read the
 * page again through w->page.  They return 0 or a failure of that reading. */

/* The position of capture `number`, which must be less than n. */
int cfs_captures_pos(struct cfs_walk *w, const struct cfs_captures *p,
		     const struct cfs_path *path, uint64_t number,
		     cfs_pos *out);

/* The number of the capture at a position; n if the page has none there. */
int cfs_captures_number(struct cfs_walk *w, const struct cfs_captures *p,
			const struct cfs_path *path, cfs_pos pos,
			uint64_t *out);

/* The capture nearest to a moment, by the rules of cfs_page_nearest; n must not
 * be 0. */
int cfs_captures_nearest(struct cfs_walk *w, const struct cfs_captures *p,
			 const struct cfs_path *path, int64_t moment,
			 cfs_pos *out);

/* The captures of a page that a revisit may refer to. */
struct cfs_capture_query {
	enum {
		CFS_CAPTURES_ORIGINALS,	/* those that are not revisits */
		CFS_CAPTURES_REVISITS,	/* the others; only with a time */
		CFS_CAPTURES_BEFORE,	/* the last original that is not later
					 * than a time */
	} what;
	const int64_t *time;		/* those of one time; NULL: of any */
};

/* Finds the first CFS_ORIGINALS_MAX of them, in index order.  Damaged ones are
 * skipped. */
int cfs_captures_find(struct cfs_walk *w, const struct cfs_path *path,
		      const struct cfs_capture_query *q,
		      cfs_pos out[CFS_ORIGINALS_MAX], unsigned *n);

#endif
