/* signals.h - SIGINT, SIGTERM and SIGHUP end a command cleanly.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_SIGNALS_H
#define CFS_CLI_SIGNALS_H

#include "base/cancel.h"

/* From here on these signals raise the token that is returned; the third one
 * ends the program at once. */
const struct cfs_cancel *cfs_cli_catch_signals(void);

/* Undoes what a shell without job control does to a command with an &: SIGINT is
 * ignored there, with SIGQUIT.  For a command that ends with what started it;
 * under nohup, or where SIGINT alone is ignored, it stays ignored. */
void cfs_cli_hear_interrupt(void);

/* Gives them back their usual effect. */
void cfs_cli_release_signals(void);

#endif
