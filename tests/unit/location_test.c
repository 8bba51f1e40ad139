/* location_test.c - URLs, the names of Common Crawl's bucket, S3's setup.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "net/open_location.h"
#include "net/s3.h"

/* ---- URLs -------------------------------------------------------------- */

static const struct { const char *url, *canonical; int rc; } urls[] = {
	{ "http://a.org/x", "http://a.org/x", 0 },
	{ "HTTP://A.Org:80/X", "http://a.org/X", 0 },
	{ "https://a.org:443", "https://a.org/", 0 },
	{ "https://a.org:80/", "https://a.org:80/", 0 },
	{ "https://a.org:/x", "https://a.org/x", 0 },
	{ "http://u:p@w@a.org/x", "http://a.org/x", 0 },
	{ "http://a.org/x#frag", "http://a.org/x", 0 },
	{ "http://a.org?q=1", "http://a.org/?q=1", 0 },
	{ "http://a.org/a b/\xc3\xa9", "http://a.org/a%20b/%C3%A9", 0 },
	{ "http://a.org/a%20b?x=/", "http://a.org/a%20b?x=/", 0 },
	{ "http://[::1]:8080/x", "http://[::1]:8080/x", 0 },
	{ "http://127.0.0.1:8080/x", "http://127.0.0.1:8080/x", 0 },
	{ "http://[::1:[2]:1/x", NULL, CFS_EFORMAT },
	{ "http://[]/x", NULL, CFS_EFORMAT },
	{ "http://a[1]/x", NULL, CFS_EFORMAT },
	{ "http:///x", NULL, CFS_EFORMAT },
	{ "http://", NULL, CFS_EFORMAT },
	{ "http://a.org:99999/", NULL, CFS_EFORMAT },
	{ "http://a.org:8x/", NULL, CFS_EFORMAT },
	{ "http://a:b:1/", NULL, CFS_EFORMAT },
	{ "http://a b/", NULL, CFS_EFORMAT },
	{ "http://a.org/\r\nX: y", NULL, CFS_EFORMAT },
	{ "s3://bucket", NULL, CFS_EFORMAT },
	{ "s3://bucket/", NULL, CFS_EFORMAT },
	{ "ftp://a.org/x", NULL, CFS_EUNSUPPORTED },
	{ "file:///etc/passwd", NULL, CFS_EUNSUPPORTED },
};

static void canonical(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
		struct cfs_location loc;
		struct cfs_buf b;
		int rc = cfs_location_parse(&loc, urls[i].url, NULL);

		cfs_buf_init(&b, 10000);
		if (rc == CFS_OK)
			cfs_location_canonical(&loc, &b);
		if (rc != urls[i].rc ||
		    (rc == CFS_OK &&
		     strcmp(cfs_buf_str(&b), urls[i].canonical) != 0))
			fail_msg("%s: %d %s", urls[i].url, rc, cfs_buf_str(&b));
		cfs_buf_release(&b);
	}
}

static void is_url(void **state)
{
	(void)state;
	assert_true(cfs_location_is_url("http://x"));
	assert_true(cfs_location_is_url("gopher+2://x"));
	assert_false(cfs_location_is_url("/a/http://x"));
	assert_false(cfs_location_is_url("a/b://x"));
	assert_false(cfs_location_is_url("://x"));
	assert_false(cfs_location_is_url("http:/x"));
	assert_false(cfs_location_is_url(""));
}

/* doc/formats.md, "Where the data is": these are one place. */
static const struct { const char *url, *key; } crawls[] = {
	{ "https://data.commoncrawl.org/crawl-data/x.warc.gz", "crawl-data/x.warc.gz" },
	{ "http://Data.CommonCrawl.org:80/a b", "a%20b" },
	{ "s3://commoncrawl/crawl-data/x", "crawl-data/x" },
	{ "s3://commoncrawl/a%b c", "a%25b%20c" },
	{ "s3://aws-publicdatasets/common-crawl/parse-output/y", "parse-output/y" },
	{ "s3://commoncrawl-crawl-002/2010/09/25/z.arc.gz", "crawl-002/2010/09/25/z.arc.gz" },
	{ "https://commoncrawl.s3.amazonaws.com/k/l", "k/l" },
	{ "https://aws-publicdatasets.s3.amazonaws.com/common-crawl/k", "k" },
	{ "http://s3.amazonaws.com/aws-publicdatasets/common-crawl/k", "k" },
	{ "https://s3.us-east-1.amazonaws.com/commoncrawl/k", "k" },
	{ "https://commoncrawl.s3.us-east-1.amazonaws.com/k", "k" },
	{ "s3://aws-publicdatasets/other/k", NULL },
	{ "s3://commoncrawl2/k", NULL },
	{ "https://data.commoncrawl.org:8443/k", NULL },
	{ "https://data.commoncrawl.org.evil.org/k", NULL },
	{ "https://index.commoncrawl.org/k", NULL },
	{ "https://commoncrawl.s3.evil.org/k", NULL },
	{ "https://s3.amazonaws.com/k", NULL },
	{ "https://u:p@data.commoncrawl.org/k", NULL },
};

static void common_crawl(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(crawls) / sizeof(crawls[0]); i++) {
		struct cfs_location loc;
		struct cfs_buf b;
		bool yes;

		cfs_buf_init(&b, 10000);
		assert_int_equal(cfs_location_parse(&loc, crawls[i].url, NULL),
				 CFS_OK);
		yes = cfs_location_common_crawl(&loc, &b);
		if (yes != (crawls[i].key != NULL) ||
		    (yes && strcmp(cfs_buf_str(&b), crawls[i].key) != 0))
			fail_msg("%s: %s", crawls[i].url, cfs_buf_str(&b));
		cfs_buf_release(&b);
	}
}

static void check_join(const char *base, const char *name, const char *want)
{
	struct cfs_buf b;

	cfs_buf_init(&b, 10000);
	cfs_location_join(&b, base, cfs_slice_str(name));
	assert_string_equal(cfs_buf_str(&b), want);
	cfs_buf_release(&b);
}

static void check_folder(const char *url, const char *want)
{
	struct cfs_slice s = cfs_location_folder(url);

	if (!cfs_slice_eq(s, cfs_slice_str(want)))
		fail_msg("%s: %.*s", url, (int)s.n, (const char *)s.p);
}

/* A text behind a folder, the name it gets, and the text again. */
static void as_written(void **state)
{
	static const struct { const char *text, *name; } rows[] = {
		{ "x.warc.gz", "x.warc.gz" },
		{ "d/x.warc.gz", "d/x.warc.gz" },
		{ "a%20b.warc.gz", "a b.warc.gz" },
		{ "a%2520b%231%3F.warc.gz", "a%20b#1?.warc.gz" },
		{ "%C3%A9.warc.gz", "\xc3\xa9.warc.gz" },
		{ "%c3%a9.warc.gz", "./%c3%a9.warc.gz" },
		{ "a%2Fb.warc.gz", "./a%2Fb.warc.gz" },
		{ "a%.warc.gz", "./a%.warc.gz" },
		{ "a%41.warc.gz", "./a%41.warc.gz" },
		{ "a%00b", "./a%00b" },
		{ "a%0Ab", "./a%0Ab" },
		{ "x.warc.gz?token=1&s=%2F%2f", "./x.warc.gz?token=1&s=%2F%2f" },
		{ "x.warc.gz?u=http:\\\\h\\..\\y", "./x.warc.gz?u=http:\\\\h\\..\\y" },
		{ "x.warc.gz?u=http://h/y", "./x.warc.gz?u=http:\\\\h\\y" },
		{ "x?", "./x?" },
		{ "x??y", "./x??y" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char want[200];
		struct cfs_buf b;

		cfs_buf_init(&b, 1000);
		cfs_location_name(&b, cfs_slice_str(rows[i].text));
		assert_string_equal(cfs_buf_str(&b), rows[i].name);
		cfs_buf_release(&b);
		snprintf(want, sizeof(want), "http://a.org/%s", rows[i].text);
		for (char *p = want; *p != '\0'; p++)
			if (*p == '\\')
				*p = '/';
		check_join("http://a.org", rows[i].name, want);
	}
	/* names that others have made */
	check_join("http://a.org/d", "./%2e%2E/x", "http://a.org/d/./%252e%252E/x");
	check_join("http://a.org/d", "./.%2e/x?y", "http://a.org/d/./.%252e/x%3Fy");
	check_join("http://a.org/d", "./a/.%2e", "http://a.org/d/./a/.%252e");
	check_join("http://a.org/d", "./x\r\nA: b", "http://a.org/d/./x%0D%0AA%3A%20b");
	check_join("http://a.org/d", "./x#y", "http://a.org/d/./x%23y");
	check_join("http://a.org/d", "./x\\y", "http://a.org/d/./x%5Cy");
	check_join("http://a.org/d", "x?y", "http://a.org/d/x%3Fy");
	check_join("http://a.org/d", "./...", "http://a.org/d/...");
	check_join("s3://b/d", "./x?y", "s3://b/d/./x?y");
	check_join("/d", "./x?y", "/d/./x?y");
}

static void folders(void **state)
{
	(void)state;
	check_join("http://a.org/d", "x y#.gz", "http://a.org/d/x%20y%23.gz");
	check_join("http://a.org/d/", "e/x", "http://a.org/d/e/x");
	check_join("s3://b/d", "x y", "s3://b/d/x y");
	check_join("/d", "x y", "/d/x y");
	check_folder("http://a.org/d/x.cfx?v=/1", "http://a.org/d/");
	check_folder("http://a.org/x", "http://a.org/");
	check_folder("http://a.org", "http://a.org");
	check_folder("s3://b/x/y", "s3://b/x/");
	check_folder("/d/x", "");
}

/* ---- S3 ---------------------------------------------------------------- */

/* Whoever runs this may have some. */
static int no_credentials(void **state)
{
	(void)state;
	setenv("AWS_NO_SIGN_REQUEST", "true", 1);
	unsetenv("AWS_ENDPOINT_URL");
	unsetenv("AWS_ENDPOINT_URL_S3");
	unsetenv("AWS_PROFILE");
	return 0;
}

static void check_s3_url(const struct cfs_s3_setup *s, const char *url,
			 const char *want)
{
	struct cfs_location loc;
	struct cfs_buf b;

	cfs_buf_init(&b, 10000);
	assert_int_equal(cfs_location_parse(&loc, url, NULL), CFS_OK);
	cfs_s3_url(s, &loc, &b);
	assert_string_equal(cfs_buf_str(&b), want);
	cfs_buf_release(&b);
}

static void check_s3_in(const struct cfs_s3_setup *s, const char *url,
			const char *want)
{
	struct cfs_buf b;

	cfs_buf_init(&b, 1000);
	cfs_s3_url_in(s, url, "eu-west-1", &b);
	assert_string_equal(cfs_buf_str(&b), want);
	cfs_buf_release(&b);
}

static void s3_regions(void **state)
{
	struct cfs_s3_setup keyed = { .region = (char *)(uintptr_t)"us-east-1" };
	struct cfs_s3_setup mine = keyed;
	char region[CFS_S3_REGION_BYTES];

	(void)state;
	mine.endpoint = (char *)(uintptr_t)"http://h:1";
	check_s3_in(&keyed, "https://b.s3.us-east-1.amazonaws.com/k?q=",
		    "https://b.s3.eu-west-1.amazonaws.com/k?q=");
	check_s3_in(&keyed, "https://s3.us-east-1.amazonaws.com/b.c/k",
		    "https://s3.eu-west-1.amazonaws.com/b.c/k");
	check_s3_in(&keyed, "https://data.commoncrawl.org/k",
		    "https://data.commoncrawl.org/k");
	check_s3_in(&mine, "http://h:1/b/s3.us-east-1.amazonaws.com/k",
		    "http://h:1/b/s3.us-east-1.amazonaws.com/k");
	assert_false(cfs_s3_region_of(CFS_SLICE_LIT("b"), region));
	cfs_s3_region_note(CFS_SLICE_LIT("b"), "no region!");
	assert_false(cfs_s3_region_of(CFS_SLICE_LIT("b"), region));
	cfs_s3_region_note(CFS_SLICE_LIT("b"), "eu-west-1");
	assert_true(cfs_s3_region_of(CFS_SLICE_LIT("b"), region));
	assert_string_equal(region, "eu-west-1");
	assert_false(cfs_s3_region_of(CFS_SLICE_LIT("c"), region));
}

static void s3_urls(void **state)
{
	char region[] = "eu-west-1", word[] = "k", endpoint[] = "http://h:1";
	struct cfs_s3_setup anonymous = { .region = region };
	struct cfs_s3_setup keyed = { .region = region, .keys = { .id = word,
						.secret = word } };
	struct cfs_s3_setup mine = { .region = region, .endpoint = endpoint };

	(void)state;
	check_s3_url(&anonymous, "s3://bucket/a b/c",
		     "https://bucket.s3.amazonaws.com/a%20b/c");
	check_s3_url(&anonymous, "s3://my.bucket/k",
		     "https://s3.eu-west-1.amazonaws.com/my.bucket/k");
	check_s3_url(&anonymous, "s3://commoncrawl/k",
		     "https://data.commoncrawl.org/k");
	check_s3_url(&keyed, "s3://bucket/k",
		     "https://bucket.s3.eu-west-1.amazonaws.com/k");
	check_s3_url(&keyed, "s3://commoncrawl/k",
		     "https://commoncrawl.s3.eu-west-1.amazonaws.com/k");
	check_s3_url(&mine, "s3://commoncrawl/k", "http://h:1/commoncrawl/k");
}

static void one_identity(void **state)
{
	static const char *const names[] = {
		"s3://commoncrawl/a/b.warc.gz",
		"s3://aws-publicdatasets/common-crawl/a/b.warc.gz",
		"https://data.commoncrawl.org/a/b.warc.gz",
		"https://commoncrawl.s3.amazonaws.com/a/b.warc.gz",
	};
	struct cfs_source *src;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(cfs_location_open(&src, names[i], NULL), CFS_OK);
		assert_string_equal(src->url,
			"https://data.commoncrawl.org/a/b.warc.gz");
		assert_string_equal(src->name, names[i]);
		cfs_source_close(src);
	}
}

/* ---- queries, which may be keys ---------------------------------------- */

static const struct { const char *text, *shown; } queries[] = {
	{ "http://a/b?KEY", "http://a/b?..." },
	{ "https://a/b?K EY,x", "https://a/b?..." },
	{ "http://a/b", "http://a/b" },
	{ "http://a/b?", "http://a/b?" },
	{ "s3://a/b?c", "s3://a/b?c" },
	{ "./x.warc.gz?KEY", "./x.warc.gz?..." },
	{ "./x.wacz?KEY#!/archive/a", "./x.wacz?...#!/archive/a" },
	{ "x.warc.gz?y", "x.warc.gz?y" },
	{ "", "" },
};

static void shown_queries(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
		struct cfs_slice s = cfs_slice_str(queries[i].text);
		struct cfs_buf b;

		cfs_buf_init(&b, 1000);
		cfs_location_show(&b, s);
		assert_string_equal(cfs_buf_str(&b), queries[i].shown);
		assert_int_equal(cfs_location_has_query(s),
				 strcmp(queries[i].text, queries[i].shown) != 0);
		cfs_buf_release(&b);
	}
}

static void shown_list(void **state)
{
	struct cfs_buf b;

	(void)state;
	cfs_buf_init(&b, 1000);
	cfs_location_show_list(&b, "a,b?c,http://a/b?K,EY,s3://b/c?d,"
			       "https://x?KEY,y");
	assert_string_equal(cfs_buf_str(&b), "a,b?c,http://a/b?...,s3://b/c?d,"
			    "https://x?...");
	cfs_buf_release(&b);
}

/* Objects whose queries differ are kept apart, by names without them. */
/* Holds U60. */
static void query_identity(void **state)
{
	static const char *const names[] = {
		"http://a/b?KEY", "http://a/b?KEX", "http://a/b", "http://a/c?KEY",
	};
	struct cfs_source *src[4], *again;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(cfs_location_open(&src[i], names[i], NULL),
				 CFS_OK);
		assert_null(strstr(src[i]->url, "KE"));
		assert_null(strstr(src[i]->name, "KE"));
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(src[i]->url, src[k]->url);
	}
	assert_int_equal(cfs_location_open(&again, "HTTP://u:p@A:80/b?KEY", NULL),
			 CFS_OK);
	assert_string_equal(again->url, src[0]->url);
	cfs_source_close(again);
	for (size_t i = 0; i < 4; i++)
		cfs_source_close(src[i]);
}

UNIT_PROGRAM
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(canonical),
		cmocka_unit_test(is_url),
		cmocka_unit_test(common_crawl),
		cmocka_unit_test(as_written),
		cmocka_unit_test(folders),
		cmocka_unit_test(s3_urls),
		cmocka_unit_test(s3_regions),
		cmocka_unit_test(one_identity),
		cmocka_unit_test(shown_queries),
		cmocka_unit_test(shown_list),
		cmocka_unit_test(query_identity),
	};

	return cmocka_run_group_tests(tests, no_credentials, NULL);
}
