/* selection_sql.h - reads rows of selections with DuckDB: from Parquet files,
 * and as results of a SELECT.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_TABLE_SELECTION_SQL_H
#define CFS_TABLE_SELECTION_SQL_H

#include "selection_rows.h"
#include "source/source.h"
#include "sql.h"

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
 * 0; CFS_EUNSUPPORTED as of cfs_duckdb_load; CFS_ELIMIT; failures of reading
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
