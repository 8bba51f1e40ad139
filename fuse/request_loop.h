/* request_loop.h - receives the kernel's requests by threads that take turns,
 * as leader and followers.
 *
 * A thread whose turn it is receives a request and answers it, with no other
 * thread woken: that costs half of what passing it on does.  Before it waits
 * (cfs_thread_will_wait), it hands its turn on, and a follower receives the
 * next request.  A turn whose request takes long is handed on, too.  There are
 * three turns; when they are never at rest and a processor is, there is another
 * one, and so on.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_REQUEST_LOOP_H
#define CFS_FUSE_REQUEST_LOOP_H

struct fuse_session;

struct cfs_request_loop_opts {
	unsigned threads;	/* the most at a time; at least 1 */
	unsigned idle;		/* so many followers wait for their turn:
				 * others end */
};

/*
 * Receives and processes requests of the mounted session until it is unmounted
 * or ended by fuse_session_exit (a signal handler calls that).  Signals are
 * delivered to the calling thread.
 *
 * Returns 0, or a negative errno: receiving failed, or no thread could be
 * started.
 */
int cfs_request_loop_run(struct fuse_session *se,
			 const struct cfs_request_loop_opts *opts);

#endif
