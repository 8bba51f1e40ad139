/* ops_file.h - OPEN, READ, RELEASE.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_OPS_FILE_H
#define CFS_FUSE_OPS_FILE_H

#include "reply.h"

void cfs_op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void cfs_op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		 struct fuse_file_info *fi);
void cfs_op_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);

#endif
