/* control.h - the folder .crawlfs: figures, settings, version.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_CONTROL_H
#define CFS_FUSE_CONTROL_H

#include "fs.h"

/* What is in it, in the order of a listing. */
#define CFS_CONTROL_FILES 5u
extern const struct cfs_control_file {
	const char *name;
	uint64_t ino;
} cfs_control_files[CFS_CONTROL_FILES];

/* An inode number for the text that .crawlfs/stats has now: the kernel may
 * keep that, and gives the next reader another one. */
uint64_t cfs_control_stats_ino(struct cfs_fs *fs);
static inline bool cfs_control_is_stats(uint64_t ino)
{
	return (ino & 0xff) == CFS_INO_STATS && ino < UINT64_C(1) << 48;
}

/* Adds "from" and "to", 14 digits, to what is shown as JSON, as far as the
 * crawls are limited to some time. */
struct json_t;
void cfs_control_set_dates(const struct cfs_dates *d, struct json_t *o);

/* Appends the text of a control file; CFS_ENOTFOUND if ino is none. */
int cfs_control_text(struct cfs_fs *fs, uint64_t ino, struct cfs_buf *out);

#endif
