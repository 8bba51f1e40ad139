/* messages.h - exit statuses, lines on standard error, the log of a mount, and
 * messages to a service manager.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_MESSAGES_H
#define CFS_CLI_MESSAGES_H

#include <stdbool.h>

#include "base/error.h"
#include "base/log.h"

/* Exit statuses of the program. */
enum {
	CFS_EXIT_OK = 0,
	CFS_EXIT_FAILURE = 1,
	CFS_EXIT_USAGE = 2,
	/* of export, where CFS_EXIT_FAILURE says that rows have errors */
	CFS_EXIT_UNFINISHED = 3,
	CFS_EXIT_INTERRUPTED = 130,	/* as a shell reports SIGINT */
};

/* Prints one line on stderr, "crawlfs: ...", safe for terminals. */
void cfs_cli_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Reports wrong arguments and points to the help of that command (NULL: of the
 * program).  Returns CFS_EXIT_USAGE. */
int cfs_cli_usage(const char *command, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Prints a library's error and returns the exit status for `code`, which is
 * CFS_EXIT_OK for CFS_OK. */
int cfs_cli_end(int code, const struct cfs_error *err);

/* Sends the library's notices of that level and more severe ones to stderr. */
void cfs_cli_log_to_stderr(enum cfs_log_level up_to);

/* ---- the log of a mount (logs.c) ---- */

/*
 * Opens the log named by `typed`: "stderr", "syslog", "journal" or the name
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

/* ---- to a service manager (notify.c) ----
 *
 * By the protocol of sd_notify(3), for systemd units with Type=notify. */

/* Report that the service is ready, and that it is ending.  Nothing happens if
 * the environment names no socket, or nobody listens there. */
void cfs_notify_ready(void);
void cfs_notify_stopping(void);

#endif
