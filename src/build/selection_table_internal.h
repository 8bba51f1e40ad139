/* selection_table_internal.h - what the readers of CSV and JSON lines share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_SELECTION_TABLE_INTERNAL_H
#define CFS_BUILD_SELECTION_TABLE_INTERNAL_H

#include "selection_table.h"

/* What is at the front of a text. */
enum cfs_table_found {
	CFS_TABLE_ROW,
	CFS_TABLE_BLANK,	/* a line without anything in it */
	CFS_TABLE_MORE,		/* its end is not there yet */
	CFS_TABLE_BAD,
};

struct cfs_table {
	enum cfs_table_kind kind;
	struct cfs_table_user user;
	struct cfs_buf text;		/* what is not read yet */
	uint64_t line;			/* that it begins with, from 1 */
	bool skips;			/* up to the next line */
	bool has_begun;			/* a byte order mark is behind */
	uint64_t rescans_left;		/* bytes: see skip_damage */
	const char *why;		/* of CFS_TABLE_BAD */
	struct cfs_buf arena;		/* cells of the row that are not in the
					 * text as they are */
	struct cfs_selection_cell cells[CFS_SELECTION_CELLS_MAX];
	size_t n;
	/* CSV: the columns. */
	bool has_columns;
	size_t n_columns;
	struct cfs_buf names;
};

/* Sets t->cells and t->n by the row at the front of s, of which it takes
 * *used bytes; of CFS_TABLE_BAD, as many as were looked at. */
enum cfs_table_found cfs_table_csv_row(struct cfs_table *t, struct cfs_slice s,
				       bool is_all, size_t *used);
enum cfs_table_found cfs_table_jsonl_row(struct cfs_table *t,
					 struct cfs_slice s, bool is_all,
					 size_t *used);

/* Names the columns of a CSV by its first row.  0 or CFS_ENOMEM. */
int cfs_table_csv_columns(struct cfs_table *t);
/* The line at the front of s, without its end, as a row without quotes. */
bool cfs_table_tsv_plain(struct cfs_table *t, struct cfs_slice line);

#endif
