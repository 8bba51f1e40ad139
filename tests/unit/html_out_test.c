/* html_out_test.c - forms of pages: what each kind of part becomes, and that no
 * text is markup.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "summary/html_out.h"

/* Texts of a crawl, and what they are in a page. */
static const struct text_case {
	const char *name, *text, *want;
} texts[] = {
	{ "nothing", "", "" },
	{ "plain", "a b-c_d/e.f", "a b-c_d/e.f" },
	{ "markup", "<script>alert(1)</script>",
	  "&lt;script&gt;alert(1)&lt;/script&gt;" },
	{ "quotes", "\"'><b onclick='x'", "&quot;&#39;&gt;&lt;b onclick=&#39;x&#39;" },
	{ "references", "&amp;&#60;", "&amp;amp;&amp;#60;" },
	{ "marks of a form", "$'$", "$&#39;$" },
	{ "no UTF-8", "a\xff\xc3(\xe2\x82", "a\ufffd\ufffd(\ufffd\ufffd" },
	{ "too long a form", "\xc0\xbc\xe0\x80\xbc",
	  "\ufffd\ufffd\ufffd\ufffd\ufffd" },
	{ "controls", "a\x01\x1b[31m\x7f\n\tb", "a\ufffd\ufffd[31m\ufffd\n\tb" },
	{ "direction", "a\u202egpj.exe\u2066", "a\ufffdgpj.exe\ufffd" },
	{ "letters", "\u0430\u4e2d\U0001f600", "\u0430\u4e2d\U0001f600" },
};

static void expect(struct cfs_buf *out, const char *want)
{
	assert_int_equal(out->failed, CFS_OK);
	assert_string_equal(cfs_buf_str(out), want);
	cfs_buf_reset(out);
}

/* Text is the same wherever it stands, and as whatever it comes. */
static void text_of_crawl(void **state)
{
	const struct text_case *tc = *state;
	struct cfs_slice s = cfs_slice_str(tc->text);
	CFS_BUF(out, 1000);
	CFS_BUF(b, 1000);
	CFS_BUF(want, 1000);

	cfs_buf_add(&b, s);
	CFS_HTML(&out, "$", s);
	expect(&out, tc->want);
	CFS_HTML(&out, "$", &b);
	expect(&out, tc->want);
	CFS_HTML(&out, "$", tc->text);
	expect(&out, tc->want);
	CFS_HTML(&out, "$$", cfs_html_short(s, 100), cfs_html_end_of(s, 100));
	cfs_buf_addf(&want, "%s%s", tc->want, tc->want);
	expect(&out, cfs_buf_str(&want));
	cfs_buf_reset(&want);
	CFS_HTML(&out, "<a title='$'>$</a>", s, s);
	cfs_buf_addf(&want, "<a title=\"%s\">%s</a>", tc->want, tc->want);
	expect(&out, cfs_buf_str(&want));
}

/* In a query there are only letters, digits and escapes. */
static void text_in_query(void **state)
{
	const struct text_case *tc = *state;
	CFS_BUF(out, 1000);

	CFS_HTML(&out, "$", cfs_html_query(cfs_slice_str(tc->text)));
	assert_int_equal(strspn(cfs_buf_str(&out), "abcdefghijklmnopqrstuvwxyz"
				"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%-._/:"),
			 out.n);
}

static void quotes_of_forms(void **state)
{
	CFS_BUF(out, 1000);

	(void)state;
	CFS_HTML(&out, "<p class='a' id='b'>");
	expect(&out, "<p class=\"a\" id=\"b\">");
	CFS_HTML(&out, "<p$>$", CFS_HTML_IF(out.n == 0, " id='x'"),
		 CFS_HTML_IF(out.n > 0, "<b>"));
	expect(&out, "<p id=\"x\">");
	CFS_HTML(&out, "$", cfs_html_made(CFS_SLICE_LIT("<i id='$'>")));
	expect(&out, "<i id='$'>");
}

static void numbers(void **state)
{
	const uint16_t status = 404;
	CFS_BUF(out, 1000);

	(void)state;
	CFS_HTML(&out, "$ $ $ $", status, UINT64_MAX, -1, (int64_t)-5);
	expect(&out, "404 18446744073709551615 -1 -5");
	CFS_HTML(&out, "$ $ $ $", cfs_html_figure(0), cfs_html_figure(1234567),
		 cfs_html_count(1, "page"), cfs_html_count(2000, "page"));
	expect(&out, "0 1,234,567 1 page 2,000 pages");
	CFS_HTML(&out, "$ $", cfs_html_size(1200000000),
		 cfs_html_decimal(1.005, 1));
	expect(&out, "1.2 GB 1.0");
	CFS_HTML(&out, "$|$|$", cfs_html_time(0), cfs_html_time(1709210096),
		 cfs_html_day(1709210096));
	expect(&out, "|<time datetime=\"2024-02-29T12:34:56Z\">2024-02-29 "
	       "12:34:56</time>|<time datetime=\"2024-02-29T12:34:56Z\">"
	       "2024-02-29</time>");
}

static void shortened(void **state)
{
	struct cfs_slice s = CFS_SLICE_LIT("\u4e2d<\u4e2d>&\u4e2d");
	CFS_BUF(out, 1000);

	(void)state;
	CFS_HTML(&out, "$", cfs_html_short(s, 3));
	expect(&out, "\u4e2d&lt;\u2026");
	CFS_HTML(&out, "$", cfs_html_end_of(s, 3));
	expect(&out, "\u2026&amp;\u4e2d");
	CFS_HTML(&out, "$", cfs_html_short(s, 6));
	expect(&out, "\u4e2d&lt;\u4e2d&gt;&amp;\u4e2d");
}

/* The parts are in the order of the marks, as many as there may be. */
static void ten_parts(void **state)
{
	CFS_BUF(out, 1000);

	(void)state;
	CFS_HTML(&out, "$$$$$ $$$$$.", 1, "2", 3u, "4", 5, 6, 7, 8, 9, 10);
	expect(&out, "12345 678910.");
}

/* A mark without a part, which compilers refuse, and a page without room fail
 * the page. */
static void failures(void **state)
{
	const struct cfs_html_part none = { .add = NULL };
	CFS_BUF(out, 1000);
	CFS_BUF(few, 5);

	(void)state;
	cfs_html_write(&out, "<a $>", &none);
	assert_int_equal(out.failed, CFS_EUSAGE);
	CFS_HTML(&few, "$", "a<b<c");
	assert_int_equal(few.failed, CFS_ELIMIT);
}

UNIT_PROGRAM
{
	UNIT_ROWS(texts, text_of_crawl);
	UNIT_ROWS(texts, text_in_query);
	UNIT_TEST(quotes_of_forms);
	UNIT_TEST(numbers);
	UNIT_TEST(shortened);
	UNIT_TEST(ten_parts);
	UNIT_TEST(failures);
	return unit_run("html_out");
}
