/* serve_test.c - what the server reads of requests: ranges, conditions, hosts,
 * escapes, PROPFIND, queries, and expressions.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include <sys/socket.h>
#include <unistd.h>

#include "base/hex.h"
#include "serve/cdx_server_internal.h"
#include "serve/dav_internal.h"
#include "serve/ranges.h"
#include "serve/server_internal.h"

/* ---- ranges and conditions ---- */

struct range_case {
	const char *text;
	uint64_t size;
	enum cfs_range_kind kind;
	uint64_t from, bytes;
};
static struct range_case range_cases[] = {
	{ "bytes=0-0", 10, CFS_RANGE_PART, 0, 1 },
	{ "bytes=9-9", 10, CFS_RANGE_PART, 9, 1 },
	{ "Bytes=3-", 10, CFS_RANGE_PART, 3, 7 },
	{ "bytes=-4", 10, CFS_RANGE_PART, 6, 4 },
	{ "bytes=-40", 10, CFS_RANGE_PART, 0, 10 },
	{ "bytes=-18446744073709551615", 10, CFS_RANGE_PART, 0, 10 },
	{ "bytes=-99999999999999999999", 10, CFS_RANGE_PART, 0, 10 },
	{ "bytes=2-18446744073709551615", 10, CFS_RANGE_PART, 2, 8 },
	{ "bytes=2-99999999999999999999", 10, CFS_RANGE_PART, 2, 8 },
	{ "bytes=10-", 10, CFS_RANGE_OUTSIDE, 0, 0 },
	{ "bytes=99999999999999999999-", 10, CFS_RANGE_OUTSIDE, 0, 0 },
	{ "bytes=-0", 10, CFS_RANGE_OUTSIDE, 0, 0 },
	{ "bytes=0-0", 0, CFS_RANGE_OUTSIDE, 0, 0 },
	{ "bytes=-1", 0, CFS_RANGE_OUTSIDE, 0, 0 },
	{ "", 10, CFS_RANGE_NONE, 0, 0 },
	{ "bytes=", 10, CFS_RANGE_NONE, 0, 0 },
	{ "bytes=-", 10, CFS_RANGE_NONE, 0, 0 },
	{ "bytes=5", 10, CFS_RANGE_NONE, 0, 0 },
	{ "bytes=5-4", 10, CFS_RANGE_NONE, 0, 0 },
	{ "bytes=0-1,4-5", 10, CFS_RANGE_NONE, 0, 0 },
	{ "bytes=+1-2", 10, CFS_RANGE_NONE, 0, 0 },
	{ "bytes=1-2-3", 10, CFS_RANGE_NONE, 0, 0 },
	{ "lines=1-2", 10, CFS_RANGE_NONE, 0, 0 },
};

static void range_case(void **state)
{
	const struct range_case *tc = *state;
	uint64_t from = 0, bytes = 0;

	assert_int_equal(cfs_range_read(cfs_slice_str(tc->text), tc->size,
					&from, &bytes), tc->kind);
	if (tc->kind == CFS_RANGE_PART) {
		assert_int_equal(from, tc->from);
		assert_int_equal(bytes, tc->bytes);
	}
}

static void dates(void **state)
{
	static const struct {
		int64_t time;
		const char *text;
	} cases[] = {
		{ 0, "Thu, 01 Jan 1970 00:00:00 GMT" },
		{ 784111777, "Sun, 06 Nov 1994 08:49:37 GMT" },
		{ -1, "Wed, 31 Dec 1969 23:59:59 GMT" },
		{ 951782400, "Tue, 29 Feb 2000 00:00:00 GMT" },
		{ 253402300799, "Fri, 31 Dec 9999 23:59:59 GMT" },
	};
	char out[CFS_HTTP_DATE_BYTES];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(cfs_http_date(cases[i].time, out),
				    cases[i].text);
}

/* The order and the meaning of RFC 9110, 13.2.2, for a file with the tag "a"
 * of 6 November 1994. */
#define DAY "Sun, 06 Nov 1994 08:49:37 GMT"
#define DAY_BEFORE "Sat, 05 Nov 1994 08:49:37 GMT"
struct condition_case {
	const char *name, *match, *none_match, *modified, *unmodified;
	unsigned get, other;		/* the status of GET, and of others */
};
static struct condition_case condition_cases[] = {
	{ "none", "", "", "", "", 0, 0 },
	{ "match", "\"a\"", "", "", "", 0, 0 },
	{ "match, in a list", "\"b\" ,\"a\"", "", "", "", 0, 0 },
	{ "match, weak", "W/\"a\"", "", "", "", 412, 412 },
	{ "match any", "*", "", "", "", 0, 0 },
	{ "match, any in a list", "\"b\", *", "", "", "", 412, 412 },
	{ "match another", "\"b\"", "", "", "", 412, 412 },
	{ "match, and old", "\"a\"", "", "", DAY_BEFORE, 0, 0 },
	{ "unmodified", "", "", "", DAY, 0, 0 },
	{ "unmodified, old", "", "", "", DAY_BEFORE, 412, 412 },
	{ "unmodified, no date", "", "", "", "x", 0, 0 },
	{ "none match", "", "\"a\"", "", "", 304, 412 },
	{ "none match, weak", "", "W/\"a\"", "", "", 304, 412 },
	{ "none match, any", "", "*", "", "", 304, 412 },
	{ "none match, another", "", "\"b\"", DAY, "", 0, 0 },
	{ "match another, none match", "\"b\"", "\"a\"", "", "", 412, 412 },
	{ "modified", "", "", DAY, "", 304, 0 },
	{ "modified, old", "", "", DAY_BEFORE, "", 0, 0 },
	{ "modified, no date", "", "", "yesterday", "", 0, 0 },
};

static void condition_case(void **state)
{
	static const struct cfs_validators v = { "\"a\"", 784111777 };
	static const struct cfs_validators nothing = { "", 0 };
	const struct condition_case *tc = *state;
	struct cfs_preconditions c = {
		cfs_slice_str(tc->match), cfs_slice_str(tc->none_match),
		cfs_slice_str(tc->modified), cfs_slice_str(tc->unmodified),
		true
	};

	assert_int_equal(cfs_condition_status(&v, &c), tc->get);
	c.is_get = false;
	assert_int_equal(cfs_condition_status(&v, &c), tc->other);
	/* a reply without a tag never matches one that was sent */
	assert_int_equal(cfs_condition_status(&nothing, &c),
			 (c.if_match.n > 0 && tc->match[0] != '*') ||
			 tc->none_match[0] == '*' ? 412 : 0);
}

/* Holds H14. */
static void late_requests(void **state)
{
	struct cfs_clients all;
	struct cfs_client *c[3];
	int fds[3][2];
	char byte;

	(void)state;
	cfs_clients_init(&all);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds[i]),
				 0);
		c[i] = cfs_client_new(&all, fds[i][0], 1000 * i);
		assert_non_null(c[i]);
	}
	c[1]->since_ms = CFS_CLIENT_IS_SERVED;
	cfs_clients_end_late(&all, CFS_REQUEST_MS);
	for (int i = 0; i < 3; i++)
		assert_int_equal(recv(fds[i][1], &byte, 1, MSG_DONTWAIT), -1);
	cfs_clients_end_late(&all, CFS_REQUEST_MS + 1);
	for (int i = 0; i < 3; i++)
		assert_int_equal(recv(fds[i][1], &byte, 1, MSG_DONTWAIT),
				 i == 0 ? 0 : -1);
	c[1]->since_ms = 5000;
	cfs_client_free(&all, c[0]);
	cfs_clients_end_late(&all, CFS_REQUEST_MS + 5000);
	for (int i = 1; i < 3; i++)
		assert_int_equal(recv(fds[i][1], &byte, 1, MSG_DONTWAIT),
				 i == 2 ? 0 : -1);
	cfs_client_free(&all, c[2]);
	cfs_client_free(&all, c[1]);
	assert_null(all.first);
	cfs_clients_release(&all);
	for (int i = 0; i < 6; i++)
		close(fds[i / 2][i % 2]);
}

/* ---- hosts, targets, escapes ---- */

struct host_case {
	const char *field;
	bool is_own;
};
static struct host_case host_cases[] = {
	{ "127.0.0.1", true }, { "127.0.0.1:80", true }, { "[::1]", true },
	{ "[::1]:8080", true }, { "localhost", true }, { "LocalHost.", true },
	{ "a.b.localhost:1", true }, { "listens.example", true },
	{ "LISTENS.example:99", true }, { "base.example", true },
	{ "evil.example", false }, { "127.0.0.1.evil.example", false },
	{ "localhost.evil", false }, { "xlocalhost", false }, { ".", false },
	{ "[::1", false }, { "[::1]x", false }, { "localhost:x", false },
	{ "localhost:1:2", false }, { "::1", false }, { "user@localhost", false },
	{ "beef", false }, { "[evil.example]", false }, { "", false },
	{ "base.example.evil", false }, { "example", false },
};

static void host_case(void **state)
{
	const struct host_case *tc = *state;

	assert_int_equal(cfs_gate_is_own_host(cfs_slice_str(tc->field),
					      "listens.example",
					      "https://base.example/x/"),
			 tc->is_own);
}

struct target_case {
	const char *target, *path, *query, *host;	/* path NULL: refused */
};
static struct target_case target_cases[] = {
	{ "/", "/", "", "" },
	{ "/a?b=c?d", "/a", "b=c?d", "" },
	{ "http://h/a?b", "/a", "b", "h" },
	{ "HTTPS://h:1", "/", "", "h:1" },
	{ "http://h?b", NULL, NULL, NULL },
	{ "", NULL, NULL, NULL },
	{ "*", NULL, NULL, NULL },
	{ "a/b", NULL, NULL, NULL },
	{ "ftp://h/a", NULL, NULL, NULL },
};

static void target_case(void **state)
{
	const struct target_case *tc = *state;
	struct cfs_exchange x = { .method = CFS_METHOD_GET };

	for (unsigned i = 0; i < CFS_FIELD_COUNT; i++)
		x.fields[i] = CFS_SLICE_EMPTY;
	assert_int_equal(cfs_gate_split(&x, cfs_slice_str(tc->target)),
			 tc->path != NULL);
	if (tc->path == NULL)
		return;
	assert_true(cfs_slice_eq(x.path, cfs_slice_str(tc->path)));
	assert_true(cfs_slice_eq(x.query, cfs_slice_str(tc->query)));
	assert_true(cfs_slice_eq(x.fields[CFS_FIELD_HOST],
				 cfs_slice_str(tc->host)));
}

static void escapes(void **state)
{
	struct cfs_buf out, back;
	uint8_t all[256];

	(void)state;
	for (unsigned i = 0; i < 256; i++)
		all[i] = (uint8_t)i;
	cfs_buf_init(&out, 4096);
	cfs_buf_init(&back, 4096);
	cfs_path_encode(cfs_slice_of(all, 256), &out);
	cfs_percent_decode(cfs_buf_slice(&out), false, &back);
	assert_true(cfs_slice_eq(cfs_buf_slice(&back), cfs_slice_of(all, 256)));
	cfs_buf_reset(&out);
	CFS_HTML(&out, "$", cfs_dav_href(CFS_SLICE_LIT("&a/b&&c<\"'&")));
	assert_string_equal(cfs_buf_str(&out),
			    "&amp;a/b&amp;&amp;c%3C%22'&amp;");
	cfs_buf_reset(&back);
	cfs_percent_decode(cfs_slice_str("a+%2b%%4%zz%"), true, &back);
	assert_string_equal(cfs_buf_str(&back), "a +%%4%zz%");
	cfs_buf_reset(&back);
	assert_true(cfs_query_get(cfs_slice_str("&&a=1&ab=2&a=3"), "a", &back));
	assert_string_equal(cfs_buf_str(&back), "1");
	assert_false(cfs_query_get(cfs_slice_str("ab=2&=a"), "a", &back));
	cfs_buf_release(&out);
	cfs_buf_release(&back);
}

/* ---- PROPFIND ---- */

#define PROPFIND "<propfind xmlns='DAV:'>"
struct propfind_case {
	const char *body;
	int rc;
	unsigned props;
	const char *unknown;
};
static struct propfind_case propfind_cases[] = {
	{ "", CFS_OK, CFS_DAV_ALL, "" },
	{ PROPFIND "<allprop/></propfind>", CFS_OK, CFS_DAV_ALL, "" },
	{ PROPFIND "<prop><getetag/></prop></propfind>", CFS_OK,
	  1u << CFS_DAV_GETETAG, "" },
	{ PROPFIND "<prop><a:b xmlns:a='&lt;'/></prop></propfind>", CFS_OK, 0,
	  "<x:b xmlns:x=\"&lt;\"/>" },
	{ PROPFIND "<prop><b xmlns=''/></prop></propfind>", CFS_OK, 0,
	  "<b xmlns=\"\"/>" },
	{ "<propfind><allprop/></propfind>", CFS_EUSAGE, 0, "" },
	{ PROPFIND "<allprop/>", CFS_EUSAGE, 0, "" },
	{ PROPFIND "<allprop/><prop/></propfind>", CFS_EUSAGE, 0, "" },
	{ PROPFIND "<x:prop/></propfind>", CFS_EUSAGE, 0, "" },
	{ "x", CFS_EUSAGE, 0, "" },
};

static void propfind_case(void **state)
{
	const struct propfind_case *tc = *state;
	struct cfs_dav_wanted w;

	assert_int_equal(cfs_dav_wanted_read(&w, cfs_slice_str(tc->body), NULL),
			 tc->rc);
	if (tc->rc == CFS_OK) {
		assert_int_equal(w.props, tc->props);
		assert_string_equal(cfs_buf_str(&w.unknown), tc->unknown);
	}
	cfs_dav_wanted_release(&w);
}

/* ---- expressions ---- */

struct pattern_case {
	const char *pattern, *text;
	int begins, whole;		/* -1: it is refused */
};
static struct pattern_case pattern_cases[] = {
	{ "", "", true, true }, { "", "a", true, false },
	{ "abc", "abcd", true, false }, { "b", "ab", false, false },
	{ "a|ab", "ab", true, true }, { "(a|bc)*d", "abcbcad", true, true },
	{ "a{2,3}", "aa", true, true }, { "a{2,3}", "a", false, false },
	{ "a{0}b", "b", true, true }, { "(a{2}){2}", "aaaa", true, true },
	{ "(a*)*b", "aaab", true, true }, { "(a|)+$", "aa", true, true },
	{ "[^a-c]x", "dx", true, true }, { "[a\\-]+", "-a", true, true },
	{ "\\.\\d", ".5", true, true }, { ".", "\n", false, false },
	{ "a$b", "ab", false, false }, { "a^b", "ab", false, false },
	{ "^a", "a", true, true }, { "a+?b", "aab", true, true },
	{ "(?i)a", "A", true, true }, { "(a.)\\1", "abab", true, true },
	{ "a(?=b)", "ab", true, false }, { "(?!a)", "ab", false, false },
	{ "\\bab\\b", "ab c", true, false }, { "a++a", "aaa", false, false },
	{ "\\p{Lu}[[:digit:]]", "A1", true, true },
	/* bytes that are no UTF-8, and UTF-8 with the byte 0x85 */
	{ "\xff.\xfe", "\xff\x80\xfe", true, true },
	{ ".*b", "\xc3\x85" "b", true, true }, { "a$", "a\x85", false, false },
	{ "*a", "", -1, -1 }, { "(", "", -1, -1 }, { ")", "", -1, -1 },
	{ "[", "", -1, -1 }, { "[]", "", -1, -1 }, { "\\", "", -1, -1 },
	{ "a**", "", -1, -1 }, { "\\1", "", -1, -1 }, { "\\y", "", -1, -1 },
	{ "[b-a]", "", -1, -1 }, { "a{3,2}", "", -1, -1 },
	{ "(?<=a*)", "", -1, -1 }, { "a{99999999999999999999}", "", -1, -1 },
	{ "\\pL", "", -1, -1 },
	{ "\\p{L}\\P{L}[[:L:]]\\p{L}\\p{L}\\p{L}\\p{L}\\p{L}\\p{L}", "", -1, -1 },
};

/* A clock that goes on by so much whenever it is read: no test of expressions
 * depends on how fast the machine is. */
static int64_t pattern_now_ns, pattern_tick_ns;
static int64_t pattern_clock(clockid_t clock)
{
	(void)clock;
	return pattern_now_ns += pattern_tick_ns;
}

static struct cfs_pattern_time pattern_time(int64_t left_ns, int64_t tick_ns)
{
	pattern_tick_ns = tick_ns;
	return (struct cfs_pattern_time){ left_ns, pattern_clock };
}

static void pattern_case(void **state)
{
	const struct pattern_case *tc = *state;
	struct cfs_slice text = cfs_slice_str(tc->text);
	struct cfs_pattern_time time = pattern_time(CFS_PATTERN_QUERY_NS, 0);
	struct cfs_pattern *p;
	bool is;
	int rc = cfs_pattern_new(&p, cfs_slice_str(tc->pattern), &time, NULL);

	assert_int_equal(rc, tc->begins < 0 ? CFS_EUSAGE : CFS_OK);
	if (rc != CFS_OK)
		return;
	assert_int_equal(cfs_pattern_matches(p, text, false, &time, &is,
					     CFS_CTX(NULL, NULL)), CFS_OK);
	assert_int_equal(is, tc->begins);
	assert_int_equal(cfs_pattern_matches(p, text, true, &time, &is,
					     CFS_CTX(NULL, NULL)), CFS_OK);
	assert_int_equal(is, tc->whole);
	cfs_pattern_free(p);
}

/* Matches the beginning of n times 'a' and a 'c'. */
static int match_as(const char *pattern, size_t n,
		    struct cfs_pattern_time *time, struct cfs_ctx ctx)
{
	static char text[8192];
	struct cfs_pattern_time unlimited = *time;
	struct cfs_pattern *p;
	bool is;
	int rc;

	unlimited.left_ns = INT64_MAX / 2;
	memset(text, 'a', n);
	text[n] = 'c';
	assert_int_equal(cfs_pattern_new(&p, cfs_slice_str(pattern),
					 &unlimited, NULL), CFS_OK);
	rc = cfs_pattern_matches(p, cfs_slice_of(text, n + 1), false, time,
				 &is, ctx);
	cfs_pattern_free(p);
	return rc;
}

/* Without a limit, these take longer than the universe is old. */
/* Holds H6. */
static const char *const explosions[] = {
	"(a+)+$", "(a*)*b", "(a|a)*b", "(a|aa)+b", "(.*)*(.*)*(.*)*b",
	"((a?){30}){30}b", "(?:(a*)(a*))*\\1\\2\\1b", "(?:a(?!.*x|.*y))*",
	"(?i)(?:(A*)\\1)*b",
};

static void explosion(void **state)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_pattern_time time = pattern_time(20000000, 1000000);

	assert_int_equal(match_as(*state, 8000, &time, CFS_CTX(NULL, &err)),
			 CFS_EUSAGE);
	assert_non_null(strstr(err.text, "too long"));
	assert_true(time.left_ns <= 0);
}

/* The time is that of all matches: each of these ends by itself. */
/* Holds H6. */
static void many_matches(void **state)
{
	struct cfs_pattern_time time = pattern_time(100000000, 1000000);
	int rc = CFS_OK;
	unsigned n = 0;

	(void)state;
	while (rc == CFS_OK && n < 100000) {
		rc = match_as("(a|aa)+b", 20, &time, CFS_CTX(NULL, NULL));
		n++;
	}
	assert_int_equal(rc, CFS_EUSAGE);
	assert_true(n > 1 && n < 200 && time.left_ns <= 0);
	/* and once it is used up, nothing is begun */
	assert_int_equal(match_as("a", 1, &time, CFS_CTX(NULL, NULL)),
			 CFS_EUSAGE);
}

static bool is_asked(void *arg)
{
	(void)arg;
	return true;
}

static void interrupted(void **state)
{
	struct cfs_cancel cancel = { .asked = is_asked };
	struct cfs_pattern_time time = pattern_time(INT64_MAX / 2, 1);

	(void)state;
	assert_int_equal(match_as("(a+)+$", 8000, &time,
				  CFS_CTX(&cancel, NULL)), CFS_EINTR);
}

/* The memory that a match keeps for each step has all groups. */
/* Holds H6. */
static void pattern_memory(void **state)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_buf pattern;
	struct cfs_pattern_time time = pattern_time(CFS_PATTERN_QUERY_NS, 1);

	(void)state;
	cfs_buf_init(&pattern, CFS_PATTERN_MAX);
	cfs_buf_adds(&pattern, "(?:a|b");
	while (pattern.n + 5 < CFS_PATTERN_MAX)
		cfs_buf_adds(&pattern, "|()");
	cfs_buf_adds(&pattern, ")*");
	assert_int_equal(match_as(cfs_buf_str(&pattern), 8000, &time,
				  CFS_CTX(NULL, &err)), CFS_EUSAGE);
	assert_non_null(strstr(err.text, "memory"));
	cfs_buf_release(&pattern);
	/* a usual expression is enough for the longest URL */
	assert_int_equal(match_as("(?:(a)|(b)|(c)|(d)|(e)|(f)|(g)|(h))*", 8000,
				  &time, CFS_CTX(NULL, NULL)), CFS_OK);
}

static void pattern_length(void **state)
{
	static char text[CFS_PATTERN_MAX + 1];
	struct cfs_pattern_time time = pattern_time(CFS_PATTERN_QUERY_NS, 1);
	struct cfs_pattern *p;

	(void)state;
	memset(text, 'a', sizeof(text));
	assert_int_equal(cfs_pattern_new(&p, cfs_slice_of(text, sizeof(text)),
					 &time, NULL), CFS_EUSAGE);
	assert_int_equal(cfs_pattern_new(&p, cfs_slice_of(text,
							  CFS_PATTERN_MAX),
					 &time, NULL), CFS_OK);
	cfs_pattern_free(p);
	time.left_ns = 0;
	assert_int_equal(cfs_pattern_new(&p, cfs_slice_str("a"), &time, NULL),
			 CFS_EUSAGE);
}

/* ---- queries ---- */

static const char *const bad_queries[] = {
	"", "url=", "url=a&limit=-0", "url=a&limit=99999999999999999999",
	"url=a&filter=:b", "url=a&filter=!", "url=a&fl=url,,url",
	"url=a&pageSize=1001", "url=a&closest=1", "url=a&filter=~url:[",
};

static void bad_query(void **state)
{
	struct cfs_cdx_query q;

	assert_int_equal(cfs_cdx_query_read(&q, cfs_slice_str(*state), true,
					    NULL), CFS_EUSAGE);
	cfs_cdx_query_release(&q);
}

static void good_query(void **state)
{
	struct cfs_cdx_query q;

	(void)state;
	assert_int_equal(cfs_cdx_query_read(&q, cfs_slice_str(
		"url=*.a.b&limit=-5&from=2012&to=2012&filter=!~url:a|b&"
		"filter=%3dmime%3ax+y&fl=original,length&page=3"), true, NULL),
			 CFS_OK);
	assert_string_equal(cfs_buf_str(&q.url), "http://a.b");
	assert_int_equal(q.match, CFS_MATCH_DOMAIN);
	assert_int_equal(q.sort, CFS_SORT_LAST);
	assert_int_equal(q.dates.to - q.dates.from, 366 * 86400 - 1);
	assert_int_equal(q.n_filters, 2);
	assert_true(q.filters[0].is_not && q.filters[0].pattern != NULL);
	assert_string_equal(cfs_buf_str(&q.filters[1].text), "x y");
	assert_int_equal(q.n_fields, 2);
	assert_int_equal(q.fields[0], CFS_CDX_URL);
	assert_true(q.has_page);
	cfs_cdx_query_release(&q);
	/* a star is itself if the user says so */
	assert_int_equal(cfs_cdx_query_read(&q, cfs_slice_str(
		"url=*.a.b/c*&matchType=exact"), true, NULL), CFS_OK);
	assert_string_equal(cfs_buf_str(&q.url), "http://*.a.b/c*");
	assert_int_equal(q.match, CFS_MATCH_EXACT);
	cfs_cdx_query_release(&q);
	assert_int_equal(cfs_cdx_query_read(&q, cfs_slice_str(
		"url=a.b/c*&matchType=host"), true, NULL), CFS_OK);
	assert_string_equal(cfs_buf_str(&q.url), "http://a.b/c");
	assert_int_equal(q.match, CFS_MATCH_HOST);
	cfs_cdx_query_release(&q);
	/* expressions are for the threads that have the time */
	assert_int_equal(cfs_cdx_query_read(&q, cfs_slice_str(
		"url=a&filter=~url:a"), false, NULL), CFS_ROUTE_TAKES_LONG);
	cfs_cdx_query_release(&q);
	assert_int_equal(cfs_cdx_query_read(&q, cfs_slice_str(
		"url=a&filter=url:a"), false, NULL), CFS_OK);
	cfs_cdx_query_release(&q);
}

UNIT_PROGRAM
{
	UNIT_ROWS_BY(range_cases, text, range_case);
	UNIT_TEST(dates);
	UNIT_ROWS(condition_cases, condition_case);
	UNIT_TEST(late_requests);
	UNIT_ROWS_BY(host_cases, field, host_case);
	UNIT_ROWS_BY(target_cases, target, target_case);
	UNIT_TEST(escapes);
	UNIT_ROWS_BY(propfind_cases, body, propfind_case);
	UNIT_ROWS_BY(pattern_cases, pattern, pattern_case);
	UNIT_STRINGS(explosions, explosion);
	UNIT_TEST(many_matches);
	UNIT_TEST(interrupted);
	UNIT_TEST(pattern_memory);
	UNIT_TEST(pattern_length);
	UNIT_STRINGS(bad_queries, bad_query);
	UNIT_TEST(good_query);
	return unit_run("serve");
}
