/* tempdir.c - temporary folders, locked while they are in use.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "tempdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fileio.h"

/* Attempts, since another process may take a new folder for a leftover and
 * remove it before it is locked. */
#define TRIES_MAX 16u

/* Removes the files in a folder: there are no folders in it. */
static void empty_folder(int fd)
{
	DIR *d = cfs_list_folder(fd);
	const struct dirent *e;

	while (d != NULL && (e = readdir(d)) != NULL)
		(void)unlinkat(fd, e->d_name, 0);
	if (d != NULL)
		closedir(d);
}

/* True if the folder is this user's and no process uses it; it is then
 * locked. */
static bool is_leftover(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
	       flock(fd, LOCK_EX | LOCK_NB) == 0;
}

/* Removes unused folders in `dir` whose names begin with the first n bytes of
 * `name`. */
static void remove_leftovers(const char *dir, const char *name, size_t n)
{
	int at = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = cfs_list_folder(at);
	const struct dirent *e;

	while (d != NULL && (e = readdir(d)) != NULL) {
		int fd = -1;

		if (strncmp(e->d_name, name, n) == 0)
			fd = openat(at, e->d_name, O_RDONLY | O_DIRECTORY |
				    O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0 && is_leftover(fd)) {
			empty_folder(fd);
			(void)unlinkat(at, e->d_name, AT_REMOVEDIR);
		}
		if (fd >= 0)
			close(fd);
	}
	if (d != NULL)
		closedir(d);
	if (at >= 0)
		close(at);
}

/* Locks a new folder.  False if it was removed before that. */
static bool tempdir_lock(struct cfs_tempdir *t)
{
	struct stat mine, there;

	t->fd = open(t->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	/* without locks in the file system, leftovers are not removed */
	if (t->fd >= 0)
		(void)flock(t->fd, LOCK_EX);
	return t->fd >= 0 && fstat(t->fd, &mine) == 0 &&
	       stat(t->path, &there) == 0 && mine.st_ino == there.st_ino;
}

int cfs_tempdir_make(struct cfs_tempdir *t, const char *dir, const char *name)
{
	*t = (struct cfs_tempdir){ .fd = -1 };
	for (unsigned i = 0; i < TRIES_MAX; i++) {
		if (asprintf(&t->path, "%s/%s-XXXXXX", dir, name) < 0) {
			t->path = NULL;
			errno = ENOMEM;
			return -1;
		}
		if (i == 0)
			remove_leftovers(dir, t->path + strlen(dir) + 1,
					 strlen(name) + 1);
		if (mkdtemp(t->path) == NULL) {
			free(t->path);
			t->path = NULL;
			return -1;
		}
		if (tempdir_lock(t))
			return 0;
		cfs_tempdir_remove(t);
	}
	errno = EAGAIN;
	return -1;
}

void cfs_tempdir_remove(struct cfs_tempdir *t)
{
	int fd = t->path == NULL ? -1 :
		 open(t->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0) {
		empty_folder(fd);
		close(fd);
		(void)rmdir(t->path);
	}
	if (t->fd >= 0)
		close(t->fd);
	free(t->path);
	*t = (struct cfs_tempdir){ .fd = -1 };
}
