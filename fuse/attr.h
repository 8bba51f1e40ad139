/* attr.h - what stat shows of an inode number.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_ATTR_H
#define CFS_FUSE_ATTR_H

#include <sys/stat.h>

#include "loads.h"

/* CFS_ENOTFOUND for a number that is nothing; CFS_ATTR_UNSIZED for a file whose
 * size must be measured before the kernel gets it: until then it is an
 * estimate; CFS_ATTR_UNCERTAIN for one that the kernel may be told, and asks
 * for again whenever somebody wants it. */
#define CFS_ATTR_UNSIZED 1
#define CFS_ATTR_UNCERTAIN 2
/* How long the kernel may keep what comes with such a result, in seconds. */
double cfs_attr_secs(const struct cfs_fs *fs, int rc);
int cfs_attr_fill(struct cfs_fs *fs, uint64_t ino, struct stat *st,
		  const struct cfs_cancel *cancel, struct cfs_error *err);
/* The same where the node of ino is at hand. */
int cfs_attr_fill_node(struct cfs_fs *fs, const struct cfs_node *n,
		       uint64_t ino, struct stat *st,
		       const struct cfs_cancel *cancel, struct cfs_error *err);

/* Loads l->entry.ino to measure it, as cfs_loads_run does, puts the size into
 * l->entry and replies with that.  A damaged record is no failure: its file
 * keeps the estimate for the moment, and cannot be read. */
void cfs_attr_measure(struct cfs_load *l, const struct cfs_cancel *cancel);

#endif
