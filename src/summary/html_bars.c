/* html_bars.c - charts of bars as SVG (see html_out.h).
 *
 * A bar has two lines: its key and its figure, and the bar below them.  Widths
 * are parts of the chart's, which is as wide as its surroundings, so that it
 * needs no script to fit a telephone.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>

#include "base/text.h"
#include "html_out.h"

/* Pixels from one bar to the next, to the line of text, to the bar. */
#define PITCH 42u
#define TEXT_DOWN 15u
#define BAR_DOWN 21u
#define BAR_HIGH 9u
/* Characters of a key: they have room beside a figure in 320 pixels. */
#define KEY_CHARS 27u

static void bar_text(struct cfs_buf *out, const struct cfs_html_bar *b,
		     size_t y)
{
	if (b->link.n > 0) {
		cfs_buf_adds(out, "<a href=\"");
		cfs_buf_add(out, b->link);
		cfs_buf_adds(out, "\">");
	}
	cfs_buf_addf(out, "<text class=\"key\" x=\"0\" y=\"%zu\">",
		     y + TEXT_DOWN);
	cfs_html_short(out, b->key, KEY_CHARS, b->keeps_end);
	cfs_buf_adds(out, "</text>");
	if (b->link.n > 0)
		cfs_buf_adds(out, "</a>");
	cfs_buf_addf(out, "<text class=\"count\" x=\"100%%\" y=\"%zu\" "
		     "text-anchor=\"end\">", y + TEXT_DOWN);
	cfs_html_figure(out, b->count);
	cfs_buf_adds(out, "</text>\n");
}

static void add_html_bar(struct cfs_buf *out, const struct cfs_html_bar *b,
			 size_t y, uint64_t most, uint64_t whole)
{
	char figure[CFS_TEXT_FIGURE_BYTES];

	cfs_buf_adds(out, "<g role=\"listitem\"><title>");
	cfs_html_text(out, b->key);
	cfs_buf_addf(out, ": %s, %.1f %%</title>\n",
		     cfs_text_figure(b->count, figure),
		     100 * (double)b->count / (double)whole);
	bar_text(out, b, y);
	cfs_buf_addf(out, "<rect class=\"track\" x=\"0\" y=\"%zu\" "
		     "width=\"100%%\" height=\"%u\" rx=\"2\"/>"
		     "<rect class=\"bar\" x=\"0\" y=\"%zu\" "
		     "width=\"%.3f%%\" height=\"%u\" rx=\"2\" data-key=\"",
		     y + BAR_DOWN, BAR_HIGH, y + BAR_DOWN,
		     100 * (double)b->count / (double)most, BAR_HIGH);
	cfs_html_text(out, b->key);
	cfs_buf_addf(out, "\" data-count=\"%" PRIu64 "\"/></g>\n", b->count);
}

void cfs_html_bars(struct cfs_buf *out, const char *id, const char *title,
		   const struct cfs_html_bar *v, size_t n, uint64_t whole)
{
	uint64_t most = 1;

	for (size_t i = 0; i < n; i++)
		if (v[i].count > most)
			most = v[i].count;
	cfs_buf_addf(out, "<svg class=\"bars\" role=\"list\" "
		     "aria-labelledby=\"%s-title\" width=\"100%%\" "
		     "height=\"%zu\">\n<title id=\"%s-title\">%s</title>\n",
		     id, n * PITCH, id, title);
	for (size_t i = 0; i < n; i++)
		add_html_bar(out, &v[i], i * PITCH, most,
			     whole > 0 ? whole : 1);
	cfs_buf_adds(out, "</svg>\n");
}
