/* ino.h - nodes as inode numbers.
 *
 *     bits 0-47 position, 48-57 depth or view, 58 directory, 59-63 source
 *
 * so there is no inode table.  The root of a source, which has no first entry
 * while it is empty, is depth 0: it gets a number of its own (fs.h), as the
 * control files do, below every node's.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_INO_H
#define CFS_FUSE_INO_H

#include "crawl/node.h"

/* Sources mounted side by side: five bits. */
#define CFS_SOURCES_MAX 32u

uint64_t cfs_ino_of(const struct cfs_node *n);
/* False for a number that no node can have. */
bool cfs_ino_node(uint64_t ino, struct cfs_node *out);

#endif
