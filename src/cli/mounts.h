/* mounts.h - what is mounted where, and unmounting.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_MOUNTS_H
#define CFS_CLI_MOUNTS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/mounttable.h"

#define CFS_MOUNT_TYPE "fuse.crawlfs"

/* The uppermost mount at exactly this absolute path.  0 or CFS_ENOTFOUND. */
int cfs_mounts_at(const char *path, struct cfs_mounted *out);
/* The mount with that device whose mount point is above `path`.  0 or
 * CFS_ENOTFOUND. */
int cfs_mounts_of(dev_t dev, const char *path, struct cfs_mounted *out);

/* Calls fn with the mount point of each crawl, in the order of mounting. */
void cfs_mounts_each(void (*fn)(void *arg, const char *point), void *arg);

/* How a mount is, or what else is at a path. */
enum cfs_mount_state {
	CFS_MOUNT_ALIVE,
	CFS_MOUNT_DEAD,		/* its process is gone */
	CFS_MOUNT_SILENT,	/* its process is stopped, or hangs */
};

#define CFS_MOUNT_SILENT_TEXT \
	"the mount does not answer: its process is stopped, or hangs"

/*
 * The real path of a directory that may be a dead mount, which realpath(3)
 * cannot enter, or a silent one, in which every call hangs: another process
 * makes the calls, and is waited for no longer than a few seconds.  A path in a
 * mount that answers is waited for as long as that takes.  Malloced; NULL with
 * errno.  Call it while there is one thread.
 */
char *cfs_mounts_realpath(const char *path, enum cfs_mount_state *state);

/*
 * Is this "/dev/fd/N", a descriptor of FUSE's device that the program which
 * started this one passes in, after it has mounted it?  *fd is N, or -1.
 *  Closes it in programs that are started from here.  0; CFS_ENOTFOUND: it is
 *  another
 * path; CFS_EUSAGE: N is not such a descriptor.
 */
int cfs_mounts_passed(const char *path, int *fd, struct cfs_error *err);

/*
 * Puts the mount at `from` in place of the uppermost one at `at`, which is
 * detached: at no moment is there none, and files that are open in it stay
 * open.  The folder `from` is free afterwards.  Needs root and Linux 6.5.
 * CFS_EIO: all is as before.
 */
int cfs_mounts_replace(const char *from, const char *at, struct cfs_error *err);

/* Symbolic links in the mount at that path are not followed from now on
 * (nosymfollow).  0 or CFS_EIO: it takes root. */
int cfs_mounts_follow_none(const char *path, struct cfs_error *err);

/* Unmounts with umount2(2) as root, else with `fusermount3 -u`. */
int cfs_mounts_unmount(const char *path, bool lazily, struct cfs_error *err);

#endif
