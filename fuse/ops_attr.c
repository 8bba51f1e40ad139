/* ops_attr.c - GETATTR, READLINK and STATFS.
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
	rc = cfs_attr_fill(r.fs, ino, &l.entry.attr,
			   CFS_CTX(&r.cancel, &r.err));
	if (rc == CFS_ATTR_UNSIZED)
		cfs_attr_measure(&l, &r.cancel);
	else if (rc < CFS_OK)
		cfs_reply_failure(req, ino, NULL, rc, &r.err);
	else
		fuse_reply_attr(req, &l.entry.attr, CFS_FOREVER);
}

/* The only links lead from a `www` that the index leaves out to `.`. */
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
