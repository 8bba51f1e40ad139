/* json_write_test.c - writing of JSON: strings of ASCII, numbers, times.
 *
 * What each string must be was written by Python: json.dumps of the bytes decoded
 * with errors="surrogateescape", or of the text with what is not UTF-8 replaced.
 * (It writes \n for \u000a, which is the same string.)
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "codec/json.h"

struct ascii_case {
	const char *name;
	const char *in;
	const char *percent, *surrogate, *replaced;	/* NULL: as percent */
};
static struct ascii_case ascii_cases[] = {
	{ "empty", "", "\"\"", NULL, NULL },
	{ "plain, more than eight bytes", "org/example/_/index.html",
	  "\"org/example/_/index.html\"", NULL, NULL },
	{ "quotes and backslashes", "a\"b\\c", "\"a\\\"b\\\\c\"", NULL, NULL },
	{ "in the eighth byte", "1234567\"", "\"1234567\\\"\"", NULL, NULL },
	{ "in the ninth byte", "12345678\\", "\"12345678\\\\\"", NULL, NULL },
	{ "control bytes", "\x01\n\t\x1b[m", "\"\\u0001\\u000a\\u0009\\u001b[m\"",
	  NULL, NULL },
	{ "delete", "1234567\x7f" "12345678", "\"1234567\\u007f12345678\"", NULL,
	  NULL },
	{ "two bytes", "\xc3\xa9", "\"\\u00e9\"", NULL, NULL },
	{ "a control character of C1", "\xc2\x9b" "31m", "\"\\u009b31m\"", NULL,
	  NULL },
	{ "ends of lines", "\xe2\x80\xa8\xe2\x80\xa9\xc2\x85",
	  "\"\\u2028\\u2029\\u0085\"", NULL, NULL },
	{ "beyond the first plane", "\xf0\x9f\x98\x80", "\"\\ud83d\\ude00\"",
	  NULL, NULL },
	{ "the last code point", "\xf4\x8f\xbf\xbf", "\"\\udbff\\udfff\"", NULL,
	  NULL },
	{ "not UTF-8", "a\xff\xe9z", "\"a%FF%E9z\"", "\"a\\udcff\\udce9z\"",
	  "\"a\\ufffd\\ufffdz\"" },
	{ "cut off", "x\xe2\x80", "\"x%E2%80\"", "\"x\\udce2\\udc80\"",
	  "\"x\\ufffd\\ufffd\"" },
	{ "a surrogate", "\xed\xa0\x80", "\"%ED%A0%80\"",
	  "\"\\udced\\udca0\\udc80\"", "\"\\ufffd\\ufffd\\ufffd\"" },
	{ "overlong", "\xc0\xaf", "\"%C0%AF\"", "\"\\udcc0\\udcaf\"",
	  "\"\\ufffd\\ufffd\"" },
};

static void ascii_is(const char *in, enum cfs_json_odd odd, const char *want)
{
	struct cfs_slice s = exact_copy(in, strlen(in));
	struct cfs_buf out;

	cfs_buf_init(&out, 1000);
	cfs_json_add_ascii(&out, s, odd);
	assert_string_equal(cfs_buf_str(&out), want);
	cfs_buf_release(&out);
	exact_free(s);
}

static void ascii_case(void **state)
{
	const struct ascii_case *tc = *state;

	ascii_is(tc->in, CFS_JSON_ODD_PERCENT, tc->percent);
	ascii_is(tc->in, CFS_JSON_ODD_SURROGATE,
		 tc->surrogate == NULL ? tc->percent : tc->surrogate);
	ascii_is(tc->in, CFS_JSON_ODD_REPLACED,
		 tc->replaced == NULL ? tc->percent : tc->replaced);
}

/* Whatever the bytes are, nothing but printable ASCII is written, and quotes
 * only at the ends or behind a backslash. */
static void ascii_only(void **state)
{
	(void)state;
	for (unsigned c = 0; c < 65536; c++) {
		uint8_t in[] = { 'x', (uint8_t)(c >> 8), (uint8_t)c, 'y' };
		struct cfs_buf out;

		cfs_buf_init(&out, 100);
		cfs_json_add_ascii(&out, cfs_slice_of(in, sizeof(in)),
				   (enum cfs_json_odd)(c % 3));
		assert_int_equal(out.failed, CFS_OK);
		for (size_t i = 0; i < out.n; i++) {
			assert_int_in_range(out.p[i], ' ', '~');
			if (out.p[i] == '\\')
				i++;
			else if (i > 0 && i + 1 < out.n)
				assert_int_not_equal(out.p[i], '"');
		}
		cfs_buf_release(&out);
	}
}

static void members(void **state)
{
	struct cfs_buf out;
	struct cfs_json j = { .out = &out, .compact = true };

	(void)state;
	cfs_buf_init(&out, 1000);
	cfs_json_open(&j, '{');
	cfs_json_put_uint(&j, "zero", 0);
	cfs_json_put_uint(&j, "ten", 10);
	cfs_json_put_uint(&j, "most", UINT64_MAX);
	cfs_json_put_time(&j, "time", 1709210096);
	cfs_json_put_time(&j, "before", -1);
	cfs_json_put_bool(&j, "yes", true);
	cfs_json_put_bool(&j, "no", false);
	cfs_json_put_ascii(&j, "path", CFS_SLICE_LIT("a\xff"),
			   CFS_JSON_ODD_SURROGATE);
	cfs_json_close(&j, '}');
	assert_string_equal(cfs_buf_str(&out),
			    "{\"zero\":0,\"ten\":10,"
			    "\"most\":18446744073709551615,"
			    "\"time\":\"2024-02-29T12:34:56Z\","
			    "\"before\":\"1969-12-31T23:59:59Z\","
			    "\"yes\":true,\"no\":false,"
			    "\"path\":\"a\\udcff\"}");
	cfs_buf_release(&out);
}

/* A string that does not fit fails as cfs_buf_add does. */
static void too_long(void **state)
{
	struct cfs_buf out;

	(void)state;
	for (size_t max = 0; max < 12; max++) {
		cfs_buf_init(&out, max);
		cfs_json_add_ascii(&out, CFS_SLICE_LIT("ab\xff\x01" "cd"),
				   CFS_JSON_ODD_PERCENT);
		assert_int_equal(out.failed, CFS_ELIMIT);
		cfs_buf_release(&out);
	}
}

UNIT_PROGRAM
{
	UNIT_TEST(ascii_only);
	UNIT_TEST(members);
	UNIT_TEST(too_long);
	UNIT_ROWS(ascii_cases, ascii_case);
	return unit_run("json_write");
}
