/* tempdir.h - folders for temporary files, whose leftovers are removed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_TEMPDIR_H
#define CFS_BASE_TEMPDIR_H

struct cfs_tempdir {
	char *path;		/* owned; NULL: there is none */
	int fd;			/* holds the lock that says it is in use */
};

/*
 * Makes the folder DIR/NAME-XXXXXX, which nobody else can look into.  Others of
 * that name that no process has in use any more, since it was killed, are
 * removed before.  0, or -1 and errno.  Remove it in any case.
 */
int cfs_tempdir_make(struct cfs_tempdir *t, const char *dir, const char *name);

/* Removes it with the files in it. */
void cfs_tempdir_remove(struct cfs_tempdir *t);

#endif
