/* control.h - the files of the folder .crawlfs: their names and inode numbers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_CONTROL_H
#define CFS_FUSE_CONTROL_H

#include "ino.h"

/* The files in it, in the order of a listing. */
#define CFS_CONTROL_FILES 7u
extern const struct cfs_control_file {
	const char *name;
	uint64_t ino;
} cfs_control_files[CFS_CONTROL_FILES];

/* Is `ino` one of a file whose text differs from one read to the next? */
static inline bool cfs_control_is_snapshot(uint64_t ino)
{
	unsigned file = ino & 0xff;

	return (file == CFS_INO_STATS || file == CFS_INO_ERRORS ||
		file == CFS_INO_METRICS) && ino < UINT64_C(1) << 48;
}

#endif
