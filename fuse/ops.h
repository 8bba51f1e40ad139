/* ops.h - the functions that answer the kernel's requests, and the threads that
 * receive them.
 *
 * Each answers a kernel request by one library call and one reply.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_OPS_H
#define CFS_FUSE_OPS_H

#include "reply.h"

/* ops_lookup.c */
void cfs_op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name);
void cfs_op_forget(fuse_req_t req, fuse_ino_t ino, uint64_t n);
void cfs_op_forget_multi(fuse_req_t req, size_t count,
			 struct fuse_forget_data *forgets);

/* attr.c */
void cfs_op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void cfs_op_readlink(fuse_req_t req, fuse_ino_t ino);
void cfs_op_statfs(fuse_req_t req, fuse_ino_t ino);

/* ops_xattr.c */
void cfs_op_getxattr(fuse_req_t req, fuse_ino_t ino, const char *name,
		     size_t size);
void cfs_op_listxattr(fuse_req_t req, fuse_ino_t ino, size_t size);

/* ops_dir.c */
void cfs_op_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void cfs_op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		    struct fuse_file_info *fi);
void cfs_op_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size,
			off_t off, struct fuse_file_info *fi);
/* Makes the kernel drop the listings that it keeps without nodes. */
void cfs_dir_take_listings_back(struct cfs_fs *fs);

/* ops_file.c */
void cfs_op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void cfs_op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		 struct fuse_file_info *fi);
void cfs_op_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);

/* request_loop.c */
/*
 * Answers requests until the session ends.
 *
 * threads  the most at a time; at least 1
 * idle     so many may wait for a request: others end
 *
 * Returns 0 or a negative errno: -EPERM if a descriptor that was passed in is
 * not mounted.  Signals are delivered to the calling thread.
 */
int cfs_request_loop_run(struct fuse_session *se, unsigned threads,
			 unsigned idle);

#endif
