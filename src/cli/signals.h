/* signals.h - signals end a command cleanly, or not at all.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_SIGNALS_H
#define CFS_CLI_SIGNALS_H

#include "base/cancel.h"

/* A pipe without a reader and a file as long as it may be (ulimit -f) are
 * writes that fail, and no death which leaves temporary files behind. */
void cfs_cli_fail_writes(void);

/* From here on the signals that end a program (base/daemon.h) raise the token
 * that is returned; the third one ends the program at once. */
const struct cfs_cancel *cfs_cli_catch_signals(void);

/* Undoes what a shell without job control does to a command with an &: SIGINT
 * is ignored there, with SIGQUIT.  For a command that ends with what started
 * it; under nohup, or where SIGINT alone is ignored, it stays ignored. */
void cfs_cli_hear_interrupt(void);

/* Gives them back their usual effect. */
void cfs_cli_release_signals(void);

/* The same for those that libfuse catches where they have it, SIGINT, SIGTERM
 * and SIGHUP; each of the others is a SIGTERM to it. */
void cfs_cli_hand_signals_over(void);

#endif
