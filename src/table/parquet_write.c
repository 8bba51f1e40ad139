/* parquet_write.c - has DuckDB copy rows into a Parquet file.
 *
 * DuckDB asks for rows by a table function, in chunks of at most CHUNK_BYTES,
 * and gathers them until a row group is full.  It does so in one thread, so
 * that the order stays and the same rows give the same file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parquet_write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clamp.h"
#include "duckdb_api.h"
#include "sql.h"

#define SQL_BYTES_MAX ((size_t)1 << 20)
/* DuckDB gathers up to that many rows for a group: its own default. */
#define GROUP_ROWS 122880u
#define GROUP_PARTS 8u
/* Bytes of values in a chunk; one with a longer value has one row. */
#define CHUNK_BYTES ((uint64_t)4 << 20)
#define MEM_MIN ((uint64_t)128 << 20)

struct parquet_writer {
	const struct cfs_parquet_opts *opts;
	struct cfs_ctx ctx;
	const struct cfs_duckdb_api *api;
	cfs_duckdb_database db;
	cfs_duckdb_connection con;
	int rc;				/* the last result of `next` */
	struct cfs_parquet_value values[CFS_PARQUET_COLUMNS_MAX];
	cfs_duckdb_vector vectors[CFS_PARQUET_COLUMNS_MAX];
};

/* ---- values -------------------------------------------------------------- */

static void put_null(struct parquet_writer *w, cfs_duckdb_vector v,
		     uint64_t row)
{
	w->api->vector_ensure_validity_writable(v);
	w->api->validity_set_row_invalid(w->api->vector_get_validity(v), row);
}

/* Makes room for the n items of a list, behind those of the rows before. */
static bool begin_list(struct parquet_writer *w, cfs_duckdb_vector v,
		       uint64_t row, uint64_t n)
{
	struct cfs_duckdb_list *lists = w->api->vector_get_data(v);
	uint64_t at = w->api->list_vector_get_size(v);

	lists[row] = (struct cfs_duckdb_list){ at, n };
	if (w->api->list_vector_reserve(v, at + n) == 0 &&
	    w->api->list_vector_set_size(v, at + n) == 0)
		return true;
	lists[row].n = 0;
	w->rc = cfs_error_nomem(w->ctx.err);
	return false;
}

static bool is_list(enum cfs_parquet_type type)
{
	return type == CFS_PARQUET_WORDS || type == CFS_PARQUET_STRUCTS;
}

static void put_words_of(struct parquet_writer *w, cfs_duckdb_vector v,
			 uint64_t row, struct cfs_slice words)
{
	cfs_duckdb_vector child = w->api->list_vector_get_child(v);
	uint64_t at = w->api->list_vector_get_size(v), n = 0;

	for (struct cfs_slice rest = words; rest.n > 0; n++)
		cfs_slice_split(&rest, ',');
	if (!begin_list(w, v, row, n))
		return;
	for (; words.n > 0; at++) {
		struct cfs_slice word = cfs_slice_split(&words, ',');

		w->api->vector_assign_string_element_len(child, at,
				(const char *)word.p, word.n);
	}
}

/* Takes the next member of a struct.  False: it is NULL, or c is bad. */
static bool take_member(struct cfs_cursor *c, struct cfs_slice *out)
{
	uint64_t n = cfs_cursor_varint(c);

	if (n == 0)
		return false;
	*out = cfs_cursor_take(c, n - 1);
	return !c->bad;
}

static size_t count_members(const struct cfs_parquet_column *column)
{
	size_t n = 0;

	while (n < CFS_PARQUET_MEMBERS_MAX && column->members[n] != NULL)
		n++;
	return n;
}

/* Puts so many structs into the rows of v from `at` on. */
static void put_members(struct parquet_writer *w, cfs_duckdb_vector v,
			const struct cfs_parquet_column *column, uint64_t at,
			uint64_t structs, struct cfs_slice from)
{
	size_t n = count_members(column);
	struct cfs_cursor c = { from, false };
	cfs_duckdb_vector members[CFS_PARQUET_MEMBERS_MAX];
	struct cfs_slice text;

	for (size_t i = 0; i < n; i++)
		members[i] = w->api->struct_vector_get_child(v, i);
	for (uint64_t i = 0; i < structs * n; i++)
		if (take_member(&c, &text))
			w->api->vector_assign_string_element_len(members[i % n],
				at + i / n, (const char *)text.p, text.n);
		else
			put_null(w, members[i % n], at + i / n);
}

static void put_structs(struct parquet_writer *w, size_t column, uint64_t row,
			struct cfs_slice structs)
{
	cfs_duckdb_vector v = w->vectors[column];
	size_t n = count_members(&w->opts->columns[column]);
	uint64_t at = w->api->list_vector_get_size(v), values = 0;
	struct cfs_cursor c = { structs, false };
	struct cfs_slice text;

	for (; c.rest.n > 0 && !c.bad; values++)
		take_member(&c, &text);
	if (begin_list(w, v, row, values / n))
		put_members(w, w->api->list_vector_get_child(v),
			    &w->opts->columns[column], at, values / n, structs);
}

static void parquet_put_value(struct parquet_writer *w, size_t column,
			      uint64_t row)
{
	const struct cfs_parquet_value *value = &w->values[column];
	cfs_duckdb_vector v = w->vectors[column];
	int64_t n = value->number;

	if (!value->has) {
		if (is_list(w->opts->columns[column].type))
			begin_list(w, v, row, 0);
		if (w->opts->columns[column].type == CFS_PARQUET_STRUCT)
			put_members(w, v, &w->opts->columns[column], row, 1,
				    CFS_SLICE_EMPTY);
		put_null(w, v, row);
		return;
	}
	switch (w->opts->columns[column].type) {
	case CFS_PARQUET_TEXT:
	case CFS_PARQUET_BYTES:
		w->api->vector_assign_string_element_len(v, row,
			(const char *)value->text.p, value->text.n);
		break;
	case CFS_PARQUET_WORDS:
		put_words_of(w, v, row, value->text);
		break;
	case CFS_PARQUET_STRUCT:
		put_members(w, v, &w->opts->columns[column], row, 1,
			    value->text);
		break;
	case CFS_PARQUET_STRUCTS:
		put_structs(w, column, row, value->text);
		break;
	case CFS_PARQUET_INT:
		((int32_t *)w->api->vector_get_data(v))[row] = (int32_t)
			cfs_clamp_i64(n, INT32_MIN, INT32_MAX);
		break;
	case CFS_PARQUET_HUNDREDTHS:
		((double *)w->api->vector_get_data(v))[row] = (double)n / 100;
		break;
	case CFS_PARQUET_LONG:
	case CFS_PARQUET_TIME:
		((int64_t *)w->api->vector_get_data(v))[row] = n;
		break;
	}
}

/* ---- the table function -------------------------------------------------- */

/* A struct whose members are texts. */
static cfs_duckdb_type struct_type(struct parquet_writer *w,
				   const struct cfs_parquet_column *column)
{
	const char *names[CFS_PARQUET_MEMBERS_MAX];
	cfs_duckdb_type types[CFS_PARQUET_MEMBERS_MAX], t;
	size_t n = count_members(column);

	for (size_t i = 0; i < n; i++) {
		names[i] = column->members[i];
		types[i] = w->api->create_logical_type(CFS_DUCKDB_VARCHAR);
	}
	t = w->api->create_struct_type(types, names, n);
	for (size_t i = 0; i < n; i++)
		w->api->destroy_logical_type(&types[i]);
	return t;
}

static cfs_duckdb_type duckdb_type_of(struct parquet_writer *w,
				      const struct cfs_parquet_column *column)
{
	static const int types[] = {
		[CFS_PARQUET_TEXT] = CFS_DUCKDB_VARCHAR,
		[CFS_PARQUET_WORDS] = CFS_DUCKDB_VARCHAR,
		[CFS_PARQUET_BYTES] = CFS_DUCKDB_BLOB,
		[CFS_PARQUET_INT] = CFS_DUCKDB_INTEGER,
		[CFS_PARQUET_LONG] = CFS_DUCKDB_BIGINT,
		[CFS_PARQUET_HUNDREDTHS] = CFS_DUCKDB_DOUBLE,
		[CFS_PARQUET_TIME] = CFS_DUCKDB_TIMESTAMP_TZ };
	cfs_duckdb_type t, list;

	if (column->members != NULL)
		t = struct_type(w, column);
	else
		t = w->api->create_logical_type(types[column->type]);
	if (!is_list(column->type))
		return t;
	list = w->api->create_list_type(t);
	w->api->destroy_logical_type(&t);
	return list;
}

static void parquet_bind(cfs_duckdb_bind b)
{
	struct parquet_writer *w = cfs_duckdb_loaded()->bind_get_extra_info(b);

	for (size_t i = 0; i < w->opts->n_columns; i++) {
		cfs_duckdb_type t = duckdb_type_of(w, &w->opts->columns[i]);

		w->api->bind_add_result_column(b, w->opts->columns[i].name, t);
		w->api->destroy_logical_type(&t);
	}
}

static void parquet_init(cfs_duckdb_init i)
{
	cfs_duckdb_loaded()->init_set_max_threads(i, 1);
}

/* Fills a chunk; one without rows ends the table. */
static void parquet_fill(cfs_duckdb_call f, cfs_duckdb_chunk chunk)
{
	struct parquet_writer *w =
		cfs_duckdb_loaded()->function_get_extra_info(f);
	uint64_t rows = 0, bytes = 0, most = w->api->vector_size();

	for (size_t i = 0; i < w->opts->n_columns; i++)
		w->vectors[i] = w->api->data_chunk_get_vector(chunk, i);
	while (w->rc == CFS_OK && rows < most && bytes < CHUNK_BYTES) {
		w->rc = w->opts->next(w->opts->arg, w->values, w->ctx);
		for (size_t i = 0; w->rc == CFS_OK && i < w->opts->n_columns;
		     i++) {
			parquet_put_value(w, i, rows);
			bytes += w->values[i].has ? w->values[i].text.n : 0;
		}
		rows += w->rc == CFS_OK;
	}
	if (w->rc != CFS_OK && w->rc != CFS_END) {
		w->api->function_set_error(f, "no more rows");
		rows = 0;
	}
	w->api->data_chunk_set_size(chunk, rows);
}

static int add_function(struct parquet_writer *w)
{
	cfs_duckdb_table_function t = w->api->create_table_function();
	int rc;

	w->api->table_function_set_name(t, "crawlfs_rows");
	w->api->table_function_set_extra_info(t, w, NULL);
	w->api->table_function_set_bind(t, parquet_bind);
	w->api->table_function_set_init(t, parquet_init);
	w->api->table_function_set_function(t, parquet_fill);
	rc = w->api->register_table_function(w->con, t) == 0 ? CFS_OK :
	     cfs_error_set(w->ctx.err, CFS_EUNSUPPORTED,
			   "DuckDB does not accept the function that gives "
			   "it rows");
	w->api->destroy_table_function(&t);
	return rc;
}

/* ---- the file ------------------------------------------------------------ */

static int parquet_run(struct parquet_writer *w, const char *sql)
{
	struct cfs_duckdb_result r = { .internal = NULL };
	struct cfs_slice all, line;
	int code = CFS_EIO, rc = CFS_OK;

	if (w->api->query(w->con, sql, &r) != 0) {
		const char *message = w->api->result_error(&r);

		if (message == NULL)
			message = "DuckDB failed";
		all = cfs_slice_str(message);
		line = cfs_slice_split(&all, '\n');
		if (cfs_slice_starts(line, CFS_SLICE_LIT("Out of Memory")))
			code = CFS_ELIMIT;
		rc = w->rc != CFS_OK && w->rc != CFS_END ? w->rc :
		     cfs_error_set(w->ctx.err, code, "Parquet: %.*s",
				   (int)line.n, (const char *)line.p);
	}
	w->api->destroy_result(&r);
	return rc;
}

/* Opens a database in memory that writes in one thread. */
static int parquet_open(struct parquet_writer *w)
{
	CFS_BUF(sql, SQL_BYTES_MAX);
	uint64_t mem = w->opts->mem_bytes;
	int rc;

	if (w->api->open_ext(NULL, &w->db, NULL, NULL) != 0 ||
	    w->api->connect(w->db, &w->con) != 0)
		return cfs_error_nomem(w->ctx.err);
	cfs_buf_addf(&sql, "SET memory_limit='%" PRIu64 "KiB'; "
		     "SET threads=1; SET preserve_insertion_order=false; "
		     "SET autoinstall_known_extensions=false; "
		     "SET temp_directory=",
		     (mem > MEM_MIN ? mem : MEM_MIN) >> 10);
	cfs_sql_quote(&sql, cfs_slice_str(w->opts->temp_dir));
	rc = sql.failed != CFS_OK ? cfs_error_nomem(w->ctx.err) :
	     parquet_run(w, cfs_buf_str(&sql));
	return rc == CFS_OK ? add_function(w) : rc;
}

/* Appends the option of COPY that gives the file its metadata. */
static void add_notes(struct cfs_buf *sql, const struct cfs_parquet_opts *opts)
{
	for (size_t i = 0; i < opts->n_notes; i++) {
		cfs_buf_adds(sql, i == 0 ? ", KV_METADATA {" : ", ");
		cfs_sql_quote(sql, cfs_slice_str(opts->notes[i].name));
		cfs_buf_adds(sql, ": ");
		cfs_sql_quote(sql, opts->notes[i].value);
	}
	cfs_buf_adds(sql, opts->n_notes > 0 ? "}" : "");
}

static int parquet_copy(struct parquet_writer *w)
{
	static const char *const codecs[] = { [CFS_PARQUET_ZSTD] = "zstd",
		[CFS_PARQUET_SNAPPY] = "snappy", [CFS_PARQUET_GZIP] = "gzip",
		[CFS_PARQUET_PLAIN] = "uncompressed" };
	CFS_BUF(sql, SQL_BYTES_MAX);

	cfs_buf_adds(&sql, "COPY (SELECT * FROM crawlfs_rows()) TO ");
	cfs_sql_quote(&sql, cfs_slice_str(w->opts->path));
	cfs_buf_addf(&sql, " (FORMAT parquet, COMPRESSION %s, USE_TMP_FILE "
		     "false, ROW_GROUP_SIZE %u, ROW_GROUP_SIZE_BYTES %" PRIu64,
		     codecs[w->opts->codec], GROUP_ROWS,
		     w->opts->mem_bytes / GROUP_PARTS);
	add_notes(&sql, w->opts);
	cfs_buf_addc(&sql, ')');
	return sql.failed != CFS_OK ? cfs_error_nomem(w->ctx.err) :
	       parquet_run(w, cfs_buf_str(&sql));
}

int cfs_parquet_begin(struct cfs_error *err)
{
	return cfs_duckdb_load(err) != NULL ? CFS_OK : CFS_EUNSUPPORTED;
}

int cfs_parquet_write(const struct cfs_parquet_opts *opts, struct cfs_ctx ctx)
{
	struct parquet_writer *w;
	int rc = cfs_parquet_begin(ctx.err);

	if (rc != CFS_OK)
		return rc;
	w = calloc(1, sizeof(*w));
	if (w == NULL)
		return cfs_error_nomem(ctx.err);
	w->opts = opts;
	w->ctx = ctx;
	w->api = cfs_duckdb_loaded();
	rc = parquet_open(w);
	if (rc == CFS_OK)
		rc = parquet_copy(w);
	w->api->disconnect(&w->con);
	w->api->close(&w->db);
	free(w);
	return rc;
}
