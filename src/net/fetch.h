/* fetch.h - ranges of remote objects, fetched by one thread for the process.
 *
 * The thread is started with the first job, ends with the process, and is
 * stopped and started again round a fork (a daemon goes on in the child).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_FETCH_H
#define CFS_NET_FETCH_H

#include "job.h"

/* Most bytes of one job. */
#define CFS_FETCH_MAX ((size_t)1 << 30)

/*
 * Makes a job for n bytes at off and hands it to the thread.  Holds a
 * reference on the source until it has ended.  With done == NULL the caller
 * owns *out and lets it go by cfs_fetch_wait or cfs_fetch_drop; else out may
 * be NULL.  came: see cfs_source_ops; may be NULL.
 */
int cfs_fetch_start(struct cfs_job **out, struct cfs_remote *r, uint64_t off,
		    size_t n, bool urgent, cfs_source_done *done, void *arg,
		    _Atomic uint64_t *came, struct cfs_error *err);

/* Waits, copies the bytes into buf (of job->n bytes), lets the job go.
 * CFS_EINTR soon after cancel is asked, CFS_ETIMEOUT soon after its deadline,
 * whatever the server does. */
int cfs_fetch_wait(struct cfs_job *job, void *buf, size_t *got,
		   const struct cfs_cancel *cancel, struct cfs_error *err);
void cfs_fetch_drop(struct cfs_job *job);	/* no longer wanted */

/* Ends the jobs of r that have a `done`, soon, with CFS_EINTR. */
void cfs_fetch_abandon(struct cfs_remote *r);

#endif
