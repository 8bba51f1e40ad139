/* session.c - answers INIT: agrees with the kernel on features.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "session.h"

#include <linux/fuse.h>
#include <sys/uio.h>
#include <unistd.h>

#include "ops.h"

static void op_init(void *userdata, struct fuse_conn_info *conn)
{
	/* READDIRPLUS always: ops_dir.c decides which names get nodes, and
	 * knows more than the kernel would. */
	const unsigned off = FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE |
			     FUSE_CAP_SPLICE_MOVE | FUSE_CAP_AUTO_INVAL_DATA |
			     FUSE_CAP_READDIRPLUS_AUTO;
	const unsigned on = FUSE_CAP_READDIRPLUS |
			    FUSE_CAP_PARALLEL_DIROPS | FUSE_CAP_ASYNC_READ |
			    FUSE_CAP_EXPLICIT_INVAL_DATA |
			    FUSE_CAP_EXPORT_SUPPORT | FUSE_CAP_CACHE_SYMLINKS;
	struct cfs_fs *fs = userdata;

	fs->can_skip_open = (conn->capable & FUSE_CAP_NO_OPEN_SUPPORT) != 0;
	fs->can_skip_opendir =
		(conn->capable & FUSE_CAP_NO_OPENDIR_SUPPORT) != 0;
	fs->can_look_up_together =
		(conn->capable & FUSE_CAP_PARALLEL_DIROPS) != 0;
	conn->want = (conn->want & ~off) | (conn->capable & on);
	conn->max_background = 64;
	conn->congestion_threshold = 48;
}

/*
 * libfuse before 3.17 does not pass FUSE_CAP_PARALLEL_DIROPS on
 * (libfuse/libfuse#861).  The kernel then takes a lock around look-ups in a
 * directory, and not even a killed process stops waiting for it.  So the flag
 * is set here, in the first reply, which is the one to INIT.
 */
static ssize_t write_reply(int fd, struct iovec *iov, int count, void *userdata)
{
	struct cfs_fs *fs = userdata;

	if (!atomic_load_explicit(&fs->has_replied, memory_order_relaxed)) {
		fs->has_replied = true;
		if (fs->can_look_up_together && count == 2 &&
		    iov[1].iov_len >= FUSE_COMPAT_22_INIT_OUT_SIZE)
			((struct fuse_init_out *)iov[1].iov_base)->flags |=
				FUSE_PARALLEL_DIROPS;
	}
	return writev(fd, iov, count);
}

static ssize_t read_request(int fd, void *buf, size_t n, void *userdata)
{
	(void)userdata;
	return read(fd, buf, n);
}

int cfs_session_attach(struct fuse_session *se)
{
	const struct fuse_custom_io io = { .writev = write_reply,
					   .read = read_request };

	return fuse_session_custom_io(se, &io, fuse_session_fd(se)) == 0 ?
	       CFS_OK : CFS_EIO;
}

const struct fuse_lowlevel_ops cfs_session_ops = {
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
