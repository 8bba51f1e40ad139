/* export.h - writes the captures of a crawl as rows, without a mount.
 *
 * A drive says which rows there are and in which order: that of the archives
 * (archive_rows.h) or that of an index.  It cuts the work into batches, which
 * threads fill; batches are written in order, whatever the number of threads,
 * so that the same input gives the same bytes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_EXPORT_EXPORT_H
#define CFS_EXPORT_EXPORT_H

#include "base/progress.h"
#include "codec/member.h"
#include "formats.h"
#include "rows_out.h"
#include "table/parquet_write.h"

#define CFS_EXPORT_MEM_DEFAULT ((uint64_t)256 << 20)

struct cfs_export_opts {
	const struct cfs_export_format *format;
	cfs_export_set fields;
	struct cfs_rows_out *out;	/* borrowed, like all pointers here */
	uint64_t file_bytes;		/* of a file in a folder; 0: out is
					 * none */
	bool nulls;			/* fields that a row lacks are null,
					 * where the format has that */
	enum cfs_coding coding;		/* of the output: rows of a format with
					 * members are one each */
	const char *spill_dir;		/* for rows too long for memory; NULL:
					 * they are held there */
	unsigned threads;		/* 0: one for each processor */
	uint64_t mem_bytes;		/* for rows that wait to be written, and
					 * records; 0: the default */
	int64_t time;			/* when the inputs were last changed,
					 * Unix seconds: the time of the rows
					 * as a whole */
	const char *described;		/* the inputs' name, for people */
	const char *order;		/* of rows: "archive" or "index" */
	const char *picked;		/* options that decide which rows there
					 * are, as users write them */
	enum cfs_parquet_codec codec;	/* of Parquet */
	const struct cfs_cancel *cancel;
	/* Called about ten times a second, on any thread.  May be NULL. */
	cfs_progress_fn *progress;
	void *arg;
};

struct cfs_export_report {
	uint64_t rows;		/* written, those with an error among them */
	uint64_t errors;	/* rows with an error; all errors of a resumed
				 * run count as 1 */
	uint64_t resumed;	/* batches that an earlier run had written */
	bool is_closed;		/* the reader of standard output has gone */
};

struct cfs_export_drive;		/* export_internal.h */

/* Frees a drive that is not run. */
void cfs_export_drive_free(struct cfs_export_drive *drive);

/*
 * Writes all rows of a drive, which it takes over.
 *
 * Returns 0, also if nobody reads standard output any more; CFS_EIO, CFS_EINTR,
 * CFS_ENOMEM; failures of the drive that end it.
 */
int cfs_export_run(struct cfs_export_drive *drive,
		   const struct cfs_export_opts *opts,
		   struct cfs_export_report *report, struct cfs_error *err);

#endif
