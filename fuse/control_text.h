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

/* Adds "from" and "to", as 14 digits, to a JSON object if the crawls are
 * limited to a range of time. */
struct json_t;
void cfs_control_set_dates(const struct cfs_dates *d, struct json_t *o);

/* A SOURCE as JSON, without the queries of its URLs. */
struct json_t *cfs_control_shown(const char *source);

/* Most bytes of a control file's text. */
#define CFS_CONTROL_TEXT_MAX ((size_t)2 << 20)

/* Appends the text of a control file; CFS_ENOTFOUND if ino is not one. */
int cfs_control_text(struct cfs_fs *fs, uint64_t ino, struct cfs_buf *out);

#endif
