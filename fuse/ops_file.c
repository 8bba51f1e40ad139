/* ops_file.c - opens files, corrects guessed sizes, hands over bytes.
 *
 * A size the kernel got as a guess is taken back before open returns, so that a
 * program that asks after open gets the exact one (doc/design.md, "Sizes").
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "handlers.h"

#include <errno.h>
#include <fcntl.h>

#include "control.h"
#include "crawl/content.h"
#include "crawl/file_info.h"
#include "handles.h"
#include "readahead.h"

/* Contents up to this size are handed over whole when a guess is corrected,
 * of longer ones the last page. */
#define STORE_WHOLE_MAX (128u * 1024)
#define PAGE_MASK_BYTES ((size_t)4095)

/*
 * The kernel holds another size of the file, from a guess.  Taking it back
 * makes all programs that ask for the size ask us again; a read that the wrong
 * size has room for, sendfile(2) and splice(2) do not ask.  So pages are
 * dropped that were read while another size held: past the true end they are
 * zeros.  A program that reads them again sees a file that turns out shorter;
 * for one that is longer the bytes are handed over here, which moves the end
 * (and saves a READ).
 *
 * This waits for the file's pages, and a reader of one waits for h->lock: so
 * nobody may be reading yet.  It happens in an open, before any other open of
 * the file has returned (h->size_is_settled, or its bytes are loaded); the
 * size is noted after it, and until then another open waits for h->lock.
 */
static void correct_guess(struct cfs_fs *fs, struct cfs_handle *h)
{
	struct cfs_slice b = h->content.bytes;
	size_t off = b.n <= STORE_WHOLE_MAX ? 0 : (b.n - 1) & ~PAGE_MASK_BYTES;
	struct fuse_bufvec bv = FUSE_BUFVEC_INIT(b.n - off);

	bv.buf[0].mem = (void *)(uintptr_t)(b.p + off);	/* is only read */
	fuse_lowlevel_notify_inval_inode(fs->session, h->ino, 0, 0);
	if (b.n > 0)
		fuse_lowlevel_notify_store(fs->session, h->ino, (off_t)off, &bv,
					   0);
	cfs_handles_note_size(fs->handles, h->ino, b.n);
	fuse_lowlevel_notify_inval_inode(fs->session, h->ino, -1, 0);
}

static int load_now_locked(struct cfs_fs *fs, struct cfs_handle *h,
		       const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct cfs_node n;
	uint64_t known;
	int rc;

	if (!cfs_fs_node(fs, h->ino, &n)) {
		cfs_buf_init(&h->content.own, 1 << 20);
		rc = cfs_control_text(fs, h->ino, &h->content.own);
		h->content.bytes = cfs_buf_slice(&h->content.own);
		h->is_loaded = rc == CFS_OK;
		return rc;
	}
	if (fs->ahead[n.source] != NULL)
		cfs_readahead_note(fs->ahead[n.source], n.pos, n.view);
	rc = cfs_content_load(fs->crawls[n.source], &n, &fs->opts.view,
			      &h->content, cancel, err);
	if (rc != CFS_OK)
		return rc;
	h->is_loaded = true;
	if (!h->size_is_settled &&
	    (!cfs_handles_size(fs->handles, h->ino, &known) ||
	     known != h->content.bytes.n))
		correct_guess(fs, h);
	else if (!h->size_is_settled)	/* it was kept, and is true */
		cfs_handles_note_size(fs->handles, h->ino, known);
	h->size = h->content.bytes.n;
	return CFS_OK;
}

/* h is locked.  Loads its bytes once. */
static int load_locked(struct cfs_fs *fs, struct cfs_handle *h,
		       const struct cfs_cancel *cancel, struct cfs_error *err)
{
	int64_t began_ms;
	int rc;

	if (h->is_loaded)
		return CFS_OK;
	began_ms = cfs_monotonic_ms();
	rc = cfs_failures_recent(&fs->failures, h->ino, began_ms);
	if (rc != CFS_OK)
		return rc;
	rc = load_now_locked(fs, h, cancel, err);
	cfs_failures_note(&fs->failures, h->ino, began_ms, rc);
	return rc;
}

/* Must the file be loaded for its size to be known? */
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
	if (cfs_handles_loaded_size(fs->handles, h->ino, &known)) {
		/* for as long as it is open, also when it is forgotten */
		h->size = known;
		h->size_is_settled = true;
	} else if (cfs_file_info_get(fs->crawls[n.source], &n, &info, cancel,
				    NULL) == CFS_OK) {
		h->size_is_settled = info.size_kind == CFS_SIZE_EXACT;
	}
	return !h->size_is_settled;
}

static int open_file(struct cfs_fs *fs, fuse_ino_t ino, struct cfs_handle **out,
		     const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct cfs_handle *h = cfs_handles_open(fs->handles, ino);
	int rc = CFS_OK;

	if (h == NULL)
		return cfs_error_nomem(err);
	if (wants_load(fs, h, cancel)) {
		rc = cfs_handle_lock(h, cancel);
		if (rc == CFS_OK) {
			rc = load_locked(fs, h, cancel, err);
			pthread_mutex_unlock(&h->lock);
		}
	}
	if (rc != CFS_OK) {
		cfs_handles_close(fs->handles, h);
		return rc;
	}
	*out = h;
	return CFS_OK;
}

void cfs_op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct cfs_fs *fs = cfs_fs_of(req);
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_handle *h = NULL;
	struct cfs_req_cancel c;
	int rc;

	CFS_COUNT(fs, CFS_OP_OPEN, 1);
	if ((fi->flags & O_ACCMODE) != O_RDONLY) {
		fuse_reply_err(req, EROFS);
		return;
	}
	rc = open_file(fs, ino, &h, cfs_req_begin(&c, req), &err);
	if (rc != CFS_OK) {
		cfs_reply_failure(req, rc == CFS_ENOTFOUND ? CFS_EIO : rc, &err);
		return;
	}
	fi->fh = (uintptr_t)h;
	fi->noflush = 1;
	if (ino == CFS_INO_STATS)
		fi->direct_io = 1;
	else
		fi->keep_cache = 1;
	if (fuse_reply_open(req, fi) != 0)	/* interrupted: no release */
		cfs_handles_close(fs->handles, h);
}

void cfs_op_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)ino;
	cfs_handles_close(cfs_fs_of(req)->handles,
			  (struct cfs_handle *)(uintptr_t)fi->fh);
	fuse_reply_err(req, 0);
}

void cfs_op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		    struct fuse_file_info *fi)
{
	struct cfs_fs *fs = cfs_fs_of(req);
	struct cfs_handle *h = (struct cfs_handle *)(uintptr_t)fi->fh;
	struct cfs_error err = CFS_ERROR_INIT;
	const struct cfs_cancel *cancel;
	struct cfs_req_cancel c;
	struct cfs_slice part;
	int rc;

	(void)ino;
	CFS_COUNT(fs, CFS_OP_READ, 1);
	/* The reader has the bytes, and can close the file, before the call
	 * that hands them over is back. */
	cfs_handles_hold(fs->handles, h);
	cancel = cfs_req_begin(&c, req);
	rc = cfs_handle_lock(h, cancel);
	if (rc == CFS_OK) {
		rc = load_locked(fs, h, cancel, &err);
		pthread_mutex_unlock(&h->lock);
	}
	if (rc != CFS_OK) {
		cfs_reply_failure(req, rc == CFS_ENOTFOUND ? CFS_EIO : rc, &err);
	} else {
		part = cfs_slice_sub(h->content.bytes,
				     off < 0 ? 0 : (size_t)off, size);
		CFS_COUNT(fs, CFS_OP_BYTES, part.n);
		fuse_reply_buf(req, (const char *)part.p, part.n);
	}
	cfs_handles_close(fs->handles, h);
}
