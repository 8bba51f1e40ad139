/* ops.h - the table of operations that libfuse is given.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_OPS_H
#define CFS_FUSE_OPS_H

struct fuse_lowlevel_ops;
struct fuse_session;

/* Its user data is a struct cfs_fs. */
extern const struct fuse_lowlevel_ops cfs_fs_ops;

/* Once the session is mounted.  0 or CFS_EIO. */
int cfs_ops_attach(struct fuse_session *se);

#endif
