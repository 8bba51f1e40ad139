/* error_report.h - the failures that readers of the mount have seen: the last
 * of them for .crawlfs/errors, and each cause once for the log.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_ERROR_REPORT_H
#define CFS_FUSE_ERROR_REPORT_H

#include "base/buf.h"
#include "base/error.h"

/* Different failures that are kept, and bytes of them. */
#define CFS_ERRORS_MAX 1000u
#define CFS_ERRORS_BYTES_MAX ((size_t)3 << 19)

struct cfs_fs;
struct cfs_error_report;		/* threads share it */

struct cfs_error_report *cfs_error_report_new(void); /* NULL: out of memory */
/* Logs what was only counted so far.  Accepts NULL. */
void cfs_error_report_free(struct cfs_error_report *e);

/*
 * A request has failed.
 *
 * ino, name  what it was for: of a look-up the folder and the name, else name
 *            is NULL
 * code, err  the failure.  err->code CFS_OK: the one of the same request is
 *            reported again
 */
void cfs_error_report_note(struct cfs_fs *fs, uint64_t ino, const char *name,
			   int code, const struct cfs_error *err);

/* What was found damaged when archives were read for the index of crawl i is
 * listed as failures of that time. */
void cfs_error_report_note_index(struct cfs_fs *fs, unsigned i);

/* Appends a line of JSON for each failure that is kept, the latest one last. */
int cfs_error_report_text(struct cfs_error_report *e, struct cfs_buf *out);

#endif
