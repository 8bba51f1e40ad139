/* tree_test.c - the tree over indexes of hostile URLs: look-up agrees with
 * listing, listings resume anywhere, every capture is there exactly once, and in
 * one of the parts that the tree may be cut into; a search has its hits.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "crawl/captures.h"
#include "crawl/cuts.h"
#include "crawl/page.h"
#include "crawl/tree.h"
#include "format/open_index.h"
#include "format/pbtree/pbtree_format.h"
#include "format/pbtree/pbtree.h"
#include "crawl/ino.h"
#include "index/hits.h"
#include "index/index.h"
#include "index/part.h"
#include "index/union.h"
#include "indexing/builder.h"
#include "url/pbtree_key.h"
#include "url/surt.h"
#include "url/urlkey.h"

#define MAX_URLS 400
#define MAX_NAMES 20000
#define PARTS_URLS 80	/* sets up to so many are cut at each key */

struct url_set {
	char *urls[MAX_URLS];
	unsigned n;
};

static uint32_t rng;

static uint32_t roll(uint32_t below)
{
	rng = rng * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)(rng >> 8) * below >> 24);
}

/* URLs from few pieces, so that they meet in every way. */
static char *hostile_url(void)
{
	static const char *const hosts[] = {
		"a.b", "b", "x.b", "a..b", "_d.b", "__.b", "a-x.b", "ab", "A.b",
		"1.2.3.4", "a.b:81", "a.b:443", "u:p@a.b", "_.b", "b.", "a#.b",
		"[::1]", "_index.b",
	};
	static const char *const pieces[] = {
		"/", "/a", "/a", "/b", "/a.txt", ".txt", ".meta", "/_index",
		"/__index", "#", "##1", "?", "?q=/x", "/.", "/..", "/%2E",
		"/_index.txt", "a", "b", ":81", ":9x", "-", "0", "/#1", ":x@y",
		"/%2E%2E", "/_index#.meta", "//", "~", ".warc.gz",
		".main", "/a.main", ".main.txt",
	};
	static const char *const schemes[] = { "http", "http", "https", "ftp" };
	char url[2048];
	int n = snprintf(url, sizeof(url), "%s://%s", schemes[roll(4)],
			 hosts[roll(sizeof(hosts) / sizeof(hosts[0]))]);

	if (roll(12) == 0) {		/* a long segment */
		int k = 170 + (int)roll(80);

		url[n++] = '/';
		memset(url + n, "x#\xc3"[roll(3)], (size_t)k);
		n += k;
		url[n] = '\0';
	}
	for (unsigned k = roll(5); k > 0; k--) {
		const char *p = pieces[roll(sizeof(pieces) / sizeof(pieces[0]))];

		if (n > 0 && strchr(url + 8, '/') == NULL && p[0] != '/' &&
		    p[0] != '?' && p[0] != '#')
			continue;
		n += snprintf(url + n, sizeof(url) - (size_t)n, "%s", p);
	}
	return strdup(url);
}

static void make_urls(struct url_set *s, uint32_t seed, unsigned n)
{
	rng = seed;
	s->n = 0;
	while (s->n < n) {
		s->urls[s->n++] = hostile_url();
		if (roll(4) == 0 && s->n < n) {	/* again: captures */
			s->urls[s->n] = strdup(s->urls[roll(s->n)]);
			s->n++;
		}
	}
}

static void free_urls(struct url_set *s)
{
	for (unsigned i = 0; i < s->n; i++)
		free(s->urls[i]);
}

/* ---- indexes ---------------------------------------------------------- */

struct pb_item {
	struct cfs_buf key;
	unsigned i;
};

static int pb_cmp(const void *a, const void *b)
{
	const struct pb_item *x = a, *y = b;

	return cfs_slice_cmp(cfs_buf_slice(&x->key), cfs_buf_slice(&y->key));
}

/* A PB-tree of the URLs whose keys are in the tree; returns their number. */
static unsigned write_pbtree(const char *path, const struct url_set *s)
{
	static struct pb_item items[MAX_URLS];
	struct cfs_pbtree_writer *w;
	uint64_t bytes;
	FILE *f = fopen(path, "wb+");
	unsigned n = 0;

	assert_non_null(f);
	for (unsigned i = 0; i < s->n; i++) {
		struct cfs_slice url = cfs_slice_str(s->urls[i]);

		cfs_buf_init(&items[n].key, 1 << 16);
		items[n].i = i;
		if (cfs_pbtree_url_key(url, &items[n].key) == CFS_OK)
			n++;
		else
			cfs_buf_release(&items[n].key);
	}
	qsort(items, n, sizeof(items[0]), pb_cmp);
	assert_int_equal(cfs_pbtree_writer_new(&w, fileno(f), 2048,
			 CFS_PBTREE_VALUE_BYTES, NULL, NULL), CFS_OK);
	for (unsigned i = 0; i < n; i++) {
		struct cfs_pbtree_value v = { .segment = 1, .date_ms = 1000ull *
			(items[i].i % 7), .offset = items[i].i, .length = 10 };
		uint8_t raw[CFS_PBTREE_VALUE_BYTES];

		cfs_pbtree_value_encode(&v, raw);
		assert_int_equal(cfs_pbtree_writer_add(w,
				 cfs_buf_slice(&items[i].key),
				 cfs_slice_of(raw, sizeof(raw)), NULL), CFS_OK);
		cfs_buf_release(&items[i].key);
	}
	assert_int_equal(cfs_pbtree_writer_finish(w, &bytes, NULL), CFS_OK);
	cfs_pbtree_writer_free(w);
	fclose(f);
	return n;
}

static unsigned write_cfx(const char *path, const struct url_set *s)
{
	static const struct cfs_builder_archive archive = { .name = "x.warc.gz", .size = 1,
		.mtime = 1 };
	struct cfs_builder_opts o = { .path = path, .format = CFS_INDEX_CFX,
				      .memory_bytes = 1 << 20, .threads = 1,
				      .archives = &archive, .n_archives = 1 };
	struct cfs_builder_counts counts;
	struct cfs_builder *b;

	assert_int_equal(cfs_builder_new(&b, &o, NULL), CFS_OK);
	for (unsigned i = 0; i < s->n; i++) {
		struct cfs_builder_capture cap = {
			.url = cfs_slice_str(s->urls[i]),
			.kind = CFS_KIND_RESPONSE,
			.time = 1000 + i % 7, .status = i % 3 ? 200 : 404,
			.mime = CFS_SLICE_LIT("text/html"),
			.span.offset = 100 * i, .span.length = 50,
			.record_id = CFS_SLICE_EMPTY, .digest = CFS_SLICE_EMPTY,
			.refers_to = CFS_SLICE_EMPTY,
		};

		assert_int_equal(cfs_builder_add(b, 0, &cap, NULL), CFS_OK);
	}
	assert_int_equal(cfs_builder_finish(b, &counts, NULL), CFS_OK);
	cfs_builder_free(b);
	return (unsigned)counts.captures;
}

/* A key as no canonicalizer makes it: with all dots, slashes, cases and ports
 * of the URL.  False if it has none. */
static bool raw_surt(struct cfs_slice url, struct cfs_buf *key)
{
	struct cfs_slice host;
	struct cfs_url u;
	ptrdiff_t dot;

	if (cfs_url_parse(url, &u) != CFS_OK)
		return false;
	host = u.host;
	while ((dot = cfs_slice_rfind(host, '.')) >= 0) {
		cfs_buf_add(key, cfs_slice_from(host, (size_t)dot + 1));
		cfs_buf_addc(key, ',');
		host.n = (size_t)dot;
	}
	cfs_buf_add(key, host);
	if (u.port.n > 0) {
		cfs_buf_addc(key, ':');
		cfs_buf_add(key, u.port);
	}
	cfs_buf_addc(key, ')');
	if (u.path.n == 0 || u.path.p[0] != '/')
		cfs_buf_addc(key, '/');
	return cfs_buf_add(key, u.path) == CFS_OK;
}

static bool is_printable(struct cfs_slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] <= ' ' || s.p[i] == '"' || s.p[i] == '\\')
			return false;
	return true;
}

static unsigned write_cdx_keys(const char *path, const struct url_set *s,
			       bool raw)
{
	static struct pb_item items[MAX_URLS];
	FILE *f = fopen(path, "wb");
	unsigned n = 0;

	assert_non_null(f);
	for (unsigned i = 0; i < s->n; i++) {
		struct cfs_slice url = cfs_slice_str(s->urls[i]);
		bool ok;

		cfs_buf_init(&items[n].key, 1 << 16);
		items[n].i = i;
		ok = raw ? raw_surt(url, &items[n].key) :
			   cfs_surt_encode(url, &items[n].key) == CFS_OK;
		if (ok && is_printable(cfs_buf_slice(&items[n].key)))
			n++;
		else
			cfs_buf_release(&items[n].key);
	}
	qsort(items, n, sizeof(items[0]), pb_cmp);
	for (unsigned i = 0; i < n; i++) {
		const char *url = s->urls[items[i].i];

		fprintf(f, "%.*s 2012010100000%u {\"url\": \"%s\", "
			"\"status\": \"%u\", \"length\": \"9\", \"offset\": "
			"\"%u\", \"filename\": \"x.warc.gz\"}\n",
			(int)items[i].key.n, (const char *)items[i].key.p,
			items[i].i % 7, url, items[i].i % 3 ? 200 : 404,
			items[i].i);
		cfs_buf_release(&items[i].key);
	}
	fclose(f);
	return n;
}

static unsigned write_cdx(const char *path, const struct url_set *s)
{
	return write_cdx_keys(path, s, false);
}

static unsigned write_cdx_raw(const char *path, const struct url_set *s)
{
	return write_cdx_keys(path, s, true);
}

static struct cfs_crawl *open_crawl(const char *path, bool ordered)
{
	struct cfs_crawl *c = calloc(1, sizeof(*c));
	struct cfs_source *src;

	assert_non_null(c);
	assert_int_equal(cfs_source_open_file(&src, path, NULL), CFS_OK);
	assert_int_equal(cfs_index_open(&c->index, src, 1 << 22, NULL), CFS_OK);
	c->pages = cfs_captures_cache_new(1 << 24);
	c->cuts = cfs_cuts_cache_new(1 << 24);
	assert_true(c->index->is_ordered || !ordered);
	c->index->is_ordered = ordered;
	return c;
}

static void close_crawl(struct cfs_crawl *c)
{
	cfs_index_close(c->index);
	cfs_lru_free(c->pages);
	cfs_lru_free(c->cuts);
	free(c);
}

/* ---- walking ---------------------------------------------------------- */

struct entry {
	char name[CFS_NAME_MAX + 1];
	struct cfs_node node;
	uint64_t cookie;
};

struct names {
	struct entry *v;
	unsigned n, stop_at;
	struct cfs_index *captures;	/* of this index come along; or NULL */
};

/* A file comes with what the index says at its position. */
static void check_capture(struct cfs_index *ix, const struct cfs_node *node)
{
	struct cfs_iter it;
	struct cfs_capture cap;

	if (node->type == CFS_NODE_DIR) {
		assert_null(node->cap);
		return;
	}
	assert_non_null(node->cap);
	cfs_iter_init(&it);
	assert_int_equal(cfs_index_at(ix, node->pos, &it,
				      CFS_CTX(NULL, NULL)), CFS_OK);
	assert_int_equal(cfs_index_capture(&it, &cap, NULL), CFS_OK);
	assert_int_equal(node->cap->kind, cap.kind);
	assert_int_equal(node->cap->time, cap.time);
	assert_int_equal(node->cap->body_bytes, cap.body_bytes);
	assert_memory_equal(&node->cap->loc, &cap.loc, sizeof(cap.loc));
	cfs_iter_release(&it);
}

static int collect(void *arg, struct cfs_slice name,
		   const struct cfs_node *node, uint64_t cookie)
{
	struct names *l = arg;

	if (l->n == l->stop_at)
		return 1;
	assert_true(l->n < MAX_NAMES);
	assert_true(name.n <= CFS_NAME_MAX);
	if (l->captures != NULL)
		check_capture(l->captures, node);
	else
		assert_null(node->cap);
	l->v = realloc(l->v, (l->n + 1) * sizeof(l->v[0]));
	memcpy(l->v[l->n].name, name.p, name.n);
	l->v[l->n].name[name.n] = '\0';
	l->v[l->n].node = *node;
	l->v[l->n++].cookie = cookie;
	return 0;
}

struct visit {
	struct cfs_crawl *c;
	cfs_view_set views;
	unsigned pages, dirs;
	uint64_t seen[MAX_URLS * 2];	/* positions of raw files */
};

/* A listing taken up again after each of its names goes on just there. */
static void check_resuming(struct visit *v, const struct cfs_node *dir,
			   const struct names *all)
{
	for (unsigned i = 0; i < all->n; i += 1 + i / 8) {
		struct names part = { NULL, 0, 3, NULL };

		assert_int_equal(cfs_tree_list(v->c, dir, v->views,
					       all->v[i].cookie, 0, collect,
					       &part, CFS_CTX(NULL, NULL)),
				 CFS_OK);
		assert_int_equal(part.n, all->n - i - 1 < 3 ? all->n - i - 1 : 3);
		for (unsigned k = 0; k < part.n; k++)
			assert_string_equal(part.v[k].name,
					    all->v[i + 1 + k].name);
		free(part.v);
	}
}

static bool same_node(const struct cfs_node *a, const struct cfs_node *b)
{
	return a->type == b->type && a->pos == b->pos &&
	       a->depth == b->depth && a->view == b->view;
}

static void check_name(struct visit *v, const struct cfs_node *dir,
		       const struct entry *e)
{
	struct cfs_node found, up, back;
	struct cfs_buf path;
	int rc = cfs_tree_lookup(v->c, dir, cfs_slice_str(e->name), &found,
				 CFS_CTX(NULL, NULL));

	if (rc != CFS_OK || !same_node(&found, &e->node))
		print_message("name '%s': code %d\n", e->name, rc);
	assert_int_equal(rc, CFS_OK);
	assert_true(same_node(&found, &e->node));
	assert_true(cfs_ino_node(cfs_ino_of(&found), &back));
	assert_true(same_node(&found, &back));
	assert_int_equal(cfs_tree_parent(v->c, &found, &up,
					 CFS_CTX(NULL, NULL)), CFS_OK);
	assert_true(same_node(&up, dir));
	cfs_buf_init(&path, 1 << 20);
	assert_int_equal(cfs_tree_path(v->c, &found, &path,
				       CFS_CTX(NULL, NULL)), CFS_OK);
	if (!cfs_slice_ends(cfs_buf_slice(&path), cfs_slice_str(e->name)))
		print_message("'%s' has the path '%s'\n", e->name,
			      cfs_buf_str(&path));
	assert_true(cfs_slice_ends(cfs_buf_slice(&path), cfs_slice_str(e->name)));
	assert_int_equal(cfs_tree_walk(v->c, cfs_buf_slice(&path), &back,
				       CFS_CTX(NULL, NULL)), CFS_OK);
	assert_true(same_node(&found, &back));
	cfs_buf_release(&path);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->name,
		      ((const struct entry *)b)->name);
}

static void visit_dir(struct visit *v, const struct cfs_node *dir)
{
	struct names all = { NULL, 0, UINT32_MAX, v->c->index };

	assert_int_equal(cfs_tree_list(v->c, dir, v->views, 0, UINT32_MAX,
				       collect, &all,
				       CFS_CTX(NULL, NULL)), CFS_OK);
	check_resuming(v, dir, &all);
	for (unsigned i = 0; i < all.n; i++) {
		const struct entry *e = &all.v[i];

		check_name(v, dir, e);
		if (e->node.type == CFS_NODE_DIR) {
			v->dirs++;
			visit_dir(v, &e->node);
		} else if (e->node.view == CFS_VIEW_RAW) {
			for (unsigned k = 0; k < v->pages; k++)
				assert_true(v->seen[k] != e->node.pos);
			v->seen[v->pages++] = e->node.pos;
		}
	}
	if (all.n > 0)
		qsort(all.v, all.n, sizeof(all.v[0]), by_name);
	for (unsigned i = 1; i < all.n; i++)	/* no name twice */
		assert_string_not_equal(all.v[i - 1].name, all.v[i].name);
	free(all.v);
}

/* Entries of the index that are in the tree. */
static unsigned count_entries(struct cfs_crawl *c)
{
	struct cfs_path *path = malloc(sizeof(*path));
	struct cfs_iter it;
	unsigned n = 0;
	int rc;

	cfs_iter_init(&it);
	rc = cfs_index_seek(c->index, CFS_SLICE_EMPTY, &it,
			    CFS_CTX(NULL, NULL));
	for (; rc == CFS_OK; rc = cfs_index_next(&it, CFS_CTX(NULL, NULL)))
		n += cfs_index_split(c->index, it.key, path) == CFS_OK;
	assert_int_equal(rc, CFS_END);
	cfs_iter_release(&it);
	free(path);
	return n;
}

/* Each URL's own capture has a path that leads back to it. */
static void check_urls(struct visit *v, const struct url_set *s)
{
	for (unsigned i = 0; i < s->n; i++) {
		struct cfs_node n;
		int rc = cfs_tree_find_url(v->c, cfs_slice_str(s->urls[i]), &n,
					   CFS_CTX(NULL, NULL));

		if (rc == CFS_ENOTFOUND)
			continue;	/* not in the tree: counted elsewhere */
		assert_int_equal(rc, CFS_OK);
		rc = 0;
		for (unsigned k = 0; k < v->pages; k++)
			rc += v->seen[k] == n.pos;
		assert_int_equal(rc, 1);
	}
}

static void check_tree(const char *path, bool ordered, const struct url_set *s,
		       cfs_view_set views)
{
	struct visit *v = calloc(1, sizeof(*v));
	struct cfs_node root = cfs_tree_root(0);

	v->c = open_crawl(path, ordered);
	v->views = views;
	visit_dir(v, &root);
	assert_int_equal(v->pages, count_entries(v->c));
	assert_true(v->pages > 0);
	check_urls(v, s);
	close_crawl(v->c);
	free(v);
}

/* ---- parts ------------------------------------------------------------ */

struct parts {
	struct cfs_crawl *whole, *part;
	const struct url_set *urls;
	cfs_view_set views;
	uint64_t files[MAX_NAMES];	/* inodes of all parts */
	unsigned n;
};

static struct names list_dir(struct cfs_crawl *c, cfs_view_set views,
			     const struct cfs_node *dir)
{
	struct names all = { NULL, 0, UINT32_MAX, NULL };

	assert_int_equal(cfs_tree_list(c, dir, views, 0, 0, collect, &all,
				       CFS_CTX(NULL, NULL)), CFS_OK);
	return all;
}

/* A directory of the whole, of which the part has what is below it: the same
 * names and nodes, and look-ups that find these and no others.  Returns how many
 * files of the part are below it. */
static unsigned compare_dir(struct parts *p, const struct cfs_node *dir)
{
	struct names all = list_dir(p->whole, p->views, dir);
	struct names mine = list_dir(p->part, p->views, dir);
	unsigned before = p->n, k = 0;

	for (unsigned i = 0; i < all.n; i++) {
		const struct entry *e = &all.v[i];
		bool is_mine = k < mine.n &&
			       strcmp(mine.v[k].name, e->name) == 0;
		struct cfs_node found;
		int rc = cfs_tree_lookup(p->part, dir, cfs_slice_str(e->name),
					 &found, CFS_CTX(NULL, NULL));

		assert_int_equal(rc, is_mine ? CFS_OK : CFS_ENOTFOUND);
		if (!is_mine)
			continue;
		assert_true(same_node(&found, &e->node));
		assert_true(same_node(&mine.v[k++].node, &e->node));
		if (e->node.type == CFS_NODE_DIR) {
			assert_true(compare_dir(p, &e->node) > 0);
			continue;
		}
		assert_true(p->n < MAX_NAMES);
		p->files[p->n++] = cfs_ino_of(&e->node);
	}
	assert_int_equal(k, mine.n);
	free(all.v);
	free(mine.v);
	return p->n - before;
}

/* How many of the URLs are found in the part. */
static unsigned count_urls(const struct parts *p)
{
	unsigned n = 0;

	for (unsigned i = 0; i < p->urls->n; i++) {
		struct cfs_node node;
		int rc = cfs_tree_find_url(p->part,
					   cfs_slice_str(p->urls->urls[i]),
					   &node, CFS_CTX(NULL, NULL));

		assert_true(rc == CFS_OK || rc == CFS_ENOTFOUND);
		n += rc == CFS_OK;
	}
	return n;
}

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* n parts have each file of the whole once, and each URL. */
static void check_parts(struct parts *p, const char *path, bool ordered,
			uint32_t n)
{
	struct cfs_node root = cfs_tree_root(0);
	unsigned whole, urls, found = 0;

	p->n = 0;
	p->part = p->whole;
	whole = compare_dir(p, &root);
	urls = count_urls(p);
	p->n = 0;
	for (uint32_t k = 1; k <= n; k++) {
		p->part = open_crawl(path, ordered);
		assert_int_equal(cfs_part_open(&p->part->index, p->part->index,
					       (struct cfs_part){ k, n },
					       CFS_CTX(NULL, NULL)), CFS_OK);
		compare_dir(p, &root);
		found += count_urls(p);
		close_crawl(p->part);
	}
	assert_int_equal(p->n, whole);
	assert_int_equal(found, urls);
	qsort(p->files, p->n, sizeof(p->files[0]), by_number);
	for (unsigned i = 1; i < p->n; i++)
		assert_true(p->files[i - 1] < p->files[i]);
}

/* Some parts, and so many that each key is where one of them begins. */
static void check_all_parts(const char *path, bool ordered,
			    const struct url_set *s, cfs_view_set views)
{
	struct parts *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	p->urls = s;
	p->views = views;
	p->whole = open_crawl(path, ordered);
	check_parts(p, path, ordered, 3);
	check_parts(p, path, ordered, 3 * count_entries(p->whole));
	close_crawl(p->whole);
	free(p);
}

/* ---- searches --------------------------------------------------------- */

struct search_names {
	struct visit *v;
	struct cfs_index *hits;
	unsigned files;			/* of the search, so far */
};

/* A name of the whole is in the search if it is, or leads to, a hit; its file
 * is then the same, and its directory has the same path. */
static bool find_in_search(struct search_names *s, const struct cfs_node *dir,
			   const struct entry *e, const struct cfs_node *whole,
			   struct cfs_node *out)
{
	struct cfs_node up;
	int rc = cfs_tree_lookup(s->v->c, dir, cfs_slice_str(e->name), out,
				 CFS_CTX(NULL, NULL));

	if (rc == CFS_ENOTFOUND)
		return false;
	assert_int_equal(rc, CFS_OK);
	assert_int_equal(out->type, whole->type);
	if (out->type == CFS_NODE_FILE) {
		assert_true(same_node(out, whole));
		return true;
	}
	assert_ptr_equal(out->hits, s->hits);
	assert_int_equal(out->pos, cfs_hits_index_pos(s->hits, out->hit));
	assert_int_equal(cfs_tree_parent(s->v->c, out, &up,
					 CFS_CTX(NULL, NULL)), CFS_OK);
	assert_true(same_node(&up, dir));
	return true;
}

/* Compares a directory of the search with that of the whole; returns whether it
 * should be there. */
static bool compare_search(struct search_names *s, const struct cfs_node *whole,
			   const struct cfs_node *dir)
{
	struct names all = list_dir(s->v->c, s->v->views, whole);
	struct names mine = list_dir(s->v->c, s->v->views, dir);
	unsigned k = 0;

	check_resuming(s->v, dir, &mine);
	for (unsigned i = 0; i < all.n; i++) {
		const struct entry *e = &all.v[i];
		struct cfs_node found;
		bool is_there = find_in_search(s, dir, e, &e->node, &found);
		bool should = cfs_hits_index_has(s->hits, e->node.pos);

		if (e->node.type == CFS_NODE_FILE)
			s->files += is_there;
		else
			should = is_there && compare_search(s, &e->node, &found);
		assert_int_equal(is_there, should);
		if (!is_there)
			continue;
		assert_true(k < mine.n);
		assert_string_equal(mine.v[k].name, e->name);
		assert_true(same_node(&mine.v[k].node, &found));
		assert_int_equal(mine.v[k++].node.hit, found.hit);
	}
	assert_int_equal(k, mine.n);
	free(all.v);
	free(mine.v);
	return k > 0;
}

/* One capture in so many is a hit. */
static void check_search(struct cfs_crawl *c, cfs_view_set views,
			 unsigned one_in)
{
	struct visit v = { .c = c, .views = views };
	struct search_names s = { .v = &v };
	struct cfs_path *path = malloc(sizeof(*path));
	cfs_pos *hits = malloc(2 * MAX_URLS * sizeof(*hits));
	struct cfs_node root = cfs_tree_root(0), top;
	unsigned n = 0, in_tree = 0;
	struct cfs_iter it;
	int rc;

	cfs_iter_init(&it);
	rc = cfs_index_seek(c->index, CFS_SLICE_EMPTY, &it,
			    CFS_CTX(NULL, NULL));
	for (; rc == CFS_OK; rc = cfs_index_next(&it, CFS_CTX(NULL, NULL)))
		if (roll(one_in) == 0) {
			in_tree += cfs_index_split(c->index, it.key, path) ==
				   CFS_OK;
			hits[n++] = it.pos;
		}
	cfs_iter_release(&it);
	free(path);
	assert_int_equal(cfs_hits_index_open(&s.hits, c->index, hits, n, NULL),
			 CFS_OK);
	top = cfs_tree_search_root(0, s.hits, 1);
	assert_int_equal(compare_search(&s, &root, &top), in_tree > 0);
	assert_int_equal(s.files, in_tree * __builtin_popcount(views));
	cfs_index_close(s.hits);
}

/* Two indexes that have some URLs in common, as one. */
static struct cfs_crawl *open_union(const char *path, const struct url_set *s)
{
	struct cfs_union_member v[2];
	struct cfs_crawl *c, *other;
	struct url_set half = { .n = 0 };

	assert_true(write_cfx(path, s) > 0);
	c = open_crawl(path, true);
	while (half.n < s->n / 2) {
		half.urls[half.n] = s->urls[half.n * 2];
		half.n++;
	}
	unlink(path);
	assert_true(write_cfx(path, &half) > 0);
	other = open_crawl(path, true);
	v[0] = (struct cfs_union_member){ .ix = c->index, .place = "a" };
	v[1] = (struct cfs_union_member){ .ix = other->index, .place = "b" };
	other->index = NULL;
	close_crawl(other);
	assert_int_equal(cfs_union_open(&c->index, v, 2, 1, 1 << 22, NULL),
			 CFS_OK);
	return c;
}

static void searches(void **state)
{
	static const cfs_view_set plain_sets[] = {
		CFS_VIEWS_DEFAULT, 1u << CFS_VIEW_RAW,
		CFS_VIEWS_DEFAULT | 1u << CFS_VIEW_HEADERS,
	};
	char path[] = "/tmp/cfs-tree-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	for (uint32_t seed = 1; seed <= 30; seed++) {
		struct cfs_crawl *c;
		struct url_set s;

		make_urls(&s, seed, 20 + seed * 6 % MAX_URLS);
		unlink(path);
		if (seed % 2 == 0) {
			c = open_union(path, &s);
		} else {
			assert_true(write_cfx(path, &s) > 0);
			c = open_crawl(path, true);
		}
		for (unsigned one_in = 1; one_in < 30; one_in = 2 * one_in + 1)
			check_search(c, plain_sets[seed % 3], one_in);
		close_crawl(c);
		free_urls(&s);
	}
	unlink(path);
}

static const cfs_view_set view_sets[] = {
	CFS_VIEWS_DEFAULT, 1u << CFS_VIEW_RAW,
	CFS_VIEWS_DEFAULT | 1u << CFS_VIEW_HEADERS | 1u << CFS_VIEW_RECORD,
	1u << CFS_VIEW_RAW | 1u << CFS_VIEW_TEXT | 1u << CFS_VIEW_MAIN,
};

/* Holds W1, W2, W3. */
static void run_seeds(bool ordered, unsigned (*writer)(const char *,
						       const struct url_set *))
{
	char path[] = "/tmp/cfs-tree-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	for (uint32_t seed = 1; seed <= 40; seed++) {
		struct url_set s;

		make_urls(&s, seed, 20 + seed * 6 % MAX_URLS);
		unlink(path);
		assert_true(writer(path, &s) > 0);
		check_tree(path, ordered, &s, view_sets[seed % 4]);
		if (s.n <= PARTS_URLS)
			check_all_parts(path, ordered, &s, view_sets[seed % 4]);
		free_urls(&s);
	}
	unlink(path);
}

static void pbtree_trees(void **state)
{
	(void)state;
	run_seeds(false, write_pbtree);
}

static void cfx_trees(void **state)
{
	(void)state;
	run_seeds(true, write_cfx);
}

/* The same index read without knowing that its order is the tree's. */
static void cfx_trees_unordered(void **state)
{
	(void)state;
	run_seeds(false, write_cfx);
}

static void cdx_trees(void **state)
{
	(void)state;
	run_seeds(false, write_cdx);
}

/* Trees of keys that nobody should write. */
static void cdx_trees_of_raw_keys(void **state)
{
	(void)state;
	run_seeds(false, write_cdx_raw);
}

UNIT_PROGRAM
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cdx_trees),
		cmocka_unit_test(cdx_trees_of_raw_keys),
		cmocka_unit_test(pbtree_trees),
		cmocka_unit_test(cfx_trees),
		cmocka_unit_test(cfx_trees_unordered),
		cmocka_unit_test(searches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
