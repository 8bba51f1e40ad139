/* remount.h - `mount -o remount`: changes what can change of a mount.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_REMOUNT_H
#define CFS_CLI_REMOUNT_H

#include "options.h"

/*
 * The crawl at the mount point `typed` gets the flags (nosuid, noexec, ...)
 * among the words in `o`.  0; CFS_EUSAGE: one says something else than the
 * mount was made with, and nothing has changed; CFS_EIO: it is no mount of
 * ours, it does not answer, or the kernel refuses.
 */
int cfs_remount(const struct cfs_options *o, const char *typed,
		struct cfs_error *err);

#endif
