/* sql_test.c - one SELECT by DuckDB: its values, what is refused, what it may
 * read, and its end.  sql_test.sh says where DuckDB is; without it, only what
 * happens without it is tested.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "table/sql.h"

#include <dirent.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "unit.h"

static char top[] = "/tmp/cfs-sql-XXXXXX";
static const char *const folders[] = { "." };
static char *library;
static atomic_int asks, asks_until_stop;

static bool asked(void *arg)
{
	(void)arg;
	return atomic_fetch_add(&asks, 1) >= atomic_load(&asks_until_stop);
}

static const struct cfs_cancel cancel = { .asked = asked };

static struct cfs_sql_opts plain_opts(void)
{
	return (struct cfs_sql_opts){ .folders = folders, .n_folders = 1,
		.tmp_dir = "tmp", .memory_bytes = (size_t)128 << 20,
		.threads = 2 };
}

static void need_library(void)
{
	if (library == NULL)
		skip();
}

/* ---- the library ---- */

static void expect_no_library(const char *path, const char *why)
{
	struct cfs_sql_opts opts = plain_opts();
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_sql *s;

	setenv("CRAWLFS_DUCKDB", path, 1);
	assert_int_equal(cfs_sql_open(&s, &opts, &err), CFS_EUNSUPPORTED);
	assert_null(s);
	if (strstr(err.text, why) == NULL)
		fail_msg("'%s' in '%s'", why, err.text);
}

/* Before the first that loads it. */
static void no_library(void **state)
{
	(void)state;
	expect_no_library("./libduckdb.so", "CRAWLFS_DUCKDB: ");
	/* a library, but not DuckDB's */
	expect_no_library("libc.so.6", "has no function duckdb_");
	if (library != NULL)
		setenv("CRAWLFS_DUCKDB", library, 1);
	else
		expect_no_library("", "contrib/getduckdb");
}

/* ---- values ---- */

struct row_case {
	const char *name, *sql, *row;
};
/* NAME=VALUE of the first row; quoted: text, bare: JSON. */
static struct row_case row_cases[] = {
	{ "integers", "SELECT 1::TINYINT a, (-32768)::SMALLINT b, 7::INTEGER c, "
	  "9223372036854775807 d, 18446744073709551615::UBIGINT e, "
	  "255::UTINYINT f",
	  "a=1 b=-32768 c=7 d=9223372036854775807 e=18446744073709551615 "
	  "f=255 " },
	{ "128 bits", "SELECT -(1::HUGEINT << 126) a, (1::UHUGEINT << 127) b",
	  "a=-85070591730234615865843651857942052864 "
	  "b=170141183460469231731687303715884105728 " },
	{ "decimals", "SELECT 12.50::DECIMAL(9,2) a, -0.001::DECIMAL(38,3) b",
	  "a=12.50 b=-0.001 " },
	{ "floats", "SELECT 1.5::FLOAT a, 1e300::DOUBLE b, 'nan'::DOUBLE c, "
	  "'-inf'::FLOAT d", "a=1.5 b=1e+300 c=nan d=-inf " },
	{ "truth", "SELECT true a, false b", "a=true b=false " },
	{ "null", "SELECT NULL a, NULL::INTEGER b, NULL::VARCHAR c, "
	  "NULL::INTEGER[] d, NULL::BLOB e", "a b c d e " },
	{ "text", "SELECT '' a, 'short' b, 'twelve bytes' c, 'thirteen byte' d, "
	  "repeat('long', 10) e",
	  "a='' b='short' c='twelve bytes' d='thirteen byte' "
	  "e='longlonglonglonglonglonglonglonglonglong' " },
	{ "NUL in text", "SELECT 'a' || chr(0) || 'b' a", "a='a.b' " },
	{ "UTF-8", "SELECT 'ü€' a", "a='ü€' " },
	{ "bytes", "SELECT 'http://a/\\xC3'::BLOB a, '\\x00'::BLOB b, "
	  "''::BLOB c", "a='http://a/\xC3' b='.' c='' " },
	{ "times", "SELECT TIMESTAMP '2018-10-16 09:12:33' a, "
	  "TIMESTAMP_S '2018-10-16 09:12:33' b, "
	  "TIMESTAMP_MS '2018-10-16 09:12:33.5' c, "
	  "TIMESTAMP_NS '2018-10-16 09:12:33.000000001' d, "
	  "DATE '2018-10-16' e, TIME '09:12:33' f",
	  "a='2018-10-16 09:12:33' b='2018-10-16 09:12:33' "
	  "c='2018-10-16 09:12:33.5' d='2018-10-16 09:12:33.000000001' "
	  "e='2018-10-16' f='09:12:33' " },
	{ "time with zone", "SELECT TIMESTAMPTZ '2018-10-16 09:12:33+02' a",
	  "a='2018-10-16 07:12:33' " },
	{ "endless time", "SELECT 'infinity'::TIMESTAMP a, "
	  "'-infinity'::TIMESTAMPTZ b", "a='infinity' b " },
	{ "lists", "SELECT [1,NULL,3] a, ['x'] b, [1,2]::INTEGER[2] c, "
	  "[[1],[]] d", "a=[1,null,3] b=[\"x\"] c=[1,2] d=[[1],[]] " },
	{ "structures", "SELECT {a: 1, b: {c: 'x'}} a, MAP {'k': 2} b, "
	  "UNION_VALUE(n := 1) c",
	  "a={\"a\":1,\"b\":{\"c\":\"x\"}} b={\"k\":2} c={\"n\":1} " },
	{ "JSON", "SELECT '{\"a\": [1]}'::JSON a", "a={\"a\": [1]} " },
	{ "other types", "SELECT '0101'::BIT a, INTERVAL 2 DAY b, "
	  "'x'::ENUM('x') c, "
	  "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::UUID d",
	  "a='0101' b='2 days' c='x' "
	  "d='a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11' " },
	{ "names", "SELECT 1 a, 2 a, 3 \"A b\", 4 \"\"\"\", 5 \"ü\"",
	  "a=1 a_1=2 A b=3 \"=4 ü=5 " },
	{ "quotes", "SELECT 'it''s' a, $$'$$ b -- a 'comment'",
	  "a='it's' b=''' " },
	{ "semicolon", "SELECT 1 a; -- done", "a=1 " },
	{ "VALUES", "VALUES ('x', 2)", "col0='x' col1=2 " },
	{ "FROM", "FROM range(3, 9)", "range=3 " },
	{ "WITH", "WITH a AS (SELECT 1 b UNION ALL SELECT 2) FROM a "
	  "ORDER BY b DESC", "b=2 " },
};

static void add_cell(struct cfs_buf *out, const struct cfs_selection_cell *c)
{
	cfs_buf_add(out, c->name);
	if (c->type != CFS_CELL_NULL) {
		const char *quote = c->type == CFS_CELL_TEXT ? "'" : "";

		cfs_buf_addf(out, "=%s", quote);
		for (size_t i = 0; i < c->value.n; i++)
			cfs_buf_addc(out, c->value.p[i] == 0 ? '.' :
					  c->value.p[i]);
		cfs_buf_adds(out, quote);
	}
	cfs_buf_addc(out, ' ');
}

/* Begins a query, which must succeed. */
static struct cfs_sql *begin(const char *sql, const struct cfs_sql_opts *opts)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_sql *s;

	if (cfs_sql_open(&s, opts, &err) != CFS_OK ||
	    cfs_sql_begin(s, sql, NULL, NULL, &err) != CFS_OK)
		fail_msg("%s", err.text);
	return s;
}

static void row_case(void **state)
{
	const struct row_case *tc = *state;
	struct cfs_sql_opts opts = plain_opts();
	struct cfs_error err = CFS_ERROR_INIT;
	const struct cfs_selection_cell *cells;
	struct cfs_buf got;
	struct cfs_sql *s;
	size_t n;

	need_library();
	cfs_buf_init(&got, 65536);
	s = begin(tc->sql, &opts);
	assert_int_equal(cfs_sql_next(s, &err), CFS_OK);
	cells = cfs_sql_columns(s, &n);
	for (size_t i = 0; i < n; i++)
		add_cell(&got, &cells[i]);
	assert_slice(cfs_buf_slice(&got), tc->row);
	cfs_sql_close(s);
	cfs_buf_release(&got);
}

static _Atomic double share;
static bool is_rising = true;

static void on_progress(void *arg, double now)
{
	if (now < atomic_load(&share) || now > 1)
		*(bool *)arg = false;
	atomic_store(&share, now);
}

/* Begins and runs a query to its end. */
static int run(const char *sql, const struct cfs_sql_opts *opts,
	       uint64_t *rows, struct cfs_error *err)
{
	struct cfs_sql *s;
	int rc = cfs_sql_open(&s, opts, err);

	if (rc == CFS_OK)
		rc = cfs_sql_begin(s, sql, on_progress, &is_rising, err);
	*rows = 0;
	while (rc == CFS_OK) {
		rc = cfs_sql_next(s, err);
		*rows += rc == CFS_OK;
	}
	cfs_sql_close(s);
	return rc;
}

static void many_rows(void **state)
{
	struct cfs_sql_opts opts = plain_opts();
	const struct cfs_selection_cell *cells;
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_sql *s;
	uint64_t rows = 0;
	char want[64];
	size_t n;

	(void)state;
	need_library();
	s = begin("SELECT CASE WHEN i % 3 = 0 THEN NULL ELSE i || ' and more' "
		  "END, i % 100 FROM range(10000) t(i)", &opts);
	cells = cfs_sql_columns(s, &n);
	assert_int_equal(n, 2);
	while (cfs_sql_next(s, &err) == CFS_OK) {
		assert_int_equal(cells[0].type, rows % 3 == 0 ? CFS_CELL_NULL :
				 CFS_CELL_TEXT);
		snprintf(want, sizeof(want), "%d and more", (int)rows);
		assert_slice(cells[0].value, rows % 3 == 0 ? "" : want);
		snprintf(want, sizeof(want), "%d", (int)rows % 100);
		assert_slice(cells[1].value, want);
		rows++;
	}
	assert_int_equal(err.code, CFS_OK);
	assert_int_equal(rows, 10000);
	cfs_sql_close(s);
}

static void no_rows(void **state)
{
	struct cfs_sql_opts opts = plain_opts();
	struct cfs_error err = CFS_ERROR_INIT;
	uint64_t rows;

	(void)state;
	need_library();
	assert_int_equal(run("SELECT 1 WHERE false", &opts, &rows, &err),
			 CFS_END);
	assert_int_equal(rows, 0);
}

/* ---- what is refused ---- */

struct refused_case {
	const char *name, *sql;
	int code;
	const char *why;
};
#define NOT_SELECT "Expected a single SELECT statement"
#define NO_ACCESS "--tables=FOLDER allows more folders"
/* Holds E19. */
static struct refused_case refused_cases[] = {
	{ "nothing", "", CFS_EUSAGE, "not 0 statements" },
	{ "a comment", "-- SELECT 1", CFS_EUSAGE, "not 0 statements" },
	{ "no SQL", "SELEC 1", CFS_EUSAGE, "Parser Error: " },
	{ "two", "SELECT 1; SELECT 2", CFS_EUSAGE, "not 2 statements" },
	{ "SELECT, then COPY", "SELECT 1; COPY (SELECT 1) TO 'out.csv'",
	  CFS_EUSAGE, "not 2 statements" },
	{ "EXPORT", "EXPORT DATABASE 'out'", CFS_EUSAGE, NOT_SELECT },
	{ "COPY", "COPY (SELECT 1) TO 'out.csv'", CFS_EUSAGE, NOT_SELECT },
	{ "ATTACH", "ATTACH 'out.db'", CFS_EUSAGE, NOT_SELECT },
	{ "CREATE", "CREATE TABLE t AS SELECT 1", CFS_EUSAGE, NOT_SELECT },
	{ "SET", "SET enable_external_access=true", CFS_EUSAGE, NOT_SELECT },
	{ "PRAGMA", "PRAGMA enable_profiling", CFS_EUSAGE, NOT_SELECT },
	{ "CALL", "CALL pragma_version()", CFS_EUSAGE, NOT_SELECT },
	{ "INSTALL", "INSTALL httpfs", CFS_EUSAGE, NOT_SELECT },
	{ "LOAD", "LOAD 'x.duckdb_extension'", CFS_EUSAGE, NOT_SELECT },
	{ "EXPLAIN ANALYZE", "EXPLAIN ANALYZE SELECT 1", CFS_EUSAGE,
	  NOT_SELECT },
	{ "a quote that ends the string", "SELECT 1') FROM query('SELECT 2",
	  CFS_EUSAGE, "Parser Error: " },
	{ "a file elsewhere", "SELECT * FROM read_csv('/etc/passwd')",
	  CFS_EUSAGE, NO_ACCESS },
	{ "a file above", "SELECT * FROM '../passwd.csv'", CFS_EUSAGE,
	  NO_ACCESS },
	{ "a file by a link", "SELECT * FROM read_text('link/passwd')",
	  CFS_EUSAGE, NO_ACCESS },
	{ "a folder elsewhere", "SELECT * FROM glob('/etc/*')", CFS_EUSAGE,
	  NO_ACCESS },
	{ "a server", "SELECT * FROM 'https://127.0.0.1:9/x.parquet'",
	  CFS_EUSAGE, "" },
	{ "a database that is a file", "SELECT * FROM read_duckdb('/a.db')",
	  CFS_EUSAGE, NO_ACCESS },
	{ "an unknown table", "SELECT * FROM nothing", CFS_EUSAGE,
	  "Catalog Error: " },
	{ "an unknown column", "SELECT nothing FROM range(1)", CFS_EUSAGE,
	  "Binder Error: " },
	{ "no Parquet", "SELECT * FROM read_parquet('text.parquet')",
	  CFS_EFORMAT, "text.parquet" },
	{ "fails in the end", "SELECT CASE WHEN i = 99999 THEN error('late') "
	  "END FROM range(100000) t(i)", CFS_EFORMAT, "late" },
};

static bool is_listed(const char *folder, const char *name)
{
	struct dirent *e;
	DIR *d = opendir(folder);
	bool found = false;

	assert_non_null(d);
	while ((e = readdir(d)) != NULL)
		found |= name == NULL ? e->d_name[0] != '.' || e->d_name[1] == 'c' :
			 strcmp(e->d_name, name) == 0;
	closedir(d);
	return found;
}

static void refused_case(void **state)
{
	const struct refused_case *tc = *state;
	struct cfs_sql_opts opts = plain_opts();
	struct cfs_error err = CFS_ERROR_INIT;
	uint64_t rows;

	need_library();
	/* With two DuckDB at times tells only that the other was stopped. */
	opts.threads = 1;
	assert_int_equal(run(tc->sql, &opts, &rows, &err), tc->code);
	assert_int_equal(err.code, tc->code);
	if (strstr(err.text, tc->why) == NULL || strchr(err.text, '\n') != NULL)
		fail_msg("'%s' in '%s'", tc->why, err.text);
	assert_false(is_listed(".", "out"));
	assert_false(is_listed(".", "out.csv"));
	assert_false(is_listed(".", "out.db"));
	assert_false(is_listed("tmp", NULL));
}

static void many_columns(void **state)
{
	struct cfs_sql_opts opts = plain_opts();
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_buf sql;
	uint64_t rows;

	(void)state;
	need_library();
	cfs_buf_init(&sql, 1 << 20);
	cfs_buf_adds(&sql, "SELECT 0");
	for (unsigned i = 1; i < CFS_SELECTION_CELLS_MAX; i++)
		cfs_buf_addf(&sql, ", %u", i);
	assert_int_equal(run(cfs_buf_str(&sql), &opts, &rows, &err), CFS_END);
	assert_int_equal(rows, 1);
	cfs_buf_adds(&sql, ", 'one more'");
	assert_int_equal(run(cfs_buf_str(&sql), &opts, &rows, &err),
			 CFS_ELIMIT);
	cfs_buf_release(&sql);
}

/* ---- files ---- */

/* Holds E19. */
static void only_its_files(void **state)
{
	static const char *const other[] = { "other" };
	static const char *const files[] = { "a'b[1]*.csv" };
	struct cfs_sql_opts opts = plain_opts();
	struct cfs_error err = CFS_ERROR_INIT;
	uint64_t rows;

	(void)state;
	need_library();
	assert_int_equal(run("FROM read_csv('a''b[1]*.csv')", &opts, &rows,
			     &err), CFS_END);
	assert_int_equal(rows, 2);
	opts.folders = other;
	assert_int_equal(run("FROM read_csv('a''b[1]*.csv')", &opts, &rows,
			     &err), CFS_EUSAGE);
	cfs_error_clear(&err);
	assert_int_equal(run("FROM read_csv('other/c.csv')", &opts, &rows,
			     &err), CFS_END);
	assert_int_equal(rows, 1);
	opts.n_folders = 0;
	opts.files = files;
	opts.n_files = 1;
	assert_int_equal(run("FROM read_csv('a''b[1]*.csv')", &opts, &rows,
			     &err), CFS_END);
	assert_int_equal(run("FROM read_csv('other/c.csv')", &opts, &rows,
			     &err), CFS_EUSAGE);
}

static void settings(void **state)
{
	static struct row_case tc = { .sql = "SELECT "
		"current_setting('threads') t, "
		"current_setting('memory_limit') m, "
		"current_setting('enable_external_access') a, "
		"current_setting('lock_configuration') b, "
		"current_setting('autoinstall_known_extensions') c, "
		"current_setting('autoload_known_extensions') d",
		.row = "t=2 m='128.0 MiB' a=false b=true c=false d=false " };
	void *row = &tc;

	(void)state;
	row_case(&row);
}

/* More than its memory is on disk for a while, and nothing in the end. */
static void spills(void **state)
{
	struct cfs_sql_opts opts = plain_opts();
	struct cfs_error err = CFS_ERROR_INIT;
	uint64_t rows;

	(void)state;
	need_library();
	assert_int_equal(run("SELECT i FROM range(3000000) t(i) "
		"ORDER BY md5(i::VARCHAR) || i LIMIT 2000000", &opts, &rows,
		&err), CFS_END);
	assert_int_equal(rows, 2000000);
	assert_false(is_listed("tmp", NULL));
	opts.memory_bytes = 1;		/* the least that it gets */
	assert_int_equal(run("SELECT list(i || ' and more text') FROM "
		"range(10000000) t(i)", &opts, &rows, &err), CFS_ELIMIT);
	assert_non_null(strstr(err.text, "--memory"));
	opts.tmp_dir = "missing";
	cfs_error_clear(&err);
	assert_int_equal(run("SELECT 1", &opts, &rows, &err), CFS_EIO);
}

/* ---- the end ---- */

/* A million million rows: they are not made before they are wanted. */
static void streams(void **state)
{
	struct cfs_sql_opts opts = plain_opts();
	const struct cfs_selection_cell *cells;
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_sql *s;
	size_t n;

	(void)state;
	need_library();
	s = begin("FROM range(1000000000000)", &opts);
	for (int i = 0; i < 10000; i++)
		assert_int_equal(cfs_sql_next(s, &err), CFS_OK);
	cells = cfs_sql_columns(s, &n);
	assert_slice(cells[0].value, "9999");
	/* another one in its place */
	assert_int_equal(cfs_sql_begin(s, "SELECT 'x' a, 'y' b", NULL, NULL,
				       &err), CFS_OK);
	cells = cfs_sql_columns(s, &n);
	assert_int_equal(n, 2);
	assert_slice(cells[1].name, "b");
	assert_int_equal(cfs_sql_next(s, &err), CFS_OK);
	assert_slice(cells[1].value, "y");
	assert_int_equal(cfs_sql_next(s, &err), CFS_END);
	/* and one after a failure */
	assert_int_equal(cfs_sql_begin(s, "SELECT x", NULL, NULL, &err),
			 CFS_EUSAGE);
	cfs_error_clear(&err);
	assert_int_equal(cfs_sql_begin(s, "SELECT 'z'", NULL, NULL, &err),
			 CFS_OK);
	assert_int_equal(cfs_sql_next(s, &err), CFS_OK);
	cells = cfs_sql_columns(s, &n);
	assert_slice(cells[0].value, "z");
	cfs_sql_close(s);
}

static void interrupt_query(const char *sql)
{
	struct cfs_sql_opts opts = plain_opts();
	struct cfs_error err = CFS_ERROR_INIT;
	uint64_t rows;

	need_library();
	opts.cancel = &cancel;
	atomic_store(&asks, 0);
	atomic_store(&asks_until_stop, 5);
	assert_int_equal(run(sql, &opts, &rows, &err), CFS_EINTR);
	assert_int_equal(err.code, CFS_EINTR);
}

static void interrupted(void **state)
{
	(void)state;
	interrupt_query("FROM range(1000000000000)");
	/* no row ever comes */
	interrupt_query("FROM range(1000000000000) t(i) WHERE i < 0");
	interrupt_query("SELECT sum(i) FROM range(1000000000000) t(i)");
}

static void progress(void **state)
{
	struct cfs_sql_opts opts = plain_opts();
	struct cfs_error err = CFS_ERROR_INIT;
	uint64_t rows;

	(void)state;
	need_library();
	is_rising = true;
	atomic_store(&share, 0);
	assert_int_equal(run("FROM range(10000000)", &opts, &rows, &err),
			 CFS_END);
	assert_int_equal(rows, 10000000);
	assert_true(is_rising);
}

/* ---- */

static void put_file(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	if (f == NULL || fputs(text, f) < 0 || fclose(f) != 0)
		abort();
}

static int set_up(void **state)
{
	(void)state;
	if (mkdtemp(top) == NULL || chdir(top) != 0 || mkdir("tmp", 0700) ||
	    mkdir("other", 0700) != 0 || symlink("/etc", "link") != 0)
		return -1;
	put_file("a'b[1]*.csv", "a,b\n1,2\n3,4\n");
	put_file("other/c.csv", "a,b\n5,6\n");
	put_file("text.parquet", "this is text and no Parquet, is it?\n");
	/* the local time must not matter */
	setenv("TZ", "America/New_York", 1);
	return 0;
}

static int tear_down(void **state)
{
	static const char *const files[] = { "a'b[1]*.csv", "other/c.csv",
		"text.parquet", "link" };

	(void)state;
	for (size_t i = 0; i < COUNT(files); i++)
		unlink(files[i]);
	rmdir("other");
	rmdir("tmp");
	return chdir("/") == 0 && rmdir(top) == 0 ? 0 : -1;
}

UNIT_PROGRAM
{
	library = getenv("CRAWLFS_DUCKDB");
	if (library != NULL && *library == '\0')
		library = NULL;
	if (library != NULL)
		library = strdup(library);
	UNIT_TEST(no_library);
	UNIT_ROWS(row_cases, row_case);
	UNIT_TEST(many_rows);
	UNIT_TEST(no_rows);
	UNIT_ROWS(refused_cases, refused_case);
	UNIT_TEST(many_columns);
	UNIT_TEST(only_its_files);
	UNIT_TEST(settings);
	UNIT_TEST(spills);
	UNIT_TEST(streams);
	UNIT_TEST(interrupted);
	UNIT_TEST(progress);
	return unit_run_with("sql", set_up, tear_down);
}
