/* selection_table.h - splits a table that is text (CSV, TSV, JSON) into rows.
 *
 * CSV (RFC 4180, and its variants from SQL engines): the first row names the
 * columns; cells may be quoted, and then contain delimiters, line ends and
 * doubled quotes; lines end with LF or CRLF; a byte order mark is skipped.  In
 * TSV, a line that would be damaged if quotes had a meaning is read without it.
 *
 * JSON lines: an object in each line, whose members are the cells.  JSON
 * arrays: an item is a row (selection_json.c).
 *
 * A damaged row is reported by the line in which it begins, and reading
 * continues with the next line.  Limits: CFS_TABLE_ROW_MAX bytes and
 * CFS_SELECTION_CELLS_MAX cells a row.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_TABLE_SELECTION_TABLE_H
#define CFS_TABLE_SELECTION_TABLE_H

#include "selection_cells.h"

/* Receives the rows. */
struct cfs_table_user {
	/* Cells are lent during the call.  Any result but CFS_OK ends the work
	 * and is returned. */
	int (*row)(void *arg, const struct cfs_selection_cell *cells, size_t n,
		   uint64_t line);
	void (*damaged)(void *arg, uint64_t line, const char *why);
	void *arg;
};

/* Recognizes a selection by its first bytes; NONE: it is not one.  is_all:
 * there are no more.  archive: for JSON lines, the name or URL of an archive is
 * appended. */
enum cfs_table_kind cfs_table_look(struct cfs_slice head, bool is_all,
				   struct cfs_buf *archive);

/* Appends what a table of captures lacks to be a selection: "CSV without the
 * column warc_filename".  False if the text does not look like such a table. */
bool cfs_table_lacks(struct cfs_slice head, bool is_all, struct cfs_buf *out);

struct cfs_table;

/* NULL without memory.  user is copied. */
struct cfs_table *cfs_table_new(enum cfs_table_kind kind,
				const struct cfs_table_user *user);
void cfs_table_free(struct cfs_table *t);	/* accepts NULL */

/* Pass the text, part by part; then its end.  0, CFS_ENOMEM, or what
 * user->row returned. */
int cfs_table_feed(struct cfs_table *t, struct cfs_slice text);
int cfs_table_end(struct cfs_table *t);
/* The number of the current line. */
uint64_t cfs_table_line(const struct cfs_table *t);

#endif
