/* reply.h - what every handler of a kernel request needs: its file system, a
 * cancel token, and replies with failures.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_REPLY_H
#define CFS_FUSE_REPLY_H

#define FUSE_USE_VERSION 314
#include <fuse_lowlevel.h>

#include "fs.h"

/* How long the kernel may keep an answer, in seconds: all but estimated sizes
 * is immutable. */
#define CFS_FOREVER 1e9

static inline struct cfs_fs *cfs_fs_of(fuse_req_t req)
{
	return fuse_req_userdata(req);
}

/* State of one request, on the stack of its handler. */
struct cfs_req {
	struct cfs_fs *fs;
	struct cfs_cancel cancel;	/* its timeout runs from
					 * cfs_req_begin */
	struct cfs_deadline until;
	struct cfs_error err;
	bool has_news;			/* .crawlfs/search lists other names */
};
/* Starts the request's timeout, and counts the request. */
void cfs_req_begin(struct cfs_req *r, fuse_req_t req, enum cfs_op op);

/* Replies with a failure of a request for ino, or for `name` in that folder.  A
 * failure that is not the caller's doing goes into the error report. */
void cfs_reply_failure(fuse_req_t req, fuse_ino_t ino, const char *name,
		       int code, const struct cfs_error *err);

/* The same for the bytes of a file that exists in the tree: a missing archive
 * is CFS_EIO, not a missing file. */
static inline void cfs_reply_file_failure(fuse_req_t req, fuse_ino_t ino,
					  int code, const struct cfs_error *err)
{
	cfs_reply_failure(req, ino, NULL,
			  code == CFS_ENOTFOUND ? CFS_EIO : code, err);
}

#endif
