/* walk.h - scratch memory and common steps of calls about a directory.
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
	struct cfs_ctx ctx;
	struct cfs_path dir;		/* the directory in hand */
	struct cfs_path child;		/* dir and one component more */
	struct cfs_path other;		/* dir and a name that may clash */
	/* Where the index is a part (index/part.h), only what it holds is
	 * shown; but captures and names are determined from the whole index. */
	struct cfs_path_iter below; /* shown entries below dir */
	struct cfs_path_iter page;  /* all entries of a page */
	struct cfs_path_iter probe; /* for queries in between, on the whole
				     * index */
	/* The captures of the page asked for last (captures.h): */
	struct cfs_captures *few;	/* if they are few; the memory is
					 * reused */
	struct cfs_lru_ref *many;	/* if they are many: pinned; or NULL */
	struct cfs_buf page_name;	/* that page's name; empty: none */
	struct cfs_buf asked_name;	/* scratch */
	size_t dir_key_n;
	uint8_t dir_key[CFS_KEY_MAX];	/* dir's components point into this */
	uint8_t comp[CFS_KEY_MAX];	/* child's last component */
};

/* Makes a walk; fills w->dir if dir is not NULL.  End it in any case.  0;
 * CFS_ENOMEM; failures of cfs_walk_dir. */
int cfs_walk_begin(struct cfs_walk **out, struct cfs_crawl *c,
		   const struct cfs_node *dir, struct cfs_ctx ctx);
void cfs_walk_end(struct cfs_walk *w);		/* accepts NULL */

/* Fills w->dir.  `it`, one of w's iterators, is left at the directory's
 * position, unless dir is the root.  CFS_ENOTFOUND if the node names no
 * directory. */
int cfs_walk_dir(struct cfs_walk *w, const struct cfs_node *dir,
		 struct cfs_iter *it);

/* Fills w->dir with the first `depth` components of a key, which is copied.
 * CFS_ENOTFOUND if the key is not one of the tree, or has no more. */
int cfs_walk_dir_of(struct cfs_walk *w, struct cfs_slice key, unsigned depth);

/* Appends the path of w->dir by the names that listings show.  Returns
 * out->failed. */
int cfs_walk_add_path(const struct cfs_walk *w, struct cfs_buf *out);

/* From now on w remembers where its iterators have seen that there are no
 * entries, and looks for none there (path_iter.h).  The caller must not move
 * the iterators of w itself. */
void cfs_walk_keep_gaps(struct cfs_walk *w);

/* True if w, which keeps gaps and has just asked for the captures of a page,
 * has seen that no other entry's key begins with `key`, the page's.  Then
 * nothing lies below the page, or has a name that begins with its last
 * component. */
bool cfs_walk_is_apart(const struct cfs_walk *w, struct cfs_slice key);

/* True if names in w->dir are host labels (or `_`). */
static inline bool cfs_walk_in_host(const struct cfs_walk *w)
{
	return w->dir.n == w->dir.host_n;
}

/* Sets out to w->dir and one more component, all borrowed; is_marker: it is the
 * `_` between host labels and path. */
void cfs_walk_extend(const struct cfs_walk *w, struct cfs_slice comp,
		     bool is_marker, struct cfs_path *out);
/* Sets w->child to w->dir and a copy of comp.  CFS_ELIMIT if it is too long. */
int cfs_walk_child(struct cfs_walk *w, struct cfs_slice comp, bool is_marker);
/* The same with the next component of an entry below w->dir. */
int cfs_walk_child_of(struct cfs_walk *w, const struct cfs_path *entry);

/* Sets w->child to the directory of the pages of an entry's host, below w->dir,
 * which is one of host labels.  CFS_ELIMIT if there are too many. */
int cfs_walk_host_of(struct cfs_walk *w, const struct cfs_path *entry);

/* Finds the first entry of a path or below it in the whole index, through
 * w->probe.  If damage hides the beginning of a directory, that is the first
 * one which can be read.  0 or CFS_ENOTFOUND. */
int cfs_walk_find(struct cfs_walk *w, const struct cfs_path *path,
		  enum cfs_below below, cfs_pos *out);
/* Finds the first shown entry below a directory, through w->probe and w->page.
 * CFS_ENOTFOUND if there is none, or all are captures of pages that an earlier
 * part has. */
int cfs_walk_find_shown(struct cfs_walk *w, const struct cfs_path *dir,
			cfs_pos *out);

#endif
