/* searching.c - finds the folders of searches by inode number and by name.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "searching.h"

#include <inttypes.h>

#include "crawl/tree.h"
#include "error_report.h"
#include "index/hits.h"

bool cfs_searching_is_top(uint64_t ino)
{
	struct cfs_node n;

	return cfs_ino_search(ino, &n) && n.hit == CFS_INO_SEARCH_TOP;
}

/* Reports captures of which it is not known whether they match. */
static void note_unread(struct cfs_fs *fs, uint64_t ino, uint64_t unread)
{
	struct cfs_error err = CFS_ERROR_INIT;

	if (unread == 0)
		return;
	cfs_error_set(&err, CFS_EFORMAT, "%" PRIu64 " page%s may match besides: "
		      "the text cannot be read", unread,
		      unread == 1 ? "" : "s");
	CFS_COUNT(fs, CFS_OP_ERRORS, 1);
	cfs_error_report_note(fs, ino, NULL, CFS_EFORMAT, &err);
}

int cfs_fs_folder_open(struct cfs_fs *fs, uint64_t ino,
		       struct cfs_fs_folder *out, struct cfs_ctx ctx)
{
	struct cfs_node *n = &out->node;
	int rc;

	*out = (struct cfs_fs_folder){ .pin.ref = NULL };
	if (cfs_fs_node(fs, ino, n))
		return CFS_OK;
	if (!cfs_ino_search(ino, n) || n->hit == CFS_INO_SEARCH_TOP)
		return CFS_ENOTFOUND;
	rc = cfs_searches_get(fs->searches, n->search, n->source, &out->pin,
			      ctx);
	if (rc != CFS_OK)
		return rc;
	note_unread(fs, ino, out->pin.unread);
	n->hits = out->pin.ix;
	if (n->depth > 0)
		n->pos = cfs_hits_index_pos(n->hits, n->hit);
	return n->pos == CFS_POS_NONE ? CFS_ENOTFOUND : CFS_OK;
}

void cfs_fs_folder_close(struct cfs_fs_folder *f)
{
	cfs_lru_put(f->pin.ref);
}

int cfs_searching_enter(struct cfs_fs *fs, const char *name, uint64_t *out,
			bool *is_new, struct cfs_ctx ctx)
{
	struct cfs_node n = cfs_tree_root(0);
	int rc = cfs_searches_enter(fs->searches, cfs_slice_str(name),
				    &n.search, is_new, ctx);

	if (fs->n_crawls > 1)
		n.hit = CFS_INO_SEARCH_TOP;
	*out = cfs_ino_of_search(&n);
	return rc;
}

int cfs_searching_source(struct cfs_fs *fs, uint64_t top, unsigned i,
			 uint64_t *out, struct cfs_ctx ctx)
{
	struct cfs_search_hits pin;
	struct cfs_node n;
	int rc;

	(void)cfs_ino_search(top, &n);
	n.source = i;
	n.hit = 0;
	*out = cfs_ino_of_search(&n);
	rc = cfs_searches_get(fs->searches, n.search, i, &pin, ctx);
	if (rc == CFS_OK && pin.n == 0)
		rc = CFS_ENOTFOUND;
	if (rc == CFS_OK || rc == CFS_ENOTFOUND)
		note_unread(fs, *out, pin.unread);
	cfs_lru_put(pin.ref);
	return rc;
}
