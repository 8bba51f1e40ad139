/* collections_test.c - Common Crawl's crawls by their names.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "net/collections.h"
#include "source/source.h"

static void names(void **state)
{
	static const char *const good[] = { "CC-MAIN-2024-10", "CC-MAIN-2012",
		"CC-MAIN-2008-2009", "url-index.1356128792",
		"CC-SUPPLEMENTAL-2026-22", "CC-NEWS-2024-05", "CC-NEWS-2024" };
	static const char *const bad[] = { "CC-MAIN-", "CC-MAIN-2024-10/",
		"CC-MAIN-2024-10-", "cc-main-2024-10", "CC-MAIN-../x",
		"CC-MAIN--2024", "CC-NEWS", "url-index.1", "",
		"CC-NEWS-2024-13", "CC-NEWS-2024-00", "CC-NEWS-24-05",
		"CC-NEWS-2024-5", "CC-NEWS-2024-005", "CC-SUPPLEMENTAL-",
		"CC-NEWS-20240",
		"CC-MAIN-00000000000000000000000000000000000000000000000" };

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(cfs_collection_is_name(good[i]));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (cfs_collection_is_name(bad[i]))
			fail_msg("%s", bad[i]);
}

static void check_place(const char *name, enum cfs_collection_kind kind,
			const char *base, const char *index, const char *data)
{
	struct cfs_buf i, d;

	cfs_buf_init(&i, 1000);
	cfs_buf_init(&d, 1000);
	assert_true(cfs_collection_place(name, kind, base, &i, &d));
	assert_string_equal(cfs_buf_str(&i), index);
	assert_string_equal(cfs_buf_str(&d), data);
	cfs_buf_release(&i);
	cfs_buf_release(&d);
}

static void places(void **state)
{
	(void)state;
	check_place("CC-MAIN-2024-10", CFS_COLLECTION_INDEX, NULL, "https://data.commoncrawl.org/"
		    "cc-index/collections/CC-MAIN-2024-10/indexes/cluster.idx",
		    "https://data.commoncrawl.org/");
	check_place("CC-MAIN-2008-2009", CFS_COLLECTION_INDEX, "http://m/d", "http://m/d/"
		    "cc-index/collections/CC-MAIN-2008-2009/indexes/cluster.idx",
		    "http://m/d");
	check_place("CC-NEWS-2024-05", CFS_COLLECTION_LIST, NULL,
		    "https://data.commoncrawl.org/crawl-data/CC-NEWS/2024/05/"
		    "warc.paths.gz", "https://data.commoncrawl.org/");
	check_place("CC-SUPPLEMENTAL-2026-22", CFS_COLLECTION_LIST, "/m/",
		    "/m/crawl-data/CC-SUPPLEMENTAL-2026-22/warc.paths.gz",
		    "/m/");
	check_place("CC-SUPPLEMENTAL-2026-22", CFS_COLLECTION_INDEX, "/m",
		    "/m/cc-index/collections/CC-SUPPLEMENTAL-2026-22/indexes/"
		    "cluster.idx", "/m");
	check_place("url-index.1356128792", CFS_COLLECTION_INDEX, "/mirror/", "/mirror/projects/"
		    "url-index/url-index.1356128792", "/mirror/parse-output");
}

static void check_data(const char *url, const char *data)
{
	struct cfs_buf d;

	cfs_buf_init(&d, 1000);
	assert_int_equal(cfs_collection_data(url, &d), data != NULL);
	if (data != NULL)
		assert_string_equal(cfs_buf_str(&d), data);
	cfs_buf_release(&d);
}

static void data_folders(void **state)
{
	(void)state;
	check_data("https://h/a/cc-index/collections/X/indexes/cluster.idx",
		   "https://h/a/");
	check_data("s3://b/projects/url-index/url-index.1", "s3://b/parse-output");
	check_data("https://h/a/cluster.idx", NULL);
}

static void parse(void **state)
{
	static const char text[] = "[{\"id\": \"CC-MAIN-2024-10\", \"name\": "
		"\"A\\u0007 B\", \"from\": \"2024-02-20T00:00:00\", \"to\": 5}, "
		"{\"id\": \"../x\"}, 7, {\"name\": \"x\"}, "
		"{\"id\": \"CC-MAIN-2012\"}]";
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_collection *v;
	size_t n;

	(void)state;
	assert_int_equal(cfs_collections_parse(CFS_SLICE_LIT(text), &v, &n,
					       &err), CFS_OK);
	assert_int_equal(n, 2);
	assert_string_equal(v[0].id, "CC-MAIN-2024-10");
	assert_string_equal(v[0].title, "A B");
	assert_string_equal(v[0].from, "2024-02-20T00:00:00");
	assert_string_equal(v[0].to, "");
	assert_string_equal(v[1].id, "CC-MAIN-2012");
	free(v);
	for (size_t i = 0; i + 1 < sizeof(text) - 1; i++) {
		cfs_error_clear(&err);
		assert_int_equal(cfs_collections_parse(cfs_slice_of(text, i),
				&v, &n, &err), CFS_EFORMAT);
		assert_null(v);
	}
	assert_int_equal(cfs_collections_parse(CFS_SLICE_LIT("{}"), &v, &n,
					       &err), CFS_EFORMAT);
}

/* ---- without a server ---- */

static const char *suggested(const struct cfs_collection *v, size_t n,
			     const char *name)
{
	static char text[400];
	struct cfs_buf b;

	cfs_buf_init(&b, sizeof(text) - 1);
	cfs_collections_suggest(v, n, name, &b);
	snprintf(text, sizeof(text), "%s", cfs_buf_str(&b));
	cfs_buf_release(&b);
	return text;
}

static void suggestions(void **state)
{
	static const struct { const char *name, *text; } rows[] = {
		{ "CC-MAIN-2024-10", "" },
		{ "url-index.1356128792", "" },
		{ "/srv/cc-main-2024-10", "" },
		{ "cc-main-2024-10", "; is CC-MAIN-2024-10 meant?" },
		{ "ccmain-2024-10", "; is CC-MAIN-2024-10, CC-MAIN-2024-18 or "
		  "CC-MAIN-2024-30 meant?" },
		{ "CC-MAIN-2024-99", "; is CC-MAIN-2024-51, CC-MAIN-2024-46 or "
		  "CC-MAIN-2024-42 meant?" },
		{ "CC-MAIN-2024-1", "; is CC-MAIN-2024-10, CC-MAIN-2024-18 or "
		  "CC-MAIN-2024-51 meant?" },
		{ "CC-MAIN-2024", "; is CC-MAIN-2012, CC-MAIN-2024-51 or "
		  "CC-MAIN-2024-46 meant?" },
		{ "url-index.135612879", "; is url-index.1356128792 meant?" },
		{ "CC-MAIN-1950-11111", "; 'crawlfs collections' lists the "
		  "crawls that have names" },
	};
	struct cfs_collection *v;
	size_t n;

	(void)state;
	assert_int_equal(cfs_collections_built_in(&v, &n, NULL), CFS_OK);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(suggested(v, n, rows[i].name),
				    rows[i].text);
	free(v);
	assert_string_equal(suggested(NULL, 0, "CC-MAIN-2024-10"),
			    "; 'crawlfs collections' lists the crawls that "
			    "have names");
}

static void built_in(void **state)
{
	struct cfs_collection *v;
	size_t n;

	(void)state;
	assert_int_equal(cfs_collections_built_in(&v, &n, NULL), CFS_OK);
	for (size_t i = 0; i < n; i++) {
		assert_true(cfs_collection_is_name(v[i].id));
		assert_string_equal(v[i].title, "");
	}
	assert_string_equal(v[n - 1].id, "CC-MAIN-2008-2009");
	assert_string_equal(v[n - 1].from, "2008-05-09");
	free(v);
}

/* A kept list that is damaged, empty or not there. */
static void kept(void **state)
{
	static const char *const bad[] = { "", "[]", "[{\"id\": \"CC-MAIN-20",
					   "[{\"id\": \"x\"}]" };
	static const char good[] = "[{\"id\": \"CC-MAIN-2030-01\"}]";
	char path[] = "/tmp/collections-XXXXXX";
	int fd = mkstemp(path);
	struct cfs_collection *v;
	size_t n;

	(void)state;
	assert_true(fd >= 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, bad[i], strlen(bad[i]), 0),
				 strlen(bad[i]));
		assert_int_equal(cfs_collections_kept(path, &v, &n, NULL),
				 CFS_OK);
		assert_true(n > 50);
		free(v);
	}
	assert_int_equal(pwrite(fd, good, strlen(good), 0), strlen(good));
	assert_int_equal(cfs_collections_kept(path, &v, &n, NULL), CFS_OK);
	assert_int_equal(n, 1);
	assert_string_equal(v[0].id, "CC-MAIN-2030-01");
	free(v);
	close(fd);
	unlink(path);
	assert_int_equal(cfs_collections_kept(path, &v, &n, NULL), CFS_OK);
	assert_true(n > 50);
	free(v);
	assert_int_equal(cfs_collections_kept(NULL, &v, &n, NULL), CFS_OK);
	free(v);
}

/* The built-in list equals the published one of its day: no name less, none
 * more. */
static void compare_built_in(const struct cfs_collection *real, size_t n)
{
	struct cfs_collection *v;
	size_t count;

	assert_int_equal(cfs_collections_built_in(&v, &count, NULL), CFS_OK);
	assert_true(count > 50 && count <= n);
	real += n - count;	/* newer ones come first */
	for (size_t i = 0; i < count; i++) {
		assert_string_equal(v[i].id, real[i].id);
		if (v[i].from[0] != '\0') {
			assert_memory_equal(v[i].from, real[i].from, 10);
			assert_memory_equal(v[i].to, real[i].to, 10);
		}
	}
	free(v);
}

/* The list as it was published: 107 or so names, all of them taken. */
static void real_list(void **state)
{
	const char *folder = getenv("CFS_DATA");
	struct cfs_error err = CFS_ERROR_INIT;
	char path[4096];
	struct cfs_collection *v;
	struct cfs_source *src;
	size_t n, ids = 0;
	ptrdiff_t at;
	struct cfs_slice s;
	char *text;

	(void)state;
	snprintf(path, sizeof(path), "%s/pathlists/common_crawl/collinfo.json",
		 folder ? folder : "");
	if (cfs_source_open_file(&src, path, NULL) != CFS_OK) {
		print_message("SKIP: no real list of collections\n");
		skip();
	}
	text = malloc(src->size);
	assert_int_equal(cfs_source_read(src, text, src->size, 0,
					 CFS_CTX(NULL, &err)),
			 CFS_OK);
	s = cfs_slice_of(text, src->size);
	assert_int_equal(cfs_collections_parse(s, &v, &n, &err), CFS_OK);
	while ((at = cfs_slice_search(s, CFS_SLICE_LIT("\"id\""))) >= 0) {
		s = cfs_slice_from(s, (size_t)at + 1);
		ids++;
	}
	assert_int_equal(n, ids);
	assert_true(n > 50);
	assert_string_equal(v[n - 1].id, "CC-MAIN-2008-2009");
	compare_built_in(v, n);
	free(v);
	free(text);
	cfs_source_close(src);
}

UNIT_PROGRAM
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(places),
		cmocka_unit_test(data_folders),
		cmocka_unit_test(parse),
		cmocka_unit_test(suggestions),
		cmocka_unit_test(built_in),
		cmocka_unit_test(kept),
		cmocka_unit_test(real_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
