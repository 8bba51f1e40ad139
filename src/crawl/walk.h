/* walk.h - scratch of one call about a directory, and the steps of such calls.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_WALK_H
#define CFS_CRAWL_WALK_H

#include "crawl.h"
#include "node.h"
#include "path_iter.h"

struct cfs_captures;

/* Big, so the thread keeps it between calls (thread_scratch.h). */
struct cfs_walk {
	struct cfs_crawl *c;
	const struct cfs_cancel *cancel;
	struct cfs_error *err;
	struct cfs_path dir;		/* of the directory in hand */
	struct cfs_path child;		/* dir and one component more */
	struct cfs_path other;		/* dir and a name that may clash */
	/* Of a piece of an index (index/part.h) only what it holds is shown,
	 * but captures belong to pages, and names depend on each other, as they
	 * do in the whole index. */
	struct cfs_path_iter below; /* entries below dir that are shown */
	struct cfs_path_iter page;  /* entries of a page, all of them */
	struct cfs_path_iter probe; /* questions in between, of the whole */
	/* The captures of the page that was asked for last (captures.h). */
	struct cfs_captures *few;	/* of a page with few; its memory is
					 * used again */
	struct cfs_lru_ref *many;	/* of one with many, pinned; or NULL */
	struct cfs_buf page_name;	/* of the page they are of; empty:
					 * none */
	size_t dir_key_n;
	uint8_t dir_key[CFS_KEY_MAX];	/* dir's components point in here */
	uint8_t comp[CFS_KEY_MAX];	/* child's last component */
};

/* With w->dir filled, if dir is not NULL.  End it in any case.  0; CFS_ENOMEM;
 * as cfs_walk_dir. */
int cfs_walk_begin(struct cfs_walk **out, struct cfs_crawl *c,
		   const struct cfs_node *dir, const struct cfs_cancel *cancel,
		   struct cfs_error *err);
void cfs_walk_end(struct cfs_walk *w);		/* accepts NULL */

/* Fills w->dir.  it: one of w, left at the directory's position, if it is not
 * the root.  CFS_ENOTFOUND if the node names no directory. */
int cfs_walk_dir(struct cfs_walk *w, const struct cfs_node *dir,
		 struct cfs_iter *it);

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

/* The first entry of the whole index below or of a path, by w->probe.  0 or
 * CFS_ENOTFOUND. */
int cfs_walk_find(struct cfs_walk *w, const struct cfs_path *path,
		  enum cfs_below below, cfs_pos *out);
/* The first entry below a directory that is shown, by w->probe and w->page.
 * CFS_ENOTFOUND if there is none, or they are all captures of pages that are in
 * a piece before. */
int cfs_walk_find_shown(struct cfs_walk *w, const struct cfs_path *dir,
			cfs_pos *out);

#endif
