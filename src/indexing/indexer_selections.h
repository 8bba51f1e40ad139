/* indexer_selections.h - adds the rows of selections among the inputs to an
 * index.
 *
 * Rows are read first, so that the names of their archives are known, and go to
 * the builder together with the records of archives.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEXING_INDEXER_SELECTIONS_H
#define CFS_INDEXING_INDEXER_SELECTIONS_H

#include "indexer_scan.h"
#include "table/selection_rows.h"

struct cfs_store;

struct cfs_indexer_selections {
	struct cfs_selection_rows *rows;	/* owned; NULL: no selections */
	struct cfs_store *store;		/* owned; reads the records of
						 * rows without a URL */
	bool is_remote;			/* the store's archives are */
	atomic_uint logged;
};

/* Callbacks for progress; from any thread, but one at a time. */
struct cfs_indexer_reading {
	void (*advanced)(void *arg, uint64_t bytes);	/* of files */
	void (*queried)(void *arg, double fraction);	/* of the query
							 * done, 0 to 1 */
	void *arg;
};

/*
 * Reads the rows of the selections among the files, and of the SQL.
 *
 * names     takes the names of their archives
 * tmp_dir   for a temporary file; borrowed
 *
 * A local file that cannot be read is logged and counted as damage.
 *
 * 0; CFS_EUSAGE for selections beside other inputs without
 * opts->selection_base, and for SQL that may not run; CFS_EUNSUPPORTED if
 * DuckDB is needed and missing (sql.h); CFS_ENOMEM, CFS_EIO, CFS_ELIMIT,
 * CFS_EINTR; failures of reading remote files.
 */
int cfs_indexer_selections_read(struct cfs_indexer_selections *s,
				const struct cfs_indexer_files *files,
				const struct cfs_indexer_opts *opts,
				struct cfs_strtab *names, const char *tmp_dir,
				const struct cfs_indexer_reading *report,
				struct cfs_error *err);
void cfs_indexer_selections_release(struct cfs_indexer_selections *s);

/* The URL where an index of only these rows looks for archives; NULL: beside
 * itself. */
const char *cfs_indexer_selections_home(struct cfs_indexer_selections *s);

/* The number of threads to use, at least `threads`; more if remote records must
 * be read for their URLs, which is mostly waiting. */
unsigned cfs_indexer_selections_threads(const struct cfs_indexer_selections *s,
					unsigned threads);

/* How many runs the rows are divided into; 0 without selections. */
size_t cfs_indexer_selections_runs(const struct cfs_indexer_selections *s);

/* Adds the rows of a run, on the thread of that feeder.  Returns fatal failures
 * only. */
int cfs_indexer_selections_add(struct cfs_indexer_selections *s, size_t run,
			       struct cfs_indexer_scans *all, unsigned feeder,
			       struct cfs_indexer_tally *tally,
			       struct cfs_ctx ctx);

#endif
