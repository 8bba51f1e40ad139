/* mounttable.h - searches the kernel's table of mounts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_MOUNTTABLE_H
#define CFS_BASE_MOUNTTABLE_H

#include <stdbool.h>

#define CFS_MOUNT_TABLE "/proc/self/mountinfo"

/* One line of the table: proc(5), /proc/[pid]/mountinfo. */
struct cfs_mounted {
	char *point;		/* malloced */
	char *root;		/* malloced; "/" unless only a part of the file
				 * system is mounted there (bind mount) */
	char *options;		/* malloced; the file system's, with commas */
	char type[64];
	unsigned major, minor;	/* st_dev of the files in it */
};
void cfs_mounted_release(struct cfs_mounted *m);

/*
 * Calls matches() for each line of path, a process's mountinfo, and sets *out
 * to the last one that matches, since later mounts cover earlier ones.  out may
 * be NULL.  0, CFS_ENOTFOUND if no line matches, or CFS_EIO if the table cannot
 * be read.
 */
int cfs_mount_table_search(const char *path,
			   bool (*matches)(const struct cfs_mounted *m,
					   const void *arg),
			   const void *arg, struct cfs_mounted *out);

#endif
