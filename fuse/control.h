/* control.h - the folder .crawlfs: figures, settings, version.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_CONTROL_H
#define CFS_FUSE_CONTROL_H

#include "fs.h"

/* What is in it, in the order of a listing. */
#define CFS_CONTROL_FILES 6u
extern const struct cfs_control_file {
	const char *name;
	uint64_t ino;
} cfs_control_files[CFS_CONTROL_FILES];

/* Is it a number of a file whose text is another one each time? */
static inline bool cfs_control_is_snapshot(uint64_t ino)
{
	unsigned file = ino & 0xff;

	return (file == CFS_INO_STATS || file == CFS_INO_ERRORS) &&
	       ino < UINT64_C(1) << 48;
}

/* An inode number for the text that such a file has now: the kernel may keep
 * that, and gives the next reader another one. */
uint64_t cfs_control_snapshot_ino(struct cfs_fs *fs, uint64_t file);

/* Adds "from" and "to", 14 digits, to what is shown as JSON, as far as the
 * crawls are limited to some time. */
struct json_t;
void cfs_control_set_dates(const struct cfs_dates *d, struct json_t *o);

/* A SOURCE as JSON, without the queries of its URLs. */
struct json_t *cfs_control_shown(const char *source);

/* Bytes of a control file's text. */
#define CFS_CONTROL_TEXT_MAX ((size_t)2 << 20)

/* Appends the text of a control file; CFS_ENOTFOUND if ino is none. */
int cfs_control_text(struct cfs_fs *fs, uint64_t ino, struct cfs_buf *out);

#endif
