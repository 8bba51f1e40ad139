/* warc_test.c - WARC records: versions, fields, blocks, what is HTTP.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "record/parse.h"

static int parse(struct cfs_record *r, const char *text, uint64_t *used)
{
	return cfs_record_parse(r, cfs_slice_str(text), 0, NULL, used, NULL);
}

static void response(void **state)
{
	static const char text[] = "WARC/1.0\r\nWARC-Type: response\r\n"
		"WARC-Date: 2014-01-03T03:03:21Z\r\n"
		"warc-record-id: <urn:uuid:1>\r\nContent-Length: 68\r\n"
		"Content-Type: application/http; msgtype=response\r\n"
		"WARC-IP-Address: 1.2.3.4\r\n"
		"WARC-Payload-Digest: sha1:ABC\r\n"
		"WARC-Target-URI: <http://example.com/>\r\n\r\n"
		"HTTP/1.1 404 Not Found\r\n"
		"Content-Type: text/html; charset=x\r\n\r\nbody\r\n"
		"\r\n\r\nWARC/1.0\r\n";
	struct cfs_record r;
	uint64_t used;

	(void)state;
	assert_int_equal(parse(&r, text, &used), CFS_OK);
	assert_int_equal(used, sizeof(text) - 1 - 10);
	assert_int_equal(r.format, CFS_ARCHIVE_WARC);
	assert_int_equal(r.type, CFS_RECORD_RESPONSE);
	assert_slice(r.url, "http://example.com/");
	assert_slice(r.ip, "1.2.3.4");
	assert_slice(r.mime, "text/html");
	assert_int_equal(r.status, 404);
	assert_slice(r.status_line, "HTTP/1.1 404 Not Found");
	assert_slice(r.body, "body\r\n");
	assert_slice(cfs_record_warc_field(&r, "WARC-Record-ID"), "<urn:uuid:1>");
	assert_slice(cfs_record_warc_field(&r, "WARC-Payload-Digest"), "sha1:ABC");
	assert_int_equal(r.declared_bytes, 68);
	assert_int_equal(r.time_ms, 1388718201000);
	assert_false(r.is_cut);
	cfs_record_release(&r);
}

static void revisit(void **state)
{
	static const char text[] = "WARC/0.18\nWARC-Type: revisit\n"
		"WARC-Date: 2020-06-27T13:51:45.1234567Z\n"
		"WARC-Refers-To: <urn:uuid:2>\nWARC-Truncated: length\n"
		"WARC-Refers-To-Target-URI: <http://a.org/>\n"
		"WARC-Refers-To-Date: 2020-01-01T00:00:00Z\n"
		"Content-Length: 19\n\nHTTP/1.1 200 OK\r\n\r\n\n\n";
	struct cfs_record r;

	(void)state;
	assert_int_equal(parse(&r, text, NULL), CFS_OK);
	assert_int_equal(r.type, CFS_RECORD_REVISIT);
	assert_slice(cfs_record_warc_field(&r, "WARC-Refers-To"), "<urn:uuid:2>");
	assert_slice(cfs_record_warc_uri(&r, "WARC-Refers-To-Target-URI"),
		     "http://a.org/");
	assert_slice(cfs_record_warc_field(&r, "WARC-Refers-To-Date"),
		     "2020-01-01T00:00:00Z");
	assert_true(r.has_http);
	assert_int_equal(r.status, 200);
	assert_int_equal(r.body.n, 0);
	assert_int_equal(r.time_ms, 1593265905123);
	assert_false(r.is_cut);		/* the document was cut off, not the
					 * record */
	cfs_record_release(&r);
}

/* Content is HTTP where the record is a response that says so. */
struct http_case {
	const char *name, *type, *content_type;
	bool has_http;
};
static struct http_case http_cases[] = {
	{ "response", "response", "application/http; msgtype=response", true },
	{ "response without a type", "response", "", true },
	{ "response of another protocol", "response", "text/dns", false },
	{ "resource", "resource", "text/plain", false },
	{ "resource without a type", "resource", "", false },
	{ "conversion", "conversion", "text/plain", false },
	{ "type in capitals", "RESPONSE", "Application/HTTP", true },
};

static void http_case(void **state)
{
	const struct http_case *tc = *state;
	struct cfs_record r;
	struct cfs_buf b;

	cfs_buf_init(&b, 4096);
	cfs_buf_addf(&b, "WARC/1.1\r\nWARC-Type: %s\r\n%s%s\r\n"
		     "Content-Length: 21\r\n\r\nHTTP/1.1 200 OK\r\n\r\nhi"
		     "\r\n\r\n", tc->type,
		     tc->content_type[0] != '\0' ? "Content-Type: " : "X: ",
		     tc->content_type);
	assert_int_equal(cfs_record_parse(&r, cfs_buf_slice(&b), 0, NULL, NULL,
					  NULL), CFS_OK);
	assert_int_equal(r.has_http, tc->has_http);
	assert_int_equal(r.body.n, tc->has_http ? 2 : 21);
	cfs_record_release(&r);
	cfs_buf_release(&b);
}

struct length_case {
	const char *name, *length, *block;
	const char *want;
	size_t left;		/* bytes after the record */
	bool is_cut;
};
static struct length_case length_cases[] = {
	{ "exact", "5", "hello\r\n\r\n", "hello", 0, false },
	{ "next follows", "5", "hello\r\n\r\nWARC/1.0\r\n", "hello", 10, false },
	{ "no line ends after", "5", "helloWARC/1.0\r\n", "hello", 10, false },
	{ "too long", "9", "hello", "hello", 0, true },
	{ "far too long", "9223372036854775806", "hello", "hello", 0, true },
	{ "no number", "very long", "hello\r\n\r\n", "hello", 0, false },
	{ "negative", "-1", "hello\r\n\r\n", "hello", 0, false },
	{ "past 64 bits", "99999999999999999999999", "hello\r\n\r\n", "hello",
	  0, false },
	{ "empty", "0", "\r\n\r\n", "", 0, false },
};

static void length_case(void **state)
{
	const struct length_case *tc = *state;
	struct cfs_record r;
	struct cfs_slice s;
	struct cfs_buf b;
	uint64_t used;

	cfs_buf_init(&b, 4096);
	cfs_buf_addf(&b, "WARC/1.0\r\nWARC-Type: resource\r\n"
		     "Content-Length: %s\r\n\r\n%s", tc->length, tc->block);
	s = exact_copy(b.p, b.n);
	assert_int_equal(cfs_record_parse(&r, s, 0, NULL, &used, NULL), CFS_OK);
	assert_slice(r.body, tc->want);
	assert_int_equal(s.n - used, tc->left);
	assert_int_equal(r.is_cut, tc->is_cut);
	cfs_record_release(&r);
	cfs_buf_release(&b);
	exact_free(s);
}

/* doc/formats.md, "WARC records": one CRLF too many, Content-Length 2 too
 * small. */
static void extra_crlf(const char *date, const char *tail, const char *want)
{
	struct cfs_record r;
	struct cfs_buf b;
	uint64_t used;

	cfs_buf_init(&b, 4096);
	cfs_buf_addf(&b, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: %s\r\n"
		     "Content-Length: 43\r\n"
		     "Content-Type: application/http\r\n\r\n"
		     "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n\r\nhel"
		     "lo%s", date, tail);
	assert_int_equal(cfs_record_parse(&r, cfs_buf_slice(&b), 0, NULL, &used,
					  NULL), CFS_OK);
	assert_slice(r.body, want);
	if (strcmp(want, "hello") == 0)
		assert_int_equal(used, b.n);
	cfs_record_release(&r);
	cfs_buf_release(&b);
}

static void cc_main_2018_34(void **state)
{
	(void)state;
	extra_crlf("2018-08-15T00:00:00Z", "\r\n\r\n", "hello");
	extra_crlf("2018-11-15T00:00:00Z", "\r\n\r\n", "\r\nhel");
	extra_crlf("2018-08-15T00:00:00Z", "\r\n\r\nWARC/1.0\r\n", "\r\nhel");
	extra_crlf("2018-08-15T00:00:00Z", "\r\n", "\r\nhel");
	extra_crlf("2018-08-15T00:00:00Z", "xx\r\n\r\n", "\r\nhel");
}

/* Content-Lengths of records, and what is their bodies. */
static struct body_case {
	const char *name, *length, *http, *rest, *body;
	bool is_cut;
} body_cases[] = {
	{ "right", "43", "5", "hello\r\n\r\n", "hello", false },
	{ "too large", "60", "5", "hello\r\n\r\n", "hello", false },
	{ "too large, no length of the body", "60", "x", "hello\r\n\r\n",
	  "hello", true },
	{ "too large, cut off", "60", "9", "hello", "hello", true },
	{ "too large, cut off behind the head", "60", "9", "", "", true },
	{ "counts the line ends", "47", "5", "hello\r\n\r\n", "hello", false },
	{ "counts one of them", "44", "5", "hello\r\n\r\n", "hello", false },
	{ "counts two of them", "45", "5", "hello\r\n\r\n", "hello", false },
	{ "counts three of them", "46", "5", "hello\r\n\r\n", "hello",
	  false },
	{ "two that are the body's", "45", "7", "hello\r\n\r\n\r\n",
	  "hello\r\n", false },
	{ "two, no length of the body", "45", "x", "hello\r\n\r\n",
	  "hello\r\n", false },
	{ "a body that ends with them", "47", "9", "hello\r\n\r\n",
	  "hello\r\n\r\n", false },
	{ "LF is of the body", "60", "x", "hello\n\n", "hello\n\n", true },
	{ "none", "x", "5", "hello\r\n\r\n", "hello", false },
};

static void body_case(void **state)
{
	const struct body_case *tc = *state;
	struct cfs_slice s;
	struct cfs_record r;
	struct cfs_buf b;

	cfs_buf_init(&b, 4096);
	cfs_buf_addf(&b, "WARC/1.0\r\nWARC-Type: response\r\n"
		     "Content-Length: %s\r\n\r\nHTTP/1.1 200 OK\r\n"
		     "Content-Length: %s\r\n\r\n%s", tc->length, tc->http,
		     tc->rest);
	s = exact_copy(b.p, b.n);
	assert_int_equal(cfs_record_parse(&r, s, 0, NULL, NULL, NULL), CFS_OK);
	assert_slice(r.body, tc->body);
	assert_int_equal(r.is_cut, tc->is_cut);
	assert_ptr_equal(r.block.p + r.block.n, r.body.p + r.body.n);
	cfs_record_release(&r);
	exact_free(s);
	cfs_buf_release(&b);
}

/* The fields of ISO 28500, section 7. */
static struct segment_case {
	const char *name, *fields;
	uint32_t segment;
} segment_cases[] = {
	{ "no field", "", 0 },
	{ "the first", "WARC-Segment-Number: 1\r\n", 1 },
	{ "the only one", "WARC-Segment-Number: 1\r\n"
	  "WARC-Segment-Total-Length: 5\r\n", 0 },
	{ "a total that lies", "WARC-Segment-Number: 1\r\n"
	  "WARC-Segment-Total-Length: 4\r\n", 1 },
	{ "a later one", "WARC-Segment-Number: 3\r\n", 3 },
	{ "no number", "WARC-Segment-Number: one\r\n", 0 },
	{ "past 32 bits", "WARC-Segment-Number: 4294967296\r\n", 0 },
};

static void segment_case(void **state)
{
	const struct segment_case *tc = *state;
	struct cfs_record r;
	struct cfs_buf b;

	cfs_buf_init(&b, 4096);
	cfs_buf_addf(&b, "WARC/1.0\r\nWARC-Type: resource\r\n%s"
		     "Content-Length: 5\r\n\r\nhello\r\n\r\n", tc->fields);
	assert_int_equal(cfs_record_parse(&r, cfs_buf_slice(&b), 0, NULL, NULL,
					  NULL), CFS_OK);
	assert_int_equal(r.segment, tc->segment);
	assert_int_equal(r.is_cut, tc->segment > 0);
	cfs_record_release(&r);
	cfs_buf_release(&b);
}

static void no_record(void **state)
{
	static const char *const bad[] = {
		"", "WARC/1.0", "WARC/1.0\r\n", "WARC/1.0\r\nWARC-Type: x\r\n",
		"WARC/x.x\r\n\r\n", "WARC-Type: resource\r\n", "\r\n\r\n",
		"<html>\r\n\r\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct cfs_error err = CFS_ERROR_INIT;
		struct cfs_record r;

		assert_int_equal(cfs_record_parse(&r, cfs_slice_str(bad[i]), 0,
						  NULL, NULL, &err),
				 CFS_EFORMAT);
		assert_true(err.text[0] != '\0');
		assert_null(r.warc.v);
	}
}

static void every_prefix(void **state)
{
	static const char text[] = "WARC/1.0\r\nWARC-Type: response\r\n"
		"Content-Length: 40\r\nfolded: a\r\n b\r\n\r\n"
		"HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody body body\r\n\r\n";

	(void)state;
	for (size_t n = 0; n < sizeof(text); n++) {
		struct cfs_slice s = exact_copy(text, n);
		struct cfs_record r;

		if (cfs_record_parse(&r, s, 0, NULL, NULL, NULL) == CFS_OK)
			cfs_record_release(&r);
		exact_free(s);
	}
}

UNIT_PROGRAM
{
	UNIT_TEST(response);
	UNIT_TEST(revisit);
	UNIT_ROWS(http_cases, http_case);
	UNIT_ROWS(length_cases, length_case);
	UNIT_ROWS(body_cases, body_case);
	UNIT_ROWS(segment_cases, segment_case);
	UNIT_TEST(cc_main_2018_34);
	UNIT_TEST(no_record);
	UNIT_TEST(every_prefix);
	return unit_run("warc");
}
