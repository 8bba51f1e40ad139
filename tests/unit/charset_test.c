/* charset_test.c - labels, the order of the steps, the prescan, conversion.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "view/charset.h"

struct find_case {
	const char *name, *type, *body;
	const char *want, *icu;
	int by;
};

static struct find_case find_cases[] = {
	{ "header", "text/html; charset=utf-8", "<p>", "UTF-8", "UTF-8", 0 },
	{ "header quoted", "text/html;charset=\"KOI8-R\"", "", "KOI8-R", "KOI8-R", 0 },
	{ "header single quotes", "text/html; charset='gb2312'", "", "GB2312", "gb18030", 0 },
	{ "header upper", "TEXT/HTML; CHARSET=ISO-8859-1", "", "ISO-8859-1", "windows-1252", 0 },
	{ "header blanks", "text/html; charset = Shift_JIS ; x", "", "Shift_JIS", "ibm-943_P15A-2003", 0 },
	{ "header before mark", "text/html; charset=windows-1251", "\xef\xbb\xbfx", "windows-1251", "windows-1251", 0 },
	{ "unknown header", "text/html; charset=klingon", "<meta charset=big5>", "Big5", "Big5-HKSCS", 1 },
	{ "empty header value", "text/html; charset=", "x", "ISO-8859-1", "windows-1252", 10 },
	{ "utf-16 by its mark", "text/html; charset=utf-16", "\xfe\xff", "UTF-16BE", "UTF-16BE", 0 },
	{ "mark utf-8", "text/html", "\xef\xbb\xbf<meta charset=big5>", "UTF-8", "UTF-8", 1 },
	{ "mark utf-16le", "text/html", "\xff\xfe<", "UTF-16LE", "UTF-16LE", 1 },
	{ "meta charset", "text/html", "<html><meta charset=EUC-KR>", "EUC-KR", "windows-949", 1 },
	{ "meta pragma", "text/html", "<meta http-equiv=Content-Type content='text/html; charset=windows-1250'>", "windows-1250", "windows-1250", 1 },
	{ "pragma, attributes turned", "text/html", "<META CONTENT=\"a;charset=utf8\" HTTP-EQUIV=content-type>", "UTF-8", "UTF-8", 1 },
	{ "content alone is nothing", "text/html", "<meta name=x content='charset=big5'>", "ISO-8859-1", "windows-1252", 10 },
	{ "meta in a comment", "text/html", "<!-- <meta charset=big5> --><p>", "ISO-8859-1", "windows-1252", 10 },
	{ "short comment", "text/html", "<!--><meta charset=big5>", "Big5", "Big5-HKSCS", 1 },
	{ "meta in an attribute", "text/html", "<a title='<meta charset=big5>'>", "ISO-8859-1", "windows-1252", 10 },
	{ "meta says utf-16", "text/html", "<meta charset=utf-16>", "UTF-8", "UTF-8", 1 },
	{ "metadata is no meta", "text/html", "<metadata charset=big5>", "ISO-8859-1", "windows-1252", 10 },
	{ "first good meta", "text/html", "<meta charset=nope><meta charset=big5>", "Big5", "Big5-HKSCS", 1 },
	{ "xml declaration", "text/html", "<?xml version='1.0' encoding='iso-8859-2'?>", "ISO-8859-2", "ISO-8859-2", 1 },
	{ "valid utf-8", "text/html", "gr\xc3\xbc\xc3\x9f", "UTF-8", "UTF-8", 2 },
	{ "utf-8 cut off", "text/html", "gr\xc3\xbc\xc3", "UTF-8", "UTF-8", 2 },
	{ "invalid", "text/html", "gr\xfc\xdf", "ISO-8859-1", "windows-1252", 10 },
	{ "ascii", "text/html", "plain", "ISO-8859-1", "windows-1252", 10 },
	{ "empty", "", "", "ISO-8859-1", "windows-1252", 10 },
};

static void find_case(void **state)
{
	const struct find_case *tc = *state;
	struct cfs_charset_input in = { cfs_slice_str(tc->type),
					cfs_slice_str(tc->body), true };
	struct cfs_charset cs;

	cfs_charset_find(&in, &cs);
	assert_string_equal(cs.name, tc->want);
	assert_string_equal(cs.icu, tc->icu);
	assert_int_equal(cs.by, tc->by);
}

/* A <meta> that begins beyond the prescan, and one on its last bytes. */
static void prescan_end(void **state)
{
	static const char tag[] = "<meta charset=big5>";
	static char body[4096];
	struct cfs_charset_input in = { CFS_SLICE_EMPTY, CFS_SLICE_EMPTY, true };
	struct cfs_charset cs;

	(void)state;
	memset(body, ' ', sizeof(body));
	memcpy(body + 2000 - (sizeof(tag) - 1), tag, sizeof(tag) - 1);
	in.body = cfs_slice_of(body, sizeof(body));
	cfs_charset_find(&in, &cs);
	assert_string_equal(cs.name, "Big5");

	memset(body, ' ', sizeof(body));
	memcpy(body + 2000, tag, sizeof(tag) - 1);
	cfs_charset_find(&in, &cs);
	assert_int_equal(cs.by, CFS_CHARSET_BY_DEFAULT);
	in.is_html = false;
	in.body = CFS_SLICE_LIT("<meta charset=big5>");
	cfs_charset_find(&in, &cs);
	assert_int_equal(cs.by, CFS_CHARSET_BY_DEFAULT);
}

/* Every prefix of a document, in a buffer of exactly its size. */
static void prefixes(void **state)
{
	static const char doc[] = "<?xml version=\"1.0\" encoding=\"big5\"?>"
		"<!--a--><!x></3><a b='c' d=e f/><meta http-equiv=\"content-type\" "
		"content=\"text/html; charset='gbk'\">\xe4\xb8";

	(void)state;
	for (size_t n = 0; n < sizeof(doc); n++) {
		uint8_t *p = malloc(n ? n : 1);
		struct cfs_charset_input in = { cfs_slice_of(p, n),
						cfs_slice_of(p, n), true };
		struct cfs_charset cs;

		assert_non_null(p);
		memcpy(p, doc, n);
		cfs_charset_find(&in, &cs);
		assert_non_null(cs.name);
		in.content_type = CFS_SLICE_EMPTY;
		cfs_charset_find(&in, &cs);
		assert_non_null(cs.icu);
		free(p);
	}
}

struct convert_case {
	const char *name, *label;
	const char *bytes;
	size_t n;
	const char *want;
};

#define BYTES(s) s, sizeof(s) - 1
static struct convert_case convert_cases[] = {
	{ "utf-8", "utf-8", BYTES("\xc3\xa9"), "\xc3\xa9" },
	{ "utf-8 mark dropped", "utf-8", BYTES("\xef\xbb\xbf" "a"), "a" },
	{ "utf-8 broken", "utf-8", BYTES("a\xff" "b\xc3"), "a\xef\xbf\xbd" "b\xef\xbf\xbd" },
	{ "utf-8 surrogate", "utf-8", BYTES("\xed\xa0\x80x"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdx" },
	{ "latin1 is windows", "iso-8859-1", BYTES("\x80\xe9"), "\xe2\x82\xac\xc3\xa9" },
	{ "windows-1251", "cp1251", BYTES("\xcf\xf0"), "\xd0\x9f\xd1\x80" },
	{ "koi8-r", "koi8-r", BYTES("\xf0\xd2"), "\xd0\x9f\xd1\x80" },
	{ "shift_jis", "x-sjis", BYTES("\x93\xfa\x96\x7b"), "\xe6\x97\xa5\xe6\x9c\xac" },
	{ "euc-jp", "euc-jp", BYTES("\xc6\xfc\xcb\xdc"), "\xe6\x97\xa5\xe6\x9c\xac" },
	{ "iso-2022-jp", "iso-2022-jp", BYTES("\x1b$BF|K\\\x1b(B."), "\xe6\x97\xa5\xe6\x9c\xac." },
	{ "gb2312", "gb2312", BYTES("\xd6\xd0\xb9\xfa"), "\xe4\xb8\xad\xe5\x9b\xbd" },
	{ "big5", "big5", BYTES("\xa4\xa4\xb0\xea"), "\xe4\xb8\xad\xe5\x9c\x8b" },
	{ "euc-kr", "ks_c_5601-1987", BYTES("\xc7\xd1"), "\xed\x95\x9c" },
	{ "lead byte alone", "gb2312", BYTES("a\xd6"), "a\xef\xbf\xbd" },
	{ "utf-16le", "utf-16", BYTES("\xff\xfe" "a\0\x3d\xd8\x00\xde"), "a\xf0\x9f\x98\x80" },
	{ "utf-16be", "utf-16be", BYTES("\0a"), "a" },
	{ "tis-620", "tis-620", BYTES("\xa1"), "\xe0\xb8\x81" },
	{ "iso-8859-9 is windows", "latin5", BYTES("\xfd\x80"), "\xc4\xb1\xe2\x82\xac" },
};

static void convert_case(void **state)
{
	const struct convert_case *tc = *state;
	struct cfs_charset cs = { 0 };
	struct cfs_buf out;

	assert_true(cfs_charset_by_label(cfs_slice_str(tc->label), &cs));
	cfs_buf_init(&out, 1 << 16);
	cfs_buf_addc(&out, '>');	/* appends, whatever is there */
	assert_int_equal(cfs_charset_to_utf8(&cs, cfs_slice_of(tc->bytes, tc->n),
					     &out, NULL), CFS_OK);
	assert_string_equal(cfs_buf_str(&out) + 1, tc->want);
	assert_true(cfs_utf8_is_valid(cfs_buf_slice(&out)));
	cfs_buf_release(&out);
}

/* Each label has a converter, and junk through it is still valid UTF-8. */
static void junk(void **state)
{
	static const char *const labels[] = {
		"utf-8", "latin1", "gbk", "big5", "euc-jp", "iso-2022-jp",
		"sjis", "euc-kr", "iso-2022-kr", "hz", "iso-2022-cn", "euc-tw",
		"utf-16le", "utf-16be", "utf-32le", "utf-32be", "windows-1258",
		"ibm866", "x-mac-cyrillic", "iso-8859-8-i", "iso-8859-16",
	};
	uint8_t bytes[3001];
	uint32_t x = 1;

	(void)state;
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
		struct cfs_charset cs = { 0 };
		struct cfs_buf out;

		for (size_t k = 0; k < sizeof(bytes); k++)
			bytes[k] = (uint8_t)((x = x * 1103515245 + 12345) >> 16);
		assert_true(cfs_charset_by_label(cfs_slice_str(labels[i]), &cs));
		cfs_buf_init(&out, 1 << 20);
		assert_int_equal(cfs_charset_to_utf8(
			&cs, cfs_slice_of(bytes, sizeof(bytes)), &out, NULL),
			CFS_OK);
		assert_true(out.n > 0);
		assert_true(cfs_utf8_is_valid(cfs_buf_slice(&out)));
		cfs_buf_release(&out);
	}
}

static void ceiling(void **state)
{
	struct cfs_charset cs = { 0 };
	struct cfs_error err = CFS_ERROR_INIT;
	uint8_t bytes[1000];
	struct cfs_buf out;

	(void)state;
	memset(bytes, 0x80, sizeof(bytes));
	assert_true(cfs_charset_by_label(CFS_SLICE_LIT("latin1"), &cs));
	cfs_buf_init(&out, 100);
	assert_int_equal(cfs_charset_to_utf8(&cs, cfs_slice_of(bytes, 1000), &out,
					     &err), CFS_ELIMIT);
	assert_int_equal(err.code, CFS_ELIMIT);
	cfs_buf_release(&out);
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

int main(void)
{
	static struct CMUnitTest tests[COUNT(find_cases) + COUNT(convert_cases) + 4];
	size_t n = 0;

	for (size_t i = 0; i < COUNT(find_cases); i++)
		tests[n++] = (struct CMUnitTest){ find_cases[i].name, find_case,
						  NULL, NULL, &find_cases[i] };
	for (size_t i = 0; i < COUNT(convert_cases); i++)
		tests[n++] = (struct CMUnitTest){ convert_cases[i].name,
						  convert_case, NULL, NULL,
						  &convert_cases[i] };
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(prescan_end);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(prefixes);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(junk);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(ceiling);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
