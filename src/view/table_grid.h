/* table_grid.h - where the cells of a table are, some of which span columns or
 * rows.
 *
 * This is the algorithm of the HTML standard (4.9.12.1) as far as it gives each
 * cell its column: a place that a cell above spans is taken.  Cells that
 * overlap there are beside one another here.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_TABLE_GRID_H
#define CFS_VIEW_TABLE_GRID_H

#include "html/outline.h"

/* A table with more columns is none of data. */
#define CFS_TABLE_COLUMNS_MAX 64u

struct cfs_table_grid {
	uint32_t columns;	/* places that a row may have */
	uint32_t column;	/* places of this row so far */
	bool has_spans;		/* a cell spans rows */
	uint16_t left[CFS_TABLE_COLUMNS_MAX];	/* for each column, how many of
						 * the rows to come its last
						 * cell spans */
};

/* A cell's spans, at least 1. */
struct cfs_table_spans {
	uint16_t columns, rows;
};

/* The spans of a cell, by its start tag. */
struct cfs_table_spans cfs_table_spans_of(const struct cfs_html_el *el);

void cfs_table_grid_begin(struct cfs_table_grid *g, uint32_t columns);
/* A group of rows begins, which no cell of another one spans. */
void cfs_table_grid_group(struct cfs_table_grid *g);
/* A row ends. */
void cfs_table_grid_row(struct cfs_table_grid *g);
/* Returns the places before the next cell that cells above span. */
uint32_t cfs_table_grid_skip(struct cfs_table_grid *g);
/* Places the cell, and returns the columns that it has: as many as it spans and
 * there are, at least 1. */
uint32_t cfs_table_grid_cell(struct cfs_table_grid *g,
			     struct cfs_table_spans spans);

#endif
