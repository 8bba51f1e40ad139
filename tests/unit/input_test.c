/* input_test.c - what a command is given to read, recognised by its name and
 * its first bytes, which are read once.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "codec/gzip.h"
#include "format/cfx/cfx_format.h"
#include "input/input.h"

#define CRLF "\r\n"
#define LEGEND " CDX N b a m s k r M S V g\n"
#define CDX_LINES \
	"com,a)/ 20140127171200 http://a.com/ text/html 200 D - - 9 0 d.warc\n" \
	"com,b)/ 20140127171200 http://b.com/ text/html 200 D - - 9 9 d.warc\n" \
	"com,c)/ 20140127171200 http://c.com/ text/html 200 D - - 9 18 d.warc\n"
#define MANY_LINES CDX_LINES CDX_LINES CDX_LINES CDX_LINES CDX_LINES
#define WARC_HEADER \
	"WARC/1.0" CRLF "WARC-Type: resource" CRLF \
	"WARC-Target-URI: http://a.example/" CRLF \
	"WARC-Date: 2024-01-01T00:00:00Z" CRLF "Content-Length: 2000" CRLF CRLF
#define CSV "url,warc_filename,warc_record_offset,warc_record_length\n" \
	"http://a.example/,a.warc.gz,0,100\n"

/* ---- by name ---- */

struct name_row {
	const char *location;
	enum cfs_input_kind kind;
};
static const struct name_row name_rows[] = {
	{ "CC-MAIN-2024-10", CFS_INPUT_COLLECTION },
	{ "http://h.example/crawl/", CFS_INPUT_WEB_FOLDER },
	{ "s3://bucket/crawl/", CFS_INPUT_WEB_FOLDER },
	{ "crawl/warc.paths.gz", CFS_INPUT_PATHS },
	{ "http://h.example/warc.paths", CFS_INPUT_PATHS },
	{ "/", CFS_INPUT_FOLDER },
	{ "http://h.example/a.warc.gz", CFS_INPUT_FILE },
	{ "no/such/file.warc.gz", CFS_INPUT_FILE },
};

static void name_case(void **state)
{
	const struct name_row *row = *state;

	assert_int_equal(cfs_input_of_name(row->location), row->kind);
}

/* ---- by the first bytes ---- */

/* A source on a server, as far as the reader knows. */
struct asked_source {
	struct cfs_source base;
	struct cfs_slice bytes;
	unsigned reads;
	size_t most;			/* bytes of the longest read */
	int fails;			/* the result of every read, if not 0 */
};

static int asked_read(struct cfs_source *src, void *buf, size_t n, uint64_t off,
		      size_t *got, struct cfs_ctx ctx)
{
	struct asked_source *a = (struct asked_source *)src;
	struct cfs_slice s = cfs_slice_sub(a->bytes, (size_t)off, n);

	a->reads++;
	a->most = n > a->most ? n : a->most;
	*got = s.n;
	if (a->fails != CFS_OK)
		return cfs_error_set(ctx.err, a->fails, "fails");
	memcpy(buf, s.p, s.n);
	return CFS_OK;
}

static void asked_close(struct cfs_source *src)
{
	(void)src;
}

static const struct cfs_source_ops asked_ops = { .read_at = asked_read,
						 .close = asked_close };

static void asked_init(struct asked_source *a, struct cfs_slice bytes,
		       const char *name)
{
	*a = (struct asked_source){ .bytes = bytes };
	assert_int_equal(cfs_source_init(&a->base, &asked_ops, bytes.n, name,
					 NULL), CFS_OK);
}

struct file_row {
	const char *name, *text;
	enum cfs_input_kind kind;
	unsigned detail;		/* the format or the kind of table */
};
static const struct file_row file_rows[] = {
	{ "empty", "", CFS_INPUT_UNKNOWN, 0 },
	{ "text", "hello\nworld\n", CFS_INPUT_UNKNOWN, 0 },
	{ "a web page", "<!doctype html><html>\n", CFS_INPUT_UNKNOWN, 0 },
	{ "WARC", WARC_HEADER, CFS_INPUT_ARCHIVE, 0 },
	{ "ARC", "http://a.example/ 10.0.0.1 20120101000000 text/html 2\n\n",
	  CFS_INPUT_ARCHIVE, 0 },
	{ "WARC that holds a CDX", WARC_HEADER LEGEND MANY_LINES MANY_LINES,
	  CFS_INPUT_ARCHIVE, 0 },
	{ "WARC that holds a table", WARC_HEADER CSV, CFS_INPUT_ARCHIVE, 0 },
	{ "SequenceFile", "SEQ\006", CFS_INPUT_PAIRS, 0 },
	{ "ZIP", "PK\003\004" MANY_LINES, CFS_INPUT_WACZ, 0 },
	{ "list of packages", "{\"profile\": \"multi-wacz-package\"}\n",
	  CFS_INPUT_PACKAGES, 0 },
	{ "crawlfs index", CFS_CFX_MAGIC, CFS_INPUT_INDEX, CFS_INDEX_CFX },
	{ "CDX", LEGEND CDX_LINES, CFS_INPUT_INDEX, CFS_INDEX_CDX },
	{ "CDX out of order", LEGEND MANY_LINES CDX_LINES, CFS_INPUT_INDEX,
	  CFS_INDEX_CDX_OTHER },
	{ "a name of an archive", LEGEND CDX_LINES, CFS_INPUT_INDEX,
	  CFS_INDEX_CDX },
	{ "cluster.idx", "com,a)/ 2014\tcdx-00000.gz\t0\t9\t1\n",
	  CFS_INPUT_INDEX, CFS_INDEX_ZIPNUM },
	{ "CSV", CSV, CFS_INPUT_TABLE, CFS_TABLE_CSV },
	{ "Parquet", "PAR1\n", CFS_INPUT_TABLE, CFS_TABLE_PARQUET },
};

static void recognise(struct cfs_slice bytes, const struct file_row *row,
		      enum cfs_sniff_depth depth, unsigned reads)
{
	const struct cfs_input_look how = { depth, 20000 };
	struct cfs_input in = { .location = "http://h.example/f" };
	struct cfs_error err = CFS_ERROR_INIT;
	struct asked_source a;

	asked_init(&a, bytes, "x.warc.cdx");
	assert_int_equal(cfs_input_recognise(&in, &a.base, &how,
					     CFS_CTX(NULL, &err)),
			 CFS_OK);
	assert_int_equal(in.kind, row->kind);
	if (row->kind == CFS_INPUT_INDEX)
		assert_int_equal(in.format, row->detail);
	if (row->kind == CFS_INPUT_TABLE)
		assert_int_equal(in.table, row->detail);
	assert_true(a.reads <= reads);
	assert_true(a.reads > 1 || a.most <= how.remote_bytes);
	cfs_input_close(&in);
	assert_null(in.src);
}

/* Only what is not recognised by its first bytes is read again. */
static void file_case(void **state)
{
	const struct file_row *row = *state;
	unsigned more = row->kind == CFS_INPUT_UNKNOWN ? 1 : 0;
	struct cfs_slice s = cfs_slice_str(row->text);
	struct cfs_slice copy = exact_copy(s.p, s.n);

	recognise(copy, row, CFS_SNIFF_HEAD, 1);
	recognise(copy, row, CFS_SNIFF_START, 1);
	recognise(copy, row, CFS_SNIFF_SEARCH, 1 + more);
	exact_free(copy);
}

/* Archives, lists, tables and CDX files may be compressed. */
static bool may_be_compressed(const struct file_row *row)
{
	return row->kind == CFS_INPUT_ARCHIVE ||
	       row->kind == CFS_INPUT_PACKAGES ||
	       row->kind == CFS_INPUT_TABLE ||
	       (row->kind == CFS_INPUT_INDEX &&
		(row->detail == CFS_INDEX_CDX ||
		 row->detail == CFS_INDEX_CDX_OTHER));
}

static void compressed_case(void **state)
{
	const struct file_row *row = *state;
	struct file_row want = *row;
	struct cfs_buf gz;

	if (row->kind == CFS_INPUT_INDEX)
		want.detail = CFS_INDEX_CDX_GZ;
	cfs_buf_init(&gz, 1 << 20);
	assert_int_equal(cfs_gz_compress(cfs_slice_str(row->text), &gz, NULL),
			 CFS_OK);
	recognise(cfs_buf_slice(&gz), &want, CFS_SNIFF_START, 1);
	cfs_buf_release(&gz);
}

/* A file is searched for a record if that is asked for, or its name is that of
 * an archive; lines of a CDX are no sign of one. */
static void searched(void **state)
{
	static const char page[] = "<html>\n<p>busy</p>\n</html>\n"
		WARC_HEADER;
	static const struct { const char *name; enum cfs_sniff_depth depth;
			      enum cfs_input_kind kind; } t[] = {
		{ "x.warc", CFS_SNIFF_HEAD, CFS_INPUT_UNKNOWN },
		{ "x.warc", CFS_SNIFF_START, CFS_INPUT_UNKNOWN },
		{ "x.warc", CFS_SNIFF_BY_NAME, CFS_INPUT_ARCHIVE },
		{ "x.html", CFS_SNIFF_BY_NAME, CFS_INPUT_UNKNOWN },
		{ "x.html", CFS_SNIFF_SEARCH, CFS_INPUT_ARCHIVE },
	};
	uint8_t bytes[4096] = { 0 };

	(void)state;
	memcpy(bytes, page, sizeof(page) - 1);
	for (size_t i = 0; i < COUNT(t); i++) {
		const struct cfs_input_look how = { t[i].depth, 20000 };
		struct cfs_input in = { .location = t[i].name };
		struct asked_source a;

		asked_init(&a, cfs_slice_of(bytes, sizeof(bytes)), t[i].name);
		assert_int_equal(cfs_input_recognise(&in, &a.base, &how, CFS_CTX(NULL, NULL)), CFS_OK);
		assert_int_equal(in.kind, t[i].kind);
		cfs_input_close(&in);
	}
}

static void failures(void **state)
{
	const struct cfs_input_look how = { CFS_SNIFF_SEARCH, 20000 };
	struct cfs_input in = { .kind = CFS_INPUT_INDEX };
	struct cfs_error err = CFS_ERROR_INIT;
	struct asked_source a;

	(void)state;
	asked_init(&a, cfs_slice_str(WARC_HEADER), "x.warc");
	a.fails = CFS_EIO;
	assert_int_equal(cfs_input_recognise(&in, &a.base, &how,
					     CFS_CTX(NULL, &err)),
			 CFS_EIO);
	assert_int_equal(err.code, CFS_EIO);
	assert_int_equal(in.kind, CFS_INPUT_UNKNOWN);
	cfs_input_close(&in);
}

/* ---- where it is ---- */

struct folder_row {
	const char *location, *folder;
};
static const struct folder_row folder_rows[] = {
	{ "/d/index.cdx", "/d" },
	{ "/index.cdx", "/" },
	{ "http://h.example/a/index.cdx?x=/y", "http://h.example/a/" },
	{ "http://h.example", "http://h.example" },
};

static void folder_case(void **state)
{
	const struct folder_row *row = *state;
	const struct cfs_input in = { .location = row->location };
	char *folder = cfs_input_folder(&in);

	assert_non_null(folder);
	assert_string_equal(folder, row->folder);
	free(folder);
}

UNIT_PROGRAM
{
	UNIT_ROWS_BY(name_rows, location, name_case);
	UNIT_ROWS(file_rows, file_case);
	for (size_t i = 0; i < COUNT(file_rows); i++)
		if (may_be_compressed(&file_rows[i]))
			unit_add(file_rows[i].name, compressed_case,
				 &file_rows[i]);
	UNIT_TEST(searched);
	UNIT_TEST(failures);
	UNIT_ROWS_BY(folder_rows, location, folder_case);
	return unit_run("input");
}
