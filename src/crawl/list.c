/* list.c - directory listings, resumable anywhere, in constant memory.
 *
 * A cookie holds the entry whose names were being delivered and how many of
 * them were:
 *
 *     bit 62 set, bits 4-51 position, bits 0-3 names delivered
 *
 * A child directory is delivered at the first entry below it; a page's files
 * are all delivered at its first capture, in the index order of its captures.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "entry.h"
#include "page.h"
#include "tree.h"

#define SUB_BITS 4
#define SUB_MASK ((1u << SUB_BITS) - 1)
#define TURNS_PER_QUESTION 64	/* checking takes a lock */
#define STOPPED 2	/* the receiver wants no more */

struct listing {
	struct cfs_walk *w;
	const struct cfs_node *dir;
	cfs_view_set views;
	bool all_plain;		/* every capture has all these views */
	unsigned n_views;
	unsigned captures;	/* how many more nodes carry captures */
	cfs_tree_emit *emit;
	void *arg;
	unsigned skip;		/* names of the first entry that were delivered
				 * before */
};

_Static_assert(CFS_VIEW_COUNT - 2 <= SUB_MASK,
	       "all views but NONE and URL have a number in a cookie");

static uint64_t cookie_make(cfs_pos pos, unsigned sub)
{
	return CFS_COOKIE_BIT | pos << SUB_BITS | sub;
}

/* Delivers the directory w->child at the entry `at`. */
static int emit_dir(struct listing *l, cfs_pos pos, cfs_pos at)
{
	struct cfs_walk *w = l->w;
	struct cfs_node node = { .type = CFS_NODE_DIR, .source = l->dir->source,
				 .pos = pos, .depth = w->dir.n + 1 };
	bool is_marker = w->child.host_n == w->dir.n && cfs_walk_in_host(w);
	char name[CFS_NAME_MAX] = "_";
	size_t n = 1;

	if (!is_marker)
		n = cfs_name_escape(w->child.comp[w->dir.n],
				    cfs_walk_in_host(w) ? CFS_ZONE_HOST
							: CFS_ZONE_PATH, name);
	return l->emit(l->arg, cfs_slice_of(name, n), &node,
		       cookie_make(at, 1)) ? STOPPED : CFS_OK;
}

/* Finds the first shown entry below w->child (CFS_POS_NONE: the directory is
 * not shown), and the first one of all, which is the directory's position.
 * w->below stands on an entry below it. */
static int find_begin(struct cfs_walk *w, cfs_pos *shown, cfs_pos *node)
{
	int rc;

	*shown = *node = w->below.it.pos;
	if (w->c->index->is_ordered) {
		if (w->c->index->whole == NULL)
			return CFS_OK;
		rc = cfs_index_ranges(w->c->index, &w->child, CFS_BELOW_DIR,
				      &w->probe.ranges);
		if (rc != CFS_OK ||
		    (!cfs_index_has_gaps(w->c->index) &&
		     cfs_index_holds(w->c->index, w->probe.ranges.v[0].lo)))
			return rc;
		return cfs_walk_find(w, &w->child, CFS_BELOW_DIR, node);
	}
	rc = cfs_walk_find(w, &w->child, CFS_BELOW_DIR, node);
	if (rc == CFS_OK && cfs_index_holds(w->c->index, w->probe.it.key))
		*shown = *node;
	else if (rc == CFS_OK)
		rc = cfs_walk_find_shown(w, &w->child, shown);
	if (rc != CFS_ENOTFOUND)
		return rc;
	*shown = CFS_POS_NONE;
	return CFS_OK;
}

/* Lists the child directory of the deeper entry under w->below, once. */
static int list_dir(struct listing *l)
{
	struct cfs_walk *w = l->w;
	cfs_pos pos = w->below.it.pos, shown, node;
	int rc = cfs_walk_child_of(w, &w->below.entry);

	if (rc == CFS_OK)
		rc = find_begin(w, &shown, &node);
	if (rc != CFS_OK)
		return rc;
	if (pos == shown && l->skip == 0) {
		rc = emit_dir(l, node, pos);
		if (rc != CFS_OK)
			return rc;
	}
	l->skip = 0;
	rc = cfs_index_ranges(w->c->index, &w->child, CFS_BELOW_DIR,
			      &w->probe.ranges);
	return rc == CFS_OK ?
		       cfs_path_iter_seek_after(&w->below, &w->probe.ranges) :
		       rc;
}

/* Delivers all views of one capture except the first l->skip. */
static int emit_capture(struct listing *l, const struct cfs_page_names *names,
			cfs_pos pos, const struct cfs_capture *cap,
			uint64_t number)
{
	struct cfs_node node = { .type = CFS_NODE_FILE,
				 .source = l->dir->source, .pos = pos,
				 .cap = l->captures > 0 ? cap : NULL };
	unsigned sub = 0;

	for (cfs_view_set left = l->views & ~(1u << CFS_VIEW_NONE); left != 0;
	     left &= left - 1) {
		char name[CFS_NAME_MAX + 1];
		struct cfs_suffix suffix;
		size_t n;
		int rc;

		node.view = (enum cfs_view)__builtin_ctz(left);
		rc = cfs_entry_suffix(l->w->c, cap, node.view, &suffix,
				      l->w->ctx.err);
		if (rc == CFS_ENOTFOUND)
			continue;
		if (rc != CFS_OK)
			return rc;
		if (sub++ < l->skip)
			continue;
		n = cfs_page_file_name(names, &suffix, number, name);
		if (l->emit(l->arg, cfs_slice_of(name, n), &node,
			    cookie_make(pos, sub)))
			return STOPPED;
	}
	l->skip = 0;
	l->captures -= l->captures > 0;
	return CFS_OK;
}

/* True if this part of the index ends inside the directory, so that more of it
 * may follow in another part. */
static bool list_is_cut(const struct cfs_walk *w)
{
	const struct cfs_index *ix = w->c->index;
	const struct cfs_ranges *g = &w->below.ranges;
	const struct cfs_range *last;

	if (ix->whole == NULL || ix->held.n == 0)
		return ix->whole != NULL;
	last = &ix->held.v[ix->held.n - 1];
	return !last->hi_open &&
	       (g->v[g->n - 1].hi_open ||
		cfs_slice_cmp(last->hi, g->v[g->n - 1].hi) < 0);
}

/* True if the index may leave out entries between the one at `pos` and the next
 * one, which is under w->below. */
static bool may_leave_out(const struct cfs_walk *w, cfs_pos pos, int after)
{
	return cfs_index_has_gaps(w->c->index) &&
	       (after == CFS_END || w->below.it.pos != pos + 1);
}

/*
 * True in the common case of an ordered index: one capture, and the next entry
 * (under w->below already; after: result of that move) shows that no name
 * clashes.  False if the page must be loaded.
 */
static bool is_simple_page(struct listing *l, int after)
{
	const struct cfs_walk *w = l->w;
	struct cfs_slice comp = w->child.comp[w->dir.n], next;
	unsigned beyond_raw = l->views & ~(1u << CFS_VIEW_RAW);

	if (after == CFS_END)
		return !list_is_cut(w);
	next = w->below.entry.comp[w->dir.n];
	if (cfs_slice_eq(next, comp))
		return false;		/* another capture, or a directory */
	if (comp.n == 0 || comp.p[0] == '_')
		return beyond_raw == 0;	/* `_index.txt` sorts elsewhere */
	if (!beyond_raw || !cfs_slice_starts(next, comp))
		return true;
	return next.p[comp.n] > '.';	/* past every NAME.view */
}

/* Lists the captures of w->child from `from` on, where the count is
 * page->rank. */
static int list_captures(struct listing *l, cfs_pos from,
			 const struct cfs_page *page)
{
	struct cfs_walk *w = l->w;
	struct cfs_page_names names;
	uint64_t rank = page->rank;
	int rc = cfs_page_names(w, l->views, &names);

	if (rc == CFS_OK)
		rc = cfs_path_iter_at(&w->page, &w->child, CFS_BELOW_PAGE,
				      from);
	while (rc == CFS_OK) {
		cfs_pos pos = w->page.it.pos;
		bool preferred = pos == page->preferred;
		struct cfs_capture cap;

		rc = cfs_index_capture(&w->page.it, &cap, w->ctx.err);
		if (rc != CFS_OK)
			return rc;
		rc = emit_capture(l, &names, pos, &cap,
				  preferred ? 0 : rank + 1);
		if (rc != CFS_OK)
			return rc;
		rank += !preferred;
		rc = cfs_path_iter_next(&w->page);
	}
	return rc < 0 ? rc : CFS_OK;
}

/* Moves w->below past the page w->child, whose first capture is known. */
static int pass_page(struct cfs_walk *w, cfs_pos first)
{
	int rc;

	if (w->c->index->is_ordered) {
		rc = cfs_index_ranges(w->c->index, &w->child, CFS_BELOW_PAGE,
				      &w->probe.ranges);
		return rc == CFS_OK ?
			       cfs_path_iter_seek(&w->below,
						  w->probe.ranges.v[0].hi) :
			       rc;
	}
	rc = CFS_OK;
	if (w->below.it.pos != first)
		rc = cfs_path_iter_at(&w->below, &w->dir, CFS_BELOW_DIR, first);
	return rc == CFS_OK ? cfs_path_iter_next(&w->below) : rc;
}

/* Lists w->child by loading it; the entry at `pos` is one of its captures. */
static int list_page_slow(struct listing *l, cfs_pos pos)
{
	struct cfs_walk *w = l->w;
	bool resumed = l->skip > 0;
	struct cfs_page page;
	int rc = cfs_page_load(w, pos, &page);

	if (rc != CFS_OK)
		return rc;
	if (!resumed && pos != page.first)
		return cfs_path_iter_next(&w->below); /* delivered at the first
						       * one */
	rc = list_captures(l, pos, &page);
	if (rc != CFS_OK)
		return rc;
	return pass_page(w, page.first);
}

/* Lists the page in this directory whose capture is under w->below. */
static int list_page(struct listing *l)
{
	struct cfs_walk *w = l->w;
	/* of captures nothing more is asked, if all have the same views */
	static const struct cfs_capture any = { .kind = CFS_KIND_ARC };
	const bool is_read = l->captures > 0 || !l->all_plain;
	/* the last reply has all files of this capture: no name is needed */
	const bool is_done = l->all_plain && l->skip == l->n_views;
	cfs_pos pos = w->below.it.pos;
	struct cfs_page_names names;
	struct cfs_capture cap;
	int rc, after;

	if (!cfs_index_shows(&w->below.it)) {
		l->skip = 0;
		return cfs_path_iter_next(&w->below);
	}
	rc = cfs_walk_child_of(w, &w->below.entry);
	if (rc != CFS_OK)
		return rc;
	if (!w->c->index->is_ordered || (l->skip > 0 && !is_done))
		return list_page_slow(l, pos);
	if (is_read)
		rc = cfs_index_capture(&w->below.it, &cap, w->ctx.err);
	if (rc != CFS_OK)
		return rc;
	after = cfs_path_iter_next(&w->below);
	if (after < 0)
		return after;
	if (may_leave_out(w, pos, after) || !is_simple_page(l, after)) {
		rc = cfs_path_iter_at(&w->below, &w->dir, CFS_BELOW_DIR, pos);
		return rc == CFS_OK ? list_page_slow(l, pos) : rc;
	}
	if (is_done) {
		l->skip = 0;
		return after;
	}
	names.base_n = cfs_name_escape(w->child.comp[w->dir.n], CFS_ZONE_PATH,
				       names.base);
	names.has_dir = false;
	names.clash = 0;
	rc = emit_capture(l, &names, pos, is_read ? &cap : &any, 0);
	return rc == CFS_OK ? after : rc;
}

static int list_from(struct listing *l, uint64_t cookie)
{
	struct cfs_walk *w = l->w;
	int rc;

	l->skip = (unsigned)cookie & SUB_MASK;
	if (cookie != 0)
		rc = cfs_path_iter_at(&w->below, &w->dir, CFS_BELOW_DIR,
				      (cookie & ~CFS_COOKIE_BIT) >> SUB_BITS);
	else if (w->c->index->is_ordered && l->dir->depth > 0 &&
		 cfs_index_holds(w->c->index, w->below.it.key))
		/* the node's position, where `it` stands, is the first
		 * entry's */
		rc = cfs_path_iter_at(&w->below, &w->dir, CFS_BELOW_DIR,
				      CFS_POS_NONE);
	else
		rc = cfs_path_iter_first(&w->below, &w->dir, CFS_BELOW_DIR);
	for (unsigned turn = 1; rc == CFS_OK; turn++) {
		if (turn % TURNS_PER_QUESTION == 0 &&
		    cfs_cancelled(w->ctx.cancel))
			return cfs_error_set(w->ctx.err, CFS_EINTR, "interrupted");
		if (w->below.entry.n > w->dir.n + 1)
			rc = list_dir(l);
		else
			rc = list_page(l);
	}
	return rc == STOPPED || rc == CFS_END ? CFS_OK : rc;
}

static bool list_are_plain(cfs_view_set views)
{
	for (unsigned v = CFS_VIEW_RAW; v < CFS_VIEW_COUNT; v++)
		if ((views & 1u << v) && !cfs_view_is_plain((enum cfs_view)v))
			return false;
	return true;
}

int cfs_tree_list(struct cfs_crawl *c, const struct cfs_node *dir,
		  cfs_view_set views, uint64_t cookie, unsigned captures,
		  cfs_tree_emit *emit, void *arg, struct cfs_ctx ctx)
{
	struct listing l = { .dir = dir, .views = views,
			     .all_plain = list_are_plain(views),
			     .n_views = (unsigned)__builtin_popcount(views),
			     .emit = emit, .arg = arg, .captures = captures };
	int rc = cfs_walk_begin(&l.w, c, NULL, ctx);

	if (rc == CFS_OK)
		rc = cfs_walk_dir(l.w, dir, &l.w->below.it);
	if (rc == CFS_OK)
		rc = list_from(&l, cookie);
	cfs_walk_end(l.w);
	return rc;
}
