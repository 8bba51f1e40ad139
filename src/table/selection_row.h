/* selection_row.h - converts the cells of one row of a selection to a capture.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_TABLE_SELECTION_ROW_H
#define CFS_TABLE_SELECTION_ROW_H

#include "base/buf.h"
#include "selection_columns.h"

/* Most cells of a row; a wider row is damaged. */
#define CFS_SELECTION_CELLS_MAX 1024u

enum cfs_cell_type {
	CFS_CELL_NULL,
	CFS_CELL_TEXT,		/* any bytes */
	CFS_CELL_JSON,		/* a number, a word, an object or an array */
};

/* A cell of a table.  Slices are borrowed. */
struct cfs_selection_cell {
	struct cfs_slice name;			/* of the column */
	struct cfs_selection_column column;	/* the column's role */
	enum cfs_cell_type type;
	struct cfs_slice value;
};

/* A capture as stated by a row.  Slices borrow from cells and scratch; missing
 * ones are empty. */
struct cfs_selection_row {
	struct cfs_slice url;		/* empty: must be read from the
					 * record */
	struct cfs_slice archive;	/* its name, or URL */
	uint64_t offset, length;	/* length is not 0 */
	int64_t time;			/* Unix seconds; 0: not known */
	uint16_t status;		/* 0: not known */
	struct cfs_slice mime;
	struct cfs_slice digest;	/* as WARC records have it:
					 * "sha1:..." */
	struct cfs_slice notes;		/* {"selection": {...}}, or empty */
	/* A sentence about a value that could not be used, though the rest can;
	 * NULL: none. */
	const char *doubt;
};

struct cfs_selection_scratch {
	struct cfs_buf digest, notes;
};

void cfs_selection_scratch_init(struct cfs_selection_scratch *s);
void cfs_selection_scratch_release(struct cfs_selection_scratch *s);

/*
 * Makes a row of its cells.  Its notes contain all cells by name, with their
 * types, except those used for the URL, archive, offset and length.
 *
 * scratch  lives as long as row; used again for the next one
 *
 * 0; CFS_EFORMAT: *why (a static sentence) says why it is not a capture;
 * CFS_ENOMEM.
 */
int cfs_selection_row_make(const struct cfs_selection_cell *cells, size_t n,
			   struct cfs_selection_scratch *scratch,
			   struct cfs_selection_row *row, const char **why);

/*
 * Parses a time as tables write it: 14 digits; a date or ISO 8601 with 'T' or a
 * blank, with or without a fraction and a zone (default UTC); Unix seconds of
 * 10 digits or milliseconds of 13.  0 or CFS_EFORMAT.
 */
int cfs_selection_time(struct cfs_slice s, int64_t *out);

#endif
