/* indexer_scan.h - scans one part of the inputs, and adds its records to the
 * builder.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEXING_INDEXER_SCAN_H
#define CFS_INDEXING_INDEXER_SCAN_H

#include <stdatomic.h>

#include "base/strtab.h"
#include "builder.h"
#include "indexer_opts.h"
#include "indexer_record.h"
#include "schemes.h"
#include "table/selection_rows.h"

/* A file, a member of one, or a stretch of either. */
struct cfs_indexer_part {
	uint32_t file;
	/* The member of a WACZ that the part belongs to, or NULL.  Borrowed. */
	const struct cfs_wacz_member *member;
	struct cfs_scan_stretch at;
	uint64_t bytes;
};

/* State shared by the scans of all parts; pointers are borrowed. */
struct cfs_indexer_scans {
	const struct cfs_indexer_files *files;
	struct cfs_builder *builder;
	const struct cfs_indexer_opts *opts;	/* except `cancel` */
	struct cfs_strtab *names;	/* of archives in CDX files, numbered
					 * after the files, from files->n on */
	uint32_t n_names;		/* names known to the builder */
	atomic_uint *logged;		/* damages, by file: for
					 * cfs_log_has_room */
	/* Longer records go into temporary files in spill_dir; 0: none do. */
	uint64_t record_bytes;
	const char *spill_dir;
	/* Totals so far, of all parts: */
	atomic_uint_least64_t bytes, captures, annexes;
	atomic_bool missed;		/* a cut was in the wrong place */
};

/* The findings in one part. */
struct cfs_indexer_tally {
	uint64_t records, not_in_tree, not_archived, damages, inflated;
	uint64_t missing;	/* blocks of indexes that cannot be read */
	uint64_t not_picked;
	bool is_unread;		/* another run may be able to read it */
	bool is_gone;		/* it is not there */
	bool is_bad_list;	/* an index in a WACZ cannot be read to its
				 * end */
	/* Pages without a URL, records without a valid date, records whose
	 * declared length includes the separator after them; and the offset of
	 * the first of each: */
	uint64_t nameless, undated, long_lengths;
	uint64_t nameless_at, undated_at, long_lengths_at;
	uint64_t digests[2];	/* as in the report */
	uint64_t segments;	/* continuation segments left out */
	struct cfs_schemes schemes;	/* of URLs without a place */
};

/* Does a URL's scheme have a place in an index of the format?  If not, the URL
 * is counted. */
bool cfs_indexer_has_place(enum cfs_index_format format, struct cfs_slice url,
			   struct cfs_indexer_tally *tally);

/* Scans a part on the thread of that feeder.  Damage is logged and counted,
 * even if the whole file is unreadable.  0, or a failure that ends the build:
 * of the builder, of memory, of reading a remote file, CFS_EINTR. */
int cfs_indexer_scan(struct cfs_indexer_scans *s, unsigned feeder,
		     const struct cfs_indexer_part *part,
		     struct cfs_indexer_tally *tally, struct cfs_ctx ctx);

/* ---- the rows of selections (indexer_selections.c) ----------------------- */

/* Rows are read first, so that the names of their archives are known, and go to
 * the builder together with the records of archives. */

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
