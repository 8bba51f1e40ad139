/* control.h - the files of the folder .crawlfs: statistics, metrics, failures,
 * settings, version.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_CONTROL_H
#define CFS_FUSE_CONTROL_H

#include "fs.h"

/* The files and folders in it, in the order of a listing. */
#define CFS_CONTROL_FILES 9u
extern const struct cfs_control_file {
	const char *name;
	uint64_t ino;
	/* Appends the text of the file; NULL: this is a folder. */
	int (*text)(struct cfs_fs *fs, struct cfs_buf *out);
	bool is_snapshot;	/* the text differs from one read to the next */
} cfs_control_files[CFS_CONTROL_FILES];

/* The row of an inode number, perhaps of cfs_control_snapshot_ino.  NULL: it is
 * not in the folder. */
const struct cfs_control_file *cfs_control_file_of(uint64_t ino);
bool cfs_control_is_snapshot(uint64_t ino);

/* Makes an inode number for the present text of such a file: the kernel may
 * keep that text, and the next reader gets another number. */
uint64_t cfs_control_snapshot_ino(struct cfs_fs *fs, uint64_t file);

/* Most bytes of a control file's text. */
#define CFS_CONTROL_TEXT_MAX ((size_t)2 << 20)

/* Appends the text of a control file; CFS_ENOTFOUND if ino is not one. */
int cfs_control_text(struct cfs_fs *fs, uint64_t ino, struct cfs_buf *out);

#endif
