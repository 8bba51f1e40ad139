/* tree_internal.h - what tree.c, list.c and page.c share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_TREE_INTERNAL_H
#define CFS_CRAWL_TREE_INTERNAL_H

#include "run.h"
#include "tree.h"

/* Scratch of one call: big, so it is kept by the thread between calls. */
struct cfs_walk {
	struct cfs_crawl *c;
	const struct cfs_cancel *cancel;
	struct cfs_error *err;
	struct cfs_path dir;		/* of the directory in hand */
	struct cfs_path child;		/* dir and one component more */
	struct cfs_path other;		/* dir and a name that may clash */
	struct cfs_run below;		/* entries below dir */
	struct cfs_run page;		/* entries of a page */
	struct cfs_run probe;		/* questions in between */
	size_t dir_key_n;
	uint8_t dir_key[CFS_KEY_MAX];	/* dir's components point in here */
	uint8_t comp[CFS_KEY_MAX];	/* child's last component */
};

/* NULL when out of memory (err says so). */
struct cfs_walk *cfs_walk_begin(struct cfs_crawl *c,
				const struct cfs_cancel *cancel,
				struct cfs_error *err);
void cfs_walk_end(struct cfs_walk *w);

/* Fills w->dir.  CFS_ENOTFOUND if the node names no directory. */
int cfs_walk_dir(struct cfs_walk *w, const struct cfs_node *dir);

/* Names in w->dir are host labels (and `_`). */
static inline bool cfs_walk_in_host(const struct cfs_walk *w)
{
	return w->dir.n == w->dir.host_n;
}

/* out = w->dir and one more component, borrowed; is_marker: the `_` between
 * host labels and path. */
void cfs_walk_extend(const struct cfs_walk *w, struct cfs_slice comp,
		     bool is_marker, struct cfs_path *out);
/* w->child = w->dir + a copy of comp.  CFS_ELIMIT if it is too long. */
int cfs_walk_child(struct cfs_walk *w, struct cfs_slice comp, bool is_marker);
/* The same from an entry below w->dir. */
int cfs_walk_child_of(struct cfs_walk *w, const struct cfs_path *entry);

/* The first entry below or of a path, by w->probe.  0 or CFS_ENOTFOUND. */
int cfs_walk_find(struct cfs_walk *w, const struct cfs_path *path,
		  enum cfs_below below, cfs_pos *out);

/* A page: its captures, and which of them has the plain name. */
struct cfs_page {
	cfs_pos first, preferred;
	uint64_t captures;
	uint64_t rank;		/* captures before `upto` that are not preferred */
};

/* How a capture is preferred to another: latest 200, else latest, else last
 * in index order (DESIGN section 2; resource and conversion count as 200). */
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

/* Pages of more captures than this are worth a memo. */
#define CFS_PAGE_MEMO_MIN 64u
/* Memo of huge pages, so that resuming inside one does not count again. */
bool cfs_pages_recall(struct cfs_pages *p, cfs_pos at, struct cfs_page *out);
void cfs_pages_note(struct cfs_pages *p, cfs_pos at, const struct cfs_page *page);

#endif
