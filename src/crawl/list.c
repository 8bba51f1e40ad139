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
 * In a search, w->below steps from hit to hit, and each hit is delivered by
 * itself.
 *
 * A block that cannot be read is a hole: the listing goes on behind it, and
 * fails when all else has been delivered, which bit 61 of the cookies tells the
 * calls that follow.  From there on nothing is taken for granted: a directory
 * or page of which part may lie in the hole is listed by its plain name, which
 * a look-up then refuses.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "entry.h"
#include "list_max.h"
#include "page.h"
#include "tree.h"

#define SUB_BITS CFS_COOKIE_SUB_BITS
#define SUB_MASK ((1u << SUB_BITS) - 1)
#define TURNS_PER_QUESTION 64	/* checking takes a lock */
#define STOPPED 2	/* the receiver wants no more */
/* Steps of one call that damage makes fail; more end it. */
#define DAMAGES_MAX 65536u

struct listing {
	struct cfs_walk *w;
	const struct cfs_node *dir;
	cfs_view_set views;
	bool by_host;		/* all hosts below, not the next labels */
	bool all_plain;		/* every capture has all these views */
	unsigned n_views;
	unsigned captures;	/* how many more nodes carry captures */
	cfs_tree_emit *emit;
	void *arg;
	unsigned skip;		/* names of the first entry that were delivered
				 * before */
	bool has_hole;
	unsigned damages;	/* met by this call */
	struct cfs_list_need need;
	uint64_t delivered;	/* the last cookie; 0: none */
	struct cfs_error error;
};

_Static_assert(CFS_VIEW_COUNT - 2 <= SUB_MASK,
	       "all views but NONE and URL have a number in a cookie");

static uint64_t cookie_make(const struct listing *l, cfs_pos pos, unsigned sub)
{
	return CFS_COOKIE_BIT | (l->has_hole ? CFS_COOKIE_HOLE : 0) |
	       pos << SUB_BITS | sub;
}

/* Hands a name to the receiver; sub: names of the entry at `pos` delivered with
 * it. */
static int deliver(struct listing *l, struct cfs_slice name,
		   const struct cfs_node *node, cfs_pos pos, unsigned sub)
{
	uint64_t cookie = cookie_make(l, pos, sub);
	bool is_stopped = l->emit(l->arg, name, node, cookie) != 0;

	if (is_stopped)		/* some go on behind it all the same */
		cfs_list_need_end(&l->need, cookie);
	else
		l->delivered = cookie;
	return is_stopped ? STOPPED : CFS_OK;
}

/* Sets w->child to the directory that is listed for an entry below. */
static int list_child_of(struct listing *l, const struct cfs_path *entry)
{
	return l->by_host ? cfs_walk_host_of(l->w, entry) :
			    cfs_walk_child_of(l->w, entry);
}

/* Delivers a host by the names that lead to its pages: com/example/www/_. */
static int emit_host(struct listing *l, const struct cfs_node *node,
		     cfs_pos at)
{
	const struct cfs_walk *w = l->w;
	CFS_BUF(name, 4 * CFS_KEY_MAX);
	int rc;

	for (unsigned i = w->dir.n; i < w->child.host_n; i++) {
		char label[CFS_NAME_MAX];

		cfs_buf_append(&name, label,
			       cfs_name_escape(w->child.comp[i], CFS_ZONE_HOST,
					       label));
		cfs_buf_addc(&name, '/');
	}
	rc = cfs_buf_addc(&name, '_');
	if (rc == CFS_OK)
		rc = deliver(l, cfs_buf_slice(&name), node, at, 1);
	return rc;
}

/* Delivers the directory w->child at the entry `at`. */
static int emit_dir(struct listing *l, cfs_pos pos, cfs_pos at, bool is_unsure)
{
	struct cfs_walk *w = l->w;
	struct cfs_node node = { .type = CFS_NODE_DIR, .source = l->dir->source,
				 .pos = pos, .depth = w->child.n,
				 .is_unsure = is_unsure,
				 .hits = l->dir->hits,
				 .hit = w->below.it.hit,
				 .search = l->dir->search };
	bool is_marker = w->child.host_n == w->dir.n && cfs_walk_in_host(w);
	char name[CFS_NAME_MAX] = "_";
	size_t n = 1;

	if (l->by_host)
		return emit_host(l, &node, at);
	if (!is_marker)
		n = cfs_name_escape(w->child.comp[w->dir.n],
				    cfs_walk_in_host(w) ? CFS_ZONE_HOST
							: CFS_ZONE_PATH, name);
	return deliver(l, cfs_slice_of(name, n), &node, at, 1);
}

/* Finds the first shown entry below w->child (CFS_POS_NONE: the directory is
 * not shown), and the first one of all, which is the directory's position.
 * w->below stands on an entry below it. */
static int find_begin(const struct listing *l, cfs_pos *shown, cfs_pos *node)
{
	struct cfs_walk *w = l->w;
	int rc;

	*shown = *node = w->below.it.pos;
	if (l->dir->hits != NULL)
		return CFS_OK;
	if (w->c->index->is_ordered && !l->has_hole) {
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
	int rc = list_child_of(l, &w->below.entry);

	if (rc == CFS_OK)
		rc = find_begin(l, &shown, &node);
	if (rc != CFS_OK)
		return rc;
	if (pos == shown && l->skip == 0) {
		rc = emit_dir(l, node, pos, false);
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
		rc = deliver(l, cfs_slice_of(name, n), &node, pos, sub);
		if (rc != CFS_OK)
			return rc;
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

/* Delivers w->child, found at an entry, by its plain name, unless an earlier
 * call has. */
static int emit_unsure(struct listing *l, cfs_pos pos, bool is_dir)
{
	struct cfs_walk *w = l->w;
	struct cfs_node node = { .type = CFS_NODE_FILE, .pos = pos,
				 .source = l->dir->source, .is_unsure = true,
				 .view = CFS_VIEW_RAW };
	char name[CFS_NAME_MAX];
	size_t n;

	if (l->skip > 0)
		return CFS_OK;
	if (is_dir)
		return emit_dir(l, pos, pos, true);
	if ((l->views & 1u << CFS_VIEW_RAW) == 0)
		return CFS_OK;
	n = cfs_name_escape(w->child.comp[w->dir.n], CFS_ZONE_PATH, name);
	return deliver(l, cfs_slice_of(name, n), &node, pos, 1);
}

/* Lists the hit under w->below, a capture of the page w->child. */
static int list_hit(struct listing *l)
{
	struct cfs_walk *w = l->w;
	cfs_pos pos = w->below.it.pos;
	struct cfs_page_names names;
	struct cfs_capture cap;
	struct cfs_page page;
	int rc = cfs_page_load(w, pos, &page);

	if (rc == CFS_OK)
		rc = cfs_page_names(w, l->views, &names);
	if (rc == CFS_OK)
		rc = cfs_index_capture(&w->below.it, &cap, w->ctx.err);
	if (rc == CFS_OK)
		rc = emit_capture(l, &names, pos, &cap,
				  pos == page.preferred ? 0 : page.rank + 1);
	return rc == CFS_OK ? cfs_path_iter_next(&w->below) : rc;
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
	if (l->dir->hits != NULL)
		return list_hit(l);
	if (!w->c->index->is_ordered || l->has_hole ||
	    (l->skip > 0 && !is_done))
		return list_page_slow(l, pos);
	if (is_read)
		rc = cfs_index_capture(&w->below.it, &cap, w->ctx.err);
	if (rc != CFS_OK)
		return rc;
	after = cfs_path_iter_next(&w->below);
	if (cfs_index_is_at_hole(&w->below.it, after) && !is_done) {
		l->has_hole = true;
		rc = emit_unsure(l, pos, false);
	}
	if (after < 0)
		return rc == CFS_OK ? after : rc;
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

/* Moves w->below behind w->child, which it stands on and which cannot be
 * listed as it is. */
static int pass_child(struct cfs_walk *w, bool is_dir)
{
	unsigned n = w->dir.n;
	int rc = CFS_OK;

	if (is_dir && cfs_index_ranges(w->c->index, &w->child, CFS_BELOW_DIR,
				       &w->probe.ranges) == CFS_OK)
		return cfs_path_iter_seek_after(&w->below, &w->probe.ranges);
	do {
		if (cfs_cancelled(w->ctx.cancel))
			return cfs_error_set(w->ctx.err, CFS_EINTR,
					     "interrupted");
		rc = cfs_path_iter_next(&w->below);
	} while (rc == CFS_OK && (w->below.entry.n > n + 1) == is_dir &&
		 cfs_slice_eq(w->below.entry.comp[n], w->child.comp[n]));
	return rc;
}

/* The iterator that met a hole when a step ended with rc; NULL: none did. */
static const struct cfs_iter *find_hole(const struct cfs_walk *w, int rc)
{
	const struct cfs_iter *its[] = { &w->below.it, &w->page.it,
					 &w->probe.it };

	for (unsigned i = 0; i < 3; i++)
		if (cfs_index_is_at_hole(its[i], rc))
			return its[i];
	return NULL;
}

/* Goes on behind damage that a step from the entry at `from` has met; rc: its
 * result. */
static int pass_damage(struct listing *l, cfs_pos from, int rc)
{
	struct cfs_walk *w = l->w;
	const struct cfs_iter *it = find_hole(w, rc);
	bool is_dir;

	if (cfs_holes_add(&w->c->holes, it != NULL ? it->hole : from,
			  &l->error) == CFS_ENOMEM)
		return CFS_ENOMEM;
	cfs_error_clear(&l->error);
	l->has_hole = true;
	if (it == &w->below.it) {
		l->skip = 0;
		rc = cfs_path_iter_skip(&w->below);
		/* a damaged index must not cause an endless loop, which keys
		 * prevent in a merged one */
		return rc == CFS_OK && from != CFS_POS_NONE &&
		       !w->c->index->is_merged && w->below.it.pos <= from ?
			       CFS_END : rc;
	}
	if (from == CFS_POS_NONE)
		return CFS_END;
	rc = cfs_path_iter_at(&w->below, &w->dir, CFS_BELOW_DIR, from);
	if (rc != CFS_OK)
		return rc;
	is_dir = w->below.entry.n > w->dir.n + 1;
	rc = list_child_of(l, &w->below.entry);
	if (rc == CFS_OK)
		rc = emit_unsure(l, from, is_dir);
	l->skip = 0;
	return rc == CFS_OK ? pass_child(w, is_dir) : rc;
}

/* True if the listing is to go on behind what a step has met. */
static bool list_is_damage(struct listing *l, int rc)
{
	return (rc == CFS_EFORMAT || find_hole(l->w, rc) != NULL) &&
	       ++l->damages <= DAMAGES_MAX;
}

/* Moves w->below to where a listing begins. */
static int list_begin(struct listing *l, uint64_t cookie)
{
	const cfs_pos pos = cfs_tree_cookie_pos(cookie);
	struct cfs_walk *w = l->w;

	l->skip = (unsigned)cookie & SUB_MASK;
	l->has_hole = cookie & CFS_COOKIE_HOLE;
	if (cookie != 0)
		return cfs_path_iter_at(&w->below, &w->dir, CFS_BELOW_DIR, pos);
	if (l->dir->hits == NULL && w->c->index->is_ordered &&
	    !w->c->index->is_merged && l->dir->depth > 0 &&
	    cfs_pos_slot(l->dir->pos) > 0 &&
	    cfs_index_holds(w->c->index, w->below.it.key))
		/* the node's position, where `it` stands, is the first
		 * entry's; before slot 0, there may be damage */
		return cfs_path_iter_at(&w->below, &w->dir, CFS_BELOW_DIR,
					CFS_POS_NONE);
	return cfs_path_iter_first(&w->below, &w->dir, CFS_BELOW_DIR);
}

static int list_from(struct listing *l, uint64_t cookie)
{
	struct cfs_walk *w = l->w;
	cfs_pos from = CFS_POS_NONE;
	int rc = list_begin(l, cookie);

	while (cookie == 0 && list_is_damage(l, rc))
		rc = pass_damage(l, from, rc);
	for (unsigned turn = 1; rc == CFS_OK; turn++) {
		if (turn % TURNS_PER_QUESTION == 0 &&
		    cfs_cancelled(w->ctx.cancel))
			return cfs_error_set(w->ctx.err, CFS_EINTR, "interrupted");
		from = w->below.it.pos;
		rc = cfs_list_need_block(&l->need, from, w->ctx);
		if (rc == CFS_OK && w->below.entry.n > w->dir.n + 1)
			rc = list_dir(l);
		else if (rc == CFS_OK)
			rc = list_page(l);
		while (list_is_damage(l, rc))
			rc = pass_damage(l, from, rc);
	}
	if (rc == CFS_END && l->has_hole)
		return cfs_holes_fail(w->c->index, w->ctx.err);
	return rc == STOPPED || rc == CFS_END ? CFS_OK : rc;
}

static bool list_are_plain(cfs_view_set views)
{
	for (unsigned v = CFS_VIEW_RAW; v < CFS_VIEW_COUNT; v++)
		if ((views & 1u << v) && !cfs_view_is_plain((enum cfs_view)v))
			return false;
	return true;
}

static int list_all(struct listing *l, struct cfs_crawl *c, uint64_t cookie,
		    struct cfs_ctx ctx)
{
	int rc = cfs_walk_begin(&l->w, c, NULL,
				CFS_CTX(ctx.cancel, &l->error));

	l->all_plain = list_are_plain(l->views);
	l->n_views = (unsigned)__builtin_popcount(l->views);
	if (rc == CFS_OK)
		rc = cfs_walk_dir(l->w, l->dir, &l->w->below.it);
	if (rc == CFS_OK && l->dir->hits != NULL)
		l->w->below.ix = l->dir->hits;
	if (rc == CFS_OK)
		l->by_host = l->by_host && cfs_walk_in_host(l->w);
	if (rc == CFS_OK) {
		cfs_list_need_begin(&l->need, c, l->dir, cookie);
		rc = list_from(l, cookie);
		cfs_list_need_end(&l->need, l->delivered);
	}
	cfs_walk_end(l->w);
	return cfs_error_pass(ctx.err, &l->error, rc);
}

int cfs_tree_list(struct cfs_crawl *c, const struct cfs_node *dir,
		  cfs_view_set views, uint64_t cookie, unsigned captures,
		  cfs_tree_emit *emit, void *arg, struct cfs_ctx ctx)
{
	struct listing l = { .dir = dir, .views = views, .captures = captures,
			     .emit = emit, .arg = arg };

	return list_all(&l, c, cookie, ctx);
}

int cfs_tree_list_hosts(struct cfs_crawl *c, const struct cfs_node *dir,
			cfs_view_set views, uint64_t cookie,
			cfs_tree_emit *emit, void *arg, struct cfs_ctx ctx)
{
	struct listing l = { .dir = dir, .views = views, .by_host = true,
			     .emit = emit, .arg = arg };

	return list_all(&l, c, cookie, ctx);
}

/* The entries from where `it` stands to the end of a directory, by the blocks
 * that they fill.  0: not known. */
static uint64_t guess_rest(struct cfs_walk *w, cfs_pos from)
{
	const struct cfs_index *ix = w->c->index;
	const struct cfs_ranges *over = &w->below.ranges;
	cfs_pos to;

	if (ix->is_merged || ix->captures == 0 || ix->blocks == 0 ||
	    over->n != 1)
		return 0;
	if (over->v[0].hi_open)
		to = cfs_pos_make((uint32_t)ix->blocks, 0);
	else if (cfs_index_seek(w->probe.ix, over->v[0].hi, &w->probe.it,
				CFS_CTX(w->ctx.cancel, NULL)) == CFS_OK)
		to = w->probe.it.pos;
	else
		return 0;
	return cfs_pos_block(to) <= cfs_pos_block(from) ? 0 :
	       (uint64_t)((double)(cfs_pos_block(to) - cfs_pos_block(from)) *
			  ((double)ix->captures / (double)ix->blocks));
}

int cfs_tree_count(struct cfs_crawl *c, const struct cfs_node *dir,
		   uint64_t max, struct cfs_tree_total *out,
		   struct cfs_ctx ctx)
{
	struct cfs_walk *w;
	int rc = cfs_walk_begin(&w, c, NULL, ctx);

	*out = (struct cfs_tree_total){ .n = 0 };
	if (rc == CFS_OK)
		rc = cfs_walk_dir(w, dir, &w->below.it);
	if (rc == CFS_OK && dir->hits != NULL)
		w->below.ix = dir->hits;
	if (rc == CFS_OK)
		rc = cfs_path_iter_first(&w->below, &w->dir, CFS_BELOW_DIR);
	for (; rc == CFS_OK && out->n < max; out->n++)
		rc = cfs_path_iter_next(&w->below);
	if (rc == CFS_OK && dir->hits == NULL && c->cache == NULL)
		out->more = guess_rest(w, w->below.it.pos);
	out->is_all = rc == CFS_END;
	cfs_walk_end(w);
	return rc == CFS_END ? CFS_OK : rc;
}
