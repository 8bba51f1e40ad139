/* ordered.h - jobs that are planned one after the other, done on several
 * threads, and settled in the order in which they were planned.
 *
 *     plan --> job 1, job 2, ... --> work, on any thread --> settle 1, settle 2
 *
 * Jobs are planned as threads ask for them, at most CFS_ORDERED_PLANNED ahead
 * for each thread, and none while the unsettled ones hold too many bytes.  The
 * thread that finds the first job done settles it.  So the run needs no thread
 * of its own for the results, and a slow job delays only those behind it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_ORDERED_H
#define CFS_BASE_ORDERED_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "cancel.h"
#include "error.h"

/* Jobs planned but not yet settled, for each thread. */
#define CFS_ORDERED_PLANNED 4u

/* Jobs that may become void together, as those of one archive do.  The caller
 * owns it, zeroed, for as long as the run lasts. */
struct cfs_ordered_group {
	bool is_void;			/* guarded by the run's lock */
};

/* The first member of a caller's job. */
struct cfs_ordered_job {
	struct cfs_ordered_group *group;	/* set by `plan`, or NULL */
	/* Set by the run: */
	struct cfs_ordered_job *next;
	uint64_t held;			/* bytes; guarded by the lock */
	bool is_done, is_void;		/* guarded by the lock */
};

struct cfs_ordered_ops {
	/* Plans the next job; *out is NULL behind the last.  One thread at a
	 * time calls it.  0, or a failure that ends the run. */
	int (*plan)(void *arg, struct cfs_ordered_job **out,
		    struct cfs_error *err);
	/* Does a job, on any thread.  What fails stays in the job, for
	 * `settle`. */
	void (*work)(void *arg, struct cfs_ordered_job *job, void *worker);
	/* Takes the result of a job that was done, once all before it are
	 * settled; one thread at a time calls it.  0, or what ends the run. */
	int (*settle)(void *arg, struct cfs_ordered_job *job, void *worker,
		      struct cfs_error *err);
	void (*free_job)(void *arg, struct cfs_ordered_job *job);
	/* Make and free the data of one thread.  NULL: nothing; then `worker`
	 * is NULL.  A result of NULL is out of memory. */
	void *(*worker_new)(void *arg);
	void (*worker_free)(void *worker);
	/* Shows progress; the caller's thread calls it.  NULL: none. */
	void (*show)(void *arg);
};

struct cfs_ordered {
	/* Set by the caller: */
	const struct cfs_ordered_ops *ops;
	void *arg;
	unsigned threads;		/* 1 to CFS_POOL_MAX */
	uint64_t bytes_max;		/* held by unsettled jobs; 0: any */
	const struct cfs_cancel *outer;	/* ends the run */
	/* Asked by the jobs: it is cancelled by `outer` and by a failure. */
	struct cfs_cancel cancel;
	/* Private: */
	atomic_bool is_stopped;
	pthread_mutex_t plan_lock;	/* held during `plan`; taken before
					 * `lock` */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct cfs_ordered_job *head, **tail;	/* guarded by lock, as are: */
	unsigned planned;
	uint64_t held;
	bool is_settling;
	int rc;				/* the first failure */
	struct cfs_error error;
};

/* Makes a zeroed structure ready, of which the caller has set the first part.
 * Release it in any case. */
void cfs_ordered_init(struct cfs_ordered *o);
void cfs_ordered_release(struct cfs_ordered *o);

/*
 * Plans, does and settles all jobs.  After a failure nothing further is
 * settled, and the jobs under way are asked to stop.
 *
 * Returns the first failure in time, CFS_EINTR if `outer` was cancelled, or
 * CFS_ENOMEM if no thread can be started.
 */
int cfs_ordered_run(struct cfs_ordered *o, struct cfs_error *err);

/*
 * For `work` and `settle`, which pass on a part of a result early: tells
 * whether all jobs before this one are settled.  If they are, none behind it is
 * settled before this one.
 *
 * must     wait until it is so; otherwise the call waits only while the
 *          unsettled jobs together hold too many bytes
 * is_turn  receives the answer; always true after a wait
 *
 * Returns 0; CFS_END if the job is void; CFS_EINTR.
 */
int cfs_ordered_turn(struct cfs_ordered *o, const struct cfs_ordered_job *job,
		     bool must, bool *is_turn, struct cfs_error *err);

/* Says how many bytes a job holds now. */
void cfs_ordered_hold(struct cfs_ordered *o, struct cfs_ordered_job *job,
		      uint64_t bytes);

/* For `work` and `settle`: makes all jobs of this one's group void that are
 * behind it, also those that are planned later.  They are not settled. */
void cfs_ordered_void(struct cfs_ordered *o, const struct cfs_ordered_job *job);

#endif
