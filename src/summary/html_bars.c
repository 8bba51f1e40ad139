/* html_bars.c - charts of bars and of columns as SVG (see html_out.h).
 *
 * A bar has two lines: its key and its figure, and the bar below them.  Widths
 * are parts of the chart's, which is as wide as its surroundings, so that it
 * needs no script to fit a telephone.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "html_out.h"

/* Pixels from one bar to the next, to the line of text, to the bar. */
#define PITCH 42u
#define TEXT_DOWN 15u
#define BAR_DOWN 21u
#define BAR_HIGH 9u
/* A few columns are as wide as those of so many. */
#define COLUMN_PARTS 8u
/* Keys below columns have room in 320 pixels, and pixels below the columns. */
#define COLUMN_KEYS 6u
#define KEY_HIGH 16u
/* Characters of a key: they have room beside a figure in 320 pixels. */
#define KEY_CHARS 27u

/* Appends the beginning of the link of a bar, if it has one. */
static void link_begin(struct cfs_buf *out, const struct cfs_html_bar *b)
{
	if (b->link.n > 0)
		CFS_HTML(out, "<a href='$'>", cfs_html_made(b->link));
}

static void bar_text(struct cfs_buf *out, const struct cfs_html_bar *b,
		     size_t y)
{
	link_begin(out, b);
	CFS_HTML(out, "<text class='key' x='0' y='$'>$</text>$<text "
		 "class='count' x='100%' y='$' text-anchor='end'>$</text>\n",
		 y + TEXT_DOWN, b->keeps_end ?
		 cfs_html_end_of(b->key, KEY_CHARS) :
		 cfs_html_short(b->key, KEY_CHARS),
		 CFS_HTML_IF(b->link.n > 0, "</a>"), y + TEXT_DOWN,
		 cfs_html_figure(b->count));
}

/* Appends the beginning of a bar: what it says to those who cannot see it. */
static void bar_begin(struct cfs_buf *out, const struct cfs_html_bar *b,
		      uint64_t whole)
{
	double percent = 100 * (double)b->count / (double)whole;

	CFS_HTML(out, "<g role='listitem'><title>$: $, $ %</title>\n", b->key,
		 cfs_html_figure(b->count), cfs_html_decimal(percent, 1));
}

static void bar_end(struct cfs_buf *out, const struct cfs_html_bar *b)
{
	CFS_HTML(out, " rx='2' data-key='$' data-count='$'/></g>\n", b->key,
		 b->count);
}

static void chart_begin(struct cfs_buf *out, const char *id, const char *title,
			size_t high)
{
	CFS_HTML(out, "<svg class='bars' role='list' aria-labelledby='$-title' "
		 "width='100%' height='$'>\n<title id='$-title'>$</title>\n",
		 id, high, id, title);
}

static uint64_t greatest(const struct cfs_html_bar *v, size_t n)
{
	uint64_t most = 1;

	for (size_t i = 0; i < n; i++)
		if (v[i].count > most)
			most = v[i].count;
	return most;
}

static void add_html_bar(struct cfs_buf *out, const struct cfs_html_bar *b,
			 size_t y, uint64_t most, uint64_t whole)
{
	double percent = 100 * (double)b->count / (double)most;

	bar_begin(out, b, whole);
	bar_text(out, b, y);
	CFS_HTML(out, "<rect class='track' x='0' y='$' width='100%' "
		 "height='$' rx='2'/><rect class='bar' x='0' y='$' "
		 "width='$%' height='$'", y + BAR_DOWN, BAR_HIGH, y + BAR_DOWN,
		 cfs_html_decimal(percent, 3), BAR_HIGH);
	bar_end(out, b);
}

void cfs_html_bars(struct cfs_buf *out, const char *id, const char *title,
		   const struct cfs_html_bar *v, size_t n, uint64_t whole)
{
	uint64_t most = greatest(v, n);

	chart_begin(out, id, title, n * PITCH);
	for (size_t i = 0; i < n; i++)
		add_html_bar(out, &v[i], i * PITCH, most,
			     whole > 0 ? whole : 1);
	CFS_HTML(out, "</svg>\n");
}

/* Appends the keys of columns, each with its figure. */
static void column_keys(struct cfs_buf *out, const struct cfs_html_bar *v,
			size_t n)
{
	CFS_HTML(out, "<ul class='keys'>\n");
	for (size_t i = 0; i < n; i++) {
		if (v[i].count == 0)
			continue;
		CFS_HTML(out, "<li>");
		link_begin(out, &v[i]);
		CFS_HTML(out, "$$ $</li>\n", v[i].key,
			 CFS_HTML_IF(v[i].link.n > 0, "</a>"),
			 cfs_html_figure(v[i].count));
	}
	CFS_HTML(out, "</ul>\n");
}

/* Appends the key of a column below it; those of the first and the last are
 * inside the chart.  is_more: windows that are narrow do not show it. */
static void column_key(struct cfs_buf *out, const struct cfs_html_bar *b,
		       size_t i, size_t parts, bool is_more)
{
	double x = i > 0 ? (double)i + 0.5 : 0.1;
	const char *anchor = i > 0 ? "middle" : "start";

	if (i > 0 && i + 1 == parts) {
		anchor = "end";
		x = (double)i + 0.9;
	}
	CFS_HTML(out, "<text class='axis$' aria-hidden='true' x='$%' y='$' "
		 "text-anchor='$'>$</text>\n", CFS_HTML_IF(is_more, " more"),
		 cfs_html_decimal(100.0 / (double)parts * x, 3),
		 CFS_HTML_COLUMN_HIGH + KEY_HIGH - 2, anchor, b->key);
}

void cfs_html_columns(struct cfs_buf *out, const char *id, const char *title,
		      const struct cfs_html_bar *v, size_t n, uint64_t whole)
{
	const double high = CFS_HTML_COLUMN_HIGH;
	double most = (double)greatest(v, n);
	size_t parts = n > COLUMN_PARTS ? n : COLUMN_PARTS;
	size_t step = (parts + COLUMN_KEYS - 1) / COLUMN_KEYS;
	double wide = 100.0 / (double)parts;
	size_t next = 0, next_narrow = 0;	/* columns that have a key */

	chart_begin(out, id, title, CFS_HTML_COLUMN_HIGH + KEY_HIGH);
	CFS_HTML(out, "<rect class='track' x='0' y='$' width='$%' "
		 "height='1'/>\n", CFS_HTML_COLUMN_HIGH,
		 cfs_html_decimal(wide * (double)n, 3));
	for (size_t i = 0; i < n; i++) {
		double part = high * (double)v[i].count / most;

		if (v[i].count == 0)
			continue;
		if (i >= next) {
			column_key(out, &v[i], i, parts, i < next_narrow);
			next = i + step;
		}
		if (i >= next_narrow)
			next_narrow = i + 2 * step;
		bar_begin(out, &v[i], whole > 0 ? whole : 1);
		CFS_HTML(out, "<rect class='bar' x='$%' y='$' width='$%' "
			 "height='$'",
			 cfs_html_decimal(wide * ((double)i + 0.1), 3),
			 cfs_html_decimal(high - part, 2),
			 cfs_html_decimal(wide * 0.8, 3),
			 cfs_html_decimal(part, 2));
		bar_end(out, &v[i]);
	}
	CFS_HTML(out, "</svg>\n");
	column_keys(out, v, n);
}
