/* reach_test.c - which servers what was read on one may lead to.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "net/reach.h"

struct reach_case {
	const char *name, *from, *to, *named, *allowed;
	bool may;
};
static struct reach_case reach_cases[] = {
	{ "a file of the user's", "/l.json", "http://a/x", "", NULL, true },
	{ "its own server", "http://a/l", "http://A:81/x", "", NULL, true },
	{ "another server", "http://a/l", "http://b/x", "", NULL, false },
	{ "http to https", "http://a/l", "https://a/x", "", NULL, true },
	{ "https to http", "https://a/l", "http://a/x", "", NULL, false },
	/* Holds U63. */
	{ "https to http, named", "https://a/l", "http://b/x", "http://b/", "b",
	  false },
	{ "named", "http://a/l", "http://b/x", "http://B:8/y", NULL, true },
	{ "named in an option", "http://a/l", "http://b/x",
	  "ro,data=http://c/,base=https://b?q", NULL, true },
	{ "named as a page's prefix of another", "http://a/l", "http://b/x",
	  "http://bb/", NULL, false },
	{ "named by a query", "http://a/l", "http://b.c/x", "http://b?.c", NULL,
	  false },
	{ "allowed", "http://a/l", "http://b/x", "", "b", true },
	{ "allowed, the second", "http://a/l", "http://b/x", "", "c,b", true },
	{ "allowed, by colons", "http://a/l", "http://b/x", "", "c:b:d", true },
	{ "allowed, IPv6", "http://a/l", "http://[::1]/x", "", "c,[::1],d",
	  true },
	{ "a pattern", "http://a/l", "http://x.b.org/x", "", "*.b.org", true },
	{ "a pattern, in upper case", "http://a/l", "http://x.B.org/x", "",
	  "*.b.ORG", true },
	{ "a pattern, the name itself", "http://a/l", "http://b.org/x", "",
	  "*.b.org", false },
	{ "a pattern, another name", "http://a/l", "http://xb.org/x", "",
	  "*.b.org", false },
	{ "all", "http://a/l", "http://b/x", "", "*", true },
	{ "all, but loopback", "http://a/l", "http://127.1/x", "", "*", false },
	{ "all, but inner addresses", "http://a/l", "http://10.0.0.1/x", "", "*",
	  false },
	/* Holds U63. */
	{ "all, but metadata", "http://a/l", "http://169.254.169.254/x", "",
	  "*", false },
	{ "all, and one by its name", "http://a/l", "http://10.0.0.1/x", "",
	  "*,10.0.0.1", true },
	{ "its own bucket", "s3://a/l", "s3://a/x", "", NULL, true },
	{ "another bucket", "s3://a/l", "s3://b/x", "", "*", false },
	{ "another bucket, named", "s3://a/l", "s3://b/x", "s3://b/k", NULL,
	  true },
	{ "another bucket, named as a folder", "s3://a/l", "s3://b/x", "s3://b/",
	  NULL, true },
	{ "a bucket of a server's name", "http://a/l", "s3://a/x", "http://a/",
	  "a", false },
	{ "a server of a bucket's name", "s3://a/l", "http://a/x", "s3://a/k",
	  NULL, false },
	{ "Common Crawl's", "http://a/l", "https://data.commoncrawl.org/x", "",
	  NULL, true },
	{ "Common Crawl's bucket", "http://a/l", "s3://commoncrawl/x", "", NULL,
	  false },
	{ "a file", "http://a/l", "file:///etc/passwd", "", "*", false },
	{ "another scheme", "http://a/l", "gopher://a/x", "", "*", false },
};

static void reach_case(void **state)
{
	const struct reach_case *tc = *state;

	assert_int_equal(cfs_reach_name(tc->named), CFS_OK);
	assert_int_equal(cfs_reach_allow(tc->allowed, NULL), CFS_OK);
	assert_int_equal(cfs_reach_refusal(tc->from, tc->to) == NULL, tc->may);
	cfs_reach_release();
	assert_int_equal(cfs_reach_allow(NULL, NULL), CFS_OK);
}

static void no_hosts(void **state)
{
	static const char *const lists[] = { "a b", "a/b", "**", "*a/", "[::1",
					     "http://a/", "a,,b", "*.", "*.*" };

	(void)state;
	for (size_t i = 0; i < COUNT(lists); i++)
		assert_int_equal(cfs_reach_allow(lists[i], NULL), CFS_EUSAGE);
	assert_int_equal(cfs_reach_allow("a,*.b:c,*", NULL), CFS_OK);
	cfs_reach_release();
}

/* Those that only a pattern allows must be public wherever their names lead. */
/* Holds U64. */
static void by_pattern(void **state)
{
	(void)state;
	assert_int_equal(cfs_reach_name("http://x.b/"), CFS_OK);
	assert_int_equal(cfs_reach_allow("*.b,y.b", NULL), CFS_OK);
	assert_false(cfs_reach_is_by_pattern(cfs_slice_str("x.b")));
	assert_false(cfs_reach_is_by_pattern(cfs_slice_str("y.b")));
	assert_true(cfs_reach_is_by_pattern(cfs_slice_str("z.b")));
	assert_false(cfs_reach_is_by_pattern(cfs_slice_str("c")));
	cfs_reach_release();
}

UNIT_PROGRAM
{
	UNIT_ROWS(reach_cases, reach_case);
	UNIT_TEST(no_hosts);
	UNIT_TEST(by_pattern);
	return unit_run("reach");
}
