/* error_report.h - collects the failures that readers of the mount have seen:
 * the latest for .crawlfs/errors, and each cause once for the log.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_ERROR_REPORT_H
#define CFS_FUSE_ERROR_REPORT_H

#include "base/buf.h"
#include "base/error.h"

/* The most failures that are kept, and the most bytes of them. */
#define CFS_ERRORS_MAX 1000u
#define CFS_ERRORS_BYTES_MAX ((size_t)3 << 19)

struct cfs_fs;
struct cfs_error_report;		/* threads share it */

struct cfs_error_report *cfs_error_report_new(void); /* NULL: out of memory */
/* Logs the failures that were only counted so far.  Accepts NULL. */
void cfs_error_report_free(struct cfs_error_report *e);

/*
 * Notes that a request has failed.
 *
 * ino, name  the file; for a look-up the folder, and the name looked up (else
 *            NULL)
 * code, err  the failure.  err->code CFS_OK: the request has failed before, and
 *            that failure is counted again
 */
void cfs_error_report_note(struct cfs_fs *fs, uint64_t ino, const char *name,
			   int code, const struct cfs_error *err);

/* Lists the damage that was found when the index of crawl i was made, as
 * failures of that time. */
void cfs_error_report_note_index(struct cfs_fs *fs, unsigned i);

/* Appends a line of JSON for each failure that is kept, latest last. */
int cfs_error_report_text(struct cfs_error_report *e, struct cfs_buf *out);

#endif
