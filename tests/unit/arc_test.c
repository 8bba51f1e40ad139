/* arc_test.c - ARC header lines, declared lengths, dates, bodies.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "base/timestamp.h"
#include "record/arc.h"
#include "record/parse.h"

struct line_case {
	const char *name, *line;
	const char *url, *ip, *date, *mime;
	int64_t length;		/* -1: none */
	bool is_header;
};
static struct line_case line_cases[] = {
	{ "plain", "http://a.org/ 1.2.3.4 20080509130938 text/html 525",
	  "http://a.org/", "1.2.3.4", "20080509130938", "text/html", 525, true },
	{ "blanks in the URL", "http://a.org/x y  z 1.2.3.4 20080509130938 text/html 5",
	  "http://a.org/x y  z", "1.2.3.4", "20080509130938", "text/html", 5, true },
	{ "no mime, two blanks", "http://a.org/ 1.2.3.4 20110804181142  39",
	  "http://a.org/", "1.2.3.4", "20110804181142", "", 39, true },
	{ "mime with charset",
	  "http://a.org/ 1.2.3.4 20000824015105 text/html; Charset=iso-8859-1 9",
	  "http://a.org/", "1.2.3.4", "20000824015105", "text/html", 9, true },
	{ "mime with parameter joined",
	  "http://a.org/ 1.2.3.4 20000824015105 text/html;charset=x 9",
	  "http://a.org/", "1.2.3.4", "20000824015105", "text/html", 9, true },
	{ "date and address exchanged",
	  "http://a.org/ 20031219215023 63.241.16.130 text/plain 285",
	  "http://a.org/", "63.241.16.130", "20031219215023", "text/plain", 285, true },
	{ "date of 16 digits", "http://a.org/ 1.2.3.4 2000082305410049 image/gif 8",
	  "http://a.org/", "1.2.3.4", "2000082305410049", "image/gif", 8, true },
	{ "date with text behind", "http://a.org/ None 20160211000000jpg text/html 8",
	  "http://a.org/", "None", "20160211000000jpg", "text/html", 8, true },
	{ "version 2, ten fields",
	  "http://a.org/ 1.2.3.4 20080509130938 text/html 200 abc - 99 f.arc 525",
	  "http://a.org/", "1.2.3.4", "20080509130938", "text/html", 525, true },
	{ "version 2, no date, a checksum of digits",
	  "http://a.org/ 1.2.3.4 4f8a text/html 200 12345678901234567 - 99 f.arc 525",
	  "http://a.org/", "1.2.3.4", "4f8a", "text/html", 525, true },
	{ "version 2, short date, a long offset",
	  "http://a.org/ 1.2.3.4 2008050913 text/html 200 - - 12345678901234 f.arc 5",
	  "http://a.org/", "1.2.3.4", "2008050913", "text/html", 5, true },
	{ "date of 10 digits", "http://a.org/ 1.2.3.4 2008050913 text/html 525",
	  "http://a.org/", "1.2.3.4", "2008050913", "text/html", 525, true },
	{ "date of 18 digits",
	  "http://a.org/ 1.2.3.4 200805091309381234 text/html 525",
	  "http://a.org/", "1.2.3.4", "200805091309381234", "text/html", 525,
	  true },
	{ "date of 12 digits, no address", "http://a.org/ - 200805091309 a/b 5",
	  "http://a.org/", "", "200805091309", "a/b", 5, true },
	{ "no date but digits and letters",
	  "http://a.org/ 1.2.3.4 4f8a1c2d text/html 525",
	  "http://a.org/", "1.2.3.4", "4f8a1c2d", "text/html", 525, true },
	{ "no date, mime with charset",
	  "http://a.org/ 1.2.3.4 none text/html; charset=x 525",
	  "http://a.org/", "1.2.3.4", "none", "text/html", 525, true },
	{ "an address in the URL, another after it",
	  "http://a.org/x 9.9.9.9 y 1.2.3.4 20080509130938 text/html 525",
	  "http://a.org/x 9.9.9.9 y", "1.2.3.4", "20080509130938", "text/html",
	  525, true },
	{ "dashes", "filedesc:// - - - 76", "filedesc://", "", "", "", 76, true },
	{ "negative length", "http://a.org/ 1.2.3.4 20080509130938 text/html -20",
	  "http://a.org/", "1.2.3.4", "20080509130938", "text/html", -1, true },
	{ "length no number", "http://a.org/ 1.2.3.4 20080509130938 text/html abc",
	  "http://a.org/", "1.2.3.4", "20080509130938", "text/html", -1, false },
	{ "CR in the URL", "http://a.org/cgi-\rbin/ 1.2.3.4 20070216134117 text/html 7",
	  "http://a.org/cgi-\rbin/", "1.2.3.4", "20070216134117", "text/html", 7, true },
	{ "doubled blanks", "http://a.org/  1.2.3.4  20080509130938  text/html  5",
	  "http://a.org/", "1.2.3.4", "20080509130938", "text/html", 5, true },
	{ "no scheme", "www.a.org/ 1.2.3.4 20080509130938 text/html 525",
	  "www.a.org/", "1.2.3.4", "20080509130938", "text/html", 525, false },
	{ "no date", "see http://a.org/ for 1 text 5",
	  "see http://a.org/", "for", "1", "", 5, false },
	{ "dns", "dns:www.archive.org 68.87.76.178 20080430204825 text/dns 56",
	  "dns:www.archive.org", "68.87.76.178", "20080430204825", "text/dns", 56, true },
};

static void line_case(void **state)
{
	const struct line_case *tc = *state;
	struct cfs_slice s = exact_copy(tc->line, strlen(tc->line));
	struct cfs_arc_line l;

	assert_true(cfs_arc_line_parse(s, &l));
	assert_slice(l.url, tc->url);
	assert_slice(l.ip, tc->ip);
	assert_slice(l.date, tc->date);
	assert_slice(l.mime, tc->mime);
	assert_int_equal(l.has_length, tc->length >= 0);
	if (tc->length >= 0)
		assert_int_equal(l.length, tc->length);
	assert_int_equal(l.is_header, tc->is_header);
	exact_free(s);
}

static void too_few_fields(void **state)
{
	struct cfs_arc_line l;

	(void)state;
	assert_false(cfs_arc_line_parse(cfs_slice_str(""), &l));
	assert_false(cfs_arc_line_parse(cfs_slice_str("     "), &l));
	assert_false(cfs_arc_line_parse(cfs_slice_str("a b c d"), &l));
	assert_false(cfs_arc_line_parse(
		cfs_slice_str("20080509130938 text/html 5"), &l));
}

/* How many bytes a record claims, what follows, and which body comes out.
 * LINE has "%d" for the declared length. */
#define LINE "http://a.org/ 1.2.3.4 20080509130938 text/html %d\n"
#define OLD "x_commoncrawl_URLFP:1\r\n"
#define NEW "x-commoncrawl-DetectedCharset:utf-8\r\n"
#define NEXT "http://b.org/ 1.2.3.4 20080509130938 text/html 3\nxyz\n"

struct body_case {
	const char *name;
	int declared;
	const char *content;	/* all after the line, next record too */
	const char *body;
	unsigned flags;
	bool is_cut;
	size_t next_n;		/* bytes of the next record */
};
static struct body_case body_cases[] = {
	{ "declared without the last LF", 24, "HTTP/1.0 200 OK\r\n\r\nhello\n",
	  "hello", 0, false, 0 },
	{ "declared with the last LF, not Common Crawl's", 25,
	  "HTTP/1.0 200 OK\r\n\r\nhello\n", "hello\n", 0, false, 0 },
	{ "the same, known to be Common Crawl's", 25,
	  "HTTP/1.0 200 OK\r\n\r\nhello\n", "hello", CFS_PARSE_COMMON_CRAWL,
	  false, 0 },
	{ "the same, by a field of 2012", 25 + sizeof(NEW) - 1,
	  "HTTP/1.0 200 OK\r\n" NEW "\r\nhello\n", "hello", 0, false, 0 },
	{ "the same, by a field of 2009", 25 + sizeof(OLD) - 1,
	  "HTTP/1.0 200 OK\r\n" OLD "\r\nhello\n", "hello", 0, false, 0 },
	{ "declared 3 less", 22, "HTTP/1.0 200 OK\r\n\r\nhello\n", "hello", 0,
	  false, 0 },
	{ "Content-Length with the LF", 24,
	  "HTTP/1.0 200 OK\r\nContent-Length:6\r\n\r\nhello\n", "hello\n", 0,
	  false, 0 },
	{ "Content-Length without the LF", 43,
	  "HTTP/1.0 200 OK\r\nContent-Length:5\r\n\r\nhello\n", "hello", 0,
	  false, 0 },
	{ "Content-Length of another coding", 43,
	  "HTTP/1.0 200 OK\r\nContent-Length:6\r\nContent-Encoding:gzip\r\n\r\nhello\n",
	  "hello", 0, false, 0 },
	{ "no HTTP head", 6, "hello\n\n", "hello\n", 0, false, 0 },
	{ "no LF at the end", 5, "hello", "hello", 0, false, 0 },
	{ "one LF only is taken", 5, "hello\n\n\n", "hello\n\n", 0, false, 0 },
	{ "bare LF head", 20, "HTTP/1.0 200 OK\n\nhi\n\n", "hi\n", 0, false, 0 },
	{ "empty body", 19, "HTTP/1.0 200 OK\r\n\r\n\n", "", 0, false, 0 },
	{ "nothing at all", 0, "", "", 0, false, 0 },
	{ "negative", -5, "hello\n", "hello", 0, false, 0 },
	{ "cut off", 500, "HTTP/1.0 200 OK\r\n\r\nhello", "hello", 0, true, 0 },
	{ "marked as cut", 60,
	  "HTTP/1.0 200 OK\r\nx-commoncrawl-ContentTruncated:TruncatedInDownload\r\n\r\nhello\n",
	  "hello", 0, true, 0 },
	{ "another record follows", 24,
	  "HTTP/1.0 200 OK\r\n\r\nhello\n" NEXT, "hello", 0, false,
	  sizeof(NEXT) - 1 },
	{ "another record follows at once", 5, "hello" NEXT, "hello", 0, false,
	  sizeof(NEXT) - 1 },
	{ "another follows, declared 3 less", 2, "hello" "\n" NEXT, "hello", 0,
	  false, sizeof(NEXT) - 1 },
	{ "LFs in front", 5, "hello\n", "hello", 0, false, 0 },
};

static void body_case(void **state)
{
	const struct body_case *tc = *state;
	struct cfs_record r;
	struct cfs_slice s;
	struct cfs_buf b;
	uint64_t used;

	cfs_buf_init(&b, 4096);
	cfs_buf_adds(&b, strcmp(tc->name, "LFs in front") == 0 ? "\n\r\n" : "");
	cfs_buf_addf(&b, LINE, tc->declared);
	cfs_buf_adds(&b, tc->content);
	s = exact_copy(b.p, b.n);
	assert_int_equal(cfs_record_parse(&r, s, tc->flags, NULL, &used, NULL),
			 CFS_OK);
	assert_slice(r.body, tc->body);
	assert_int_equal(used, s.n - tc->next_n);
	assert_int_equal(r.is_cut, tc->is_cut);
	assert_int_equal(r.format, CFS_ARCHIVE_ARC);
	assert_int_equal(r.type, CFS_RECORD_ARC);
	assert_slice(r.url, "http://a.org/");
	assert_slice(r.mime, "text/html");
	cfs_record_release(&r);
	cfs_buf_release(&b);
	exact_free(s);
}

struct date_case {
	const char *name, *date, *fields;
	int64_t want_ms;	/* by doc/formats.md, "ARC dates" */
};
static struct date_case date_cases[] = {
	{ "UTC", "20120708221327", "", 1341785607000 },
	{ "2012's field keeps UTC", "20120708221327", NEW, 1341785607000 },
	{ "FetchTimestamp", "20090704113831",
	  OLD "x_commoncrawl_FetchTimestamp:1246732711733\r\n", 1246732711733 },
	/* Holds T4. */
	{ "Pacific summer", "20090704113831", OLD, 1246732711000 },
	/* Holds T4. */
	{ "Pacific winter", "20100208230231", "x-commoncrawl-OriginalURL:x\r\n",
	  1265698951000 },
	{ "17 digits", "20120708221327999", "", 1341785607000 },
	{ "18 digits", "201207082213279999", "", 1341785607000 },
	{ "13 digits", "2012070822132", "", 1341785600000 },
	{ "12 digits", "201207082213", "", 1341785580000 },
	{ "10 digits", "2012070822", "", 1341784800000 },
};

static void date_case(void **state)
{
	const struct date_case *tc = *state;
	struct cfs_record r;
	struct cfs_buf b;

	cfs_buf_init(&b, 4096);
	cfs_buf_addf(&b, "http://a.org/ 1.2.3.4 %s text/html 5\n"
		     "HTTP/1.1 200 OK\r\n%s\r\nx\n", tc->date, tc->fields);
	assert_int_equal(cfs_record_parse(&r, cfs_buf_slice(&b), 0, NULL, NULL,
					  NULL), CFS_OK);
	assert_true(r.has_time);
	assert_int_equal(r.time_ms, tc->want_ms);
	assert_int_equal(r.time, tc->want_ms / 1000);
	cfs_record_release(&r);
	cfs_buf_release(&b);
}

static void filedesc(void **state)
{
	static const char text[] = "filedesc://1_2.arc.gz 0.0.0.0 20090917193309 "
		"text/plain 73\n1 0 CommonCrawl\nURL IP-address Archive-date "
		"Content-type Archive-length\n\n";
	struct cfs_record r;

	(void)state;
	assert_int_equal(cfs_record_parse(&r, CFS_SLICE_LIT(text), 0, NULL, NULL,
					  NULL), CFS_OK);
	assert_int_equal(r.type, CFS_RECORD_ARC_HEADER);
	assert_slice(r.url, "filedesc://1_2.arc.gz");
	assert_true(r.has_time);
	cfs_record_release(&r);
}

/* The block tells the file's first record where its URL is damaged. */
static void damaged_filedesc(void **state)
{
	static const char text[] = "filfdesc://1.arc.gz 0.0.0.0 20090917193309 "
		"text/plain 73\n1 0 InternetArchive\nURL IP-address "
		"Archive-date Content-type Archive-length\n\n";
	struct cfs_record r;

	(void)state;
	assert_int_equal(cfs_record_parse(&r, CFS_SLICE_LIT(text), 0, NULL, NULL,
					  NULL), CFS_OK);
	assert_int_equal(r.type, CFS_RECORD_ARC_HEADER);
	assert_false(cfs_arc_is_file_url(r.url));
	cfs_record_release(&r);
}

static void every_prefix(void **state)
{
	static const char text[] = "http://a.org/ 1.2.3.4 20080509130938 text/html 5\n"
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n x\r\n\r\nhello\n" NEXT;

	(void)state;
	for (size_t n = 0; n < sizeof(text); n++) {
		struct cfs_slice s = exact_copy(text, n);
		struct cfs_record r;

		if (cfs_record_parse(&r, s, 0, NULL, NULL, NULL) == CFS_OK)
			cfs_record_release(&r);
		cfs_record_is_start(s);
		exact_free(s);
	}
}

static void starts(void **state)
{
	(void)state;
	assert_true(cfs_record_is_start(cfs_slice_str(NEXT)));
	assert_true(cfs_record_is_start(cfs_slice_str("\n\n" NEXT)));
	assert_true(cfs_record_is_start(cfs_slice_str("WARC/1.0\r\nx")));
	assert_false(cfs_record_is_start(cfs_slice_str("WARC/x.x\r\n")));
	assert_false(cfs_record_is_start(cfs_slice_str("WARC/1.0")));
	assert_false(cfs_record_is_start(cfs_slice_str("<html>\n")));
	assert_false(cfs_record_is_start(cfs_slice_str("")));
}

UNIT_PROGRAM
{
	UNIT_ROWS(line_cases, line_case);
	UNIT_ROWS(body_cases, body_case);
	UNIT_ROWS(date_cases, date_case);
	UNIT_TEST(too_few_fields);
	UNIT_TEST(filedesc);
	UNIT_TEST(damaged_filedesc);
	UNIT_TEST(every_prefix);
	UNIT_TEST(starts);
	return unit_run("arc");
}
