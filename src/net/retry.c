/* retry.c - decides whether a request that failed is sent again, and how.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "transfer.h"

#include <string.h>

#include "keys.h"
#include "s3_answer.h"

#define TRIES_MAX 8u
/* For an object that was refused whenever it was asked for: it may be that it
 * is not there, which some servers do not tell everybody.  And where a server
 * has given nothing yet: it may be right in refusing. */
#define TRIES_REFUSED 6u
#define TRIES_FIRST 4u
/* For a server that has never answered: its name may be wrong, or the network
 * down, and the user is waiting to learn that. */
#define TRIES_STRANGER 3u

/* Can the bytes received before the connection broke be kept?  Only if the next
 * answer will show whether it is of the same state. */
static bool can_resume(const struct cfs_transfer *t)
{
	return t->answer.status == 206 &&
	       (t->answer.etag[0] != '\0' || t->answer.modified[0] != '\0');
}

void cfs_retry_drop_unsure(const struct cfs_transfer *t)
{
	if (t->answer.status != 206)
		t->job->body.n = t->before;	/* those are of parts */
	else if (!can_resume(t))
		cfs_buf_reset(&t->job->body);
}

/* For connecting, one timeout is enough: that try has sent several packets. */
static bool is_out_of_reach(const struct cfs_job *job)
{
	return !job->host->has_answered &&
	       job->last.cause == CFS_CAUSE_CONNECT &&
	       (job->tries >= TRIES_STRANGER || job->last.code == CFS_ETIMEOUT);
}

static unsigned tries_max(const struct cfs_job *job)
{
	if (!job->last.may_pass || job->remote->has_answered)
		return TRIES_MAX;
	return job->host->has_given ? TRIES_REFUSED : TRIES_FIRST;
}

bool cfs_retry_is_enough(const struct cfs_job *job)
{
	return job->tries >= tries_max(job) || is_out_of_reach(job);
}

bool cfs_retry_moves_region(const struct cfs_transfer *t)
{
	struct cfs_job *job = t->job;

	if (!job->remote->sign || job->moved ||
	    t->verdict.kind != CFS_VERDICT_FAIL ||
	    !cfs_s3_may_be_elsewhere(t->answer.status))
		return false;
	/* Another job may have moved the remote meanwhile. */
	job->moved = cfs_remote_move(job->remote, t->region,
				     t->answer.region) ||
		     strcmp(job->remote->region, t->region) != 0;
	return job->moved;
}

bool cfs_retry_changes_keys(const struct cfs_transfer *t)
{
	struct cfs_job *job = t->job;

	if (!t->is_signed || job->is_rekeyed ||
	    t->verdict.cause != CFS_CAUSE_FORBIDDEN ||
	    !cfs_keys_refused(t->generation, t->code))
		return false;
	job->is_rekeyed = job->awaits_keys = true;
	job->generation = t->generation;
	return true;
}

void cfs_retry_note_forbidden(const struct cfs_transfer *t)
{
	const struct cfs_job *job = t->job;
	struct cfs_s3_error e = cfs_s3_error_of(t->code, "", false);
	const struct cfs_refusal refusal = {
		.object = job->remote, .name = job->remote->src->name,
		.text = t->verdict.text,
		.is_of_keys = e.kind == CFS_S3_ERROR_KEYS,
		.is_of_object = t->code[0] != '\0',
		.was_given = job->remote->has_answered,
	};

	cfs_host_forbidden(job->host, &refusal, cfs_monotonic_ms());
}

bool cfs_retry_is_throttled(const struct cfs_transfer *t)
{
	const struct cfs_job *job = t->job;

	return t->verdict.may_pass &&
	       (job->host->has_given || t->code[0] == '\0');
}
