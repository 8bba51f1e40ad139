/* callers.h - who takes the size of a file before opening it, for others.
 *
 * A size that the index does not know is estimated until the file is opened; a
 * program that opens it is told the true one.  Some ask for a size, and hand it
 * on to somebody who reads no further, or fills up with zeros: overlayfs when
 * it copies a file up, other FUSE file systems (bindfs), the servers of NFS and
 * SMB.  They are given true sizes only.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_CALLERS_H
#define CFS_FUSE_CALLERS_H

#include <stdbool.h>
#include <sys/types.h>

struct cfs_callers;		/* threads share it */

struct cfs_callers *cfs_callers_new(void);	/* or NULL */
void cfs_callers_free(struct cfs_callers *c);	/* accepts NULL */

/*
 * The kernel keeps sizes that are not certain, and answers everybody with them,
 * until one of those callers may be there: an overlay is being mounted, or the
 * table of mounts has another FUSE file system.  Then it is to forget them all,
 * and to be told no more that it may keep.  forget is called at most twice,
 * from a thread of its own, until cfs_callers_stop.  Call it before the first
 * request; CFS_ENOMEM: it may keep none from the start.
 */
int cfs_callers_watch(struct cfs_callers *c, void (*forget)(void *arg),
		      void *arg);
void cfs_callers_stop(struct cfs_callers *c);

/* May the kernel keep sizes that are not certain?  No more after keep_none. */
bool cfs_callers_may_keep(const struct cfs_callers *c);
void cfs_callers_keep_none(struct cfs_callers *c);

/*
 * Thread `tid` asks what statfs(2) asks, as overlayfs does of each layer while
 * it is mounted.  Then the answer, answer(arg), is given when the kernel has
 * forgotten all sizes, from another thread.  False if it may be given at once.
 */
bool cfs_callers_hold_statfs(struct cfs_callers *c, pid_t tid,
			     void (*answer)(void *arg), void *arg);

/*
 * Must what thread `tid` is told as a size be true?  0: a thread that cannot be
 * seen.  If in doubt it must.  True for everybody while a FUSE mount, seen by
 * us or by the caller, is a lower layer of an overlay.
 */
bool cfs_callers_need_size(struct cfs_callers *c, pid_t tid);

#endif
