/* ops_dir.c - listings, with or without attributes.
 *
 * A READDIRPLUS reply carries nodes only for a process that has looked up a
 * file before: `ls -l` and `find -size` do, `ls` and `find -type` do not
 * (doc/design.md, "What the kernel keeps").
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "handlers.h"

#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "control.h"
#include "crawl/tree.h"

/* A listing that spans at most this many index blocks (and one) is kept by
 * the kernel. */
#define SMALL_DIR_BLOCKS 1

static bool is_statter(const struct cfs_fs *fs, fuse_req_t req)
{
	return cfs_memo_has(fs->statters, CFS_STATTERS_BITS,
			    (uint64_t)fuse_req_ctx(req)->pid);
}

struct filler {
	fuse_req_t req;
	struct cfs_fs *fs;
	const struct cfs_cancel *cancel;
	char *buf;
	size_t size, used;
	bool plus;		/* READDIRPLUS */
	bool bare;		/* but without nodes */
	struct cfs_error *err;
};

static int fill_attr(struct filler *f, fuse_ino_t ino,
		     const struct cfs_node *node, struct stat *st)
{
	return node != NULL
		       ? cfs_attr_fill_node(f->fs, node, ino, st, f->cancel, NULL)
		       : cfs_attr_fill(f->fs, ino, st, f->cancel, NULL);
}

enum entry_kind { ENTRY_DOT, ENTRY_DIR, ENTRY_FILE };

/* node: the caller's, if it has one at hand.  Returns nonzero when the buffer
 * is full. */
static int fill_entry(struct filler *f, const char *name, fuse_ino_t ino,
		      enum entry_kind kind, const struct cfs_node *node,
		      off_t next)
{
	struct fuse_entry_param e;
	size_t n;

	memset(&e, 0, sizeof(e));
	e.attr.st_ino = ino;
	e.attr.st_mode = kind == ENTRY_FILE ? S_IFREG : S_IFDIR;
	if (!f->plus) {
		n = fuse_add_direntry(f->req, f->buf + f->used,
				      f->size - f->used, name, &e.attr, next);
	} else {
		if (kind != ENTRY_DOT && !f->bare &&
		    fill_attr(f, ino, node, &e.attr) == CFS_OK) {
			e.ino = ino;
			e.attr_timeout = cfs_attr_is_lasting(ino) ? CFS_FOREVER : 0;
			e.entry_timeout = CFS_FOREVER;
		}
		n = fuse_add_direntry_plus(f->req, f->buf + f->used,
					   f->size - f->used, name, &e, next);
	}
	if (n > f->size - f->used)
		return 1;
	f->used += n;
	return 0;
}

static int emit_node(void *arg, struct cfs_slice name,
		     const struct cfs_node *node, uint64_t cookie)
{
	struct filler *f = arg;
	char text[CFS_NAME_MAX + 1];

	if (name.n > CFS_NAME_MAX)
		return 0;	/* the kernel would refuse the whole buffer */
	memcpy(text, name.p, name.n);
	text[name.n] = '\0';
	return fill_entry(f, text, cfs_fs_ino(f->fs, node),
			  node->type == CFS_NODE_DIR ? ENTRY_DIR : ENTRY_FILE,
			  node, (off_t)cookie);
}

/* The offsets 1 and 2 are those of `.` and `..`. */
static int fill_dots(struct filler *f, fuse_ino_t ino, off_t *off)
{
	if (*off == 0) {
		if (fill_entry(f, ".", ino, ENTRY_DOT, NULL, 1))
			return 1;
		*off = 1;
	}
	if (*off == 1) {
		if (fill_entry(f, "..", CFS_INO_ROOT, ENTRY_DOT, NULL, 2))
			return 1;
		*off = 2;
	}
	return 0;
}

static void list_top(struct filler *f, off_t off)
{
	for (off_t i = off - 2; i < (off_t)f->fs->n_crawls; i++)
		if (fill_entry(f, f->fs->names[i],
			       (fuse_ino_t)(CFS_INO_SOURCES + i), ENTRY_DIR,
			       NULL, i + 3))
			return;
}

static void list_control(struct filler *f, fuse_ino_t ino, off_t off)
{
	const struct cfs_control_file *file;

	if (ino != CFS_INO_CONTROL)
		return;		/* url: nothing is listed */
	for (off_t i = off - 2;
	     (file = cfs_control_file_nth((size_t)i)) != NULL; i++)
		if (fill_entry(f, file->name, file->ino,
			       file->ino == CFS_INO_URL_DIR ? ENTRY_DIR
							    : ENTRY_FILE,
			       NULL, i + 3))
			return;
}

static int list(struct filler *f, fuse_ino_t ino, off_t off)
{
	struct cfs_node dir;

	if (off < 0)
		return CFS_EUSAGE;
	if (fill_dots(f, ino, &off) != 0)
		return CFS_OK;
	if (cfs_fs_is_top(f->fs, ino)) {
		list_top(f, off);
		return CFS_OK;
	}
	if (!cfs_fs_node(f->fs, ino, &dir)) {
		list_control(f, ino, off);
		return CFS_OK;
	}
	if (off > 2 && !((uint64_t)off & CFS_COOKIE_BIT))
		return CFS_EUSAGE;
	return cfs_tree_list(f->fs->crawls[dir.source], &dir, f->fs->opts.views,
			     off <= 2 ? 0 : (uint64_t)off,
			     f->plus && !f->bare, emit_node, f,
			     f->cancel, f->err);
}

static void readdir_common(fuse_req_t req, fuse_ino_t ino, size_t size,
			   off_t off, bool plus)
{
	struct cfs_fs *fs = cfs_fs_of(req);
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_req_cancel c;
	struct filler f = { .req = req, .fs = fs, .size = size, .plus = plus,
			    .err = &err, .cancel = cfs_req_begin(&c, req) };
	int64_t began_ms = cfs_monotonic_ms();
	int rc;

	CFS_COUNT(fs, plus ? CFS_OP_READDIRPLUS : CFS_OP_READDIR, 1);
	f.bare = plus && !is_statter(fs, req);
	if (plus && !f.bare && off == 0)
		cfs_memo_add(fs->known_dirs, CFS_KNOWN_DIRS_BITS, ino);
	f.buf = malloc(size);
	rc = cfs_failures_recent(&fs->failures, ~ino, began_ms);
	if (rc == CFS_OK) {
		rc = f.buf == NULL ? CFS_ENOMEM : list(&f, ino, off);
		cfs_failures_note(&fs->failures, ~ino, began_ms, rc);
	}
	/* what was listed before a failure is delivered; the failure comes
	 * again with the next request */
	if (rc != CFS_OK && f.used == 0)
		cfs_reply_failure(req, rc, &err);
	else
		fuse_reply_buf(req, f.buf, f.used);
	free(f.buf);
}

void cfs_op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		       struct fuse_file_info *fi)
{
	(void)fi;
	readdir_common(req, ino, size, off, false);
}

void cfs_op_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size,
			   off_t off, struct fuse_file_info *fi)
{
	(void)fi;
	readdir_common(req, ino, size, off, true);
}

/*
 * The kernel may keep a small listing, but only the names of it: a process
 * that wants attributes of a kept one pays a LOOKUP a file.  So a process that
 * is known to want them reads a listing that was kept without nodes again.
 */
void cfs_op_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct cfs_fs *fs = cfs_fs_of(req);
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_req_cancel c;
	struct cfs_node dir;
	bool small = true;
	int rc = CFS_OK;

	if (cfs_fs_node(fs, ino, &dir))
		rc = cfs_tree_is_small(fs->crawls[dir.source], &dir,
				       SMALL_DIR_BLOCKS, &small,
				       cfs_req_begin(&c, req), &err);
	/* to wait for the same once more would take as long; any other failure
	 * is reported by the listing */
	if (rc == CFS_ETIMEOUT || rc == CFS_EINTR) {
		cfs_reply_failure(req, rc, &err);
		return;
	}
	fi->cache_readdir = small;
	fi->keep_cache = small && (cfs_memo_has(fs->known_dirs, CFS_KNOWN_DIRS_BITS, ino) ||
				   !is_statter(fs, req));
	fuse_reply_open(req, fi);
}
