/* list_max.h - how large a folder is, about, and the limit of what listing one
 * may fetch of an index on a server.
 *
 * Listing `com` of one of Common Crawl's crawls needs nearly all blocks of its
 * index, 150 GB.  So a listing counts the blocks that it needs, whether they
 * are cached or not: the same folder always ends at the same name.  What was
 * needed up to a cookie is remembered by the crawl; a listing whose cookie was
 * forgotten counts from 0 again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_LIST_MAX_H
#define CFS_CRAWL_LIST_MAX_H

#include "crawl.h"
#include "node.h"

#define CFS_LIST_MAX_DEFAULT (UINT64_C(1) << 30)

/* The table of what listings have needed.  NULL: out of memory. */
struct cfs_memo *cfs_list_needs_new(void);

/* About what a folder has: blocks of the index, their bytes, and names in the
 * folder itself.  names 0: not known. */
struct cfs_folder_size {
	uint64_t blocks, bytes, names;
};

/* Estimates the size of a folder: blocks and bytes by what leads to the blocks
 * of the index (a cluster.idx), names by a few blocks, if there are more than
 * those.  0; CFS_ENOTFOUND if the node is no folder; failures to read. */
int cfs_folder_size(struct cfs_crawl *c, const struct cfs_node *dir,
		    struct cfs_folder_size *out, struct cfs_ctx ctx);

#define CFS_LIST_MAX_SEEN 16u
/* The needs of one call of a listing. */
struct cfs_list_need {
	struct cfs_crawl *c;
	const struct cfs_node *dir;
	uint64_t bytes;			/* in all calls so far */
	bool is_unlimited;
	/* Blocks counted last, each in the slot of its number, plus 1. */
	uint64_t seen[CFS_LIST_MAX_SEEN];
};

/* Begins with what is remembered of `cookie`.  dir is borrowed. */
void cfs_list_need_begin(struct cfs_list_need *n, struct cfs_crawl *c,
			 const struct cfs_node *dir, uint64_t cookie);
/* Counts the block of a position that the listing has reached.  CFS_ETOOLARGE,
 * with a sentence, if the next one might be beyond the limit; failures of
 * cfs_folder_size. */
int cfs_list_need_block(struct cfs_list_need *n, cfs_pos pos,
			struct cfs_ctx ctx);
/* Remembers what was needed up to a cookie. */
void cfs_list_need_end(const struct cfs_list_need *n, uint64_t cookie);

#endif
