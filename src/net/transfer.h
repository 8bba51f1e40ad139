/* transfer.h - a job, which fetches a range of a remote object, and a transfer,
 * which is one request for it by libcurl.
 *
 * A job belongs to the event thread (fetch.c) from submission to end; a caller
 * that waits for the bytes keeps a reference.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_TRANSFER_H
#define CFS_NET_TRANSFER_H

#include <curl/curl.h>

#include "base/buf.h"
#include "outage.h"
#include "address.h"
#include "remote.h"

struct cfs_job {
	struct cfs_job *next, *prev;	/* in the list that has it */
	struct cfs_remote *remote;
	struct cfs_host *host;		/* whose queue has it */
	struct cfs_transfer *transfer;	/* the present request, or NULL */
	uint64_t off;
	size_t n;			/* 1 to CFS_FETCH_MAX */
	bool urgent;			/* a reader waits: takes precedence */
	cfs_source_done *done;		/* NULL: cfs_fetch_wait */
	void *arg;
	_Atomic uint64_t *came;		/* most bytes of all tries so far */
	_Atomic uint64_t own_came;	/* for jobs without a `came` */
	atomic_uint refs;
	atomic_bool unwanted;		/* the waiter has given up */
	unsigned abandoned;		/* remote->abandoned when made */
	/* for the event thread */
	struct cfs_buf body;
	int64_t deadline_ms;		/* extended by bytes received */
	int64_t due_ms;
	unsigned tries;			/* since bytes came last */
	unsigned parts;			/* answers that had less than asked */
	bool moved;			/* sent to another region of S3 */
	bool is_rekeyed;		/* credentials were refused once */
	bool awaits_keys;		/* sent again only with other ones */
	unsigned generation;		/* than those of this generation */
	bool is_probe;			/* it probes a server that is down */
	struct cfs_verdict last;	/* the last failed try's */
	struct cfs_failed_try failed;	/* the same about the server; text
					 * not kept */
	/* for the waiter */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_done;			/* guarded by lock */
	int code;			/* guarded by lock; constant
					 * once done */
	struct cfs_error err;
};

/* Makes a job for n bytes at off, with one reference; it keeps the remote's
 * source open.  NULL: out of memory. */
struct cfs_job *cfs_job_new(struct cfs_remote *r, uint64_t off, size_t n);
void cfs_job_unref(struct cfs_job *job);

/* Calls `done` or wakes the waiter, and drops one reference. err says why the
 * job failed, unless code is 0. */
void cfs_job_end(struct cfs_job *job, int code, const struct cfs_error *err);

bool cfs_job_is_unwanted(const struct cfs_job *job);

/* The deadline, on the monotonic clock.  New bytes extend it; the same bytes
 * sent again do not. */
int64_t cfs_job_deadline_ms(const struct cfs_job *job);

/* A job is in one list at most. */
void cfs_job_list_push(struct cfs_job_list *l, struct cfs_job *job);
void cfs_job_list_remove(struct cfs_job_list *l, struct cfs_job *job);

struct cfs_transfer {
	struct cfs_transfer *next;	/* in the pool of unused ones */
	CURL *easy;
	struct curl_slist *headers;
	struct cfs_job *job;
	struct cfs_answer answer;
	struct cfs_verdict verdict;
	bool is_judged;
	bool is_learnt;		/* its facts were compared with earlier ones */
	uint64_t skipped;	/* bytes before those asked for */
	bool follows;		/* follows redirections */
	struct cfs_redirect redirect;
	bool is_signed;
	unsigned generation;	/* the generation of the credentials used */
	char region[CFS_S3_REGION_BYTES];	/* it was signed for; empty:
						 * that of the settings */
	size_t before;		/* bytes the job already had */
	size_t dropped;		/* bytes of a refused answer's body */
	struct cfs_buf refusal;	/* these, if they may hold an S3 error */
	char code[64];		/* that error's, or empty */
	int64_t started_us, first_us, last_us;
	unsigned stall_ms;
	char text[CURL_ERROR_SIZE];
};

struct cfs_transfer *cfs_transfer_new(void);	/* NULL without memory */
void cfs_transfer_free(struct cfs_transfer *t);	/* accepts NULL */

/* Prepares a request for what the job still lacks. t may have been
 * used before. */
int cfs_transfer_setup(struct cfs_transfer *t, struct cfs_job *job,
		       struct cfs_error *err);

/* Completes t->verdict after the request has ended with `code`.  The kind is
 * CFS_VERDICT_BYTES only if all announced bytes have arrived. */
void cfs_transfer_end(struct cfs_transfer *t, CURLcode code);

/* The result of the ended request, for the server's record of outages. */
enum cfs_try cfs_transfer_kind(const struct cfs_transfer *t);

/* ---- whether a request that failed is sent again (retry.c) ------------- */

/* True if a job that may be sent again has had all the tries it gets. */
bool cfs_retry_is_enough(const struct cfs_job *job);

/* Drops bytes of the job that are not sure to belong to what comes next. */
void cfs_retry_drop_unsure(const struct cfs_transfer *t);

/* If the request was signed for the wrong region, and the answer names another
 * one: true, and the job is to be sent again, once. */
bool cfs_retry_moves_region(const struct cfs_transfer *t);

/* If the credentials were refused, and others may be accepted: true, and the
 * job is to be sent again, once. */
bool cfs_retry_changes_keys(const struct cfs_transfer *t);

/* Notes a refusal.  An error code of S3 shows that it is about the object or
 * the credentials; otherwise a refusal of what was sent before is probably
 * about the client. */
void cfs_retry_note_forbidden(const struct cfs_transfer *t);

/* True for a refusal that is taken for throttling.  One with a code of S3 is
 * final, as long as nothing of that server was ever read. */
bool cfs_retry_is_throttled(const struct cfs_transfer *t);

/* ---- the thread that fetches (fetch.c) --------------------------------- */

/* The thread starts with the first job and ends with the process. After that
 * start, the process must not fork and continue in the child (doc/threads.md,
 * "Threads"). */

/* Most bytes of a job. */
#define CFS_FETCH_MAX ((size_t)1 << 30)

/*
 * Makes a job for n bytes at off and submits it to the thread.  The job holds a
 * reference to the source until it has ended.  With done == NULL the caller
 * owns *out and releases it by cfs_fetch_drop; else out may be NULL.  came: see
 * cfs_source_ops; may be NULL.  CFS_ELIMIT, CFS_ENOMEM, or CFS_EIO if the
 * thread cannot be started.
 */
int cfs_fetch_start(struct cfs_job **out, struct cfs_remote *r, uint64_t off,
		    size_t n, bool urgent, cfs_source_done *done, void *arg,
		    _Atomic uint64_t *came, struct cfs_error *err);

/* Waits, and lends the bytes as long as the caller has the job.  Returns
 * CFS_EINTR soon after a cancellation and CFS_ETIMEOUT soon after the deadline,
 * whatever the server does; else the result of the job. */
int cfs_fetch_wait(struct cfs_job *job, struct cfs_slice *bytes,
		   struct cfs_ctx ctx);
/* Releases a job, whose bytes need not come any more. */
void cfs_fetch_drop(struct cfs_job *job);

/* Soon ends those jobs of r that have a `done`, with CFS_EINTR. */
void cfs_fetch_abandon(struct cfs_remote *r);

#endif
