/* selection_cells.h - parses the cells of one row of text: CSV, TSV or JSON.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_TABLE_SELECTION_CELLS_H
#define CFS_TABLE_SELECTION_CELLS_H

#include "selection_row.h"

/* Enough for a text column of a page's size; notes have a lower limit. */
#define CFS_TABLE_ROW_MAX ((size_t)1 << 20)

enum cfs_table_kind { CFS_TABLE_NONE, CFS_TABLE_CSV, CFS_TABLE_SEMICOLONS,
		      CFS_TABLE_TSV, CFS_TABLE_JSONL, CFS_TABLE_ARRAY,
		      CFS_TABLE_PARQUET };

/* The kind of row found at the front of a text. */
enum cfs_table_found {
	CFS_TABLE_ROW,
	CFS_TABLE_BLANK,	/* an empty line */
	CFS_TABLE_MORE,		/* the end of the row is missing */
	CFS_TABLE_BAD,
};

/* A row being parsed; the cells borrow from the text and from the buffers. */
struct cfs_table_cells {
	enum cfs_table_kind kind;
	const char *why;		/* for CFS_TABLE_BAD */
	struct cfs_buf arena;		/* values that differ from their text */
	struct cfs_selection_cell cells[CFS_SELECTION_CELLS_MAX];
	size_t n;
	/* JSON array: position of the text that follows. */
	enum { CFS_ARRAY_FRONT, CFS_ARRAY_INSIDE, CFS_ARRAY_BEHIND,
	       CFS_ARRAY_LOST } place;
	uint8_t bracket;		/* the first byte of its items */
	/* CSV, and arrays of arrays: the columns' names. */
	bool has_columns;
	size_t n_columns;
	struct cfs_buf names;
};

/* Parses the row at the front of s into t->cells and t->n; *used is set to its
 * bytes, of CFS_TABLE_BAD to the bytes that were parsed.  is_all: no text
 * follows s. */
enum cfs_table_found cfs_table_csv_row(struct cfs_table_cells *t,
				       struct cfs_slice s, bool is_all,
				       size_t *used);
enum cfs_table_found cfs_table_jsonl_row(struct cfs_table_cells *t,
					 struct cfs_slice s, bool is_all,
					 size_t *used);

/* As above; blanks, and the brackets round the items, count as blank rows. */
enum cfs_table_found cfs_table_array_row(struct cfs_table_cells *t,
					 struct cfs_slice s, bool is_all,
					 size_t *used);

/* Names the columns of a CSV by its first row.  0 or CFS_ENOMEM. */
int cfs_table_csv_columns(struct cfs_table_cells *t);
/* Parses a line, without its end, as a row without quotes. */
bool cfs_table_tsv_plain(struct cfs_table_cells *t, struct cfs_slice line);

#endif
