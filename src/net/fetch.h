/* fetch.h - fetches ranges of remote objects, on one thread of the process.
 *
 * The thread starts with the first job and ends with the process.  After that
 * start, the process must not fork and continue in the child (doc/threads.md,
 * "Threads").
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_FETCH_H
#define CFS_NET_FETCH_H

#include "transfer.h"

/* Most bytes of a job. */
#define CFS_FETCH_MAX ((size_t)1 << 30)

/*
 * Makes a job for n bytes at off and submits it to the thread.  The job holds a
 * reference to the source until it has ended.  With done == NULL the caller
 * owns *out and releases it by cfs_fetch_wait or cfs_fetch_drop; else out may
 * be NULL.  came: see cfs_source_ops; may be NULL.  CFS_ELIMIT, CFS_ENOMEM, or
 * CFS_EIO if the thread cannot be started.
 */
int cfs_fetch_start(struct cfs_job **out, struct cfs_remote *r, uint64_t off,
		    size_t n, bool urgent, cfs_source_done *done, void *arg,
		    _Atomic uint64_t *came, struct cfs_error *err);

/* Waits, copies the bytes into buf (of job->n bytes) and releases the job.
 * Returns CFS_EINTR soon after a cancellation and CFS_ETIMEOUT soon after the
 * deadline, whatever the server does; else the result of the job. */
int cfs_fetch_wait(struct cfs_job *job, void *buf, size_t *got,
		   struct cfs_ctx ctx);
/* Releases a job whose bytes are no longer wanted. */
void cfs_fetch_drop(struct cfs_job *job);

/* Soon ends those jobs of r that have a `done`, with CFS_EINTR. */
void cfs_fetch_abandon(struct cfs_remote *r);

#endif
