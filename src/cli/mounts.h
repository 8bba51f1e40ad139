/* mounts.h - finds mounts and their state, replaces them and unmounts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_MOUNTS_H
#define CFS_CLI_MOUNTS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/mounttable.h"
#include "base/slice.h"
#include "options.h"

#define CFS_MOUNT_TYPE "fuse.crawlfs"

/* Finds the topmost mount at exactly this absolute path.  0, CFS_ENOTFOUND, or
 * CFS_EIO where there is no table. */
int cfs_mounts_at(const char *path, struct cfs_mounted *out);
/* Finds the mount of that device whose mount point is above `path`.  Results as
 * those of cfs_mounts_at. */
int cfs_mounts_of(dev_t dev, const char *path, struct cfs_mounted *out);
/* Makes the error of a path that is not what it should be by a result of these
 * functions: "'PATH' WHAT", or that nothing is known.  Returns its code. */
int cfs_mounts_refuse(int rc, const char *path, const char *what,
		      struct cfs_error *err);

/* How many items a list in .crawlfs/config of the mount at `point` has; those
 * that are `word`, unless it is NULL.  0 if the file cannot be read. */
size_t cfs_mounts_config(const char *point, const char *list,
			 const struct cfs_slice *word);

/* Calls fn with the mount point of each crawl, in the order of mounting. */
void cfs_mounts_each(void (*fn)(void *arg, const char *point), void *arg);

/* The state of a mount, or of another path (ALIVE). */
enum cfs_mount_state {
	CFS_MOUNT_ALIVE,
	CFS_MOUNT_DEAD,		/* its process is gone */
	CFS_MOUNT_SILENT,	/* its process is stopped, or hangs */
};

#define CFS_MOUNT_SILENT_TEXT \
	"the mount does not answer: its process is stopped, or hangs"

/*
 * Resolves the real path of a directory that may be a dead mount, which
 * realpath(3) cannot enter, or a silent one, in which every call hangs.
 * Another process makes the calls, and is waited for a few seconds at most; for
 * a path in a mount that answers, as long as it takes.  Malloced; NULL with
 * errno.  Call it while there is only one thread.
 */
char *cfs_mounts_realpath(const char *path, enum cfs_mount_state *state);

/*
 * Recognises "/dev/fd/N": a descriptor of FUSE's device, passed in by a parent
 * program that has mounted it.  Sets *fd to N, or -1, and marks it
 * close-on-exec.  0; CFS_ENOTFOUND: another path; CFS_EUSAGE: N is not such a
 * descriptor.
 */
int cfs_mounts_passed(const char *path, int *fd, struct cfs_error *err);

/*
 * Replaces the topmost mount at `at` by the one at `from`, and detaches the old
 * one: there is a mount at every moment, and files open in the old one stay
 * open.  The folder `from` is free afterwards.  Needs root and Linux 6.5.
 * CFS_EIO: nothing has changed.
 */
int cfs_mounts_replace(const char *from, const char *at, struct cfs_error *err);

/* Makes the mount at that path stop following symbolic links (nosymfollow).  0
 * or CFS_EIO; needs root. */
int cfs_mounts_follow_none(const char *path, struct cfs_error *err);

/* Unmounts with umount2(2) as root, else with `fusermount3 -u`. */
int cfs_mounts_unmount(const char *path, bool lazily, struct cfs_error *err);

/* ---- mount -o remount (remount.c) ---- */

/*
 * Gives the crawl at the mount point `typed` the flags (nosuid, noexec, ...)
 * among the words in `o`.  0; CFS_EUSAGE: a word contradicts how the mount was
 * made, and nothing has changed; CFS_EIO: it is not a crawlfs mount, it does
 * not answer, or the kernel refuses.
 */
int cfs_remount(const struct cfs_options *o, const char *typed,
		struct cfs_error *err);

#endif
