/* ops_attr.h - GETATTR, READLINK, STATFS, GETXATTR, LISTXATTR.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_OPS_ATTR_H
#define CFS_FUSE_OPS_ATTR_H

#include "reply.h"

void cfs_op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void cfs_op_readlink(fuse_req_t req, fuse_ino_t ino);
void cfs_op_statfs(fuse_req_t req, fuse_ino_t ino);
void cfs_op_getxattr(fuse_req_t req, fuse_ino_t ino, const char *name,
		     size_t size);
void cfs_op_listxattr(fuse_req_t req, fuse_ino_t ino, size_t size);

#endif
