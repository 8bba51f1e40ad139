/* ops.c - the table of operations: which function answers which request, and
 * what is agreed with the kernel at first.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ops.h"

#include "handlers.h"

static void op_init(void *userdata, struct fuse_conn_info *conn)
{
	/* READDIRPLUS always: what a reply has nodes for is decided by
	 * ops_dir.c, which knows more than the kernel does when it chooses. */
	const unsigned off = FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE |
			     FUSE_CAP_SPLICE_MOVE | FUSE_CAP_AUTO_INVAL_DATA |
			     FUSE_CAP_READDIRPLUS_AUTO;
	const unsigned on = FUSE_CAP_READDIRPLUS |
			    FUSE_CAP_PARALLEL_DIROPS | FUSE_CAP_ASYNC_READ |
			    FUSE_CAP_EXPLICIT_INVAL_DATA |
			    FUSE_CAP_EXPORT_SUPPORT | FUSE_CAP_CACHE_SYMLINKS;

	((struct cfs_fs *)userdata)->can_skip_opendir =
		(conn->capable & FUSE_CAP_NO_OPENDIR_SUPPORT) != 0;
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
	.readlink = cfs_op_readlink,
	.open = cfs_op_open,
	.read = cfs_op_read,
	.release = cfs_op_release,
	.opendir = cfs_op_opendir,
	.readdir = cfs_op_readdir,
	.readdirplus = cfs_op_readdirplus,
	.statfs = cfs_op_statfs,
	.getxattr = cfs_op_getxattr,
	.listxattr = cfs_op_listxattr,
};
