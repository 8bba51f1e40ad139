/* html_out.h - what pages for people are made with: text in them, their
 * beginning and end, their style sheet, and charts.
 *
 * Names, titles and URLs of a crawl are hostile: they get into a page only
 * through cfs_html_text.  Failures are kept in out->failed.
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

/*
 * Appends text, or the value of an attribute in double quotes: characters that
 * are markup are escaped; bytes that are not UTF-8, control characters and what
 * changes the direction of text become U+FFFD.
 */
void cfs_html_text(struct cfs_buf *out, struct cfs_slice s);

/* The same of the first or the last characters of a text, as many as `most`,
 * with an ellipsis for the others. */
void cfs_html_short(struct cfs_buf *out, struct cfs_slice s, size_t most,
		    bool keeps_end);

/* Appends the beginning of a page up to the text of its title.  mark: its first
 * lines; more: further elements of its head, each on a line. */
void cfs_html_open(struct cfs_buf *out, const char *mark, const char *more,
		   struct cfs_slice title);

/* Appends a number with commas, and a size as "1.2 GB". */
void cfs_html_figure(struct cfs_buf *out, uint64_t n);
void cfs_html_size(struct cfs_buf *out, uint64_t bytes);

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
