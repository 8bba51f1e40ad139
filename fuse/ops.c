/* ops.c - the table of operations, and those too small for a file of their own.
 *
 * One kernel request, one library call, one reply.  Everything but a guessed
 * size is immutable, so the kernel may keep it for ever.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <errno.h>
#include <string.h>

#include "ops_internal.h"
#include "base/log.h"
#include "xattrs.h"

struct cfs_fs *cfs_fs_of(fuse_req_t req)
{
	return fuse_req_userdata(req);
}

static bool is_interrupted(void *req)
{
	/* What the kernel reads ahead on its own is not interrupted with the
	 * reader; it must not hold up the end of the mount. */
	return fuse_req_interrupted(req) != 0 ||
	       fuse_session_exited(cfs_fs_of(req)->session) != 0;
}

const struct cfs_cancel *cfs_req_begin(struct cfs_req_cancel *c,
				       fuse_req_t req)
{
	unsigned timeout_ms = cfs_fs_of(req)->timeout_ms;

	c->cancel = (struct cfs_cancel){ .asked = is_interrupted, .arg = req };
	if (timeout_ms > 0) {
		cfs_deadline_set(&c->until, timeout_ms);
		c->cancel.until = &c->until;
	}
	return &c->cancel;
}

int cfs_errno(int code)
{
	switch (code) {
	case CFS_OK: return 0;
	case CFS_END: return ENOENT;
	case CFS_ENOTFOUND: return ENOENT;
	case CFS_ENOMEM: return ENOMEM;
	case CFS_ETIMEOUT: return ETIMEDOUT;
	case CFS_EINTR: return EINTR;
	case CFS_EUSAGE: return EINVAL;
	default: return EIO;		/* also what a server refuses: whoever
					 * reads here may do so */
	}
}

void cfs_reply_failure(fuse_req_t req, int code, const struct cfs_error *err)
{
	if (code != CFS_ENOTFOUND && code != CFS_END && code != CFS_EINTR) {
		CFS_COUNT(cfs_fs_of(req), CFS_OP_ERRORS, 1);
		if (err->code != CFS_OK)
			cfs_log_error(CFS_LOG_ERROR, err);
	}
	fuse_reply_err(req, cfs_errno(code));
}

static void op_statfs(fuse_req_t req, fuse_ino_t ino)
{
	struct cfs_fs *fs = cfs_fs_of(req);
	struct statvfs st = { .f_bsize = 4096, .f_frsize = 4096,
			      .f_namemax = CFS_NAME_MAX, .f_flag = ST_RDONLY };

	(void)ino;
	for (unsigned i = 0; i < fs->n_crawls; i++) {
		struct cfs_index_stats stats;

		cfs_index_get_stats(fs->crawls[i]->index, &stats);
		st.f_files += stats.captures;
		st.f_blocks += fs->crawls[i]->index->src->size / 4096;
	}
	fuse_reply_statfs(req, &st);
}

/* What getxattr(2) and listxattr(2) do with room for `size` bytes. */
static void reply_xattr(fuse_req_t req, int rc, struct cfs_slice value,
			size_t size, const struct cfs_error *err)
{
	if (rc == CFS_ENOTFOUND)
		fuse_reply_err(req, ENODATA);
	else if (rc != CFS_OK)
		cfs_reply_failure(req, rc, err);
	else if (size == 0)
		fuse_reply_xattr(req, value.n);
	else if (size < value.n)
		fuse_reply_err(req, ERANGE);
	else
		fuse_reply_buf(req, (const char *)value.p, value.n);
}

static void op_getxattr(fuse_req_t req, fuse_ino_t ino, const char *name,
			size_t size)
{
	struct cfs_fs *fs = cfs_fs_of(req);
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_req_cancel c;
	struct cfs_node n;
	struct cfs_buf value;
	int rc;

	CFS_COUNT(fs, CFS_OP_XATTR, 1);
	if (!fs->opts.xattr) {
		fuse_reply_err(req, ENOSYS);
		return;
	}
	cfs_buf_init(&value, 1 << 16);
	rc = cfs_fs_node(fs, ino, &n) && n.type == CFS_NODE_FILE
		     ? cfs_xattr_get(fs, &n, name, &value,
				     cfs_req_begin(&c, req), &err)
		     : CFS_ENOTFOUND;
	reply_xattr(req, rc, cfs_buf_slice(&value), size, &err);
	cfs_buf_release(&value);
}

static void op_listxattr(fuse_req_t req, fuse_ino_t ino, size_t size)
{
	struct cfs_fs *fs = cfs_fs_of(req);
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_req_cancel c;
	struct cfs_buf names;
	struct cfs_node n;
	int rc = CFS_OK;

	CFS_COUNT(fs, CFS_OP_XATTR, 1);
	if (!fs->opts.xattr) {
		fuse_reply_err(req, ENOSYS);
		return;
	}
	cfs_buf_init(&names, 1 << 12);
	if (cfs_fs_node(fs, ino, &n) && n.type == CFS_NODE_FILE)
		rc = cfs_xattr_list(fs, &n, &names, cfs_req_begin(&c, req),
				    &err);
	reply_xattr(req, rc, cfs_buf_slice(&names), size, &err);
	cfs_buf_release(&names);
}

/* There is one link, from a `www` that an index leaves out to `.`. */
static void op_readlink(fuse_req_t req, fuse_ino_t ino)
{
	if (ino == CFS_INO_WWW)
		fuse_reply_readlink(req, ".");
	else
		fuse_reply_err(req, EINVAL);
}

static void op_init(void *userdata, struct fuse_conn_info *conn)
{
	const unsigned off = FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE |
			     FUSE_CAP_SPLICE_MOVE | FUSE_CAP_AUTO_INVAL_DATA;
	const unsigned on = FUSE_CAP_READDIRPLUS | FUSE_CAP_READDIRPLUS_AUTO |
			    FUSE_CAP_PARALLEL_DIROPS | FUSE_CAP_ASYNC_READ |
			    FUSE_CAP_EXPLICIT_INVAL_DATA |
			    FUSE_CAP_EXPORT_SUPPORT | FUSE_CAP_CACHE_SYMLINKS;

	(void)userdata;
	conn->want = (conn->want & ~off) | (conn->capable & on);
	conn->max_background = 64;
	conn->congestion_threshold = 48;
}

const struct fuse_lowlevel_ops cfs_fs_ops = {
	.init = op_init,
	.lookup = cfs_op_lookup,
	.forget = cfs_op_forget,
	.forget_multi = cfs_op_forget_multi,
	.getattr = cfs_op_getattr,
	.readlink = op_readlink,
	.open = cfs_op_open,
	.read = cfs_op_read,
	.release = cfs_op_release,
	.opendir = cfs_op_opendir,
	.readdir = cfs_op_readdir,
	.readdirplus = cfs_op_readdirplus,
	.statfs = op_statfs,
	.getxattr = op_getxattr,
	.listxattr = op_listxattr,
};
