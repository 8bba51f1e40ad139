/* ops_internal.h - what the files of FUSE operations share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_OPS_INTERNAL_H
#define CFS_FUSE_OPS_INTERNAL_H

#define FUSE_USE_VERSION 314
#include <fuse_lowlevel.h>

#include "fs.h"

#define CFS_FOREVER 1e9		/* seconds */

#define CFS_COUNT(fs, op, n) \
	atomic_fetch_add_explicit(&(fs)->ops[op], (n), memory_order_relaxed)

/* A request's cancel token, on the stack of its handler: for all that is done
 * for the request, since its time runs from here. */
struct cfs_req_cancel {
	struct cfs_cancel cancel;
	struct cfs_deadline until;
};
const struct cfs_cancel *cfs_req_begin(struct cfs_req_cancel *c,
				       fuse_req_t req);

struct cfs_fs *cfs_fs_of(fuse_req_t req);

/* Replies with a failure; what is not the caller's doing is logged. */
void cfs_reply_failure(fuse_req_t req, int code, const struct cfs_error *err);

/* attr.c: inode numbers.  The top is the root of several sources. */
bool cfs_fs_is_top(const struct cfs_fs *fs, fuse_ino_t ino);
/* False for control files, the top of several sources, and nonsense. */
bool cfs_fs_node(const struct cfs_fs *fs, fuse_ino_t ino, struct cfs_node *out);
fuse_ino_t cfs_fs_ino(const struct cfs_fs *fs, const struct cfs_node *n);

/* attr.c: what stat shows. */
int cfs_fs_fill_attr(struct cfs_fs *fs, fuse_ino_t ino, struct stat *st,
		     const struct cfs_cancel *cancel, struct cfs_error *err);
int cfs_fs_fill_node(struct cfs_fs *fs, const struct cfs_node *n,
		     fuse_ino_t ino, struct stat *st,
		     const struct cfs_cancel *cancel, struct cfs_error *err);
double cfs_attr_timeout(fuse_ino_t ino);

/* ops_dir.c: processes that look up files get attributes in listings. */
void cfs_note_statter(struct cfs_fs *fs, pid_t pid);
bool cfs_is_statter(struct cfs_fs *fs, pid_t pid);

/* The operations. */
void cfs_op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void cfs_op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name);
void cfs_op_forget(fuse_req_t req, fuse_ino_t ino, uint64_t n);
void cfs_op_forget_multi(fuse_req_t req, size_t count,
			 struct fuse_forget_data *forgets);
void cfs_op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void cfs_op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		 struct fuse_file_info *fi);
void cfs_op_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void cfs_op_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void cfs_op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		    struct fuse_file_info *fi);
void cfs_op_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size,
			off_t off, struct fuse_file_info *fi);

#endif
