/* outline_test.c - starts and ends of elements (html/outline.h).
 *
 * The events of each document as text: <tag attributes> </tag> and text; an
 * element that the sink leaves out (hidden) is written <tag!>.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "tests/unit/unit.h"

#include <ctype.h>

#include "base/error.h"
#include "html/outline.h"

struct outline_case {
	const char *name, *html, *want;
};

static const struct outline_case cases[] = {
	/* attributes */
	{ "attributes", "<P q=1 R='&lt;' s=\"a b\" t q=2 / u=>x",
	  "<p q=1 r=< s=a b t= u=>x</p>" },
	{ "a tag cut off", "a<p b='c", "a" },
	{ "values are decoded", "<img alt='&copy;&amp;copy&#x41;'>",
	  "<img alt=\xc2\xa9&copyA></img>" },
	{ "a name without its semicolon in a value", "<img a='?x=1&copy=2&lt'>",
	  "<img a=?x=1&copy=2<></img>" },
	/* paragraphs */
	{ "a block ends a paragraph", "<p>a<div>b</div>c",
	  "<p>a</p><div>b</div>c" },
	{ "a paragraph ends a paragraph", "<p>a<p>b", "<p>a</p><p>b</p>" },
	{ "not out of a button", "<p>a<button><div>b",
	  "<p>a<button><div>b</div></button></p>" },
	{ "an end without a start", "a</p>b", "a<p></p>b" },
	{ "a break's end is a break", "a</br>b", "a<br></br>b" },
	{ "inline ends with its block", "<div><span>a</div>b",
	  "<div><span>a</span></div>b" },
	{ "inline's end does not end a block", "<span><div>a</span>b",
	  "<span><div>ab</div></span>" },
	{ "headings do not nest", "<h1>a<h2>b</h1>c",
	  "<h1>a</h1><h2>b</h2>c" },
	/* lists */
	{ "items", "<ul><li>a<li>b<ul><li>c</ul>d</ul>e",
	  "<ul><li>a</li><li>b<ul><li>c</li></ul>d</li></ul>e" },
	{ "terms", "<dl><dt>a<dd>b<dt>c</dl>",
	  "<dl><dt>a</dt><dd>b</dd><dt>c</dt></dl>" },
	{ "an item's end stays in its list", "<li>a<ul></li>b",
	  "<li>a<ul>b</ul></li>" },
	{ "options", "<select><optgroup><option>a<option>b<optgroup>c",
	  "<select><optgroup><option>a</option><option>b</option></optgroup>"
	  "<optgroup>c</optgroup></select>" },
	/* tables */
	{ "cells and rows", "<table><tr><td>a<td>b<tr><th>c</table>d",
	  "<table><tr><td>a</td><td>b</td></tr><tr><th>c</th></tr></table>d" },
	{ "bodies", "<table><thead><tr><td>a<tbody><tr><td>b",
	  "<table><thead><tr><td>a</td></tr></thead>"
	  "<tbody><tr><td>b</td></tr></tbody></table>" },
	{ "a table in a cell", "<table><tr><td><table><tr><td>a</table>b<td>c",
	  "<table><tr><td><table><tr><td>a</td></tr></table>b</td>"
	  "<td>c</td></tr></table>" },
	{ "a table in a table", "<table><table>a", "<table></table><table>a</table>" },
	{ "cells without a table", "<td>a</td>b", "ab" },
	{ "an end reaches no cell around", "<table><td><div></table>a",
	  "<table><td><div></div></td></table>a" },
	/* links and formatting */
	{ "a link ends a link", "<a>x<a>y</a></a>z", "<a>x</a><a>y</a>z" },
	{ "a link goes on over blocks", "<p><a>x<p>y</a>z",
	  "<p><a>x</p><p>y</a>z</p>" },
	{ "a link ends with its cell", "<table><td><a>x<td>y",
	  "<table><td><a>x</a></td><td>y</td></table>" },
	{ "a link in a cell in a link", "<a>x<table><td><a>y</table>z",
	  "<a>x<table><td><a>y</a></td></table>z</a>" },
	{ "formatting ends over a block", "<b>x<div>y</b>z</div>w",
	  "<b>x<div>y</b>z</div>w" },
	{ "formatting ends with its block", "<div><b>x</div>y",
	  "<div><b>x</b></div>y" },
	/* raw text */
	{ "raw text", "<xmp>a<b></scripty></xmp x>c", "<xmp>a<b></scripty></xmp>c" },
	{ "a title's references", "<title>a&amp;b<i></title>c",
	  "<title>a&b<i></title>c" },
	{ "raw text to the end", "<textarea>a", "<textarea>a</textarea>" },
	{ "a script with an escape", "<script><!--<script></script>--></script>a",
	  "<script><!--<script></script>--></script>a" },
	{ "a first line end", "<pre>\n\na</pre><textarea>\r\nb</textarea><p>\nc",
	  "<pre>\na</pre><textarea>b</textarea><p>\nc</p>" },
	{ "comments", "a<!-- > -->b<!-->c<!x>d<?x>e</3>f<!--g", "abcdef" },
	{ "text", "a < b <3 &#65;&#x42;&#0;&#128;&nope;&",
	  "a < b <3 AB\xef\xbf\xbd\xe2\x82\xac&nope;&" },
	{ "a number too large", "&#11111111111;&#xffffffffff;",
	  "\xef\xbf\xbd\xef\xbf\xbd" },
	/* hidden */
	{ "hidden", "<div hidden>a<p>b</div>c", "<div!>c" },
	{ "hidden in hidden", "<div hidden><div hidden>a</div>b</div>c",
	  "<div!>c" },
	{ "hidden, its end left out", "<ul><li hidden>a<li>b</ul>",
	  "<ul><li!><li>b</li></ul>" },
	{ "hidden, its block ends", "<p><span hidden>a<p>b",
	  "<p><span!></p><p>b</p>" },
	{ "hidden link", "<a hidden>a</a>b<a hidden>c<a>d", "<a!>b<a!><a>d</a>" },
	{ "hidden, void", "<img hidden>a", "<img!>a" },
	/* SVG and MathML */
	{ "an SVG title is no title", "<svg><title>a</title><path/></svg>b",
	  "<svg><title*>a</title*><OTHER*></OTHER*></svg>b" },
	{ "HTML breaks out", "<svg><g><div>a", "<svg><OTHER*></OTHER*></svg><div>a</div>" },
	{ "HTML inside", "<svg><foreignObject><div>a</div></foreignObject>b</svg>c",
	  "<svg><foreignobject*><div>a</div></foreignobject*>b</svg>c" },
	{ "CDATA inside", "<svg><![CDATA[a<b>]]></svg><![CDATA[c]]>",
	  "<svg>a<b></svg>" },
	{ "a script of an SVG is no raw text", "<svg><script>a<g>b",
	  "<svg><script*>a<OTHER*>b</OTHER*></script*></svg>" },
	/* the page */
	{ "the page's elements", "<html><head></head><body>a</body><body>b</html>c",
	  "<html><head></head><body>abc</body></html>" },
	{ "unknown elements by name", "<x-a>1<x-b>2</x-a>3</x-b>4",
	  "<OTHER>1<OTHER>2</OTHER></OTHER>34" },
};

static const char *name_of(const struct cfs_html_el *el)
{
	return el->tag == CFS_TAG_OTHER ? "OTHER" : cfs_html_tag_name(el->tag);
}

/* <svg> and <math> themselves are written as if they were HTML's. */
static const char *mark(const struct cfs_html_el *el)
{
	return el->is_html || el->tag == CFS_TAG_SVG ||
	       el->tag == CFS_TAG_MATH ? "" : "*";
}

static bool on_start(void *arg, const struct cfs_html_el *el)
{
	struct cfs_buf *b = arg;
	struct cfs_slice v;

	if (cfs_html_el_get(el, CFS_SLICE_LIT("hidden"), &v)) {
		cfs_buf_addf(b, "<%s!>", name_of(el));
		return false;
	}
	cfs_buf_addf(b, "<%s%s", name_of(el), mark(el));
	for (unsigned i = 0; i < el->token->n_attrs; i++) {
		struct cfs_html_attr a = cfs_html_el_attr(el, i);

		cfs_buf_addc(b, ' ');
		cfs_buf_add(b, a.name);
		cfs_buf_addc(b, '=');
		cfs_buf_add(b, a.value);
	}
	cfs_buf_addc(b, '>');
	return true;
}

static void on_end(void *arg, const struct cfs_html_el *el)
{
	cfs_buf_addf(arg, "</%s%s>", name_of(el), mark(el));
}

static void on_text(void *arg, struct cfs_slice s)
{
	cfs_buf_add(arg, s);
}

static void on_formula(void *arg, struct cfs_slice tex, bool is_display)
{
	cfs_buf_adds(arg, is_display ? "[$$" : "[$");
	cfs_buf_add(arg, tex);
	cfs_buf_addc(arg, ']');
}

static void check(const char *text, const char *want)
{
	struct cfs_slice html = exact_copy(text, strlen(text));
	struct cfs_buf b;
	struct cfs_html_sink sink = { on_start, on_end, on_text, &b, NULL };

	cfs_buf_init(&b, 1 << 16);
	assert_int_equal(cfs_html_outline(html, &sink,
					  CFS_CTX(NULL, NULL)), CFS_OK);
	assert_string_equal(cfs_buf_str(&b), want);
	cfs_buf_release(&b);
	exact_free(html);
}

static void outline_case(void **state)
{
	const struct outline_case *tc = *state;

	check(tc->html, tc->want);
}

/* Another one leaves out every second tag, and a third nothing. */
static bool on_start_half(void *arg, const struct cfs_html_el *el)
{
	cfs_buf_addf(arg, "<%s>", name_of(el));
	return el->tag % 2 == 0;
}

static bool on_start_all(void *arg, const struct cfs_html_el *el)
{
	cfs_buf_addf(arg, "<%s %u>", name_of(el), el->token->n_attrs);
	return true;
}

/* Each of several sinks gets what it gets alone, whatever the others leave
 * out. */
static void outline_several(void **state)
{
	enum { SINKS = CFS_HTML_SINKS_MAX };
	const struct outline_case *tc = *state;
	struct cfs_slice html = exact_copy(tc->html, strlen(tc->html));
	struct cfs_html_sink sinks[SINKS];
	struct cfs_buf alone[SINKS], got[SINKS];
	static bool (*const starts[])(void *, const struct cfs_html_el *) = {
		on_start, on_start_half, on_start_all,
	};

	for (unsigned i = 0; i < SINKS; i++) {
		cfs_buf_init(&alone[i], 1 << 16);
		cfs_buf_init(&got[i], 1 << 16);
		sinks[i] = (struct cfs_html_sink){ starts[i % 3], on_end,
						   on_text, &alone[i],
						   i % 2 == 0 ? NULL :
						   on_formula };
		assert_int_equal(cfs_html_outline(html, &sinks[i],
						  CFS_CTX(NULL, NULL)), CFS_OK);
		sinks[i].arg = &got[i];
	}
	assert_string_equal(cfs_buf_str(&alone[0]), tc->want);
	assert_int_equal(cfs_html_outline_for(html, sinks, SINKS,
					      CFS_CTX(NULL, NULL)), CFS_OK);
	for (unsigned i = 0; i < SINKS; i++) {
		assert_string_equal(cfs_buf_str(&got[i]),
				    cfs_buf_str(&alone[i]));
		cfs_buf_release(&alone[i]);
		cfs_buf_release(&got[i]);
	}
	exact_free(html);
}

/* In CFS_HTML_DEPTH_MAX - 1 blocks, of which one is ended at the end. */
static const struct outline_case deep_cases[] = {
	{ "room for one", "<p>a<span>b</span>c</p>",
	  "<p>a<span></span>bc</p>" },
	{ "a link's end beside elements too deep",
	  "<p><span><a>x</a></span>y</p>z",
	  "<p><span></span><a>x</a>y</p>z" },
	{ "a link too deep in SVG", "<svg><a>x</a></svg>z",
	  "<svg><a*></a*>x</svg>z" },
};

static void add_times(struct cfs_buf *b, const char *text, unsigned n)
{
	while (n-- > 0)
		cfs_buf_adds(b, text);
}

static void deep_case(void **state)
{
	const struct outline_case *tc = *state;
	unsigned n = CFS_HTML_DEPTH_MAX - 1;
	struct cfs_buf html, want;

	cfs_buf_init(&html, 1 << 16);
	cfs_buf_init(&want, 1 << 16);
	add_times(&html, "<div>", n);
	add_times(&want, "<div>", n);
	cfs_buf_addf(&html, "%s</div>.", tc->html);
	cfs_buf_addf(&want, "%s</div>.", tc->want);
	add_times(&want, "</div>", n - 1);
	check(cfs_buf_str(&html), cfs_buf_str(&want));
	cfs_buf_release(&html);
	cfs_buf_release(&want);
}

/* ---- what never ends ---- */

struct count {
	size_t starts, ends, depth, most;
};

static bool count_start(void *arg, const struct cfs_html_el *el)
{
	struct count *c = arg;

	(void)el;
	c->starts++;
	if (++c->depth > c->most)
		c->most = c->depth;
	return true;
}

static void count_end(void *arg, const struct cfs_html_el *el)
{
	struct count *c = arg;

	(void)el;
	c->ends++;
	c->depth--;
}

static void count_text(void *arg, struct cfs_slice s)
{
	(void)arg;
	(void)s;
}

/* Every prefix of every document, in a block of its size: each start has its
 * end. */
static void prefixes(void **state)
{
	const struct outline_case *tc = *state;

	for (size_t n = 0; n <= strlen(tc->html); n++) {
		struct cfs_slice html = exact_copy(tc->html, n);
		struct count c = { 0 };
		struct cfs_html_sink sink = { count_start, count_end,
					      count_text, &c, NULL };

		assert_int_equal(cfs_html_outline(html, &sink,
						  CFS_CTX(NULL, NULL)),
				 CFS_OK);
		assert_int_equal(c.starts, c.ends);
		exact_free(html);
	}
}

static const char *const bombs[] = {
	"<a ", "<a a ", "<b><i>", "&", "<!--", "<table>", "]]>", "<div>", "<p>",
	"<li>", "</p>", "<svg>", "<a href=x>", "<table><td>", "<b x=", "</x>",
	"<a href=x><table><td>", "<select><option>", "<font size=1><p>", "<![CDATA[",
	"<dd><dl>", "<script><!--<script>", "<x>", "<h1>", "<svg><title>", "<",
};

/* A mebibyte of each: each start has its end, and no more are open at once than
 * the limits allow. */
static void bomb(void **state)
{
	const char *unit = *state;
	struct count c = { 0 };
	struct cfs_html_sink sink = { count_start, count_end, count_text, &c, NULL };
	struct cfs_buf b;

	cfs_buf_init(&b, 2 << 20);
	while (b.n < 1 << 20)
		cfs_buf_adds(&b, unit);
	assert_int_equal(cfs_html_outline(cfs_buf_slice(&b), &sink,
					  CFS_CTX(NULL, NULL)),
			 CFS_OK);
	assert_int_equal(c.starts, c.ends);
	assert_true(c.most <= CFS_HTML_DEPTH_MAX + CFS_HTML_LINKS_MAX + 1);
	cfs_buf_release(&b);
}

static bool at_once(void *arg)
{
	++*(unsigned *)arg;
	return true;
}

static void interrupted(void **state)
{
	unsigned asked = 0;
	struct cfs_cancel cancel = { .asked = at_once, .arg = &asked };
	struct count c = { 0 };
	struct cfs_html_sink sink = { count_start, count_end, count_text, &c, NULL };
	struct cfs_buf b;

	(void)state;
	cfs_buf_init(&b, 1 << 20);
	while (b.n < 1 << 18)
		cfs_buf_adds(&b, "<p>a");
	assert_int_equal(cfs_html_outline(cfs_buf_slice(&b), &sink,
					  CFS_CTX(&cancel, NULL)), CFS_EINTR);
	assert_int_equal(asked, 1);
	assert_true(c.starts <= (1 << 16) / 4 + 1);
	cfs_buf_release(&b);
}

/* The tag of the first n bytes of a name, whatever lies behind them. */
static unsigned tag_of(const char name[32], size_t n)
{
	struct cfs_slice s = cfs_slice_of(name, n);
	unsigned tag = cfs_html_tag_find(s, 32);

	assert_int_equal(cfs_html_tag_find(s, 0), tag);
	return tag;
}

/* Every name in both cases; changed in any byte it is no longer that one. */
static void names_of_tags(void **state)
{
	(void)state;
	for (unsigned tag = 1; tag < CFS_TAG_COUNT; tag++) {
		char name[32];
		size_t n = (size_t)snprintf(name, sizeof(name), "%s",
					    cfs_html_tag_name(tag));

		memset(name + n, '>', sizeof(name) - n);
		assert_int_equal(tag_of(name, n), tag);
		for (size_t i = 0; i < n; i++) {
			char was = name[i];

			name[i] = '~';
			assert_int_not_equal(tag_of(name, n), tag);
			name[i] = (char)(was | 0x80);
			assert_int_not_equal(tag_of(name, n), tag);
			name[i] = (char)toupper((unsigned char)was);
			assert_int_equal(tag_of(name, n), tag);
		}
		assert_int_not_equal(tag_of(name, n - 1), tag);
		name[n++] = '\0';
		assert_int_not_equal(tag_of(name, n), tag);
	}
}

UNIT_PROGRAM
{
	UNIT_ROWS(cases, outline_case);
	UNIT_ROWS(cases, outline_several);
	UNIT_ROWS(deep_cases, deep_case);
	UNIT_ROWS(cases, prefixes);
	UNIT_STRINGS(bombs, bomb);
	UNIT_TEST(interrupted);
	UNIT_TEST(names_of_tags);
	return unit_run("outline");
}
