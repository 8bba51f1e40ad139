/* captures.h - the captures of one page by number, by position and by time.
 *
 * A page may have more captures than can be read again for each name of one of
 * them.  Those of a page with many are read once and kept in a cache of the
 * crawl, which is bounded in bytes and could be dropped at any time: whatever
 * is found here is what reading the page's entries in order would find.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_CAPTURES_H
#define CFS_CRAWL_CAPTURES_H

#include "walk.h"

/* Of pages of so many entries nothing is kept: reading them again takes no
 * longer than looking for what is kept. */
#define CFS_CAPTURES_FEW 64u
/* Of a page with more than this, or than the cache has room for (28 bytes
 * each), every second capture, or fourth, and so on, is kept by number and
 * position, and none by time. */
#define CFS_CAPTURES_MAX ((size_t)1 << 19)
/* Captures of a page that a revisit may refer to. */
#define CFS_ORIGINALS_MAX 64u

/* One capture: its position in 48 bits, and flags above them. */
struct cfs_kept_capture {
	int64_t time;
	uint64_t pos_flags;
};

/* What is known of a page.  Numbers count its captures from 0 on, in index
 * order. */
struct cfs_captures {
	uint64_t n;
	cfs_pos first, preferred;	/* if n is not 0 */
	uint64_t preferred_number;
	bool is_shown;			/* it is not in another piece of the
					 * index */
	unsigned shift;			/* v has every 2^shift-th capture, */
	struct cfs_kept_capture *v;
	size_t n_v, room, max;		/* max of them at most */
	/* Indexes into v: by position, unless v is; by time, of one second good
	 * captures first; of all but revisits, by time.  NULL: v is small, or
	 * does not have all captures. */
	uint32_t *by_pos, *by_time, *originals;
	size_t n_originals;
	uint32_t early[CFS_ORIGINALS_MAX];	/* the first ones but
						 * revisits */
	unsigned n_early;
};

/* The cache of a crawl that has so many bytes of memory.  NULL: no memory. */
struct cfs_lru *cfs_captures_cache_new(uint64_t mem_bytes);

/*
 * Finds the captures of a page that are shown, of all pieces.
 *
 * path  the page; it may be w's, or borrow from any iterator but w->page's
 * out   w's, until it asks for another page or ends
 *
 * 0, also where there is none (n is 0); CFS_ENOMEM, CFS_EINTR, failures of
 * reading.
 */
int cfs_captures_get(struct cfs_walk *w, const struct cfs_path *path,
		     const struct cfs_captures **out);

/* Lets go of what w has of them. */
void cfs_captures_end(struct cfs_walk *w);

/* The calls below are about p, the captures of `path`, which they may have to
 * read again by w->page.  0, or a failure of that. */

/* The position of a capture; number is less than n. */
int cfs_captures_pos(struct cfs_walk *w, const struct cfs_captures *p,
		     const struct cfs_path *path, uint64_t number,
		     cfs_pos *out);

/* The number of the capture at a position; n if that is none of them. */
int cfs_captures_number(struct cfs_walk *w, const struct cfs_captures *p,
			const struct cfs_path *path, cfs_pos pos,
			uint64_t *out);

/* The capture nearest to a moment, as cfs_page_nearest has it; n is not 0. */
int cfs_captures_nearest(struct cfs_walk *w, const struct cfs_captures *p,
			 const struct cfs_path *path, int64_t moment,
			 cfs_pos *out);

/* The first CFS_ORIGINALS_MAX captures of a page that are no revisits, in index
 * order: of one time, or (NULL) of any.  Damaged ones are passed over. */
int cfs_captures_originals(struct cfs_walk *w, const struct cfs_path *path,
			   const int64_t *time, cfs_pos out[CFS_ORIGINALS_MAX],
			   unsigned *n);

#endif
