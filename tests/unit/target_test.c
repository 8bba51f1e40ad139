/* target_test.c - what is meant by a URL, a reversed domain or a path: which
 * captures, which directory, which file; and what is said of the rest.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "crawl_fixture.h"

#include "crawl/target.h"

static const char *const urls[] = {
	"http://example.com/",
	"http://example.com/a",
	"http://example.com/a?q=1",
	"http://example.com/a/b",
	"http://example.com/a/",
	"http://example.com/ab",
	"http://example.com/c/d/e",
	"https://example.com/a",
	"http://example.com:8080/a",
	"http://www.example.com/a",
	"http://example-x.com/a",
	"http://example.com.example.net/a",
	"http://xexample.com/a",
	"http://192.0.2.7/x",
	"http://odd.example.org/%41b",
	"http://odd.example.org/?q",
	"http://odd.example.org/.x",
	"http://odd.example.org/z",
};

static struct cfs_crawl crawl;

static int open_it(void **state)
{
	(void)state;
	crawl_open(&crawl, urls, COUNT(urls), COUNT(urls));
	return 0;
}

static int close_it(void **state)
{
	(void)state;
	crawl_close(&crawl);
	return 0;
}

/* ---- captures ----------------------------------------------------------- */

struct cover {
	const char *text;
	enum cfs_target_kind kind;
	unsigned captures;
};
static const struct cover covers[] = {
	{ "", CFS_TARGET_NODE, COUNT(urls) },
	{ "/", CFS_TARGET_NODE, COUNT(urls) },
	{ "/com/example", CFS_TARGET_NODE, 10 },
	{ "com/example/_/c", CFS_TARGET_NODE, 1 },
	{ "com/example/_/ab", CFS_TARGET_NODE, 1 },
	{ "com.example", CFS_TARGET_PREFIX, 10 },
	{ "*.example.com", CFS_TARGET_PREFIX, 10 },
	{ "http://*.example.com/", CFS_TARGET_PREFIX, 10 },
	{ "example.com/*", CFS_TARGET_BEGIN, 10 },
	{ "com.example/*", CFS_TARGET_BEGIN, 10 },
	{ "com.example/", CFS_TARGET_PREFIX, 9 },
	{ "com.example/a", CFS_TARGET_PREFIX, 6 },
	{ "com.example/a/", CFS_TARGET_PREFIX, 2 },
	{ "com.example/ab", CFS_TARGET_PREFIX, 1 },
	{ "com.example/c", CFS_TARGET_PREFIX, 1 },
	{ "com.example/c/d/", CFS_TARGET_PREFIX, 1 },
	{ "com.example.www", CFS_TARGET_PREFIX, 1 },
	{ "com.example-x", CFS_TARGET_PREFIX, 1 },
	{ "com.exampl", CFS_TARGET_PREFIX, 0 },
	{ "net.example.com", CFS_TARGET_PREFIX, 1 },
	{ "7.2.0.192", CFS_TARGET_PREFIX, 1 },
	{ "http://example.com/a", CFS_TARGET_URL, 5 },
	{ "http://example.com/a/", CFS_TARGET_URL, 5 },
	/* the same URL in other spellings (url/same_url.h) */
	{ "https://www.example.com/a", CFS_TARGET_URL, 5 },
	{ "HTTP://WWW.EXAMPLE.COM./a/", CFS_TARGET_URL, 5 },
	{ "http://www.example.com/ab/", CFS_TARGET_URL, 1 },
	{ "http://www.example.com/a/*", CFS_TARGET_BEGIN, 2 },
	{ "http://www.example.com/*", CFS_TARGET_BEGIN, 10 },
	{ "http://www.www.example.com/a", CFS_TARGET_URL, 1 },
	{ "http://example.com/a?", CFS_TARGET_URL, 0 },
	{ "http://www.192.0.2.7/x/", CFS_TARGET_URL, 1 },
	{ "http://example.com/no", CFS_TARGET_URL, 0 },
	{ "http://example.com/a*", CFS_TARGET_BEGIN, 8 },
	{ "http://example.com/a/*", CFS_TARGET_BEGIN, 2 },
	{ "http://example.com/a?*", CFS_TARGET_BEGIN, 1 },
	{ "http://example.com/*", CFS_TARGET_BEGIN, 10 },
	{ "http://example.com*", CFS_TARGET_BEGIN, 10 },
	{ "http://odd.example.org/?*", CFS_TARGET_BEGIN, 1 },
	{ "http://odd.example.org/.*", CFS_TARGET_BEGIN, 1 },
	{ "http://odd.example.org/%*", CFS_TARGET_BEGIN, 1 },
};

struct seen {
	unsigned n, stop_at;
	cfs_pos last;
};

static int count(void *arg, const struct cfs_iter *it,
		 const struct cfs_capture *cap)
{
	struct seen *s = arg;

	assert_true(s->n == 0 || it->pos > s->last);
	assert_int_equal(cap->status, 200);
	s->last = it->pos;
	return ++s->n == s->stop_at ? 7 : 0;
}

/* Holds H15. */
static void cover_case(void **state)
{
	const struct cover *tc = *state;
	struct cfs_error err = CFS_ERROR_INIT;
	struct seen s = { .n = 0 };
	struct cfs_target t;

	if (cfs_target_init(&t, &crawl, tc->text,
			    CFS_CTX(NULL, &err)) != CFS_OK)
		fail_msg("%s", err.text);
	assert_int_equal(t.kind, tc->kind);
	assert_int_equal(cfs_target_each(&t, NULL, count, &s,
					 CFS_CTX(NULL, &err)), CFS_OK);
	assert_int_equal(s.n, tc->captures);
	/* in order, each once; and it stops when it is told to */
	if (s.n > 1) {
		s = (struct seen){ .stop_at = 2 };
		assert_int_equal(cfs_target_each(&t, NULL, count, &s,
						 CFS_CTX(NULL, &err)), 7);
		assert_int_equal(s.n, 2);
	}
	cfs_target_release(&t);
}

/* Every entry of the index is met by each target that covers it. */
static void covers_agrees_with_each(void **state)
{
	struct cfs_target all, t;
	struct cfs_iter it;
	struct cfs_path path;

	(void)state;
	assert_int_equal(cfs_target_init(&all, &crawl, NULL,
					 CFS_CTX(NULL, NULL)), CFS_OK);
	for (size_t i = 0; i < COUNT(covers); i++) {
		unsigned n = 0;
		int rc;

		assert_int_equal(cfs_target_init(&t, &crawl, covers[i].text,
						 CFS_CTX(NULL, NULL)), CFS_OK);
		cfs_iter_init(&it);
		rc = cfs_index_seek(crawl.index, CFS_SLICE_EMPTY, &it,
				    CFS_CTX(NULL, NULL));
		for (; rc == CFS_OK; rc = cfs_index_next(&it,
							 CFS_CTX(NULL, NULL))) {
			assert_int_equal(cfs_index_split(crawl.index, it.key,
							 &path), CFS_OK);
			assert_true(cfs_target_covers(&all, &path, it.pos));
			n += cfs_target_covers(&t, &path, it.pos);
		}
		cfs_iter_release(&it);
		assert_int_equal(n, covers[i].captures);
		cfs_target_release(&t);
	}
	cfs_target_release(&all);
}

/* ---- directories and files ---------------------------------------------- */

struct node_case {
	const char *text;
	int dir, file;		/* results of finding a directory and a file */
	unsigned depth;		/* of the directory */
};
static const struct node_case nodes[] = {
	{ "/", CFS_OK, CFS_ENOTFOUND, 0 },
	{ "com/example", CFS_OK, CFS_ENOTFOUND, 2 },
	{ "com/example/_/ab", CFS_ENOTFOUND, CFS_OK, 0 },
	{ "com.example", CFS_OK, CFS_ENOTFOUND, 2 },
	{ "com.exampl", CFS_ENOTFOUND, CFS_ENOTFOUND, 0 },
	{ "com.example/ab", CFS_ENOTFOUND, CFS_OK, 0 },
	{ "com.example/c", CFS_OK, CFS_ENOTFOUND, 4 },
	{ "http://example.com/", CFS_OK, CFS_OK, 3 },
	{ "http://example.com/a", CFS_OK, CFS_OK, 4 },
	{ "http://example.com/ab", CFS_ENOTFOUND, CFS_OK, 0 },
	{ "http://example.com/no", CFS_ENOTFOUND, CFS_ENOTFOUND, 0 },
	{ "http://example.com/a*", CFS_OK, CFS_ENOTFOUND, 3 },
};

static void node_case(void **state)
{
	const struct node_case *tc = *state;
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_target t;
	struct cfs_node n;

	assert_int_equal(cfs_target_init(&t, &crawl, tc->text,
					 CFS_CTX(NULL, &err)),
			 CFS_OK);
	assert_int_equal(cfs_target_dir(&t, &n, CFS_CTX(NULL, NULL)), tc->dir);
	if (tc->dir == CFS_OK) {
		assert_int_equal(n.type, CFS_NODE_DIR);
		assert_int_equal(n.depth, tc->depth);
	}
	assert_int_equal(cfs_target_file(&t, &n,
					 CFS_CTX(NULL, &err)), tc->file);
	if (tc->file == CFS_OK)
		assert_int_equal(n.type, CFS_NODE_FILE);
	else
		assert_non_null(strstr(err.text, tc->text));
	cfs_target_release(&t);
}

/* ---- what is nothing ---------------------------------------------------- */

struct bad {
	const char *text, *says;
};
static const struct bad bads[] = {
	{ "/no/such", "is not in the tree" },
	{ "com/example/_/no", "is not in the tree" },
	{ "*.example.com/a", "http://example.com/a*" },
	{ "http://*.example.com/a", "*.example.com" },
	{ "com.example*", "http://example.com/a*" },
};

static void bad(void **state)
{
	const struct bad *tc = *state;
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_target t;

	assert_int_equal(cfs_target_init(&t, &crawl, tc->text,
					 CFS_CTX(NULL, &err)),
			 CFS_ENOTFOUND);
	assert_non_null(strstr(err.text, tc->says));
	cfs_target_release(&t);
}

/* ---- interrupted -------------------------------------------------------- */

static bool yes(void *arg)
{
	(void)arg;
	return true;
}

static void interrupted(void **state)
{
	struct cfs_cancel cancel = { .asked = yes };
	struct seen s = { .n = 0 };
	struct cfs_target t;

	(void)state;
	assert_int_equal(cfs_target_init(&t, &crawl, "com.example",
					 CFS_CTX(NULL, NULL)),
			 CFS_OK);
	assert_int_equal(cfs_target_each(&t, NULL, count, &s,
					 CFS_CTX(&cancel, NULL)), CFS_EINTR);
	assert_int_equal(s.n, 0);
	cfs_target_release(&t);
}

UNIT_PROGRAM
{
	UNIT_ROWS_BY(covers, text, cover_case);
	UNIT_TEST(covers_agrees_with_each);
	UNIT_ROWS_BY(nodes, text, node_case);
	UNIT_ROWS_BY(bads, text, bad);
	UNIT_TEST(interrupted);
	return unit_run_with("target", open_it, close_it);
}
