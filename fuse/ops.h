/* ops.h - the table of operations that libfuse is given.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_OPS_H
#define CFS_FUSE_OPS_H

struct fuse_lowlevel_ops;

/* Its user data is a struct cfs_fs. */
extern const struct fuse_lowlevel_ops cfs_fs_ops;

#endif
