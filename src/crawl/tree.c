/* tree.c - looks up names, parents and paths in the directory tree.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "tree.h"

#include "base/ascii.h"
#include "cuts.h"
#include "entry.h"
#include "index/hits.h"
#include "page.h"

/* Nodes found here have no source yet: cfs_tree_lookup sets it. */

#define ELSEWHERE 2	/* the entry of that name is in another part */

/* A directory's position is that of its first entry in the whole index. */
static int tree_find_dir(struct cfs_walk *w, struct cfs_node *out)
{
	cfs_pos shown;
	int rc;

	*out = (struct cfs_node){ .type = CFS_NODE_DIR, .depth = w->child.n };
	rc = cfs_walk_find(w, &w->child, CFS_BELOW_DIR, &out->pos);
	if (rc != CFS_OK || cfs_index_holds(w->c->index, w->probe.it.key))
		return rc;
	rc = cfs_walk_find_shown(w, &w->child, &shown);
	return rc == CFS_ENOTFOUND ? ELSEWHERE : rc;
}

/* Finds the capture of w->child that a name in full form states; otherwise the
 * preferred one. */
static int find_capture(struct cfs_walk *w, const struct cfs_name *name,
			enum cfs_view view, struct cfs_node *out)
{
	struct cfs_page page;
	int rc;

	*out = (struct cfs_node){ .type = CFS_NODE_FILE, .view = view };
	if (name != NULL && name->is_dated)
		return cfs_page_nearest(w, name->date, &out->pos);
	rc = cfs_page_load(w, CFS_POS_NONE, &page);
	if (rc != CFS_OK)
		return rc;
	if (!page.is_shown)
		return ELSEWHERE;
	out->pos = page.preferred;
	return name != NULL && name->capture > 0 ?
	       cfs_page_nth(w, name->capture, &out->pos) : CFS_OK;
}

static int find_view(struct cfs_walk *w, const struct cfs_name *name,
		     struct cfs_slice suffix, struct cfs_node *out)
{
	struct cfs_suffix s, has;
	struct cfs_capture cap;
	int rc;

	if (!cfs_suffix_parse(suffix, &s))
		return CFS_ENOTFOUND;
	rc = find_capture(w, name, s.view, out);
	if (rc != CFS_OK || cfs_view_is_plain(s.view))
		return rc;
	rc = cfs_index_at(w->c->index, out->pos, &w->probe.it, w->ctx);
	if (rc == CFS_OK)
		rc = cfs_index_capture(&w->probe.it, &cap, w->ctx.err);
	if (rc == CFS_OK)
		rc = cfs_entry_suffix(w->c, &cap, s.view, &has, w->ctx.err);
	if (rc == CFS_OK && has.form != s.form)
		rc = CFS_ENOTFOUND;
	return rc;
}

static int child_by_name(struct cfs_walk *w, const struct cfs_name *name,
			 enum cfs_zone zone)
{
	if (name->is_cut)
		return cfs_cuts_find(w, name, zone);
	return cfs_walk_child(w, cfs_slice_of(name->comp, name->comp_n),
			      false) == CFS_OK ? CFS_OK : CFS_ENOTFOUND;
}

static int lookup_in_host(struct cfs_walk *w, struct cfs_slice text,
			  struct cfs_node *out)
{
	struct cfs_name name;
	int rc;

	if (cfs_slice_eq(text, CFS_SLICE_LIT("_"))) {
		if (w->dir.n == 0)
			return CFS_ENOTFOUND;
		rc = cfs_walk_child(w, CFS_SLICE_EMPTY, true);
	} else if (cfs_name_parse(text, CFS_ZONE_HOST, &name) &&
		   name.suffix.n == 0) {
		rc = child_by_name(w, &name, CFS_ZONE_HOST);
	} else {
		rc = CFS_ENOTFOUND;
	}
	return rc == CFS_OK ? tree_find_dir(w, out) : rc;
}

/* Looks up a plain name as the view of a page. */
static int lookup_plain_view(struct cfs_walk *w, struct cfs_slice text,
			     struct cfs_node *out)
{
	struct cfs_suffix s = { .view = CFS_VIEW_NONE };

	while (cfs_suffix_next(&s)) {
		struct cfs_name name;
		int rc;

		if (text.n <= s.text.n || !cfs_slice_ends(text, s.text) ||
		    !cfs_name_parse(cfs_slice_sub(text, 0, text.n - s.text.n),
				    CFS_ZONE_PATH, &name) ||
		    name.is_full || name.is_cut)
			continue;
		rc = child_by_name(w, &name, CFS_ZONE_PATH);
		if (rc == CFS_OK)
			rc = find_view(w, NULL, s.text, out);
		if (rc != CFS_ENOTFOUND)
			return rc;
	}
	return CFS_ENOTFOUND;
}

static int lookup_in_path(struct cfs_walk *w, struct cfs_slice text,
			  struct cfs_node *out)
{
	struct cfs_name name;
	int rc = CFS_ENOTFOUND;

	if (cfs_name_parse(text, CFS_ZONE_PATH, &name)) {
		rc = child_by_name(w, &name, CFS_ZONE_PATH);
		if (rc != CFS_OK)
			return rc;
		if (name.is_full || name.suffix.n > 0)
			return find_view(w, &name, name.suffix, out);
		rc = tree_find_dir(w, out);
		if (rc == CFS_ENOTFOUND)
			rc = find_capture(w, NULL, CFS_VIEW_RAW, out);
		if (name.is_cut)
			return rc;
	}
	if (rc == CFS_ENOTFOUND)
		rc = lookup_plain_view(w, text, out);
	return rc;
}

/* Makes the node of a directory, whose components are `path`, that of the
 * search that `from` is in.  CFS_ENOTFOUND if no hit is below it. */
static int enter_hits(struct cfs_walk *w, const struct cfs_path *path,
		      const struct cfs_node *from, struct cfs_node *out)
{
	int rc = CFS_OK;

	w->below.ix = out->hits = from->hits;
	out->search = from->search;
	if (path->n > 0) {
		rc = cfs_path_iter_first(&w->below, path, CFS_BELOW_DIR);
		out->pos = w->below.it.pos;
		out->hit = w->below.it.hit;
	}
	return rc == CFS_END ? CFS_ENOTFOUND : rc;
}

/* Reduces what was found in a directory of a search to its hits. */
static int keep_hits(struct cfs_walk *w, const struct cfs_node *dir,
		     struct cfs_node *found)
{
	if (found->type == CFS_NODE_DIR)
		return enter_hits(w, &w->child, dir, found);
	return cfs_hits_index_has(dir->hits, found->pos) ? CFS_OK :
							    CFS_ENOTFOUND;
}

int cfs_tree_lookup(struct cfs_crawl *c, const struct cfs_node *dir,
		    struct cfs_slice name, struct cfs_node *out,
		    struct cfs_ctx ctx)
{
	struct cfs_walk *w;
	int rc;

	if (name.n > CFS_NAME_MAX)
		return CFS_ENOTFOUND;
	rc = cfs_walk_begin(&w, c, dir, ctx);
	if (rc == CFS_OK)
		rc = cfs_walk_in_host(w) ? lookup_in_host(w, name, out)
					 : lookup_in_path(w, name, out);
	if (rc == ELSEWHERE)
		rc = CFS_ENOTFOUND;
	if (rc == CFS_OK && dir->hits != NULL)
		rc = keep_hits(w, dir, out);
	out->source = dir->source;
	cfs_walk_end(w);
	return rc;
}

int cfs_tree_is_www(struct cfs_crawl *c, const struct cfs_node *dir,
		    struct cfs_slice name, struct cfs_ctx ctx)
{
	struct cfs_walk *w;
	cfs_pos pos;
	int rc;

	if (!c->index->strips_www || dir->depth == 0 ||
	    !cfs_slice_starts(name, CFS_SLICE_LIT("www")))
		return CFS_ENOTFOUND;
	for (size_t i = 3; i < name.n; i++)	/* www2 and so on */
		if (!cfs_is_digit(name.p[i]))
			return CFS_ENOTFOUND;
	rc = cfs_walk_begin(&w, c, dir, ctx);
	if (rc == CFS_OK &&
	    (!cfs_walk_in_host(w) ||
	     cfs_walk_child(w, CFS_SLICE_EMPTY, true) != CFS_OK))
		rc = CFS_ENOTFOUND;
	if (rc == CFS_OK)
		rc = cfs_walk_find(w, &w->child, CFS_BELOW_DIR, &pos);
	cfs_walk_end(w);
	return rc;
}

/* Sets w->dir to the directory that contains node n.  If n is a file, its entry
 * is then under w->page.it and its components in w->other. */
static int above_dir(struct cfs_walk *w, const struct cfs_node *n)
{
	struct cfs_node dir = *n;
	int rc;

	if (n->type == CFS_NODE_DIR) {
		dir.depth--;
		return cfs_walk_dir(w, &dir, &w->probe.it);
	}
	rc = cfs_index_at(w->c->index, n->pos, &w->page.it, w->ctx);
	if (rc == CFS_OK)
		rc = cfs_index_split(w->c->index, w->page.it.key, &w->other);
	if (rc != CFS_OK)
		return rc;
	dir.type = CFS_NODE_DIR;
	dir.depth = w->other.n - 1;
	return cfs_walk_dir(w, &dir, &w->probe.it);
}

int cfs_tree_parent(struct cfs_crawl *c, const struct cfs_node *n,
		    struct cfs_node *out, struct cfs_ctx ctx)
{
	struct cfs_walk *w;
	int rc;

	*out = cfs_tree_search_root(n->source, n->hits, n->search);
	if (n->type == CFS_NODE_DIR && n->depth <= 1)
		return CFS_OK;
	rc = cfs_walk_begin(&w, c, NULL, ctx);
	if (rc == CFS_OK)
		rc = above_dir(w, n);
	if (rc == CFS_OK && n->hits != NULL)
		rc = enter_hits(w, &w->dir, n, out);
	else if (rc == CFS_OK)
		rc = cfs_walk_find(w, &w->dir, CFS_BELOW_DIR, &out->pos);
	if (rc == CFS_OK)
		out->depth = w->dir.n;
	cfs_walk_end(w);
	return rc;
}

int cfs_tree_walk(struct cfs_crawl *c, struct cfs_slice path,
		  struct cfs_node *out, struct cfs_ctx ctx)
{
	*out = cfs_tree_root(0);
	while (path.n > 0) {
		struct cfs_slice name = cfs_slice_split(&path, '/');
		struct cfs_node next;
		int rc;

		if (name.n == 0 || cfs_slice_eq(name, CFS_SLICE_LIT(".")))
			continue;
		if (out->type != CFS_NODE_DIR)
			return CFS_ENOTFOUND;
		rc = cfs_tree_lookup(c, out, name, &next, ctx);
		if (rc == CFS_OK)
			*out = next;
		else if (rc == CFS_ENOTFOUND)	/* then *out stays the same */
			rc = cfs_tree_is_www(c, out, name, ctx);
		if (rc != CFS_OK)
			return rc;
	}
	return CFS_OK;
}

/* ---- paths ------------------------------------------------------------ */

/* Appends the name of a file; w->child is its page. */
static int add_file_name(struct cfs_walk *w, const struct cfs_node *file,
			 const struct cfs_suffix *suffix, struct cfs_buf *out)
{
	struct cfs_page_names names;
	struct cfs_page page;
	char name[CFS_NAME_MAX + 1];
	size_t n;
	int rc = cfs_page_load(w, file->pos, &page);

	if (rc == CFS_OK)
		rc = cfs_page_names(w, 1u << file->view, &names);
	if (rc != CFS_OK)
		return rc;
	n = cfs_page_file_name(&names, suffix,
			       file->pos == page.preferred ? 0 : page.rank + 1,
			       name);
	cfs_buf_addc(out, '/');
	return cfs_buf_append(out, name, n);
}

static int file_path(struct cfs_walk *w, const struct cfs_node *n,
		     struct cfs_buf *out)
{
	struct cfs_capture cap;
	struct cfs_suffix suffix;
	int rc = above_dir(w, n);

	if (rc == CFS_OK)
		rc = cfs_index_capture(&w->page.it, &cap, w->ctx.err);
	if (rc == CFS_OK)
		rc = cfs_entry_suffix(w->c, &cap, n->view, &suffix, w->ctx.err);
	if (rc == CFS_OK)
		rc = cfs_walk_child_of(w, &w->other);
	if (rc == CFS_OK)
		rc = cfs_walk_add_path(w, out);
	if (rc == CFS_OK)
		rc = add_file_name(w, n, &suffix, out);
	return rc;
}

int cfs_tree_path(struct cfs_crawl *c, const struct cfs_node *n,
		  struct cfs_buf *out, struct cfs_ctx ctx)
{
	bool is_file = n->type == CFS_NODE_FILE;
	struct cfs_walk *w;
	int rc = cfs_walk_begin(&w, c, is_file ? NULL : n, ctx);

	if (rc == CFS_OK)
		rc = is_file ? file_path(w, n, out) :
			       cfs_walk_add_path(w, out);
	cfs_walk_end(w);
	return rc;
}

/* Chooses the best capture of w->child whose URL is `url`; else the best with
 * its key, which may be narrower than the page (a PB-tree's has the port); else
 * the preferred one. */
static int choose_url(struct cfs_walk *w, struct cfs_slice url,
		      struct cfs_slice key, cfs_pos *out)
{
	struct cfs_choice own = { 0 }, keyed = { 0 }, any = { 0 };
	CFS_BUF(text, 2 * CFS_KEY_MAX);
	int rc = cfs_path_iter_first(&w->page, &w->child, CFS_BELOW_PAGE);

	while (rc == CFS_OK) {
		struct cfs_capture cap;

		if (!any.any && !cfs_index_holds(w->c->index, w->page.it.key))
			break;		/* the page is in another part */
		rc = cfs_index_capture(&w->page.it, &cap, w->ctx.err);
		if (rc != CFS_OK)
			break;
		cfs_buf_reset(&text);
		cfs_choice_offer(&any, &cap, w->page.it.pos);
		if (cfs_slice_eq(w->page.it.key, key))
			cfs_choice_offer(&keyed, &cap, w->page.it.pos);
		if (cfs_index_key_url(w->c->index, w->page.it.key, &cap,
				      &text) == CFS_OK &&
		    cfs_slice_eq(cfs_buf_slice(&text), url))
			cfs_choice_offer(&own, &cap, w->page.it.pos);
		rc = cfs_path_iter_next(&w->page);
	}
	if (rc < 0)
		return rc;
	if (!any.any)
		return CFS_ENOTFOUND;
	*out = any.pos;
	if (own.any)
		*out = own.pos;
	else if (keyed.any)
		*out = keyed.pos;
	return CFS_OK;
}

int cfs_tree_nearest(struct cfs_crawl *c, struct cfs_node *file, int64_t moment,
		     struct cfs_ctx ctx)
{
	struct cfs_iter it;
	struct cfs_walk *w;
	cfs_pos pos;
	int rc = cfs_walk_begin(&w, c, NULL, ctx);

	cfs_iter_init(&it);
	if (rc == CFS_OK)
		rc = cfs_index_at(c->index, file->pos, &it, ctx);
	if (rc == CFS_OK)
		rc = cfs_index_split(c->index, it.key, &w->child);
	if (rc == CFS_OK)
		rc = cfs_page_nearest(w, moment, &pos);
	if (rc == CFS_OK)
		file->pos = pos;
	cfs_iter_release(&it);
	cfs_walk_end(w);
	return rc;
}

int cfs_tree_find_url(struct cfs_crawl *c, struct cfs_slice url,
		      struct cfs_node *out, struct cfs_ctx ctx)
{
	struct cfs_walk *w;
	CFS_BUF(key, CFS_KEY_MAX);
	cfs_pos pos;
	int rc = cfs_walk_begin(&w, c, NULL, ctx);

	if (rc == CFS_OK)
		rc = cfs_index_url_key(c->index, url, &key);
	if (rc == CFS_OK)
		rc = cfs_index_split(c->index, cfs_buf_slice(&key), &w->child);
	if (rc == CFS_OK)
		rc = choose_url(w, url, cfs_buf_slice(&key), &pos);
	if (rc == CFS_OK)
		*out = (struct cfs_node){ .type = CFS_NODE_FILE, .pos = pos,
					  .view = CFS_VIEW_RAW };
	cfs_walk_end(w);
	return rc;
}
