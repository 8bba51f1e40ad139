/* sql.c - runs a SELECT with DuckDB.
 *
 * DuckDB converts the values: the caller's SELECT becomes the inner query of
 * one whose columns are all VARCHAR or BLOB, which have the same layout.
 * DuckDB's function query() takes the SELECT as a string, and refuses anything
 * else before it looks at its meaning (merely preparing EXPORT DATABASE makes a
 * folder).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sql.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/pool.h"
#include "base/sync.h"
#include "base/tempdir.h"
#include "duckdb_api.h"

#define COLUMNS_MAX CFS_SELECTION_CELLS_MAX
#define SQL_MAX ((size_t)16 << 20)
#define NAMES_MAX ((size_t)1 << 20)
/* DuckDB holds parts of a file's columns, once per thread. */
#define MEMORY_DEFAULT ((size_t)1 << 30)
#define MEMORY_MIN ((size_t)64 << 20)
#define THREADS_DEFAULT_MAX 8u
#define WATCH_MS 100u

/* ---- queries ---- */

struct cfs_sql {
	const struct cfs_duckdb_api *api;
	const struct cfs_sql_opts *opts;
	cfs_duckdb_database db;
	cfs_duckdb_connection con;	/* set under lock; used by the
					 * watcher */
	struct cfs_tempdir spill;	/* for data that does not fit in
					 * memory */
	bool is_lost;			/* DuckDB may have given up the
					 * database */
	/* The running statement: */
	struct cfs_duckdb_result result;
	cfs_duckdb_chunk chunk;
	uint64_t rows, row;		/* rows of the chunk; the next row */
	size_t n;			/* number of columns */
	const union cfs_duckdb_string *data[COLUMNS_MAX];
	const uint64_t *validity[COLUMNS_MAX];
	/* Columns of the caller's SELECT: */
	struct cfs_buf names;		/* column names, one after the other */
	struct cfs_buf text;		/* the outer query */
	struct cfs_selection_cell cells[COLUMNS_MAX];
	enum cfs_cell_type types[COLUMNS_MAX];	/* for cells that are not
						 * NULL */
	struct cfs_turns watcher;
	pthread_mutex_t lock;
	cfs_sql_progress *progress;	/* guarded by lock; NULL: none */
	void *arg;			/* of progress */
};

void cfs_sql_quote(struct cfs_buf *out, struct cfs_slice text)
{
	cfs_buf_addc(out, '\'');
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '\'')
			cfs_buf_addc(out, '\'');
		cfs_buf_addc(out, text.p[i]);
	}
	cfs_buf_addc(out, '\'');
}

/* ---- failures ---- */

/* The options that avoid a failure, or "". */
static const char *advice(int code, struct cfs_slice line)
{
	if (code == CFS_ELIMIT)
		return " (--memory allows more)";
	if (cfs_slice_starts(line, CFS_SLICE_LIT("Permission")))
		return " (--tables=FOLDER allows more folders)";
	return "";
}

/* Uses the first line of DuckDB's message, which says what is wrong: "Parser
 * Error: syntax error at ...". */
static int sql_fail(struct cfs_sql *s, const char *message,
		    struct cfs_error *err)
{
	static const char *const callers[] = { "Parser", "Binder", "Catalog",
		"Permission", "Missing Extension", "Extension Autoloading" };
	struct cfs_slice all = cfs_slice_str(message != NULL ? message :
					     "DuckDB failed"), line;
	int code = CFS_EFORMAT;

	s->is_lost = true;
	line = cfs_slice_split(&all, '\n');
	if (cfs_cancelled(s->opts->cancel))
		return cfs_error_set(err, CFS_EINTR, "interrupted");
	for (size_t i = 0; i < sizeof(callers) / sizeof(*callers); i++)
		if (cfs_slice_starts(line, cfs_slice_str(callers[i])))
			code = CFS_EUSAGE;
	if (cfs_slice_starts(line, CFS_SLICE_LIT("Out of Memory")))
		code = CFS_ELIMIT;
	return cfs_error_set(err, code, "%.*s%s", (int)line.n,
			     (const char *)line.p, advice(code, line));
}

/* ---- statements ---- */

static int sql_run(struct cfs_sql *s, const char *sql, struct cfs_error *err)
{
	struct cfs_duckdb_result r = { .internal = NULL };
	int rc = CFS_OK;

	if (s->api->query(s->con, sql, &r) != 0)
		rc = sql_fail(s, s->api->result_error(&r), err);
	s->api->destroy_result(&r);
	return rc;
}

static void sql_end(struct cfs_sql *s)
{
	s->api->destroy_data_chunk(&s->chunk);
	s->api->destroy_result(&s->result);
	s->rows = s->row = 0;
}

/* Executes a prepared statement; its rows are computed as they are fetched. */
static int execute(struct cfs_sql *s, cfs_duckdb_prepared p,
		   struct cfs_error *err)
{
	cfs_duckdb_pending pending = NULL;
	int rc = CFS_OK;

	if (s->api->pending_prepared_streaming(p, &pending) != 0)
		rc = sql_fail(s, pending == NULL ? NULL :
				 s->api->pending_error(pending), err);
	else if (s->api->execute_pending(pending, &s->result) != 0)
		rc = sql_fail(s, s->api->result_error(&s->result), err);
	s->api->destroy_pending(&pending);
	s->n = (size_t)s->api->column_count(&s->result);
	if (rc == CFS_OK && s->n > COLUMNS_MAX)
		rc = cfs_error_set(err, CFS_ELIMIT,
				   "more than %u columns", COLUMNS_MAX);
	return rc;
}

/* Begins a statement whose columns are all VARCHAR or BLOB. */
static int sql_begin(struct cfs_sql *s, const char *sql, struct cfs_error *err)
{
	cfs_duckdb_extracted x = NULL;
	cfs_duckdb_prepared p = NULL;
	int rc;

	if (s->api->extract_statements(s->con, sql, &x) != 1)
		rc = sql_fail(s, s->api->extract_statements_error(x), err);
	else if (s->api->prepare_extracted_statement(s->con, x, 0, &p) != 0)
		rc = sql_fail(s, s->api->prepare_error(p), err);
	else
		rc = execute(s, p, err);
	s->api->destroy_prepare(&p);
	s->api->destroy_extracted(&x);
	return rc;
}

static int next_chunk(struct cfs_sql *s, struct cfs_error *err)
{
	const char *message;

	s->api->destroy_data_chunk(&s->chunk);
	s->row = s->rows = 0;
	s->chunk = s->api->fetch_chunk(s->result);
	if (s->chunk == NULL) {
		message = s->api->result_error(&s->result);
		return message != NULL ? sql_fail(s, message, err) : CFS_END;
	}
	s->rows = s->api->data_chunk_get_size(s->chunk);
	for (size_t i = 0; i < s->n; i++) {
		cfs_duckdb_vector v =
			s->api->data_chunk_get_vector(s->chunk, i);

		s->data[i] = s->api->vector_get_data(v);
		s->validity[i] = s->api->vector_get_validity(v);
	}
	return CFS_OK;
}

/* Goes to the next row, which is number `row` - 1 of the chunk. */
static int sql_next_row(struct cfs_sql *s, struct cfs_error *err)
{
	int rc = CFS_OK;

	while (rc == CFS_OK && s->row == s->rows) {
		if (cfs_cancelled(s->opts->cancel))
			return cfs_error_set(err, CFS_EINTR, "interrupted");
		rc = next_chunk(s, err);
	}
	s->row += rc == CFS_OK;
	return rc;
}

/* Lends a value of the current row.  False: NULL. */
static bool value(const struct cfs_sql *s, size_t column, struct cfs_slice *out)
{
	const union cfs_duckdb_string *v = &s->data[column][s->row - 1];
	const uint64_t *valid = s->validity[column];
	uint64_t row = s->row - 1;

	*out = CFS_SLICE_EMPTY;
	if (valid != NULL && (valid[row / 64] >> row % 64 & 1) == 0)
		return false;
	*out = cfs_slice_of(v->near.n <= CFS_DUCKDB_INLINE ? v->near.bytes :
			    v->far.p, v->near.n);
	return true;
}

/* ---- columns ---- */

/* How to convert a type to text, and the type of cell: by the beginning of the
 * type's name, or "..." and its end; the first match counts. */
static const struct {
	const char *type, *before, *behind;
	enum cfs_cell_type cell;
} conversions[] = {
	{ "...]", "to_json(", ")::VARCHAR", CFS_CELL_JSON },
	{ "STRUCT", "to_json(", ")::VARCHAR", CFS_CELL_JSON },
	{ "MAP", "to_json(", ")::VARCHAR", CFS_CELL_JSON },
	{ "UNION", "to_json(", ")::VARCHAR", CFS_CELL_JSON },
	{ "VARIANT", "to_json(", ")::VARCHAR", CFS_CELL_JSON },
	{ "BLOB", "", "", CFS_CELL_TEXT },
	/* a cast would use the local time zone */
	{ "TIMESTAMP WITH TIME ZONE", "make_timestamp(epoch_us(",
	  "))::VARCHAR", CFS_CELL_TEXT },
	{ "JSON", "", "::VARCHAR", CFS_CELL_JSON },
	{ "BOOLEAN", "", "::VARCHAR", CFS_CELL_JSON },
	{ "...INT", "", "::VARCHAR", CFS_CELL_JSON },
	{ "INTEGER", "", "::VARCHAR", CFS_CELL_JSON },
	{ "UINTEGER", "", "::VARCHAR", CFS_CELL_JSON },
	{ "BIGNUM", "", "::VARCHAR", CFS_CELL_JSON },
	{ "DECIMAL", "", "::VARCHAR", CFS_CELL_JSON },
	{ "FLOAT", "", "::VARCHAR", CFS_CELL_JSON },
	{ "DOUBLE", "", "::VARCHAR", CFS_CELL_JSON },
	{ "", "", "::VARCHAR", CFS_CELL_TEXT },
};

static size_t conversion_of(struct cfs_slice type)
{
	for (size_t i = 0;; i++) {
		struct cfs_slice t = cfs_slice_str(conversions[i].type);

		if (cfs_slice_starts(t, CFS_SLICE_LIT("...")) ?
		    cfs_slice_ends(type, cfs_slice_from(t, 3)) :
		    cfs_slice_starts(type, t))
			return i;
	}
}

/* Reads names and types of the SELECT's columns, and writes the lists of its
 * outer query. */
static int take_columns(struct cfs_sql *s, struct cfs_buf *select_list,
			struct cfs_buf *columns, struct cfs_error *err)
{
	struct cfs_slice name, type;
	size_t n = 0;
	int rc;

	while ((rc = sql_next_row(s, err)) == CFS_OK) {
		size_t how;

		if (n == COLUMNS_MAX)
			return cfs_error_set(err, CFS_ELIMIT,
				"more than %u columns", COLUMNS_MAX);
		value(s, 0, &name);
		value(s, 1, &type);
		how = conversion_of(type);
		cfs_buf_addf(select_list, "%s%sc%zu%s", n > 0 ? "," : "",
			     conversions[how].before, n,
			     conversions[how].behind);
		cfs_buf_addf(columns, "%sc%zu", n > 0 ? "," : "", n);
		s->cells[n].name.n = name.n;
		s->cells[n].column = cfs_selection_column_of(name);
		s->types[n] = conversions[how].cell;
		cfs_buf_add(&s->names, name);
		n++;
	}
	if (rc != CFS_END)
		return rc;
	if (s->names.failed == CFS_OK && select_list->failed == CFS_OK &&
	    columns->failed == CFS_OK)
		return CFS_OK;
	return cfs_error_set(err, CFS_ELIMIT, "the names of its columns are "
			     "too long");
}

/* Begins the caller's SELECT. */
static int begin_select(struct cfs_sql *s, const char *select,
			struct cfs_error *err)
{
	CFS_BUF(columns, SQL_MAX);
	CFS_BUF(list, SQL_MAX);
	size_t at = 0;
	int rc;

	cfs_buf_reset(&s->names);
	cfs_buf_reset(&s->text);
	cfs_buf_adds(&s->text, "SELECT column_name, column_type FROM "
		     "(DESCRIBE SELECT * FROM query(");
	cfs_sql_quote(&s->text, cfs_slice_str(select));
	cfs_buf_adds(&s->text, "))");
	rc = sql_begin(s, cfs_buf_str(&s->text), err);
	if (rc == CFS_OK)
		rc = take_columns(s, &list, &columns, err);
	sql_end(s);
	for (size_t i = 0; at < s->names.n; at += s->cells[i++].name.n)
		s->cells[i].name.p = s->names.p + at;
	cfs_buf_reset(&s->text);
	cfs_buf_addf(&s->text, "SELECT %s FROM query(", cfs_buf_str(&list));
	cfs_sql_quote(&s->text, cfs_slice_str(select));
	cfs_buf_addf(&s->text, ") AS t(%s)", cfs_buf_str(&columns));
	if (rc == CFS_OK && s->text.failed != CFS_OK)
		rc = cfs_error_set(err, CFS_ELIMIT, "the SQL is too long");
	if (rc == CFS_OK)
		rc = sql_begin(s, cfs_buf_str(&s->text), err);
	return rc;
}

/* Checks that it is one statement, before DuckDB looks at its meaning. */
static int check_select(struct cfs_sql *s, const char *select,
			struct cfs_error *err)
{
	cfs_duckdb_extracted x = NULL;
	uint64_t n = s->api->extract_statements(s->con, select, &x);
	const char *message = s->api->extract_statements_error(x);
	int rc = CFS_OK;

	if (n == 0 && message != NULL)
		rc = sql_fail(s, message, err);
	else if (n != 1)
		rc = cfs_error_set(err, CFS_EUSAGE,
				   "one SELECT is needed, not %llu statements",
				   (unsigned long long)n);
	s->api->destroy_extracted(&x);
	return rc;
}

/* ---- the database ---- */

static int open_database(struct cfs_sql *s, struct cfs_error *err)
{
	size_t memory = s->opts->memory_bytes;
	unsigned threads = s->opts->threads;
	char memory_text[32], threads_text[16];
	const char *const settings[][2] = {
		{ "memory_limit", memory_text }, { "threads", threads_text },
		{ "temp_directory", s->spill.path },
		{ "autoinstall_known_extensions", "false" },
		{ "autoload_known_extensions", "false" },
		{ "allow_community_extensions", "false" },
		{ "allow_persistent_secrets", "false" },
	};
	cfs_duckdb_config c = NULL;
	char *message = NULL;
	int rc = CFS_OK;

	if (memory == 0)
		memory = MEMORY_DEFAULT;
	if (memory < MEMORY_MIN)
		memory = MEMORY_MIN;
	if (threads == 0)
		threads = cfs_processors() < THREADS_DEFAULT_MAX ?
			  cfs_processors() : THREADS_DEFAULT_MAX;
	snprintf(memory_text, sizeof(memory_text), "%zuKiB", memory >> 10);
	snprintf(threads_text, sizeof(threads_text), "%u", threads);
	if (s->api->create_config(&c) != 0)
		rc = cfs_error_nomem(err);
	for (size_t i = 0; rc == CFS_OK &&
	     i < sizeof(settings) / sizeof(*settings); i++)
		if (s->api->set_config(c, settings[i][0], settings[i][1]) != 0)
			rc = cfs_error_set(err, CFS_EUNSUPPORTED,
				"DuckDB %s has no setting %s",
				s->api->library_version(), settings[i][0]);
	if (rc == CFS_OK && s->api->open_ext(NULL, &s->db, c, &message) != 0)
		rc = sql_fail(s, message, err);
	else if (rc == CFS_OK && s->api->connect(s->db, &s->con) != 0)
		rc = sql_fail(s, NULL, err);
	s->api->free(message);
	s->api->destroy_config(&c);
	return rc;
}

/* From here on only the given files can be opened, and no setting can change
 * that. */
static int lock_database(struct cfs_sql *s, struct cfs_error *err)
{
	CFS_BUF(b, SQL_MAX);

	cfs_buf_adds(&b, "SET enable_progress_bar=true; "
		     "SET enable_progress_bar_print=false; "
		     "SET allowed_directories=[");
	cfs_sql_quote(&b, cfs_slice_str(s->spill.path));
	for (size_t i = 0; i < s->opts->n_folders; i++) {
		cfs_buf_addc(&b, ',');
		cfs_sql_quote(&b, cfs_slice_str(s->opts->folders[i]));
	}
	cfs_buf_adds(&b, "]; SET allowed_paths=[");
	for (size_t i = 0; i < s->opts->n_files; i++) {
		cfs_buf_adds(&b, i > 0 ? "," : "");
		cfs_sql_quote(&b, cfs_slice_str(s->opts->files[i]));
	}
	cfs_buf_adds(&b, "]; SET enable_external_access=false; "
		     "SET lock_configuration=true");
	return b.failed != CFS_OK ? cfs_error_set(err, CFS_ELIMIT,
						  "too many files") :
	       sql_run(s, cfs_buf_str(&b), err);
}

/* ---- the watcher thread ---- */

static void report_progress_locked(struct cfs_sql *s)
{
	double percent;

	if (s->progress == NULL)
		return;
	percent = s->api->query_progress(s->con).percent;
	if (percent >= 0 && percent <= 100)
		s->progress(s->arg, percent / 100);
}

static int64_t sql_watch(void *arg)
{
	struct cfs_sql *s = arg;

	pthread_mutex_lock(&s->lock);
	/* Repeatedly, because a statement that begins forgets it. */
	if (s->con != NULL && cfs_cancelled(s->opts->cancel))
		s->api->interrupt(s->con);
	report_progress_locked(s);
	pthread_mutex_unlock(&s->lock);
	return WATCH_MS;
}

/* ---- opening and querying ---- */

int cfs_sql_open(struct cfs_sql **out, const struct cfs_sql_opts *opts,
		 struct cfs_error *err)
{
	const struct cfs_duckdb_api *api = cfs_duckdb_load(err);
	struct cfs_sql *s;
	int rc;

	*out = NULL;
	if (api == NULL)
		return CFS_EUNSUPPORTED;
	s = calloc(1, sizeof(*s));
	if (s == NULL)
		return cfs_error_nomem(err);
	s->api = api;
	s->opts = opts;
	pthread_mutex_init(&s->lock, NULL);
	cfs_turns_init(&s->watcher, sql_watch, s);
	cfs_buf_init(&s->names, NAMES_MAX);
	cfs_buf_init(&s->text, SQL_MAX);
	rc = cfs_tempdir_make(&s->spill, opts->tmp_dir, ".crawlfs-sql") == 0 ?
	     CFS_OK : cfs_error_at(err, CFS_EIO, opts->tmp_dir, 0,
				   "temporary folder: %s", strerror(errno));
	if (rc == CFS_OK)
		rc = open_database(s, err);
	if (rc == CFS_OK)
		rc = lock_database(s, err);
	if (rc == CFS_OK)
		rc = cfs_turns_want(&s->watcher) ? CFS_OK :
		     cfs_error_set(err, CFS_ENOMEM, "cannot start a thread");
	if (rc == CFS_OK)
		*out = s;
	else
		cfs_sql_close(s);
	return rc;
}

const char *cfs_sql_folder(struct cfs_sql *s)
{
	return s->spill.path;
}

static void set_progress(struct cfs_sql *s, cfs_sql_progress *progress,
			 void *arg)
{
	pthread_mutex_lock(&s->lock);
	s->progress = progress;
	s->arg = arg;
	pthread_mutex_unlock(&s->lock);
}

void cfs_sql_stop(struct cfs_sql *s)
{
	set_progress(s, NULL, NULL);
	sql_end(s);
}

static void close_database(struct cfs_sql *s)
{
	s->api->disconnect(&s->con);
	s->api->close(&s->db);
}

/* Opens the database again: DuckDB gives it up after some failures. */
static int reopen(struct cfs_sql *s, struct cfs_error *err)
{
	int rc = CFS_OK;

	if (!s->is_lost)
		return CFS_OK;
	pthread_mutex_lock(&s->lock);
	close_database(s);
	rc = open_database(s, err);
	pthread_mutex_unlock(&s->lock);
	if (rc == CFS_OK)
		rc = lock_database(s, err);
	s->is_lost = rc != CFS_OK;
	return rc;
}

int cfs_sql_begin(struct cfs_sql *s, const char *select,
		  cfs_sql_progress *progress, void *arg, struct cfs_error *err)
{
	int rc;

	cfs_sql_stop(s);
	rc = reopen(s, err);
	if (rc == CFS_OK)
		rc = check_select(s, select, err);
	set_progress(s, progress, arg);
	if (rc == CFS_OK)
		rc = begin_select(s, select, err);
	if (rc != CFS_OK)
		cfs_sql_stop(s);
	return rc;
}

const struct cfs_selection_cell *cfs_sql_columns(const struct cfs_sql *s,
						 size_t *n)
{
	*n = s->n;
	return s->cells;
}

int cfs_sql_next(struct cfs_sql *s, struct cfs_error *err)
{
	int rc = sql_next_row(s, err);

	for (size_t i = 0; rc == CFS_OK && i < s->n; i++)
		s->cells[i].type = value(s, i, &s->cells[i].value) ?
				   s->types[i] : CFS_CELL_NULL;
	if (rc != CFS_OK)
		cfs_sql_stop(s);
	return rc;
}

void cfs_sql_close(struct cfs_sql *s)
{
	if (s == NULL)
		return;
	cfs_turns_end(&s->watcher);
	sql_end(s);
	close_database(s);
	cfs_tempdir_remove(&s->spill);
	pthread_mutex_destroy(&s->lock);
	cfs_buf_release(&s->names);
	cfs_buf_release(&s->text);
	free(s);
}
