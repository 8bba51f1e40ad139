/* attr.h - what stat shows of an inode number.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_ATTR_H
#define CFS_FUSE_ATTR_H

#include <sys/stat.h>

#include "fs.h"

/* CFS_ENOTFOUND for a number that is nothing. */
int cfs_attr_fill(struct cfs_fs *fs, uint64_t ino, struct stat *st,
		  const struct cfs_cancel *cancel, struct cfs_error *err);
/* The same where the node of ino is at hand. */
int cfs_attr_fill_node(struct cfs_fs *fs, const struct cfs_node *n,
		       uint64_t ino, struct stat *st,
		       const struct cfs_cancel *cancel, struct cfs_error *err);

/* May the kernel keep it? */
static inline bool cfs_attr_is_lasting(uint64_t ino)
{
	return ino != CFS_INO_STATS;
}

#endif
