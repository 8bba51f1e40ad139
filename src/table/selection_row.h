/* selection_row.h - converts the cells of one row of a selection to a capture.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_TABLE_SELECTION_ROW_H
#define CFS_TABLE_SELECTION_ROW_H

#include "base/buf.h"

enum cfs_selection_role {
	CFS_COLUMN_OTHER, CFS_COLUMN_ARCHIVE, CFS_COLUMN_OFFSET,
	CFS_COLUMN_LENGTH, CFS_COLUMN_URL, CFS_COLUMN_TIME, CFS_COLUMN_STATUS,
	CFS_COLUMN_MIME, CFS_COLUMN_DIGEST,
	CFS_COLUMN_CONTENT,	/* of a page, as crawlfs export has it */
	CFS_COLUMN_ROLES
};

/* rank: of several columns with one role, the lowest one in which a row has a
 * value counts. */
#define CFS_COLUMN_OWN 3u		/* the rank of `archive`, which rows
					 * of crawlfs export have */
struct cfs_selection_column {
	enum cfs_selection_role role;
	unsigned rank;
};

/* Finds a column's role by its name, in upper or lower case. */
struct cfs_selection_column cfs_selection_column_of(struct cfs_slice name);

/* The roles, as bits, that make a table a selection. */
#define CFS_COLUMNS_NEEDED (1u << CFS_COLUMN_ARCHIVE | \
			    1u << CFS_COLUMN_OFFSET | 1u << CFS_COLUMN_LENGTH)

/* Appends the names of the needed columns whose bits are not set in roles: "the
 * columns warc_filename, warc_record_length". */
void cfs_selection_columns_lacking(unsigned roles, struct cfs_buf *out);

/* Most cells of a row; a wider row is damaged. */
#define CFS_SELECTION_CELLS_MAX 1024u

enum cfs_cell_type {
	CFS_CELL_NULL,
	CFS_CELL_TEXT,		/* any bytes */
	CFS_CELL_JSON,		/* a number, a word, an object or an array */
};

/* A cell of a table.  Slices are borrowed. */
struct cfs_selection_cell {
	struct cfs_slice name;			/* the column's name */
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
