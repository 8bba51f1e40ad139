/* request_loop.h - threads that receive and answer the kernel's requests.
 *
 * They are begun and ended as those of libfuse's loop, and the kernel chooses
 * which of them receives a request.  Unlike that loop, this one goes on when
 * there is no memory for a thread or for its buffer.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_REQUEST_LOOP_H
#define CFS_FUSE_REQUEST_LOOP_H

struct fuse_session;

/*
 * Answers requests until the session ends.
 *
 * threads  the most at a time; at least 1
 * idle     so many may wait for a request: others end
 *
 * Returns 0 or a negative errno: -EPERM if a descriptor that was passed in is
 * not mounted.  Signals are delivered to the calling thread.
 */
int cfs_request_loop_run(struct fuse_session *se, unsigned threads,
			 unsigned idle);

#endif
