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

#include "formats.h"
#include "index/part.h"
#include "net/open_location.h"
#include "out_file.h"

#define CFS_EXPORT_MEM_DEFAULT ((uint64_t)256 << 20)

struct cfs_export_progress {
	uint64_t bytes_done, bytes_total;	/* of archives */
	uint64_t rows;
};

struct cfs_export_opts {
	const struct cfs_export_format *format;
	cfs_export_set fields;
	struct cfs_out_file *out;	/* borrowed, like all pointers here */
	unsigned threads;		/* 0: one for each processor */
	uint64_t mem_bytes;		/* for rows that wait to be written, and
					 * records; 0: the default */
	uint64_t max_record_bytes;	/* 0: default */
	const struct cfs_opener *opener;	/* opens what is on servers;
						 * NULL: cfs_location_open */
	const char *cache_dir;		/* as for cfs_zipped_open, or NULL */
	const char *list_base;		/* folder that names in lists are below;
					 * NULL: Common Crawl's */
	const struct cfs_cancel *cancel;
	/* Called about ten times a second, on any thread.  May be NULL. */
	void (*progress)(void *arg, const struct cfs_export_progress *p);
	void *arg;
};

struct cfs_export_report {
	uint64_t rows;		/* written, those with an error among them */
	uint64_t errors;	/* rows with an error */
	bool is_closed;		/* the reader of standard output has gone */
};

struct cfs_export_drive;		/* export_internal.h */

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
