/* attr.c - GETATTR, READLINK and STATFS: sizes, times and kinds of files.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "attr.h"

#include <errno.h>
#include <string.h>

#include "control.h"
#include "crawl/entry.h"
#include "crawl/file_info.h"
#include "crawl/names.h"
#include "ops.h"
#include "records.h"

#define BLOCK_BYTES 512
/* Programs make buffers of this size (st_blksize), so it is bounded. */
#define GUESS_BLKSIZE_MAX (1 << 20)

static void fill_common(const struct cfs_fs *fs, uint64_t ino, mode_t mode,
			int64_t mtime, struct stat *st)
{
	memset(st, 0, sizeof(*st));
	st->st_ino = ino;
	st->st_mode = mode;
	/* for folders too, whose subfolders are not counted (find(1) and fts(3)
	 * know this convention) */
	st->st_nlink = 1;
	st->st_uid = fs->uid;
	st->st_gid = fs->gid;
	st->st_mtime = st->st_ctime = st->st_atime = mtime;
	st->st_blksize = 4096;
}

static void fill_size(struct stat *st, uint64_t size)
{
	st->st_size = (off_t)size;
	st->st_blocks = (blkcnt_t)((size + BLOCK_BYTES - 1) / BLOCK_BYTES);
}

/* The st_blksize of a file whose size is a guess: a power of two not below
 * it.  Programs like wc(1) skip whole blocks of a file whose size they
 * believe to know. */
static blksize_t guess_blksize(uint64_t size)
{
	blksize_t n = 4096;

	while ((uint64_t)n < size && n < GUESS_BLKSIZE_MAX)
		n *= 2;
	return n;
}

static int fill_file(struct cfs_fs *fs, const struct cfs_node *n, uint64_t ino,
		     struct stat *st, struct cfs_ctx ctx)
{
	struct cfs_file_info info;
	uint64_t known;
	int rc = cfs_file_info_get(fs->crawls[n->source], n, &info, ctx);

	if (rc != CFS_OK)
		return rc;
	fill_common(fs, ino, S_IFREG | 0444, info.mtime, st);
	if (info.size_kind == CFS_SIZE_EXACT) {
		;
	} else if (cfs_handles_size(fs->handles, ino, false, &known)) {
		info.size = known;
	} else if (fs->sizes_are_exact) {
		rc = CFS_ATTR_UNSIZED;
	} else if (cfs_handles_size(fs->handles, ino, true, &known)) {
		info.size = known;
	} else if (info.size_kind == CFS_SIZE_GUESS) {
		st->st_blksize = guess_blksize(info.size);
	}
	fill_size(st, info.size);
	return rc;
}

static int fill_control(struct cfs_fs *fs, uint64_t ino, struct stat *st)
{
	const struct cfs_control_file *f = cfs_control_file_of(ino);
	struct cfs_node n;
	CFS_BUF(text, CFS_CONTROL_TEXT_MAX);
	int rc;

	if (cfs_ino_search(ino, &n)) {
		fill_common(fs, ino, S_IFDIR | 0555, n.source < fs->n_crawls ?
			    fs->crawls[n.source]->mtime : fs->mounted_at, st);
		return CFS_OK;
	}

	if (ino == CFS_INO_CONTROL || cfs_records_is_dir(ino) ||
	    cfs_fs_is_top(fs, ino) || (f != NULL && f->text == NULL)) {
		fill_common(fs, ino, S_IFDIR | 0555, fs->mounted_at, st);
		return CFS_OK;
	}
	if (ino == CFS_INO_WWW) {
		fill_common(fs, ino, S_IFLNK | 0777, fs->mounted_at, st);
		fill_size(st, 1);
		return CFS_OK;
	}
	fill_common(fs, ino, S_IFREG | 0444, fs->mounted_at, st);
	if (cfs_records_is_file(ino) || (f != NULL && f->is_snapshot))
		return CFS_ATTR_UNSIZED;
	rc = cfs_control_text(fs, ino, &text);
	fill_size(st, text.n);
	return rc == CFS_OK ? CFS_OK : CFS_ENOTFOUND;
}

int cfs_attr_fill_node(struct cfs_fs *fs, const struct cfs_node *n,
		       uint64_t ino, struct stat *st, struct cfs_ctx ctx)
{
	if (n->type == CFS_NODE_FILE)
		return fill_file(fs, n, ino, st, ctx);
	fill_common(fs, ino, S_IFDIR | 0555, fs->crawls[n->source]->mtime, st);
	return CFS_OK;
}

int cfs_attr_fill(struct cfs_fs *fs, uint64_t ino, struct stat *st,
		  struct cfs_ctx ctx)
{
	struct cfs_node n;

	return cfs_fs_node(fs, ino, &n)
		       ? cfs_attr_fill_node(fs, &n, ino, st, ctx)
		       : fill_control(fs, ino, st);
}

static void reply_measured(struct cfs_load *l, int rc,
			   const struct cfs_error *err)
{
	if (rc == CFS_OK) {
		uint64_t n = cfs_file_bytes_size(&l->h->content);

		fill_size(&l->entry.attr, n);
		cfs_handles_note_size(cfs_fs_of(l->req)->handles, l->h->ino, n);
	} else if (rc == CFS_EABSENT) {
		fill_size(&l->entry.attr, CFS_ABSENT_BYTES);
	} else if (rc == CFS_EFORMAT || rc == CFS_ELIMIT ||
		   rc == CFS_EUNSUPPORTED) {
		l->entry.attr_timeout = 0;
	} else {
		cfs_reply_file_failure(l->req, l->h->ino, rc, err);
		return;
	}
	if (l->is_lookup)
		fuse_reply_entry(l->req, &l->entry);
	else
		fuse_reply_attr(l->req, &l->entry.attr, l->entry.attr_timeout);
}

void cfs_attr_measure(struct cfs_load *l, const struct cfs_cancel *cancel)
{
	struct cfs_fs *fs = cfs_fs_of(l->req);

	l->reply = reply_measured;
	l->h = cfs_handles_open(fs->handles, l->entry.ino);
	if (l->h == NULL)
		fuse_reply_err(l->req, ENOMEM);
	else
		cfs_loads_run(fs->loads, l, cancel);
}

/* ---- requests ---------------------------------------------------------- */

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
