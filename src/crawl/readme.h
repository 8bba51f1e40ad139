/* readme.h - the file .crawlfs/README.md of a mount: what the tree is, and how
 * to search it, for a reader who has seen nothing else.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_README_H
#define CFS_CRAWL_README_H

extern const char cfs_tree_readme[];

#endif
