/* streamed_test.c - pages that React streams, as their scripts complete them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

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
	UNIT_TEST(many);
	return unit_run("streamed");
}
