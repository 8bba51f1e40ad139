/* selection_row.h - one row of a selection: from the cells of a table to what
 * an index keeps of it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_SELECTION_ROW_H
#define CFS_BUILD_SELECTION_ROW_H

#include "base/buf.h"
#include "selection_columns.h"

/* Cells of a row; a wider one is damaged. */
#define CFS_SELECTION_CELLS_MAX 1024u

enum cfs_cell_type {
	CFS_CELL_NULL,
	CFS_CELL_TEXT,		/* any bytes */
	CFS_CELL_JSON,		/* a number, a word, an object or an array */
};

/* A cell of a table.  Borrows. */
struct cfs_selection_cell {
	struct cfs_slice name;			/* of the column */
	struct cfs_selection_column column;	/* by that name */
	enum cfs_cell_type type;
	struct cfs_slice value;
};

/* What a row says of a capture.  Slices borrow from cells and scratch; those
 * that are not there are empty. */
struct cfs_selection_row {
	struct cfs_slice url;		/* empty: the record says it */
	struct cfs_slice archive;	/* its name, or URL */
	uint64_t offset, length;	/* length is not 0 */
	int64_t time;			/* Unix seconds; 0: not known */
	uint16_t status;		/* 0: not known */
	struct cfs_slice mime;
	struct cfs_slice digest;	/* as WARC records have it:
					 * "sha1:..." */
	struct cfs_slice notes;		/* {"selection": {...}}, or empty */
	/* Something of the row could not be used, a sentence; NULL: nothing.
	 * The rest can. */
	const char *doubt;
};

struct cfs_selection_scratch {
	struct cfs_buf digest, notes;
};

void cfs_selection_scratch_init(struct cfs_selection_scratch *s);
void cfs_selection_scratch_release(struct cfs_selection_scratch *s);

/*
 * Makes a row of its cells.  All of them are in its notes by their names, typed
 * as they are, but those that the URL, the archive, the offset and the length
 * were taken from.
 *
 * scratch  lives as long as row; used again for the next one
 *
 * 0; CFS_EFORMAT: *why (a static sentence) says why there is no capture in it;
 * CFS_ENOMEM.
 */
int cfs_selection_row_make(const struct cfs_selection_cell *cells, size_t n,
			   struct cfs_selection_scratch *scratch,
			   struct cfs_selection_row *row, const char **why);

/*
 * The time of a capture as tables write it: 14 digits; a date or ISO 8601 with
 * 'T' or a blank, with or without a fraction and a zone (none is UTC); Unix
 * seconds of 10 digits or milliseconds of 13.  0 or CFS_EFORMAT.
 */
int cfs_selection_time(struct cfs_slice s, int64_t *out);

#endif
