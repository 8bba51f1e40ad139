/* ino.h - nodes of a tree as numbers, by which files in use are known, and
 * which a mount shows as inode numbers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_INO_H
#define CFS_CRAWL_INO_H

#include "node.h"

/* Most sources side by side: a number has five bits for the source. */
#define CFS_SOURCES_MAX 32u

/*
 * Numbers of nodes:
 *
 *     bits 0-47 position, 48-57 depth or view, 58 directory, 59-63 source
 *
 * so a mount has no inode table.  The root of a source has no first entry if
 * the source is empty; it would be depth 0, and a mount gives it a number below
 * every node's.
 */
uint64_t cfs_ino_of(const struct cfs_node *n);
/* False for a number that no node can have. */
bool cfs_ino_node(uint64_t ino, struct cfs_node *out);

/*
 * Numbers of folders of a search, whose files have those of the tree:
 *
 *     bits 0-27 first hit, 28-42 number of the query, 43-52 depth, 53 set,
 *     54-58 not, 59-63 source
 *
 * Of several sources the folder of the query itself, where their folders are,
 * has the hit CFS_INO_SEARCH_TOP and depth 0.
 */
#define CFS_INO_SEARCH_TOP ((UINT64_C(1) << 28) - 1)
uint64_t cfs_ino_of_search(const struct cfs_node *n);
/* Gets depth, source, and numbers of hit and query.  False for any other
 * number. */
bool cfs_ino_search(uint64_t ino, struct cfs_node *out);

/* Every node's number is at least this, as a node's level is never 0. */
#define CFS_INO_NODES (UINT64_C(1) << 48)

#endif
