/* paths_test.c - paths of captures in a row are those that each has alone.
 *
 * cfs_tree_path, which keeps nothing, is the reference; what it says is compared
 * with mounts elsewhere.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "crawl_fixture.h"
#include "rng.h"

#define HOST "http://h.example/"

static const char *const urls[] = {
	HOST, HOST "_index", HOST "__index", HOST "_index.txt",
	HOST "__index.meta", HOST "_index/x",
	/* a page, a directory, and neighbours with the names of its views */
	HOST "a", HOST "a/b", HOST "a.txt", HOST "a.meta/x", HOST "a.txt.txt",
	HOST "a#", HOST "a##.txt", HOST "a-", HOST "a.", HOST "a.t",
	HOST "a.txu",
	/* neighbours between a page and the name of its view */
	HOST "b", HOST "b!", HOST "b%20", HOST "b.txt",
	HOST "c", HOST "c!", HOST "c/d", HOST "c/d.meta", HOST "c.meta",
	/* a page whose text has the name of another's main content */
	HOST "k", HOST "k.main", HOST "l", HOST "l.main/x", HOST "l.main.txt",
	/* none */
	HOST "d", HOST "e/", HOST "e/f", HOST "g/h/i/j",
	/* captures of one page */
	HOST "many", HOST "many", HOST "many", HOST "many.txt", HOST "many/",
	/* other hosts, whose labels begin with another's */
	"http://h.example.org/a", "http://h.example/_", "http://hh.example/a",
	"http://w.h.example/a", "https://h.example/a", "http://example/a.txt",
	/* the last one */
	"http://zz.zz/z", "http://zz.zz/z.meta",
};
#define MANY 200u		/* more than are read again each time */
#define URLS_MAX (COUNT(urls) + MANY)
#define VIEWS (1u << CFS_VIEW_RAW | 1u << CFS_VIEW_META | \
	       1u << CFS_VIEW_TEXT | 1u << CFS_VIEW_MAIN)

static struct cfs_crawl crawl;
static cfs_pos at[URLS_MAX];
static size_t n_at;

static void fill(size_t more)
{
	static const char *list[URLS_MAX];
	static struct cfs_iter it;
	int rc;

	memcpy(list, urls, sizeof(urls));
	for (size_t i = 0; i < more; i++)
		list[COUNT(urls) + i] = HOST "many";
	crawl_open(&crawl, list, COUNT(urls) + more, 10);
	cfs_iter_init(&it);
	n_at = 0;
	rc = cfs_index_seek(crawl.index, CFS_SLICE_EMPTY, &it,
			    CFS_CTX(NULL, NULL));
	for (; rc == CFS_OK; rc = cfs_index_next(&it, CFS_CTX(NULL, NULL)))
		at[n_at++] = it.pos;
	assert_int_equal(rc, CFS_END);
	assert_int_equal(n_at, COUNT(urls) + more);
	cfs_iter_release(&it);
}

static void is_alike(const struct cfs_paths *p, cfs_pos pos,
		     enum cfs_view view)
{
	struct cfs_node node = { .type = CFS_NODE_FILE, .pos = pos,
				 .view = view };
	struct cfs_buf want, got;

	cfs_buf_init(&want, 1 << 16);
	cfs_buf_init(&got, 1 << 16);
	assert_int_equal(cfs_tree_path(&crawl, &node, &want,
				       CFS_CTX(NULL, NULL)), CFS_OK);
	assert_int_equal(cfs_paths_add(p, view, &got), CFS_OK);
	assert_string_equal(cfs_buf_str(&got), cfs_buf_str(&want));
	cfs_buf_release(&want);
	cfs_buf_release(&got);
}

/* Asks for n captures, the i-th of which is at[next(i)]. */
static void ask(size_t n, size_t (*next)(size_t i, uint64_t *state))
{
	static struct cfs_iter it;
	struct cfs_paths *p;
	uint64_t state = 1;

	assert_int_equal(cfs_paths_begin(&p, &crawl, VIEWS,
					 CFS_CTX(NULL, NULL)), CFS_OK);
	cfs_iter_init(&it);
	for (size_t i = 0; i < n; i++) {
		cfs_pos pos = at[next(i, &state)];

		assert_int_equal(cfs_index_at(crawl.index, pos, &it,
					      CFS_CTX(NULL, NULL)), CFS_OK);
		assert_int_equal(cfs_paths_find(p, &it), CFS_OK);
		is_alike(p, pos, CFS_VIEW_RAW);
		is_alike(p, pos, CFS_VIEW_META);
		is_alike(p, pos, CFS_VIEW_TEXT);
		is_alike(p, pos, CFS_VIEW_MAIN);
	}
	cfs_iter_release(&it);
	cfs_paths_end(p);
}

static size_t forward(size_t i, uint64_t *state)
{
	(void)state;
	return i;
}

static size_t backward(size_t i, uint64_t *state)
{
	(void)state;
	return n_at - 1 - i;
}

static size_t anywhere(size_t i, uint64_t *state)
{
	(void)i;
	return (size_t)rng_below(state, n_at);
}

/* Mostly one step on, as captures below a prefix come. */
static size_t mostly_forward(size_t i, uint64_t *state)
{
	return rng_below(state, 10) == 0 ? anywhere(i, state) : i % n_at;
}

static void few(void **state)
{
	(void)state;
	fill(0);
	ask(n_at, forward);
	ask(n_at, backward);
	ask(4000, anywhere);
	ask(4000, mostly_forward);
	crawl_close(&crawl);
}

static void many(void **state)
{
	(void)state;
	fill(MANY);
	ask(n_at, forward);
	ask(n_at, backward);
	ask(2000, anywhere);
	ask(2000, mostly_forward);
	crawl_close(&crawl);
}

UNIT_PROGRAM
{
	UNIT_TEST(few);
	UNIT_TEST(many);
	return unit_run("paths");
}
