/* streamed_test.c - pages that React streams, as their scripts complete them,
 * and pages that are hidden until their scripts run.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "html/hidden.h"
#include "html/outline.h"

/* A page in short: [B:0 ...] is a boundary with what it shows meanwhile, [P:1]
 * a place, {S:0 ...} a segment, (C B:0 S:0) a call; the rest is text. */
static void write_out(const char *s, struct cfs_buf *out)
{
	for (; *s != '\0'; s++) {
		bool is_boundary = *s == '[' && s[1] == 'B';

		if (*s == '[') {
			cfs_buf_addf(out, "%s<template id=\"%.3s\"></template>",
				     is_boundary ? "<!--$?-->" : "", s + 1);
			s += 3;
		} else if (*s == '^') {		/* begins a boundary */
			cfs_buf_adds(out, "<!--$?-->");
		} else if (*s == '|') {		/* ends it */
			cfs_buf_adds(out, "<!--/$-->");
		} else if (*s == '{') {
			cfs_buf_addf(out, "<div hidden id=\"%.3s\">", s + 1);
			s += 3;
		} else if (*s == '}') {
			cfs_buf_adds(out, "</div>");
		} else if (*s == '(') {
			cfs_buf_addf(out, "<script>$R%c(\"%.3s\",\"%.3s\")"
				     "</script>", s[1], s + 3, s + 7);
			s += 10;
		} else if (*s == '`') {		/* a bracket itself */
			cfs_buf_addc(out, '(');
		} else if (*s != ']') {
			cfs_buf_addc(out, (uint8_t)*s);
		}
	}
}

struct page_case {
	const char *name, *page, *wanted;	/* NULL: nothing is moved */
};
static struct page_case page_cases[] = {
	{ "no segment", "a[B:0 wait]|b", NULL },
	{ "a boundary", "a[B:0 wait]|b{S:0c}(C B:0 S:0)d", "a^c|b(C B:0 S:0)d" },
	{ "a place", "a[P:1]b{S:1c}(S S:1 P:1)", "acb(S S:1 P:1)" },
	{ "the other way round",
	  "[B:0 x]|[B:1 y]|{S:1two}(C B:1 S:1){S:0one}(C B:0 S:0)",
	  "^one|^two|(C B:1 S:1)(C B:0 S:0)" },
	{ "other numbers", "[B:0 x]|{S:7c}(C B:0 S:7)", "^c|(C B:0 S:7)" },
	{ "one in another",
	  "a[B:0 x]|{S:0b[B:1 y]|c}(C B:0 S:0){S:1d}(C B:1 S:1)e",
	  "a^b^d|c|(C B:0 S:0)(C B:1 S:1)e" },
	{ "a place in a segment",
	  "[B:0 x]|{S:0b[P:1]c}{S:1d}(S S:1 P:1)(C B:0 S:0)",
	  "^bdc|(S S:1 P:1)(C B:0 S:0)" },
	{ "div in a segment", "[B:0 x]|{S:0<div>b</div>c}(C B:0 S:0)",
	  "^<div>b</div>c|(C B:0 S:0)" },
	{ "a boundary in what is shown meanwhile",
	  "[B:0<!--$-->x<!--/$-->y]|b{S:0c}(C B:0 S:0)", "^c|b(C B:0 S:0)" },
	{ "a boundary without an end", "a[B:0 x]b{S:0c}(C B:0 S:0)",
	  "a^c xb(C B:0 S:0)" },
	{ "no call", "[B:0 x]|[P:1]{S:0c}{S:1d}", "^c|d" },
	{ "behind a drawing", "<svg><title/></svg>[B:0]|{S:0c}",
	  "<svg><title/></svg>^c|" },
	{ "no call, other numbers", "[B:0 x]|{S:1c}", NULL },
	{ "no segment of that name", "[B:0 x]|{S:0c}(C B:0 S:1)", NULL },
	{ "no place of that name", "[B:0 x]|{S:0c}(C B:1 S:0)", NULL },
	{ "a segment without an end", "[B:0 x]|{S:0c(C B:0 S:0)", NULL },
	{ "a segment that is asked for twice",
	  "[B:0 x]|[B:1 y]|{S:0c}(C B:0 S:0)(C B:1 S:0)",
	  "^c|[B:1 y]|(C B:0 S:0)(C B:1 S:0)" },
	{ "a place in its own segment", "a{S:0b[P:0]c}(S S:0 P:0)d",
	  "a(S S:0 P:0)d" },
	{ "each in the other", "a{S:0b[P:1]c}{S:1d[P:0]e}(S S:0 P:0)(S S:1 P:1)f",
	  "a(S S:0 P:0)(S S:1 P:1)f" },
	{ "a table", "a[B:0 x]|<table hidden id='S:0'><tr><td>c<table></table>"
	  "</table>(C B:0 S:0)",
	  "a^<tr><td>c<table></table>|(C B:0 S:0)" },
	{ "rows of a table",
	  "<table>[B:0 x]|</table><table hidden><tbody id=S:0><tr><td>c"
	  "<div></div></td></tr></tbody></table>(C B:0 S:0)",
	  "<table>^<tr><td>c<div></div></td></tr>|</table>"
	  "<table hidden></table>(C B:0 S:0)" },
	{ "cells of a row", "<table><tr>[P:1]</tr></table><table hidden>"
	  "<tr id=\"S:1\"><td>c</td></tr></table>(S S:1 P:1)",
	  "<table><tr><td>c</td></tr></table><table hidden></table>"
	  "(S S:1 P:1)" },
	{ "with a prefix, and other quotes",
	  "^<template id='app-B:0'></template>x|<div hidden id=app-S:1f>c</div>"
	  "<script>$RC`'app-B:0','app-S:1f')</script>",
	  "^c|<script>$RC`'app-B:0','app-S:1f')</script>" },
	{ "with a prefix, and no call", "^<template id=r-B:0></template>x|"
	  "<div hidden id=r-S:0>c</div>", "^c|" },
	{ "another prefix", "[B:0 x]|<div hidden id=r-S:0>c</div>", NULL },
	{ "an id without a number", "[B:0 x]|<div hidden id=S:>c</div>"
	  "<div hidden id=\"S:zz\">c</div>", NULL },
	{ "a call that is text", "[B:0 x]|{S:1c}<p>$RC(\"B:0\",\"S:1\")</p>",
	  NULL },
	{ "an id that is longer", "[B:0 x]|<div hidden id=\"S:00000000000000000"
	  "\">c</div>(C B:0 S:0)", NULL },
};

/* Holds T22. */
static void page_case(void **state)
{
	const struct page_case *tc = *state;
	struct cfs_buf page, out, wanted;
	bool moved;

	cfs_buf_init(&page, 1 << 16);
	cfs_buf_init(&out, 1 << 16);
	cfs_buf_init(&wanted, 1 << 16);
	write_out(tc->page, &page);
	assert_int_equal(cfs_html_unstream(cfs_buf_slice(&page), &out, &moved,
					   NULL), CFS_OK);
	assert_int_equal(moved, tc->wanted != NULL);
	if (tc->wanted != NULL)
		write_out(tc->wanted, &wanted);
	assert_string_equal(cfs_buf_str(&out), cfs_buf_str(&wanted));
	cfs_buf_release(&wanted);
	cfs_buf_release(&out);
	cfs_buf_release(&page);
}

/* A page in short: # is a long text, and what is between { and } is blank when
 * the page is shown. */
static void write_text(const char *s, bool is_shown, struct cfs_buf *out)
{
	bool in_braces = false;

	for (; *s != '\0'; s++) {
		if (*s == '{' || *s == '}')
			in_braces = *s == '{';
		else if (in_braces && is_shown)
			cfs_buf_addc(out, ' ');
		else if (*s == '#')
			for (unsigned i = 0; i < 50; i++)
				cfs_buf_adds(out, "word ");
		else
			cfs_buf_addc(out, (uint8_t)*s);
	}
}

/* Pages without braces stay. */
static const char *const hiding_cases[] = {
	"<body><div style=\"{visibility:hidden;color:red}\"><p>#</div>",
	"<div class=a style='{display: none}' id=b><div>#</div>#</div><p>foot",
	"<main style={display:none}>#</main>",
	"<section style=\"{display:none}\">#</section>",
	"<div id=a><div><div style=\"{display:none}\">#</div></div>head</div>",
	"<div style=\"{display:none}\"><div style='{visibility: hidden}'>#</div></div>",
	"<div style=\"display:none\">a</div><div style=\"{display:none}\">##</div>",
	"<script>x = '<div style=\"{display:none}\">';</script><div style='{display:none}'>#</div>",
	/* half of a page, a dialog, what is no text, what is no such element */
	"<div style=\"display:none\">#</div><p>#",
	"<div style=\"display:none\">a dialog</div>",
	"<div style=\"display:none\"><script>#</script></div><p>text",
	"<ul style=\"display:none\"><li>#</ul>",
	"<div style=\"display:block\">#</div>",
	"<div hidden>#</div>",
	"<div style=\"display:none\"",
};

/* Holds T24. */
static void hiding(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(hiding_cases); i++) {
		bool hides = strchr(hiding_cases[i], '{') != NULL, shown;
		struct cfs_buf page, out, wanted;

		cfs_buf_init(&page, 1 << 16);
		cfs_buf_init(&out, 1 << 16);
		cfs_buf_init(&wanted, 1 << 16);
		write_text(hiding_cases[i], false, &page);
		assert_int_equal(cfs_html_unhide(cfs_buf_slice(&page), &out,
						 &shown, NULL), CFS_OK);
		assert_int_equal(shown, hides);
		if (hides)
			write_text(hiding_cases[i], true, &wanted);
		assert_string_equal(cfs_buf_str(&out), cfs_buf_str(&wanted));
		cfs_buf_release(&wanted);
		cfs_buf_release(&out);
		cfs_buf_release(&page);
	}
}

/* Many calls, and many segments one in another: linear work. */
static void many(void **state)
{
	const unsigned n = 100000;
	struct cfs_buf page, out;
	bool moved;

	(void)state;
	cfs_buf_init(&page, 64 << 20);
	cfs_buf_init(&out, 64 << 20);
	for (unsigned i = 0; i < n; i++)
		cfs_buf_addf(&page, "<div hidden id=\"S:%u\"><!--$?-->"
			     "<template id=\"B:%u\"></template>", i, i);
	for (unsigned i = 0; i < n; i++)
		cfs_buf_adds(&page, "<!--/$--></div>");
	cfs_buf_adds(&page, "<script>");
	for (unsigned i = 0; i < n; i++)
		cfs_buf_addf(&page, "$RC(\"B:%u\",\"S:%u\")", i, (i + 1) % n);
	assert_int_equal(cfs_html_unstream(cfs_buf_slice(&page), &out, &moved,
					   NULL), CFS_OK);
	assert_true(out.n <= page.n);
	cfs_buf_release(&out);
	cfs_buf_release(&page);
}

UNIT_PROGRAM
{
	UNIT_ROWS(page_cases, page_case);
	UNIT_TEST(hiding);
	UNIT_TEST(many);
	return unit_run("streamed");
}
