/* fs.c - finds the node of an inode number in the sources of a file system.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fs.h"

#include "crawl/tree.h"

/* ---- nodes ------------------------------------------------------------ */

bool cfs_fs_node(const struct cfs_fs *fs, uint64_t ino, struct cfs_node *out)
{
	if (ino == CFS_INO_ROOT && fs->n_crawls == 1) {
		*out = cfs_tree_root(0);
		return true;
	}
	if (fs->n_crawls > 1 && ino >= CFS_INO_SOURCES &&
	    ino < CFS_INO_SOURCES + fs->n_crawls) {
		*out = cfs_tree_root((unsigned)ino - CFS_INO_SOURCES);
		return true;
	}
	return cfs_ino_node(ino, out) && out->source < fs->n_crawls;
}

uint64_t cfs_fs_ino(const struct cfs_fs *fs, const struct cfs_node *n)
{
	if (n->type == CFS_NODE_DIR && n->hits != NULL)
		return cfs_ino_of_search(n);
	if (n->type == CFS_NODE_DIR && n->depth == 0)
		return fs->n_crawls == 1 ? CFS_INO_ROOT
					 : CFS_INO_SOURCES + n->source;
	return cfs_ino_of(n);
}
