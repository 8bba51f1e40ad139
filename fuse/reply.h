/* reply.h - what every handler of a kernel request needs: the file system it
 * is for, a token that ends it, and replies with failures.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_REPLY_H
#define CFS_FUSE_REPLY_H

#define FUSE_USE_VERSION 314
#include <fuse_lowlevel.h>

#include "fs.h"

/* Seconds.  All but a guessed size is immutable: the kernel may keep it. */
#define CFS_FOREVER 1e9

static inline struct cfs_fs *cfs_fs_of(fuse_req_t req)
{
	return fuse_req_userdata(req);
}

/* A request, on the stack of its handler, with what all that is done for it
 * needs. */
struct cfs_req {
	struct cfs_fs *fs;
	struct cfs_cancel cancel;	/* its time runs from cfs_req_begin */
	struct cfs_deadline until;
	struct cfs_error err;
};
/* Counts the request, too. */
void cfs_req_begin(struct cfs_req *r, fuse_req_t req, enum cfs_op op);

/* Replies with a failure of a request for ino, or for `name` in it; what is not
 * the caller's doing is noted. */
void cfs_reply_failure(fuse_req_t req, fuse_ino_t ino, const char *name,
		       int code, const struct cfs_error *err);

/* The same about the bytes of a file whose name is there: an archive that is
 * missing does not make it a missing file. */
static inline void cfs_reply_file_failure(fuse_req_t req, fuse_ino_t ino,
					  int code,
					  const struct cfs_error *err)
{
	cfs_reply_failure(req, ino, NULL,
			  code == CFS_ENOTFOUND ? CFS_EIO : code, err);
}

#endif
