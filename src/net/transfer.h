/* transfer.h - one request for one range, by libcurl.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_TRANSFER_H
#define CFS_NET_TRANSFER_H

#include <curl/curl.h>

#include "job.h"

struct cfs_transfer {
	struct cfs_transfer *next, *prev;
	CURL *easy;
	struct curl_slist *headers;
	struct cfs_job *job;
	struct cfs_answer answer;
	struct cfs_verdict verdict;
	bool is_judged;
	bool follows;		/* redirections */
	char region[CFS_S3_REGION_BYTES];	/* it was signed for; empty:
				 * that of the settings */
	size_t before;		/* bytes the job had when this began */
	size_t dropped;		/* bytes of an answer that is not wanted */
	char refusal[2048];	/* the first of them, of S3 */
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

/* The region of the bucket that the answer names in its head or its text;
 * empty if there is none. */
void cfs_transfer_region(const struct cfs_transfer *t,
			 char out[CFS_S3_REGION_BYTES]);

#endif
