/* daemon.h - a process that goes to the background once it is ready.
 *
 * It forks first, before any thread is started.  The process in front waits
 * for the one behind, which works on in its place, on its terminal and in its
 * process group, until it reports that it is ready, or ends.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_DAEMON_H
#define CFS_BASE_DAEMON_H

/* Signals that end a program which does nothing about them, other than those of
 * faults in it (signal(7)): it is to end cleanly instead.  SIGPIPE and SIGXFSZ
 * are not among them: they are ignored, and the write fails. */
#define CFS_ENDING_SIGNALS 12
extern const int cfs_ending_signals[CFS_ENDING_SIGNALS];

struct cfs_daemon {
	int report;		/* a pipe to the process in front */
};

/*
 * Forks.  Call it while there is one thread.
 *
 * interrupted  what the process in front exits with at once, ending the other
 *              one, when it gets its third signal that ends it; the first
 *              one it hands on
 * status       in front: what to exit with
 *
 * Returns 0 in the process behind, which is to call cfs_daemon_ready or to
 * exit; it gets a SIGTERM when the process in front ends before.  Returns 1 in
 * front, when the other one is ready (*status is 0) or has exited (its
 * status); if that was killed this one dies of the same signal.  Returns -1
 * and errno if there can be no other process.
 */
int cfs_daemon_fork(struct cfs_daemon *d, int interrupted, int *status);

/* Closes what the program that started this one has left open, above standard
 * error and but for `keep` (-1: nothing): a process in the background would
 * hold its locks and pipes for ever.  Before anything is opened here. */
void cfs_daemon_close_inherited(int keep);

/* Leaves session, folder and terminal behind, and reports.  0, or -1 and
 * errno. */
int cfs_daemon_ready(struct cfs_daemon *d);

#endif
