/* sql.h - the rows of one SELECT, by DuckDB, which reads no file but those it
 * may, and writes none.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_SQL_H
#define CFS_BUILD_SQL_H

#include <stddef.h>

#include "base/cancel.h"
#include "selection_row.h"

struct cfs_sql_opts {
	/* Files below these folders may be read; and this one (NULL: none). */
	const char *const *folders;
	size_t n_folders;
	const char *file;
	/* For what has no place in memory. */
	const char *tmp_dir;
	size_t memory_bytes;		/* 0: a default */
	unsigned threads;		/* 0: a default */
	const struct cfs_cancel *cancel;
	/* How much is done, about ten times a second from another thread, while
	 * it is known: 0 to 1.  May be NULL. */
	void (*progress)(void *arg, double share);
	void *arg;
};

struct cfs_sql;			/* used by one thread at a time */

/*
 * Begins a query.  All in opts is borrowed until close.
 *
 * select  one statement, which is a SELECT (or VALUES, FROM, WITH ...)
 *
 * 0; CFS_EUSAGE: it is not one SELECT, or one that cannot be run; CFS_EFORMAT:
 * a file that it reads is damaged; CFS_ELIMIT: more memory or columns than
 * allowed; CFS_EUNSUPPORTED as of cfs_duckdb_load; CFS_EINTR, CFS_ENOMEM.
 */
int cfs_sql_open(struct cfs_sql **out, const char *select,
		 const struct cfs_sql_opts *opts, struct cfs_error *err);

/*
 * The next row: a cell a column.  Numbers, truth values, lists and structures
 * are JSON, times UTC as YYYY-MM-DD hh:mm:ss[.fraction], bytes as they stand,
 * all else as SQL casts it to text.
 *
 * cells  lent until the next call; names until close
 *
 * 0; CFS_END; failures as above: no row follows.
 */
int cfs_sql_next(struct cfs_sql *s, const struct cfs_selection_cell **cells,
		 size_t *n, struct cfs_error *err);

/* Ends the query, wherever it is.  Accepts NULL. */
void cfs_sql_close(struct cfs_sql *s);

/* Appends text as a string of SQL, with its quotes. */
void cfs_sql_quote(struct cfs_buf *out, struct cfs_slice text);

#endif
