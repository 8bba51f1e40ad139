/* callers.h - recognises callers that need the true size of a file before they
 * open it.
 *
 * A size that the index does not have is estimated until the file is opened; a
 * program that opens it gets the true one.  Some callers ask for a size and
 * pass it on to programs that stop reading there, or fill up with zeros:
 * overlayfs when it copies a file up, other FUSE file systems (bindfs), servers
 * of NFS and SMB.  They are given true sizes only.
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
 * The kernel may keep estimated sizes, and answer every program with them,
 * until a caller that needs true ones may be present: an overlay is being
 * mounted, or the table of mounts has another FUSE file system.  From then on
 * cfs_callers_may_keep is false, and `forget` has the kernel drop what it
 * keeps.  A thread of its own calls forget at most twice, before
 * cfs_callers_stop.  Call this before the first request; CFS_ENOMEM: the kernel
 * may keep none from the start.
 */
int cfs_callers_watch(struct cfs_callers *c, void (*forget)(void *arg),
		      void *arg);
void cfs_callers_stop(struct cfs_callers *c);

/* May the kernel keep estimated sizes?  False for good after keep_none. */
bool cfs_callers_may_keep(const struct cfs_callers *c);
void cfs_callers_keep_none(struct cfs_callers *c);

/*
 * Thread `tid` has sent the request that statfs(2) sends, as overlayfs does for
 * each layer while it is mounted.  True if the answer is held back: answer(arg)
 * runs on another thread once the kernel has forgotten all sizes.  False if the
 * caller may answer at once.
 */
bool cfs_callers_hold_statfs(struct cfs_callers *c, pid_t tid,
			     void (*answer)(void *arg), void *arg);

/*
 * Must thread `tid` (0: one that cannot be seen) be given true sizes?  Yes if
 * in doubt, and for every thread while a FUSE mount, seen by us or by the
 * caller, is a lower layer of an overlay.
 */
bool cfs_callers_need_size(struct cfs_callers *c, pid_t tid);

#endif
