/* ops_file.c - OPEN, READ and RELEASE: finds sizes on opening, and delivers
 * bytes.
 *
 * An estimated size is corrected before open returns, so that a program that
 * asks after open gets the true one.  Where the kernel has exact sizes only, it
 * is told not to send OPEN (doc/kernel.md, "Sizes").
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ops.h"

#include <errno.h>
#include <fcntl.h>

#include "crawl/content.h"
#include "loads.h"

static void open_handle(struct cfs_load *l, int rc, const struct cfs_error *err)
{
	struct cfs_handles *handles = cfs_fs_of(l->req)->handles;

	if (rc != CFS_OK) {
		cfs_reply_file_failure(l->req, l->h->ino, rc, err);
		return;
	}
	cfs_handles_hold(handles, l->h);
	l->fi.fh = (uintptr_t)l->h;
	/* With direct_io the bytes before the cut can be read, though the rest
	 * of their page cannot. */
	cfs_handle_use(l->h);
	l->fi.direct_io = l->h->is_loaded && l->h->content.is_cut_off;
	cfs_handle_end_use(l->h);
	if (fuse_reply_open(l->req, &l->fi) != 0) /* interrupted: no RELEASE */
		cfs_handles_close(handles, l->h);
}

/* Must the file be loaded to know its size? */
static bool wants_load(struct cfs_fs *fs, struct cfs_handle *h,
		       const struct cfs_cancel *cancel)
{
	struct cfs_file_info info;
	struct cfs_node n;
	uint64_t known;

	if (!cfs_fs_node(fs, h->ino, &n))
		return true;
	if (h->size_is_settled)
		return false;
	if (cfs_handles_size(fs->handles, h->ino, false, &known)) {
		/* Keep the size while the file is open, even if the memo
		 * forgets it. */
		h->size = known;
		h->size_is_settled = true;
	} else if (cfs_file_info_get(fs->crawls[n.source], &n, &info,
				     CFS_CTX(cancel, NULL)) == CFS_OK) {
		h->size_is_settled = info.size_kind == CFS_SIZE_EXACT;
		h->estimate = info.size;
	}
	return !h->size_is_settled;
}

void cfs_op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct cfs_load l = { .req = req, .reply = open_handle, .fi = *fi };
	struct cfs_fs *fs = cfs_fs_of(req);
	struct cfs_req r;

	cfs_req_begin(&r, req, CFS_OP_OPEN);
	if ((fi->flags & O_ACCMODE) != O_RDONLY) {
		fuse_reply_err(req, EROFS);
		return;
	}
	l.fi.noflush = l.fi.keep_cache = 1;
	if (fs->sizes_are_exact && fs->can_skip_open) {
		fuse_reply_err(req, ENOSYS);	/* no more OPEN follows */
		return;
	}
	l.h = cfs_handles_open(fs->handles, ino);
	if (l.h == NULL) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	if (!fs->sizes_are_exact && wants_load(fs, l.h, &r.cancel)) {
		cfs_loads_run(fs->loads, &l, &r.cancel);
	} else {
		open_handle(&l, CFS_OK, NULL);
		cfs_handles_close(fs->handles, l.h);
	}
}

void cfs_op_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)ino;
	cfs_handles_close(cfs_fs_of(req)->handles,
			  (struct cfs_handle *)(uintptr_t)fi->fh);
	fuse_reply_err(req, 0);
}

/* Does a READ reach past the end of a file that is cut off?  A program gets
 * what there is before the cut; the kernel, which reads whole pages without a
 * lock owner, would fill the page with zeros. */
static bool passes_cut(const struct cfs_load *l)
{
	size_t n = l->h->content.bytes.n;

	return l->h->content.is_cut_off && l->off >= 0 &&
	       (l->fi.lock_owner == 0 ? (size_t)l->off + l->size > n :
					(size_t)l->off >= n);
}

static void read_bytes(struct cfs_load *l, int rc, const struct cfs_error *err)
{
	struct cfs_fs *fs = cfs_fs_of(l->req);
	struct cfs_error cut = CFS_ERROR_INIT;
	struct cfs_slice part;
	struct cfs_node n;

	if (rc == CFS_OK && passes_cut(l) && cfs_fs_node(fs, l->h->ino, &n)) {
		rc = cfs_content_cut_off(fs->crawls[n.source], &n,
					 &l->h->content, &cut);
		err = &cut;
	}
	if (rc != CFS_OK) {
		cfs_reply_file_failure(l->req, l->h->ino, rc, err);
		return;
	}
	part = cfs_slice_sub(l->h->content.bytes,
			     l->off < 0 ? 0 : (size_t)l->off, l->size);
	/* not those of the readers of .crawlfs/stats, which counts them */
	if (cfs_fs_node(fs, l->h->ino, &n))
		CFS_COUNT(fs, CFS_OP_BYTES, part.n);
	fuse_reply_buf(l->req, (const char *)part.p, part.n);
	cfs_file_bytes_release_pages(&l->h->content, part);
}

void cfs_op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		 struct fuse_file_info *fi)
{
	struct cfs_fs *fs = cfs_fs_of(req);
	struct cfs_load l = { .req = req, .reply = read_bytes, .size = size,
			      .off = off, .fi = *fi,
			      .h = (struct cfs_handle *)(uintptr_t)fi->fh };
	struct cfs_req r;

	cfs_req_begin(&r, req, CFS_OP_READ);
	/* Keep the handle: the reader may have its bytes and close the file
	 * before fuse_reply_buf returns. */
	if (l.h != NULL)
		cfs_handles_hold(fs->handles, l.h);
	else
		l.h = cfs_handles_open(fs->handles, ino);
	if (l.h == NULL)
		fuse_reply_err(req, ENOMEM);
	else
		cfs_loads_run(fs->loads, &l, &r.cancel);
}
