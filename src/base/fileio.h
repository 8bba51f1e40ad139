/* fileio.h - complete reads and writes, temporary files, atomic replacement of
 * files, and paths.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_FILEIO_H
#define CFS_BASE_FILEIO_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "buf.h"
#include "error.h"

/* Calls pwrite(2) until all n bytes are written.  Returns how many were: fewer
 * than n after a failure, with errno (ENOSPC if the kernel gives none). */
size_t cfs_write_at(int fd, const void *p, size_t n, uint64_t off);

/* Calls pread(2) until all n bytes are read.  Returns how many were: fewer than
 * n at the end of the file (errno is 0) or after a failure (with errno). */
size_t cfs_read_at(int fd, void *p, size_t n, uint64_t off);

/* Appends the contents of the file at path to out.  0; CFS_ENOTFOUND if it
 * cannot be opened and CFS_EIO if it cannot be read, both with errno; or
 * out->failed. */
int cfs_file_read(const char *path, struct cfs_buf *out);

/* Opens a folder for listing, with a descriptor of its own.  NULL: it cannot be
 * listed, or fd is negative. */
DIR *cfs_list_folder(int fd);

/* Opens a new file in `dir` for reading and writing that has no name and
 * vanishes when it is closed.  The descriptor, or -1 and errno. */
int cfs_temp_file(const char *dir);

/*
 * Replaces the file at `path` atomically.  The new file is written beside it
 * under a temporary name that is unique across machines
 * (.crawlfs-NAME-HOST-PROCESS-RANDOM.tmp), then synced and renamed.  Readers of
 * path find the old file or the new one, even after a crash.
 */
struct cfs_replacement {
	int fd;			/* to write to; -1: none */
	bool need_not_last;	/* set by the caller to skip syncing: after a
				 * crash the file may hold anything, because
				 * its readers verify checksums */
	char *path, *tmp_path;	/* owned */
};

/* Creates the temporary file; mode is as for open(2), less the umask.  0,
 * CFS_EACCESS, CFS_EIO or CFS_ENOMEM (err names path).  After success call
 * commit or drop. */
int cfs_replacement_open(struct cfs_replacement *r, const char *path,
			 mode_t mode, struct cfs_error *err);
/* Syncs and closes the file early, if it waits for others to be committed along
 * with it.  0 or CFS_EIO; commit or drop must still follow. */
int cfs_replacement_close(struct cfs_replacement *r, struct cfs_error *err);
/* Puts the file in place.  0 or CFS_EIO; r is released either way. */
int cfs_replacement_commit(struct cfs_replacement *r, struct cfs_error *err);
/* Removes the temporary file; path is unchanged.  Does nothing after commit. */
void cfs_replacement_drop(struct cfs_replacement *r);

/* Removes the temporary files of paths that begin like this one, if no process
 * has them locked: programs that were killed left them behind. */
void cfs_replacement_sweep(const char *path);

/* Replaces the file at path by `bytes`: open, write and commit. */
int cfs_file_replace(const char *path, struct cfs_slice bytes, mode_t mode,
		     struct cfs_error *err);

/*
 * Opens a file for reading and writing that an earlier run may have begun:
 * creates it, or takes one that is our own.  Our own is a regular file with one
 * name, not reached through a symbolic link, that belongs to this user and is
 * empty or begins with `mark` (NULL: anything, because another file vouches for
 * it).  0; CFS_EIO for any other file, which is left alone; CFS_EACCESS.
 */
int cfs_file_take(int *fd, const char *path, const char *mark, mode_t mode,
		  struct cfs_error *err);
/* Removes a file if it is our own as defined for cfs_file_take. */
void cfs_file_untake(const char *path, const char *mark);

/* The folder that a path is in, malloced: "." for a name without a '/'.  NULL
 * if out of memory. */
char *cfs_folder_of(const char *path);

/* Syncs the folder of a new file so that its name survives a crash, if the file
 * system can do that. */
void cfs_sync_folder_of(const char *path);

/* Creates a folder and its missing parents.  0, or -1 and errno. */
int cfs_make_folders(const char *path, mode_t mode);

/* The maximum number of bytes of a relative name. */
#define CFS_NAME_BYTES_MAX 4095u

/* True if a name that is relative to some folder cannot lead out of it: not
 * empty, not absolute, without NUL and without empty and ".." components. */
bool cfs_name_stays_below(struct cfs_slice name);

/* True if path is folder itself or something below it.  Both are absolute and
 * resolved (realpath(3)); a '/' at the end of folder does not matter. */
bool cfs_path_is_in(const char *path, const char *folder);

#endif
