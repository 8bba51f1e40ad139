/* ops_dir.h - OPENDIR, READDIR, READDIRPLUS.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_OPS_DIR_H
#define CFS_FUSE_OPS_DIR_H

#include "reply.h"

void cfs_op_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void cfs_op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		    struct fuse_file_info *fi);
void cfs_op_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size,
			off_t off, struct fuse_file_info *fi);

#endif
