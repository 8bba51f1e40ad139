/* target.c - finds the entries and nodes that the user's words mean.
 *
 * Every form is turned into a URL, its key in the index at hand and the
 * components of that key, so that the same rules (case, dots, ports) apply to
 * what is typed as to what was indexed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "target.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "path_iter.h"
#include "url/lenient_url.h"
#include "url/same_url.h"
#include "url/wildcard.h"

/* Key ranges of one spelling, and of all. */
#define RUNS_OF_ONE (4 * CFS_RANGES_MAX)
#define RUNS_MAX (CFS_URL_SPELLINGS * RUNS_OF_ONE)
/* Most bytes of the bounds of key ranges within other ranges. */
#define BYTES_MAX (RUNS_OF_ONE * ((size_t)CFS_KEY_MAX + 8))

/* ---- what was typed --------------------------------------------------- */

/* Rule 2, as far as it can be decided without the crawl. */
static bool is_surely_path(struct cfs_slice s)
{
	struct cfs_slice rest = s, first = cfs_slice_split(&rest, '/');

	if (first.n == 0)
		return true;
	if (cfs_slice_find(first, '.') >= 0)
		return false;
	while (rest.n > 0)
		if (cfs_slice_eq(cfs_slice_split(&rest, '/'),
				 CFS_SLICE_LIT("_")))
			return true;
	return false;
}

/* ---- paths ------------------------------------------------------------ */

static void cut_path(struct cfs_path *p, unsigned n)
{
	p->n = n;
	if (p->host_n > n)
		p->host_n = n;
}

/* True if comp is `last` followed by `?` or `#` and more. */
static bool is_query_of(struct cfs_slice last, struct cfs_slice comp)
{
	return comp.n > last.n && cfs_slice_starts(comp, last) &&
	       (comp.p[last.n] == '?' || comp.p[last.n] == '#');
}

/* Does one spelling of the target cover an entry? */
static bool covers(const struct cfs_target *t, const struct cfs_path *p,
		   struct cfs_slice begin, const struct cfs_path *e)
{
	struct cfs_path up;

	if (cfs_path_starts(p, e)) {
		if (e->n == p->n)
			return t->page;
		if (t->below)
			return true;
		if (t->begins)
			return cfs_slice_starts(e->comp[p->n], begin);
	}
	if (!t->queries || e->n < p->n)
		return false;
	up = *p;
	cut_path(&up, p->n - 1);
	return cfs_path_starts(&up, e) &&
	       is_query_of(p->comp[p->n - 1], e->comp[p->n - 1]);
}

bool cfs_target_covers(const struct cfs_target *t, const struct cfs_path *e,
		       cfs_pos pos)
{
	bool is_covered;

	if (t->kind == CFS_TARGET_NODE && t->node.type == CFS_NODE_FILE)
		return pos == t->node.pos;
	is_covered = covers(t, &t->path, t->begin, e);
	for (unsigned i = 0; i < t->n_twins && !is_covered; i++)
		is_covered = covers(t, &t->twins[i].path, t->twins[i].begin, e);
	return is_covered;
}

/* ---- making one ------------------------------------------------------- */

/* Derives t->key from t->url, and t->path from t->key. */
static int find_path(struct cfs_target *t, struct cfs_error *err)
{
	struct cfs_index *ix = t->crawl->index;
	int rc = cfs_index_url_key(ix, cfs_buf_slice(&t->url), &t->key);

	if (rc == CFS_OK)
		rc = cfs_index_split(ix, cfs_buf_slice(&t->key), &t->path);
	if (rc == CFS_ENOMEM)
		return cfs_error_nomem(err);
	if (rc != CFS_OK)
		return cfs_error_set(
			err, CFS_ENOTFOUND,
			t->kind == CFS_TARGET_PREFIX ?
				"'%s' is neither a path in the tree nor a reversed domain" :
				"no index can hold the URL '%s'",
			t->text);
	return CFS_OK;
}

static void take_begin(struct cfs_path *path, struct cfs_slice *begin)
{
	*begin = path->comp[path->n - 1];
	cut_path(path, path->n - 1);
}

/* Covers all below the last component but one; the last one, often empty,
 * becomes `begin`. */
static void open_end(struct cfs_target *t)
{
	take_begin(&t->path, &t->begin);
	t->begins = t->begin.n > 0;
	t->below = !t->begins;
	t->page = t->queries = false;
}

/* Takes away the letter in place of the star (cfs_lenient_read).  False: the
 * key does not end with it, since the index leaves out a fragment, or sorts a
 * query. */
static bool drop_letter(struct cfs_path *path)
{
	struct cfs_slice *last = path->n > 0 ? &path->comp[path->n - 1] : NULL;

	if (last == NULL || last->n == 0 || last->p[last->n - 1] != 'x')
		return false;
	last->n--;
	return true;
}

static bool is_same_path(const struct cfs_path *a, const struct cfs_path *b)
{
	return a->n == b->n && a->host_n == b->host_n && cfs_path_starts(a, b);
}

/* True if the target has a spelling with that path and beginning. */
static bool has_spelling(const struct cfs_target *t,
			 const struct cfs_target_twin *w)
{
	bool has = is_same_path(&t->path, &w->path) &&
		   cfs_slice_eq(t->begin, w->begin);

	for (unsigned i = 0; i < t->n_twins && !has; i++)
		has = is_same_path(&t->twins[i].path, &w->path) &&
		      cfs_slice_eq(t->twins[i].begin, w->begin);
	return has;
}

/* Makes spelling i of the target's URL the next twin, if that is another place.
 * 0 or CFS_ENOMEM. */
static int add_twin(struct cfs_target *t, unsigned i)
{
	struct cfs_target_twin *w = &t->twins[t->n_twins];
	struct cfs_index *ix = t->crawl->index;
	int rc = CFS_ENOTFOUND;

	cfs_buf_init(&w->url, 2 * CFS_KEY_MAX);
	cfs_buf_init(&w->key, CFS_KEY_MAX);
	if (cfs_url_same(cfs_buf_slice(&t->url), i, &w->url))
		rc = cfs_index_url_key(ix, cfs_buf_slice(&w->url), &w->key);
	if (rc == CFS_OK)
		rc = cfs_index_split(ix, cfs_buf_slice(&w->key), &w->path);
	w->begin = CFS_SLICE_EMPTY;
	if (rc == CFS_OK && t->kind == CFS_TARGET_BEGIN) {
		if (drop_letter(&w->path))
			take_begin(&w->path, &w->begin);
		else
			rc = CFS_ENOTFOUND;
	}
	if (rc == CFS_OK && !has_spelling(t, w)) {
		t->n_twins++;
		return CFS_OK;
	}
	cfs_buf_release(&w->url);
	cfs_buf_release(&w->key);
	return rc == CFS_ENOMEM ? rc : CFS_OK;
}

/* Finds the other spellings of a URL or its beginning, of which a slash at the
 * end has a meaning. */
static int find_twins(struct cfs_target *t, struct cfs_error *err)
{
	unsigned step = t->kind == CFS_TARGET_BEGIN ? 2 : 1;
	int rc = CFS_OK;

	if (t->kind != CFS_TARGET_URL && t->kind != CFS_TARGET_BEGIN)
		return CFS_OK;
	t->twins = calloc(CFS_URL_SPELLINGS - 1, sizeof(*t->twins));
	if (t->twins == NULL)
		return cfs_error_nomem(err);
	for (unsigned i = step; i < CFS_URL_SPELLINGS && rc == CFS_OK;
	     i += step)
		rc = add_twin(t, i);
	return rc == CFS_OK ? CFS_OK : cfs_error_nomem(err);
}

static int init_place(struct cfs_target *t, struct cfs_slice s,
		      struct cfs_error *err)
{
	enum cfs_lenient_kind kind = cfs_lenient_read(s, &t->url);
	int rc;

	t->kind = CFS_TARGET_PREFIX;
	if (kind == CFS_LENIENT_PAGE)
		t->kind = CFS_TARGET_URL;
	else if (kind == CFS_LENIENT_BEGIN)
		t->kind = CFS_TARGET_BEGIN;
	rc = find_path(t, err);
	if (rc != CFS_OK)
		return rc;
	t->page = kind == CFS_LENIENT_PAGE || kind == CFS_LENIENT_PATH;
	t->below = kind == CFS_LENIENT_HOSTS || kind == CFS_LENIENT_PATH;
	t->queries = kind == CFS_LENIENT_PATH;
	if (kind == CFS_LENIENT_HOSTS)
		cut_path(&t->path, t->path.host_n);
	if (kind == CFS_LENIENT_BEGIN && !drop_letter(&t->path))
		return cfs_error_set(err, CFS_ENOTFOUND, "this index does not "
				     "keep the end of '%s'", t->text);
	if (kind == CFS_LENIENT_BEGIN || kind == CFS_LENIENT_BELOW)
		open_end(t);
	return find_twins(t, err);
}

/* Sets the components of a node that was found by its path. */
static int init_node(struct cfs_target *t, struct cfs_ctx ctx)
{
	struct cfs_iter it;
	int rc = CFS_OK;

	t->kind = CFS_TARGET_NODE;
	t->below = t->node.type == CFS_NODE_DIR;
	if (t->below && t->node.depth == 0)
		return CFS_OK;
	cfs_iter_init(&it);
	rc = cfs_index_at(t->crawl->index, t->node.pos, &it, ctx);
	if (rc == CFS_OK && cfs_buf_add(&t->key, it.key) != CFS_OK)
		rc = cfs_error_nomem(ctx.err);
	cfs_iter_release(&it);
	if (rc == CFS_OK)
		rc = cfs_index_split(t->crawl->index, cfs_buf_slice(&t->key),
				     &t->path);
	if (rc == CFS_OK && t->below)
		cut_path(&t->path, t->node.depth);
	return rc;
}

/* Reads the text as the prefix that it stands for (url/wildcard.h), else as the
 * URL of a page that really has a star in its host. */
static int init_wildcard(struct cfs_target *t, struct cfs_slice s,
			 struct cfs_ctx ctx)
{
	struct cfs_ctx quiet = CFS_CTX(ctx.cancel, NULL);
	CFS_BUF(text, 4 * CFS_URL_MAX);

	if (cfs_wildcard_read(s, 0, &text))
		return init_place(t, cfs_buf_slice(&text), ctx.err);
	if (text.failed == CFS_ENOMEM)
		return cfs_error_nomem(ctx.err);
	if (cfs_url_is_typed(s) && init_place(t, s, NULL) == CFS_OK &&
	    t->kind == CFS_TARGET_URL &&
	    cfs_target_is_there(t, quiet) == CFS_OK)
		return CFS_OK;
	return cfs_error_set(
		ctx.err, CFS_ENOTFOUND,
		"'%s' is neither a URL nor a prefix: write http://example.com/a*, *.example.com or com.example",
		t->text);
}

static void init_nothing(struct cfs_target *t, struct cfs_crawl *crawl,
			 const char *text)
{
	*t = (struct cfs_target){ .text = text, .crawl = crawl };
	cfs_buf_init(&t->url, 2 * CFS_KEY_MAX);
	cfs_buf_init(&t->key, CFS_KEY_MAX);
}

/* Interprets the text literally. */
static int init_typed(struct cfs_target *t, struct cfs_slice s,
		      struct cfs_ctx ctx)
{
	struct cfs_error why = CFS_ERROR_INIT;
	int rc;

	if (cfs_url_is_typed(s))
		return cfs_wildcard_is(s) ? init_wildcard(t, s, ctx) :
					    init_place(t, s, ctx.err);
	rc = cfs_tree_walk(t->crawl, s, &t->node, CFS_CTX(ctx.cancel, &why));
	if (rc == CFS_OK)
		return init_node(t, ctx);
	/* where a damaged block may hold it, it can still be a prefix, whose
	 * other entries are not in there */
	if (rc == CFS_EFORMAT && !is_surely_path(s) &&
	    init_place(t, s, NULL) == CFS_OK)
		return CFS_OK;
	if (rc != CFS_ENOTFOUND)
		return cfs_error_pass(ctx.err, &why, rc);
	if (is_surely_path(s))
		return cfs_error_set(ctx.err, CFS_ENOTFOUND,
				     "'%s' is not in the tree%s", t->text,
				     cfs_crawl_pick_suffix(t->crawl));
	return cfs_wildcard_is(s) ? init_wildcard(t, s, ctx) :
				    init_place(t, s, ctx.err);
}

#define STOPPED 2

static int find_first(const struct cfs_target *t, cfs_pos *out,
		      struct cfs_ctx ctx);

/*
 * Tries another reading of text that names nothing in the crawl.  STOPPED: *t
 * is now that reading.  Else *t is unchanged: 0, or a failure to look.
 */
static int read_otherwise(struct cfs_target *t, struct cfs_slice s,
			  struct cfs_ctx ctx)
{
	struct cfs_target *other = malloc(sizeof(*other));
	CFS_BUF(text, 4 * CFS_URL_MAX);
	cfs_pos pos;
	int rc = other != NULL ? CFS_OK : cfs_error_nomem(ctx.err);

	for (unsigned i = 0; rc == CFS_OK && cfs_lenient_other(s, i, &text);
	     i++) {
		init_nothing(other, t->crawl, t->text);
		rc = init_place(other, cfs_buf_slice(&text), NULL);
		if (rc == CFS_OK)
			rc = find_first(other, &pos, ctx);
		if (rc == STOPPED) {
			cfs_target_release(t);
			*t = *other;
			break;
		}
		cfs_target_release(other);
		rc = rc == CFS_ENOTFOUND ? CFS_OK : rc;
		cfs_buf_reset(&text);
	}
	if (rc == STOPPED && t->kind == CFS_TARGET_PREFIX)
		cfs_log(CFS_LOG_WARNING, "'%s' is not in the index: taken for "
			"the prefix '%s'", t->text, cfs_buf_str(&text));
	free(other);
	return rc;
}

static bool has_other_reading(struct cfs_slice s)
{
	CFS_BUF(text, 4 * CFS_URL_MAX);

	return cfs_lenient_other(s, 0, &text);
}

int cfs_target_init(struct cfs_target *t, struct cfs_crawl *crawl,
		    const char *text, struct cfs_ctx ctx)
{
	struct cfs_slice s = cfs_slice_str(text ? text : "");
	struct cfs_error typed = CFS_ERROR_INIT, more = CFS_ERROR_INIT;
	int rc, found = CFS_OK;
	cfs_pos pos;

	init_nothing(t, crawl, text ? text : "/");
	rc = init_typed(t, s, CFS_CTX(ctx.cancel, &typed));
	if (rc == CFS_OK ? t->kind != CFS_TARGET_NODE && has_other_reading(s) :
			   rc == CFS_ENOTFOUND && has_other_reading(s)) {
		if (rc == CFS_OK)
			found = find_first(t, &pos, CFS_CTX(ctx.cancel, &more));
		if (found == CFS_OK)
			found = read_otherwise(t, s,
					       CFS_CTX(ctx.cancel, &more));
		/* a name that may lie in a damaged block is taken as typed */
		if (found == STOPPED || (found == CFS_EFORMAT && rc == CFS_OK))
			rc = found = CFS_OK;
		else if (found != CFS_OK)
			rc = found;
	}
	return cfs_error_pass(ctx.err, found != CFS_OK ? &more : &typed, rc);
}

int cfs_target_init_typed(struct cfs_target *t, struct cfs_crawl *crawl,
			  const char *text, struct cfs_ctx ctx)
{
	init_nothing(t, crawl, text);
	return init_typed(t, cfs_slice_str(text), ctx);
}

void cfs_target_make_page(struct cfs_target *t)
{
	if (t->kind != CFS_TARGET_NODE || t->node.type != CFS_NODE_FILE)
		return;
	t->kind = CFS_TARGET_PREFIX;
	t->page = true;
}

int cfs_target_with(struct cfs_crawl *crawl, const char *text,
		    cfs_target_with_fn *fn, void *arg, struct cfs_ctx ctx)
{
	struct cfs_target *t = malloc(sizeof(*t));
	int rc;

	if (t == NULL)
		return cfs_error_nomem(ctx.err);
	rc = cfs_target_init(t, crawl, text, ctx);
	if (rc == CFS_OK)
		rc = fn(arg, t, ctx);
	cfs_target_release(t);
	free(t);
	return rc;
}

void cfs_target_release(struct cfs_target *t)
{
	for (unsigned i = 0; i < t->n_twins; i++) {
		cfs_buf_release(&t->twins[i].url);
		cfs_buf_release(&t->twins[i].key);
	}
	free(t->twins);
	t->twins = NULL;
	t->n_twins = 0;
	cfs_buf_release(&t->url);
	cfs_buf_release(&t->key);
}

bool cfs_target_spelling(const struct cfs_target *t, unsigned i,
			 struct cfs_target *out)
{
	if (i > t->n_twins)
		return false;
	*out = *t;
	out->n_twins = 0;
	if (i > 0) {
		out->path = t->twins[i - 1].path;
		out->begin = t->twins[i - 1].begin;
	}
	return true;
}

/* ---- entries ---------------------------------------------------------- */

struct target_search {
	const struct cfs_target *t;
	bool takes_all;			/* also captures that are not picked; fn
					 * gets no capture then */
	cfs_target_fn *fn;
	void *arg;
	struct cfs_ctx ctx;
	struct spelling_ranges {
		struct cfs_ranges page, below, beside;
		struct cfs_buf bytes;	/* reserved at once */
	} of[CFS_URL_SPELLINGS];
	/* Key ranges to search, ascending; they borrow from those above. */
	unsigned n_runs;
	struct cfs_range runs[RUNS_MAX];
	struct cfs_slice from;		/* the first key not searched yet */
	struct cfs_index_walk *w;
	struct cfs_path entry;
};

static void target_add_run(struct target_search *s, struct cfs_range v)
{
	unsigned i = s->n_runs;

	if (i == RUNS_MAX)
		return;		/* impossible: at most four calls to an index
				 * for each spelling */
	for (; i > 0 && cfs_slice_cmp(s->runs[i - 1].lo, v.lo) > 0; i--)
		s->runs[i] = s->runs[i - 1];
	s->runs[i] = v;
	s->n_runs++;
}

static int ranges_of(struct target_search *s, const struct cfs_path *path,
		     enum cfs_below below, struct cfs_ranges *out)
{
	int rc;

	out->ctx.err = s->ctx.err;
	rc = cfs_index_ranges(s->t->crawl->index, path, below, out);
	if (rc == CFS_ENOTFOUND) {
		out->n = 0;
		return CFS_OK;
	}
	return rc == CFS_ENOMEM ? cfs_error_nomem(s->ctx.err) : rc;
}

static void target_add_all(struct target_search *s, const struct cfs_ranges *g)
{
	for (unsigned i = 0; i < g->n; i++)
		target_add_run(s, g->v[i]);
}

/*
 * Adds the part of a directory's ranges where the next component begins with
 * `begin` + c (c 0: with `begin`).  In a range that begins with the directory's
 * own bytes and a separator, the component's bytes follow unchanged, unless a
 * backend spells them differently; then the whole range is searched.  Either
 * way cfs_target_covers decides.
 */
static int add_begins(struct target_search *s, struct spelling_ranges *of,
		      struct cfs_slice begin, uint8_t c)
{
	bool is_plain = begin.n > 0 && strchr("%?:#.", begin.p[0]) == NULL;

	for (unsigned i = 0; i < of->beside.n; i++) {
		struct cfs_range v = of->beside.v[i];
		size_t at = of->bytes.n, n = v.lo.n + begin.n + (c != 0);
		uint8_t *p = of->bytes.p + at;

		if (v.lo.n == 0 || !is_plain ||
		    (v.lo.p[v.lo.n - 1] != '/' && v.lo.p[v.lo.n - 1] != 0)) {
			target_add_run(s, v);
			continue;
		}
		if (of->bytes.cap - at < 2 * n)
			return CFS_ENOMEM;
		memcpy(p, v.lo.p, v.lo.n);
		memcpy(p + v.lo.n, begin.p, begin.n);
		if (c != 0)
			p[n - 1] = c;
		memcpy(p + n, p, n);
		of->bytes.n += 2 * n;
		v.lo = cfs_slice_of(p, n);
		if (p[n - 1] != 0xff) {		/* else up to the range's end */
			p[2 * n - 1]++;
			v.hi = cfs_slice_of(p + n, n);
			v.hi_open = false;
		}
		target_add_run(s, v);
	}
	return CFS_OK;
}

static int add_beside(struct target_search *s, struct spelling_ranges *of,
		      const struct cfs_path *path, struct cfs_slice begin)
{
	const struct cfs_target *t = s->t;
	struct cfs_path dir = *path;
	int rc;

	if (t->queries) {
		begin = dir.comp[dir.n - 1];
		cut_path(&dir, dir.n - 1);
	}
	rc = ranges_of(s, &dir, CFS_BELOW_DIR, &of->beside);
	if (rc != CFS_OK)
		return rc;
	rc = cfs_buf_reserve(&of->bytes, BYTES_MAX);
	if (rc == CFS_OK && t->queries && begin.n == 0)
		target_add_all(s, &of->beside);
	else if (rc == CFS_OK)
		rc = add_begins(s, of, begin, t->queries ? '?' : 0);
	if (rc == CFS_OK && t->queries && begin.n > 0)
		rc = add_begins(s, of, begin, '#');
	return rc != CFS_OK ? cfs_error_nomem(s->ctx.err) : CFS_OK;
}

/* Adds the ranges of one spelling. */
static int find_runs_of(struct target_search *s, struct spelling_ranges *of,
			const struct cfs_path *path, struct cfs_slice begin)
{
	const struct cfs_target *t = s->t;
	int rc = CFS_OK;

	if (t->page)
		rc = ranges_of(s, path, CFS_BELOW_PAGE, &of->page);
	if (rc == CFS_OK && t->below)
		rc = ranges_of(s, path, CFS_BELOW_DIR, &of->below);
	if (rc == CFS_OK && (t->queries || t->begins))
		rc = add_beside(s, of, path, begin);
	target_add_all(s, &of->page);
	target_add_all(s, &of->below);
	return rc;
}

static int find_runs(struct target_search *s)
{
	const struct cfs_target *t = s->t;
	int rc = find_runs_of(s, &s->of[0], &t->path, t->begin);

	for (unsigned i = 0; rc == CFS_OK && i < t->n_twins; i++)
		rc = find_runs_of(s, &s->of[i + 1], &t->twins[i].path,
				  t->twins[i].begin);
	return rc;
}

static int target_offer(struct target_search *s)
{
	int rc;

	if (cfs_index_split(s->t->crawl->index, s->w->it.key, &s->entry) !=
		    CFS_OK ||
	    !cfs_target_covers(s->t, &s->entry, s->w->it.pos))
		return CFS_OK;
	if (s->takes_all)
		return s->fn(s->arg, &s->w->it, NULL);
	rc = cfs_index_walk_take(s->w);
	if (rc == CFS_ENOTFOUND)
		return CFS_OK;
	return rc == CFS_OK ? s->fn(s->arg, &s->w->it, &s->w->cap) : rc;
}

/* Searches one range, from s->from on if that is past its start. */
static int go_through(struct target_search *s, const struct cfs_range *v)
{
	struct cfs_range left = *v;
	int rc = CFS_OK;

	if (cfs_slice_cmp(s->from, v->lo) > 0)
		left.lo = s->from;
	cfs_index_walk_in(s->w, &left);
	while (rc == CFS_OK && (rc = cfs_index_walk_next(s->w)) == CFS_OK)
		rc = target_offer(s);
	if (!v->hi_open && cfs_slice_cmp(v->hi, s->from) > 0)
		s->from = v->hi;
	return rc == CFS_END ? CFS_OK : rc;
}

static int search_runs(struct target_search *s)
{
	int rc = find_runs(s);

	for (unsigned i = 0; rc == CFS_OK && i < s->n_runs; i++) {
		rc = go_through(s, &s->runs[i]);
		if (s->runs[i].hi_open)
			break;
	}
	return rc;
}

static struct target_search *search_new(const struct cfs_target *t,
					struct cfs_holes *holes,
					struct cfs_ctx ctx)
{
	struct target_search *s = malloc(sizeof(*s));

	if (s == NULL) {
		cfs_error_nomem(ctx.err);
		return NULL;
	}
	if (cfs_index_walk_new(&s->w, t->crawl->index, holes, ctx) != CFS_OK) {
		free(s);
		return NULL;
	}
	s->t = t;
	s->ctx = ctx;
	s->n_runs = 0;
	s->from = CFS_SLICE_EMPTY;
	for (unsigned i = 0; i < CFS_URL_SPELLINGS; i++) {
		cfs_ranges_init(&s->of[i].page);
		cfs_ranges_init(&s->of[i].below);
		cfs_ranges_init(&s->of[i].beside);
		cfs_buf_init(&s->of[i].bytes, BYTES_MAX);
	}
	return s;
}

static void search_free(struct target_search *s)
{
	cfs_index_walk_free(s->w);
	for (unsigned i = 0; i < CFS_URL_SPELLINGS; i++) {
		cfs_ranges_release(&s->of[i].page);
		cfs_ranges_release(&s->of[i].below);
		cfs_ranges_release(&s->of[i].beside);
		cfs_buf_release(&s->of[i].bytes);
	}
	free(s);
}

int cfs_target_runs(const struct cfs_target *t, struct cfs_key_runs *out,
		    struct cfs_ctx ctx)
{
	struct target_search *s = search_new(t, NULL, ctx);
	int rc = s != NULL ? find_runs(s) : CFS_ENOMEM;

	for (unsigned i = 0; rc == CFS_OK && i < s->n_runs; i++)
		if (cfs_key_runs_add(out, &s->runs[i]) != CFS_OK)
			rc = cfs_error_nomem(ctx.err);
	if (s != NULL)
		search_free(s);
	return rc;
}

static int each(const struct cfs_target *t, bool takes_all,
		struct cfs_holes *holes, cfs_target_fn *fn, void *arg,
		struct cfs_ctx ctx)
{
	struct target_search *s = search_new(t, holes, ctx);
	int rc;

	if (s == NULL)
		return CFS_ENOMEM;
	s->takes_all = takes_all;
	s->fn = fn;
	s->arg = arg;
	if (t->kind == CFS_TARGET_NODE && t->node.type == CFS_NODE_FILE) {
		rc = cfs_index_at(t->crawl->index, t->node.pos, &s->w->it, ctx);
		if (rc == CFS_OK)
			rc = target_offer(s);
	} else {
		rc = search_runs(s);
	}
	search_free(s);
	return rc;
}

int cfs_target_each(const struct cfs_target *t, struct cfs_holes *holes,
		    cfs_target_fn *fn, void *arg, struct cfs_ctx ctx)
{
	return each(t, false, holes, fn, arg, ctx);
}

int cfs_target_each_entry(const struct cfs_target *t, struct cfs_holes *holes,
			  cfs_target_fn *fn, void *arg, struct cfs_ctx ctx)
{
	return each(t, true, holes, fn, arg, ctx);
}

static int note_pos(void *arg, const struct cfs_iter *it,
		    const struct cfs_capture *cap)
{
	(void)cap;
	*(cfs_pos *)arg = it->pos;
	return STOPPED;
}

static int ignore_hole(void *arg, cfs_pos pos, const struct cfs_error *why)
{
	struct cfs_error *first = arg;

	(void)pos;
	cfs_error_at(first, why->code, why->where, why->offset, "%.250s",
		     why->text);
	return CFS_OK;
}

/* Finds the first entry covered, even one that is not picked: picking changes
 * neither what was typed nor which directories exist.  STOPPED if there is
 * one; 0 if that is ruled out; a failure, too, if damage may hide one. */
static int find_first(const struct cfs_target *t, cfs_pos *out,
		      struct cfs_ctx ctx)
{
	struct cfs_error first = CFS_ERROR_INIT;
	struct cfs_holes holes;
	int rc;

	cfs_holes_init(&holes);
	holes.found = ignore_hole;
	holes.arg = &first;
	rc = each(t, true, &holes, note_pos, out, ctx);
	cfs_holes_release(&holes);
	return rc == CFS_OK ? cfs_error_pass(ctx.err, &first, first.code) : rc;
}

int cfs_target_is_there(const struct cfs_target *t, struct cfs_ctx ctx)
{
	struct cfs_error e = CFS_ERROR_INIT;
	cfs_pos pos;
	int rc = find_first(t, &pos, CFS_CTX(ctx.cancel, &e));

	if (rc == CFS_OK)
		return CFS_ENOTFOUND;
	if (rc == STOPPED || rc == CFS_EFORMAT || rc == CFS_ELIMIT)
		return CFS_OK;
	return cfs_error_pass(ctx.err, &e, rc);
}

/* ---- nodes ------------------------------------------------------------ */

/* The directory of one spelling of a target. */
static int dir_of(const struct cfs_target *t, const struct cfs_path *path,
		  struct cfs_node *out, struct cfs_ctx ctx)
{
	struct cfs_target dir = *t;	/* borrows everything */
	cfs_pos pos;
	int rc;

	dir.path = *path;
	dir.n_twins = 0;
	if (t->kind == CFS_TARGET_URL && path->comp[path->n - 1].n == 0)
		cut_path(&dir.path, dir.path.n - 1);
	dir.page = dir.queries = dir.begins = false;
	dir.below = true;
	rc = find_first(&dir, &pos, ctx);
	if (rc != STOPPED)
		return rc == CFS_OK ? CFS_ENOTFOUND : rc;
	*out = (struct cfs_node){ .type = CFS_NODE_DIR, .pos = pos,
				  .depth = dir.path.n };
	return CFS_OK;
}

int cfs_target_dir(const struct cfs_target *t, struct cfs_node *out,
		   struct cfs_ctx ctx)
{
	int rc;

	if (t->kind == CFS_TARGET_NODE) {
		*out = t->node;
		return t->node.type == CFS_NODE_DIR ? CFS_OK : CFS_ENOTFOUND;
	}
	rc = dir_of(t, &t->path, out, ctx);
	for (unsigned i = 0; rc == CFS_ENOTFOUND && i < t->n_twins; i++)
		rc = dir_of(t, &t->twins[i].path, out, ctx);
	return rc;
}

int cfs_target_file(const struct cfs_target *t, struct cfs_node *out,
		    struct cfs_ctx ctx)
{
	int rc;

	if (t->kind == CFS_TARGET_NODE) {
		*out = t->node;
		if (t->node.type == CFS_NODE_DIR)
			return cfs_error_set(ctx.err, CFS_ENOTFOUND,
					     "'%s' is a directory", t->text);
		return CFS_OK;
	}
	if (t->kind == CFS_TARGET_BEGIN ||
	    (t->kind == CFS_TARGET_PREFIX && t->path.n == t->path.host_n))
		return cfs_error_set(ctx.err, CFS_ENOTFOUND,
				     "'%s' can be many pages; one is a URL, as "
				     "'http://HOST/', or a name of the tree",
				     t->text);
	rc = cfs_tree_find_url(t->crawl, cfs_buf_slice(&t->url), out, ctx);
	for (unsigned i = 0; rc == CFS_ENOTFOUND && i < t->n_twins; i++)
		rc = cfs_tree_find_url(t->crawl,
				       cfs_buf_slice(&t->twins[i].url), out,
				       ctx);
	if (rc == CFS_ENOTFOUND)
		cfs_error_set(ctx.err, rc, "'%s' is not in the index%s", t->text,
			      cfs_crawl_pick_suffix(t->crawl));
	return rc;
}
