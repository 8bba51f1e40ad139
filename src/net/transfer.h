/* transfer.h - a job, which is a range of a remote object that is to be
 * fetched, and one request for it, by libcurl.
 *
 * A job belongs to the event thread (fetch.h) from its submission to its end;
 * the caller that made it keeps a reference when it waits for the bytes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_TRANSFER_H
#define CFS_NET_TRANSFER_H

#include <curl/curl.h>

#include "base/buf.h"
#include "redirect.h"
#include "remote.h"

struct cfs_job {
	struct cfs_job *next, *prev;	/* of the list it is in */
	struct cfs_remote *remote;
	struct cfs_host *host;		/* whose queue it is in */
	struct cfs_transfer *transfer;	/* while there is one */
	uint64_t off;
	size_t n;			/* 1 to CFS_FETCH_MAX */
	bool urgent;			/* a reader waits for it: goes first */
	cfs_source_done *done;		/* NULL: cfs_fetch_wait */
	void *arg;
	_Atomic uint64_t *came;		/* bytes, the most of all tries */
	_Atomic uint64_t own_came;	/* where the caller has none */
	atomic_uint refs;
	atomic_bool unwanted;		/* the waiter has given up */
	unsigned abandoned;		/* remote->abandoned when it was made */
	/* the event thread's */
	struct cfs_buf body;
	int64_t deadline_ms;		/* put off by what has come */
	int64_t due_ms;
	unsigned tries;
	bool moved;			/* to another region of S3 */
	bool is_rekeyed;		/* its credentials were refused once; */
	bool awaits_keys;		/* it is to be sent with others than */
	unsigned generation;		/* these */
	bool is_probe;			/* of a server that is down */
	struct cfs_verdict last;	/* why it was not the last try */
	struct cfs_failed_try failed;	/* the same for the server; its text
					 * is not kept */
	/* for the waiter */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_done;			/* guarded by lock */
	int code;			/* guarded by lock; then read only */
	struct cfs_error err;
};

/* A job for n bytes at off with one reference, which holds the remote's
 * source open.  NULL without memory. */
struct cfs_job *cfs_job_new(struct cfs_remote *r, uint64_t off, size_t n);
void cfs_job_unref(struct cfs_job *job);

/* Calls `done` or wakes the waiter, and lets one reference go.  err says why
 * it failed, unless code is 0. */
void cfs_job_end(struct cfs_job *job, int code, const struct cfs_error *err);

bool cfs_job_is_unwanted(const struct cfs_job *job);

/* On the monotonic clock.  A server that sends is waited for; one that sends
 * the same bytes again is not. */
int64_t cfs_job_deadline_ms(const struct cfs_job *job);

/* A job is in one list at most. */
void cfs_job_list_push(struct cfs_job_list *l, struct cfs_job *job);
void cfs_job_list_remove(struct cfs_job_list *l, struct cfs_job *job);

struct cfs_transfer {
	struct cfs_transfer *next;	/* of those that are not in use */
	CURL *easy;
	struct curl_slist *headers;
	struct cfs_job *job;
	struct cfs_answer answer;
	struct cfs_verdict verdict;
	bool is_judged;
	bool follows;		/* redirections */
	struct cfs_redirect redirect;
	bool is_signed;
	unsigned generation;	/* of the credentials */
	char region[CFS_S3_REGION_BYTES];	/* it was signed for; empty:
				 * that of the settings */
	size_t before;		/* bytes the job had when this began */
	size_t dropped;		/* bytes of an answer that is not wanted */
	struct cfs_buf refusal;	/* them, where they may hold an error of S3 */
	char code[64];		/* of that error, or empty */
	int64_t started_us, first_us, last_us;
	unsigned stall_ms;
	char text[CURL_ERROR_SIZE];
};

struct cfs_transfer *cfs_transfer_new(void);	/* NULL without memory */
void cfs_transfer_free(struct cfs_transfer *t);	/* accepts NULL */

/* Readies it for what the job still lacks.  t may have been used before. */
int cfs_transfer_setup(struct cfs_transfer *t, struct cfs_job *job,
		       struct cfs_error *err);

/* The request has ended with `code`: completes t->verdict.  Of kind
 * CFS_VERDICT_BYTES only when all bytes that were announced are there. */
void cfs_transfer_end(struct cfs_transfer *t, CURLcode code);

/* What the ended request says of the server. */
enum cfs_try cfs_transfer_kind(const struct cfs_transfer *t);

#endif
