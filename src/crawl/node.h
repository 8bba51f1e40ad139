/* node.h - a directory or file of a tree, identified by index positions alone.
 *
 *     file       its own entry + view + source
 *     directory  the first entry below it + its depth in components + source;
 *                in a search, the first hit below it
 *
 * See doc/tree.md, "Positions are identities".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_NODE_H
#define CFS_CRAWL_NODE_H

#include "index/index.h"
#include "view/view.h"

enum cfs_node_type { CFS_NODE_DIR, CFS_NODE_FILE };

struct cfs_node {
	enum cfs_node_type type;
	unsigned source;	/* the caller's number of the crawl, passed
				 * through */
	cfs_pos pos;
	unsigned depth;		/* directories: components; 0 is the root */
	enum cfs_view view;	/* files */
	/* For a file just listed: its decoded entry, borrowed until its name
	 * has been delivered.  NULL: look it up. */
	const struct cfs_capture *cap;
	/* A look-up of the name fails: damage may hide part of it. */
	bool is_unsure;
	/* Directories of a search: the index of its hits (index/hits.h), which
	 * is borrowed, and the number of the first one below, whose position
	 * `pos` then is.  NULL: all is shown. */
	struct cfs_index *hits;
	size_t hit;
	unsigned search;	/* the caller's number of it, passed through */
};

/* The views that a listing shows, as bits 1 << view. */
typedef unsigned cfs_view_set;
#define CFS_VIEWS_DEFAULT \
	(1u << CFS_VIEW_RAW | 1u << CFS_VIEW_META | 1u << CFS_VIEW_TEXT)
#define CFS_VIEWS_ALL \
	(((1u << CFS_VIEW_COUNT) - 1) & \
	 ~(1u << CFS_VIEW_NONE | 1u << CFS_VIEW_URL))

#endif
