/* selection_cells.h - the cells of one row of text: CSV, TSV or JSON.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_SELECTION_CELLS_H
#define CFS_BUILD_SELECTION_CELLS_H

#include "selection_row.h"

/* A text column of a page's size has room; its notes do not. */
#define CFS_TABLE_ROW_MAX ((size_t)1 << 20)

enum cfs_table_kind { CFS_TABLE_NONE, CFS_TABLE_CSV, CFS_TABLE_SEMICOLONS,
		      CFS_TABLE_TSV, CFS_TABLE_JSONL, CFS_TABLE_ARRAY,
		      CFS_TABLE_PARQUET };

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
	/* JSON array: where in it what follows is. */
	enum { CFS_ARRAY_FRONT, CFS_ARRAY_INSIDE, CFS_ARRAY_BEHIND,
	       CFS_ARRAY_LOST } place;
	uint8_t bracket;		/* with which its items begin */
	/* CSV, and arrays of arrays: the columns. */
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

/* Blanks and brackets round the items count as blank rows. */
enum cfs_table_found cfs_table_array_row(struct cfs_table_cells *t,
					 struct cfs_slice s, bool is_all,
					 size_t *used);

/* Sets the cells by a JSON object that is all of s; those before a fault stay.
 * NULL, or what is wrong. */
const char *cfs_table_json_object(struct cfs_table_cells *t,
				  struct cfs_slice s);
/* Takes the value of a cell off the front of *s. */
bool cfs_table_json_value(struct cfs_table_cells *t,
			  struct cfs_selection_cell *c, struct cfs_slice *s);

/* Names the columns of a CSV by its first row.  0 or CFS_ENOMEM. */
int cfs_table_csv_columns(struct cfs_table_cells *t);
/* The line at the front of s, without its end, as a row without quotes. */
bool cfs_table_tsv_plain(struct cfs_table_cells *t, struct cfs_slice line);

#endif
