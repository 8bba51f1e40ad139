/* http_head_test.c - heads: where they end, their fields, status lines.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "record/http_head.h"

struct length_case {
	const char *name, *text;
	size_t bytes;
	bool complete;
};
static struct length_case length_cases[] = {
	{ "CRLF", "HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody", 25, true },
	{ "bare LF", "HTTP/1.1 200 OK\nA: b\n\nbody\n\n", 22, true },
	{ "CR CR LF", "HTTP/1.0 302 \r\r\nA: b\r\r\n\r\r\nx", 26, true },
	{ "mixed", "HTTP/1.0 200 OK\r\nA: b\n\r\nx", 24, true },
	{ "no fields", "HTTP/1.0 200 OK\r\n\r\nx", 19, true },
	{ "no empty line", "HTTP/1.0 200 OK\r\nA: b\r\n", 23, false },
	{ "no line end", "HTTP/1.0 200 OK", 15, false },
	{ "last line open", "HTTP/1.0 200 OK\r\nA: b", 21, false },
	{ "markup ends it", "HTTP/1.0 200 OK\r\nA: b\r\n<a>\r\n", 23, false },
	/* Holds B1. */
	{ "markup inside", "HTTP/1.0 200 OK\r\n<b>h</b>: y\r\nA: b\r\n\r\nx",
	  38, true },
	/* Holds B1. */
	{ "a comment inside", "HTTP/1.0 200 OK\r\n<!-- c -->\r\nA: b\r\n\r\nx",
	  37, true },
	{ "markup last", "HTTP/1.0 200 OK\nA: b\n<br>\n\nx", 27, true },
	{ "a document's start inside", "HTTP/1.0 200 OK\r\n<html>\r\n"
	  "A: b\r\n\r\nx", 33, true },
	/* Holds B1. */
	{ "a document's start last", "HTTP/1.0 200 OK\n<!DOCTYPE html>\n\nx",
	  33, true },
	{ "a document with an empty line", "HTTP/1.0 200 OK\r\nA: b\r\n"
	  "<html>\r\n<p>x\r\n\r\n<p>y\r\n", 23, false },
	{ "text ends it", "HTTP/1.0 200 OK\r\nA: b\r\nnothing\r\nC: d\r\n",
	  23, false },
	{ "line without colon inside", "HTTP/1.0 200 OK\r\nnothing\r\n\r\nx",
	  28, true },
	{ "blank folded line is no end", "HTTP/1.0 200\r\nA: b\r\n \r\n\r\nx",
	  25, true },
	{ "empty", "", 0, false },
};

static void length_case(void **state)
{
	const struct length_case *tc = *state;
	struct cfs_slice s = exact_copy(tc->text, strlen(tc->text));
	bool complete;

	assert_int_equal(cfs_head_length(s, &complete), tc->bytes);
	assert_int_equal(complete, tc->complete);
	exact_free(s);
}

/* Holds B2. */
struct interim_case {
	const char *name, *text;
	size_t bytes;
};
#define FINAL "HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody"
static struct interim_case interim_cases[] = {
	{ "none", FINAL, 0 },
	{ "100", "HTTP/1.1 100 Continue\r\n\r\n" FINAL, 25 },
	{ "100, LF", "HTTP/1.1 100 Continue\n\n" FINAL, 23 },
	{ "103 with fields", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
	  FINAL, 40 },
	{ "two", "HTTP/1.1 100\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n" FINAL,
	  43 },
	{ "101 and a response", "HTTP/1.1 101 Switching Protocols\r\n"
	  "Upgrade: TLS/1.0\r\n\r\n" FINAL, 54 },
	{ "101 and something else", "HTTP/1.1 101 Switching Protocols\r\n\r\n"
	  "\x81\x05hello", 0 },
	{ "alone", "HTTP/1.1 100 Continue\r\n\r\n", 0 },
	{ "before a body", "HTTP/1.1 100 Continue\r\n\r\n<p>HTTP/1.1 200", 0 },
	{ "of a proxy", "HTTP/1.0 200 Connection established\r\n\r\n" FINAL, 39 },
	{ "of a proxy, with fields", "HTTP/1.1 200 Connection Established\r\n"
	  "Proxy-Agent: x\r\n\r\n" FINAL, 55 },
	{ "a page that is a response", "HTTP/1.1 200 OK\r\n\r\n" FINAL, 0 },
	{ "an empty line more", "HTTP/1.1 100 Continue\r\n\r\n\r\n" FINAL, 27 },
	{ "no empty line", "HTTP/1.1 100 Continue\r\n" FINAL, 23 },
	{ "proxy, 100, final", "HTTP/1.0 200 Connection established\r\n\r\n"
	  "HTTP/1.1 100 Continue\r\n\r\n" FINAL, 64 },
	{ "empty", "", 0 },
};

static void interim_case(void **state)
{
	const struct interim_case *tc = *state;
	struct cfs_slice s = exact_copy(tc->text, strlen(tc->text));

	assert_int_equal(cfs_http_interim_bytes(s), tc->bytes);
	for (size_t n = 0; n < s.n; n++) {
		struct cfs_slice cut = exact_copy(s.p, n);

		assert_true(cfs_http_interim_bytes(cut) <= n);
		exact_free(cut);
	}
	exact_free(s);
}

static void over_long(void **state)
{
	size_t n = CFS_HEAD_MAX + 100;
	char *p = malloc(n);
	bool complete;

	(void)state;
	assert_non_null(p);
	memset(p, 'a', n);
	memcpy(p, "HTTP/1.1 200 OK\r\nA: ", 20);
	memcpy(p + n - 10, "\r\n\r\n", 4);
	/* the limit cuts the second line off: the head is the first */
	assert_int_equal(cfs_head_length(cfs_slice_of(p, n), &complete), 17);
	assert_false(complete);
	free(p);
}

static void fields(void **state)
{
	static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type:text/html\r\n"
		"nonsense\r\nX_Long: one\r\n\ttwo \r\n   three\r\n : no name\r\n"
		"Empty:\r\nspace : x:y\r\nX-Long: again\r\n"
		"Later:\r\n  a\r\n b\r\n\r\n";
	struct cfs_slice s = exact_copy(head, strlen(head));
	struct cfs_fields f;
	bool found;

	(void)state;
	assert_int_equal(cfs_head_fields(s, &f), CFS_OK);
	assert_int_equal(f.n, 6);
	assert_slice(cfs_fields_get(&f, "later", NULL), "a b");
	assert_slice(cfs_fields_get(&f, "content-TYPE", &found), "text/html");
	assert_true(found);
	assert_slice(cfs_fields_get(&f, "x-long", NULL),
		     "one two three : no name");
	assert_slice(cfs_fields_get_last(&f, "x_long", NULL), "again");
	assert_slice(cfs_fields_get(&f, "empty", &found), "");
	assert_true(found);
	assert_slice(cfs_fields_get(&f, "space", NULL), "x:y");
	cfs_fields_get(&f, "absent", &found);
	assert_false(found);
	cfs_fields_release(&f);
	exact_free(s);
}

/* Unfolding a value of many lines must not cost the square of their number. */
static void many_folds(void **state)
{
	struct cfs_fields f;
	struct cfs_buf b;

	(void)state;
	cfs_buf_init(&b, CFS_HEAD_MAX);
	cfs_buf_adds(&b, "X\r\nA: b\r\n");
	for (int i = 0; i < 100000; i++)
		cfs_buf_adds(&b, " c\r\n");
	assert_int_equal(b.failed, CFS_OK);
	assert_int_equal(cfs_head_fields(cfs_buf_slice(&b), &f), CFS_OK);
	assert_int_equal(f.n, 1);
	assert_int_equal(f.v[0].value.n, 200001);
	cfs_fields_release(&f);
	cfs_buf_release(&b);
}

static void too_many_fields(void **state)
{
	struct cfs_fields f;
	struct cfs_buf b;

	(void)state;
	cfs_buf_init(&b, CFS_HEAD_MAX);
	cfs_buf_adds(&b, "X\n");
	for (int i = 0; i < 10000; i++)
		cfs_buf_adds(&b, "a:b\n");
	assert_int_equal(cfs_head_fields(cfs_buf_slice(&b), &f), CFS_OK);
	assert_int_equal(f.n, CFS_HEAD_FIELDS_MAX);
	cfs_fields_release(&f);
	cfs_buf_release(&b);
}

static void status(void **state)
{
	(void)state;
	assert_int_equal(cfs_http_status(cfs_slice_str("HTTP/1.1 200 OK")), 200);
	assert_int_equal(cfs_http_status(cfs_slice_str("HTTP/1.0 302 ")), 302);
	assert_int_equal(cfs_http_status(cfs_slice_str("HTTP 502 Bad")), 502);
	assert_int_equal(cfs_http_status(cfs_slice_str("HTTP/1.1 404")), 404);
	assert_int_equal(cfs_http_status(cfs_slice_str("HTTP/1.1 2000 x")), 0);
	assert_int_equal(cfs_http_status(cfs_slice_str("HTTP/1.1 abc")), 0);
	assert_int_equal(cfs_http_status(cfs_slice_str("HTTP/1.1 099 x")), 0);
	assert_int_equal(cfs_http_status(cfs_slice_str("HTTP/1.1")), 0);
	assert_true(cfs_http_is_response(cfs_slice_str("http/1.1 200")));
	assert_false(cfs_http_is_response(cfs_slice_str("HTTPS is good")));
	assert_false(cfs_http_is_response(cfs_slice_str("HTTP/")));
}

UNIT_PROGRAM
{
	UNIT_ROWS(length_cases, length_case);
	UNIT_ROWS(interim_cases, interim_case);
	UNIT_TEST(over_long);
	UNIT_TEST(fields);
	UNIT_TEST(many_folds);
	UNIT_TEST(too_many_fields);
	UNIT_TEST(status);
	return unit_run("http_head");
}
