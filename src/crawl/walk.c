/* walk.c - finds directories as paths of components, and what is below them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "walk.h"

#include <string.h>

#include "captures.h"
#include "names.h"
#include "thread_scratch.h"

/* Bytes for a directory's key, one more component, and all lengths. */
#define PAGE_NAME_MAX (2 * CFS_KEY_MAX + 4 * (CFS_DEPTH_MAX + 2))

int cfs_walk_begin(struct cfs_walk **out, struct cfs_crawl *c,
		   const struct cfs_node *dir, struct cfs_ctx ctx)
{
	struct cfs_walk *w =
		cfs_thread_scratch_take(CFS_SPARE_WALK, sizeof(*w));

	*out = w;
	if (w == NULL)
		return cfs_error_nomem(ctx.err);
	w->c = c;
	w->ctx = ctx;
	w->few = NULL;
	w->many = NULL;
	cfs_buf_init(&w->page_name, PAGE_NAME_MAX);
	cfs_buf_init(&w->asked_name, PAGE_NAME_MAX);
	cfs_path_iter_init(&w->below, c->index, ctx);
	cfs_path_iter_init(&w->page, cfs_index_whole(c->index), ctx);
	cfs_path_iter_init(&w->probe, cfs_index_whole(c->index), ctx);
	return dir != NULL ? cfs_walk_dir(w, dir, &w->probe.it) : CFS_OK;
}

void cfs_walk_keep_gaps(struct cfs_walk *w)
{
	cfs_path_iter_keep_gaps(&w->page);
	cfs_path_iter_keep_gaps(&w->probe);
	w->probe.beside = &w->page;
}

bool cfs_walk_is_apart(const struct cfs_walk *w, struct cfs_slice key)
{
	return w->page.ix->is_ordered && w->many == NULL &&
	       cfs_path_iter_is_behind_gap(&w->page) &&
	       !cfs_slice_starts(w->page.it.key, key);
}

void cfs_walk_end(struct cfs_walk *w)
{
	if (w == NULL)
		return;
	cfs_captures_end(w);
	cfs_path_iter_release(&w->below);
	cfs_path_iter_release(&w->page);
	cfs_path_iter_release(&w->probe);
	cfs_thread_scratch_give(CFS_SPARE_WALK, w);
}

int cfs_walk_dir(struct cfs_walk *w, const struct cfs_node *dir,
		 struct cfs_iter *it)
{
	int rc;

	w->dir.n = w->dir.host_n = 0;
	if (dir->type != CFS_NODE_DIR)
		return CFS_ENOTFOUND;
	if (dir->depth == 0)
		return CFS_OK;
	rc = cfs_index_at(w->c->index, dir->pos, it, w->ctx);
	return rc == CFS_OK ? cfs_walk_dir_of(w, it->key, dir->depth) : rc;
}

int cfs_walk_dir_of(struct cfs_walk *w, struct cfs_slice key, unsigned depth)
{
	int rc;

	w->dir.n = w->dir.host_n = 0;
	if (key.n > sizeof(w->dir_key))
		return CFS_ENOTFOUND;
	w->dir_key_n = key.n;
	memcpy(w->dir_key, key.p, w->dir_key_n);
	key.p = w->dir_key;
	rc = cfs_index_split(w->c->index, key, &w->dir);
	if (rc != CFS_OK || depth >= w->dir.n) {
		w->dir.n = w->dir.host_n = 0;
		return CFS_ENOTFOUND;
	}
	w->dir.n = depth;
	if (w->dir.host_n > w->dir.n)
		w->dir.host_n = w->dir.n;
	return CFS_OK;
}

int cfs_walk_add_path(const struct cfs_walk *w, struct cfs_buf *out)
{
	for (unsigned i = 0; i < w->dir.n; i++) {
		char name[CFS_NAME_MAX];
		enum cfs_zone zone = i < w->dir.host_n ? CFS_ZONE_HOST
						       : CFS_ZONE_PATH;
		size_t k = 1;

		if (i > 0)
			cfs_buf_addc(out, '/');
		if (i == w->dir.host_n)
			name[0] = '_';
		else
			k = cfs_name_escape(w->dir.comp[i], zone, name);
		cfs_buf_append(out, name, k);
	}
	return out->failed;
}

void cfs_walk_extend(const struct cfs_walk *w, struct cfs_slice comp,
		     bool is_marker, struct cfs_path *out)
{
	memcpy(out->comp, w->dir.comp, w->dir.n * sizeof(out->comp[0]));
	out->comp[w->dir.n] = is_marker ? CFS_SLICE_LIT("_") : comp;
	out->n = w->dir.n + 1;
	out->host_n = w->dir.host_n;
	if (cfs_walk_in_host(w) && !is_marker)
		out->host_n++;
}

int cfs_walk_child(struct cfs_walk *w, struct cfs_slice comp, bool is_marker)
{
	if (comp.n > sizeof(w->comp) || w->dir.n >= CFS_DEPTH_MAX)
		return CFS_ELIMIT;
	if (comp.n > 0)
		memcpy(w->comp, comp.p, comp.n);
	cfs_walk_extend(w, cfs_slice_of(w->comp, comp.n), is_marker, &w->child);
	return CFS_OK;
}

int cfs_walk_child_of(struct cfs_walk *w, const struct cfs_path *entry)
{
	bool is_marker = cfs_walk_in_host(w) && entry->host_n == w->dir.n;

	return cfs_walk_child(w, entry->comp[w->dir.n], is_marker);
}

int cfs_walk_host_of(struct cfs_walk *w, const struct cfs_path *entry)
{
	size_t used = 0;

	if (entry->host_n >= CFS_DEPTH_MAX)
		return CFS_ELIMIT;
	memcpy(w->child.comp, w->dir.comp, w->dir.n * sizeof(w->dir.comp[0]));
	for (unsigned i = w->dir.n; i < entry->host_n; i++) {
		struct cfs_slice label = entry->comp[i];

		if (label.n > sizeof(w->comp) - used)
			return CFS_ELIMIT;
		memcpy(w->comp + used, label.p, label.n);
		w->child.comp[i] = cfs_slice_of(w->comp + used, label.n);
		used += label.n;
	}
	w->child.host_n = entry->host_n;
	w->child.comp[entry->host_n] = CFS_SLICE_LIT("_");
	w->child.n = entry->host_n + 1;
	return CFS_OK;
}

int cfs_walk_find(struct cfs_walk *w, const struct cfs_path *path,
		  enum cfs_below below, cfs_pos *out)
{
	int rc = cfs_path_iter_first(&w->probe, path, below);
	int damage = CFS_ENOTFOUND;

	while (below == CFS_BELOW_DIR &&
	       cfs_index_is_at_hole(&w->probe.it, rc)) {
		damage = rc;
		rc = cfs_path_iter_skip(&w->probe);
	}
	if (rc != CFS_OK)
		return rc == CFS_END ? damage : rc;
	*out = w->probe.it.pos;
	if (damage != CFS_ENOTFOUND)
		cfs_error_clear(w->ctx.err);
	return CFS_OK;
}

int cfs_walk_find_shown(struct cfs_walk *w, const struct cfs_path *dir,
			cfs_pos *out)
{
	int rc;

	w->probe.ix = w->c->index;
	rc = cfs_path_iter_first(&w->probe, dir, CFS_BELOW_DIR);
	if (rc == CFS_OK)
		*out = w->probe.it.pos;
	while (rc == CFS_OK && !w->c->index->is_ordered) {
		const struct cfs_captures *p;

		rc = cfs_captures_get(w, &w->probe.entry, &p);
		if (rc != CFS_OK || (p->n > 0 && p->is_shown))
			break;		/* else the page is not shown */
		rc = cfs_path_iter_next(&w->probe);
	}
	w->probe.ix = cfs_index_whole(w->c->index);
	return rc == CFS_END ? CFS_ENOTFOUND : rc;
}
