/* page.h - the captures of a page and the names of its files.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_PAGE_H
#define CFS_CRAWL_PAGE_H

#include "names.h"
#include "page_memo.h"
#include "views.h"
#include "walk.h"

/* How a capture is preferred to another: latest 200, else latest, else last
 * in index order (resource and conversion count as 200).  doc/design.md,
 * "Captures of one page". */
struct cfs_choice {
	bool any, is_200;
	int64_t time;
	cfs_pos pos;
};
void cfs_choice_offer(struct cfs_choice *best, const struct cfs_capture *cap,
		      cfs_pos pos);

/* Reads the captures of w->child by w->page.  rank counts up to position
 * `upto` (CFS_POS_NONE: not wanted).  0 or CFS_ENOTFOUND. */
int cfs_page_load(struct cfs_walk *w, cfs_pos upto, struct cfs_page *out);
/* The capture with number n (from 1). */
int cfs_page_nth(struct cfs_walk *w, const struct cfs_page *page, uint64_t n,
		 cfs_pos *out);

/* What decides the names of a page's files. */
struct cfs_page_names {
	char base[CFS_NAME_MAX];
	size_t base_n;
	bool has_dir;			/* a directory has the plain name */
	unsigned clash;			/* bit 1 << view: name taken; for the
					 * .arc.gz form 8 bits further */
};

/* Fills *out for w->child: asks the index for its directory and for the
 * pages and directories that take a view's name. */
int cfs_page_names(struct cfs_walk *w, cfs_view_set views,
		   struct cfs_page_names *out);
/* The name of one file; returns its length. */
size_t cfs_page_file_name(const struct cfs_page_names *names, enum cfs_view view,
			  bool is_arc, uint64_t number,
			  char out[CFS_NAME_MAX + 1]);

#endif
