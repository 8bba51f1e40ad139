/* page_tables.c - tells tables of data from those that lay a page out
 * (page_blocks.h).
 *
 * A table of data has several rows and columns, and little in a cell.  One that
 * has header cells or a caption may have more: lists, paragraphs, a table in a
 * cell.  Any other one that holds a table, a heading or a form is layout.  Code
 * is also shown as a table of its lines.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "page_blocks.h"

/* A table that is open while the blocks are gone through. */
struct open_table {
	uint32_t at;
	uint32_t rows, columns;
	uint32_t cells;		/* of this row */
	uint32_t cell_text;	/* of this cell, with all that is in it */
	uint32_t text;		/* of all of it */
	bool is_data;		/* it has header cells or a caption */
	bool is_long, is_too_long;	/* the text of a cell is */
	bool has_structure;	/* a cell has more than paragraphs */
	bool has_numbers;	/* cells of line numbers were left out */
	bool has_code;		/* a block of code is in it */
	struct cfs_table_grid grid;
};

/* The row before it ends here, if there is one. */
static void begin_row(struct open_table *t)
{
	cfs_table_grid_row(&t->grid);
	t->rows++;
	t->cells = t->cell_text = 0;
}

/* A row of one cell may span more columns than there are. */
static void add_cell(struct open_table *t, const struct cfs_page_block *k)
{
	uint32_t end;

	t->cell_text = 0;
	t->is_data |= k->tag == CFS_TAG_TH;
	cfs_table_grid_skip(&t->grid);
	if (t->grid.column == t->grid.columns)
		t->is_too_long = true;
	end = t->grid.column + 1;
	cfs_table_grid_cell(&t->grid, k->spans);
	if (t->cells++ > 0)
		end = t->grid.column;
	if (end > t->columns)
		t->columns = end;
}

static void add_text(struct open_table *t, uint32_t weight)
{
	t->text += weight;
	t->cell_text += weight;
	t->is_long |= t->cell_text > CFS_PAGE_CELL_MAX;
	t->is_too_long |= t->cell_text > CFS_PAGE_DATA_CELL_MAX;
}

static void judge_table_part(struct open_table *t,
			     const struct cfs_page_block *k)
{
	t->has_code |= cfs_page_block_is_code(k);
	switch (k->tag) {
	case CFS_TAG_TR:
		begin_row(t);
		t->has_numbers |= k->has_numbers;
		break;
	case CFS_TAG_TD: case CFS_TAG_TH:
		add_cell(t, k);
		break;
	case CFS_TAG_CAPTION:
		t->is_data = true;
		t->cell_text = 0;
		break;
	case CFS_TAG_TBODY: case CFS_TAG_THEAD: case CFS_TAG_TFOOT:
		cfs_table_grid_group(&t->grid);
		break;
	case CFS_TAG_COL: case CFS_TAG_COLGROUP: case CFS_TAG_DIV:
	case CFS_TAG_CENTER: case CFS_TAG_P:
		break;
	case CFS_TAG_FORM: case CFS_TAG_NAV: case CFS_TAG_ARTICLE:
	case CFS_TAG_MAIN: case CFS_TAG_HEADER: case CFS_TAG_FOOTER:
	case CFS_TAG_H1: case CFS_TAG_H2:
		t->is_too_long = true;
		break;
	default:
		t->has_structure = true;
		break;
	}
	add_text(t, k->text);
}

static bool is_of_data(const struct open_table *t)
{
	return !t->is_too_long && t->rows > 1 && t->columns > 1 &&
	       (t->is_data || !(t->is_long || t->has_structure));
}

/* Ends a table.  What it holds is in a cell of the table around it, if that is
 * one of data, and then is none itself. */
static void end_table(struct cfs_page_blocks *b, const struct open_table *t,
		      struct open_table *around)
{
	struct cfs_page_block *k = &b->v[t->at];

	if (around != NULL) {
		around->has_structure = true;
		around->has_code |= t->has_code;
		add_text(around, t->text);
	}
	/* a line a row, beside its number */
	k->is_code |= t->has_numbers && !t->has_code && t->columns == 1;
	if (k->is_layout || !is_of_data(t))
		return;
	k->columns = (uint8_t)t->columns;
}

void cfs_page_blocks_find_tables(struct cfs_page_blocks *b)
{
	struct open_table open[CFS_HTML_DEPTH_MAX];
	unsigned n = 0;

	for (uint32_t i = 0; i < b->n; i++) {
		while (n > 0 && b->v[open[n - 1].at].end <= i) {
			n--;
			end_table(b, &open[n], n > 0 ? &open[n - 1] : NULL);
		}
		if (n > 0)
			judge_table_part(&open[n - 1], &b->v[i]);
		if (b->v[i].tag != CFS_TAG_TABLE || n == CFS_HTML_DEPTH_MAX)
			continue;
		open[n] = (struct open_table){ .at = i };
		cfs_table_grid_begin(&open[n++].grid, CFS_TABLE_COLUMNS_MAX);
	}
	while (n > 0) {
		n--;
		end_table(b, &open[n], n > 0 ? &open[n - 1] : NULL);
	}
}
