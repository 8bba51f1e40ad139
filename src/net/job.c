/* job.c - one range of a remote object: its life, and the lists it waits in.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "job.h"

#include <stdlib.h>

#include "base/cancel.h"
#include "base/sync.h"

struct cfs_job *cfs_job_new(struct cfs_remote *r, uint64_t off, size_t n)
{
	struct cfs_job *job = calloc(1, sizeof(*job));

	if (job == NULL)
		return NULL;
	job->remote = r;
	job->off = off;
	job->n = n;
	atomic_init(&job->refs, 1);
	job->abandoned = atomic_load(&r->abandoned);
	cfs_buf_init(&job->body, n);
	pthread_mutex_init(&job->lock, NULL);
	cfs_cond_init(&job->changed);
	cfs_source_ref(r->src);
	return job;
}

void cfs_job_unref(struct cfs_job *job)
{
	if (atomic_fetch_sub(&job->refs, 1) != 1)
		return;
	cfs_source_close(job->remote->src);
	cfs_buf_release(&job->body);
	pthread_cond_destroy(&job->changed);
	pthread_mutex_destroy(&job->lock);
	free(job);
}

void cfs_job_end(struct cfs_job *job, int code, const struct cfs_error *err)
{
	if (job->done != NULL) {
		job->done(job->arg, code, code == CFS_OK ?
			  cfs_buf_slice(&job->body) : CFS_SLICE_EMPTY, err);
	} else {
		pthread_mutex_lock(&job->lock);
		job->is_done = true;
		job->code = code;
		if (err != NULL)
			job->err = *err;
		pthread_cond_signal(&job->changed);
		pthread_mutex_unlock(&job->lock);
	}
	cfs_job_unref(job);
}

bool cfs_job_is_unwanted(const struct cfs_job *job)
{
	return atomic_load(&job->unwanted) ||
	       (job->done != NULL &&
		job->abandoned != atomic_load(&job->remote->abandoned));
}

int64_t cfs_job_deadline_ms(const struct cfs_job *job)
{
	return job->deadline_ms + (int64_t)(atomic_load(job->came) /
					    CFS_DEADLINE_BYTES_PER_MS);
}

void cfs_job_list_push(struct cfs_job_list *l, struct cfs_job *job)
{
	job->next = NULL;
	job->prev = l->last;
	if (l->last != NULL)
		l->last->next = job;
	else
		l->first = job;
	l->last = job;
	l->n++;
}

void cfs_job_list_remove(struct cfs_job_list *l, struct cfs_job *job)
{
	if (job->prev != NULL)
		job->prev->next = job->next;
	else
		l->first = job->next;
	if (job->next != NULL)
		job->next->prev = job->prev;
	else
		l->last = job->prev;
	job->next = job->prev = NULL;
	l->n--;
}
