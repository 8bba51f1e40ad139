/* mounttable.h - the table of mounts, as the kernel shows it to processes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_MOUNTTABLE_H
#define CFS_BASE_MOUNTTABLE_H

#include <stdbool.h>

#define CFS_MOUNT_TABLE "/proc/self/mountinfo"

/* One line of it: proc(5), /proc/[pid]/mountinfo. */
struct cfs_mounted {
	char *point;		/* malloced */
	char *root;		/* malloced; "/" unless a part is bound there */
	char *options;		/* malloced; of the file system, with commas */
	char type[64];
	unsigned major, minor;	/* st_dev of what is in it */
};
void cfs_mounted_release(struct cfs_mounted *m);

/*
 * The last line that matches, since later mounts cover earlier ones, or NULL
 * for *out if only the calls are wanted.  path: a process's mountinfo.  0;
 * CFS_ENOTFOUND: none does; CFS_EIO: the table cannot be read.
 */
int cfs_mount_table_search(const char *path,
			   bool (*matches)(const struct cfs_mounted *m,
					   const void *arg),
			   const void *arg, struct cfs_mounted *out);

#endif
