/* answer_test.c - which HTTP answers are believed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "net/answer.h"

#define NOW INT64_C(1000000000)		/* Sun, 09 Sep 2001 01:46:40 GMT */

/* Heads as they come: lines with CRLF, given one at a time. */
static void take(struct cfs_answer *a, const char *head)
{
	struct cfs_slice rest = cfs_slice_str(head);

	*a = (struct cfs_answer){ .status = 0 };
	while (rest.n > 0) {
		ptrdiff_t nl = cfs_slice_find(rest, '\n');
		size_t n = nl < 0 ? rest.n : (size_t)nl + 1;

		assert_true(cfs_answer_line(a, cfs_slice_sub(rest, 0, n), NOW));
		rest = cfs_slice_from(rest, n);
	}
}

struct range_case {
	const char *text;
	bool ok, unsatisfied;
	uint64_t first, last;
	bool has_total;
	uint64_t total;
};
static struct range_case range_cases[] = {
	{ "bytes 0-9/100", true, false, 0, 9, true, 100 },
	{ "bytes 99-99/100", true, false, 99, 99, true, 100 },
	{ "Bytes  5-9/10", true, false, 5, 9, true, 10 },
	{ "bytes 0-9/*", true, false, 0, 9, false, 0 },
	{ "bytes */100", true, true, 0, 0, true, 100 },
	{ "bytes */*", false, true, 0, 0, false, 0 },
	{ "bytes 9-0/100", false, false, 9, 0, true, 100 },
	{ "bytes 0-100/100", false, false, 0, 100, true, 100 },
	{ "bytes 0-9", false, false, 0, 0, false, 0 },
	{ "bytes 0/9", false, false, 0, 0, true, 9 },
	{ "bytes -5-9/100", false, false, 0, 0, true, 100 },
	{ "bytes 0-9/100x", false, false, 0, 0, true, 0 },
	{ "bytes 0-99999999999999999999/*", false, false, 0, 0, false, 0 },
	{ "items 0-9/100", false, false, 0, 0, false, 0 },
	{ "bytes", false, false, 0, 0, false, 0 },
	{ "", false, false, 0, 0, false, 0 },
};

static void ranges(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(range_cases) / sizeof(range_cases[0]); i++) {
		const struct range_case *c = &range_cases[i];
		struct cfs_answer a = { .status = 0 };

		if (cfs_answer_parse_range(cfs_slice_str(c->text), &a) != c->ok)
			fail_msg("%s", c->text);
		if (!c->ok)
			continue;
		assert_int_equal(a.is_unsatisfied, c->unsatisfied);
		assert_int_equal(a.has_range, !c->unsatisfied);
		assert_int_equal(a.first, c->first);
		assert_int_equal(a.last, c->last);
		assert_int_equal(a.has_total, c->has_total);
		assert_int_equal(a.total, c->total);
	}
}

static void retry_after(void **state)
{
	static const struct { const char *text; bool ok; uint32_t s; } cases[] = {
		{ "0", true, 0 }, { "120", true, 120 }, { " 7 ", true, 7 },
		{ "99999999", true, 86400 }, { "99999999999999999", true, 86400 },
		{ "Sun, 09 Sep 2001 01:46:45 GMT", true, 5 },
		{ "Sun, 09 Sep 2001 01:46:35 GMT", true, 0 },
		{ "Sun, 09 Sep 2011 01:46:35 GMT", true, 86400 },
		{ "soon", false, 0 }, { "-1", false, 0 }, { "", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t s = 0;

		if (cfs_answer_parse_retry(cfs_slice_str(cases[i].text), NOW,
					   &s) != cases[i].ok ||
		    s != cases[i].s)
			fail_msg("'%s' is %u", cases[i].text, s);
	}
}

static void fields(void **state)
{
	struct cfs_answer a;

	(void)state;
	take(&a, "HTTP/1.1 301 Moved\r\nLocation: /x\r\nETag: \"gone\"\r\n\r\n"
	     "HTTP/2 206 \r\nETAG: W/\"abc\"\r\ncontent-length:10\r\n"
	     "Last-Modified: Sun, 09 Sep 2001 01:46:40 GMT\r\n"
	     "content-range: bytes 0-9/1234\r\nContent-Encoding: identity\r\n"
	     "x-amz-bucket-region: eu-west-1\r\nRetry-After: 3\r\n\r\n");
	assert_int_equal(a.status, 206);
	assert_string_equal(a.etag, "\"abc\"");
	assert_false(a.has_location);	/* of the answer before it */
	assert_false(a.is_bad);
	assert_int_equal(a.length, 10);
	assert_int_equal(a.mtime, NOW);
	assert_int_equal(a.total, 1234);
	assert_string_equal(a.encoding, "");
	assert_string_equal(a.region, "eu-west-1");
	assert_true(a.has_retry && a.retry_s == 3);
	take(&a, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n");
	assert_true(a.is_bad);
	take(&a, "HTTP/1.1 206 OK\r\nContent-Range: bytes 0-1/5\r\n"
	     "Content-Range: bytes 1-2/5\r\n");
	assert_true(a.is_bad);
	take(&a, "HTTP/1.1 99 x\r\n");
	assert_true(a.is_bad);
}

static void long_etag(void **state)
{
	char head[400];
	struct cfs_answer a, b;

	(void)state;
	memset(head, 'e', sizeof(head));
	memcpy(head, "ETag: ", 6);
	head[sizeof(head) - 1] = '\0';
	take(&a, head);
	head[sizeof(head) - 2] = 'f';
	take(&b, head);
	assert_int_equal(a.etag[0], '#');
	assert_string_not_equal(a.etag, b.etag);
	take(&a, "ETag: \"\x01\"");
	assert_int_equal(a.etag[0], '#');
}

static void endless_head(void **state)
{
	struct cfs_answer a = { .status = 0 };
	unsigned lines = 0;

	(void)state;
	while (cfs_answer_line(&a, CFS_SLICE_LIT("X-Field: 0123456789\r\n"), 0))
		assert_true(++lines < 10000);
	assert_true(lines > 1000);
}

struct judge_case {
	const char *head;
	uint64_t off, n;
	enum cfs_verdict_kind kind;
	int code;
	uint64_t body, total;
};
#define ALL UINT64_MAX
static const struct judge_case judge_cases[] = {
	{ "HTTP/1.1 206 x\r\nContent-Range: bytes 10-19/100\r\nContent-Length: 10",
	  10, 10, CFS_VERDICT_BYTES, 0, 10, 100 },
	{ "HTTP/1.1 206 x\r\nContent-Range: bytes 10-19/100",
	  10, 10, CFS_VERDICT_BYTES, 0, 10, 100 },
	{ "HTTP/1.1 206 x\r\nContent-Range: bytes 90-99/100",
	  90, 20, CFS_VERDICT_BYTES, 0, 10, 100 },
	{ "HTTP/1.1 206 x\r\nContent-Range: bytes 10-18/100",
	  10, 10, CFS_VERDICT_BYTES, 0, 9, 100 },
	{ "HTTP/1.1 206 x\r\nContent-Range: bytes 10-20/100",
	  10, 10, CFS_VERDICT_BYTES, 0, 10, 100 },
	{ "HTTP/1.1 206 x\r\nContent-Range: bytes 0-99/100\r\nContent-Length: 100",
	  10, 10, CFS_VERDICT_BYTES, 0, 10, 100 },
	{ "HTTP/1.1 206 x\r\nContent-Range: bytes 5-14/100",
	  10, 10, CFS_VERDICT_BYTES, 0, 5, 100 },
	{ "HTTP/1.1 206 x\r\nContent-Range: bytes 0-9/100",
	  10, 10, CFS_VERDICT_FAIL, CFS_EIO, ALL, ALL },
	{ "HTTP/1.1 206 x\r\nContent-Range: bytes 1-8388610/9000000",
	  8388610, 1, CFS_VERDICT_FAIL, CFS_EIO, ALL, ALL },
	{ "HTTP/1.1 206 x\r\nContent-Range: bytes 2-8388610/9000000",
	  8388610, 1, CFS_VERDICT_BYTES, 0, 1, 9000000 },
	{ "HTTP/1.1 206 x\r\nContent-Range: bytes 11-20/100",
	  10, 10, CFS_VERDICT_FAIL, CFS_EIO, ALL, ALL },
	{ "HTTP/1.1 206 x\r\nContent-Range: bytes 90-99/*",
	  90, 20, CFS_VERDICT_BYTES, 0, 10, ALL },
	{ "HTTP/1.1 206 x\r\nContent-Range: bytes 10-19/100\r\nContent-Length: 9",
	  10, 10, CFS_VERDICT_FAIL, CFS_EIO, ALL, ALL },
	{ "HTTP/1.1 206 x\r\nContent-Range: bytes ten",
	  10, 10, CFS_VERDICT_FAIL, CFS_EIO, ALL, ALL },
	{ "HTTP/1.1 206 x", 10, 10, CFS_VERDICT_FAIL, CFS_EIO, ALL, ALL },
	{ "HTTP/1.1 200 x\r\nContent-Length: 100",
	  10, 10, CFS_VERDICT_FAIL, CFS_EUNSUPPORTED, ALL, ALL },
	{ "HTTP/1.1 200 x\r\nContent-Length: 100",
	  0, 99, CFS_VERDICT_FAIL, CFS_EUNSUPPORTED, ALL, ALL },
	{ "HTTP/1.1 200 x\r\nContent-Length: 100",
	  0, 100, CFS_VERDICT_BYTES, 0, 100, 100 },
	{ "HTTP/1.1 200 x", 0, 100, CFS_VERDICT_BYTES, 0, ALL, ALL },
	{ "HTTP/1.1 200 x", 1, 100, CFS_VERDICT_FAIL, CFS_EUNSUPPORTED, ALL, ALL },
	{ "HTTP/1.1 200 x\r\nContent-Length: 0",
	  10, 10, CFS_VERDICT_END, 0, ALL, 0 },
	{ "HTTP/1.1 200 x\r\nContent-Length: 5\r\nContent-Encoding: gzip",
	  0, 100, CFS_VERDICT_FAIL, CFS_EIO, ALL, ALL },
	{ "HTTP/1.1 416 x\r\nContent-Range: bytes */10",
	  10, 10, CFS_VERDICT_END, 0, ALL, 10 },
	{ "HTTP/1.1 416 x\r\nContent-Range: bytes */11",
	  10, 10, CFS_VERDICT_FAIL, CFS_EIO, ALL, ALL },
	{ "HTTP/1.1 416 x", 10, 10, CFS_VERDICT_END, 0, ALL, ALL },
	{ "HTTP/1.1 404 x", 0, 1, CFS_VERDICT_FAIL, CFS_ENOTFOUND, ALL, ALL },
	{ "HTTP/1.1 410 x", 0, 1, CFS_VERDICT_FAIL, CFS_ENOTFOUND, ALL, ALL },
	{ "HTTP/1.1 403 x", 0, 1, CFS_VERDICT_FAIL, CFS_EACCESS, ALL, ALL },
	{ "HTTP/1.1 401 x", 0, 1, CFS_VERDICT_FAIL, CFS_EACCESS, ALL, ALL },
	{ "HTTP/1.1 412 x", 0, 1, CFS_VERDICT_FAIL, CFS_ECHANGED, ALL, ALL },
	{ "HTTP/1.1 418 x", 0, 1, CFS_VERDICT_FAIL, CFS_EIO, ALL, ALL },
	{ "HTTP/1.1 429 x", 0, 1, CFS_VERDICT_RETRY, CFS_EIO, ALL, ALL },
	{ "HTTP/1.1 500 x", 0, 1, CFS_VERDICT_RETRY, CFS_EIO, ALL, ALL },
	{ "HTTP/1.1 501 x", 0, 1, CFS_VERDICT_FAIL, CFS_EIO, ALL, ALL },
	{ "HTTP/1.1 502 x", 0, 1, CFS_VERDICT_RETRY, CFS_EIO, ALL, ALL },
	{ "HTTP/1.1 503 x", 0, 1, CFS_VERDICT_RETRY, CFS_EIO, ALL, ALL },
	{ "HTTP/1.1 504 x", 0, 1, CFS_VERDICT_RETRY, CFS_ETIMEOUT, ALL, ALL },
	{ "HTTP/1.1 505 x", 0, 1, CFS_VERDICT_FAIL, CFS_EIO, ALL, ALL },
	{ "HTTP/1.1 507 x", 0, 1, CFS_VERDICT_FAIL, CFS_EIO, ALL, ALL },
	{ "HTTP/1.1 511 x", 0, 1, CFS_VERDICT_FAIL, CFS_EIO, ALL, ALL },
	{ "HTTP/1.1 400 x", 0, 1, CFS_VERDICT_FAIL, CFS_EIO, ALL, ALL },
	{ "HTTP/1.1 204 x", 0, 1, CFS_VERDICT_FAIL, CFS_EIO, ALL, ALL },
	{ "", 0, 1, CFS_VERDICT_FAIL, CFS_EIO, ALL, ALL },
};

static void verdicts(void **state)
{
	struct cfs_verdict v;
	struct cfs_answer a;

	(void)state;
	for (size_t i = 0; i < sizeof(judge_cases) / sizeof(judge_cases[0]); i++) {
		const struct judge_case *c = &judge_cases[i];

		take(&a, c->head);
		cfs_answer_judge(&a, c->off, c->n, "http://h/x", &v);
		if (v.kind != c->kind || v.body != c->body ||
		    v.total != c->total ||
		    (v.kind > CFS_VERDICT_END && v.code != c->code))
			fail_msg("%s: kind %d code %d", c->head, (int)v.kind,
				 v.code);
		if (v.kind > CFS_VERDICT_END)
			assert_true(v.text[0] != '\0');
	}
}

/* The bytes of a partial answer that are used, and whether the rest is
 * requested. */
/* Holds E60. */
static void parts(void **state)
{
	static const struct {
		const char *head;
		uint64_t skip, body, excess;
		bool is_short;
	} cases[] = {
		{ "HTTP/1.1 206 x\r\nContent-Range: bytes 10-19/100", 0, 10, 0,
		  false },
		{ "HTTP/1.1 206 x\r\nContent-Range: bytes 10-10/100", 0, 1, 0,
		  true },
		{ "HTTP/1.1 206 x\r\nContent-Range: bytes 10-17/18", 0, 8, 0,
		  false },
		{ "HTTP/1.1 206 x\r\nContent-Range: bytes 10-17/*", 0, 8, 0,
		  true },
		{ "HTTP/1.1 206 x\r\nContent-Range: bytes 0-99/100", 10, 10,
		  80, false },
		{ "HTTP/1.1 206 x\r\nContent-Range: bytes 8-12/100", 2, 3, 0,
		  true },
	};
	struct cfs_verdict v;
	struct cfs_answer a;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		take(&a, cases[i].head);
		cfs_answer_judge(&a, 10, 10, "http://h/x", &v);
		assert_int_equal(v.kind, CFS_VERDICT_BYTES);
		assert_int_equal(v.skip, cases[i].skip);
		assert_int_equal(v.body, cases[i].body);
		assert_int_equal(v.excess, cases[i].excess);
		assert_int_equal(v.is_short, cases[i].is_short);
	}
}

/* Which first bytes may be those of an object. */
/* Holds E59. */
static void beginnings(void **state)
{
	static const struct {
		const char *head, *body, *name;
		bool may;
	} cases[] = {
		{ "HTTP/1.1 206 x", "WARC/1.0\r\n", "http://h/x.warc", true },
		{ "HTTP/1.1 206 x", "\x1f\x8b\x08", "http://h/x.gz", true },
		{ "HTTP/1.1 206 x", "damaged", "http://h/x.gz", true },
		{ "HTTP/1.1 206 x", "<html>", "http://h/x.warc", true },
		{ "HTTP/1.1 206 x\r\nContent-Type: text/html", "<html>",
		  "http://h/x.warc", false },
		{ "HTTP/1.1 200 x", "\xef\xbb\xbf \n<html>", "http://h/x", false },
		{ "HTTP/1.1 206 x\r\nContent-Type: application/x-warc", "<html>",
		  "http://h/x.warc", true },
		{ "HTTP/1.1 200 x\r\nContent-Type: text/html; charset=utf-8",
		  "<html>", "http://h/x.paths", false },
		{ "HTTP/1.1 200 x\r\nContent-Type: text/html", "a.warc.gz\n",
		  "http://h/x.paths", true },
		{ "HTTP/1.1 200 x\r\nContent-Type: application/json", "{}",
		  "http://h/x.paths.gz?a=b", false },
		{ "HTTP/1.1 200 x\r\nContent-Type: application/json", "[{}]",
		  "http://h/collinfo.json", true },
		{ "HTTP/1.1 200 x", " \n", "http://h/x", true },
	};
	struct cfs_answer a;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		take(&a, cases[i].head);
		if (cfs_answer_may_begin(&a, cfs_slice_str(cases[i].body),
					 cases[i].name) != cases[i].may)
			fail_msg("%s of %s", cases[i].body, cases[i].name);
	}
}

/* Which refusals may be throttling. */
/* Holds E59. */
static void may_pass(void **state)
{
	static const struct {
		unsigned status;
		const char *code;
		bool may;
	} cases[] = {
		{ 403, "", true }, { 403, "AccessDenied", true },
		{ 403, "SomethingNew", true }, { 401, "", false },
		{ 403, "InvalidAccessKeyId", false },
		{ 403, "InvalidObjectState", false },
		{ 403, "AccountProblem", false }, { 404, "", false },
		{ 403, "SlowDown", false /* it is tried again anyway */ },
	};
	struct cfs_verdict v;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cfs_answer_judge_refusal(cases[i].status, cases[i].code, "",
					 true, &v);
		if (v.may_pass != cases[i].may)
			fail_msg("%u %s", cases[i].status, cases[i].code);
	}
}

/* Those that pass, and no others. */
/* Holds E50. */
static void passing(void **state)
{
	static const unsigned pass[] = { 408, 425, 429, 500, 502, 503, 504, 509,
		520, 521, 522, 523, 524, 527, 530, 598, 599 };
	struct cfs_verdict v;
	size_t n = 0;

	(void)state;
	for (unsigned s = 300; s < 1000; s++) {
		bool passes = n < sizeof(pass) / sizeof(pass[0]) && pass[n] == s;

		n += passes;
		if (s == 416)
			continue;
		cfs_answer_judge_refusal(s, "", "", false, &v);
		if ((v.kind == CFS_VERDICT_RETRY) != passes)
			fail_msg("status %u", s);
	}
}

struct code_case {
	const char *code, *message;
	unsigned status;
	enum cfs_verdict_kind kind;
	int rc;
	const char *text;
};
static const struct code_case code_cases[] = {
	{ "SlowDown", "Please reduce your request rate.", 400,
	  CFS_VERDICT_RETRY, CFS_EIO, "the server asks to slow down (status 400, "
	  "SlowDown: Please reduce your request rate.)" },
	{ "Odd", "please REDUCE your request rate", 403, CFS_VERDICT_RETRY,
	  CFS_EIO, "slow down" },
	{ "RequestTimeout", "", 400, CFS_VERDICT_RETRY, CFS_EIO,
	  "the server failed (status 400, RequestTimeout)" },
	{ "InternalError", "x", 403, CFS_VERDICT_RETRY, CFS_EIO, "failed" },
	{ "ServiceUnavailable", "x", 404, CFS_VERDICT_RETRY, CFS_EIO, "slow" },
	{ "ExpiredToken", "The provided token has expired.", 400,
	  CFS_VERDICT_FAIL, CFS_EACCESS, "the server refuses access (status 400, "
	  "ExpiredToken: The provided token has expired.): the session has "
	  "expired: new credentials are needed" },
	{ "RequestTimeTooSkewed", "x", 403, CFS_VERDICT_FAIL, CFS_EACCESS,
	  "clock" },
	{ "InvalidObjectState", "x", 403, CFS_VERDICT_FAIL, CFS_EACCESS,
	  "restored" },
	{ "NoSuchBucket", "none", 404, CFS_VERDICT_FAIL, CFS_ENOTFOUND,
	  "is not there (status 404, NoSuchBucket: none)" },
	{ "AccessDenied", "Access Denied", 403, CFS_VERDICT_FAIL, CFS_EACCESS,
	  "(status 403, AccessDenied: Access Denied): no credentials were used" },
	{ "Unheard", "of", 418, CFS_VERDICT_FAIL, CFS_EIO,
	  "the server answers with status 418, Unheard: of" },
	{ "Unheard", "of", 503, CFS_VERDICT_RETRY, CFS_EIO, "Unheard: of" },
};

/* Holds E50. */
static void codes(void **state)
{
	struct cfs_verdict v;

	(void)state;
	for (size_t i = 0; i < sizeof(code_cases) / sizeof(code_cases[0]); i++) {
		const struct code_case *c = &code_cases[i];

		cfs_answer_judge_refusal(c->status, c->code, c->message, true,
					 &v);
		if (v.kind != c->kind || v.code != c->rc ||
		    strstr(v.text, c->text) == NULL)
			fail_msg("%s: %s", c->code, v.text);
	}
}

static void encodings(void **state)
{
	static const struct { const char *name, *encoding; bool ok; } cases[] = {
		{ "http://h/x.warc.gz", "gzip", true },
		{ "http://h/x.WARC.GZ", "x-gzip", true },
		{ "http://h/x.gz?a=.b", "gzip", true },
		{ "http://h/x.gz", "br", false },
		{ "http://h/x?a=.gz", "gzip", false },
		{ "http://h/x.cfx", "gzip", false },
		{ "http://h/x.cfx", "gzip, gzip", false },
		{ "http://h/x.gz", "gzip, gzip", false },
		{ "http://h/x.cfx", "aws-chunked", true },
		{ "http://h/x.cfx", "AWS-Chunked", true },
		{ "http://h/x.cfx", "aws-chunked,", true },
		{ "http://h/x.cfx", ", Identity , aws-chunked", true },
		{ "http://h/x.cfx", "identity", true },
		{ "http://h/x.cfx", "", true },
		{ "http://h/x.cfx", "aws-chunked\r\nContent-Encoding: identity",
		  true },
		{ "http://h/x.cfx", "br\r\nContent-Encoding: identity", false },
		{ "http://h/x.gz", "gzip\r\nContent-Encoding: br", false },
		{ "http://h/x.gz", "br\r\nContent-Encoding: gzip", false },
		{ "http://h/x.gz", "gzip,aws-chunked", true },
		{ "http://h/x.gz", "aws-chunked, GZIP", true },
		{ "http://h/x.cfx", "aws-chunked, gzip", false },
		{ "http://h/x.cfx", "aws-chunkedx", false },
		{ "http://h/x.gz", "gzip0123456789012345678901234567890123456789"
		  "0123456789", false },
		{ "http://h/x.warc.zst?q=1", "zstd", true },
		{ "http://h/x.warc.zst", "aws-chunked,zstd", true },
		{ "http://h/x.warc.zst", "gzip", false },
		{ "http://h/x.warc.gz", "zstd", false },
	};
	struct cfs_verdict v;
	struct cfs_answer a;
	char head[200];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(head, sizeof(head), "HTTP/1.1 206 x\r\nContent-Range: "
			 "bytes 0-9/10\r\nContent-Encoding: %s\r\n",
			 cases[i].encoding);
		take(&a, head);
		cfs_answer_judge(&a, 0, 10, cases[i].name, &v);
		if ((v.kind == CFS_VERDICT_BYTES) != cases[i].ok)
			fail_msg("%s %s", cases[i].name, cases[i].encoding);
	}
}

/* The verdict on the server after a request without a whole answer. */
static void curl_codes(void **state)
{
	static const struct {
		CURLcode code;
		bool is_connected, has_answered;
		enum cfs_verdict_kind kind;
		enum cfs_cause cause;
		int rc;
	} cases[] = {
		{ CURLE_COULDNT_CONNECT, false, false, CFS_VERDICT_RETRY,
		  CFS_CAUSE_CONNECT, CFS_EIO },
		{ CURLE_OPERATION_TIMEDOUT, false, true, CFS_VERDICT_RETRY,
		  CFS_CAUSE_CONNECT, CFS_ETIMEOUT },
		{ CURLE_OPERATION_TIMEDOUT, true, true, CFS_VERDICT_RETRY,
		  CFS_CAUSE_TIMEOUT, CFS_ETIMEOUT },
		{ CURLE_GOT_NOTHING, true, true, CFS_VERDICT_RETRY,
		  CFS_CAUSE_CUT, CFS_EIO },
		{ CURLE_SSL_CONNECT_ERROR, true, false, CFS_VERDICT_FAIL,
		  CFS_CAUSE_TLS, CFS_EIO },
		{ CURLE_SSL_CONNECT_ERROR, true, true, CFS_VERDICT_RETRY,
		  CFS_CAUSE_TLS, CFS_EIO },
		{ CURLE_PEER_FAILED_VERIFICATION, true, true, CFS_VERDICT_FAIL,
		  CFS_CAUSE_TLS, CFS_EIO },
		{ CURLE_OUT_OF_MEMORY, true, true, CFS_VERDICT_FAIL,
		  CFS_CAUSE_NONE, CFS_ENOMEM },
		{ CURLE_URL_MALFORMAT, false, true, CFS_VERDICT_FAIL,
		  CFS_CAUSE_BAD_ANSWER, CFS_EIO },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cfs_verdict v = { .kind = CFS_VERDICT_BYTES };

		cfs_answer_judge_curl(cases[i].code, i % 2 ? "why" : "",
				      cases[i].is_connected,
				      cases[i].has_answered, &v);
		assert_int_equal(v.kind, cases[i].kind);
		assert_int_equal(v.cause, cases[i].cause);
		assert_int_equal(v.code, cases[i].rc);
		assert_true(v.body == UINT64_MAX && v.total == UINT64_MAX);
		assert_true(v.text[0] != '\0');
		assert_int_equal(strncmp(v.text, "why", 3) == 0, i % 2);
	}
}

UNIT_PROGRAM
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges),
		cmocka_unit_test(retry_after),
		cmocka_unit_test(fields),
		cmocka_unit_test(long_etag),
		cmocka_unit_test(endless_head),
		cmocka_unit_test(verdicts),
		cmocka_unit_test(encodings),
		cmocka_unit_test(parts),
		cmocka_unit_test(beginnings),
		cmocka_unit_test(may_pass),
		cmocka_unit_test(passing),
		cmocka_unit_test(codes),
		cmocka_unit_test(curl_codes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
