/* linear_test.c - what texts made to slow a parser down cost.
 *
 * Each parser reads 4 MiB of one thing: escapes, quotes, brackets, repeated
 * names, folded lines.  A linear one takes tens of milliseconds for that, one
 * that is not takes minutes: the bound lies far from both.  A parser that takes
 * one line or one head at a time gets as many as there are.  Under a sanitizer,
 * where 1 MiB is read, the figures mean nothing: it only has to end.
 *
 * Besides, work is counted: bytes that are searched, compared or moved.  Texts of
 * 64 KiB to 4 MiB, which lie around each limit of a line, a header, a window,
 * may cost so many of them for each of theirs, and no more.  Archives of them,
 * without compression, as one member and as many small ones, are walked, and
 * walked again with a caller who wants to stop in the middle: then little more
 * is done.
 *
 * LINEAR_TIMES=1 prints the figures of each.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include <inttypes.h>
#include <libdeflate.h>
#include <zstd.h>

#include "base/error.h"
#include "codec/gzip.h"
#include "codec/json.h"
#include "format/cdx/cdx_line.h"
#include "input/folder_page.h"
#include "input/pathlist.h"
#include "markup/references.h"
#include "net/s3_answer.h"
#include "net/s3.h"
#include "record/parse.h"
#include "record/seqscan.h"
#include "record/wacz_package.h"
#include "source/zip.h"
#include "table/selection_table.h"

#define TIME_MAX_MS 1000
#define COLUMNS_MAX_MS 100

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* The longest texts and files: a sanitizer looks at the code of all, and the
 * tests of the distribution archive, which have none, at the longest, too. */
#define LONGEST ((size_t)(SANITIZED ? 1 : 4) << 20)
/* With head and tail not more than the 4 MiB of an answer of S3. */
#define TEXT_BYTES (LONGEST - 1024)

/* ---- counting ------------------------------------------------------------ */

/* Most work for a byte of text, and besides, for looking what a file is. */
#define WORK_FOR_BYTE 64u
#define WORK_FOR_START ((uint64_t)64 << 20)
/* Most work after a caller has said that he wants to stop. */
#define WORK_AFTER_STOP ((uint64_t)16 << 20)
/* Members of a file as a whole. */
#define BIG ((size_t)1 << 40)

static uint64_t work;

void *__real_memchr(const void *s, int c, size_t n);
void *__wrap_memchr(const void *s, int c, size_t n);
int __real_memcmp(const void *a, const void *b, size_t n);
int __wrap_memcmp(const void *a, const void *b, size_t n);
void *__real_memmove(void *to, const void *from, size_t n);
void *__wrap_memmove(void *to, const void *from, size_t n);

void *__wrap_memchr(const void *s, int c, size_t n)
{
	const uint8_t *p = __real_memchr(s, c, n);

	work += 1 + (p != NULL ? (size_t)(p - (const uint8_t *)s) : n);
	return (void *)(uintptr_t)p;
}

int __wrap_memcmp(const void *a, const void *b, size_t n)
{
	work += 1;
	return __real_memcmp(a, b, n);
}

void *__wrap_memmove(void *to, const void *from, size_t n)
{
	work += 1 + n;
	return __real_memmove(to, from, n);
}

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

/* ---- archives ------------------------------------------------------------ */

static bool stop_at(void *arg)
{
	const uint64_t *limit = arg;

	return work > *limit;
}

static int no_record(void *arg, const struct cfs_scan_item *item)
{
	(void)arg;
	(void)item;
	return CFS_OK;
}

static int no_pair(void *arg, const struct cfs_seq_item *item)
{
	(void)arg;
	(void)item;
	return CFS_OK;
}

/* Walks through a file until `limit` of work is done. */
static void walk_file(const char *name, struct cfs_slice file, uint64_t limit)
{
	struct cfs_cancel cancel = { .asked = stop_at, .arg = &limit };
	struct cfs_scan_opts opts = { .cancel = &cancel };
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_source *src;
	int rc;

	assert_int_equal(cfs_source_open_memory(&src, file, name, NULL),
			 CFS_OK);
	work = 0;
	rc = strstr(name, ".seq") != NULL ?
	     cfs_seq_scan(src, &opts, no_pair, NULL, &err) :
	     cfs_scan_archive(src, &opts, no_record, NULL, &err);
	if (work > limit && rc != CFS_EINTR)
		assert_true(work < limit + WORK_AFTER_STOP);
	cfs_source_close(src);
}

/* Compressors are made once, and not for each of many small members. */
static ZSTD_CCtx *frames;
static struct libdeflate_compressor *members;

static int open_compressors(void **state)
{
	(void)state;
	frames = ZSTD_createCCtx();
	members = libdeflate_alloc_compressor(6);
	return frames == NULL || members == NULL;
}

static int close_compressors(void **state)
{
	(void)state;
	ZSTD_freeCCtx(frames);
	libdeflate_free_compressor(members);
	return 0;
}

/* A frame of zstd. */
static void add_frame(struct cfs_buf *out, struct cfs_slice s)
{
	size_t most = ZSTD_compressBound(s.n), n;

	assert_int_equal(cfs_buf_reserve(out, most), CFS_OK);
	n = ZSTD_compressCCtx(frames, out->p + out->n, most, s.p, s.n, 1);
	assert_false(ZSTD_isError(n));
	out->n += n;
}

static void add_member(struct cfs_buf *out, struct cfs_slice s)
{
	size_t most = libdeflate_gzip_compress_bound(members, s.n), n;

	assert_int_equal(cfs_buf_reserve(out, most), CFS_OK);
	n = libdeflate_gzip_compress(members, s.p, s.n, out->p + out->n, most);
	assert_true(n > 0);
	out->n += n;
}

/* The text in members of so many bytes each; 0: as it is; an odd
 * number: of zstd. */
static struct cfs_buf in_members(struct cfs_slice s, size_t bytes)
{
	struct cfs_buf out;

	cfs_buf_init(&out, SIZE_MAX);
	if (bytes == 0)
		cfs_buf_add(&out, s);
	for (size_t at = 0; bytes > 0 && at < s.n; at += bytes) {
		struct cfs_slice one = cfs_slice_sub(s, at, bytes);

		if ((bytes & 1) != 0)
			add_frame(&out, one);
		else
			add_member(&out, one);
	}
	assert_int_equal(out.failed, CFS_OK);
	return out;
}

/* ---- the texts ----------------------------------------------------------- */

/* head, in which '~' is a NUL, then unit until the text has its size, then tail.
 * '@' in unit is a number that grows. */
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
	/* Holds L70. */
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
	/* Holds L70. */
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
	/* Holds L70. */
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

#define PAGE "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a/\r\nContent-Length: 1\r\n\r\nx\r\n\r\n"
#define FILEDESC "filedesc://x 0.0.0.0 20200101000000 text/plain 76\n1 0 a\nURL IP-address Archive-date Content-type Archive-length\n\n"
#define ARC_LINE "http://a/ 1.1.1.1 20200101000000 text/html "
#define SYNC "0123456789abcdef"
#define SEQ "SEQ\6\31org.apache.hadoop.io.Text\31org.apache.hadoop.io.Text~~~~~~" SYNC
#define SEQ_BLOCKS "SEQ\6\31org.apache.hadoop.io.Text\31org.apache.hadoop.io.Text\1\1" \
	"\52org.apache.hadoop.io.compress.DefaultCodec~~~~" SYNC
#define MARK "\xff\xff\xff\xff" SYNC

/* Files: the name says what is in them. */
static struct text walks[] = {
	/* Holds L70. */
	{ "version lines.warc", NULL, PAGE, "WARC/1.0\r\n", PAGE },
	{ "version lines with bare line ends.warc", NULL, PAGE, "WARC/1.0\n", PAGE },
	{ "a field each.warc", NULL, PAGE, "WARC/1.0\r\nA: b\r\n", PAGE },
	/* Holds L70. */
	{ "documents.warc", NULL, PAGE, "WARC/1.0\r\n<html>\r\nx\r\n", PAGE PAGE },
	{ "documents that end.warc", NULL, PAGE, "WARC/1.0\r\n<html>\r\nx\r\n\r\n", PAGE },
	{ "many lines, then a document.warc", NULL, PAGE, "WARC/1.0\r\nx\r\n", "<html>\r\nx\r\n\r\n" PAGE },
	{ "too much declared.warc", NULL, PAGE, "WARC/1.0\r\nContent-Length: 99999999\r\n\r\n", PAGE },
	{ "too little declared.warc", NULL, PAGE, "WARC/1.0\r\nContent-Length: 1\r\n\r\nabcdef\r\n\r\n", PAGE },
	{ "more than the next declared.warc", NULL, PAGE, "WARC/1.0\r\nContent-Length: 99@\r\n\r\nx\r\n\r\n", PAGE },
	{ "2000 declared.warc", NULL, PAGE, "WARC/1.0\r\nContent-Length: 2000\r\n\r\nx\r\n\r\n", PAGE },
	{ "90000 declared.warc", NULL, PAGE, "x\r\n\r\nWARC/1.0\r\nContent-Length: 90000\r\n\r\nx\r\n\r\n", PAGE },
	{ "nothing declared.warc", NULL, PAGE, "WARC/1.0\r\nA: b\r\n\r\nx\r\n", PAGE },
	{ "no colons.warc", NULL, PAGE "WARC/1.0\r\n", "abcdef\r\n", "\r\n" PAGE },
	{ "one line.warc", NULL, PAGE "WARC/1.0\r\n", "abcdef", "\r\n\r\n" PAGE },
	{ "carriage returns.warc", NULL, PAGE "WARC/1.0\r\n", "\r", "x\r\n\r\n" PAGE },
	{ "line ends behind.warc", NULL, PAGE, "\r\n", PAGE },
	{ "a long body, then line ends.warc", NULL, "WARC/1.0\r\nContent-Length: 3\r\n\r\nabc", "\n", PAGE },
	{ "junk lines.warc", NULL, PAGE, "junk\r\n", PAGE },
	{ "junk without lines.warc", NULL, PAGE, "junk", PAGE },
	{ "records and junk.warc", NULL, PAGE, "WARC/1.0\r\nContent-Length: 1\r\n\r\nx\r\n\r\njunk\r\n", PAGE },
	{ "folded lines.warc", NULL, PAGE "WARC/1.0\r\nA: b\r\n", " c\r\n", "\r\n" PAGE },
	{ "lines of arc in it.warc", NULL, PAGE, ARC_LINE "1\nx\njunk\n", PAGE },
	{ "magic numbers.warc", NULL, PAGE, "\x1f\x8b\b\4", PAGE },
	{ "too much declared.arc", NULL, FILEDESC, ARC_LINE "99999999\n", "" },
	{ "too little declared.arc", NULL, FILEDESC, ARC_LINE "1\n", "" },
	{ "2000 declared.arc", NULL, FILEDESC, ARC_LINE "2000\nx\n", "" },
	/* Holds L70. */
	{ "junk behind.arc", NULL, FILEDESC, ARC_LINE "1\nx\njunk\n", "" },
	{ "nothing declared.arc", NULL, FILEDESC, ARC_LINE "-\nx\n", "" },
	{ "a record without end.arc", NULL, FILEDESC ARC_LINE "-\n", "x", "" },
	{ "a record of lines.arc", NULL, FILEDESC ARC_LINE "-\n", "http://a\n", "" },
	{ "lines of warc in it.arc", NULL, FILEDESC, "WARC/1.0\r\n", ARC_LINE "1\nx\n" },
	{ "blanks.arc", NULL, FILEDESC "http://a/", " ", "1.1.1.1 20200101000000 text/html 1\nx\n" },
	{ "marks.seq", NULL, SEQ, MARK, "" },
	{ "marks and a length.seq", NULL, SEQ, MARK "\1\2\3\4", "" },
	{ "marks in long records.seq", NULL, SEQ, MARK "\1\1\1\1\1\1\1\1", "" },
	{ "half marks.seq", NULL, SEQ, "\xff\xff\xff\xff" "01234567", "" },
	{ "long records.seq", NULL, SEQ, "\2\1\1\1\1\1\1\1", "" },
	{ "marks of blocks.seq", NULL, SEQ_BLOCKS, MARK, "" },
	/* Holds L70. */
	{ "marks in long blocks.seq", NULL, SEQ_BLOCKS, MARK "\1\x8d\1\1\1", "" },
	{ "blocks of stored bytes.seq", NULL, SEQ_BLOCKS, MARK "\1\x8d\1\1\1\x78\1\1\xff\1\1\xfe", "" },
};

static struct cfs_slice make(const struct text *t, size_t bytes)
{
	size_t head = strlen(t->head), at = head;
	char *p = malloc(bytes + 4096);

	assert_non_null(p);
	for (size_t i = 0; i < head; i++)
		p[i] = (char)(t->head[i] == '~' ? 0 : t->head[i]);
	for (unsigned number = 0; at < bytes; number++)
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
	struct cfs_slice s = make(t, TEXT_BYTES);
	double ms = unit_cpu_ms();

	t->parse(s);
	ms = unit_cpu_ms() - ms;
	free((void *)(uintptr_t)s.p);
	if (getenv("LINEAR_TIMES") != NULL)
		print_message("%7.0f ms %s\n", ms, t->name);
	if (!SANITIZED && ms > TIME_MAX_MS * unit_slowness())
		fail_msg("%s: %.0f ms", t->name, ms);
}

static void count_work(void **state)
{
	const struct text *t = *state;

	for (size_t bytes = 65536; bytes <= TEXT_BYTES + 1024; bytes *= 2) {
		struct cfs_slice s = make(t, bytes - 1024);

		work = 0;
		t->parse(s);
		free((void *)(uintptr_t)s.p);
		if (getenv("LINEAR_TIMES") != NULL)
			print_message("%8zu: %6.1f of work a byte, %s\n", bytes,
				      (double)work / (double)bytes, t->name);
		if (work > WORK_FOR_BYTE * bytes)
			fail_msg("%s, %zu bytes: %" PRIu64, t->name, bytes,
				 work);
	}
}

/* A file is walked through, and once more, half. */
static void count_walk(const struct text *t, size_t bytes, size_t member)
{
	struct cfs_slice s = make(t, bytes);
	struct cfs_buf file = in_members(s, member);
	uint64_t most = WORK_FOR_BYTE * bytes + WORK_FOR_START, all;

	walk_file(t->name, cfs_buf_slice(&file), most);
	all = work;
	if (getenv("LINEAR_TIMES") != NULL)
		print_message("%8zu in members of %zu: %6.1f of work a byte, "
			      "%s\n", bytes, member,
			      (double)work / (double)bytes, t->name);
	if (all > most)
		fail_msg("%s, %zu bytes in members of %zu: %" PRIu64, t->name,
			 bytes, member, all);
	walk_file(t->name, cfs_buf_slice(&file), all / 2);
	if (work > all / 2 + WORK_AFTER_STOP)
		fail_msg("%s, %zu bytes in members of %zu: %" PRIu64 " after "
			 "it was to stop", t->name, bytes, member,
			 work - all / 2);
	cfs_buf_release(&file);
	free((void *)(uintptr_t)s.p);
}

/* Lengths of members: 0, there are none; an odd number: of zstd. */
static const size_t member_bytes[] = { 0, BIG, BIG + 1, 5000, 60, 61 };

/* One size has to do for small members, which are many. */
static bool is_walked(const struct text *t, size_t bytes, size_t member)
{
	if (member == 0)
		return true;
	if (strstr(t->name, ".seq") != NULL)
		return false;
	if (member < 5000)
		return bytes == (size_t)256 << 10;
	return bytes == LONGEST / 2 ||
	       (member == BIG && bytes >= LONGEST / 4);
}

static void walk(void **state)
{
	const struct text *t = *state;

	for (size_t bytes = 32768; bytes <= LONGEST; bytes *= 2)
		for (size_t i = 0; i < COUNT(member_bytes); i++)
			if (is_walked(t, bytes, member_bytes[i]))
				count_walk(t, bytes, member_bytes[i]);
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

UNIT_PROGRAM
{
	UNIT_ROWS(texts, linear);
	UNIT_ROWS(texts, count_work);
	UNIT_ROWS(walks, walk);
	UNIT_TEST(zip_directory);
	UNIT_TEST(column_names);
	return unit_run_with("linear", open_compressors, close_compressors);
}
