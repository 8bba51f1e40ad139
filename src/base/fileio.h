/* fileio.h - whole reads and writes, files without a name, files that replace
 * others, and paths.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_FILEIO_H
#define CFS_BASE_FILEIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "buf.h"
#include "error.h"

/* pwrite(2) until all n bytes are there.  Returns how many are: fewer than n
 * after a failure, which errno tells (ENOSPC where the kernel gives none). */
size_t cfs_write_at(int fd, const void *p, size_t n, uint64_t off);

/* pread(2) until all n bytes are there.  Returns how many are: fewer than n
 * where the file ends (errno is 0) or after a failure, which errno tells. */
size_t cfs_read_at(int fd, void *p, size_t n, uint64_t off);

/* Appends the file at path.  0; CFS_ENOTFOUND when it cannot be opened, and
 * CFS_EIO when it cannot be read, both with errno; or out->failed. */
int cfs_file_read(const char *path, struct cfs_buf *out);

/* A file of our own in `dir`, to read and write, that is gone when it is
 * closed.  The descriptor, or -1 and errno. */
int cfs_temp_file(const char *dir);

/*
 * A file that takes the place of `path` when it is complete, and not before:
 * written beside it under a temporary name, which no other attempt on any
 * machine has (.crawlfs-NAME-HOST-PROCESS-RANDOM.tmp), synced, renamed.
 *  Whoever reads path finds the old file or the new one, also after a crash.
 */
struct cfs_replacement {
	int fd;			/* to write to; -1: none */
	bool need_not_last;	/* the caller says: after a crash the file may
				 * be anything, since its user compares
				 * checksums */
	char *path, *tmp_path;	/* owned */
};

/* mode: as of open(2), less the umask.  0; CFS_EACCESS, CFS_EIO, CFS_ENOMEM
 * (err names path).  Then one of the two below. */
int cfs_replacement_open(struct cfs_replacement *r, const char *path,
			 mode_t mode, struct cfs_error *err);
/* Syncs and closes what has been written, where it waits for others to be put
 * in place with it.  0 or CFS_EIO; commit or drop is still to come. */
int cfs_replacement_close(struct cfs_replacement *r, struct cfs_error *err);
/* Puts it in place.  0 or CFS_EIO; r is released either way. */
int cfs_replacement_commit(struct cfs_replacement *r, struct cfs_error *err);
/* Removes it; nothing was changed.  Does nothing after commit. */
void cfs_replacement_drop(struct cfs_replacement *r);

/* Removes the temporary files that earlier programs, killed meanwhile, have
 * left behind for a path that begins like this one: those that nobody holds. */
void cfs_replacement_sweep(const char *path);

/* All three at once. */
int cfs_file_replace(const char *path, struct cfs_slice bytes, mode_t mode,
		     struct cfs_error *err);

/*
 * Opens a file to read and write that an earlier run may have begun: makes it,
 * or takes one that is ours.  Ours is a regular file with one name, that
 * belongs to this user, is reached without a link, and is empty or begins with
 * `mark` (NULL: with anything, because another file vouches for it).  CFS_EIO
 * for any other, which is left as it is; CFS_EACCESS.
 */
int cfs_file_take(int *fd, const char *path, const char *mark, mode_t mode,
		  struct cfs_error *err);
/* Removes a file that is ours in that way, and leaves others. */
void cfs_file_untake(const char *path, const char *mark);

/* The folder that a path is in, malloced: "." for a name without a '/'.  NULL
 * without memory. */
char *cfs_folder_of(const char *path);

/* Makes sure that the name of a new file survives a crash, where the file
 * system can do that. */
void cfs_sync_folder_of(const char *path);

/* Makes a folder and those above it.  0, or -1 and errno. */
int cfs_make_folders(const char *path, mode_t mode);

/* A name below a folder has at most so many bytes. */
#define CFS_NAME_BYTES_MAX 4095u

/* True if a name that is relative to some folder cannot lead out of it: not
 * empty, not absolute, without NUL and without empty and ".." components. */
bool cfs_name_stays_below(struct cfs_slice name);

/* True if path is folder itself or something below it.  Both are absolute and
 * resolved (realpath(3)); a '/' at the end of folder does not matter. */
bool cfs_path_is_in(const char *path, const char *folder);

#endif
