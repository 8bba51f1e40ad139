/* searching.h - .crawlfs/search/QUERY: the folders of a search.
 *
 * They have inode numbers of their own (ino.h); the files in them are those of
 * the tree.  A query counts as used for each inode of it that the kernel has.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_SEARCHING_H
#define CFS_FUSE_SEARCHING_H

#include "fs.h"

/* A folder of the tree or of a search. */
struct cfs_fs_folder {
	struct cfs_node node;
	struct cfs_search_hits pin;	/* node.hits borrows from it */
};

/* Opens the folder of an inode number; cfs_fs_folder_close ends it in any case.
 * CFS_ENOTFOUND if it is none of a crawl; failures of cfs_searches_get. */
int cfs_fs_folder_open(struct cfs_fs *fs, uint64_t ino,
		       struct cfs_fs_folder *out, struct cfs_ctx ctx);
void cfs_fs_folder_close(struct cfs_fs_folder *f);

/* Is this the folder of a query, in which the sources are? */
bool cfs_searching_is_top(uint64_t ino);

/* The inode number of a query's folder, which is used once more.  is_new: the
 * names that .crawlfs/search lists have changed.  Failures of
 * cfs_searches_enter. */
int cfs_searching_enter(struct cfs_fs *fs, const char *name, uint64_t *out,
			bool *is_new, struct cfs_ctx ctx);

/* The inode number of source i in the folder of a query of several.
 * CFS_ENOTFOUND if nothing was found in it; failures of cfs_searches_get. */
int cfs_searching_source(struct cfs_fs *fs, uint64_t top, unsigned i,
			 uint64_t *out, struct cfs_ctx ctx);

#endif
