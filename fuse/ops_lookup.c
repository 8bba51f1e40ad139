/* ops_lookup.c - LOOKUP and FORGET: names in folders to inode numbers.
 *
 * A missing name is answered with a negative entry, which the kernel keeps
 * indefinitely; a failure to find out is an error and is not kept.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ops.h"

#include <errno.h>
#include <string.h>

#include "attr.h"
#include "control.h"
#include "crawl/tree.h"
#include "failures.h"
#include "listings.h"
#include "records.h"
#include "searching.h"

static int lookup_control(struct cfs_fs *fs, fuse_ino_t parent,
			  const char *name, fuse_ino_t *out)
{
	if (parent != CFS_INO_CONTROL)
		return CFS_ENOTFOUND;
	for (unsigned i = 0; i < CFS_CONTROL_FILES; i++) {
		const struct cfs_control_file *file = &cfs_control_files[i];

		if (strcmp(file->name, name) == 0) {
			*out = file->is_snapshot ?
			       cfs_control_snapshot_ino(fs, file->ino) :
			       file->ino;
			return CFS_OK;
		}
	}
	return CFS_ENOTFOUND;
}

/* .crawlfs/url/NUMBER: the URL of the file with that inode number. */
static int lookup_url(struct cfs_fs *fs, const char *name, fuse_ino_t *out)
{
	struct cfs_node n;
	uint64_t ino;

	if (cfs_slice_parse_u64(cfs_slice_str(name), UINT64_MAX, &ino) !=
		    CFS_OK ||
	    !cfs_fs_node(fs, ino, &n) || n.type != CFS_NODE_FILE)
		return CFS_ENOTFOUND;
	n.view = CFS_VIEW_URL;
	*out = cfs_ino_of(&n);
	return CFS_OK;
}

static int lookup_source(const struct cfs_fs *fs, const char *name,
			 fuse_ino_t *out)
{
	for (unsigned i = 0; i < fs->n_crawls; i++) {
		if (strcmp(fs->names[i], name) == 0) {
			*out = CFS_INO_SOURCES + i;
			return CFS_OK;
		}
	}
	return CFS_ENOTFOUND;
}

/* The folder that holds the root of a source or of a search, or a folder that
 * is no crawl's.  0: the number is none of these. */
static fuse_ino_t parent_of_top(const struct cfs_fs *fs, fuse_ino_t ino)
{
	struct cfs_node n;

	if (ino == CFS_INO_URL_DIR || ino == CFS_INO_SEARCH ||
	    cfs_records_is_dir(ino))
		return CFS_INO_CONTROL;
	if (cfs_ino_search(ino, &n)) {
		if (n.depth > 0)
			return 0;
		if (fs->n_crawls == 1 || n.hit == CFS_INO_SEARCH_TOP)
			return CFS_INO_SEARCH;
		n.source = 0;
		n.hit = CFS_INO_SEARCH_TOP;
		return cfs_ino_of_search(&n);
	}
	if (cfs_fs_node(fs, ino, &n) &&
	    (n.type == CFS_NODE_FILE || n.depth > 0))
		return 0;
	return CFS_INO_ROOT;
}

/* Looks up `..`, which only NFS servers ask for. */
static int lookup_parent(struct cfs_req *r, fuse_ino_t ino, fuse_ino_t *out)
{
	struct cfs_ctx ctx = CFS_CTX(&r->cancel, &r->err);
	struct cfs_fs *fs = r->fs;
	struct cfs_fs_folder f;
	struct cfs_node up;
	int rc;

	*out = parent_of_top(fs, ino);
	if (*out != 0)
		return CFS_OK;
	rc = cfs_fs_folder_open(fs, ino, &f, ctx);
	if (rc == CFS_OK)
		rc = cfs_tree_parent(fs->crawls[f.node.source], &f.node, &up,
				     ctx);
	cfs_fs_folder_close(&f);
	if (rc == CFS_OK)
		*out = cfs_fs_ino(fs, &up);
	return rc;
}

/* Looks a name up in a folder of the tree, or of a search. */
static int lookup_in_tree(struct cfs_req *r, const struct cfs_node *dir,
			  const char *name, fuse_ino_t *out)
{
	struct cfs_crawl *c = r->fs->crawls[dir->source];
	struct cfs_ctx ctx = CFS_CTX(&r->cancel, &r->err);
	struct cfs_node node;
	int rc = cfs_tree_lookup(c, dir, cfs_slice_str(name), &node, ctx);

	*out = CFS_INO_WWW;
	if (rc == CFS_OK)
		*out = cfs_fs_ino(r->fs, &node);
	else if (rc == CFS_ENOTFOUND)
		rc = cfs_tree_is_www(c, dir, cfs_slice_str(name), ctx);
	return rc;
}

static int lookup(struct cfs_req *r, fuse_ino_t parent, const char *name,
		  fuse_ino_t *out)
{
	struct cfs_ctx ctx = CFS_CTX(&r->cancel, &r->err);
	struct cfs_fs *fs = r->fs;
	struct cfs_fs_folder dir;
	int rc;

	if (strcmp(name, ".") == 0) {
		*out = parent;
		return CFS_OK;
	}
	if (strcmp(name, "..") == 0)
		return lookup_parent(r, parent, out);
	if (parent == CFS_INO_ROOT && strcmp(name, ".crawlfs") == 0) {
		*out = CFS_INO_CONTROL;
		return CFS_OK;
	}
	if (cfs_fs_is_top(fs, parent))
		return lookup_source(fs, name, out);
	if (parent == CFS_INO_SEARCH)
		return cfs_searching_enter(fs, name, out, &r->has_news, ctx);
	if (cfs_searching_is_top(parent)) {
		rc = lookup_source(fs, name, out);
		return rc != CFS_OK ? rc :
		       cfs_searching_source(fs, parent, (unsigned)
					    (*out - CFS_INO_SOURCES), out, ctx);
	}
	if (parent == CFS_INO_URL_DIR)
		return lookup_url(fs, name, out);
	if (cfs_records_is_dir(parent))
		return cfs_records_lookup(fs, parent, name, out, ctx);
	if (parent < CFS_INO_NODES && !cfs_fs_node(fs, parent, &dir.node))
		return lookup_control(fs, parent, name, out);
	rc = cfs_fs_folder_open(fs, parent, &dir, ctx);
	if (rc == CFS_OK)
		rc = lookup_in_tree(r, &dir.node, name, out);
	cfs_fs_folder_close(&dir);
	return rc;
}

/* Finds the inode number of a name (0 if there is no such name) and
 * its attributes. */
static int ops_lookup_find(struct cfs_req *r, fuse_ino_t parent,
			   const char *name, struct fuse_entry_param *e)
{
	int64_t began_ms = cfs_monotonic_ms();
	int rc = cfs_failures_recent(r->fs->failures, parent, name, began_ms);
	struct cfs_node n;

	if (rc != CFS_OK)
		return rc;
	rc = lookup(r, parent, name, &e->ino);
	if (rc == CFS_OK)
		rc = cfs_attr_fill(r->fs, e->ino, &e->attr,
				   CFS_CTX(&r->cancel, &r->err));
	else if (rc == CFS_ENOTFOUND)
		e->ino = 0;
	if (rc == CFS_OK && parent != CFS_INO_SEARCH &&
	    cfs_ino_search(e->ino, &n))
		cfs_searches_use(r->fs->searches, n.search);
	cfs_failures_ended(r->fs->failures, parent, name, rc, began_ms);
	return rc;
}

void cfs_op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct cfs_load l = { .req = req, .is_lookup = true,
			      .entry.entry_timeout = CFS_FOREVER,
			      .entry.attr_timeout = CFS_FOREVER };
	struct cfs_req r;
	bool take_back;
	int rc;

	cfs_req_begin(&r, req, CFS_OP_LOOKUP);
	if (strlen(name) > CFS_NAME_MAX) {
		fuse_reply_err(req, ENAMETOOLONG);
		return;
	}
	rc = ops_lookup_find(&r, parent, name, &l.entry);
	if (rc == CFS_ENOTFOUND && l.entry.ino == 0) {
		/* a negative entry, kept indefinitely */
		fuse_reply_entry(req, &l.entry);
		return;
	}
	if (rc < CFS_OK) {
		cfs_reply_failure(req, parent, name, rc, &r.err);
		return;
	}
	if (cfs_control_is_snapshot(l.entry.ino))
		l.entry.entry_timeout = 0;
	take_back = !S_ISDIR(l.entry.attr.st_mode) &&
		    cfs_listings_note_look_up(r.fs->listings,
					      fuse_req_ctx(req)->pid, parent);
	if (rc == CFS_ATTR_UNSIZED)
		cfs_attr_measure(&l, &r.cancel);
	else
		fuse_reply_entry(req, &l.entry);
	if (take_back)
		cfs_dir_take_listings_back(r.fs);
	if (r.has_news)
		fuse_lowlevel_notify_inval_inode(r.fs->session, CFS_INO_SEARCH,
						 0, 0);
}

/* The kernel forgets n uses of an inode. */
static void ops_lookup_forget(struct cfs_fs *fs, fuse_ino_t ino, uint64_t n)
{
	struct cfs_node node;

	CFS_COUNT(fs, CFS_OP_FORGET, n);
	if (cfs_ino_search(ino, &node))
		cfs_searches_end(fs->searches, node.search, n);
}

void cfs_op_forget(fuse_req_t req, fuse_ino_t ino, uint64_t n)
{
	ops_lookup_forget(cfs_fs_of(req), ino, n);
	fuse_reply_none(req);
}

void cfs_op_forget_multi(fuse_req_t req, size_t count,
			    struct fuse_forget_data *forgets)
{
	for (size_t i = 0; i < count; i++)
		ops_lookup_forget(cfs_fs_of(req), forgets[i].ino,
				  forgets[i].nlookup);
	fuse_reply_none(req);
}
