/* table_grid.c - where the cells of a table are (table_grid.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "table_grid.h"

/* The limits of the standard. */
#define COLSPAN_MAX 1000u
#define ROWSPAN_MAX 65534u

/* The number at the beginning of an attribute, as the standard reads it; 1 if
 * there is none. */
static uint16_t span_of(const struct cfs_html_el *el, struct cfs_slice name,
			uint16_t max)
{
	struct cfs_slice v;
	uint32_t n = 0;

	if (!cfs_html_el_get(el, name, &v))
		return 1;
	v = cfs_slice_trim(v);
	if (v.n == 0 || v.p[0] < '0' || v.p[0] > '9')
		return 1;
	for (size_t i = 0; i < v.n && v.p[i] >= '0' && v.p[i] <= '9'; i++)
		if (n <= max)
			n = n * 10 + (uint32_t)(v.p[i] - '0');
	return (uint16_t)(n > max ? max : n);
}

struct cfs_table_spans cfs_table_spans_of(const struct cfs_html_el *el)
{
	struct cfs_table_spans s = {
		span_of(el, CFS_SLICE_LIT("colspan"), COLSPAN_MAX),
		span_of(el, CFS_SLICE_LIT("rowspan"), ROWSPAN_MAX),
	};

	if (s.columns == 0)
		s.columns = 1;
	if (s.rows == 0)	/* up to the end of the group */
		s.rows = ROWSPAN_MAX;
	return s;
}

void cfs_table_grid_begin(struct cfs_table_grid *g, uint32_t columns)
{
	*g = (struct cfs_table_grid){ .columns = columns };
}

void cfs_table_grid_group(struct cfs_table_grid *g)
{
	cfs_table_grid_begin(g, g->columns);
}

void cfs_table_grid_row(struct cfs_table_grid *g)
{
	while (g->has_spans && g->column < g->columns)
		if (cfs_table_grid_skip(g) == 0)
			g->column++;
	g->column = 0;
}

uint32_t cfs_table_grid_skip(struct cfs_table_grid *g)
{
	uint32_t before = g->column;

	while (g->column < g->columns && g->left[g->column] > 0)
		g->left[g->column++]--;
	return g->column - before;
}

uint32_t cfs_table_grid_cell(struct cfs_table_grid *g,
			     struct cfs_table_spans spans)
{
	uint32_t n = 0;

	g->has_spans |= spans.rows > 1;
	while (n < spans.columns && g->column < g->columns) {
		g->left[g->column++] = (uint16_t)(spans.rows - 1);
		n++;
	}
	return n > 0 ? n : 1;
}
