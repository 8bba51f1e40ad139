/* ops_attr.c - requests for what is known of a file: one call, one reply.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ops.h"

#include <errno.h>

#include "attr.h"
#include "crawl/names.h"

void cfs_op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct cfs_load l = { .req = req, .entry.ino = ino,
			      .entry.attr_timeout = CFS_FOREVER };
	struct cfs_req r;
	int rc;

	(void)fi;
	cfs_req_begin(&r, req, CFS_OP_GETATTR);
	rc = cfs_attr_fill(r.fs, ino, &l.entry.attr, &r.cancel, &r.err);
	if (rc == CFS_ATTR_UNSIZED)
		cfs_attr_measure(&l, &r.cancel);
	else if (rc != CFS_OK)
		cfs_reply_failure(req, rc, &r.err);
	else
		fuse_reply_attr(req, &l.entry.attr, CFS_FOREVER);
}

/* There is one link, from a `www` that an index leaves out to `.`. */
void cfs_op_readlink(fuse_req_t req, fuse_ino_t ino)
{
	if (ino == CFS_INO_WWW)
		fuse_reply_readlink(req, ".");
	else
		fuse_reply_err(req, EINVAL);
}

void cfs_op_statfs(fuse_req_t req, fuse_ino_t ino)
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

/* One attribute, or (name NULL) the names of all. */
static void answer_xattr(fuse_req_t req, fuse_ino_t ino, const char *name,
			 size_t size)
{
	int rc = name != NULL ? CFS_ENOTFOUND : CFS_OK;
	struct cfs_node n;
	struct cfs_buf out;
	struct cfs_req r;

	cfs_req_begin(&r, req, CFS_OP_XATTR);
	if (!r.fs->opts.xattr) {
		fuse_reply_err(req, ENOSYS);
		return;
	}
	cfs_buf_init(&out, 1 << 16);
	if (cfs_fs_node(r.fs, ino, &n) && n.type == CFS_NODE_FILE)
		rc = name != NULL ? cfs_xattr_get(&r, &n, name, &out) :
				    cfs_xattr_list(&r, &n, &out);
	reply_xattr(req, rc, cfs_buf_slice(&out), size, &r.err);
	cfs_buf_release(&out);
}

void cfs_op_getxattr(fuse_req_t req, fuse_ino_t ino, const char *name,
		     size_t size)
{
	answer_xattr(req, ino, name, size);
}

void cfs_op_listxattr(fuse_req_t req, fuse_ino_t ino, size_t size)
{
	answer_xattr(req, ino, NULL, size);
}
