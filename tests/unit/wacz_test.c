/* wacz_test.c - what WACZ files say of themselves: lists of files and their
 * hashes, lists of pages.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "input/wacz_pages.h"
#include "record/wacz_package.h"

static struct cfs_source *source(const char *text)
{
	struct cfs_source *src;

	assert_int_equal(cfs_source_open_memory(&src, cfs_slice_str(text),
						"list", NULL), CFS_OK);
	return src;
}

/* ---- lists of files ---- */

static int note_file(void *arg, const struct cfs_package_file *f)
{
	struct cfs_buf *out = arg;

	cfs_buf_addc(out, f->has_sha256 ? '+' : '-');
	cfs_buf_add(out, f->path);
	cfs_buf_addc(out, ' ');
	return cfs_slice_eq(f->path, CFS_SLICE_LIT("stop")) ? CFS_END : CFS_OK;
}

#define HEX64 "0123456789abcdefABCDEF0123456789" \
	      "0123456789abcdefABCDEF0123456789"

static void packages(void **state)
{
	static const struct {
		const char *text, *files;
		int rc;
	} cases[] = {
		{ "{\"resources\": []}", "", CFS_OK },
		{ " {\"a\": [{\"path\": \"no\"}], \"resources\": [{\"path\": "
		  "\"a\\/b\", \"hash\": \"sha256:" HEX64 "\"}, {\"hash\": 3}, "
		  "{\"path\": \"c\", \"hash\": \"md5:00\"}], \"z\": 1}",
		  "+a/b -c ", CFS_OK },
		{ "{\"resources\": [{\"path\": \"a\", \"stats\": {\"hash\": \""
		  HEX64 "\"}}]}", "+a ", CFS_OK },
		{ "{\"resources\": [{\"path\": \"a\", \"hash\": \"sha256:x"
		  HEX64 "\"}]}", "-a ", CFS_OK },
		{ "{\"resources\": [{\"path\": \"stop\"}, {\"path\": \"b\"}]}",
		  "-stop ", CFS_END },
		{ "{\"resources\": [{\"path\": \"a\"}, 3]}", "-a ",
		  CFS_EFORMAT },
		{ "{\"resources\": [{\"path\": \"a\"}", "-a ", CFS_EFORMAT },
		{ "{\"resources\": {\"path\": \"a\"}}", "", CFS_EFORMAT },
		{ "{\"a\": 1}", "", CFS_EFORMAT },
		{ "[]", "", CFS_EFORMAT },
		{ "", "", CFS_EFORMAT },
		{ "{", "", CFS_EFORMAT },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct cfs_buf out;

		cfs_buf_init(&out, 1000);
		if (cfs_package_each(cfs_slice_str(cases[i].text), note_file,
				     &out) != cases[i].rc ||
		    strcmp(cfs_buf_str(&out), cases[i].files) != 0)
			fail_msg("%s: %s", cases[i].text, cfs_buf_str(&out));
		cfs_buf_release(&out);
	}
	assert_true(cfs_package_is_start(CFS_SLICE_LIT(
		    " {\"resources\": [")));
	assert_false(cfs_package_is_start(CFS_SLICE_LIT("{\"url\": \"x\"}")));
}

static void hashes(void **state)
{
	static const uint8_t of_abc[CFS_PACKAGE_SHA256] = {
		0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea,
		0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
		0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c,
		0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad };
	struct cfs_source *src = source("abc"), *other = source("abd");
	bool is_same;

	(void)state;
	assert_int_equal(cfs_package_check(src, of_abc, &is_same,
					   CFS_CTX(NULL, NULL)),
			 CFS_OK);
	assert_true(is_same);
	assert_int_equal(cfs_package_check(other, of_abc, &is_same,
					   CFS_CTX(NULL, NULL)), CFS_OK);
	assert_false(is_same);
	cfs_source_close(src);
	cfs_source_close(other);
}

/* ---- lists of pages ---- */

static void add(struct cfs_wacz_pages *p, uint64_t package, const char *text)
{
	struct cfs_source *src = source(text);

	assert_int_equal(cfs_wacz_pages_add(p, package, src,
					    CFS_CTX(NULL, NULL)),
			 CFS_OK);
	cfs_source_close(src);
}

static void expect(const struct cfs_wacz_pages *p, uint64_t package,
		   const char *url, int64_t time, const char *want)
{
	struct cfs_slice got = cfs_wacz_pages_find(p, package,
						   cfs_slice_str(url), time);

	if (!cfs_slice_eq(got, cfs_slice_str(want)))
		fail_msg("%s: %.*s", url, (int)got.n, (const char *)got.p);
}

static void pages(void **state)
{
	struct cfs_wacz_pages p;
	char *longer = malloc(5000);

	(void)state;
	cfs_wacz_pages_init(&p);
	expect(&p, 1, "http://a/", 0, "");
	add(&p, 1, "{\"format\": \"json-pages-1.0\", \"id\": \"pages\"}\n"
	    "{\"url\": \"http://a/#top\", \"ts\": \"1970-01-01T00:01:40Z\", "
	    "\"title\": \"one\"}\n\nnonsense\n"
	    "{\"url\": \"http:\\/\\/a/\", \"ts\": \"1970-01-01T00:05:00.5Z\", "
	    "\"id\": 7, \"title\": \"tw\\u00f6\", \"text\": \"x\\\"y\"}\n"
	    "{\"url\": \"http://b/\", \"title\": \"\"}\n"
	    "{\"url\": \"http://c/\", \"id\": \"last\"}");
	add(&p, 2, "{\"url\": \"http://a/\", \"id\": \"two\"}\n");
	memset(longer, 'x', 4999);
	longer[4999] = '\0';
	memcpy(longer, "{\"url\": \"http://l/\", \"id\": \"i\", \"title\": \"",
	       42);
	memcpy(longer + 4996, "\"}\n", 3);
	add(&p, 1, longer);
	free(longer);
	cfs_wacz_pages_sort(&p);
	expect(&p, 1, "http://a/", 100,
	       "{\"wacz\":{\"title\":\"one\",\"ts\":\"1970-01-01T00:01:40Z\"}}");
	expect(&p, 1, "http://a/", -5,
	       "{\"wacz\":{\"title\":\"one\",\"ts\":\"1970-01-01T00:01:40Z\"}}");
	expect(&p, 1, "http://a/#x", 290, "{\"wacz\":{\"id\":\"7\",\"title\":"
	       "\"tw\xc3\xb6\",\"ts\":\"1970-01-01T00:05:00.5Z\"}}");
	expect(&p, 1, "http://b/", 0, "");
	expect(&p, 1, "http://c/", 0, "{\"wacz\":{\"id\":\"last\"}}");
	expect(&p, 1, "http://l/", 0, "{\"wacz\":{\"id\":\"i\"}}");
	expect(&p, 2, "http://a/", 100, "{\"wacz\":{\"id\":\"two\"}}");
	expect(&p, 3, "http://a/", 100, "");
	cfs_wacz_pages_release(&p);
}

UNIT_PROGRAM
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packages), cmocka_unit_test(hashes),
		cmocka_unit_test(pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
