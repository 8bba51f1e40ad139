/* selection_cells.h - the cells of one row of text: CSV, TSV or JSON.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_SELECTION_CELLS_H
#define CFS_BUILD_SELECTION_CELLS_H

#include "selection_row.h"

enum cfs_table_kind { CFS_TABLE_NONE, CFS_TABLE_CSV, CFS_TABLE_SEMICOLONS,
		      CFS_TABLE_TSV, CFS_TABLE_JSONL, CFS_TABLE_PARQUET };

/* What is at the front of a text. */
enum cfs_table_found {
	CFS_TABLE_ROW,
	CFS_TABLE_BLANK,	/* a line without anything in it */
	CFS_TABLE_MORE,		/* its end is not there yet */
	CFS_TABLE_BAD,
};

/* A row; the cells borrow from the text and from the buffers. */
struct cfs_table_cells {
	enum cfs_table_kind kind;
	const char *why;		/* of CFS_TABLE_BAD */
	struct cfs_buf arena;		/* what is not in the text as it is */
	struct cfs_selection_cell cells[CFS_SELECTION_CELLS_MAX];
	size_t n;
	/* CSV: the columns. */
	bool has_columns;
	size_t n_columns;
	struct cfs_buf names;
};

/* Sets t->cells and t->n by the row at the front of s, of which it takes
 * *used bytes; of CFS_TABLE_BAD, as many as were looked at. */
enum cfs_table_found cfs_table_csv_row(struct cfs_table_cells *t,
				       struct cfs_slice s, bool is_all,
				       size_t *used);
enum cfs_table_found cfs_table_jsonl_row(struct cfs_table_cells *t,
					 struct cfs_slice s, bool is_all,
					 size_t *used);

/* Names the columns of a CSV by its first row.  0 or CFS_ENOMEM. */
int cfs_table_csv_columns(struct cfs_table_cells *t);
/* The line at the front of s, without its end, as a row without quotes. */
bool cfs_table_tsv_plain(struct cfs_table_cells *t, struct cfs_slice line);

#endif
