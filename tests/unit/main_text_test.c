/* main_text_test.c - the .main.txt view: the form of its blocks.
 *
 * Expected texts were written by hand: what a reader sees of each block, without
 * markup.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "view_fixture.h"

#define HTML "text/html; charset=utf-8"

struct form_row {
	const char *name, *body, *want;
};
/* Holds B22. */
static const struct form_row form_rows[] = {
	{ "paragraphs", "<p>one<p>two", "one\n\ntwo\n" },
	{ "title", "<title>T &amp; t</title><p>x", "T & t\n\nx\n" },
	{ "headings", "<h1>H #</h1><p>x<h2># I</h2>y", "H #\n\nx\n\n# I\n\ny\n" },
	{ "no escapes", "<p>*a* _b_ `c` [d](e) \\ &lt;f&gt; &amp;amp; 1. g",
	  "*a* _b_ `c` [d](e) \\ <f> &amp; 1. g\n" },
	{ "beginnings of lines", "<p># a<p>- b<p>1. c<p>&gt; d<p>| e",
	  "# a\n\n- b\n\n1. c\n\n> d\n\n| e\n" },
	{ "no marks", "<p>a<b>b</b> <i>c <b>d</b></i> <code>e  f</code>",
	  "ab c d e f\n" },
	{ "no destinations", "<base href=/z/><p><a href=/x>a</a> <a>b</a>",
	  "a b\n" },
	{ "no images", "<p>a <img src=i alt=j> b<p><img src=i alt=j>", "a b\n" },
	{ "a caption", "<p>x<figure><img src=i><figcaption>c\n *d*"
	  "</figcaption></figure>y", "x\n\nc *d*\n\ny\n" },
	{ "captions once each", "<p>x<figure><img src=i><figcaption>AP</figcaption>"
	  "</figure><figure><img src=j><figcaption>c</figcaption></figure>"
	  "<figure><img src=k><figcaption>AP</figcaption></figure>y",
	  "x\n\nAP\n\nc\n\ny\n" },
	{ "line breaks", "<p>a<br>b<br><br>c", "a\nb\n\nc\n" },
	{ "white space", "<p> a \n\t b&nbsp; c&#173;d ", "a b cd\n" },
	{ "a list", "<p>x<ul><li>a<li>b</ul><p>y", "x\n\na\nb\n\ny\n" },
	{ "a numbered list", "<ol start=7><li>a<li>b</ol>", "a\nb\n" },
	{ "two lists", "<ul><li>a</ul><ul><li>b</ul>", "a\n\nb\n" },
	{ "lists in lists", "<ul><li>a<ul><li>b<ol><li>c</ol></ul><li>d</ul>",
	  "a\nb\nc\nd\n" },
	{ "a list that begins with one", "<p>x<ul><li><ul><li>a</ul><li>b</ul>",
	  "x\n\na\nb\n" },
	{ "items of several blocks", "<ul><li>a<p>b<li>c<li>d</ul>",
	  "a\n\nb\n\nc\nd\n" },
	{ "empty lists", "<p>x<ul><li><ul><li></ul></ul>", "x\n" },
	{ "empty lists, then text", "<p>x<ul><li><ul><li></ul></ul><p>y",
	  "x\n\ny\n" },
	{ "terms", "<dl><dt>a<dd>b<dd>c<dt>d<dd>e</dl>", "a\nb\nc\nd\ne\n" },
	{ "quotes", "<blockquote><p>a<p>b<blockquote>c</blockquote></blockquote>",
	  "a\n\nb\n\nc\n" },
	{ "a quote in an item", "<ul><li><blockquote>a</blockquote><li>b</ul>",
	  "a\nb\n" },
	{ "code", "<p>x<pre><code class=language-c>int\n\tx;\n\n`y`\n</code></pre>z",
	  "x\n\nint\n\tx;\n\n`y`\n\nz\n" },
	{ "code in a quote", "<blockquote><pre>a\n  b</pre></blockquote>",
	  "a\n  b\n" },
	{ "a table", "<p>x<table><caption>of y</caption><tr><th>a<th>b<tr><td>c"
	  "<td>d | e</table>z", "x\n\nof y\n\na\tb\nc\td | e\n\nz\n" },
	{ "cells without text", "<table><tr><td>a<td><td>b<tr><td>c<td><td>"
	  "<tr><td><td>d<td>e<tr><td><td><td></table>",
	  "a\t\tb\nc\n\td\te\n" },
	{ "a paragraph in a cell", "<table><tr><td>a<td>b<tr><td><p>c<p>d<td>e"
	  "</table>", "a\tb\nc d\te\n" },
	{ "spans", "<table><tr><td rowspan=2>a<td colspan=2>b<tr><td>c<td>d"
	  "</table>", "a\tb\n\tc\td\n" },
	{ "formulas", "<p>a <script type='math/tex'>x < [y] | `z`</script> b"
	  "<script type='math/tex; mode=display'>\\sum</script>c",
	  "a $x < [y] | `z`$ b\n\n$$\\sum$$\n\nc\n" },
	{ "nothing", "<p><img src=x>", "" },
};

static void check(const char *type, const char *body, const char *want)
{
	struct fixture f;
	char *got;

	fixture_page(&f, type, body, strlen(body));
	got = fixture_view(&f, CFS_VIEW_MAIN, false, NULL);
	if (strcmp(got, want) != 0)
		fail_msg("got\n%s\nin place of\n%s", got, want);
	free(got);
}

static void form(void **state)
{
	const struct form_row *row = *state;

	check(HTML, row->body, row->want);
}

static void feed(void **state)
{
	(void)state;
	check("application/rss+xml",
	      "<rss version='2.0'><channel><title>F &amp; f</title>"
	      "<description>All *of* it</description>"
	      "<item><title>One</title><link>http://e/1</link><description>"
	      "&lt;p&gt;a &lt;b&gt;b&lt;/b&gt;&lt;p&gt;c</description></item>"
	      "<item><title>Two</title></item></channel></rss>",
	      "F & f\n\nAll *of* it\n\nOne\n\na b\n\nc\n\nTwo\n");
}

static void other_documents(void **state)
{
	(void)state;
	check("text/plain", "# a\n*b*\xe9\n", "# a\n*b*\xc3\xa9\n");
	check("image/png", "abc", "");
}

/* The same page as both views at once, and as each alone. */
static void both_at_once(void **state)
{
	static const char body[] = "<title>T</title><p>a *<b>b</b><ul><li>c</ul>";
	struct cfs_buf md, plain;
	struct fixture f;

	(void)state;
	fixture_page(&f, HTML, body, sizeof(body) - 1);
	cfs_buf_init(&md, 1 << 16);
	cfs_buf_init(&plain, 1 << 16);
	assert_int_equal(cfs_view_main_forms(&f.in, &md, &plain,
					     CFS_CTX(NULL, NULL)), CFS_OK);
	assert_string_equal(cfs_buf_str(&md), "# T\n\na \\***b**\n\n- c\n");
	assert_string_equal(cfs_buf_str(&plain), "T\n\na *b\n\nc\n");
	cfs_buf_release(&md);
	cfs_buf_release(&plain);
}

/* Nothing is written again and again for lines of a list, so nothing runs
 * out. */
static void long_lists(void **state)
{
	struct fixture f;
	struct cfs_buf b;
	size_t n, lines = 200000;
	char *got;

	(void)state;
	cfs_buf_init(&b, SIZE_MAX);
	for (int i = 0; i < 10; i++)
		cfs_buf_adds(&b, "<ol start=999999999>");
	for (size_t i = 0; i < lines; i++)
		cfs_buf_adds(&b, "<li>x");
	fixture_page(&f, HTML, b.p, b.n);
	got = fixture_view(&f, CFS_VIEW_MAIN, false, &n);
	assert_int_equal(n, lines * 2);
	free(got);
	cfs_buf_release(&b);
}

UNIT_PROGRAM
{
	UNIT_ROWS(form_rows, form);
	UNIT_TEST(feed);
	UNIT_TEST(other_documents);
	UNIT_TEST(both_at_once);
	UNIT_TEST(long_lists);
	return unit_run("main_text");
}
