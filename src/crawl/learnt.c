/* learnt.c - which sizes are kept, and under which keys:
 *     bits 0-47 position, 48-53 view, 54: metadata in one line
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "learnt.h"

#include "cache/sizes.h"

#define VIEW_SHIFT 48
#define COMPACT_BIT (UINT64_C(1) << 54)

int cfs_learnt_open(struct cfs_crawl *c, const struct cfs_crawl_opts *opts,
		    struct cfs_error *err)
{
	char usual[PATH_MAX];
	const char *dir = cfs_crawl_cache_dir(opts->cache_dir, usual);

	if (dir == NULL || opts->no_cache || c->sizes_id.state == 0)
		return CFS_OK;
	return cfs_sizes_open(&c->sizes, dir, &c->sizes_id, cfs_view_code(),
			      err);
}

/* Not of the view `record`: its size is known from the index, or is that of
 * what a library compresses.  Bodies are the same whatever code makes the
 * views of them. */
static bool make_entry(const struct cfs_crawl *c, const struct cfs_node *file,
		       struct cfs_sizes_entry *out)
{
	if (c->sizes == NULL || file->type != CFS_NODE_FILE ||
	    (file->view != CFS_VIEW_RAW && file->view != CFS_VIEW_META &&
	     file->view != CFS_VIEW_TEXT && file->view != CFS_VIEW_HEADERS))
		return false;
	*out = (struct cfs_sizes_entry){
		.key = file->pos | (uint64_t)file->view << VIEW_SHIFT,
		.holds_for_any_code = file->view == CFS_VIEW_RAW,
	};
	if (file->view == CFS_VIEW_META && c->view.meta_compact)
		out->key |= COMPACT_BIT;
	return true;
}

bool cfs_learnt_size(const struct cfs_crawl *c, const struct cfs_node *file,
		     uint64_t *size)
{
	struct cfs_sizes_entry e;

	return make_entry(c, file, &e) && cfs_sizes_get(c->sizes, e.key, size);
}

void cfs_learnt_note(const struct cfs_crawl *c, const struct cfs_node *file,
		     uint64_t size)
{
	struct cfs_sizes_entry e;

	if (!make_entry(c, file, &e))
		return;
	e.size = size;
	cfs_sizes_put(c->sizes, &e);
}
