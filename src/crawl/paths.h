/* paths.h - the paths of captures' files in the tree, for captures that come in
 * index order.
 *
 * The path of one file is found by cfs_tree_path (tree.h), which reads the page
 * and its neighbours.  For the captures of a whole crawl that would read every
 * entry of the index several times: here what is known of a page and of its
 * directory serves for the next capture, and reading a page shows where the
 * next one begins.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_PATHS_H
#define CFS_CRAWL_PATHS_H

#include "crawl.h"
#include "node.h"

/* Used by one thread. */
struct cfs_paths;

/* Begins; `views` are those whose paths will be asked for: all must be plain
 * (cfs_view_is_plain).  End it in any case.  0 or CFS_ENOMEM. */
int cfs_paths_begin(struct cfs_paths **out, struct cfs_crawl *c,
		    cfs_view_set views, struct cfs_ctx ctx);
void cfs_paths_end(struct cfs_paths *p);	/* accepts NULL */

/* Finds the page of a capture that the tree has.  Captures may come in any
 * order, but are found quickly in that of the index.  0; CFS_ENOTFOUND if such
 * a key is not in the tree; failures of reading. */
int cfs_paths_find(struct cfs_paths *p, const struct cfs_iter *it);

/* Appends the path of a view of the capture that was found last: the same as
 * that of cfs_tree_path.  Returns out->failed. */
int cfs_paths_add(const struct cfs_paths *p, enum cfs_view view,
		  struct cfs_buf *out);

#endif
