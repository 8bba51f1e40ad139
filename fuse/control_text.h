/* control_text.h - the texts of the files of .crawlfs: statistics,
 * metrics, failures, settings, version.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_CONTROL_TEXT_H
#define CFS_FUSE_CONTROL_TEXT_H

#include "control.h"
#include "fs.h"

/* Makes an inode number for the present text of such a file: the kernel may
 * keep that text, and the next reader gets another number. */
uint64_t cfs_control_snapshot_ino(struct cfs_fs *fs, uint64_t file);

/* Writes members "from" and "to", as 14 digits, if the crawls are limited to a
 * range of time. */
struct cfs_json;
void cfs_control_put_dates(struct cfs_json *j, const struct cfs_dates *d);

/* Writes a SOURCE as a string, without the queries of its URLs. */
void cfs_control_put_source(struct cfs_json *j, const char *source);

/* Most bytes of a control file's text. */
#define CFS_CONTROL_TEXT_MAX ((size_t)2 << 20)

/* Appends the text of a control file; CFS_ENOTFOUND if ino is not one. */
int cfs_control_text(struct cfs_fs *fs, uint64_t ino, struct cfs_buf *out);

#endif
