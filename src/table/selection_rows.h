/* selection_rows.h - stores the rows of selections in a temporary file until
 * the names of all archives are known; several threads can then read them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_TABLE_SELECTION_ROWS_H
#define CFS_TABLE_SELECTION_ROWS_H

#include "base/cancel.h"
#include "base/strtab.h"
#include "selection_row.h"

struct cfs_selection_rows;

/* names: collects the archives' names, each with its NUL, relative to
 * cfs_selection_rows_home.  base: the URL or folder of the archives, NULL:
 * Common Crawl's.  All borrowed.  0 or CFS_ENOMEM. */
int cfs_selection_rows_new(struct cfs_selection_rows **out,
			   struct cfs_strtab *names, const char *base,
			   const char *tmp_dir, struct cfs_error *err);
void cfs_selection_rows_free(struct cfs_selection_rows *r);	/* or NULL */

/* ---- storing, by one thread ---- */

/* Begins a table; `where` names it in messages (copied), `unit` names its rows
 * there: "line", "row".  0 or CFS_ENOMEM. */
int cfs_selection_rows_begin(struct cfs_selection_rows *r, const char *where,
			     const char *unit, struct cfs_error *err);

/* Stores a row of the table (selection_row.h), which began at this line,
 * counted from 1.  A row that is not a capture is reported and left out.  0,
 * CFS_ENOMEM, CFS_EIO, CFS_ELIMIT. */
int cfs_selection_rows_take(struct cfs_selection_rows *r,
			    const struct cfs_selection_cell *cells, size_t n,
			    uint64_t line, struct cfs_error *err);

/* Reports damage at a line of the table, 0: in all of it; `why` is a
 * sentence. */
void cfs_selection_rows_damaged(struct cfs_selection_rows *r, uint64_t line,
				const char *why);

#define CFS_SELECTION_NO_ARCHIVE UINT32_MAX

/* archive: that of the table's first row, by its number among the names;
 * CFS_SELECTION_NO_ARCHIVE: there is no row */
typedef int cfs_selection_tell(void *arg, uint32_t archive, const char *what,
			       uint64_t n);

/* Calls `each` for the first places of damage in each table, with a phrase that
 * names the table's file and the place, and for the number of others, with
 * NULL.  Returns what `each` did, if that was not 0; CFS_ENOMEM. */
int cfs_selection_rows_tell(const struct cfs_selection_rows *r,
			    cfs_selection_tell *each, void *arg);

/* Ends the last table.  Failures as of take. */
int cfs_selection_rows_end(struct cfs_selection_rows *r, struct cfs_error *err);

/* ---- reading ---- */

struct cfs_selection_counts {
	uint64_t tables, rows, damages, tables_damaged;
	uint64_t without_url;		/* those of `rows` without a URL */
};
const struct cfs_selection_counts *
cfs_selection_rows_counts(const struct cfs_selection_rows *r);

/* Where the names lead: the base, or the server of the URLs that rows have
 * instead of names. */
const char *cfs_selection_rows_home(struct cfs_selection_rows *r);

/* A stored row; slices are lent during the call. */
struct cfs_selection_item {
	struct cfs_selection_row row;	/* without .archive and .doubt */
	uint32_t archive;		/* number among the names */
	const char *where, *unit;
	uint64_t line;
};

/* The number of runs of rows, which different threads may read at the same
 * time. */
size_t cfs_selection_rows_runs(const struct cfs_selection_rows *r);
/* Calls `each` with the rows of a run, in order.  0, what `each` returned,
 * CFS_ENOMEM, CFS_EIO. */
int cfs_selection_rows_read(const struct cfs_selection_rows *r, size_t run,
			    int (*each)(void *arg,
					const struct cfs_selection_item *item),
			    void *arg, struct cfs_error *err);

#endif
