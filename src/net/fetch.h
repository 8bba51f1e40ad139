/* fetch.h - ranges of remote objects, fetched by one thread for the process.
 *
 * The thread is started with the first job, ends with the process, and is
 * stopped and started again round a fork (a daemon goes on in the child).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_FETCH_H
#define CFS_NET_FETCH_H

#include <pthread.h>

#include "base/buf.h"
#include "hosts.h"
#include "s3.h"

/* Most bytes of one job. */
#define CFS_FETCH_MAX ((size_t)1 << 30)

/* One remote object: where to ask, and what it is known to be. */
struct cfs_remote {
	struct cfs_source *src;		/* that embeds it; set by its owner */
	/* Changed by the event thread only, once it has found the region: */
	struct cfs_host *host;
	char *url;			/* to ask; owned */
	char region[CFS_S3_REGION_BYTES];	/* empty: that of the settings */
	char *user;			/* "name:password" or NULL; owned */
	bool sign;			/* for S3 */
	atomic_uint abandoned;		/* times; see cfs_fetch_abandon */
	pthread_mutex_t lock;
	/* guarded by lock: the state all answers must be of; empty and
	 * CFS_SIZE_UNKNOWN where not told yet */
	char etag[CFS_ETAG_MAX], modified[40];
	uint64_t total;
};

/* Notes what an answer tells of the object and compares it with what others
 * told.  a may be NULL.  CFS_ECHANGED when it is another state of it. */
int cfs_remote_learn(struct cfs_remote *r, const struct cfs_answer *a,
		     uint64_t total, struct cfs_error *err);

/* One range, wanted by somebody who waits, or with a `done` to call. */
struct cfs_job {
	struct cfs_job *next, *prev;
	struct cfs_remote *remote;
	struct cfs_host *host;		/* whose queue it is in */
	uint64_t off;
	size_t n;			/* 1 to CFS_FETCH_MAX */
	bool urgent;			/* somebody waits: before the others */
	cfs_source_done *done;		/* NULL: cfs_fetch_wait */
	void *arg;
	_Atomic uint64_t *came;		/* bytes, the most of all tries */
	_Atomic uint64_t own_came;	/* where that is nobody else's */
	atomic_uint refs;
	atomic_bool unwanted;		/* the waiter has left */
	unsigned abandoned;		/* remote->abandoned when it was made */
	/* the event thread's */
	struct cfs_buf body;
	int64_t deadline_ms;		/* put off by what has come */
	int64_t due_ms;
	unsigned tries;
	bool moved;			/* to another region of S3 */
	struct cfs_verdict last;	/* why it was not the last try */
	/* for the waiter */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_done;			/* guarded by lock */
	int code;			/* guarded by lock; then read only */
	struct cfs_error err;
};

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

/* ---- settings, for the files of this module ---------------------------- */

struct cfs_http_settings {
	unsigned parallel, timeout_ms, stall_ms;
	char *ca_file, *ca_folder, *user_agent;
	struct cfs_s3_setup s3;
	bool is_set;
};
/* Locks the settings (made from the defaults when nobody set them); NULL and
 * no lock when that fails. */
const struct cfs_http_settings *cfs_http_settings_get(struct cfs_error *err);
void cfs_http_settings_put(void);

int64_t cfs_now_us(void);	/* monotonic */

#endif
