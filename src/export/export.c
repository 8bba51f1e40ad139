/* export.c - has threads fill batches of rows, and writes them in order.
 *
 * Batches are planned one at a time as threads ask for them, at most PLANNED
 * ahead for each thread.  The thread that finds the first batch in order filled
 * settles it: its rows are written.  The first batch in order writes its rows
 * also while it is filled; another one that has made a lot waits until it is
 * the first, if all together hold more than their share of memory.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "export_internal.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/clamp.h"
#include "base/pool.h"
#include "base/sync.h"

#define PROGRESS_MS 100
/* Batches planned but not yet settled, for each thread. */
#define PLANNED 4u
/* Rows are written in pieces of about this many bytes, or as few as there are
 * when the batch ends. */
#define PIECE_BYTES ((size_t)256 << 10)
/* The part of the memory that rows which wait to be written may take. */
#define WAITING_SHARE 4u

struct cfs_export {
	struct cfs_export_opts opts;
	struct cfs_export_drive *drive;
	struct cfs_cancel cancel;	/* cancels the threads */
	atomic_bool stopped;
	unsigned threads;
	uint64_t waiting_max;		/* bytes */
	atomic_uint_least64_t waiting;	/* bytes of rows in all batches */
	atomic_uint_least64_t rows;	/* made so far */
	pthread_mutex_t plan_lock;	/* held during `next`; taken before
					 * `lock` */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* Guarded by lock: */
	struct cfs_export_batch *head, **tail;
	unsigned planned;
	bool is_settling;
	int rc;				/* the first failure, or CFS_END */
	struct cfs_error error;
	struct cfs_export_report report;
};

static bool export_should_stop(void *arg)
{
	struct cfs_export *x = arg;

	return atomic_load_explicit(&x->stopped, memory_order_relaxed) ||
	       cfs_cancelled(x->opts.cancel);
}

static void export_fail(struct cfs_export *x, int rc, const struct cfs_error *e)
{
	pthread_mutex_lock(&x->lock);
	if (x->rc == CFS_OK) {
		x->rc = rc;
		x->error = *e;
	}
	atomic_store(&x->stopped, true);
	pthread_cond_broadcast(&x->changed);
	pthread_mutex_unlock(&x->lock);
}

/* ---- batches ------------------------------------------------------------- */

void cfs_export_batch_init(struct cfs_export_batch *b)
{
	cfs_buf_init(&b->out, SIZE_MAX / 2);
	b->sure = SIZE_MAX;
}

void cfs_export_batch_release(struct cfs_export_batch *b)
{
	cfs_buf_release(&b->out);
}

/* Counts the bytes that a batch has waiting. */
static void export_count(struct cfs_export *x, struct cfs_export_batch *b)
{
	uint64_t now = b->out.n;

	if (now > b->held)
		atomic_fetch_add(&x->waiting, now - b->held);
	else
		atomic_fetch_sub(&x->waiting, b->held - now);
	b->held = now;
}

/* Writes the sure rows of the first batch in order. */
static int write_rows(struct cfs_export *x, struct cfs_export_batch *b,
		      struct cfs_error *err)
{
	size_t n = b->sure < b->out.n ? b->sure : b->out.n;
	int rc = cfs_out_file_write(x->opts.out,
				    cfs_slice_of(b->out.p, n),
				    CFS_CTX(&x->cancel, err));

	if (rc != CFS_OK)
		return rc;
	if (n < b->out.n)
		memmove(b->out.p, b->out.p + n, b->out.n - n);
	b->out.n -= n;
	if (b->sure != SIZE_MAX)
		b->sure -= n;
	export_count(x, b);
	return CFS_OK;
}

/* Waits until b is the first batch in order, and nobody writes.  The caller
 * holds the lock, which is released meanwhile.  False: it need not be filled
 * further. */
static bool wait_for_turn_locked(struct cfs_export *x,
				 const struct cfs_export_batch *b)
{
	while ((x->head != b || x->is_settling) && !b->is_void &&
	       !export_should_stop(x))
		cfs_cond_wait(&x->changed, &x->lock, x->opts.cancel);
	return !b->is_void && !export_should_stop(x);
}

/* Writes rows of a batch that is being filled, if it is its turn, or if too
 * much is waiting. */
static int export_make_room(struct cfs_export *x, struct cfs_export_batch *b,
			    struct cfs_error *err)
{
	int rc = CFS_OK;

	pthread_mutex_lock(&x->lock);
	if (b->is_read) {		/* it is being settled, by this
					 * thread */
		pthread_mutex_unlock(&x->lock);
		return write_rows(x, b, err);
	}
	if (x->head != b && atomic_load(&x->waiting) < x->waiting_max) {
		pthread_mutex_unlock(&x->lock);
		return CFS_OK;
	}
	if (!wait_for_turn_locked(x, b)) {
		rc = b->is_void ? CFS_END :
		     cfs_error_set(err, CFS_EINTR, "interrupted");
		pthread_mutex_unlock(&x->lock);
		return rc;
	}
	pthread_mutex_unlock(&x->lock);
	/* it stays the first one until this thread has filled it */
	return write_rows(x, b, err);
}

int cfs_export_put(struct cfs_export_worker *w, struct cfs_export_batch *b,
		   struct cfs_error *err)
{
	struct cfs_export *x = w->run;
	int rc = x->opts.format->put(&w->row, x->opts.fields, &b->out,
				     CFS_CTX(w->cancel, err));

	if (rc == CFS_OK && b->out.failed != CFS_OK)
		rc = cfs_error_nomem(err);
	if (rc != CFS_OK)
		return rc;
	b->rows++;
	b->errors += (w->row.has & CFS_EXPORT_BIT(CFS_EXPORT_ERROR)) != 0;
	atomic_fetch_add_explicit(&x->rows, 1, memory_order_relaxed);
	export_count(x, b);
	return (b->sure < b->out.n ? b->sure : b->out.n) < PIECE_BYTES ?
	       CFS_OK : export_make_room(x, b, err);
}

void cfs_export_make_void(struct cfs_export_worker *w,
			  const struct cfs_export_batch *b,
			  bool (*is_of)(const struct cfs_export_batch *later,
					const struct cfs_export_batch *b))
{
	struct cfs_export *x = w->run;

	pthread_mutex_lock(&x->lock);
	for (struct cfs_export_batch *q = x->head; q != NULL; q = q->next)
		if (q != b && is_of(q, b))
			q->is_void = true;
	pthread_cond_broadcast(&x->changed);
	pthread_mutex_unlock(&x->lock);
}

/* ---- settling ------------------------------------------------------------ */

static int export_settle(struct cfs_export *x, struct cfs_export_worker *w,
			 struct cfs_export_batch *b, struct cfs_error *err)
{
	int rc = b->rc;

	if (rc != CFS_OK)
		cfs_error_copy(err, &b->error);
	if (rc == CFS_OK && x->drive->ops->settle != NULL)
		rc = x->drive->ops->settle(x->drive, b, w, err);
	b->sure = SIZE_MAX;
	return rc == CFS_OK ? write_rows(x, b, err) : rc;
}

/* Settles the batches at the head that have been filled.  The caller holds the
 * lock, which is released meanwhile. */
static void settle_batches_locked(struct cfs_export *x,
				  struct cfs_export_worker *w)
{
	while (!x->is_settling && x->head != NULL && x->head->is_read &&
	       x->rc == CFS_OK) {
		struct cfs_export_batch *b = x->head;
		struct cfs_error e = CFS_ERROR_INIT;
		int rc = CFS_OK;

		x->is_settling = true;
		if (!b->is_void) {
			pthread_mutex_unlock(&x->lock);
			rc = export_settle(x, w, b, &e);
			if (rc != CFS_OK)
				export_fail(x, rc, &e);
			pthread_mutex_lock(&x->lock);
		}
		if (rc == CFS_OK && !b->is_void) {
			x->report.rows += b->rows;
			x->report.errors += b->errors;
		}
		x->head = b->next;
		if (x->head == NULL)
			x->tail = &x->head;
		x->planned--;
		x->is_settling = false;
		pthread_cond_broadcast(&x->changed);
		b->out.n = 0;
		export_count(x, b);
		x->drive->ops->free_batch(b);
	}
}

/* ---- the threads --------------------------------------------------------- */

static struct cfs_export_batch *export_take(struct cfs_export *x)
{
	struct cfs_export_batch *b = NULL;
	struct cfs_error e = CFS_ERROR_INIT;
	int rc;

	pthread_mutex_lock(&x->plan_lock);
	pthread_mutex_lock(&x->lock);
	while (x->planned >= x->threads * PLANNED && !export_should_stop(x))
		cfs_cond_wait(&x->changed, &x->lock, x->opts.cancel);
	pthread_mutex_unlock(&x->lock);
	rc = export_should_stop(x) ?
	     cfs_error_set(&e, CFS_EINTR, "interrupted") :
	     x->drive->ops->next(x->drive, &b, CFS_CTX(&x->cancel, &e));
	if (rc != CFS_OK) {
		export_fail(x, rc, &e);
	} else if (b != NULL) {
		pthread_mutex_lock(&x->lock);
		*x->tail = b;
		x->tail = &b->next;
		x->planned++;
		pthread_mutex_unlock(&x->lock);
	}
	pthread_mutex_unlock(&x->plan_lock);
	return b;
}

static void export_work(void *arg)
{
	struct cfs_export *x = arg;
	struct cfs_export_worker *w = calloc(1, sizeof(*w));
	struct cfs_export_batch *b;
	struct cfs_error e = CFS_ERROR_INIT;

	if (w == NULL) {
		export_fail(x, cfs_error_nomem(&e), &e);
		return;
	}
	w->run = x;
	w->opts = &x->opts;
	w->cancel = &x->cancel;
	cfs_export_row_init(&w->row);
	while ((b = export_take(x)) != NULL) {
		b->rc = x->drive->ops->fill(x->drive, b, w, &b->error);
		pthread_mutex_lock(&x->lock);
		b->is_read = true;
		settle_batches_locked(x, w);
		pthread_mutex_unlock(&x->lock);
	}
	cfs_export_row_release(&w->row);
	free(w);
}

static void export_show(void *arg)
{
	struct cfs_export *x = arg;
	struct cfs_export_progress p = { .rows = atomic_load(&x->rows) };

	if (x->opts.progress == NULL)
		return;
	x->drive->ops->progress(x->drive, &p);
	x->opts.progress(x->opts.arg, &p);
}

static int run_export_threads(struct cfs_export *x, struct cfs_error *err)
{
	struct cfs_export_batch *b;

	if (!cfs_pool_run(x->threads, export_work, x, PROGRESS_MS, export_show))
		return cfs_error_set(err, CFS_ENOMEM, "cannot start a thread");
	while ((b = x->head) != NULL) {
		x->head = b->next;
		x->drive->ops->free_batch(b);
	}
	x->report.is_closed = x->rc == CFS_END;
	if (x->rc == CFS_END)
		return CFS_OK;
	cfs_error_copy(err, &x->error);
	return x->rc;
}

int cfs_export_run(struct cfs_export_drive *drive,
		   const struct cfs_export_opts *opts,
		   struct cfs_export_report *report, struct cfs_error *err)
{
	struct cfs_export *x = calloc(1, sizeof(*x));
	int rc = x != NULL ? CFS_OK : cfs_error_nomem(err);

	*report = (struct cfs_export_report){ .rows = 0 };
	if (x != NULL) {
		x->opts = *opts;
		x->drive = drive;
		x->tail = &x->head;
		x->cancel = (struct cfs_cancel){ .asked = export_should_stop,
						 .arg = x };
		x->threads = opts->threads > 0 ? opts->threads :
						 cfs_processors();
		x->threads = (unsigned)cfs_clamp_u64(x->threads, 1,
						     CFS_POOL_MAX);
		x->waiting_max = (opts->mem_bytes > 0 ? opts->mem_bytes :
				  CFS_EXPORT_MEM_DEFAULT) / WAITING_SHARE;
		pthread_mutex_init(&x->plan_lock, NULL);
		pthread_mutex_init(&x->lock, NULL);
		cfs_cond_init(&x->changed);
		rc = run_export_threads(x, err);
		*report = x->report;
		pthread_cond_destroy(&x->changed);
		pthread_mutex_destroy(&x->lock);
		pthread_mutex_destroy(&x->plan_lock);
		free(x);
	}
	drive->ops->free(drive);
	return rc;
}
