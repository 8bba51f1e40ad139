/* ops_dir.c - OPENDIR, READDIR and READDIRPLUS: listings, with or without
 * attributes.
 *
 * A READDIRPLUS reply has nodes for subfolders, so that a walk through small
 * folders needs no look-ups; for files if there are few; and for all files if
 * the process has looked up a file before: `ls -l` and `find -size` do, `ls`
 * and `find -type` do not (doc/kernel.md, "What the kernel keeps").
 *
 * While the kernel hands one part of a long listing to its reader, the next one
 * is made (listings.h).
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
#include "crawl/readahead.h"
#include "crawl/tree.h"
#include "dirents.h"
#include "failures.h"
#include "listings.h"
#include "loads.h"
#include "searching.h"

/* Beyond this many subfolders of a folder, nodes are left to look-ups: a
 * program that merely lists a folder must not fill the kernel's memory. */
#define SUBFOLDERS_MAX (UINT64_C(1) << 17)

/* A folder of at most this many files gets their nodes with the listing, if
 * making them reads no records: that is cheaper than later look-ups. */
#define SHORT_FILES 8u

/* The part of a listing that follows the one just sent is made in so many
 * milliseconds, or not ahead: other requests wait. */
#define AHEAD_MS 4

struct filler {
	struct cfs_req req;
	struct cfs_listing_part part;
	unsigned search;	/* the folder is one of that search, from 1 on;
				 * 0: of none */
	bool may_be_short;	/* nodes for the first files too; taken back if
				 * there are more than SHORT_FILES */
	size_t short_at[SHORT_FILES];	/* where those files are in part.out */
	unsigned n_short;
};

enum entry_kind { ENTRY_DOT, ENTRY_DIR, ENTRY_FILE };

static bool wants_node(const struct filler *f, enum entry_kind kind)
{
	const struct cfs_listing_part *p = &f->part;

	if (kind == ENTRY_DIR)
		return p->has_nodes || p->subfolders < SUBFOLDERS_MAX;
	return kind == ENTRY_FILE && (p->has_nodes || f->may_be_short);
}

/* Called after a file was added, with a node or without. */
static void note_short(struct filler *f, bool with_node)
{
	struct cfs_dirents *out = &f->part.out;

	if (with_node && f->n_short < SHORT_FILES) {
		f->short_at[f->n_short++] = out->last;
		return;
	}
	f->may_be_short = false;
	f->part.is_bare = true;
	if (with_node)
		cfs_dirents_take_node_back(out, out->last);
	while (f->n_short > 0)
		cfs_dirents_take_node_back(out, f->short_at[--f->n_short]);
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
	struct cfs_listing_part *p = &f->part;
	bool with_node = p->out.plus && wants_node(f, kind) &&
			 !(node != NULL && node->is_unsure);
	double attr_secs = cfs_control_is_snapshot(ino) ? 0 : CFS_FOREVER;
	mode_t type = kind == ENTRY_FILE ? S_IFREG : S_IFDIR;
	struct stat st;

	if (with_node)
		with_node = fill_attr(f, ino, node, &st) == CFS_OK;
	if (!cfs_dirents_add(&p->out, name, ino, type, next,
			     with_node ? &st : NULL, (uint64_t)attr_secs)) {
		p->is_full = true;
		return 1;
	}
	p->next = next;
	p->subfolders += kind == ENTRY_DIR && with_node;
	if (kind == ENTRY_DIR && with_node && f->search > 0)
		cfs_searches_use(f->req.fs->searches, node->search);
	if (kind == ENTRY_FILE && node != NULL) {
		if (!p->has_pages)
			p->first = node->pos;
		p->has_pages = true;
		p->last = node->pos;
		p->source = node->source;
	}
	if (kind == ENTRY_FILE && f->may_be_short)
		note_short(f, with_node);
	else
		p->is_bare |= kind == ENTRY_FILE && !with_node;
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

/* The names have no nodes: a query that nobody uses may be dropped. */
static void list_queries(struct filler *f, off_t off)
{
	unsigned number = (unsigned)(off - 2);
	CFS_BUF(name, CFS_NAME_MAX + 1);

	while (cfs_searches_next(f->req.fs->searches, &number, &name) ==
		       CFS_OK &&
	       !fill_entry(f, cfs_buf_slice(&name), CFS_INO_SEARCH, ENTRY_DOT,
			   NULL, (off_t)++number + 2))
		cfs_buf_reset(&name);
}

/* Lists the sources in which a query has found something. */
static int list_found_in(struct filler *f, fuse_ino_t top, off_t off)
{
	struct cfs_fs *fs = f->req.fs;
	int rc = CFS_OK;

	for (unsigned i = (unsigned)(off - 2);
	     rc == CFS_OK && i < fs->n_crawls; i++) {
		uint64_t ino;

		rc = cfs_searching_source(fs, top, i, &ino,
					  CFS_CTX(&f->req.cancel, &f->req.err));
		if (rc == CFS_OK &&
		    fill_entry(f, cfs_slice_str(fs->names[i]), ino, ENTRY_DOT,
			       NULL, (off_t)i + 3))
			return CFS_OK;
		rc = rc == CFS_ENOTFOUND ? CFS_OK : rc;
	}
	return rc;
}

static void list_control(struct filler *f, fuse_ino_t ino, off_t off)
{
	if (ino != CFS_INO_CONTROL)
		return;		/* url and records list nothing */
	for (off_t i = off - 2; i < (off_t)CFS_CONTROL_FILES; i++) {
		const struct cfs_control_file *file = &cfs_control_files[i];

		if (fill_entry(f, cfs_slice_str(file->name), file->ino,
			       file->text != NULL ? ENTRY_FILE : ENTRY_DIR,
			       NULL, i + 3))
			return;
	}
}

/* Lists a folder of the tree, or of a search. */
static int list_folder(struct filler *f, const struct cfs_node *dir, off_t off)
{
	struct cfs_fs *fs = f->req.fs;
	unsigned captures = 0;

	if (off > 2 && !((uint64_t)off & CFS_COOKIE_BIT))
		return CFS_EUSAGE;
	f->search = dir->hits != NULL ? dir->search + 1 : 0;
	f->may_be_short =
		f->part.out.plus && !f->part.has_nodes && off == 2 &&
		cfs_file_sizes_are_exact(fs->crawls[dir->source],
					 fs->opts.views);
	if (f->part.has_nodes)
		captures = UINT_MAX;
	else if (f->may_be_short)
		captures = SHORT_FILES;
	return cfs_tree_list(fs->crawls[dir->source], dir, fs->opts.views,
			     off <= 2 ? 0 : (uint64_t)off, captures, emit_node,
			     f, CFS_CTX(&f->req.cancel, &f->req.err));
}

static int ops_dir_list(struct filler *f, fuse_ino_t ino, off_t off)
{
	struct cfs_fs *fs = f->req.fs;
	struct cfs_fs_folder dir;
	int rc;

	if (off < 0)
		return CFS_EUSAGE;
	if (fill_dots(f, ino, &off) != 0)
		return CFS_OK;
	if (cfs_searching_is_top(ino))
		return list_found_in(f, ino, off);
	rc = cfs_fs_folder_open(fs, ino, &dir,
				CFS_CTX(&f->req.cancel, &f->req.err));
	if (rc == CFS_OK)
		rc = list_folder(f, &dir.node, off);
	cfs_fs_folder_close(&dir);
	if (rc != CFS_ENOTFOUND || ino >= CFS_INO_NODES)
		return rc;
	if (cfs_fs_is_top(fs, ino))
		list_top(f, off);
	else if (ino == CFS_INO_SEARCH)
		list_queries(f, off);
	else
		list_control(f, ino, off);
	return CFS_OK;
}

/* Remembers for later requests what this reply contains. */
static void note_listing(const struct filler *f, pid_t reader)
{
	struct cfs_listings *l = f->req.fs->listings;
	const struct cfs_listing_part *p = &f->part;

	if (p->off == 0 && p->has_pages && f->req.fs->ahead[p->source] != NULL)
		cfs_readahead_listed(f->req.fs->ahead[p->source],
			&(struct cfs_stream_listed){ reader, p->first,
						     f->search },
			p->is_bare ? 0 : p->last);
	if (p->is_bare)
		cfs_listings_note_bare(l, p->folder);
	else if (p->off == 0)
		cfs_listings_note_nodes(l, p->folder);
	if (p->is_full && p->subfolders > 0)
		cfs_listings_note_subfolders(l, p->folder, p->subfolders);
}

/* Makes the part of a listing that is asked for. */
static int make_part(struct filler *f)
{
	struct cfs_listing_part *p = &f->part;
	int rc;

	if (p->out.plus && p->off != 0)
		p->subfolders = cfs_listings_subfolders(f->req.fs->listings,
							p->folder);
	p->out.buf = malloc(p->out.size);
	if (p->out.buf == NULL)
		return CFS_ENOMEM;
	rc = ops_dir_list(f, p->folder, p->off);
	if (rc == CFS_OK && !p->is_full)
		cfs_dirents_end(&p->out);
	return rc;
}

static int part_for_request(struct filler *f)
{
	struct cfs_fs *fs = f->req.fs;
	int64_t began_ms = cfs_monotonic_ms();
	int rc;

	if (cfs_listings_take_part(fs->listings, &f->part)) {
		CFS_COUNT(fs, CFS_OP_LISTED_AHEAD, 1);
		return CFS_OK;
	}
	rc = cfs_failures_recent(fs->failures, f->part.folder, NULL, began_ms);
	if (rc != CFS_OK)
		return rc;
	rc = make_part(f);
	cfs_failures_ended(fs->failures, f->part.folder, NULL, rc, began_ms);
	return rc;
}

/* Is the time over for what is made ahead? */
static bool is_ahead_over(void *arg)
{
	const int64_t *until_ms = arg;

	return cfs_monotonic_ms() >= *until_ms;
}

/* Makes the part behind `last`, which was sent and did not hold all, while the
 * kernel hands that one to its reader.  A part with sizes that may be corrected
 * is not kept. */
static void list_ahead(struct cfs_fs *fs, const struct cfs_listing_part *last)
{
	_Atomic bool would_wait = false;
	int64_t until_ms = cfs_monotonic_ms() + AHEAD_MS;
	struct filler f = {
		.req = { .fs = fs,
			 .cancel = { .asked = is_ahead_over, .arg = &until_ms,
				     .would_wait = &would_wait },
			 .err = CFS_ERROR_INIT },
		.part = { .folder = last->folder, .off = last->next,
			  .has_nodes = last->has_nodes,
			  .out = { .size = last->out.size,
				   .plus = last->out.plus } },
	};
	struct cfs_node folder;

	if (!cfs_fs_node(fs, last->folder, &folder) ||
	    (last->has_nodes && !fs->sizes_are_exact))
		return;
	if (make_part(&f) == CFS_OK && f.part.out.used > 0)
		cfs_listings_put_part(fs->listings, &f.part);
	else
		free(f.part.out.buf);
}

static void readdir_common(fuse_req_t req, fuse_ino_t ino, size_t size,
			   off_t off, bool plus)
{
	struct cfs_fs *fs = cfs_fs_of(req);
	struct filler f = { .part = { .folder = ino, .off = off,
				      .out = { .size = size, .plus = plus } } };
	struct cfs_listing_part *p = &f.part;
	pid_t reader = fuse_req_ctx(req)->pid;
	int rc;

	cfs_req_begin(&f.req, req, plus ? CFS_OP_READDIRPLUS : CFS_OP_READDIR);
	if (off == CFS_DIRENTS_END) {
		cfs_loads_store_next(fs->loads, ino, 0);
		fuse_reply_buf(req, NULL, 0);
		return;
	}
	p->has_nodes = plus && cfs_listings_is_statter(fs->listings, reader);
	rc = part_for_request(&f);
	if (rc == CFS_OK && p->is_full && p->out.used == 0)
		rc = CFS_EUSAGE;	/* not even one name fits */
	note_listing(&f, reader);
	/* Names listed before a failure are delivered; the next request meets
	 * the failure again. */
	if (rc != CFS_OK && p->out.used == 0)
		cfs_reply_failure(req, ino, NULL, rc, &f.req.err);
	else
		fuse_reply_buf(req, (const char *)p->out.buf, p->out.used);
	if (rc == CFS_OK && p->is_full)
		list_ahead(fs, p);
	free(p->out.buf);
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

	while ((folder = cfs_listings_take_back(fs->listings, &at)) != 0)
		fuse_lowlevel_notify_inval_inode(fs->session, folder, 0, 0);
}
