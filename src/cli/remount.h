/* remount.h - `mount -o remount`: changes the flags of a mount.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_REMOUNT_H
#define CFS_CLI_REMOUNT_H

#include "options.h"

/*
 * Gives the crawl at the mount point `typed` the flags (nosuid, noexec, ...)
 * among the words in `o`.  0; CFS_EUSAGE: a word contradicts how the mount was
 * made, and nothing has changed; CFS_EIO: it is not a crawlfs mount, it does
 * not answer, or the kernel refuses.
 */
int cfs_remount(const struct cfs_options *o, const char *typed,
		struct cfs_error *err);

#endif
