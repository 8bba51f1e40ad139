/* page.h - finds the captures of a page and the names of its files.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_PAGE_H
#define CFS_CRAWL_PAGE_H

#include "names.h"
#include "walk.h"

/* The preferred capture of a page so far: latest 200, else latest, else last in
 * index order (resource and conversion count as 200).  doc/tree.md, "Captures
 * of one page". */
struct cfs_choice {
	bool any, is_200;
	int64_t time;
	cfs_pos pos;
};
bool cfs_capture_is_good(const struct cfs_capture *cap);
void cfs_choice_offer(struct cfs_choice *best, const struct cfs_capture *cap,
		      cfs_pos pos);

/* A page: its captures, and which of them has the plain name. */
struct cfs_page {
	cfs_pos first, preferred;
	bool is_shown;		/* it belongs to this part of the index */
	uint64_t captures;
	uint64_t rank;		/* non-preferred captures before `upto` */
};

/* Finds the captures of w->child through w->page.  rank counts those before
 * position `upto` (CFS_POS_NONE: do not count).  0 or CFS_ENOTFOUND. */
int cfs_page_load(struct cfs_walk *w, cfs_pos upto, struct cfs_page *out);
/* Finds the capture of w->child whose number in names is n (from 1). */
int cfs_page_nth(struct cfs_walk *w, uint64_t n, cfs_pos *out);

/* Finds the capture nearest to a moment, in seconds.  Of two equally near the
 * earlier one wins; within a second a good one, then the first in the index.
 * One of unknown time is taken only if there is no other.  0; CFS_ENOTFOUND as
 * in cfs_page_load. */
int cfs_page_nearest(struct cfs_walk *w, int64_t moment, cfs_pos *out);

/* All that decides the names of a page's files. */
struct cfs_page_names {
	char base[CFS_NAME_MAX];
	size_t base_n;
	bool has_dir;			/* a directory has the plain name */
	unsigned clash;			/* bit 1 << number of a suffix: that
					 * view's plain name is taken */
};

/* Fills *out for w->child: asks the index for a directory of that name, and for
 * pages and directories that take a view's name. */
int cfs_page_names(struct cfs_walk *w, cfs_view_set views,
		   struct cfs_page_names *out);
/* The same where nothing lies below w->child, and no name beside it begins with
 * its last component, which cfs_walk_is_apart tells. */
int cfs_page_names_apart(struct cfs_walk *w, cfs_view_set views,
			 struct cfs_page_names *out);
/* Writes the name of one file, which has that suffix; returns its length. */
size_t cfs_page_file_name(const struct cfs_page_names *names,
			  const struct cfs_suffix *suffix, uint64_t number,
			  char out[CFS_NAME_MAX + 1]);

#endif
