/* descriptors.h - the descriptors of the process: how many there may be, and
 * what is closed when there are none left.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_DESCRIPTORS_H
#define CFS_BASE_DESCRIPTORS_H

#include <stdbool.h>

#include "budget.h"

/* The cost of an open file in the account below. */
#define CFS_DESCRIPTOR_COST ((uint64_t)1 << 20)

/* Raises the soft limit to the hard one.  Call it before there are threads. */
void cfs_descriptors_raise(void);

/* The account of files that caches of the process keep open, all kinds as one:
 * at most a quarter of the limit.  NULL: out of memory; nothing is counted. */
struct cfs_budget *cfs_descriptors_account(void);

/* As openat(2) with O_CLOEXEC.  If there are no descriptors left, files of the
 * account that nobody uses are closed, and it is tried again for a fraction of
 * a second.  Call it without locks, or with those that may be held when the
 * givers of a budget are asked (doc/threads.md). */
int cfs_openat(int dirfd, const char *path, int flags, unsigned mode);

#endif
