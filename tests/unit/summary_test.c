/* summary_test.c - what crawlfs summary counts with: tallies, the greatest of
 * many, registered domains; and text in pages.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "alloc_fail.h"
#include "base/text.h"
#include "format/open_index.h"
#include "summary/html_out.h"
#include "summary/summary_print.h"
#include "summary/counts.h"

/* ---- tallies ---- */

static const struct cfs_tally_row *row_of(const struct cfs_tally *t,
					  const char *text)
{
	for (size_t i = 0; i < t->n; i++)
		if (cfs_slice_eq(cfs_slice_of(t->v[i].text, t->v[i].n),
				 cfs_slice_str(text)))
			return &t->v[i];
	return NULL;
}

static void add_text(struct cfs_tally *t, const char *text, uint64_t n)
{
	assert_int_equal(cfs_tally_add(t, cfs_slice_str(text), n, 10 * n),
			 CFS_OK);
}

static void add_numbers(struct cfs_tally *t, unsigned from, unsigned to)
{
	char text[16];

	for (unsigned i = from; i < to; i++) {
		snprintf(text, sizeof(text), "n%u", i);
		add_text(t, text, 1);
	}
}

static void tally_exact(void **state)
{
	struct cfs_tally t = { .n = 0 };

	(void)state;
	add_text(&t, "b", 2);
	add_text(&t, "a", 2);
	add_text(&t, "", 1);
	add_text(&t, "b", 1);
	add_text(&t, "c", UINT64_MAX);
	add_text(&t, "c", 1);
	cfs_tally_sort(&t);
	assert_int_equal(t.n, 4);
	assert_int_equal(t.dropped, 0);
	assert_int_equal(t.v[0].captures, UINT64_MAX);	/* does not wrap */
	assert_int_equal(t.v[1].captures, 3);
	assert_int_equal(t.v[1].bytes, 30);
	assert_int_equal(t.v[2].text[0], 'a');
	assert_int_equal(t.v[3].n, 0);
	cfs_tally_release(&t);
}

/* Frequent texts stay exact among too many rare ones; of what was dropped, the
 * bound holds. */
static void tally_too_many(void **state)
{
	struct cfs_tally t = { .n = 0 };
	const struct cfs_tally_row *row;

	(void)state;
	add_text(&t, "first", 1000);
	add_numbers(&t, 0, CFS_TALLY_MAX - 1);
	assert_int_equal(t.n, CFS_TALLY_MAX);
	assert_int_equal(t.dropped, 0);
	add_numbers(&t, CFS_TALLY_MAX - 1, 3 * CFS_TALLY_MAX);
	add_text(&t, "late", 500);
	add_text(&t, "first", 1000);
	assert_int_in_range(t.n, CFS_TALLY_MAX / 2, CFS_TALLY_MAX);
	assert_int_in_range(t.dropped, 1, 8);
	row = row_of(&t, "first");
	assert_non_null(row);
	assert_int_equal(row->captures, 2000);
	assert_int_equal(row->lacks, 0);
	row = row_of(&t, "late");
	assert_non_null(row);
	assert_int_equal(row->captures, 500);
	assert_int_equal(row->lacks, t.dropped);
	cfs_tally_release(&t);
}

static void tally_merged(void **state)
{
	struct cfs_tally a = { .n = 0 }, b = { .n = 0 };
	const struct cfs_tally_row *row;
	uint64_t dropped;

	(void)state;
	add_text(&a, "both", 7);
	add_text(&a, "a alone", 5);
	add_text(&b, "both", 100);
	add_numbers(&b, 0, CFS_TALLY_MAX + 1);
	dropped = b.dropped;
	assert_int_not_equal(dropped, 0);
	assert_int_equal(cfs_tally_merge(&a, &b), CFS_OK);
	assert_int_equal(a.dropped, dropped);
	row = row_of(&a, "both");
	assert_int_equal(row->captures, 107);
	assert_int_equal(row->bytes, 1070);
	assert_int_equal(row->lacks, 0);
	row = row_of(&a, "a alone");
	assert_int_equal(row->captures, 5);
	assert_int_equal(row->lacks, dropped);	/* b may have dropped it */
	cfs_tally_release(&a);
	cfs_tally_release(&b);
}

static void tally_long_text(void **state)
{
	struct cfs_tally t = { .n = 0 };
	char text[300];

	(void)state;
	memset(text, 'x', sizeof(text));
	text[299] = '\0';
	add_text(&t, text, 1);
	text[200] = '\0';
	add_text(&t, text, 1);
	assert_int_equal(t.n, 1);
	assert_int_equal(t.v[0].n, CFS_TALLY_TEXT_MAX);
	cfs_tally_release(&t);
}

/* ---- the greatest ---- */

static void top_greatest(void **state)
{
	static const uint64_t values[] = { 5, 1, 9, 9, 3, 7, 9, 2 };
	struct cfs_top top = { .max = 4 }, none = { .max = 0 };
	uint64_t ranks = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(values); i++) {
		const struct cfs_top_item item = { .value = values[i],
			.rank = i, .text = CFS_SLICE_LIT("x") };

		assert_int_equal(cfs_top_offer(&top, &item), CFS_OK);
		assert_int_equal(cfs_top_offer(&none, &item), CFS_OK);
	}
	assert_int_equal(top.n, 4);
	assert_int_equal(none.n, 0);
	for (size_t i = 0; i < 4; i++)
		ranks = 10 * ranks + top.v[i].rank;
	assert_int_equal(ranks, 2365);
	cfs_top_release(&top);
	cfs_top_release(&none);
}

/* ---- registered domains ---- */

static const char list_text[] =
	"// a comment\n"
	"// VERSION: 2022-02-03_04-05-06_UTC\n"
	"outside\n"
	"// ===BEGIN ICANN DOMAINS===\n"
	"com\n"
	"co.uk   trailing words\r\n"
	"UK\n"
	"*.ck\n"
	"!www.ck\n"
	"\xe5\x85\xac\xe5\x8f\xb8.cn\n"
	"\n"
	"*\n"
	"a.*.b\n"
	"// ===END ICANN DOMAINS===\n"
	"blogspot.com\n";

struct domain_case {
	const char *host;		/* outermost label first */
	unsigned listed, plain;
};
static struct domain_case domain_cases[] = {
	{ "com example www", 2, 2 },
	{ "com example", 2, 2 },
	{ "com", 1, 1 },
	{ "uk co example www", 3, 3 },
	{ "uk co", 2, 2 },
	{ "uk bbc news", 2, 2 },
	{ "ck c b a", 3, 2 },
	{ "ck c", 2, 2 },
	{ "ck", 1, 1 },
	{ "ck www a", 2, 2 },
	{ "com blogspot me", 2, 2 },
	{ "unlisted a b", 2, 2 },
	{ "cn xn--55qx5d shop a", 3, 2 },
	{ "cn \xe5\x85\xac\xe5\x8f\xb8 shop a", 3, 2 },
	{ "b x a c", 2, 2 },
	{ "127 0 0 1", 4, 4 },
	{ "127.0.0.1", 1, 1 },
	{ "[::1]", 1, 1 },
	{ "de com", 2, 2 },
	{ "de com x y", 2, 3 },
};

static unsigned split_host(char *text, struct cfs_slice labels[16])
{
	unsigned n = 0;

	for (char *word; (word = strsep(&text, " ")) != NULL;)
		labels[n++] = cfs_slice_str(word);
	return n;
}

static void domain_case(void **state)
{
	const struct domain_case *tc = *state;
	struct cfs_slice labels[16];
	struct cfs_suffixes *s;
	char text[64];
	unsigned n;

	snprintf(text, sizeof(text), "%s", tc->host);
	n = split_host(text, labels);
	assert_int_equal(cfs_suffixes_parse(&s, cfs_slice_str(list_text), 1,
					    NULL), CFS_OK);
	assert_int_equal(cfs_suffixes_domain(s, labels, n), tc->listed);
	assert_int_equal(cfs_suffixes_domain(NULL, labels, n), tc->plain);
	assert_int_equal(cfs_suffixes_time(s), 1643846400);
	cfs_suffixes_free(s);
}

/* Every beginning of a list, in a block of its own. */
static void list_prefixes(void **state)
{
	size_t begun = strstr(list_text, "===BEGIN ICANN") + 14 - list_text;

	(void)state;
	for (size_t n = 0; n < sizeof(list_text); n++) {
		uint8_t *p = malloc(n + 1);
		struct cfs_error err = CFS_ERROR_INIT;
		struct cfs_suffixes *s;
		int rc;

		memcpy(p, list_text, n);
		rc = cfs_suffixes_parse(&s, cfs_slice_of(p, n), 0, &err);
		free(p);
		if (n < begun)
			assert_int_equal(rc, CFS_EFORMAT);
		assert_int_equal(rc == CFS_OK, s != NULL);
		assert_int_equal(rc == CFS_OK, err.text[0] == '\0');
		cfs_suffixes_free(s);
	}
}

static void list_without_memory(void **state)
{
	struct cfs_suffixes *s;
	int rc = CFS_ENOMEM;

	(void)state;
	for (long n = 0; rc != CFS_OK; n++) {
		countdown = n;
		rc = cfs_suffixes_parse(&s, cfs_slice_str(list_text), 1, NULL);
		countdown = -1;
		/* ICU's own failure leaves a name as it is */
		assert_true(rc == CFS_OK || rc == CFS_ENOMEM);
		assert_true(n < 1000);
	}
	cfs_suffixes_free(s);
}

static void list_too_long(void **state)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_suffixes *s;
	size_t n = CFS_SUFFIXES_BYTES_MAX + 1;
	char *p = malloc(n);

	(void)state;
	memset(p, '\n', n);
	assert_int_equal(cfs_suffixes_parse(&s, cfs_slice_of(p, n), 0, &err),
			 CFS_ELIMIT);
	assert_null(s);
	free(p);
}

/* ---- text in pages ---- */

struct html_case {
	const char *name, *text, *html;
};
static struct html_case html_cases[] = {
	{ "plain", "abc", "abc" },
	{ "empty", "", "" },
	{ "markup", "<a href=\"x\">'&", "&lt;a href=&quot;x&quot;&gt;&#39;&amp;" },
	{ "controls", "a\x01\x1b[31m\x7f", "a\xef\xbf\xbd\xef\xbf\xbd[31m"
	  "\xef\xbf\xbd" },
	{ "C1", "\xc2\x9b", "\xef\xbf\xbd" },
	{ "not UTF-8", "\xff\xe9z", "\xef\xbf\xbd\xef\xbf\xbdz" },
	{ "a sequence cut short", "\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd" },
	{ "an override of direction", "\xe2\x80\xaegpj", "\xef\xbf\xbdgpj" },
	{ "an isolate", "\xe2\x81\xa6x", "\xef\xbf\xbdx" },
	{ "a byte order mark", "\xef\xbb\xbfx", "\xef\xbf\xbdx" },
	{ "no character", "\xef\xbf\xbe", "\xef\xbf\xbd" },
	{ "wide", "\xe6\x97\xa5\xf0\x9f\x98\x80", "\xe6\x97\xa5\xf0\x9f\x98\x80" },
	{ "a line", "a\tb\nc", "a\tb\nc" },
};

static void html_case(void **state)
{
	const struct html_case *tc = *state;
	struct cfs_buf out;

	cfs_buf_init(&out, 1000);
	cfs_html_text(&out, cfs_slice_str(tc->text));
	assert_string_equal(cfs_buf_str(&out), tc->html);
	cfs_buf_release(&out);
}

struct short_case {
	const char *name, *text;
	size_t most;
	const char *begin, *end;
};
static struct short_case short_cases[] = {
	{ "it fits", "abcd", 4, "abcd", "abcd" },
	{ "one too many", "abcde", 4, "abc\xe2\x80\xa6", "\xe2\x80\xa6" "cde" },
	{ "escapes count as one", "<<<<", 4, "&lt;&lt;&lt;&lt;",
	  "&lt;&lt;&lt;&lt;" },
	{ "wide", "\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5", 2,
	  "\xe6\x97\xa5\xe2\x80\xa6", "\xe2\x80\xa6\xe6\x97\xa5" },
	{ "empty", "", 4, "", "" },
};

static void short_case(void **state)
{
	const struct short_case *tc = *state;
	struct cfs_buf out;

	cfs_buf_init(&out, 1000);
	CFS_HTML(&out, "$", cfs_html_short(cfs_slice_str(tc->text), tc->most));
	assert_string_equal(cfs_buf_str(&out), tc->begin);
	cfs_buf_reset(&out);
	CFS_HTML(&out, "$",
		 cfs_html_end_of(cfs_slice_str(tc->text), tc->most));
	assert_string_equal(cfs_buf_str(&out), tc->end);
	cfs_buf_release(&out);
}

static void figures(void **state)
{
	char out[CFS_TEXT_FIGURE_BYTES];

	(void)state;
	assert_string_equal(cfs_text_figure(0, out), "0");
	assert_string_equal(cfs_text_figure(999, out), "999");
	assert_string_equal(cfs_text_figure(1000, out), "1,000");
	assert_string_equal(cfs_text_figure(123456, out), "123,456");
	assert_string_equal(cfs_text_figure(UINT64_MAX, out),
			    "18,446,744,073,709,551,615");
}

/* ---- an index ---- */

static const char cdxj[] =
	"com,example)/ 20120101000000 {\"url\": \"http://example.com/\", "
	"\"mime\": \"text/html\", \"status\": \"200\", \"length\": \"10\", "
	"\"offset\": \"0\", \"filename\": \"a.warc.gz\"}\n"
	"com,example,a)/ 20130101000000 {\"url\": \"http://a.example.com/\", "
	"\"mime\": \"<\", \"status\": \"404\", \"length\": \"20\", "
	"\"offset\": \"10\", \"filename\": \"a.warc.gz\"}\n"
	"com,example-x)/ 20130101000000 {\"url\": \"http://example-x.com/\", "
	"\"status\": \"200\", \"length\": \"0\", \"offset\": \"30\", "
	"\"filename\": \"a.warc.gz\"}\n"
	"com,example:81)/ 20140101000000 {\"url\": \"http://example.com:81/\", "
	"\"mime\": \"text/html\", \"status\": \"200\", \"length\": \"5\", "
	"\"offset\": \"40\", \"filename\": \"b.warc.gz\"}\n";

static struct cfs_index *open_lines(void)
{
	struct cfs_source *src;
	struct cfs_index *ix;

	assert_int_equal(cfs_source_open_memory(&src, cfs_slice_str(cdxj),
						"lines", NULL), CFS_OK);
	assert_int_equal(cfs_index_open(&ix, src, 1 << 20, NULL), CFS_OK);
	return ix;
}

static void summary_of_lines(void **state)
{
	const struct cfs_summary_opts opts = { .threads = 2, .top = 10 };
	struct cfs_index *ix = open_lines();
	const struct cfs_summary_group *hosts;
	struct cfs_summary *s;

	(void)state;
	assert_int_equal(cfs_summary_make(&s, ix, &opts, CFS_CTX(NULL, NULL)),
			 CFS_OK);
	assert_int_equal(s->captures, 4);
	assert_int_equal(s->hosts, 3);
	assert_int_equal(s->domains, 2);
	assert_int_equal(s->bytes, 35);
	assert_int_equal(s->without_bytes, 1);
	hosts = &s->by[CFS_SUMMARY_HOST];
	assert_int_equal(hosts->n, 3);
	/* its two ranges of keys, with others in between */
	assert_true(cfs_slice_eq(hosts->v[0].key, cfs_slice_str("example.com")));
	assert_int_equal(hosts->v[0].captures, 2);
	assert_int_equal(hosts->v[0].bytes, 15);
	assert_int_equal(s->n_largest, 3);
	assert_int_equal(s->largest[0].bytes, 20);
	cfs_summary_free(s);
	cfs_index_close(ix);
}

static void summary_without_memory(void **state)
{
	const struct cfs_summary_opts opts = { .threads = 1, .top = 10 };
	const struct cfs_summary_print_opts print = { .name = "<x>", .top = 9 };
	int rc = CFS_ENOMEM;
	long n = 0;

	(void)state;
	for (; rc != CFS_OK; n++) {
		struct cfs_index *ix = open_lines();
		struct cfs_error err = CFS_ERROR_INIT;
		struct cfs_summary *s;
		struct cfs_buf out;

		cfs_buf_init(&out, 1 << 20);
		countdown = n;
		rc = cfs_summary_make(&s, ix, &opts, CFS_CTX(NULL, &err));
		if (rc == CFS_OK) {
			cfs_summary_html(s, &print, &out);
			rc = out.failed;
		}
		countdown = -1;
		assert_true(rc == CFS_OK || rc == CFS_ENOMEM);
		cfs_buf_release(&out);
		cfs_summary_free(s);
		cfs_index_close(ix);
		assert_true(n < 3000);
	}
	assert_int_in_range(n, 20, 3000);
}

static bool always(void *arg)
{
	(void)arg;
	return true;
}

static void summary_cancelled(void **state)
{
	const struct cfs_cancel cancel = { .asked = always };
	const struct cfs_summary_opts opts = { .threads = 1, .top = 10 };
	struct cfs_index *ix = open_lines();
	struct cfs_summary *s;

	(void)state;
	assert_int_equal(cfs_summary_make(&s, ix, &opts,
					  CFS_CTX(&cancel, NULL)), CFS_EINTR);
	assert_null(s);
	cfs_index_close(ix);
}

UNIT_PROGRAM
{
	UNIT_TEST(tally_exact);
	UNIT_TEST(tally_too_many);
	UNIT_TEST(tally_merged);
	UNIT_TEST(tally_long_text);
	UNIT_TEST(top_greatest);
	UNIT_ROWS_BY(domain_cases, host, domain_case);
	UNIT_TEST(list_prefixes);
	UNIT_TEST(list_without_memory);
	UNIT_TEST(list_too_long);
	UNIT_ROWS(html_cases, html_case);
	UNIT_ROWS(short_cases, short_case);
	UNIT_TEST(figures);
	UNIT_TEST(summary_of_lines);
	UNIT_TEST(summary_without_memory);
	UNIT_TEST(summary_cancelled);
	return unit_run("summary");
}
