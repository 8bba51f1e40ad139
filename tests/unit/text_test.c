/* text_test.c - the .txt view: what is left out, lines, blanks, hostile input.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rng.h"
#include "view_fixture.h"

#include <pthread.h>
#include <time.h>

#include "view/charset.h"

struct text_case {
	const char *name, *type, *body;
	const char *want;	/* NULL: any valid UTF-8 */
};

#define HTML "text/html; charset=utf-8"
static struct text_case cases[] = {
	{ "order", HTML,
	  "<html><head><title> A\n title </title><meta name=Description "
	  "content='In  short'></head><body>Body</body>",
	  "A title\nIn short\nBody\n" },
	{ "no title", HTML, "<p>one<p>two", "one\ntwo\n" },
	{ "title only", HTML, "<title>T</title>", "T\n" },
	{ "first title", HTML, "<title>a</title><title>b</title>", "a\n" },
	{ "title entities", HTML, "<title>a &lt;b&gt; &amp; c</title>", "a <b> & c\n" },
	{ "white space folds", HTML, "  a \n\t b&nbsp;&nbsp;c\f d ", "a b c d\n" },
	{ "inline elements join", HTML, "a<b>b</b>c <i>d</i>\n<u>e</u>", "abc d e\n" },
	{ "blank inside and outside", HTML, "a <b> b </b> c", "a b c\n" },
	{ "blocks", HTML, "a<div>b<div>c</div></div>d<ul><li>e<li>f</ul>g", "a\nb\nc\nd\ne\nf\ng\n" },
	{ "br and hr", HTML, "a<br>b<hr>c<br><br>d", "a\nb\nc\nd\n" },
	{ "cells", HTML, "<table><tr><td>a<td>b</tr><tr><th>c</th><th>d</th></table>", "a b\nc d\n" },
	{ "headings", HTML, "<h1>a</h1>b<h2> c </h2>", "a\nb\nc\n" },
	{ "options", HTML, "<select><option>a<option>b</select>", "a\nb\n" },
	{ "left out", HTML,
	  "a<script>x</script><style>x</style><noscript>x</noscript>"
	  "<template>x</template><!-- x --><iframe>x</iframe>b", "a b\n" },
	{ "hidden", HTML, "a<p hidden>x<b>x</b></p><span hidden=''>x</span>b", "a b\n" },
	{ "display none", HTML,
	  "a<div style='color:red; DISPLAY : none'>x</div>"
	  "<p style='display:block'>b<p style='xdisplay'>c", "a\nb\nc\n" },
	{ "hidden nested", HTML, "a<div hidden>x<div>x</div>x<p>x</div>b", "a b\n" },
	{ "hidden, no end", HTML, "<div>a<span hidden>x</div>b<ul><li hidden>x<li>c<li hidden>x</ul>d",
	  "a\nb\nc\nd\n" },
	{ "hidden paragraph", HTML, "<p hidden>x<p>a<p hidden>x<div>b</div>", "a\nb\n" },
	{ "hidden cell", HTML, "<table><tr><td hidden>x<td>a<tr><td hidden>x</table>b", "a\nb\n" },
	{ "hidden, stray end", HTML, "<div hidden>x</span></p>x</ul>x</div>a", "a\n" },
	{ "hidden table", HTML, "<div><table hidden><tr><td>x</div>x</table>a</div>", "a\n" },
	{ "hidden void", HTML, "<input hidden>a<br hidden>b<img hidden>c", "a b c\n" },
	{ "templates", HTML, "a<template>x<template>x</template>x</template>b", "a b\n" },
	{ "svg desc", HTML, "a<svg><desc>x</desc><g><title>x</title></g>b</svg><title>t</title>c", "t\nabc\n" },
	{ "script in a script", HTML, "<script><!--\nw('<script src=x></script>');\n//--></script>a"
	  "<script><!-- x </script>b<script>'<!--' // -->\n<script></script>c", "a b c\n" },
	{ "visibility", HTML, "a<i style='visibility: hidden'>x</i><i style='visibility:visible'>b</i>", "a b\n" },
	{ "aria", HTML, "a<i aria-hidden=true>x</i><i aria-hidden=false>b</i><i aria-hidden>c</i>", "a bc\n" },
	{ "touching", HTML, "<a>a1</a><a>b2</a><span>c3</span><b>d</b><label>e</label>f",
	  "a1 b2 c3def\n" },
	{ "touching letters", HTML, "<span>W</span><span>\xc3\xb6</span><span>r</span>d"
	  "<a>xy</a><a>z</a>", "W\xc3\xb6rdxy z\n" },
	{ "touching nothing", HTML, "a<span></span><span></span>b <a>c</a><a></a><a>d</a>",
	  "ab cd\n" },
	{ "meta in the body", HTML, "a<meta name=description content=d>b", "d\nab\n" },
	{ "pre", HTML, "a<pre>\n b\n\n  c\td</pre>e", "a\n b\n\n  c\td\ne\n" },
	{ "textarea", HTML, "<textarea> a  b\n</textarea>c", " a  b\nc\n" },
	{ "entities", HTML, "&eacute;&#8364;&#x80;&bogus;&amp;lt;", "\xc3\xa9\xe2\x82\xac\xe2\x82\xac&bogus;&lt;\n" },
	{ "no semicolon", HTML, "&copy 2003 &eacutex &ltb &amp&nosuch &apos <meta name=description "
	  "content='?a&copy=1&copy;&copy &copyx'>", "?a&copy=1\xc2\xa9\xc2\xa9 &copyx\n"
	  "\xc2\xa9 2003 \xc3\xa9x <b &&nosuch &apos\n" },
	{ "references that overflow", HTML, "<title>&#x100000081;</title>a&#x1F6999999999999;&#4294967296;b", NULL },
	{ "svg title", HTML, "<svg><title>x</title><text>a</text></svg>b", "ab\n" },
	{ "img sets words apart", HTML, "a<img alt=x>b", "a b\n" },
	{ "xhtml", "application/xhtml+xml",
	  "<?xml version='1.0' encoding='utf-8'?><html><body><p>\xc3\xa9</p></body></html>",
	  "\xc3\xa9\n" },
	{ "upper case type", "TEXT/HTML", "<p>a", "a\n" },
	{ "latin1 header", "text/html; charset=iso-8859-1", "<p>\xe9\x80", "\xc3\xa9\xe2\x82\xac\n" },
	{ "meta charset", "text/html", "<meta charset=koi8-r><p>\xf0", "\xd0\x9f\n" },
	{ "broken utf-8", HTML, "a\xff" "b", "a\xef\xbf\xbd" "b\n" },
	{ "unclosed tag", HTML, "a<b", "a\n" },
	{ "empty body", HTML, "", "" },
	{ "only markup", HTML, "<p></p><script>x</script>", "" },
	{ "no type, html", NULL, "\n<!-- x --><!DOCTYPE html><p>a", "a\n" },
	{ "no type, unknown", NULL, "just words", "" },
	{ "no type, binary", NULL, "\x89PNG", "" },
	{ "type without slash", "no-type", "<html>a", "a\n" },
	{ "plain", "text/plain", "a <b>\r\n  c\n", "a <b>\r\n  c\n" },
	{ "plain latin1", "text/plain; charset=latin1", "\xe9", "\xc3\xa9" },
	{ "plain, mark", "text/plain", "\xef\xbb\xbf" "a", "a" },
	{ "rss", "application/rss+xml",
	  "<rss version='2.0'><channel><title>T &amp;amp; U</title><link>no</link>"
	  "<description>D &lt;b>e&lt;/b>f&lt;br>g</description><item><title>i</title>"
	  "<author>no</author><description><![CDATA[<p>x <script>no</script>&eacute;"
	  "<pre> a\n b</pre>]]></description></item><item><title><![CDATA[ <i>j</i>  k ]]>"
	  "</title><description>l</description></item></channel></rss>",
	  "T & U\nD ef\ng\ni\nx \xc3\xa9\n a\n b\nj k\nl\n" },
	{ "atom", "application/atom+xml;charset=latin1",
	  "<feed xmlns='http://www.w3.org/2005/Atom'><title>T</title><entry><title>"
	  "\xe9 &lt;b></title><summary>s</summary><content type='xhtml'><div "
	  "xmlns='http://www.w3.org/1999/xhtml'>p<p>q</p></div></content></entry></feed>",
	  "T\n\xc3\xa9 <b>\ns\np\nq\n" },
	{ "feed as html", "text/html", "<?xml version='1.0'?><rss><channel><title>T</title>"
	  "<link>no</link></channel></rss>", "T\n" },
	{ "feed without a type", NULL, "<rss><channel><title>T</title></channel></rss>", "T\n" },
	{ "feed with junk in front", "text/rss", "<b>Notice</b>: x\n<rss><channel><title>T</title>",
	  "T\n" },
	{ "feed as plain text", "text/plain", "<rss><channel>", "<rss><channel>" },
	{ "xml that is no feed", "application/xml", "<x>b</x>", "" },
	{ "css", "text/css", "a{}", "a{}" },
	{ "image", "image/png", "<p>a", "" },
	{ "pdf", "application/pdf", "%PDF", "" },
	{ "xml that is xhtml", "application/xml", "<?xml version='1.0'?><html><p>a</p></html>", "a\n" },
};

static void text_case(void **state)
{
	const struct text_case *tc = *state;
	size_t n = strlen(tc->body);
	uint8_t *exact = malloc(n ? n : 1);
	struct fixture f;
	char *got;

	assert_non_null(exact);
	memcpy(exact, tc->body, n);
	fixture_page(&f, tc->type, exact, n);
	got = fixture_view(&f, CFS_VIEW_TEXT, false, NULL);
	if (tc->want != NULL)
		assert_string_equal(got, tc->want);
	assert_true(cfs_utf8_is_valid(cfs_slice_str(got)));
	free(got);
	free(exact);
}

/* -- records that are no plain page -- */

static void wet(void **state)
{
	struct fixture f;
	char *got;

	(void)state;
	fixture_page(&f, NULL, "Titre\n\xc3\xa9t\xc3\xa9\n", 12);
	f.r.type = CFS_RECORD_CONVERSION;
	f.r.has_http = false;
	f.r.status = 0;
	fixture_field(&f.r.warc, "Content-Type", "text/plain");
	f.r.mime = CFS_SLICE_LIT("text/plain");
	got = fixture_view(&f, CFS_VIEW_TEXT, false, NULL);
	assert_string_equal(got, "Titre\n\xc3\xa9t\xc3\xa9\n");
	free(got);
}

static void arc_line_type(void **state)
{
	struct fixture f;
	char *got;

	(void)state;
	fixture_page(&f, NULL, "<p>a", 4);
	f.r.format = CFS_ARCHIVE_ARC;
	f.r.type = CFS_RECORD_ARC;
	f.r.mime = CFS_SLICE_LIT("text/plain");
	got = fixture_view(&f, CFS_VIEW_TEXT, false, NULL);
	assert_string_equal(got, "<p>a");
	free(got);
}

static void revisit(void **state)
{
	struct fixture f, target;
	char *got;

	(void)state;
	fixture_page(&f, "text/html", "", 0);
	f.r.type = CFS_RECORD_REVISIT;
	fixture_page(&target, "text/html", "<p>there", 8);
	f.in.body_record = &target.r;
	got = fixture_view(&f, CFS_VIEW_TEXT, false, NULL);
	assert_string_equal(got, "there\n");
	free(got);
}

/* -- hostile input: bounded time, memory and stack -- */

struct bomb {
	const char *name, *head, *unit;
	size_t times;
};

static struct bomb bombs[] = {
	{ "100,000 divs", "", "<div>", 100000 },
	/* Holds L4. */
	{ "1,000,000 divs", "", "<div>", 1000000 },
	{ "nested formatting", "", "<b><i><u>", 100000 },
	{ "fonts in paragraphs", "", "<p><font a=", 100000 },
	{ "adoption agency", "", "<b><div></b>", 90000 },
	{ "tables in tables", "", "<table><tr><td>", 70000 },
	{ "foster parents", "<table>", "<div>", 200000 },
	{ "attributes", "<p ", "ab cd ef ", 110000 },
	{ "endless attribute", "<p a='", "x", 1000000 },
	{ "open comments", "", "<!--", 250000 },
	{ "entities", "", "&amp;&#65;", 100000 },
	{ "only <", "", "<", 1000000 },
	{ "svg", "<svg>", "<g>", 300000 },
	{ "end tags", "<span><span><span><span>", "</x>", 250000 },
	{ "links", "", "<a href=x>", 100000 },
	{ "euro signs", "", "\x80", 1000000 },
	{ "scripts", "", "<script>", 130000 },
};

struct bomb_run {
	const struct bomb *bomb;
	double took;
};

static void *run_bomb(void *arg)
{
	struct bomb_run *run = arg;
	const struct bomb *b = run->bomb;
	struct cfs_buf body;
	struct fixture f;
	char *text, *meta;
	size_t n;

	cfs_buf_init(&body, (size_t)1 << 30);
	cfs_buf_adds(&body, b->head);
	for (size_t i = 0; i < b->times; i++)
		cfs_buf_adds(&body, b->unit);
	fixture_page(&f, "text/html", body.p, body.n);
	run->took = unit_cpu_ms();
	text = fixture_view(&f, CFS_VIEW_TEXT, false, &n);
	assert_true(cfs_utf8_is_valid(cfs_slice_of(text, n)));
	meta = fixture_view(&f, CFS_VIEW_META, false, &n);
	assert_true(cfs_utf8_is_valid(cfs_slice_of(meta, n)));
	run->took = unit_cpu_ms() - run->took;
	free(meta);
	free(text);
	cfs_buf_release(&body);
	return NULL;
}

/* In a thread with a small stack, as the mount has.  Without sanitizers one
 * view of 1 MiB takes at most 0.1 s; the limit leaves room for sanitizers. */
static void bomb(void **state)
{
	struct bomb_run run = { *state, 0 };
	pthread_attr_t attr;
	pthread_t t;

	assert_int_equal(pthread_attr_init(&attr), 0);
	assert_int_equal(pthread_attr_setstacksize(&attr, 256 << 10), 0);
	assert_int_equal(pthread_create(&t, &attr, run_bomb, &run), 0);
	assert_int_equal(pthread_join(t, NULL), 0);
	pthread_attr_destroy(&attr);
	assert_true(run.took < 20000 * unit_slowness());
}

/* A document too deep for the tree still gives its text and title. */
static void deep_text(void **state)
{
	struct cfs_buf body;
	struct fixture f;
	char *got;

	(void)state;
	cfs_buf_init(&body, 1 << 24);
	cfs_buf_adds(&body, "<title>T &amp; U</title><script>no</script>");
	for (int i = 0; i < 100000; i++)
		cfs_buf_adds(&body, "<div>");
	cfs_buf_adds(&body, "end <b>of</b> it");
	fixture_page(&f, "text/html", body.p, body.n);
	got = fixture_view(&f, CFS_VIEW_TEXT, false, NULL);
	assert_string_equal(got, "T & U\nend of it\n");
	free(got);
	cfs_buf_release(&body);
}

/* Ordinary depth, many siblings. */
static void broad_text(void **state)
{
	struct cfs_buf body;
	struct fixture f;
	char *got;
	size_t n;

	(void)state;
	cfs_buf_init(&body, 1 << 24);
	for (int i = 0; i < 100; i++)
		cfs_buf_adds(&body, "<div>");
	for (int i = 0; i < 10000; i++)
		cfs_buf_adds(&body, "<li><a href=x>word</a> <b hidden>x</b>");
	fixture_page(&f, "text/html", body.p, body.n);
	got = fixture_view(&f, CFS_VIEW_TEXT, false, &n);
	assert_int_equal(n, 10000 * 5);		/* no x */
	free(got);
	cfs_buf_release(&body);
}

static bool after_some(void *arg)
{
	return ++*(int *)arg > 0;
}

static void interrupted(void **state)
{
	int asked = 0;
	struct cfs_cancel cancel = { .asked = after_some, .arg = &asked };
	struct cfs_view_opts opts = { 0 };
	struct cfs_buf body, out;
	struct fixture f;

	(void)state;
	cfs_buf_init(&body, 1 << 24);
	for (int i = 0; i < 10000; i++)
		cfs_buf_adds(&body, "<p>word");
	fixture_page(&f, "text/html", body.p, body.n);
	cfs_buf_init(&out, 1 << 24);
	assert_int_equal(cfs_view_render(CFS_VIEW_TEXT, &f.in, &opts, &out,
					 CFS_CTX(&cancel, NULL)), CFS_EINTR);
	cfs_buf_release(&out);
	cfs_buf_release(&body);
}

static void ceiling(void **state)
{
	struct cfs_view_opts opts = { 0 };
	struct cfs_buf out;
	struct fixture f;

	(void)state;
	fixture_page(&f, "text/html", "<p>some words", 13);
	for (size_t max = 0; max <= 11; max++) {
		cfs_buf_init(&out, max);
		assert_int_equal(cfs_view_render(CFS_VIEW_TEXT, &f.in, &opts,
						 &out, CFS_CTX(NULL, NULL)),
				 max == 11 ? CFS_OK : CFS_ELIMIT);
		cfs_buf_release(&out);
	}
}

/* Any mixture of words and white space: words, with one blank between two. */
static void white_space(void **state)
{
	static const struct { const char *bytes; bool is_space; } parts[] = {
		{ " ", true }, { " ", true }, { " ", true }, { "\n", true },
		{ "\t", true }, { "\x7f", true }, { "\xc2\xa0", true },
		{ "\xc2\x85", true }, { "a", false }, { "bc", false },
		{ "word", false }, { "!", false }, { "~", false },
		{ "\xc2\xa9", false }, { "\xc2\xbf", false },
		{ "\xc3\xa9", false }, { "longer", false },
	};
	uint64_t rng = 1;
	struct cfs_buf body, want;

	(void)state;
	cfs_buf_init(&body, 1 << 10);
	cfs_buf_init(&want, 1 << 10);
	for (unsigned round = 0; round < 3000; round++) {
		bool apart = false;
		struct fixture f;
		char *got;

		cfs_buf_reset(&body);
		cfs_buf_reset(&want);
		cfs_buf_adds(&body, "<p>");
		for (uint64_t n = rng_below(&rng, 40); n > 0; n--) {
			size_t i = rng_below(&rng, sizeof(parts) /
					     sizeof(parts[0]));

			cfs_buf_adds(&body, parts[i].bytes);
			if (!parts[i].is_space && apart && want.n > 0)
				cfs_buf_addc(&want, ' ');
			if (!parts[i].is_space)
				cfs_buf_adds(&want, parts[i].bytes);
			apart = parts[i].is_space;
		}
		if (want.n > 0)
			cfs_buf_addc(&want, '\n');
		fixture_page(&f, HTML, body.p, body.n);
		got = fixture_view(&f, CFS_VIEW_TEXT, false, NULL);
		assert_string_equal(got, cfs_buf_str(&want));
		free(got);
	}
	cfs_buf_release(&body);
	cfs_buf_release(&want);
}

UNIT_PROGRAM
{
	UNIT_ROWS(cases, text_case);
	UNIT_ROWS(bombs, bomb);
	UNIT_TEST(wet);
	UNIT_TEST(arc_line_type);
	UNIT_TEST(revisit);
	UNIT_TEST(deep_text);
	UNIT_TEST(broad_text);
	UNIT_TEST(interrupted);
	UNIT_TEST(ceiling);
	UNIT_TEST(white_space);
	return unit_run("text");
}
