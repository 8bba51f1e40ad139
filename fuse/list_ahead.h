/* list_ahead.h - parts of listings that were made before the kernel asks.
 *
 * A long listing is a chain of requests: the kernel asks for a part, waits for
 * it, and gives the reader what is in it, before it asks for the next one.  So
 * that the server works meanwhile, it makes the next part once it has replied
 * (fuse/ops_dir.c).  A part that nobody asks for is forgotten.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_LIST_AHEAD_H
#define CFS_FUSE_LIST_AHEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "dirents.h"
#include "index/index.h"

/* A part of a listing. */
struct cfs_list_part {
	/* the request */
	uint64_t folder;
	int64_t off;			/* the position behind the last part */
	bool has_nodes;			/* for files too */

	/* the answer */
	struct cfs_dirents out;
	int64_t next;			/* the position behind it */
	bool is_full;			/* a name did not fit */
	bool is_bare;			/* some file has no node */
	uint64_t subfolders;		/* with nodes, in all parts so far */
	bool has_pages;
	cfs_pos first, last;		/* its pages, */
	unsigned source;		/* of this source */
};

struct cfs_list_ahead;			/* threads share it */

struct cfs_list_ahead *cfs_list_ahead_new(void);	/* NULL: no memory */
void cfs_list_ahead_free(struct cfs_list_ahead *l);	/* accepts NULL */

/* Keeps a part, whose out.buf was allocated by malloc() and is taken over. */
void cfs_list_ahead_put(struct cfs_list_ahead *l,
			const struct cfs_list_part *part);

/* Fills in p, whose folder, off, has_nodes, out.size and out.plus say what is
 * asked for, from a part that was kept; the caller then owns out.buf.  False:
 * there is none. */
bool cfs_list_ahead_take(struct cfs_list_ahead *l, struct cfs_list_part *p);

#endif
