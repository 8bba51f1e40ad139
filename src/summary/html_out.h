/* html_out.h - what pages for people are made with: forms with marks in which
 * text is put, their beginning and end, their style sheet, and charts.
 *
 * Names, titles and URLs of a crawl are hostile: they get into a page only as
 * parts of CFS_HTML, which escapes them.  Failures are kept in out->failed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SUMMARY_HTML_OUT_H
#define CFS_SUMMARY_HTML_OUT_H

#include <stdbool.h>

#include "base/buf.h"

/* The style sheet, in ASCII and without "</", so that it may be within a page
 * or a file of its own. */
extern const char cfs_html_style[];

/* ---- forms --------------------------------------------------------------- */

/*
 * Appends a form, in which each $ stands for the next part, and ' for the quote
 * of an attribute:
 *
 *     CFS_HTML(out, "<a href='$'>$</a> $", cfs_page_url(site, "tree/", path),
 *              name, cfs_html_count(n, "page"));
 *
 * A part is escaped as its type demands: a slice, a buffer or a string is text,
 * an integer has its digits; what else there is, the functions below make.  So
 * no part is markup, unless it is a literal (CFS_HTML_IF) or was made by
 * CFS_HTML itself (cfs_html_made).  A form is a literal, too; that it has as
 * many marks as there are parts, at most ten, is tested by the compiler.
 */
#define CFS_HTML(out, form, ...) \
	do { \
		const struct cfs_html_part cfs_parts[] = { \
			CFS_HTML_PARTS(__VA_ARGS__) \
			{ .add = NULL } \
		}; \
		CFS_HTML_TEST(CFS_HTML_MARKS("" form, ##__VA_ARGS__)) \
		cfs_html_write((out), "" form, cfs_parts); \
	} while (0)

/* Something that stands in a form. */
struct cfs_html_part {
	/* Appends it; the other fields are for this function. */
	void (*add)(struct cfs_buf *out, const struct cfs_html_part *p);
	struct cfs_slice text;
	const char *word;
	const void *of;
	uint64_t n;
	double number;
};

/* A literal, as a form is, that is there on a condition. */
#define CFS_HTML_IF(is_there, literal) \
	cfs_html_literal((is_there) ? "" literal : "")

/* The first or the last characters of a text, as many as `most`, with an
 * ellipsis for the others. */
struct cfs_html_part cfs_html_short(struct cfs_slice s, size_t most);
struct cfs_html_part cfs_html_end_of(struct cfs_slice s, size_t most);
/* Text as a value in the query of a URL. */
struct cfs_html_part cfs_html_query(struct cfs_slice s);
/* Something that CFS_HTML has made: it is not escaped again. */
struct cfs_html_part cfs_html_made(struct cfs_slice html);
/* A number with commas; the same with a word behind it, which has a plural in
 * -s: "1,234 pages"; a size: "1.2 GB"; a number with so many decimals. */
struct cfs_html_part cfs_html_figure(uint64_t n);
struct cfs_html_part cfs_html_count(uint64_t n, const char *word);
struct cfs_html_part cfs_html_size(uint64_t bytes);
struct cfs_html_part cfs_html_decimal(double number, unsigned decimals);
/* A time as an element: "2024-02-29 12:34:56", or its day; nothing for 0. */
struct cfs_html_part cfs_html_time(int64_t time);
struct cfs_html_part cfs_html_day(int64_t time);

/* Appends text as a part would. */
void cfs_html_text(struct cfs_buf *out, struct cfs_slice s);

/* ---- the inside of CFS_HTML ---------------------------------------------- */

struct cfs_html_part cfs_html_of_slice(struct cfs_slice s);
struct cfs_html_part cfs_html_of_buf(const struct cfs_buf *b);
struct cfs_html_part cfs_html_of_string(const char *s);
struct cfs_html_part cfs_html_of_uint(uint64_t n);
struct cfs_html_part cfs_html_of_int(int64_t n);
struct cfs_html_part cfs_html_literal(const char *literal);
static inline struct cfs_html_part cfs_html_of_part(struct cfs_html_part p)
{
	return p;
}

/* parts: one for each mark of the form, and one without `add`. */
void cfs_html_write(struct cfs_buf *out, const char *form,
		    const struct cfs_html_part *parts);

#define CFS_HTML_PART(x) _Generic((x), \
	struct cfs_html_part: cfs_html_of_part, \
	struct cfs_slice: cfs_html_of_slice, \
	struct cfs_buf *: cfs_html_of_buf, \
	const struct cfs_buf *: cfs_html_of_buf, \
	char *: cfs_html_of_string, \
	const char *: cfs_html_of_string, \
	unsigned short: cfs_html_of_uint, \
	unsigned: cfs_html_of_uint, \
	unsigned long: cfs_html_of_uint, \
	unsigned long long: cfs_html_of_uint, \
	int: cfs_html_of_int, \
	long: cfs_html_of_int, \
	long long: cfs_html_of_int)(x)

#define CFS_HTML_NTH(z, a, b, c, d, e, f, g, h, i, j, n, ...) n
#define CFS_HTML_PARTS(...) CFS_HTML_NTH(0, ##__VA_ARGS__, \
	CFS_HTML_P10, CFS_HTML_P9, CFS_HTML_P8, CFS_HTML_P7, CFS_HTML_P6, \
	CFS_HTML_P5, CFS_HTML_P4, CFS_HTML_P3, CFS_HTML_P2, CFS_HTML_P1, \
	CFS_HTML_P0)(__VA_ARGS__)
#define CFS_HTML_MARKS(form, ...) CFS_HTML_NTH(0, ##__VA_ARGS__, \
	CFS_HTML_M10, CFS_HTML_M9, CFS_HTML_M8, CFS_HTML_M7, CFS_HTML_M6, \
	CFS_HTML_M5, CFS_HTML_M4, CFS_HTML_M3, CFS_HTML_M2, CFS_HTML_M1, \
	CFS_HTML_M0)(form)
/* So many parts. */
#define CFS_HTML_P0()
#define CFS_HTML_P1(x) CFS_HTML_PART(x),
#define CFS_HTML_P2(x, ...) CFS_HTML_PART(x), CFS_HTML_P1(__VA_ARGS__)
#define CFS_HTML_P3(x, ...) CFS_HTML_PART(x), CFS_HTML_P2(__VA_ARGS__)
#define CFS_HTML_P4(x, ...) CFS_HTML_PART(x), CFS_HTML_P3(__VA_ARGS__)
#define CFS_HTML_P5(x, ...) CFS_HTML_PART(x), CFS_HTML_P4(__VA_ARGS__)
#define CFS_HTML_P6(x, ...) CFS_HTML_PART(x), CFS_HTML_P5(__VA_ARGS__)
#define CFS_HTML_P7(x, ...) CFS_HTML_PART(x), CFS_HTML_P6(__VA_ARGS__)
#define CFS_HTML_P8(x, ...) CFS_HTML_PART(x), CFS_HTML_P7(__VA_ARGS__)
#define CFS_HTML_P9(x, ...) CFS_HTML_PART(x), CFS_HTML_P8(__VA_ARGS__)
#define CFS_HTML_P10(x, ...) CFS_HTML_PART(x), CFS_HTML_P9(__VA_ARGS__)
/* The rest of a form behind so many marks; with fewer marks, no constant. */
#define CFS_HTML_BEHIND(s) (__builtin_strchr(s, '$') + 1)
#define CFS_HTML_M0(s) s
#define CFS_HTML_M1(s) CFS_HTML_BEHIND(CFS_HTML_M0(s))
#define CFS_HTML_M2(s) CFS_HTML_BEHIND(CFS_HTML_M1(s))
#define CFS_HTML_M3(s) CFS_HTML_BEHIND(CFS_HTML_M2(s))
#define CFS_HTML_M4(s) CFS_HTML_BEHIND(CFS_HTML_M3(s))
#define CFS_HTML_M5(s) CFS_HTML_BEHIND(CFS_HTML_M4(s))
#define CFS_HTML_M6(s) CFS_HTML_BEHIND(CFS_HTML_M5(s))
#define CFS_HTML_M7(s) CFS_HTML_BEHIND(CFS_HTML_M6(s))
#define CFS_HTML_M8(s) CFS_HTML_BEHIND(CFS_HTML_M7(s))
#define CFS_HTML_M9(s) CFS_HTML_BEHIND(CFS_HTML_M8(s))
#define CFS_HTML_M10(s) CFS_HTML_BEHIND(CFS_HTML_M9(s))
#ifdef __clang__
#define CFS_HTML_TEST(behind)
#else
#define CFS_HTML_TEST(behind) \
	_Static_assert(__builtin_strchr(behind, '$') == NULL, \
		       "a form has as many $ as parts");
#endif

/* Appends the beginning of a page up to the text of its title.  mark: its first
 * lines; more: further elements of its head, each on a line. */
void cfs_html_open(struct cfs_buf *out, const char *mark, const char *more,
		   struct cfs_slice title);

/* ---- charts (html_bars.c) ------------------------------------------------ */

struct cfs_html_bar {
	struct cfs_slice key;
	uint64_t count;
	bool keeps_end;			/* of a key that is too long */
	struct cfs_slice link;		/* the value of a href, already escaped;
					 * empty: none */
};

/*
 * Appends a chart of horizontal bars: an SVG with a rect for each, which has
 * data-key, data-count, and a width in proportion.
 *
 * id      of the section, which the chart's title is derived from
 * title   for those who cannot see it
 * whole   what is 100 %
 */
void cfs_html_bars(struct cfs_buf *out, const char *id, const char *title,
		   const struct cfs_html_bar *v, size_t n, uint64_t whole);

/* The same with columns, whose height is CFS_HTML_COLUMN_HIGH for the greatest,
 * and a list of the keys below it, with their links. */
#define CFS_HTML_COLUMN_HIGH 120u
void cfs_html_columns(struct cfs_buf *out, const char *id, const char *title,
		      const struct cfs_html_bar *v, size_t n, uint64_t whole);

#endif
