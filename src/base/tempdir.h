/* tempdir.h - temporary folders, and removal of those of killed processes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_TEMPDIR_H
#define CFS_BASE_TEMPDIR_H

struct cfs_tempdir {
	char *path;		/* owned; NULL: no folder was made */
	int fd;			/* holds the lock that marks it as in use */
};

/*
 * Creates the folder DIR/NAME-XXXXXX, which only this user can read.  First
 * removes others of that name that no process uses any more, because it was
 * killed.  0, or -1 and errno.  Call cfs_tempdir_remove in either case.
 */
int cfs_tempdir_make(struct cfs_tempdir *t, const char *dir, const char *name);

/* Removes the folder with the files in it. */
void cfs_tempdir_remove(struct cfs_tempdir *t);

#endif
