/* indexer_selections.h - selections among the inputs of an index: their rows
 * are taken first, so that the names of archives are known, and go to the
 * builder with the records of archives.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_INDEXER_SELECTIONS_H
#define CFS_BUILD_INDEXER_SELECTIONS_H

#include "indexer_scan.h"
#include "selection_rows.h"

struct cfs_store;

struct cfs_indexer_selections {
	struct cfs_selection_rows *rows;	/* owned; NULL: no selections */
	struct cfs_store *store;		/* owned; for rows without
						 * URL */
	bool is_remote;			/* the store's archives are */
	atomic_size_t next;		/* run that no thread has taken */
	atomic_uint logged;
};

/* How far reading is; called by one thread or another, at one time by one. */
struct cfs_indexer_reading {
	void (*advanced)(void *arg, uint64_t bytes);	/* of files */
	void (*queried)(void *arg, double share);	/* of the SQL, 0 to 1 */
	void *arg;
};

/*
 * Takes the rows of the selections among the files, and of the SQL.
 *
 * names     takes the names of their archives
 * tmp_dir   for a temporary file; borrowed
 *
 * What cannot be read on this machine is logged and counted as damage.
 * 0; CFS_EUSAGE for selections beside other inputs, if nothing says where all
 * archives are, and for SQL that is not to be run; CFS_EUNSUPPORTED without
 * DuckDB (duckdb.h), if it is needed; CFS_ENOMEM, CFS_EIO, CFS_ELIMIT,
 * CFS_EINTR; failures of reading remote files.
 */
int cfs_indexer_selections_read(struct cfs_indexer_selections *s,
				const struct cfs_indexer_files *files,
				const struct cfs_indexer_opts *opts,
				struct cfs_strtab *names, const char *tmp_dir,
				const struct cfs_indexer_reading *report,
				struct cfs_error *err);
void cfs_indexer_selections_release(struct cfs_indexer_selections *s);

/* Where an index of nothing else looks for archives, a URL; NULL: beside
 * itself. */
const char *cfs_indexer_selections_home(struct cfs_indexer_selections *s);

/* As many threads as are of use, at least `threads`: records that are read for
 * their URL are waited for. */
unsigned cfs_indexer_selections_threads(const struct cfs_indexer_selections *s,
					unsigned threads);

/* Hands runs of rows that no other thread has taken to the builder.  Fatal
 * failures only. */
int cfs_indexer_selections_add(struct cfs_indexer_selections *s,
			       struct cfs_indexer_scans *all, unsigned feeder,
			       struct cfs_indexer_tally *tally,
			       struct cfs_error *err);

#endif
