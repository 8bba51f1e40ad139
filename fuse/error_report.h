/* error_report.h - reports the failures that readers of the mount have seen:
 * says which file failed, in which record, and puts that into the table.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_ERROR_REPORT_H
#define CFS_FUSE_ERROR_REPORT_H

#include "fs.h"

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
 * failures of that time, and counts it in *sum. */
void cfs_error_report_note_index(struct cfs_fs *fs, unsigned i,
				 struct cfs_damage_sum *sum);

#endif
