/* export.c - has threads fill batches of rows, and writes them in order.
 *
 * Compressed rows are packed into members by the thread that makes them.
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
#include "base/spill.h"
#include "base/sync.h"

#define PROGRESS_MS 100
/* Batches planned but not yet settled, for each thread. */
#define PLANNED 4u
/* Rows are written in pieces of about this many bytes, or as few as there are
 * when the batch ends. */
#define PIECE_BYTES ((size_t)256 << 10)
/* A member of compressed rows ends behind so many rows or bytes: small enough
 * for readers to split the file at members, large enough to compress well. */
#define MEMBER_ROWS 256u
#define MEMBER_BYTES CFS_SPILL_STEP
/* Most bytes of what stands before all rows. */
#define BEGINNING_MAX ((size_t)64 << 10)
/* Rows of more bytes than that in one batch are kept in a file. */
#define SPILL_BYTES ((size_t)16 << 20)
/* The part of the memory that rows which wait to be written may take. */
#define WAITING_SHARE 4u

struct cfs_export {
	struct cfs_export_opts opts;
	struct cfs_export_drive *drive;
	struct cfs_cancel cancel;	/* cancels the threads */
	atomic_bool stopped;
	unsigned threads;
	bool packs;			/* members hold several rows */
	uint64_t waiting_max;		/* bytes */
	atomic_uint_least64_t waiting;	/* bytes of rows in all batches */
	atomic_uint_least64_t rows;	/* made so far */
	uint64_t done;			/* batches of an earlier run */
	pthread_mutex_t plan_lock;	/* held during `next`; taken before
					 * `lock` */
	uint64_t numbered;		/* batches planned; guarded by
					 * plan_lock */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* Guarded by lock: */
	struct cfs_export_batch *head, **tail;
	unsigned planned;
	bool is_settling;
	bool had_errors;		/* rows since the last mark; used by the
					 * settling thread */
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
	cfs_buf_init(&b->rows, SIZE_MAX / 2);
	cfs_buf_init(&b->packed, SIZE_MAX / 2);
	b->sure = SIZE_MAX;
}

void cfs_export_batch_release(struct cfs_export_batch *b)
{
	cfs_buf_release(&b->rows);
	cfs_buf_release(&b->packed);
}

/* Counts the memory that a batch has waiting. */
static void export_count(struct cfs_export *x, struct cfs_export_batch *b)
{
	uint64_t now = b->packed.n + (b->rows.spill != NULL ? 0 : b->rows.n);

	if (now > b->held)
		atomic_fetch_add(&x->waiting, now - b->held);
	else
		atomic_fetch_sub(&x->waiting, b->held - now);
	b->held = now;
}

/* The rows that are sure and neither packed nor written. */
static struct cfs_slice sure_rows(const struct cfs_export_batch *b)
{
	size_t end = b->sure < b->rows.n ? b->sure : b->rows.n;

	return cfs_slice_of(b->rows.p + b->from, end - b->from);
}

/* Moves the rows that are left to the front of their buffer. */
static void close_up(struct cfs_export_batch *b)
{
	memmove(b->rows.p, b->rows.p + b->from, b->rows.n - b->from);
	b->rows.n -= b->from;
	if (b->sure != SIZE_MAX)
		b->sure -= b->from;
	b->from = 0;
}

/* Drops rows from the front. */
static void drop_rows(struct cfs_export_batch *b, size_t n)
{
	if (b->rows.spill != NULL)
		cfs_spill_out(cfs_slice_of(b->rows.p + b->from, n));
	b->from += n;
	if (b->from < b->rows.n) {
		if (b->rows.spill == NULL && b->from > b->rows.n / 2)
			close_up(b);
		return;
	}
	if (b->rows.spill != NULL)
		cfs_buf_release(&b->rows);
	else
		cfs_buf_reset(&b->rows);
	if (b->sure != SIZE_MAX)
		b->sure = 0;
	b->from = 0;
}

/* Compresses the sure rows, each MEMBER_BYTES of them as one member.  Of rows
 * that are in a file, no more than that is in memory at a time. */
static int pack_rows(struct cfs_export *x, struct cfs_export_batch *b,
		     struct cfs_error *err)
{
	struct cfs_slice rows;
	int rc = CFS_OK;

	while (rc == CFS_OK && (rows = sure_rows(b)).n > 0) {
		rows = cfs_slice_sub(rows, 0, b->rows.spill == NULL ? rows.n :
						MEMBER_BYTES);
		rc = cfs_member_compress(x->opts.coding, rows, NULL, &b->packed,
					 err);
		drop_rows(b, rows.n);
	}
	b->unpacked = 0;
	return rc;
}

/* Writes what the first batch in order has to write. */
static int export_write_rows(struct cfs_export *x, struct cfs_export_batch *b,
		      struct cfs_error *err)
{
	struct cfs_slice rows;
	int rc = cfs_out_file_write(x->opts.out, cfs_buf_slice(&b->packed),
				    CFS_CTX(&x->cancel, err));

	cfs_buf_reset(&b->packed);
	while (rc == CFS_OK && !x->packs && (rows = sure_rows(b)).n > 0) {
		rows = cfs_slice_sub(rows, 0, CFS_SPILL_STEP);
		rc = cfs_out_file_write(x->opts.out, rows,
					CFS_CTX(&x->cancel, err));
		drop_rows(b, rows.n);
	}
	export_count(x, b);
	return rc;
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
	if (b->is_filled) {		/* it is being settled, by this
					 * thread */
		pthread_mutex_unlock(&x->lock);
		return export_write_rows(x, b, err);
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
	return export_write_rows(x, b, err);
}

/* Has the rows of a batch in a file from now on, if there are many or a long
 * one follows. */
static int spill_rows(const struct cfs_export *x, struct cfs_export_batch *b,
		      uint64_t next_bytes, struct cfs_error *err)
{
	struct cfs_buf in_file;
	int rc;

	if (b->rows.spill != NULL || x->opts.spill_dir == NULL ||
	    b->rows.n + next_bytes <= SPILL_BYTES)
		return CFS_OK;
	cfs_buf_init(&in_file, b->rows.max);
	rc = cfs_spill_begin(&in_file, x->opts.spill_dir, err);
	if (rc == CFS_OK)
		cfs_buf_add(&in_file, cfs_buf_slice(&b->rows));
	cfs_spill_settle(&in_file);
	cfs_buf_release(&b->rows);
	b->rows = in_file;
	return rc;
}

/* Appends a row as a member. */
static int compress_record(const struct cfs_export_opts *o,
			   const struct cfs_buf *row, struct cfs_buf *out,
			   struct cfs_error *err)
{
	return row->spill != NULL ?
	       cfs_member_compress_long(o->coding, cfs_buf_slice(row), out,
					err) :
	       cfs_member_compress(o->coding, cfs_buf_slice(row), NULL, out,
				   err);
}

/* Appends the row of the worker in the format. */
static int append_row(struct cfs_export_worker *w, struct cfs_export_batch *b,
		      struct cfs_error *err)
{
	const struct cfs_export_opts *o = w->opts;
	bool is_member = o->format->has_members && o->coding != CFS_CODING_NONE;
	struct cfs_buf *to = is_member ? &w->record : &b->rows;
	int rc = spill_rows(w->run, b, cfs_export_row_bytes(&w->row), err);

	if (rc != CFS_OK)
		return rc;
	cfs_buf_reset(&w->record);
	if (is_member && o->spill_dir != NULL &&
	    cfs_export_row_bytes(&w->row) > SPILL_BYTES) {
		cfs_buf_release(&w->record);
		rc = cfs_spill_begin(&w->record, o->spill_dir, err);
	}
	if (rc == CFS_OK)
		rc = o->format->put(&w->row, o, to, CFS_CTX(w->cancel, err));
	if (rc == CFS_OK && to->failed == CFS_OK && is_member && to->n > 0)
		rc = compress_record(o, to, &b->rows, err);
	if (rc == CFS_OK && (to->failed != CFS_OK || b->rows.failed != CFS_OK))
		rc = cfs_error_nomem(err);
	if (w->record.cap > SPILL_BYTES || w->record.spill != NULL)
		cfs_buf_release(&w->record);
	return rc;
}

int cfs_export_put(struct cfs_export_worker *w, struct cfs_export_batch *b,
		   struct cfs_error *err)
{
	struct cfs_export *x = w->run;
	size_t waiting;
	int rc;

	if (x->opts.format->value_max > 0)
		cfs_export_row_limit(&w->row, x->opts.format->value_max);
	rc = append_row(w, b, err);
	if (rc != CFS_OK)
		return rc;
	b->made++;
	b->unpacked++;
	b->errors += (w->row.has & CFS_EXPORT_BIT(CFS_EXPORT_ERROR)) != 0;
	atomic_fetch_add_explicit(&x->rows, 1, memory_order_relaxed);
	waiting = sure_rows(b).n;
	if (x->packs) {
		if (waiting >= MEMBER_BYTES || b->unpacked >= MEMBER_ROWS)
			rc = pack_rows(x, b, err);
		waiting = b->packed.n;
	}
	export_count(x, b);
	return rc != CFS_OK || waiting < PIECE_BYTES ?
	       rc : export_make_room(x, b, err);
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

static bool is_of_server(int rc)
{
	return rc == CFS_EIO || rc == CFS_ETIMEOUT || rc == CFS_ECHANGED;
}

bool cfs_export_ends_with_row(const struct cfs_export_worker *w, int rc)
{
	return is_of_server(rc) && !cfs_out_file_can_resume(w->opts->out);
}

/* Writes the rows of a batch that failed, if its failure is one of them. */
static void write_last_rows(struct cfs_export *x, struct cfs_export_worker *w,
			    struct cfs_export_batch *b)
{
	int rc = CFS_OK;

	if (!cfs_export_ends_with_row(w, b->rc))
		return;
	b->sure = SIZE_MAX;
	if (x->packs)
		rc = pack_rows(x, b, NULL);
	if (rc == CFS_OK)
		(void)export_write_rows(x, b, NULL);
}

static int export_settle(struct cfs_export *x, struct cfs_export_worker *w,
			 struct cfs_export_batch *b, struct cfs_error *err)
{
	int rc = cfs_error_pass(err, &b->error, b->rc);

	write_last_rows(x, w, b);
	if (rc == CFS_OK && x->drive->ops->settle != NULL)
		rc = x->drive->ops->settle(x->drive, b, w, err);
	b->sure = SIZE_MAX;
	if (rc == CFS_OK && x->packs)
		rc = pack_rows(x, b, err);
	if (rc == CFS_OK)
		rc = export_write_rows(x, b, err);
	x->had_errors = x->had_errors || b->errors > 0;
	if (rc != CFS_OK || b->is_no_mark)
		return rc;
	rc = cfs_out_file_mark(x->opts.out, b->number + 1, x->had_errors, err);
	x->had_errors = false;
	return rc;
}

/* Settles the batches at the head that have been filled.  The caller holds the
 * lock, which is released meanwhile. */
static void settle_batches_locked(struct cfs_export *x,
				  struct cfs_export_worker *w)
{
	while (!x->is_settling && x->head != NULL && x->head->is_filled &&
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
			x->report.rows += b->made;
			x->report.errors += b->errors;
		}
		x->head = b->next;
		if (x->head == NULL)
			x->tail = &x->head;
		x->planned--;
		x->is_settling = false;
		pthread_cond_broadcast(&x->changed);
		atomic_fetch_sub(&x->waiting, b->held);
		x->drive->ops->free_batch(b);
	}
}

/* ---- the threads --------------------------------------------------------- */

/* Plans the next batch that no earlier run has written; *out is NULL behind the
 * last. */
static int plan_batch(struct cfs_export *x, struct cfs_export_batch **out,
		      struct cfs_error *err)
{
	int rc;

	for (;;) {
		*out = NULL;
		if (export_should_stop(x))
			return cfs_error_set(err, CFS_EINTR, "interrupted");
		rc = x->drive->ops->next(x->drive, out,
					 CFS_CTX(&x->cancel, err));
		if (rc != CFS_OK || *out == NULL)
			return rc;
		(*out)->number = x->numbered++;
		if ((*out)->number >= x->done)
			return CFS_OK;
		x->drive->ops->free_batch(*out);
	}
}

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
	rc = plan_batch(x, &b, &e);
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
	w->row.spill_dir = x->opts.spill_dir;
	cfs_buf_init(&w->record, SIZE_MAX / 2);
	while ((b = export_take(x)) != NULL) {
		if (!b->is_void)
			b->rc = x->drive->ops->fill(x->drive, b, w, &b->error);
		pthread_mutex_lock(&x->lock);
		b->is_filled = true;
		settle_batches_locked(x, w);
		pthread_mutex_unlock(&x->lock);
	}
	cfs_export_row_release(&w->row);
	cfs_buf_release(&w->record);
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
	return cfs_error_pass(err, &x->error, x->rc);
}

/* Writes what stands before all rows. */
static int write_beginning(struct cfs_export *x, struct cfs_error *err)
{
	struct cfs_buf plain, packed;
	int rc = CFS_OK;

	if (x->opts.format->begin == NULL || x->done > 0)
		return CFS_OK;
	cfs_buf_init(&plain, BEGINNING_MAX);
	cfs_buf_init(&packed, 2 * BEGINNING_MAX);
	x->opts.format->begin(&x->opts, &plain);
	if (plain.failed != CFS_OK)
		rc = cfs_error_nomem(err);
	else if (x->opts.coding != CFS_CODING_NONE)
		rc = cfs_member_compress(x->opts.coding, cfs_buf_slice(&plain),
					 NULL, &packed, err);
	else
		cfs_buf_add(&packed, cfs_buf_slice(&plain));
	if (rc == CFS_OK)
		rc = cfs_out_file_write(x->opts.out, cfs_buf_slice(&packed),
					CFS_CTX(x->opts.cancel, err));
	cfs_buf_release(&plain);
	cfs_buf_release(&packed);
	x->report.is_closed = rc == CFS_END;
	return rc;
}

static int convert_rows(void *arg, const char *from, uint64_t bytes,
			const char *to, struct cfs_ctx ctx)
{
	const struct cfs_export *x = arg;

	return x->opts.format->convert(&x->opts, from, bytes, to, ctx);
}

static int finish_file(struct cfs_export *x, struct cfs_error *err)
{
	return x->opts.format->convert == NULL ?
	       cfs_out_file_finish(x->opts.out, err) :
	       cfs_out_file_convert(x->opts.out, convert_rows, x,
				    CFS_CTX(x->opts.cancel, err));
}

static void export_begin(struct cfs_export *x, struct cfs_export_drive *drive,
			 const struct cfs_export_opts *opts)
{
	bool errors;

	x->opts = *opts;
	x->drive = drive;
	x->tail = &x->head;
	x->cancel = (struct cfs_cancel){ .asked = export_should_stop,
					 .arg = x };
	x->threads = opts->threads > 0 ? opts->threads : cfs_processors();
	x->threads = (unsigned)cfs_clamp_u64(x->threads, 1, CFS_POOL_MAX);
	x->packs = opts->coding != CFS_CODING_NONE &&
		   !opts->format->has_members;
	x->waiting_max = (opts->mem_bytes > 0 ? opts->mem_bytes :
			  CFS_EXPORT_MEM_DEFAULT) / WAITING_SHARE;
	x->done = cfs_out_file_done(opts->out, &errors);
	x->report.resumed = x->done;
	x->report.errors = errors;
	pthread_mutex_init(&x->plan_lock, NULL);
	pthread_mutex_init(&x->lock, NULL);
	cfs_cond_init(&x->changed);
}

void cfs_export_drive_free(struct cfs_export_drive *drive)
{
	drive->ops->free(drive);
}

int cfs_export_run(struct cfs_export_drive *drive,
		   const struct cfs_export_opts *opts,
		   struct cfs_export_report *report, struct cfs_error *err)
{
	struct cfs_export *x = calloc(1, sizeof(*x));
	int rc = x != NULL ? CFS_OK : cfs_error_nomem(err);

	*report = (struct cfs_export_report){ .rows = 0 };
	if (x != NULL) {
		export_begin(x, drive, opts);
		if (!cfs_out_file_is_whole(opts->out))
			rc = write_beginning(x, err);
		if (rc == CFS_OK && !cfs_out_file_is_whole(opts->out))
			rc = run_export_threads(x, err);
		if (rc == CFS_OK)
			rc = finish_file(x, err);
		*report = x->report;
		if (rc == CFS_OK && report->resumed == 0 && !report->is_closed)
			drive->ops->explain(drive, report->rows, opts->cancel);
		pthread_cond_destroy(&x->changed);
		pthread_mutex_destroy(&x->lock);
		pthread_mutex_destroy(&x->plan_lock);
		free(x);
	}
	drive->ops->free(drive);
	return rc == CFS_END ? CFS_OK : rc;
}
