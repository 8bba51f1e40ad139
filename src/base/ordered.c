/* ordered.c - plans, does and settles jobs in order (see ordered.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ordered.h"

#include "pool.h"
#include "sync.h"

#define SHOW_MS 100

static bool ordered_should_stop(void *arg)
{
	struct cfs_ordered *o = arg;

	return atomic_load_explicit(&o->is_stopped, memory_order_relaxed) ||
	       cfs_cancelled(o->outer);
}

static void ordered_fail(struct cfs_ordered *o, int rc,
			 const struct cfs_error *e)
{
	pthread_mutex_lock(&o->lock);
	if (o->rc == CFS_OK) {
		o->rc = rc;
		o->error = *e;
	}
	atomic_store(&o->is_stopped, true);
	pthread_cond_broadcast(&o->changed);
	pthread_mutex_unlock(&o->lock);
}

/* ---- planning ------------------------------------------------------------ */

/* Waits until a further job may be planned; false if there is none to come. */
static bool wait_for_room(struct cfs_ordered *o)
{
	pthread_mutex_lock(&o->lock);
	while ((o->planned >= o->threads * CFS_ORDERED_PLANNED ||
		(o->bytes_max > 0 && o->held >= o->bytes_max)) &&
	       !ordered_should_stop(o))
		cfs_cond_wait(&o->changed, &o->lock, o->outer);
	pthread_mutex_unlock(&o->lock);
	return !ordered_should_stop(o);
}

/* Plans a job and puts it behind the others; NULL behind the last.  *is_void:
 * it need not be done. */
static struct cfs_ordered_job *ordered_take(struct cfs_ordered *o,
					    bool *is_void)
{
	struct cfs_ordered_job *job = NULL;
	struct cfs_error e = CFS_ERROR_INIT;
	int rc;

	*is_void = false;
	pthread_mutex_lock(&o->plan_lock);
	if (wait_for_room(o))
		rc = o->ops->plan(o->arg, &job, &e);
	else
		rc = cfs_error_set(&e, CFS_EINTR, "interrupted");
	if (rc != CFS_OK) {
		ordered_fail(o, rc, &e);
	} else if (job != NULL) {
		pthread_mutex_lock(&o->lock);
		job->is_void = job->group != NULL && job->group->is_void;
		*is_void = job->is_void;
		*o->tail = job;
		o->tail = &job->next;
		o->planned++;
		o->held += job->held;
		pthread_mutex_unlock(&o->lock);
	}
	pthread_mutex_unlock(&o->plan_lock);
	return job;
}

/* ---- settling ------------------------------------------------------------ */

/* Takes the first job out of the list, and frees it. */
static void drop_head_locked(struct cfs_ordered *o)
{
	struct cfs_ordered_job *job = o->head;

	o->head = job->next;
	if (o->head == NULL)
		o->tail = &o->head;
	o->planned--;
	o->held -= job->held;
	pthread_cond_broadcast(&o->changed);
	o->ops->free_job(o->arg, job);
}

/* Settles the jobs at the head that are done.  The caller holds the lock, which
 * is released meanwhile. */
static void settle_heads_unlocks(struct cfs_ordered *o, void *worker)
{
	while (!o->is_settling && o->head != NULL && o->head->is_done &&
	       o->rc == CFS_OK) {
		struct cfs_error e = CFS_ERROR_INIT;
		int rc;

		if (!o->head->is_void) {
			o->is_settling = true;
			pthread_mutex_unlock(&o->lock);
			rc = o->ops->settle(o->arg, o->head, worker, &e);
			if (rc != CFS_OK)
				ordered_fail(o, rc, &e);
			pthread_mutex_lock(&o->lock);
			o->is_settling = false;
		}
		drop_head_locked(o);
	}
}

int cfs_ordered_turn(struct cfs_ordered *o, const struct cfs_ordered_job *job,
		     bool must, bool *is_turn, struct cfs_error *err)
{
	int rc = CFS_OK;

	pthread_mutex_lock(&o->lock);
	must = must || (o->bytes_max > 0 && o->held >= o->bytes_max);
	while (must && o->head != job && !job->is_void &&
	       !ordered_should_stop(o))
		cfs_cond_wait(&o->changed, &o->lock, o->outer);
	*is_turn = o->head == job;
	if (job->is_void)
		rc = CFS_END;
	else if (ordered_should_stop(o))
		rc = cfs_error_set(err, CFS_EINTR, "interrupted");
	pthread_mutex_unlock(&o->lock);
	return rc;
}

void cfs_ordered_hold(struct cfs_ordered *o, struct cfs_ordered_job *job,
		      uint64_t bytes)
{
	pthread_mutex_lock(&o->lock);
	if (bytes < job->held)
		pthread_cond_broadcast(&o->changed);
	o->held += bytes - job->held;
	job->held = bytes;
	pthread_mutex_unlock(&o->lock);
}

void cfs_ordered_void(struct cfs_ordered *o, const struct cfs_ordered_job *job)
{
	pthread_mutex_lock(&o->lock);
	job->group->is_void = true;
	for (struct cfs_ordered_job *q = job->next; q != NULL; q = q->next)
		if (q->group == job->group)
			q->is_void = true;
	pthread_cond_broadcast(&o->changed);
	pthread_mutex_unlock(&o->lock);
}

/* ---- the threads --------------------------------------------------------- */

static void ordered_work(void *arg)
{
	struct cfs_ordered *o = arg;
	struct cfs_ordered_job *job;
	void *worker = NULL;
	bool is_void;

	if (o->ops->worker_new != NULL) {
		struct cfs_error e = CFS_ERROR_INIT;

		worker = o->ops->worker_new(o->arg);
		if (worker == NULL) {
			ordered_fail(o, cfs_error_nomem(&e), &e);
			return;
		}
	}
	while ((job = ordered_take(o, &is_void)) != NULL) {
		if (!is_void)
			o->ops->work(o->arg, job, worker);
		pthread_mutex_lock(&o->lock);
		job->is_done = true;
		settle_heads_unlocks(o, worker);
		pthread_mutex_unlock(&o->lock);
	}
	if (worker != NULL)
		o->ops->worker_free(worker);
}

static void ordered_show(void *arg)
{
	struct cfs_ordered *o = arg;

	if (o->ops->show != NULL)
		o->ops->show(o->arg);
}

void cfs_ordered_init(struct cfs_ordered *o)
{
	o->tail = &o->head;
	o->cancel = (struct cfs_cancel){ .asked = ordered_should_stop,
					 .arg = o };
	pthread_mutex_init(&o->plan_lock, NULL);
	pthread_mutex_init(&o->lock, NULL);
	cfs_cond_init(&o->changed);
}

void cfs_ordered_release(struct cfs_ordered *o)
{
	pthread_cond_destroy(&o->changed);
	pthread_mutex_destroy(&o->lock);
	pthread_mutex_destroy(&o->plan_lock);
}

int cfs_ordered_run(struct cfs_ordered *o, struct cfs_error *err)
{
	if (!cfs_pool_run(o->threads, ordered_work, o, SHOW_MS, ordered_show))
		return cfs_error_set(err, CFS_ENOMEM, "cannot start a thread");
	pthread_mutex_lock(&o->lock);
	while (o->head != NULL)
		drop_head_locked(o);
	pthread_mutex_unlock(&o->lock);
	return cfs_error_pass(err, &o->error, o->rc);
}
