/* daemon.h - runs a program in the background once it is ready.
 *
 * The program forks before it starts a thread.  The parent, in the foreground,
 * waits until the child reports that it is ready, or exits.  Until then the
 * child keeps the terminal and the process group.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_DAEMON_H
#define CFS_BASE_DAEMON_H

/* Signals that terminate a program by default, except those for faults in it
 * (signal(7)): programs catch them to end cleanly.  SIGPIPE and SIGXFSZ are not
 * among them: they are ignored, so that the write fails. */
#define CFS_ENDING_SIGNALS 12
extern const int cfs_ending_signals[CFS_ENDING_SIGNALS];

struct cfs_daemon {
	int report;		/* a pipe to the parent */
};

/*
 * Forks.  Call it while there is only one thread.
 *
 * interrupted  exit status of the parent after its third terminating signal,
 *              when it kills the child and exits at once; the first signal is
 *              forwarded to the child
 * status       set in the parent: what to exit with
 *
 * Returns 0 in the child, which must call cfs_daemon_ready or exit; it gets a
 * SIGTERM if the parent ends before that.  Returns 1 in the parent once the
 * child is ready (*status is 0) or has exited (*status is its status); if the
 * child was killed, the parent dies of the same signal.  Returns -1 and errno
 * if the fork fails.
 */
int cfs_daemon_fork(struct cfs_daemon *d, int interrupted, int *status);

/* Opens /dev/null for standard descriptors that are closed, so that files that
 * are opened later do not get them.  0 or -1. */
int cfs_daemon_fill_standard(void);

/* Closes inherited descriptors above standard error, except `keep` (-1: none):
 * a background process would hold their locks and pipes indefinitely.  Call it
 * before anything is opened. */
void cfs_daemon_close_inherited(int keep);

/* Detaches from session, working folder and terminal, and reports to the parent
 * that the child is ready.  0, or -1 and errno. */
int cfs_daemon_ready(struct cfs_daemon *d);

#endif
