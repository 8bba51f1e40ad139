/* sql.h - runs a SELECT with DuckDB, which may read only given files and
 * folders, and writes none.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_TABLE_SQL_H
#define CFS_TABLE_SQL_H

#include <stddef.h>

#include "base/cancel.h"
#include "selection_rows.h"
#include "source/source.h"

struct cfs_sql_opts {
	/* Folders and files that may be read. */
	const char *const *folders, *const *files;
	size_t n_folders, n_files;
	/* For data that does not fit in memory. */
	const char *tmp_dir;
	size_t memory_bytes;		/* 0: a default */
	unsigned threads;		/* 0: a default */
	const struct cfs_cancel *cancel;
};

struct cfs_sql;			/* used by one thread at a time */

/* opts are borrowed until close.  0; CFS_EUNSUPPORTED, with how
 * to get it, if DuckDB's library is not installed or cannot be used; CFS_EIO
 * (tmp_dir), CFS_ENOMEM, CFS_EINTR. */
int cfs_sql_open(struct cfs_sql **out, const struct cfs_sql_opts *opts,
		 struct cfs_error *err);

/* A temporary folder whose files may be read too; close removes it with them.
 * Lent until close. */
const char *cfs_sql_folder(struct cfs_sql *s);

/* Reports the fraction of the query that is done, 0 to 1, while that is known:
 * about ten times a second, from another thread, never after the query's
 * end. */
typedef void cfs_sql_progress(void *arg, double fraction);

/*
 * Begins a query, after ending the previous one.
 *
 * select    one statement, which is a SELECT (or VALUES, FROM, WITH ...)
 * progress  may be NULL
 *
 * 0; CFS_EUSAGE: it is not one SELECT, or cannot be run; CFS_EFORMAT: a file
 * that it reads is damaged, or a value is invalid; CFS_ELIMIT: more memory or
 * columns than allowed; CFS_EINTR, CFS_ENOMEM.
 */
int cfs_sql_begin(struct cfs_sql *s, const char *select,
		  cfs_sql_progress *progress, void *arg, struct cfs_error *err);

/* The query's columns: cells without values, lent until the next query. */
const struct cfs_selection_cell *cfs_sql_columns(const struct cfs_sql *s,
						 size_t *n);

/*
 * Fetches the next row: a value for each column.  Numbers, booleans, lists and
 * structures are JSON, times UTC as YYYY-MM-DD hh:mm:ss[.fraction], bytes as
 * they are, everything else as SQL casts it to text.  Values are lent until the
 * next call.
 *
 * 0; CFS_END; failures as above, after which no row follows.
 */
int cfs_sql_next(struct cfs_sql *s, struct cfs_error *err);

/* Ends the query early; progress is not called any more. */
void cfs_sql_stop(struct cfs_sql *s);

/* Ends a running query, and frees everything.  Accepts NULL. */
void cfs_sql_close(struct cfs_sql *s);

/* Appends text as an SQL string, with its quotes. */
void cfs_sql_quote(struct cfs_buf *out, struct cfs_slice text);

/* ---- rows of selections (selection_sql.c): from Parquet files, and as results
 * of a SELECT ---- */

struct cfs_selection_sql {
	struct cfs_sql_opts opts;	/* files: the Parquet files */
	struct cfs_selection_rows *rows;	/* borrowed; stores the rows */
	struct cfs_sql *sql;		/* owned; NULL: not open */
};

void cfs_selection_sql_release(struct cfs_selection_sql *q);

/*
 * Takes the rows of a Parquet file, with a column for each KEY=VALUE in its
 * path.  Damage is reported, and undamaged row groups are taken.  A file on a
 * server, or one compressed as a whole, is copied to a temporary file.
 *
 * advanced  called with bytes of the file as they are read, perhaps by another
 *           thread while this call lasts
 *
 * 0; CFS_EUNSUPPORTED as of cfs_sql_open; CFS_ELIMIT; failures of reading
 * and of cfs_selection_rows_take.
 */
int cfs_selection_sql_parquet(struct cfs_selection_sql *q,
			      struct cfs_source *src,
			      void (*advanced)(void *arg, uint64_t bytes),
			      void *arg, struct cfs_error *err);

/* Takes the rows of a SELECT (sql.h).  Failures are returned, also CFS_EUSAGE
 * if it does not select a selection; only damage after the first row is
 * reported. */
int cfs_selection_sql_select(struct cfs_selection_sql *q, const char *select,
			     cfs_sql_progress *progress, void *arg,
			     struct cfs_error *err);

#endif
