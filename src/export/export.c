/* export.c - has threads fill batches of rows, and writes them in order.
 *
 * Compressed rows are packed into members by the thread that makes them.
 *
 * Batches are jobs in order (base/ordered.h), which are settled when their rows
 * are written.  The first batch in order writes its rows also while it is
 * filled; another one that has made a lot waits until it is the first, if all
 * together hold too much memory.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "export_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/clamp.h"
#include "base/pool.h"
#include "base/spill.h"

/* Rows are written about this many bytes at a time, or as few as there are
 * when the batch ends. */
#define WRITE_BYTES ((size_t)256 << 10)
/* A member of compressed rows ends behind so many rows or bytes: small enough
 * for readers to split the file at members, large enough to compress well. */
#define MEMBER_ROWS 256u
#define MEMBER_BYTES CFS_SPILL_STEP
/* Rows of more bytes than that in one batch are kept in a file. */
#define SPILL_BYTES ((size_t)16 << 20)
/* One part of so many of the memory is for rows that wait to be written. */
#define WAITING_PART 4u
/* The bytes of a waiting batch are counted again after a change of this
 * many. */
#define COUNTED_BYTES ((size_t)64 << 10)

struct cfs_export {
	struct cfs_export_opts opts;
	struct cfs_export_drive *drive;
	struct cfs_ordered run;
	bool packs;			/* members hold several rows */
	size_t member_bytes;		/* of rows in one */
	atomic_uint_least64_t rows;	/* made so far */
	uint64_t done;			/* batches of an earlier run */
	uint64_t numbered;		/* batches planned */
	bool had_errors;		/* rows since the last mark; used by the
					 * settling thread, as is */
	struct cfs_export_report report;
};

/* ---- batches ------------------------------------------------------------- */

void cfs_export_batch_init(struct cfs_export_batch *b)
{
	cfs_buf_init(&b->rows, SIZE_MAX / 2);
	cfs_buf_init(&b->packed, SIZE_MAX / 2);
	cfs_buf_init(&b->units, SIZE_MAX / 2);
}

void cfs_export_batch_release(struct cfs_export_batch *b)
{
	cfs_buf_release(&b->rows);
	cfs_buf_release(&b->packed);
	cfs_buf_release(&b->units);
}

/* Counts the memory that a batch has waiting. */
static void count(struct cfs_export *x, struct cfs_export_batch *b)
{
	uint64_t now = b->packed.n + (b->rows.spill != NULL ? 0 : b->rows.n);

	if (now > b->held + COUNTED_BYTES || now + COUNTED_BYTES < b->held ||
	    (now == 0 && b->held > 0)) {
		cfs_ordered_hold(&x->run, &b->job, now);
		b->held = now;
	}
}

/* The rows that are neither packed nor written. */
static struct cfs_slice rows_left(const struct cfs_export_batch *b)
{
	return cfs_slice_of(b->rows.p + b->from, b->rows.n - b->from);
}

/* Drops rows from the front. */
static void drop_rows(struct cfs_export_batch *b, size_t n)
{
	if (b->rows.spill != NULL)
		cfs_spill_out(cfs_slice_of(b->rows.p + b->from, n));
	b->from += n;
	if (b->from < b->rows.n)
		return;
	if (b->rows.spill != NULL)
		cfs_buf_release(&b->rows);
	else
		cfs_buf_reset(&b->rows);
	b->from = 0;
}

/* Notes that the last n bytes made may not be divided. */
static int add_unit(const struct cfs_export *x, struct cfs_export_batch *b,
		    uint64_t n, struct cfs_error *err)
{
	if (n == 0 || x->opts.file_bytes == 0)
		return CFS_OK;
	return cfs_buf_append(&b->units, &n, sizeof(n)) == CFS_OK ? CFS_OK :
	       cfs_error_nomem(err);
}

/* Compresses the rows, each MEMBER_BYTES of them as one member.  Of rows that
 * are in a file, no more than that is in memory at a time. */
static int pack_rows(struct cfs_export *x, struct cfs_export_batch *b,
		     struct cfs_error *err)
{
	size_t before = b->packed.n;
	struct cfs_slice rows;
	int rc = CFS_OK;

	while (rc == CFS_OK && (rows = rows_left(b)).n > 0) {
		rows = cfs_slice_sub(rows, 0, b->rows.spill == NULL ? rows.n :
						MEMBER_BYTES);
		rc = cfs_member_compress(x->opts.coding, rows, NULL, &b->packed,
					 err);
		drop_rows(b, rows.n);
	}
	b->unpacked = 0;
	return rc == CFS_OK ? add_unit(x, b, b->packed.n - before, err) : rc;
}

/* Writes n bytes of what waits, which belong into one file. */
static int write_unit(struct cfs_export *x, struct cfs_export_batch *b,
		      struct cfs_slice *packed, uint64_t n,
		      struct cfs_ctx ctx)
{
	int rc = cfs_rows_out_unit(x->opts.out, n, ctx);

	while (rc == CFS_OK && n > 0) {
		struct cfs_slice bytes = x->packs ? *packed : rows_left(b);
		size_t step = n < CFS_SPILL_STEP ? (size_t)n : CFS_SPILL_STEP;

		bytes = cfs_slice_sub(bytes, 0, step);
		rc = cfs_rows_out_write(x->opts.out, bytes, ctx);
		if (x->packs)
			*packed = cfs_slice_from(*packed, step);
		else
			drop_rows(b, step);
		n -= step;
	}
	return rc;
}

/* Writes what the first batch in order has to write. */
static int write_rows(struct cfs_export *x, struct cfs_export_batch *b,
		      struct cfs_error *err)
{
	struct cfs_ctx ctx = CFS_CTX(&x->run.cancel, err);
	struct cfs_slice packed = cfs_buf_slice(&b->packed), units;
	uint64_t n = x->packs ? packed.n : rows_left(b).n;
	int rc = CFS_OK;

	if (x->opts.file_bytes == 0 && n > 0)
		rc = write_unit(x, b, &packed, n, ctx);
	units = cfs_buf_slice(&b->units);
	for (; rc == CFS_OK && units.n > 0;
	     units = cfs_slice_from(units, sizeof(n))) {
		memcpy(&n, units.p, sizeof(n));
		rc = write_unit(x, b, &packed, n, ctx);
	}
	cfs_buf_reset(&b->packed);
	cfs_buf_reset(&b->units);
	count(x, b);
	return rc;
}

/* Writes rows of a batch that is being filled, if it is its turn, or if too
 * much is waiting. */
static int make_room(struct cfs_export *x, struct cfs_export_batch *b,
		     struct cfs_error *err)
{
	bool is_turn;
	int rc = cfs_ordered_turn(&x->run, &b->job, false, &is_turn, err);

	return rc == CFS_OK && is_turn ? write_rows(x, b, err) : rc;
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
	size_t waiting = b->rows.n;
	int rc;

	if (x->opts.format->value_max > 0)
		cfs_export_row_limit(&w->row, x->opts.format->value_max);
	rc = append_row(w, b, err);
	if (rc == CFS_OK && !x->packs)
		rc = add_unit(x, b, b->rows.n - waiting, err);
	if (rc != CFS_OK)
		return rc;
	b->made++;
	b->unpacked++;
	b->errors += (w->row.has & CFS_EXPORT_BIT(CFS_EXPORT_ERROR)) != 0;
	atomic_fetch_add_explicit(&x->rows, 1, memory_order_relaxed);
	waiting = rows_left(b).n;
	if (x->packs) {
		if (waiting >= x->member_bytes || b->unpacked >= MEMBER_ROWS)
			rc = pack_rows(x, b, err);
		waiting = b->packed.n;
	}
	count(x, b);
	return rc != CFS_OK || waiting < WRITE_BYTES ?
	       rc : make_room(x, b, err);
}

void cfs_export_make_void(struct cfs_export_worker *w,
			  const struct cfs_export_batch *b)
{
	cfs_ordered_void(&w->run->run, &b->job);
}

/* ---- settling ------------------------------------------------------------ */

bool cfs_export_ends_with_row(const struct cfs_export_worker *w, int rc)
{
	return cfs_code_is_trouble(rc) && rc != CFS_ENOMEM &&
	       rc != CFS_EINTR && !cfs_rows_out_can_resume(w->opts->out);
}

/* Writes the rows of a batch that failed, if its failure is one of them. */
static void write_last_rows(struct cfs_export *x, struct cfs_export_worker *w,
			    struct cfs_export_batch *b)
{
	int rc = CFS_OK;

	if (!cfs_export_ends_with_row(w, b->rc))
		return;
	if (x->packs)
		rc = pack_rows(x, b, NULL);
	if (rc == CFS_OK)
		(void)write_rows(x, b, NULL);
}

static int export_settle(void *arg, struct cfs_ordered_job *job, void *worker,
			 struct cfs_error *err)
{
	struct cfs_export *x = arg;
	struct cfs_export_worker *w = worker;
	struct cfs_export_batch *b = (struct cfs_export_batch *)job;
	int rc = cfs_error_pass(err, &b->error, b->rc);

	write_last_rows(x, w, b);
	if (rc == CFS_OK && x->drive->ops->settle != NULL)
		x->drive->ops->settle(b);
	if (rc == CFS_OK && x->packs)
		rc = pack_rows(x, b, err);
	if (rc == CFS_OK)
		rc = write_rows(x, b, err);
	x->had_errors = x->had_errors || b->errors > 0;
	if (rc == CFS_OK && !b->is_no_mark) {
		rc = cfs_rows_out_mark(x->opts.out, b->number + 1,
				       x->had_errors, err);
		x->had_errors = false;
	}
	if (rc == CFS_OK) {
		x->report.rows += b->made;
		x->report.errors += b->errors;
	}
	return rc;
}

/* ---- planning and filling ------------------------------------------------ */

/* Plans the next batch that no earlier run has written. */
static int plan_batch(void *arg, struct cfs_ordered_job **out,
		      struct cfs_error *err)
{
	struct cfs_export *x = arg;
	struct cfs_export_batch *b = NULL;
	int rc;

	*out = NULL;
	for (;;) {
		if (cfs_cancelled(&x->run.cancel))
			return cfs_error_set(err, CFS_EINTR, "interrupted");
		rc = x->drive->ops->next(x->drive, &b,
					 CFS_CTX(&x->run.cancel, err));
		if (rc != CFS_OK || b == NULL)
			return rc;
		b->number = x->numbered++;
		if (b->number >= x->done) {
			*out = &b->job;
			return CFS_OK;
		}
		x->drive->ops->free_batch(b);
	}
}

static void free_batch(void *arg, struct cfs_ordered_job *job)
{
	struct cfs_export *x = arg;

	x->drive->ops->free_batch((struct cfs_export_batch *)job);
}

static void *export_worker_new(void *arg)
{
	struct cfs_export *x = arg;
	struct cfs_export_worker *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return NULL;
	w->run = x;
	w->opts = &x->opts;
	w->cancel = &x->run.cancel;
	cfs_export_row_init(&w->row);
	w->row.spill_dir = x->opts.spill_dir;
	cfs_buf_init(&w->record, SIZE_MAX / 2);
	return w;
}

static void export_worker_free(void *worker)
{
	struct cfs_export_worker *w = worker;

	cfs_export_row_release(&w->row);
	cfs_buf_release(&w->record);
	free(w);
}

static void fill_batch(void *arg, struct cfs_ordered_job *job, void *worker)
{
	struct cfs_export *x = arg;
	struct cfs_export_batch *b = (struct cfs_export_batch *)job;

	b->rc = x->drive->ops->fill(x->drive, b, worker, &b->error);
}

static void export_show(void *arg)
{
	struct cfs_export *x = arg;
	struct cfs_progress p = { .captures = atomic_load(&x->rows) };

	if (x->opts.progress == NULL)
		return;
	x->drive->ops->progress(x->drive, &p);
	x->opts.progress(x->opts.arg, &p);
}

static const struct cfs_ordered_ops export_ops = {
	.plan = plan_batch, .work = fill_batch, .settle = export_settle,
	.free_job = free_batch, .worker_new = export_worker_new,
	.worker_free = export_worker_free, .show = export_show
};

static int make_rows(struct cfs_export *x, struct cfs_error *err)
{
	int rc = cfs_ordered_run(&x->run, err);

	x->report.is_closed = rc == CFS_END;
	return rc == CFS_END ? CFS_OK : rc;
}

static void export_begin(struct cfs_export *x, struct cfs_export_drive *drive,
			 const struct cfs_export_opts *opts)
{
	unsigned threads = opts->threads > 0 ? opts->threads : cfs_processors();
	uint64_t mem = opts->mem_bytes > 0 ? opts->mem_bytes :
					     CFS_EXPORT_MEM_DEFAULT;
	bool errors;

	x->opts = *opts;
	x->drive = drive;
	x->run = (struct cfs_ordered){ .ops = &export_ops, .arg = x,
		.threads = (unsigned)cfs_clamp_u64(threads, 1, CFS_POOL_MAX),
		.bytes_max = mem / WAITING_PART, .outer = opts->cancel };
	cfs_ordered_init(&x->run);
	x->packs = opts->coding != CFS_CODING_NONE &&
		   !opts->format->has_members;
	x->member_bytes = opts->file_bytes > 0 &&
			  opts->file_bytes < MEMBER_BYTES ?
			  (size_t)opts->file_bytes : MEMBER_BYTES;
	x->done = cfs_rows_out_done(opts->out, &errors);
	x->report.resumed = x->done;
	x->report.errors = errors;
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
		if (!cfs_rows_out_is_whole(opts->out))
			rc = make_rows(x, err);
		if (rc == CFS_OK && !x->report.is_closed)
			rc = cfs_rows_out_finish(opts->out,
						 CFS_CTX(opts->cancel, err));
		x->report.is_closed = x->report.is_closed || rc == CFS_END;
		*report = x->report;
		if (rc == CFS_OK && report->resumed == 0 && !report->is_closed)
			drive->ops->explain(drive, report->rows, opts->cancel);
		cfs_ordered_release(&x->run);
		free(x);
	}
	drive->ops->free(drive);
	return rc == CFS_END ? CFS_OK : rc;
}
