/* ops_dir.c - OPENDIR, READDIR and READDIRPLUS: listings, with or without
 * attributes.
 *
 * A READDIRPLUS reply has nodes for subfolders, so that a walk through small
 * folders needs no look-ups; for files if there are few; and for all files if
 * the process has looked up a file before: `ls -l` and `find -size` do, `ls`
 * and `find -type` do not (doc/kernel.md, "What the kernel keeps").
 *
 * At the end of a listing the kernel asks once more.  By then it has the nodes
 * of the files, and is given the bytes of those that the reader is expected to
 * read (loads.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ops.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "attr.h"
#include "control.h"
#include "crawl/file_info.h"
#include "crawl/tree.h"
#include "dircache_hints.h"
#include "dirents.h"
#include "failures.h"
#include "loads.h"
#include "root_names.h"

/* Beyond this many subfolders of a folder, nodes are left to look-ups: a
 * program that merely lists a folder must not fill the kernel's memory. */
#define SUBFOLDERS_MAX (UINT64_C(1) << 17)

/* A folder of at most this many files has nodes for them for every process, if
 * making them reads no records: they cost less than the two requests for the
 * names, and save look-ups later. */
#define SHORT_FILES 8u

struct filler {
	struct cfs_req req;
	uint64_t folder;
	struct cfs_dirents out;
	bool is_full;		/* a name did not fit */
	bool has_nodes;		/* for files too */
	bool may_be_short;	/* for the first files too; taken back if there
				 * are more than SHORT_FILES */
	size_t short_at[SHORT_FILES];	/* where those files are in `out` */
	unsigned n_short;
	bool is_bare;		/* some file has no node */
	uint64_t subfolders;	/* with nodes, in all requests so far */
	struct cfs_listed_files files;	/* those with nodes, if all have one */
};

enum entry_kind { ENTRY_DOT, ENTRY_DIR, ENTRY_FILE };

static bool wants_node(struct filler *f, enum entry_kind kind)
{
	if (kind == ENTRY_DIR)
		return f->has_nodes || f->subfolders < SUBFOLDERS_MAX;
	return kind == ENTRY_FILE && (f->has_nodes || f->may_be_short);
}

/* Called after a file was added, with a node or without. */
static void note_short(struct filler *f, bool with_node)
{
	if (with_node && f->n_short < SHORT_FILES) {
		f->short_at[f->n_short++] = f->out.last;
		return;
	}
	f->may_be_short = false;
	f->is_bare = true;
	if (with_node)
		cfs_dirents_take_node_back(&f->out, f->out.last);
	while (f->n_short > 0)
		cfs_dirents_take_node_back(&f->out, f->short_at[--f->n_short]);
}

static int fill_attr(struct filler *f, fuse_ino_t ino,
		     const struct cfs_node *node, struct stat *st)
{
	return node != NULL ?
		       cfs_attr_fill_node(f->req.fs, node, ino, st,
					  CFS_CTX(&f->req.cancel, NULL)) :
		       cfs_attr_fill(f->req.fs, ino, st,
				     CFS_CTX(&f->req.cancel, NULL));
}

/* node: that of ino if the caller has it at hand, else NULL.  Returns nonzero
 * when the buffer is full. */
static int fill_entry(struct filler *f, struct cfs_slice name, fuse_ino_t ino,
		      enum entry_kind kind, const struct cfs_node *node,
		      off_t next)
{
	bool with_node = f->out.plus && wants_node(f, kind);
	double attr_secs = cfs_control_is_snapshot(ino) ? 0 : CFS_FOREVER;
	mode_t type = kind == ENTRY_FILE ? S_IFREG : S_IFDIR;
	struct stat st;

	if (with_node) {
		int rc = fill_attr(f, ino, node, &st);

		with_node = rc == CFS_OK || rc == CFS_ATTR_UNCERTAIN;
		if (rc == CFS_ATTR_UNCERTAIN)
			attr_secs = cfs_attr_secs(f->req.fs, rc);
		if (with_node && f->folder == CFS_INO_ROOT)
			cfs_root_names_note(f->req.fs, name);
	}
	if (!cfs_dirents_add(&f->out, name, ino, type, next,
			     with_node ? &st : NULL,
			     (uint64_t)attr_secs)) {
		f->is_full = true;
		return 1;
	}
	f->subfolders += kind == ENTRY_DIR && with_node;
	if (kind == ENTRY_FILE && f->files.n < CFS_LISTED_FILES_MAX)
		f->files.ino[f->files.n++] = ino;
	if (kind == ENTRY_FILE && f->may_be_short)
		note_short(f, with_node);
	else
		f->is_bare |= kind == ENTRY_FILE && !with_node;
	return 0;
}

static int emit_node(void *arg, struct cfs_slice name,
		     const struct cfs_node *node, uint64_t cookie)
{
	struct filler *f = arg;

	if (name.n > CFS_NAME_MAX)
		return 0;	/* the kernel would refuse the whole buffer */
	return fill_entry(f, name, cfs_fs_ino(f->req.fs, node),
			  node->type == CFS_NODE_DIR ? ENTRY_DIR : ENTRY_FILE,
			  node, (off_t)cookie);
}

/* Adds `.` and `..`; the offsets behind them are 1 and 2. */
static int fill_dots(struct filler *f, fuse_ino_t ino, off_t *off)
{
	if (*off == 0) {
		if (fill_entry(f, CFS_SLICE_LIT("."), ino, ENTRY_DOT, NULL, 1))
			return 1;
		*off = 1;
	}
	if (*off == 1) {
		if (fill_entry(f, CFS_SLICE_LIT(".."), CFS_INO_ROOT, ENTRY_DOT,
			       NULL, 2))
			return 1;
		*off = 2;
	}
	return 0;
}

static void list_top(struct filler *f, off_t off)
{
	for (off_t i = off - 2; i < (off_t)f->req.fs->n_crawls; i++)
		if (fill_entry(f, cfs_slice_str(f->req.fs->names[i]),
			       (fuse_ino_t)(CFS_INO_SOURCES + i), ENTRY_DIR,
			       NULL, i + 3))
			return;
}

static void list_control(struct filler *f, fuse_ino_t ino, off_t off)
{
	if (ino != CFS_INO_CONTROL)
		return;		/* url and records list nothing */
	for (off_t i = off - 2; i < (off_t)CFS_CONTROL_FILES; i++) {
		const struct cfs_control_file *file = &cfs_control_files[i];

		if (fill_entry(f, cfs_slice_str(file->name), file->ino,
			       file->ino == CFS_INO_URL_DIR ||
			       file->ino == CFS_INO_RECORDS ? ENTRY_DIR
							    : ENTRY_FILE,
			       NULL, i + 3))
			return;
	}
}

static int ops_dir_list(struct filler *f, fuse_ino_t ino, off_t off)
{
	struct cfs_node dir;
	unsigned captures = 0;

	if (off < 0)
		return CFS_EUSAGE;
	if (fill_dots(f, ino, &off) != 0)
		return CFS_OK;
	if (cfs_fs_is_top(f->req.fs, ino)) {
		list_top(f, off);
		return CFS_OK;
	}
	if (!cfs_fs_node(f->req.fs, ino, &dir)) {
		list_control(f, ino, off);
		return CFS_OK;
	}
	if (off > 2 && !((uint64_t)off & CFS_COOKIE_BIT))
		return CFS_EUSAGE;
	f->may_be_short =
		f->out.plus && !f->has_nodes && off == 2 &&
		cfs_file_sizes_are_exact(f->req.fs->crawls[dir.source],
					 f->req.fs->opts.views);
	if (f->has_nodes)
		captures = UINT_MAX;
	else if (f->may_be_short)
		captures = SHORT_FILES;
	return cfs_tree_list(f->req.fs->crawls[dir.source], &dir,
			     f->req.fs->opts.views,
			     off <= 2 ? 0 : (uint64_t)off, captures, emit_node,
			     f, CFS_CTX(&f->req.cancel, &f->req.err));
}

/* Remembers for later requests what this reply contains. */
static void note_listing(const struct filler *f, off_t off)
{
	struct cfs_dircache *l = &f->req.fs->listings;

	if (f->is_bare) {
		cfs_dircache_note_bare(l, f->folder);
	} else if (off == 0) {
		cfs_dircache_note_nodes(l, f->folder);
		if (f->files.n > 0)
			cfs_dircache_note_files(l, f->folder, &f->files);
	}
	if (f->is_full && f->subfolders > 0)
		cfs_dircache_note_subfolders(l, f->folder, f->subfolders);
}

/* Answers the request that follows the last name of a listing. */
static void reply_end(fuse_req_t req, fuse_ino_t folder)
{
	struct cfs_fs *fs = cfs_fs_of(req);
	struct cfs_listed_files files;

	if (cfs_dircache_files(&fs->listings, folder, &files))
		cfs_loads_store_ready(fs->loads, files.ino, files.n);
	fuse_reply_buf(req, NULL, 0);
}

static void readdir_common(fuse_req_t req, fuse_ino_t ino, size_t size,
			   off_t off, bool plus)
{
	struct cfs_fs *fs = cfs_fs_of(req);
	struct filler f = { .folder = ino,
			    .out = { .size = size, .plus = plus } };
	int64_t began_ms = cfs_monotonic_ms();
	int rc;

	cfs_req_begin(&f.req, req, plus ? CFS_OP_READDIRPLUS : CFS_OP_READDIR);
	if (off == CFS_DIRENTS_END) {
		reply_end(req, ino);
		return;
	}
	f.has_nodes = plus && cfs_dircache_is_statter(&fs->listings,
						      fuse_req_ctx(req)->pid);
	if (plus && off != 0)
		f.subfolders = cfs_dircache_subfolders(&fs->listings, ino);
	f.out.buf = malloc(size);
	rc = cfs_failures_recent(fs->failures, ino, NULL, began_ms);
	if (rc == CFS_OK) {
		rc = f.out.buf == NULL ? CFS_ENOMEM : ops_dir_list(&f, ino,
								   off);
		cfs_failures_ended(fs->failures, ino, NULL, rc, began_ms);
	}
	if (rc == CFS_OK && !f.is_full)
		cfs_dirents_end(&f.out);
	if (rc == CFS_OK && f.is_full && f.out.used == 0)
		rc = CFS_EUSAGE;	/* not even one name fits */
	note_listing(&f, off);
	/* What was listed before a failure is delivered; the next request meets
	 * the failure again. */
	if (rc != CFS_OK && f.out.used == 0)
		cfs_reply_failure(req, ino, NULL, rc, &f.req.err);
	else
		fuse_reply_buf(req, (const char *)f.out.buf, f.out.used);
	free(f.out.buf);
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

/* The kernel may keep every listing.  Once OPENDIR is answered with ENOSYS, it
 * does so without asking, and sends no more OPENDIR or RELEASEDIR. */
void cfs_op_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)ino;
	if (cfs_fs_of(req)->can_skip_opendir) {
		fuse_reply_err(req, ENOSYS);
		return;
	}
	fi->cache_readdir = fi->keep_cache = true;
	fuse_reply_open(req, fi);
}

void cfs_dir_take_listings_back(struct cfs_fs *fs)
{
	uint64_t folder;
	size_t at = 0;

	while ((folder = cfs_dircache_take_back(&fs->listings, &at)) != 0)
		fuse_lowlevel_notify_inval_inode(fs->session, folder, 0, 0);
}
