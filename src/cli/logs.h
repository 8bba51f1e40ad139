/* logs.h - where the log of a mount goes: standard error, a file, syslog or the
 * journal.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_LOGS_H
#define CFS_CLI_LOGS_H

#include <stdbool.h>

#include "base/log.h"

/*
 * Prepares the log named by `typed`: "stderr", "syslog", "journal" or the name
 * of a file, which is created if missing.  NULL: syslog for a daemon, else
 * stderr.  Call it before the process goes to the background.
 *
 * 0, or CFS_EIO with a sentence.
 */
int cfs_logs_open(const char *typed, bool is_daemon, struct cfs_error *err);

/* Sends notices there from now on.  mountpoint is named in the journal. */
void cfs_logs_begin(const char *mountpoint, enum cfs_log_level up_to);

/* True once notices go elsewhere than to the standard error of commands. */
bool cfs_logs_are_elsewhere(void);

#endif
