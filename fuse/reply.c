/* reply.c - cancel tokens of requests, and the one table from library codes to
 * errno.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "reply.h"

#include <errno.h>

#include "error_report.h"

static bool is_interrupted(void *req)
{
	/* The kernel's own readahead is not interrupted with the reader, but
	 * must not delay the end of the mount. */
	return fuse_req_interrupted(req) != 0 ||
	       fuse_session_exited(cfs_fs_of(req)->session) != 0;
}

void cfs_req_begin(struct cfs_req *r, fuse_req_t req, enum cfs_op op)
{
	r->fs = cfs_fs_of(req);
	r->cancel = (struct cfs_cancel){ .asked = is_interrupted, .arg = req };
	if (r->fs->timeout_ms > 0) {
		cfs_deadline_set(&r->until, r->fs->timeout_ms);
		r->cancel.until = &r->until;
	}
	cfs_error_clear(&r->err);
	r->has_news = false;
	CFS_COUNT(r->fs, op, 1);
}

static int errno_of(int code)
{
	switch (code) {
	case CFS_OK: return 0;
	case CFS_END: return ENOENT;
	case CFS_ENOTFOUND: return ENOENT;
	case CFS_ENOMEM: return ENOMEM;
	case CFS_ETIMEOUT: return ETIMEDOUT;
	case CFS_EINTR: return EINTR;
	case CFS_EUSAGE: return EINVAL;
	case CFS_ENOWORDS: return ENODATA;
	case CFS_ETOOLARGE: return EFBIG;
	default: return EIO;		/* also for a server's refusal:
					 * the reader of the mount does
					 * have permission */
	}
}

void cfs_reply_failure(fuse_req_t req, fuse_ino_t ino, const char *name,
		       int code, const struct cfs_error *err)
{
	if (code != CFS_ENOTFOUND && code != CFS_END && code != CFS_EINTR) {
		struct cfs_fs *fs = cfs_fs_of(req);

		CFS_COUNT(fs, CFS_OP_ERRORS, 1);
		cfs_error_report_note(fs, ino, name, code, err);
	}
	fuse_reply_err(req, errno_of(code));
}
