/* signals.h - lets signals end a command cleanly.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_SIGNALS_H
#define CFS_CLI_SIGNALS_H

#include "base/cancel.h"

/* Makes writes to a closed pipe, or past the file size limit (ulimit -f), fail
 * instead of killing the process, which would leave temporary files behind. */
void cfs_cli_fail_writes(void);

/* From now on the signals that end a program (base/daemon.h) raise the returned
 * token; the third one ends the program at once. */
const struct cfs_cancel *cfs_cli_catch_signals(void);

/* Undoes what a shell without job control does to a command with an `&`: it
 * ignores SIGINT and SIGQUIT.  For commands that should end with the process
 * that started them.  Under nohup, or if SIGINT alone is ignored, it stays
 * ignored. */
void cfs_cli_hear_interrupt(void);

/* From now on SIGHUP, unless it is ignored, ends nothing but is remembered
 * until it is taken. */
void cfs_cli_hear_hangup(void);
/* True if a SIGHUP has come since the last call. */
bool cfs_cli_take_hangup(void);

/* Restores the signals' default effect. */
void cfs_cli_release_signals(void);

/* The same for the signals that libfuse catches if they have their default
 * effect, SIGINT, SIGTERM and SIGHUP; each of the others sends it a SIGTERM. */
void cfs_cli_hand_signals_over(void);

#endif
