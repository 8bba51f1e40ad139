/* linear_test.c - what texts made to slow a parser down cost.
 *
 * Each parser reads 4 MiB of one thing: escapes, quotes, brackets, repeated
 * names, folded lines.  A linear one takes tens of milliseconds for that, one
 * that is not takes minutes: the bound lies far from both.  A parser that takes
 * one line or one head at a time gets as many as there are.  Under a sanitizer
 * the figures mean nothing: it only has to end.
 *
 * LINEAR_TIMES=1 prints the figures of each.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "base/error.h"
#include "codec/gzip.h"
#include "codec/json.h"
#include "format/cdx/cdx_line.h"
#include "input/folder_page.h"
#include "input/pathlist.h"
#include "markup/references.h"
#include "net/s3_answer.h"
#include "net/s3_list.h"
#include "record/parse.h"
#include "record/wacz_package.h"
#include "source/zip.h"
#include "table/selection_table.h"

/* With head and tail not more than the 4 MiB of an answer of S3. */
#define TEXT_BYTES (((size_t)4 << 20) - 1024)
#define TIME_MAX_MS 1000
#define COLUMNS_MAX_MS 100

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* ---- the parsers --------------------------------------------------------- */

static void pick(struct cfs_slice s)
{
	static const char *const paths[] = { "a", "a/b", "a/b/c", "x", "y/z",
					     "url", "title", "ts" };
	struct cfs_slice v[8];

	cfs_json_pick(s, paths, 8, v);
}

static void add_text(struct cfs_slice s)
{
	struct cfs_buf out;

	cfs_buf_init(&out, SIZE_MAX);
	cfs_json_add_text(&out, (struct cfs_json_text){ s, true });
	cfs_buf_release(&out);
}

static void copy_json(struct cfs_slice s)
{
	struct cfs_buf out;
	struct cfs_json j = { .out = &out, .compact = true };

	cfs_buf_init(&out, SIZE_MAX);
	cfs_json_copy(&j, &s);
	cfs_buf_release(&out);
}

static int no_file(void *arg, const struct cfs_package_file *f)
{
	(void)arg;
	(void)f;
	return CFS_OK;
}

static void package(struct cfs_slice s)
{
	cfs_package_each(s, no_file, NULL);
}

static int no_listed(void *arg, const struct cfs_listed *l)
{
	(void)arg;
	(void)l;
	return CFS_OK;
}

static void listing(struct cfs_slice s)
{
	struct cfs_error err = CFS_ERROR_INIT;

	cfs_folder_page_parse("http://a.example/b/", s, no_listed, NULL, &err);
}

static int no_name(void *arg, struct cfs_slice name)
{
	(void)arg;
	(void)name;
	return CFS_OK;
}

static void pathlist(struct cfs_slice s)
{
	cfs_pathlist_parse(s, "list", no_name, NULL, NULL);
}

static void cdx(struct cfs_slice s)
{
	struct cfs_cdx_legend legend;
	struct cfs_cluster_line cluster;
	struct cfs_cdx_line line;
	struct cfs_slice one;
	const char *why;

	while (cfs_line_take(&s, &one)) {
		cfs_cdx_parse(one, NULL, &line, &why);
		cfs_cluster_parse(one, &cluster);
		if (cfs_cdx_is_legend(one))
			cfs_cdx_parse_legend(one, &legend);
	}
}

static int no_row(void *arg, const struct cfs_selection_cell *cells, size_t n,
		  uint64_t line)
{
	struct cfs_selection_row row;
	const char *why;

	(void)line;
	cfs_selection_row_make(cells, n, arg, &row, &why);
	return CFS_OK;
}

static void no_damage(void *arg, uint64_t line, const char *why)
{
	(void)arg;
	(void)line;
	(void)why;
}

static void table(enum cfs_table_kind kind, struct cfs_slice s)
{
	struct cfs_selection_scratch scratch;
	struct cfs_table_user user = { no_row, no_damage, &scratch };
	struct cfs_table *t = cfs_table_new(kind, &user);
	struct cfs_buf archive;

	assert_non_null(t);
	cfs_selection_scratch_init(&scratch);
	assert_int_equal(cfs_table_feed(t, s), CFS_OK);
	assert_int_equal(cfs_table_end(t), CFS_OK);
	cfs_table_free(t);
	cfs_selection_scratch_release(&scratch);
	cfs_buf_init(&archive, 4096);
	cfs_table_look(cfs_slice_sub(s, 0, 65536), false, &archive);
	cfs_buf_release(&archive);
}

static void csv(struct cfs_slice s)
{
	table(CFS_TABLE_CSV, s);
}

static void tsv(struct cfs_slice s)
{
	table(CFS_TABLE_TSV, s);
}

static void jsonl(struct cfs_slice s)
{
	table(CFS_TABLE_JSONL, s);
}

/* Record for record, as far as they go. */
static void records(struct cfs_slice s)
{
	while (s.n > 0) {
		struct cfs_error err = CFS_ERROR_INIT;
		struct cfs_record r;
		uint64_t used = 0;

		if (cfs_record_parse(&r, s, 0, NULL, &used, &err) != CFS_OK)
			break;
		cfs_record_release(&r);
		s = cfs_slice_from(s, (size_t)used);
	}
}

static void zip(struct cfs_slice s)
{
	struct cfs_source *src;
	struct cfs_zip z;

	assert_int_equal(cfs_source_open_memory(&src, s, "zip", NULL), CFS_OK);
	if (cfs_zip_open(&z, src, CFS_CTX(NULL, NULL)) == CFS_OK)
		cfs_zip_close(&z);
	cfs_source_close(src);
}

static void gzip(struct cfs_slice s)
{
	struct cfs_buf out;

	cfs_buf_init(&out, TEXT_BYTES);
	cfs_gz_members(s, &out, CFS_CTX(NULL, NULL));
	cfs_buf_release(&out);
}

static int no_object(void *arg, const struct cfs_s3_object *o)
{
	(void)arg;
	(void)o;
	return CFS_OK;
}

static void s3(struct cfs_slice s)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_s3_answer answer;
	struct cfs_buf next;

	cfs_buf_init(&next, 4096);
	cfs_s3_list_parse(s, no_object, NULL, &next, &err);
	cfs_buf_release(&next);
	if (cfs_s3_answer_parse(&answer, s, NULL) == CFS_OK)
		cfs_s3_answer_release(&answer);
}

static void references(struct cfs_slice s)
{
	uint8_t out[CFS_REFERENCE_BYTES];

	while (s.n > 0) {
		size_t out_n, n = s.p[0] != '&' ? 0 :
			cfs_reference_parse(s, CFS_REFERENCE_FEED, out, &out_n);

		s = cfs_slice_from(s, n > 0 ? n : 1);
	}
}

/* ---- the texts ----------------------------------------------------------- */

/* head, then unit until the text has its size, then tail.  '@' in unit is a
 * number that grows. */
struct text {
	const char *name;
	void (*parse)(struct cfs_slice s);
	const char *head, *unit, *tail;
};

#define WARC "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 0\r\n"
#define HTTP "WARC/1.0\r\nWARC-Type: response\r\n\r\nHTTP/1.1 200 OK\r\n"
#define ARC "http://a/ 1.2.3.4 20120101000000 text/html 4000000\nHTTP/1.1 200 OK\n"

static struct text texts[] = {
	{ "json, backslashes", pick, "{\"a\":\"", "\\\\", "\"}" },
	{ "json, line ends", pick, "{\"a\":\"", "\\n", "\"}" },
	{ "json, escaped quotes", pick, "{\"a\":\"", "\\\"", "\"}" },
	{ "json, escapes without end", pick, "{\"a\":\"", "\\n", "" },
	{ "json, surrogates", pick, "{\"a\":\"", "\\ud800", "\"}" },
	{ "json, escapes in a name", pick, "{\"", "\\n", "\":1}" },
	{ "json, escapes that are passed over", pick, "{\"q\":[\"", "\\n", "\"]}" },
	{ "json, many strings", pick, "{\"q\":[", "\"\\\\\",", "1]}" },
	{ "json, many escapes far from a quote", pick, "{\"a\":\"", "\\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "\"}" },
	{ "json, brackets", pick, "{\"q\":", "[", "" },
	{ "json, objects", pick, "", "{\"a\":", "" },
	{ "json, objects to enter", pick, "{", "\"a\":{\"b\":{\"c\":1}},", "\"a\":1}" },
	{ "json, one name", pick, "{", "\"a\":1,", "\"a\":1}" },
	{ "json, names", pick, "{", "\"@\":1,", "\"a\":1}" },
	{ "json, digits", pick, "{\"a\":", "1", "}" },
	{ "json, blanks", pick, "{\"a\":", " ", "1}" },
	{ "json, commas", pick, "{", ",", "}" },
	{ "json, ends", pick, "{", "}", "" },
	{ "text, backslashes", add_text, "", "\\\\", "" },
	{ "text, surrogates", add_text, "", "\\ud800\\u", "" },
	{ "copy, line ends", copy_json, "\"", "\\n", "\"" },
	{ "copy, escapes without end", copy_json, "[\"", "\\\"", "" },
	{ "copy, strings", copy_json, "[", "\"\\n\",", "1]" },
	{ "copy, arrays", copy_json, "[", "[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]],", "1]" },
	{ "copy, deep", copy_json, "", "[", "" },
	{ "copy, controls", copy_json, "\"", "\\u0001", "\"" },
	{ "copy, names", copy_json, "{", "\"a\":1,", "\"a\":1}" },
	{ "package, escapes", package, "{\"resources\":[{\"path\":\"", "\\/", "\"}]}" },
	{ "package, files", package, "{\"resources\":[", "{\"path\":\"a\\n\"},", "{}]}" },
	{ "package, files with escapes behind", package, "{\"resources\":[{\"x\":\"", "\\n", "\",\"path\":\"a\"}]}" },
	{ "package, lists", package, "{", "\"resources\":[],", "\"resources\":[]}" },
	{ "listing, escapes", listing, "[{\"name\":\"", "\\n", "\"}]" },
	{ "listing, objects", listing, "[", "{\"name\":\"a\",\"mtime\":\"\\n\"},", "{}]" },
	{ "listing, brackets", listing, "", "[", "" },
	{ "listing, links", listing, "<html><pre>", "<a href='@'>@</a> 1\n", "" },
	{ "listing, links without end", listing, "<html><pre>", "<a href='a'>", "" },
	{ "listing, dots", listing, "<html><a href='", "../", "'>" },
	{ "listing, text", listing, "<html><a href='a'>", "x <b>", "" },
	{ "listing, no utf-8", listing, "<html><pre>", "\xff", "" },
	{ "list of archives", pathlist, "", "a/@\n", "" },
	{ "list of archives, dots", pathlist, "", "a/./", "" },
	{ "list of archives, slashes", pathlist, "a", "/", "" },
	{ "cdxj, lines of escapes", cdx, "", "a 20120101000000 {\"url\":\"\\n\\n\\n\\n\\n\\n\\n\\n\\n\"}\n", "" },
	{ "cdxj, escapes", cdx, "a 20120101000000 {\"url\":\"", "\\n", "\"}" },
	{ "cdxj, members", cdx, "a 20120101000000 {", "\"url\":1,", "\"a\":1}" },
	{ "cdx, columns", cdx, "", "a ", "" },
	{ "cdx, legend", cdx, " CDX", " a", "" },
	{ "cdx, dots", cdx, "", "a 20120101000000 {\"offset\":1,\"filename\":\"./././././././\"}\n", "" },
	{ "cluster, tabs", cdx, "a", "\t", "" },
	{ "csv, quotes", csv, "", "\"", "" },
	{ "csv, doubled quotes", csv, "a\n\"", "\"\"", "\"" },
	{ "csv, quotes without end", csv, "a\n", "\"x\n", "" },
	{ "csv, open quotes", csv, "a\n", "\",\n", "" },
	{ "csv, quotes in cells", csv, "a\n", "x\"", "" },
	{ "csv, commas", csv, "a\n", ",", "" },
	{ "csv, rows", csv, "filename,offset,length\n", "a,1,2\n", "" },
	{ "csv, columns", csv, "", "a,", "" },
	{ "csv, lines", csv, "a\n", "\n", "" },
	{ "csv, carriage returns", csv, "a\n", "\r", "" },
	{ "tsv, quotes", tsv, "a\tb\n", "\"\t", "" },
	{ "tsv, lines of a quote", tsv, "a\tb\n", "\"\n", "" },
	{ "tsv, tabs", tsv, "a\tb\n", "\t", "" },
	{ "jsonl, escapes", jsonl, "{\"filename\":\"", "\\n", "\"}" },
	{ "jsonl, lines of escapes", jsonl, "", "{\"offset\":1,\"length\":2,\"filename\":\"\\n\"}\n", "" },
	{ "jsonl, a value of escapes", jsonl, "{\"filename\":\"a\",\"offset\":1,\"length\":2,\"x\":[\"", "\\n", "\"]}" },
	{ "jsonl, members", jsonl, "{", "\"a\":1,", "\"a\":1}" },
	{ "jsonl, arrays", jsonl, "{\"filename\":\"a\",\"offset\":1,\"length\":2,\"x\":", "[", "}" },
	{ "warc, fields", records, WARC, "a@: b\r\n", "\r\n" },
	{ "warc, one field", records, WARC, "a: b\r\n", "\r\n" },
	{ "warc, folded lines", records, WARC "a: b\r\n", " c\r\n", "\r\n" },
	{ "warc, folded fields", records, WARC, "a: b\r\n c\r\n", "\r\n" },
	{ "warc, empty folded lines", records, WARC "a: b\r\n", " \r\n", "\r\n" },
	{ "warc, no colons", records, WARC, "a\r\n", "\r\n" },
	{ "warc, carriage returns", records, WARC, "\r", "\r\n\r\n" },
	{ "warc, records", records, "", WARC "\r\n\r\n\r\n", "" },
	{ "warc, records of fields", records, "", WARC "a: b\r\na: b\r\na: b\r\na: b\r\na: b\r\n\r\n\r\n\r\n", "" },
	{ "warc, line ends behind", records, WARC "\r\n", "\r\n", "" },
	{ "http, fields", records, HTTP, "a@: b\r\n", "\r\n" },
	{ "http, folded lines", records, HTTP "a: b\r\n", " c\r\n", "\r\n" },
	{ "http, codings", records, HTTP "Content-Encoding: ", "gzip,", "\r\n\r\nx" },
	{ "http, a field of codings", records, HTTP, "Content-Encoding: gzip\r\n", "\r\nx" },
	{ "http, chunks", records, HTTP "Transfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n", "0\r\n\r\n" },
	{ "http, chunk extensions", records, HTTP "Transfer-Encoding: chunked\r\n\r\n", "1;a\r\nx\r\n", "" },
	{ "http, a size of a chunk", records, HTTP "Transfer-Encoding: chunked\r\n\r\n", "0", "" },
	{ "http, trailers", records, HTTP "Transfer-Encoding: chunked\r\n\r\n0\r\n", "a: b\r\n", "" },
	{ "arc, fields", records, ARC, "a@: b\n", "\n" },
	{ "arc, header lines", records, ARC "\n", "http://a/ 1.2.3.4 20120101000000 text/html 5\n", "" },
	{ "arc, blanks", records, "http://a/", " ", "20120101000000 text/html 5\n" },
	{ "zip, ends", zip, "PK\3\4", "PK\5\6", "" },
	{ "gzip, fields", gzip, "", "\x1f\x8b\b\4", "" },
	{ "gzip, a long name", gzip, "\x1f\x8b\b\b1234XY", "n", "" },
	{ "s3, objects", s3, "<ListBucketResult>", "<Contents><Key>a</Key></Contents>", "</ListBucketResult>" },
	{ "s3, members", s3, "<ListBucketResult><Contents>", "<Key/>", "</Contents></ListBucketResult>" },
	{ "s3, depth", s3, "<ListBucketResult>", "<a>", "" },
	{ "s3, references", s3, "<ListBucketResult><Contents><Key>", "&amp;", "</Key></Contents></ListBucketResult>" },
	{ "s3, attributes", s3, "<ListBucketResult", " a@=''", "/>" },
	{ "s3, one attribute", s3, "<ListBucketResult", " a=''", "/>" },
	{ "s3, namespaces", s3, "<ListBucketResult", " xmlns:a@='b'", "/>" },
	{ "s3, parts", s3, "<ListPartsResult>", "<Part/>", "</ListPartsResult>" },
	{ "references, ampersands", references, "", "&", "" },
	{ "references, digits", references, "&#", "1", "" },
	{ "references, numbers", references, "", "&#1", "" },
	{ "references, names", references, "", "&abcdefgh", "" },
};

static struct cfs_slice make(const struct text *t)
{
	size_t head = strlen(t->head), at = head;
	char *p = malloc(TEXT_BYTES + 256);

	assert_non_null(p);
	memcpy(p, t->head, head);
	for (unsigned number = 0; at < TEXT_BYTES; number++)
		for (const char *u = t->unit; *u != '\0'; u++) {
			if (*u == '@')
				at += (size_t)snprintf(p + at, 16, "%x",
						       number);
			else
				p[at++] = *u;
		}
	memcpy(p + at, t->tail, strlen(t->tail));
	return cfs_slice_of(p, at + strlen(t->tail));
}

static void linear(void **state)
{
	const struct text *t = *state;
	struct cfs_slice s = make(t);
	double ms = unit_cpu_ms();

	t->parse(s);
	ms = unit_cpu_ms() - ms;
	free((void *)(uintptr_t)s.p);
	if (getenv("LINEAR_TIMES") != NULL)
		print_message("%7.0f ms %s\n", ms, t->name);
	if (!SANITIZED && ms > TIME_MAX_MS * unit_slowness())
		fail_msg("%s: %.0f ms", t->name, ms);
}

/* The central directory of a ZIP file: as many members, extra fields and
 * comments as go into it. */
static void zip_directory(void **state)
{
	static const uint8_t end[22] = { 'P', 'K', 5, 6 };
	size_t entry = 46 + 4, n = TEXT_BYTES / entry;
	uint8_t *p = calloc(1, 64 + TEXT_BYTES + sizeof(end));
	double ms = unit_cpu_ms();

	(void)state;
	assert_non_null(p);
	for (size_t i = 0; i < n; i++) {
		uint8_t *e = p + 64 + i * entry;

		memcpy(e, "PK\1\2", 4);
		e[30] = 4;		/* an extra field of no bytes */
	}
	memcpy(p + 64 + n * entry, end, sizeof(end));
	for (unsigned i = 0; i < 4; i++) {
		p[64 + n * entry + 12 + i] = (uint8_t)(n * entry >> 8 * i);
		p[64 + n * entry + 16 + i] = (uint8_t)(i == 0 ? 64 : 0);
	}
	zip(cfs_slice_of(p, 64 + n * entry + sizeof(end)));
	free(p);
	ms = unit_cpu_ms() - ms;
	if (!SANITIZED && ms > TIME_MAX_MS * unit_slowness())
		fail_msg("%zu members: %.0f ms", n, ms);
}

/* Names of columns that are given again and again, and those that are made of
 * them: as many as a table may have. */
static void column_names(void **state)
{
	struct cfs_buf head;
	double ms;

	(void)state;
	cfs_buf_init(&head, 65536);
	for (unsigned i = 2; i < CFS_SELECTION_CELLS_MAX / 2; i++)
		cfs_buf_addf(&head, "a_%u,", i);
	for (unsigned i = 0; i < CFS_SELECTION_CELLS_MAX / 2; i++)
		cfs_buf_adds(&head, "a,");
	cfs_buf_adds(&head, "a\n");
	ms = unit_cpu_ms();
	csv(cfs_buf_slice(&head));
	ms = unit_cpu_ms() - ms;
	cfs_buf_release(&head);
	if (!SANITIZED && ms > COLUMNS_MAX_MS * unit_slowness())
		fail_msg("names of columns: %.0f ms", ms);
}

int main(void)
{
	UNIT_ROWS(texts, linear);
	UNIT_TEST(zip_directory);
	UNIT_TEST(column_names);
	return unit_run("linear");
}
