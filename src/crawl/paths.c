/* paths.c - finds the paths of captures' files, for captures in index order.
 *
 * What is kept of the capture before: the path of its directory, the captures
 * of its page, and which neighbours take the names of its views.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "tree.h"

#include <assert.h>
#include <stdlib.h>

#include "page.h"

struct cfs_paths {
	struct cfs_walk *w;		/* dir and child: the page's */
	cfs_view_set views;
	bool has_page;			/* w->child and `names` are a page's */
	struct cfs_page_names names;
	uint64_t number;		/* of the capture; 0: preferred */
	struct cfs_buf dir;		/* path of w->dir, and a slash */
};

int cfs_paths_begin(struct cfs_paths **out, struct cfs_crawl *c,
		    cfs_view_set views, struct cfs_ctx ctx)
{
	struct cfs_paths *p = calloc(1, sizeof(*p));
	int rc;

	*out = p;
	if (p == NULL)
		return cfs_error_nomem(ctx.err);
	p->views = views;
	cfs_buf_init(&p->dir, 4 * CFS_KEY_MAX);
	rc = cfs_walk_begin(&p->w, c, NULL, ctx);
	if (rc == CFS_OK)
		cfs_walk_keep_gaps(p->w);
	return rc;
}

void cfs_paths_end(struct cfs_paths *p)
{
	if (p == NULL)
		return;
	cfs_walk_end(p->w);
	cfs_buf_release(&p->dir);
	free(p);
}

/* Makes the directory of an entry, whose key is `key`, that of w. */
static int enter_dir(struct cfs_paths *p, struct cfs_slice key)
{
	struct cfs_walk *w = p->w;
	int rc;

	if (p->dir.n > 0 && w->dir.n + 1 == w->other.n &&
	    cfs_path_starts(&w->dir, &w->other))
		return CFS_OK;
	cfs_buf_reset(&p->dir);
	rc = cfs_walk_dir_of(w, key, w->other.n - 1);
	if (rc == CFS_OK)
		rc = cfs_walk_add_path(w, &p->dir);
	return rc == CFS_OK ? cfs_buf_addc(&p->dir, '/') : rc;
}

/* Makes the page of an entry that of w, and finds out its files' names. */
static int enter_page(struct cfs_paths *p, const struct cfs_iter *it,
		      struct cfs_page *page)
{
	struct cfs_walk *w = p->w;
	int rc = cfs_index_split(w->c->index, it->key, &w->other);

	if (rc == CFS_OK && p->has_page && cfs_path_eq(&w->child, &w->other))
		return cfs_page_load(w, it->pos, page);
	p->has_page = false;
	if (rc == CFS_OK)
		rc = enter_dir(p, it->key);
	if (rc == CFS_OK)
		rc = cfs_walk_child_of(w, &w->other);
	if (rc == CFS_OK)
		rc = cfs_page_load(w, it->pos, page);
	if (rc == CFS_OK)
		rc = cfs_walk_is_apart(w, it->key) ?
		     cfs_page_names_apart(w, p->views, &p->names) :
		     cfs_page_names(w, p->views, &p->names);
	p->has_page = rc == CFS_OK;
	return rc;
}

int cfs_paths_find(struct cfs_paths *p, const struct cfs_iter *it)
{
	struct cfs_page page;
	int rc = enter_page(p, it, &page);

	if (rc == CFS_OK)
		p->number = it->pos == page.preferred ? 0 : page.rank + 1;
	return rc;
}

int cfs_paths_add(const struct cfs_paths *p, enum cfs_view view,
		  struct cfs_buf *out)
{
	char name[CFS_NAME_MAX + 1];
	struct cfs_suffix suffix;
	size_t n;

	assert(cfs_view_is_plain(view) && (p->views & 1u << view) != 0);
	if (!cfs_suffix_find(view, 0, &suffix))
		return CFS_ENOTFOUND;
	n = cfs_page_file_name(&p->names, &suffix, p->number, name);
	cfs_buf_add(out, cfs_buf_slice(&p->dir));
	return cfs_buf_append(out, name, n);
}
