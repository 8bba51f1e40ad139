/* attr.h - the attributes that stat(2) shows of an inode number.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_ATTR_H
#define CFS_FUSE_ATTR_H

#include <sys/stat.h>

#include "loads.h"

/* A result besides 0 and errors: the size is an estimate, and must be measured
 * before the kernel gets it.  CFS_ENOTFOUND means that no file has the
 * number. */
#define CFS_ATTR_UNSIZED 1
int cfs_attr_fill(struct cfs_fs *fs, uint64_t ino, struct stat *st,
		  struct cfs_ctx ctx);
/* The same for a caller that has the node of ino at hand. */
int cfs_attr_fill_node(struct cfs_fs *fs, const struct cfs_node *n,
		       uint64_t ino, struct stat *st, struct cfs_ctx ctx);

/* Measures the file l->entry.ino by loading it (cfs_loads_run), puts the
 * size into l->entry and replies with that.  If the record is damaged, the
 * reply still succeeds: the file keeps its estimate for the moment, and
 * cannot be read. */
void cfs_attr_measure(struct cfs_load *l, const struct cfs_cancel *cancel);

#endif
