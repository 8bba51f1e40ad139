/* selection_test.c - tables that are selections: rows of text, what a row says,
 * names of archives.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "alloc_fail.h"
#include "unit.h"

#include "codec/json.h"
#include "table/selection_rows.h"
#include "table/selection_table.h"

/* ---- rows of text ---- */

/* Rows as "LINE name=value name=value", damage as "LINE !"; one a line. */
struct seen {
	struct cfs_buf text;
};

static int on_row(void *arg, const struct cfs_selection_cell *cells, size_t n,
		  uint64_t line)
{
	struct seen *s = arg;

	cfs_buf_addf(&s->text, "%u", (unsigned)line);
	for (size_t i = 0; i < n; i++) {
		cfs_buf_addc(&s->text, ' ');
		cfs_buf_add(&s->text, cells[i].name);
		cfs_buf_adds(&s->text, cells[i].type == CFS_CELL_JSON ? ":=" :
			     cells[i].type == CFS_CELL_NULL ? "!" : "=");
		cfs_buf_add(&s->text, cells[i].value);
	}
	return cfs_buf_addc(&s->text, '|');
}

static void on_damage(void *arg, uint64_t line, const char *why)
{
	struct seen *s = arg;

	assert_non_null(why);
	cfs_buf_addf(&s->text, "%u !|", (unsigned)line);
}

/* Reads a text in pieces of so many bytes. */
static int read_text(enum cfs_table_kind kind, struct cfs_slice text,
		     size_t piece, struct seen *s)
{
	struct cfs_table_user user = { on_row, on_damage, s };
	struct cfs_table *t = cfs_table_new(kind, &user);
	int rc = t == NULL ? CFS_ENOMEM : CFS_OK;

	cfs_buf_reset(&s->text);
	for (size_t at = 0; rc == CFS_OK && at < text.n; at += piece) {
		struct cfs_slice in = exact_copy(text.p + at,
			piece < text.n - at ? piece : text.n - at);

		rc = cfs_table_feed(t, in);
		exact_free(in);
	}
	if (rc == CFS_OK)
		rc = cfs_table_end(t);
	cfs_table_free(t);
	return rc;
}

struct table_case {
	const char *name;
	enum cfs_table_kind kind;
	const char *text, *rows;
};
static struct table_case table_cases[] = {
	{ "plain", CFS_TABLE_CSV, "a,b\n1,2\n3,4\n", "2 a=1 b=2|3 a=3 b=4|" },
	{ "no end of the last line", CFS_TABLE_CSV, "a,b\r\n1,2\r\n3,4",
	  "2 a=1 b=2|3 a=3 b=4|" },
	{ "a return at the very end", CFS_TABLE_CSV, "a,b\n1,\"2\"\r",
	  "2 a=1 b=2|" },
	{ "a byte order mark", CFS_TABLE_CSV, "\xef\xbb\xbf\"a\",b\n1,2\n",
	  "2 a=1 b=2|" },
	{ "quotes", CFS_TABLE_CSV,
	  "a,b\n\"x,\"\"y\"\"\",\"\"\n\"\"\"\",\"\r\n\"\n5,6\n",
	  "2 a=x,\"y\" b=|3 a=\" b=\r\n|5 a=5 b=6|" },
	{ "a quote inside", CFS_TABLE_CSV, "a,b\nx\"y,2\n", "2 a=x\"y b=2|" },
	{ "a return inside", CFS_TABLE_CSV, "a,b\nx\ry,\r\n", "2 a=x\ry b=|" },
	{ "blank lines", CFS_TABLE_CSV, "\na,b\n\n\r\n1,2\n\n",
	  "5 a=1 b=2|" },
	{ "one column", CFS_TABLE_CSV, "a\n1\n\"\"\n\n2", "2 a=1|3 a=|5 a=2|" },
	{ "columns of one name", CFS_TABLE_CSV, "a,a,a_2,a\n1,2,3,4\n",
	  "2 a=1 a_2=2 a_2_2=3 a_3=4|" },
	{ "blanks round a name", CFS_TABLE_CSV, " a , b\n 1, 2\n",
	  "2 a= 1 b= 2|" },
	{ "too few, too many", CFS_TABLE_CSV, "a,b\n1\n1,2,3\n1,2\n",
	  "2 !|3 !|4 a=1 b=2|" },
	{ "text after a quote", CFS_TABLE_CSV, "a,b\n\"1\"x,2\n3,4\n",
	  "2 !|3 a=3 b=4|" },
	{ "a quote not closed", CFS_TABLE_CSV, "a,b\n1,\"2\n3,4\n5,6\n",
	  "2 !|3 a=3 b=4|4 a=5 b=6|" },
	{ "a quote not closed, closed later", CFS_TABLE_CSV,
	  "a,b\n1,\"2\n3,\"4\"\n5,6\n", "2 !|3 a=3 b=4|4 a=5 b=6|" },
	{ "a line end too many", CFS_TABLE_CSV, "a,b,c\n1,\"\n\",3,4\n5,6,7\n",
	  "2 !|3 !|4 a=5 b=6 c=7|" },
	{ "semicolons", CFS_TABLE_SEMICOLONS, "a;b\n1,5;\";\"\n",
	  "2 a=1,5 b=;|" },
	{ "TSV", CFS_TABLE_TSV, "a\tb\n1\t2\n", "2 a=1 b=2|" },
	{ "TSV with quotes", CFS_TABLE_TSV, "a\tb\n\"x\ty\"\t\"\"\"\"\n",
	  "2 a=x\ty b=\"|" },
	{ "TSV without quotes", CFS_TABLE_TSV,
	  "a\tb\n\"x\t2\n\"y\" z\t4\r\n5\t\"\n", "2 a=\"x b=2|3 a=\"y\" z b=4|"
	  "4 a=5 b=\"|" },
	{ "TSV that is damaged", CFS_TABLE_TSV, "a\tb\n\"x\n1\t2\n",
	  "2 !|3 a=1 b=2|" },
	{ "JSON", CFS_TABLE_JSONL, "{\"a\":1,\"b\":\"x\"}\n{ }\n\r\n"
	  "{\"a\" : null , \"c\":[1,\"]\"],\"d\":{\"}\":0} }\r\n",
	  "1 a:=1 b=x|2|4 a!null c:=[1,\"]\"] d:={\"}\":0}|" },
	{ "JSON with escapes", CFS_TABLE_JSONL, "{\"\\u0061\":\"\\n\\\"\\u00e9\"}",
	  "1 a=\n\"\xc3\xa9|" },
	{ "words of JSON", CFS_TABLE_JSONL, "{\"a\":true,\"b\":-1.5e3,\"c\":NaN}",
	  "1 a:=true b:=-1.5e3 c!NaN|" },
	{ "an array of objects", CFS_TABLE_ARRAY,
	  "[{\"a\":1,\"b\":\"x]}\\\"\"}, {\"b\":null}\n,\n{}]\n",
	  "1 a:=1 b=x]}\"|1 b!null|3|" },
	{ "an array of arrays", CFS_TABLE_ARRAY,
	  "\xef\xbb\xbf [ [\"a\",\"b\"],\n[\"1\",[2]],[null,3.5]]",
	  "2 a=1 b:=[2]|2 a!null b:=3.5|" },
	{ "an empty array", CFS_TABLE_ARRAY, " []\n", "" },
	{ "items that are damaged", CFS_TABLE_ARRAY,
	  "[{\"a\":1},{\"a\"},{\"a\":1,},{\"a\":},{\"a\":2}]",
	  "1 a:=1|1 !|1 !|1 !|1 a:=2|" },
	{ "brackets that do not match", CFS_TABLE_ARRAY,
	  "[{\"a\":1},{\"a\":[}]},{\"a\":2}]", "1 a:=1|1 !|1 !|" },
	{ "rows of other numbers", CFS_TABLE_ARRAY,
	  "[[\"a\",\"b\"],[1],[1,2,3],[1,2]]", "1 !|1 !|1 a:=1 b:=2|" },
	{ "items of two kinds", CFS_TABLE_ARRAY, "[[\"a\"],{\"b\":1},[2]]",
	  "1 !|1 a:=2|" },
	{ "objects, then arrays", CFS_TABLE_ARRAY, "[{\"b\":1},[2],{\"b\":3}]",
	  "1 b:=1|1 !|1 b:=3|" },
	{ "an array without its end", CFS_TABLE_ARRAY, "[{\"a\":1},{\"a\":\n2",
	  "1 a:=1|1 !|" },
	{ "numbers in an array", CFS_TABLE_ARRAY, "[{\"a\":1},\n2,{\"a\":3}]",
	  "1 a:=1|2 !|" },
	{ "something behind an array", CFS_TABLE_ARRAY, "[{\"a\":1}]\n[1]\nx",
	  "1 a:=1|2 !|" },
	{ "JSON that is none", CFS_TABLE_JSONL,
	  "[1]\n{\"a\":1\n{\"a\"}\n{\"a\":1}x\n{\"a\":}\n{\"a\":1,}\n{,}\n"
	  "{\"a\":\"x}\n{\"a\":[]{\"b\":1}\n{\"a\":2}\n",
	  "1 !|2 !|3 !|4 !|5 !|6 !|7 !|8 !|9 !|10 a:=2|" },
};

static void table_case(void **state)
{
	const struct table_case *tc = *state;
	struct cfs_slice text = cfs_slice_str(tc->text);
	struct seen s;

	cfs_buf_init(&s.text, 1 << 20);
	for (size_t piece = 1; piece <= text.n; piece++) {
		assert_int_equal(read_text(tc->kind, text, piece, &s), CFS_OK);
		assert_slice(cfs_buf_slice(&s.text), tc->rows);
	}
	for (size_t n = 0; n < text.n; n++)	/* ASan looks on */
		assert_int_equal(read_text(tc->kind, cfs_slice_sub(text, 0, n),
					   7, &s), CFS_OK);
	cfs_buf_release(&s.text);
}

/* ---- limits ---- */

static void count_lines(const struct seen *s, size_t *rows, size_t *damages)
{
	*rows = *damages = 0;
	for (size_t i = 0; i < s->text.n; i++) {
		*rows += s->text.p[i] == '|';
		*damages += s->text.p[i] == '!';
	}
	*rows -= *damages;
}

/* A row that is too long costs itself. */
static void long_rows(void **state)
{
	struct cfs_buf text;
	struct seen s;
	size_t rows, damages;

	(void)state;
	cfs_buf_init(&text, 1 << 26);
	cfs_buf_init(&s.text, 1 << 26);
	cfs_buf_adds(&text, "a,b\n1,2\n");
	for (unsigned i = 0; i < 3; i++) {
		cfs_buf_adds(&text, i == 1 ? "3,\"" : "3,");
		for (size_t k = 0; k < CFS_TABLE_ROW_MAX; k++)
			cfs_buf_addc(&text, 'x');
		cfs_buf_adds(&text, i == 1 ? "\"\n4,5\n" : "\n4,5\n");
	}
	assert_int_equal(read_text(CFS_TABLE_CSV, cfs_buf_slice(&text),
				   100000, &s), CFS_OK);
	count_lines(&s, &rows, &damages);
	assert_int_equal(rows, 4);
	assert_int_equal(damages, 3);
	cfs_buf_reset(&text);
	cfs_buf_adds(&text, "a");
	for (unsigned i = 0; i < CFS_SELECTION_CELLS_MAX; i++)
		cfs_buf_adds(&text, ",a");
	cfs_buf_adds(&text, "\nb,c\n1,2\n");
	assert_int_equal(read_text(CFS_TABLE_CSV, cfs_buf_slice(&text), 99, &s),
			 CFS_OK);
	assert_slice(cfs_buf_slice(&s.text), "1 !|3 b=1 c=2|");
	cfs_buf_release(&text);
	cfs_buf_release(&s.text);
}

/* Lines that each open a quote that none closes are not read again and again:
 * a file of them takes time as its length. */
static void quotes_never_closed(void **state)
{
	struct cfs_buf text;
	struct seen s;
	size_t rows, damages;
	double ms;

	(void)state;
	cfs_buf_init(&text, 1 << 26);
	cfs_buf_init(&s.text, 1 << 27);
	cfs_buf_adds(&text, "a,b\n");
	while (text.n < 24 << 20)
		cfs_buf_adds(&text, "\"x\ny,\"z\n");
	ms = unit_cpu_ms();
	assert_int_equal(read_text(CFS_TABLE_CSV, cfs_buf_slice(&text),
				   1 << 18, &s), CFS_OK);
	ms = unit_cpu_ms() - ms;
	count_lines(&s, &rows, &damages);
	assert_true(damages > 10);
	assert_true(ms < 4000 * unit_slowness());
	cfs_buf_release(&text);
	cfs_buf_release(&s.text);
}

/* ---- recognising ---- */

struct look_case {
	const char *name, *head;
	enum cfs_table_kind kind;
};
static struct look_case look_cases[] = {
	{ "Athena's", "\"url\",\"warc_filename\",\"warc_record_offset\","
	  "\"warc_record_length\"\n", CFS_TABLE_CSV },
	{ "cdx_toolkit's", "warc_url\twarc_record_offset\twarc_record_length\n",
	  CFS_TABLE_TSV },
	{ "semicolons", "offset;x;length;filename\n", CFS_TABLE_SEMICOLONS },
	{ "any case, with a mark", "\xef\xbb\xbfSource_URI,OFFSET,Length\r\n",
	  CFS_TABLE_CSV },
	{ "a CDX server's", "{\"urlkey\": \"a\", \"offset\": \"1\", \"length\": "
	  "\"2\", \"filename\": \"a\"}\n", CFS_TABLE_JSONL },
	{ "the second line", "{\"offset\":1}\n{\"offset\":1,\"length\":2,"
	  "\"filename\":\"a\"}\n", CFS_TABLE_JSONL },
	{ "a line of JSON cut off", "{\"offset\":1,\"length\":2,"
	  "\"filename\":\"a\",\"text\":\"abc", CFS_TABLE_JSONL },
	{ "an array of objects", "[{\"offset\":1,\"length\":2,\"filename\":\"a\"}",
	  CFS_TABLE_ARRAY },
	{ "its first object cut off", "\n [ {\"offset\":1,\"length\":2,"
	  "\"filename\":\"a\",\"text\":\"abc", CFS_TABLE_ARRAY },
	{ "an array of arrays", "[[\"offset\",\"length\",\"filename\"],\n[1",
	  CFS_TABLE_ARRAY },
	{ "another array", "[[\"offset\",\"length\"],[1,2]]", CFS_TABLE_NONE },
	{ "an array of numbers", "[1,2]", CFS_TABLE_NONE },
	{ "no offset", "url,warc_filename,length\n", CFS_TABLE_NONE },
	{ "a first line cut off", "filename,offset,length,tex", CFS_TABLE_NONE },
	{ "CDXJ", "com,a)/ 2020 {\"offset\":1,\"length\":2,\"filename\":\"a\"}\n",
	  CFS_TABLE_NONE },
	{ "a CDX", " CDX N b a m s k r M S V g\n", CFS_TABLE_NONE },
	{ "a page", "<!DOCTYPE html>\n<p>offset, length, filename\n",
	  CFS_TABLE_NONE },
	{ "", "", CFS_TABLE_NONE },
	{ "blanks", " \r\n\n", CFS_TABLE_NONE },
};

static void look_case(void **state)
{
	const struct look_case *tc = *state;
	struct cfs_slice head = exact_copy(tc->head, strlen(tc->head));
	struct cfs_buf archive;

	cfs_buf_init(&archive, 1000);
	assert_int_equal(cfs_table_look(head, false, &archive), tc->kind);
	for (size_t n = 0; n < head.n; n++) {
		struct cfs_slice cut = exact_copy(head.p, n);

		cfs_table_look(cut, n % 2, &archive);
		exact_free(cut);
	}
	cfs_buf_release(&archive);
	exact_free(head);
}

struct lack_case {
	const char *name, *head, *lacks;	/* NULL: no table of captures */
};
static struct lack_case lack_cases[] = {
	{ "CSV, one", "url,warc_filename,length\n",
	  "CSV without the column warc_record_offset" },
	{ "CSV, two", "url,offset\n",
	  "CSV without the columns warc_filename, warc_record_length" },
	{ "TSV", "filename\toffset\n",
	  "TSV without the column warc_record_length" },
	{ "JSON lines", "{\"url\":\"a\",\"offset\":1,\"length\":2}\n",
	  "JSON lines without the column warc_filename" },
	{ "a server's array", "[[\"urlkey\",\"timestamp\",\"original\","
	  "\"mimetype\",\"statuscode\",\"digest\",\"length\"],\n[\"a\"]]",
	  "a JSON array without the columns warc_filename, "
	  "warc_record_offset" },
	{ "an array of objects", "[{\"offset\":1,\"filename\":\"a\"}]",
	  "a JSON array without the column warc_record_length" },
	{ "whole", "filename,offset,length\n", NULL },
	{ "of links", "url,title\n", NULL },
	{ "text", "one line, and no table\n", NULL },
	{ "nothing", "", NULL },
};

static void lack_case(void **state)
{
	const struct lack_case *tc = *state;
	struct cfs_slice head = exact_copy(tc->head, strlen(tc->head));
	struct cfs_buf out;

	cfs_buf_init(&out, 1000);
	assert_int_equal(cfs_table_lacks(head, true, &out), tc->lacks != NULL);
	if (tc->lacks != NULL)
		assert_string_equal(cfs_buf_str(&out), tc->lacks);
	cfs_buf_release(&out);
	exact_free(head);
}

/* An item that is too long ends the reading, and is not held. */
static void long_items(void **state)
{
	struct cfs_buf text;
	struct seen s;

	(void)state;
	cfs_buf_init(&text, 1 << 26);
	cfs_buf_init(&s.text, 1 << 26);
	cfs_buf_adds(&text, "[{\"a\":1},{\"a\":\"");
	for (size_t k = 0; k < 8 * CFS_TABLE_ROW_MAX; k++)
		cfs_buf_addc(&text, 'x');
	cfs_buf_adds(&text, "\"},{\"a\":2}]");
	for (size_t piece = 99999; piece < text.n; piece *= 9) {
		assert_int_equal(read_text(CFS_TABLE_ARRAY,
					   cfs_buf_slice(&text), piece, &s),
				 CFS_OK);
		assert_slice(cfs_buf_slice(&s.text), "1 a:=1|1 !|");
	}
	cfs_buf_release(&text);
	cfs_buf_release(&s.text);
}

/* ---- what a row says ---- */

struct time_case {
	const char *text;
	int64_t time;			/* -1: not understood */
};
static struct time_case time_cases[] = {
	{ "2018-10-16 09:12:33.000", 1539681153 },
	{ "2018-10-16T09:12:33Z", 1539681153 },
	{ "2018-10-16t09:12:33.123456 UTC", 1539681153 },
	{ "2018-10-16T11:12:33.000+02:00", 1539681153 },
	{ "2018-10-16 04:42:33-0430", 1539681153 },
	{ " 2018-10-16 10:12:33+01 ", 1539681153 },
	{ "20181016091233", 1539681153 },
	{ "1539681153", 1539681153 },
	{ "1539681153999", 1539681153 },
	{ "2018-10-16", 1539648000 },
	{ "2018-13-16 09:12:33", -1 },
	{ "2018-10-16 09:12", 1539681120 },
	{ "2018-289T09:12:33Z", 1539681153 },
	{ "2018-10-15T24:00:00", 1539648000 },
	{ "2018-10-16 09:12:33+25", -1 },
	{ "2018-10-16 09:12:33 CET", 1539677553 },
	{ "2018-10-16 09:12:33 noon", -1 },
	{ "yesterday", -1 },
	{ "2018", -1 },
	{ "", -1 },
};

static void time_case(void **state)
{
	const struct time_case *tc = *state;
	struct cfs_slice s = exact_copy(tc->text, strlen(tc->text));
	int64_t time = -1;

	assert_int_equal(cfs_selection_time(s, &time),
			 tc->time < 0 ? CFS_EFORMAT : CFS_OK);
	if (tc->time >= 0)
		assert_int_equal(time, tc->time);
	exact_free(s);
}

struct row_case {
	const char *name, *json;	/* the row as a line of JSON */
	const char *out;	/* url archive offset length time status mime
				 * digest notes; or why not */
};
#define PLACE "\"filename\":\"a\",\"offset\":\"1\",\"length\":2"
static struct row_case row_cases[] = {
	{ "a place alone", "{" PLACE "}", " a 1 2 0 0   " },
	{ "all", "{\"url\":\"http://x/\"," PLACE ",\"fetch_time\":"
	  "\"2018-10-16 09:12:33.000\",\"fetch_status\":200,\"mime\":\"t/x\","
	  "\"digest\":\"AAAABBBBCCCCDDDDEEEEFFFFGGGGHHHH\"}",
	  "http://x/ a 1 2 1539681153 200 t/x "
	  "sha1:AAAABBBBCCCCDDDDEEEEFFFFGGGGHHHH {\"selection\":{\"fetch_time\":"
	  "\"2018-10-16 09:12:33.000\",\"fetch_status\":200,\"mime\":\"t/x\","
	  "\"digest\":\"AAAABBBBCCCCDDDDEEEEFFFFGGGGHHHH\"}}" },
	{ "the better name", "{" PLACE ",\"warc_filename\":\"b\",\"warc_url\":"
	  "\"http://c/d\",\"content_mime_type\":\"y\",\"content_mime_detected\":"
	  "null}", " http://c/d 1 2 0 0 y  {\"selection\":{\"filename\":\"a\","
	  "\"warc_filename\":\"b\",\"content_mime_type\":\"y\",\"content_mime_detected\":null}}" },
	{ "numbers of columns that had gaps", "{\"filename\":\"a\",\"offset\":7.0,"
	  "\"length\":\" 12.00 \"}", " a 7 12 0 0   " },
	{ "other columns", "{" PLACE ",\"rank\":1e400,\"x\":\"\\u0000\\ud800\","
	  "\"o\":{\"a\":[true]}}", " a 1 2 0 0   {\"selection\":{\"rank\":1e400,"
	  "\"x\":\"\xef\xbf\xbd\xef\xbf\xbd\",\"o\":{\"a\":[true]}}}" },
	{ "no archive", "{\"filename\":\"\",\"offset\":1,\"length\":2}",
	  "names no archive" },
	{ "no offset", "{\"filename\":\"a\",\"offset\":-1,\"length\":2}",
	  "its offset is not a number" },
	{ "a broken number", "{\"filename\":\"a\",\"offset\":1.5,\"length\":2}",
	  "its offset is not a number" },
	{ "no length", "{\"filename\":\"a\",\"offset\":1,\"length\":0}",
	  "its length is not a number above 0" },
	{ "past the end of all files", "{\"filename\":\"a\",\"offset\":"
	  "9223372036854775807,\"length\":1}",
	  "its offset and length are too large" },
	{ "more than 64 bits", "{\"filename\":\"a\",\"offset\":"
	  "99999999999999999999,\"length\":1}", "its offset is not a number" },
};

static int on_row_case(void *arg, const struct cfs_selection_cell *cells,
		       size_t n, uint64_t line)
{
	struct cfs_selection_scratch scratch;
	struct cfs_selection_row row;
	const char *why = NULL;
	struct cfs_buf *out = arg;
	int rc;

	(void)line;
	cfs_selection_scratch_init(&scratch);
	rc = cfs_selection_row_make(cells, n, &scratch, &row, &why);
	if (rc == CFS_OK) {
		cfs_buf_add(out, row.url);
		cfs_buf_addc(out, ' ');
		cfs_buf_add(out, row.archive);
		cfs_buf_addf(out, " %llu %llu %lld %u ",
			     (unsigned long long)row.offset,
			     (unsigned long long)row.length,
			     (long long)row.time, row.status);
		cfs_buf_add(out, row.mime);
		cfs_buf_addc(out, ' ');
		cfs_buf_add(out, row.digest);
		cfs_buf_addc(out, ' ');
		cfs_buf_add(out, row.notes);
	} else {
		assert_int_equal(rc, CFS_EFORMAT);
		cfs_buf_adds(out, why);
	}
	cfs_selection_scratch_release(&scratch);
	return CFS_OK;
}

static void row_case(void **state)
{
	const struct row_case *tc = *state;
	struct cfs_table_user user = { on_row_case, on_damage, NULL };
	struct cfs_table *t;
	struct cfs_buf out;

	cfs_buf_init(&out, 10000);
	user.arg = &out;
	t = cfs_table_new(CFS_TABLE_JSONL, &user);
	assert_int_equal(cfs_table_feed(t, cfs_slice_str(tc->json)), CFS_OK);
	assert_int_equal(cfs_table_end(t), CFS_OK);
	assert_slice(cfs_buf_slice(&out), tc->out);
	cfs_table_free(t);
	cfs_buf_release(&out);
}

/* A column that is too long is left out, the rest is not; and what remains is
 * an object. */
static void long_notes(void **state)
{
	static char text[CFS_TABLE_ROW_MAX];
	struct cfs_selection_cell cells[40];
	struct cfs_selection_scratch scratch;
	struct cfs_selection_row row;
	struct cfs_buf copy;
	struct cfs_json j = { .out = &copy, .compact = true };
	struct cfs_slice rest;
	const char *why;

	(void)state;
	memset(text, '"', sizeof(text));
	for (size_t i = 0; i < COUNT(cells); i++)
		cells[i] = (struct cfs_selection_cell){
			cfs_slice_str("n"), { CFS_COLUMN_OTHER, 0 },
			CFS_CELL_TEXT, cfs_slice_of(text, i * 100) };
	cells[0].column.role = CFS_COLUMN_ARCHIVE;
	cells[0].value = cfs_slice_str("a");
	cells[1].column.role = CFS_COLUMN_OFFSET;
	cells[1].value = cfs_slice_str("1");
	cells[2].column.role = CFS_COLUMN_LENGTH;
	cells[2].value = cfs_slice_str("1");
	cells[3].value = cfs_slice_of(text, sizeof(text));
	cfs_selection_scratch_init(&scratch);
	cfs_buf_init(&copy, 1 << 17);
	assert_int_equal(cfs_selection_row_make(cells, COUNT(cells), &scratch,
						&row, &why), CFS_OK);
	assert_non_null(row.doubt);
	assert_true(row.notes.n <= 32768 && row.notes.n > 25000);
	rest = row.notes;
	assert_true(cfs_json_copy(&j, &rest));
	assert_int_equal(rest.n, 0);
	cfs_buf_release(&copy);
	cfs_selection_scratch_release(&scratch);
}

/* ---- names of archives ---- */

struct name_case {
	const char *name, *base;
	const char *archives[4];
	const char *names;	/* with '|' behind each, "!|" for damage */
	const char *home;
};
static struct name_case name_cases[] = {
	{ "names", NULL, { "crawl-data/a.warc.gz", "./b.warc.gz", "../c", "" },
	  "crawl-data/a.warc.gz|b.warc.gz|!|!|", "https://data.commoncrawl.org" },
	{ "URLs of Common Crawl's", NULL,
	  { "https://data.commoncrawl.org/crawl-data/a b.gz",
	    "s3://commoncrawl/crawl-data/b",
	    "HTTPS://s3.amazonaws.com/commoncrawl/crawl-data/c", "d" },
	  "crawl-data/a b.gz|crawl-data/b|crawl-data/c|d|",
	  "https://data.commoncrawl.org" },
	{ "another server", NULL,
	  { "https://Example.org:8443/x/a.gz?q=1", "https://example.org:8443/b",
	    "https://other.org/c", "d" },
	  "./x/a.gz?q=1|b|!|!|", "https://example.org:8443" },
	{ "another server, later", NULL, { "a", "https://example.org/x/a.gz" },
	  "a|!|", "https://data.commoncrawl.org" },
	{ "another bucket", NULL, { "s3://bucket/x y%/a.gz", "s3://bucket/b" },
	  "x y%/a.gz|b|", "s3://bucket" },
	{ "below a base", "https://example.org/x//",
	  { "https://example.org/x/a.gz", "b" }, "a.gz|b|",
	  "https://example.org/x" },
	{ "in a folder", "/data/", { "b", "/data/c", "file:///data/d" },
	  "b|c|!|", "/data" },
};

static int take_archive(struct cfs_selection_rows *r, const char *archive,
			uint64_t line)
{
	struct cfs_selection_cell cells[] = {
		{ CFS_SLICE_LIT("filename"), { CFS_COLUMN_ARCHIVE, 0 },
		  CFS_CELL_TEXT, cfs_slice_str(archive) },
		{ CFS_SLICE_LIT("offset"), { CFS_COLUMN_OFFSET, 0 },
		  CFS_CELL_JSON, CFS_SLICE_LIT("1") },
		{ CFS_SLICE_LIT("length"), { CFS_COLUMN_LENGTH, 0 },
		  CFS_CELL_TEXT, CFS_SLICE_LIT("2") },
		{ CFS_SLICE_LIT("url"), { CFS_COLUMN_URL, 0 },
		  CFS_CELL_TEXT, CFS_SLICE_LIT("http://a/") },
	};

	return cfs_selection_rows_take(r, cells, COUNT(cells), line, NULL);
}

static void name_case(void **state)
{
	const struct name_case *tc = *state;
	struct cfs_strtab *names = cfs_strtab_new(1 << 16);
	struct cfs_selection_rows *r;
	struct cfs_buf got;

	cfs_buf_init(&got, 10000);
	assert_int_equal(cfs_selection_rows_new(&r, names, tc->base, "/tmp",
						NULL), CFS_OK);
	assert_int_equal(cfs_selection_rows_begin(r, "table", "line", NULL), CFS_OK);
	for (size_t i = 0; i < 4 && tc->archives[i] != NULL; i++) {
		uint32_t n = cfs_strtab_count(names);

		assert_int_equal(take_archive(r, tc->archives[i], i), CFS_OK);
		if (cfs_strtab_count(names) > n)
			cfs_buf_adds(&got, (const char *)
				     cfs_strtab_get(names, n).p);
		else
			cfs_buf_addc(&got, '!');
		cfs_buf_addc(&got, '|');
	}
	assert_slice(cfs_buf_slice(&got), tc->names);
	assert_string_equal(cfs_selection_rows_home(r), tc->home);
	cfs_selection_rows_free(r);
	cfs_strtab_free(names);
	cfs_buf_release(&got);
}

/* ---- kept, and read again ---- */

#define KEPT 20000u

static int on_kept(void *arg, const struct cfs_selection_item *item)
{
	uint64_t *next = arg;

	assert_int_equal(item->line, *next + 1);
	assert_int_equal(item->archive, *next % 7);
	assert_string_equal(item->where, *next < KEPT / 2 ? "one" : "two");
	assert_slice(item->row.url, "http://a/");
	assert_int_equal(item->row.length, 2);
	++*next;
	return CFS_OK;
}

/* Takes rows of two tables, and reads them. */
static int keep(void)
{
	struct cfs_strtab *names = cfs_strtab_new(1 << 16);
	struct cfs_selection_rows *r = NULL;
	uint64_t next = 0;
	int rc = names == NULL ? CFS_ENOMEM :
		 cfs_selection_rows_new(&r, names, NULL, "/tmp", NULL);

	for (uint64_t i = 0; i < KEPT && rc == CFS_OK; i++) {
		char archive[16];

		snprintf(archive, sizeof(archive), "%u", (unsigned)(i % 7));
		if (i % (KEPT / 2) == 0)
			rc = cfs_selection_rows_begin(r, i == 0 ? "one" : "two",
						      "line", NULL);
		if (rc == CFS_OK)
			rc = take_archive(r, archive, i + 1);
	}
	if (rc == CFS_OK)
		rc = cfs_selection_rows_end(r, NULL);
	for (size_t i = 0; rc == CFS_OK && i < cfs_selection_rows_runs(r); i++)
		rc = cfs_selection_rows_read(r, i, on_kept, &next, NULL);
	if (rc == CFS_OK)
		assert_int_equal(next, KEPT);
	cfs_selection_rows_free(r);
	cfs_strtab_free(names);
	return rc;
}

static void kept(void **state)
{
	(void)state;
	assert_int_equal(keep(), CFS_OK);
}

/* The 1st, 2nd, 3rd ... allocation fails. */
static void no_memory(void **state)
{
	int rc = CFS_ENOMEM;
	struct seen s;
	long n;

	(void)state;
	for (n = 0; rc != CFS_OK && n < 1000; n++) {
		countdown = n;
		rc = keep();
		countdown = -1;
		assert_true(rc == CFS_OK || rc == CFS_ENOMEM ||
			    rc == CFS_ELIMIT);
	}
	assert_true(n > 5 && n < 1000);
	cfs_buf_init(&s.text, 1 << 20);
	for (size_t i = 0; i < COUNT(table_cases); i++) {
		rc = CFS_ENOMEM;
		for (n = 0; rc != CFS_OK && n < 1000; n++) {
			struct cfs_slice text =
				cfs_slice_str(table_cases[i].text);
			struct cfs_table_user user = { on_row, on_damage, &s };
			struct cfs_table *t;

			cfs_buf_reset(&s.text);
			cfs_buf_reserve(&s.text, 1 << 16);
			countdown = n;
			t = cfs_table_new(table_cases[i].kind, &user);
			rc = t == NULL ? CFS_ENOMEM : cfs_table_feed(t, text);
			if (rc == CFS_OK)
				rc = cfs_table_end(t);
			countdown = -1;
			cfs_table_free(t);
			assert_true(rc == CFS_OK || rc == CFS_ENOMEM);
		}
		assert_slice(cfs_buf_slice(&s.text), table_cases[i].rows);
	}
	cfs_buf_release(&s.text);
}

UNIT_PROGRAM
{
	UNIT_ROWS(table_cases, table_case);
	UNIT_TEST(long_rows);
	UNIT_TEST(quotes_never_closed);
	UNIT_ROWS(look_cases, look_case);
	UNIT_ROWS(lack_cases, lack_case);
	UNIT_TEST(long_items);
	UNIT_ROWS_BY(time_cases, text, time_case);
	UNIT_ROWS(row_cases, row_case);
	UNIT_TEST(long_notes);
	UNIT_ROWS(name_cases, name_case);
	UNIT_TEST(kept);
	UNIT_TEST(no_memory);
	return unit_run("selection");
}
