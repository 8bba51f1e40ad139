/* selection_sql.c - reads rows of selections with DuckDB: from Parquet files,
 * and as results of a SELECT.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sql.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/fileio.h"
#include "record/inflate_steps.h"
#include "selection_read.h"

#define SELECT_NAME "SQL"
#define COPY_NAME "/selection.parquet"
#define GROUPS_MAX ((size_t)1 << 20)

static int open_sql(struct cfs_selection_sql *q, struct cfs_error *err)
{
	return q->sql != NULL ? CFS_OK : cfs_sql_open(&q->sql, &q->opts, err);
}

void cfs_selection_sql_release(struct cfs_selection_sql *q)
{
	cfs_sql_close(q->sql);
	q->sql = NULL;
}

/* Returns 0, or CFS_EUSAGE with a message that names the missing columns. */
static int check_columns(const struct cfs_sql *s, struct cfs_error *err)
{
	CFS_BUF(lacking, sizeof(err->text));
	const struct cfs_selection_cell *cells;
	unsigned roles = 0;
	size_t n;

	cells = cfs_sql_columns(s, &n);
	for (size_t i = 0; i < n; i++)
		roles |= 1u << cells[i].column.role;
	if ((roles & CFS_COLUMNS_NEEDED) == CFS_COLUMNS_NEEDED)
		return CFS_OK;
	cfs_selection_columns_lacking(roles, &lacking);
	cfs_error_set(err, CFS_EUSAGE, "is not a selection: it is without %s",
		      cfs_buf_str(&lacking));
	return CFS_EUSAGE;
}

/* Does DuckDB say no more than that it has stopped?  Of several threads the one
 * that failed may not have been heard. */
static bool is_without_cause(const struct cfs_error *e)
{
	return strncmp(e->text, "INTERRUPT", strlen("INTERRUPT")) == 0 ||
	       strstr(e->text, "unsuccessful or closed") != NULL;
}

/* Runs a SELECT that has failed again, on one thread, to learn why. */
static void find_cause(const struct cfs_selection_sql *q, const char *select,
		       struct cfs_error *err)
{
	struct cfs_sql_opts opts = q->opts;
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_sql *sql = NULL;
	int rc;

	opts.threads = 1;
	rc = cfs_sql_open(&sql, &opts, &e);
	if (rc == CFS_OK)
		rc = cfs_sql_begin(sql, select, NULL, NULL, &e);
	while (rc == CFS_OK)
		rc = cfs_sql_next(sql, &e);
	cfs_sql_close(sql);
	if (rc == CFS_EFORMAT || rc == CFS_ELIMIT || rc == CFS_EINTR)
		*err = e;
}

/*
 * Takes the rows that a SELECT finds, numbered from *row on, and sets *row to
 * the first one not taken.
 */
static int selection_sql_take(struct cfs_selection_sql *q, const char *select,
			      cfs_sql_progress *progress, void *arg,
			      uint64_t *row, struct cfs_error *err)
{
	const struct cfs_selection_cell *cells;
	size_t n;
	int rc = open_sql(q, err);

	if (rc == CFS_OK)
		rc = cfs_sql_begin(q->sql, select, progress, arg, err);
	if (rc == CFS_OK)
		rc = check_columns(q->sql, err);
	while (rc == CFS_OK && (rc = cfs_sql_next(q->sql, err)) == CFS_OK) {
		cells = cfs_sql_columns(q->sql, &n);
		rc = cfs_selection_rows_take(q->rows, cells, n, *row, err);
		*row += rc == CFS_OK;
	}
	if (rc == CFS_END)
		return CFS_OK;
	if (q->sql != NULL)
		cfs_sql_stop(q->sql);
	if (rc == CFS_EFORMAT && is_without_cause(err)) {
		find_cause(q, select, err);
		rc = err->code;
	}
	return rc;
}

/* ---- Parquet ---- */

struct file_progress {
	void (*advanced)(void *arg, uint64_t bytes);
	void *arg;
	uint64_t bytes, done;		/* the size of the file, and the bytes
					 * reported as read */
};

static void on_fraction(void *arg, double fraction)
{
	struct file_progress *p = arg;
	uint64_t now = (uint64_t)(fraction * (double)p->bytes);

	if (now > p->done && now <= p->bytes) {
		p->advanced(p->arg, now - p->done);
		p->done = now;
	}
}

struct row_copy {
	struct file_progress *progress;
	struct cfs_buf step;
	uint64_t bytes;			/* written */
	int fd;
};

static int write_step(void *arg, uint64_t file_off)
{
	struct row_copy *c = arg;

	if (cfs_write_at(c->fd, c->step.p, c->step.n, c->bytes) < c->step.n)
		return CFS_EACCESS;
	c->bytes += c->step.n;
	cfs_buf_reset(&c->step);
	c->progress->advanced(c->progress->arg, file_off - c->progress->done);
	c->progress->done = file_off;
	return CFS_OK;
}

/* Copies a file, inflated, to one that DuckDB can open. */
static int copy_file(struct cfs_source *src, const char *path,
		     struct file_progress *progress, struct cfs_ctx ctx)
{
	struct row_copy c = { .progress = progress,
			  .fd = open(path, O_WRONLY | O_CREAT | O_EXCL |
				     O_CLOEXEC, 0600) };
	const struct cfs_inflate_steps steps = { &c.step, write_step, &c,
						  ctx.cancel };
	int rc = CFS_EACCESS;

	cfs_buf_init(&c.step, CFS_INFLATE_STEP_BYTES);
	if (c.fd >= 0)
		rc = cfs_inflate_steps_read(src, &steps, ctx.err);
	if (rc == CFS_EACCESS)
		rc = cfs_error_at(ctx.err, CFS_EIO, path, 0, "temporary file: %s",
				  strerror(errno));
	if (c.fd >= 0)
		close(c.fd);
	cfs_buf_release(&c.step);
	return rc;
}

static bool is_at_hand(struct cfs_source *src, const struct cfs_cancel *cancel)
{
	uint8_t head[sizeof(CFS_PARQUET_MAGIC) - 1];

	return src->is_local &&
	       cfs_source_read(src, head, sizeof(head), 0,
			       CFS_CTX(cancel, NULL)) ==
		       CFS_OK &&
	       memcmp(head, CFS_PARQUET_MAGIC, sizeof(head)) == 0;
}

static int selection_sql_ask(struct cfs_buf *b, const char *before,
			     const char *path, const char *behind,
			     struct cfs_error *err)
{
	cfs_buf_reset(b);
	cfs_buf_adds(b, before);
	cfs_sql_quote(b, cfs_slice_str(path));
	cfs_buf_adds(b, behind);
	return b->failed == CFS_OK ? CFS_OK :
	       cfs_error_set(err, CFS_ELIMIT, "its name is too long");
}

/* Reads the number of rows of each row group, le64, into `groups`. */
static int list_groups(struct cfs_selection_sql *q, const char *path,
		       struct cfs_buf *text, struct cfs_buf *groups,
		       struct cfs_error *err)
{
	const struct cfs_selection_cell *cells;
	uint64_t rows;
	size_t n;
	int rc = selection_sql_ask(text, "SELECT DISTINCT row_group_num_rows, row_group_id "
				   "FROM parquet_metadata(", path, ") ORDER BY row_group_id",
				   err);

	if (rc == CFS_OK)
		rc = cfs_sql_begin(q->sql, cfs_buf_str(text), NULL, NULL, err);
	while (rc == CFS_OK && (rc = cfs_sql_next(q->sql, err)) == CFS_OK) {
		cells = cfs_sql_columns(q->sql, &n);
		if (cfs_slice_parse_u64(cells[0].value, UINT32_MAX, &rows) !=
		    CFS_OK)
			rc = cfs_error_set(err, CFS_EFORMAT, "row groups");
		else
			rc = cfs_buf_le64(groups, rows);
	}
	return rc == CFS_END ? CFS_OK : rc;
}

/* Takes the readable row groups one by one, from row *row on. */
static int take_groups(struct cfs_selection_sql *q, const char *path,
		       struct cfs_buf *text, const struct cfs_buf *groups,
		       uint64_t row, struct cfs_error *err)
{
	struct cfs_cursor c = { cfs_buf_slice(groups), false };
	uint64_t end = 0;
	int rc = CFS_OK;

	while (rc == CFS_OK && c.rest.n > 0) {
		struct cfs_error e = CFS_ERROR_INIT;

		end += cfs_cursor_le64(&c);
		if (end < row)
			continue;
		rc = selection_sql_ask(text, "SELECT * EXCLUDE (file_row_number) FROM "
				       "read_parquet(", path, ", file_row_number=true) WHERE "
				       "file_row_number", err);
		cfs_buf_addf(text, " >= %" PRIu64 " AND file_row_number < %"
			     PRIu64, row - 1, end);
		if (rc == CFS_OK)
			rc = selection_sql_take(q, cfs_buf_str(text), NULL,
						NULL, &row, &e);
		if (rc == CFS_EFORMAT) {
			cfs_selection_rows_damaged(q->rows, row, e.text);
			rc = CFS_OK;
		} else {
			cfs_error_pass(err, &e, rc);
		}
		row = end + 1;
	}
	return rc;
}

/* Takes the rows of a file at `path`.  Damaged row groups are reported and left
 * out. */
static int selection_sql_take_file(struct cfs_selection_sql *q,
				   const char *path,
				   struct file_progress *progress,
				   struct cfs_error *err)
{
	struct cfs_error e = CFS_ERROR_INIT;
	CFS_BUF(groups, GROUPS_MAX * sizeof(uint64_t));
	CFS_BUF(text, 4 * CFS_NAME_BYTES_MAX);
	uint64_t row = 1;
	int rc;

	rc = selection_sql_ask(&text, "SELECT * FROM read_parquet(", path, ")",
			       &e);
	if (rc == CFS_OK)
		rc = selection_sql_take(q, cfs_buf_str(&text), on_fraction,
					progress, &row, &e);
	if (rc == CFS_EFORMAT &&
	    list_groups(q, path, &text, &groups, NULL) == CFS_OK) {
		rc = take_groups(q, path, &text, &groups, row, err);
	} else if (rc == CFS_EFORMAT || rc == CFS_EUSAGE) {
		cfs_selection_rows_damaged(q->rows, 0, e.text);
		rc = CFS_OK;
	} else {
		cfs_error_pass(err, &e, rc);
	}
	return rc;
}

int cfs_selection_sql_parquet(struct cfs_selection_sql *q,
			      struct cfs_source *src,
			      void (*advanced)(void *arg, uint64_t bytes),
			      void *arg, struct cfs_error *err)
{
	struct file_progress progress = { .advanced = advanced, .arg = arg };
	bool copies = !is_at_hand(src, q->opts.cancel);
	struct cfs_error e = CFS_ERROR_INIT;
	CFS_BUF(path, 2 * CFS_NAME_BYTES_MAX);
	int rc = open_sql(q, err);

	if (rc != CFS_OK)
		return rc;
	cfs_buf_adds(&path, copies ? cfs_sql_folder(q->sql) : src->name);
	cfs_buf_adds(&path, copies ? COPY_NAME : "");
	rc = cfs_selection_rows_begin(q->rows, src->name, "row", err);
	if (rc == CFS_OK && copies)
		rc = copy_file(src, cfs_buf_str(&path), &progress,
			       CFS_CTX(q->opts.cancel, &e));
	else
		progress.bytes = src->size;
	if (rc == CFS_EFORMAT)
		cfs_selection_rows_damaged(q->rows, 0, e.text);
	else if (rc == CFS_OK)
		rc = selection_sql_take_file(q, cfs_buf_str(&path), &progress,
					     &e);
	if (copies)
		unlink(cfs_buf_str(&path));
	if (progress.bytes > progress.done)
		advanced(arg, progress.bytes - progress.done);
	if (rc == CFS_EFORMAT)
		return CFS_OK;
	return cfs_error_pass(err, &e, rc);
}

/* ---- SQL ---- */

int cfs_selection_sql_select(struct cfs_selection_sql *q, const char *select,
			     cfs_sql_progress *progress, void *arg,
			     struct cfs_error *err)
{
	struct cfs_error e = CFS_ERROR_INIT;
	uint64_t row = 1;
	int rc = cfs_selection_rows_begin(q->rows, SELECT_NAME, "row", err);

	if (rc != CFS_OK)
		return rc;
	rc = selection_sql_take(q, select, progress, arg, &row, &e);
	/* The rows before the damage are good. */
	if (rc == CFS_EFORMAT && row > 1) {
		cfs_selection_rows_damaged(q->rows, row, e.text);
		return CFS_OK;
	}
	return cfs_error_pass(err, &e, rc);
}
