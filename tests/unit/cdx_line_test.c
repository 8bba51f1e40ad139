/* cdx_line_test.c - lines of CDX, CDXJ and cluster.idx (format/cdx/cdx_line.h), and
 * telling what a file is (format/cdx/cdx_detect.c).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "format/cdx/cdx.h"
#include "format/cdx/cdx_line.h"

#define LEGEND_11 " CDX N b a m s k r M S V g"
#define LEGEND_A "CDX A b e a m s c k r V v D d g M n\r"

struct line {
	const char *name, *legend, *text;
	int rc;
	const char *key, *url, *mime, *archive;
	int64_t time;
	unsigned status;
	uint64_t offset, length;
};

static struct line lines[] = {
	{ "CDXJ", NULL,
	  "com,a)/x 20140127171200 {\"url\": \"http://a.com/x\", \"mime\": "
	  "\"text/html\", \"status\": \"200\", \"length\": \"12\", \"offset\": "
	  "\"345\", \"filename\": \"d/a.warc.gz\"}", CFS_OK, "com,a)/x",
	  "http://a.com/x", "text/html", "d/a.warc.gz", 1390842720, 200, 345, 12 },
	{ "CDXJ, other order, numbers, nested values", NULL,
	  "com,a)/ 2014 {\"x\":{\"offset\":[\"}\",{}]},\"filename\":\"a.arc\","
	  "\"offset\":7 ,\"status\":404, \"length\":null,\"z\":true}  \r",
	  CFS_OK, "com,a)/", "", "", "a.arc", 1388534400, 404, 7, 0 },
	{ "CDXJ, escapes", NULL,
	  "com,a)/ 20140127171200 {\"url\":\"http:\\/\\/a\\u00e9\\ud83d\\ude00"
	  "\\ud800x\\\"\",\"filename\":\"d\\/a.arc\",\"offset\":\"0\"}",
	  CFS_OK, "com,a)/", "http://a\xc3\xa9\xf0\x9f\x98\x80\xef\xbf\xbdx\"",
	  "", "d/a.arc", 1390842720, 0, 0, 0 },
	{ "the last of two counts", NULL,
	  "k)/ 2014 {\"offset\":\"1\",\"filename\":\"a\",\"offset\":\"2\"}",
	  CFS_OK, "k)/", "", "", "a", 1388534400, 0, 2, 0 },
	{ "JSON line of a server", NULL,
	  "{\"urlkey\": \"com,a)/\", \"timestamp\": \"20140127171200\", \"url\": "
	  "\"http://a.com/\", \"mime\": \"unk\", \"status\": \"-\", \"length\": "
	  "\"5\", \"offset\": \"6\", \"filename\": \"a.warc.gz\"}", CFS_OK,
	  "com,a)/", "http://a.com/", "", "a.warc.gz", 1390842720, 0, 6, 5 },
	{ "CDX of 11 columns", LEGEND_11,
	  "com,a)/ 20140127171200 http://a.com/ text/html 200 DIGEST - - 1046 "
	  "334 d.warc.gz", CFS_OK, "com,a)/", "http://a.com/", "text/html",
	  "d.warc.gz", 1390842720, 200, 334, 1046 },
	{ "without a legend", NULL,
	  "com,a)/ 20140127171200 http://a.com/ warc/revisit - DIGEST - - 553 "
	  "1864 d.warc.gz", CFS_OK, "com,a)/", "http://a.com/", "warc/revisit",
	  "d.warc.gz", 1390842720, 0, 1864, 553 },
	{ "9 columns", NULL,
	  "com,a)/ 20140127171200 http://a.com/ text/html 200 DIGEST - 334 "
	  "d.warc.gz", CFS_OK, "com,a)/", "http://a.com/", "text/html",
	  "d.warc.gz", 1390842720, 200, 334, 0 },
	{ "14 columns", NULL,
	  "com,a)/ 20140127171200 http://a.com/ text/html 200 DIGEST - - 1046 "
	  "334 d.warc.gz 1 2 e.warc.gz", CFS_OK, "com,a)/", "http://a.com/",
	  "text/html", "d.warc.gz", 1390842720, 200, 334, 1046 },
	{ "another legend", LEGEND_A,
	  "a.com/B 20010424210551 209.52.183.152 a.com:80/B text/html 200 c1 k1"
	  " - 171 591 192 650 DE.2001 - 5750\r", CFS_OK, "a.com/B", "a.com:80/B",
	  "text/html", "DE.2001", 988146351, 200, 171, 0 },
	{ "wget's legend: no key", " CDX a b a m s k r M V g u",
	  "http://a.com/X 20140127171200 http://a.com/X text/html 200 K - - 251 "
	  "a.warc.gz <urn:uuid:1>", CFS_OK, "http://a.com/X", "http://a.com/X",
	  "text/html", "a.warc.gz", 1390842720, 200, 251, 0 },
	{ "another order", " CDX g V b S a", "a.warc.gz 7 2014 9 http://a.com/",
	  CFS_OK, "http://a.com/", "http://a.com/", "", "a.warc.gz", 1388534400,
	  0, 7, 9 },
	{ "an offset in a plain archive", " CDX N b v g", "com,a)/ 2014 7 a.warc",
	  CFS_OK, "com,a)/", "", "", "a.warc", 1388534400, 0, 7, 0 },
	{ "an offset in inflated bytes", " CDX N b v g",
	  "com,a)/ 2014 7 a.warc.gz", CFS_EFORMAT, NULL, NULL, NULL, NULL, 0, 0,
	  0, 0 },
	{ "a key that is not known", " CDX N b a V g",
	  "- 2014 http://a.com/ 7 a.warc.gz", CFS_EFORMAT, NULL, NULL, NULL,
	  NULL, 0, 0, 0, 0 },
	{ "commas separate", ",CDX,N,b,V,g",
	  "com.a/,20140127171200,9,x.arc.gz", CFS_OK, "com.a/", "", "",
	  "x.arc.gz", 1390842720, 0, 9, 0 },
	{ "a location for a name", NULL,
	  "k)/ 2014 {\"offset\":\"1\",\"filename\":"
	  "\"s3://bucket/crawl-data/a.warc.gz\"}", CFS_OK, "k)/", "", "",
	  "crawl-data/a.warc.gz", 1388534400, 0, 1, 0 },
	{ "an absolute path", NULL,
	  "k)/ 2014 {\"offset\":\"1\",\"filename\":\"/data/w/a.warc.gz\"}",
	  CFS_OK, "k)/", "", "", "a.warc.gz", 1388534400, 0, 1, 0 },
	{ "a file: location", NULL,
	  "k)/ 2014 {\"offset\":\"1\",\"filename\":\"file:///w/a.warc.gz\"}",
	  CFS_OK, "k)/", "", "", "a.warc.gz", 1388534400, 0, 1, 0 },
	{ "empty", NULL, "", CFS_END, NULL, NULL, NULL, NULL, 0, 0, 0, 0 },
	{ "legend", NULL, LEGEND_11, CFS_END, NULL, NULL, NULL, NULL, 0, 0, 0, 0 },
	{ "comment", NULL, "!OpenWayback-CDXJ 1.0", CFS_END, NULL, NULL, NULL,
	  NULL, 0, 0, 0, 0 },
#define BAD(name, text) \
	{ name, NULL, text, CFS_EFORMAT, NULL, NULL, NULL, NULL, 0, 0, 0, 0 }
	BAD("cut off", "com,a)/ 20140127171200 {\"url\": \"http://a.com/x"),
	BAD("a value is missing", "k)/ 2014 {\"offset\":}"),
	BAD("something after the object",
	    "k)/ 2014 {\"offset\":\"1\",\"filename\":\"a\"} x"),
	BAD("no colon", "k)/ 2014 {\"offset\" \"1\",\"filename\":\"a\"}"),
	BAD("brackets open", "k)/ 2014 {\"offset\":[[[[[[\"1\"]]]"),
	BAD("a backslash at the end", "k)/ 2014 {\"offset\":\"1\\"),
	BAD("no offset", "k)/ 2014 {\"filename\":\"a\"}"),
	BAD("no name", "k)/ 2014 {\"offset\":\"1\"}"),
	BAD("name leaves its folder",
	    "k)/ 2014 {\"offset\":\"1\",\"filename\":\"a/../../b\"}"),
	BAD("no time", "k)/ x {\"offset\":\"1\",\"filename\":\"a\"}"),
	BAD("no key", " 2014 {\"offset\":\"1\",\"filename\":\"a\"}"),
	BAD("key is not known", "- 2014 {\"offset\":\"1\",\"filename\":\"a\"}"),
	BAD("offset is negative",
	    "k)/ 2014 {\"offset\":\"-1\",\"filename\":\"a\"}"),
	BAD("offset is huge",
	    "k)/ 2014 {\"offset\":\"9223372036854775808\",\"filename\":\"a\"}"),
	BAD("too few columns", "com,a)/ 20140127171200 http://a.com/"),
	BAD("one word", "word"),
};

static void check_text(struct cfs_json_text t, const char *want)
{
	struct cfs_buf b;

	cfs_buf_init(&b, 1 << 16);
	assert_int_equal(cfs_json_add_text(&b, t), CFS_OK);
	assert_string_equal(cfs_buf_str(&b), want);
	cfs_buf_release(&b);
}

static void line_case(void **state)
{
	const struct line *l = *state;
	struct cfs_cdx_legend legend = { .n = 0 };
	struct cfs_cdx_line got;
	const char *why = NULL;
	size_t n = strlen(l->text);
	uint8_t *exact = malloc(n + 1);

	if (l->legend != NULL)
		assert_int_equal(cfs_cdx_parse_legend(cfs_slice_str(l->legend),
						      &legend), CFS_OK);
	memcpy(exact, l->text, n);
	assert_int_equal(cfs_cdx_parse(cfs_slice_of(exact, n), &legend, &got,
				       &why), l->rc);
	if (l->rc == CFS_OK) {
		check_text(got.key, l->key);
		check_text(got.url, l->url);
		check_text(got.mime, l->mime);
		check_text(got.name, l->archive);
		assert_int_equal(got.time, l->time);
		assert_int_equal(got.status, l->status);
		assert_int_equal(got.offset, l->offset);
		assert_int_equal(got.length, l->length);
	}
	if (l->rc == CFS_EFORMAT)
		assert_non_null(why);
	free(exact);
	for (size_t k = 0; k < n; k++) {	/* every prefix, exactly */
		uint8_t *part = malloc(k + 1);

		exact = realloc(part, k > 0 ? k : 1);
		assert_non_null(exact);
		memcpy(exact, l->text, k);
		cfs_cdx_parse(cfs_slice_of(exact, k), &legend, &got, NULL);
		cfs_cluster_parse(cfs_slice_of(exact, k),
				  &(struct cfs_cluster_line){ .offset = 0 });
		free(exact);
	}
}

static void long_lines(void **state)
{
	struct cfs_cdx_line got;
	size_t n = CFS_CDX_LINE_MAX + 1;
	uint8_t *p = malloc(n);
	const char *why = NULL;

	(void)state;
	memset(p, 'x', n);
	assert_int_equal(cfs_cdx_parse(cfs_slice_of(p, n), NULL, &got, &why),
			 CFS_EFORMAT);
	assert_string_equal(why, "the line is too long");
	memset(p, ' ', n - 1);		/* far too many columns */
	assert_int_equal(cfs_cdx_parse(cfs_slice_of(p, n), NULL, &got, &why),
			 CFS_EFORMAT);
	free(p);
}

static void legends(void **state)
{
	struct cfs_cdx_legend l;
	struct cfs_buf b;

	(void)state;
	assert_true(cfs_cdx_is_legend(CFS_SLICE_LIT(LEGEND_11)));
	assert_true(cfs_cdx_is_legend(CFS_SLICE_LIT("CDX N b a")));
	assert_false(cfs_cdx_is_legend(CFS_SLICE_LIT("CDXN b a")));
	assert_false(cfs_cdx_is_legend(CFS_SLICE_LIT("CDX ")));
	assert_false(cfs_cdx_is_legend(CFS_SLICE_LIT("")));
	cfs_buf_init(&b, 1 << 12);
	cfs_buf_adds(&b, " CDX");
	for (unsigned i = 0; i < CFS_CDX_FIELDS_MAX; i++)
		cfs_buf_adds(&b, " N");
	assert_int_equal(cfs_cdx_parse_legend(cfs_buf_slice(&b), &l), CFS_OK);
	assert_int_equal(l.n, CFS_CDX_FIELDS_MAX);
	cfs_buf_adds(&b, " N");
	assert_int_equal(cfs_cdx_parse_legend(cfs_buf_slice(&b), &l),
			 CFS_EFORMAT);
	cfs_buf_release(&b);
}

static void clusters(void **state)
{
	static const char *const bad[] = {
		"", "k 2014", "k 2014\tcdx\t0", "k 2014\tcdx\t0\tx",
		"k 2014\tcdx\tx\t1", "k 2014\t\t0\t1", "\tcdx\t0\t1",
		"k 2014\tcdx\t0\t0", " 2014\tcdx\t0\t1",
		"k 2014\tcdx\t0\t1\tx", "k 2014\tcdx\t0\t1\t",
		"k 2014\tcdx\t0\t1\t1\t1",
	};
	struct cfs_cluster_line l;

	(void)state;
	assert_int_equal(cfs_cluster_parse(CFS_SLICE_LIT(
		"0,124,148,146)/index.php 20170818065326\tcdx-00000.gz\t0\t"
		"185534\t1\r"), &l), CFS_OK);
	assert_true(cfs_slice_eq(l.key, CFS_SLICE_LIT(
					"0,124,148,146)/index.php")));
	assert_true(cfs_slice_eq(l.shard, CFS_SLICE_LIT("cdx-00000.gz")));
	assert_true(cfs_slice_eq(l.time, CFS_SLICE_LIT("20170818065326")));
	assert_int_equal(l.offset, 0);
	assert_int_equal(l.length, 185534);
	assert_int_equal(cfs_cluster_parse(CFS_SLICE_LIT("k\ts\t7\t8"), &l),
			 CFS_OK);
	assert_int_equal(l.offset, 7);
	assert_int_equal(l.length, 8);
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_equal(cfs_cluster_parse(cfs_slice_str(bad[i]), &l),
				 CFS_EFORMAT);
}

static void looks(void **state)
{
	static const struct { const char *text; enum cfs_index_format look; } t[] = {
		{ "", CFS_INDEX_UNKNOWN },
		{ "hello\nworld\n", CFS_INDEX_UNKNOWN },
		{ "WARC/1.0\r\nWARC-Type: warcinfo\r\n", CFS_INDEX_UNKNOWN },
		{ LEGEND_11 "\n", CFS_INDEX_CDX },
		{ LEGEND_11 "\ncom,a)/ 20140127171200 http://a.com/ text/html"
		  " 200 D - - 1046 334 d.warc.gz\n", CFS_INDEX_CDX },
		{ LEGEND_11 "\na.com/ 20140127171200 http://a.com/ text/html"
		  " 200 D - - 1046 334 d.warc.gz\n", CFS_INDEX_CDX_OTHER },
		{ "com,a)/ 2014 {\"offset\":\"1\",\"filename\":\"a\"}",
		  CFS_INDEX_CDX },
		{ "b)/ 2014 {\"offset\":\"1\",\"filename\":\"a\"}\n"
		  "a)/ 2014 {\"offset\":\"1\",\"filename\":\"a\"}\n",
		  CFS_INDEX_CDX_OTHER },
		{ "com,a)/ 2014\tcdx-00000.gz\t0\t9\t1\n", CFS_INDEX_ZIPNUM },
		{ "com,a)/ 20140127171200\tcdx-00000.gz\t0\t9\n",
		  CFS_INDEX_ZIPNUM },
		/* keys of what has no SURT are "-" */
		{ "- 2014\tz\t0\t9\ncom,a:81)/ 2014\tz\t9\t9\n"
		  "com,c)/ 2014\tz\t18\t9\n", CFS_INDEX_ZIPNUM },
		/* tables of other things */
		{ "http://a.com/\tarc\t20140127171200\t200\n",
		  CFS_INDEX_UNKNOWN },
		{ "com,a)/\tcdx-00000.gz\t0\t9\t1\n", CFS_INDEX_UNKNOWN },
		{ "a.com 2014\tcdx-00000.gz\t0\t9\t1\n", CFS_INDEX_UNKNOWN },
		{ "com,a)/ noon\tcdx-00000.gz\t0\t9\t1\n",
		  CFS_INDEX_UNKNOWN },
		{ "com,a)/ 2014\tcdx-00000.gz\t0x0\t9\t1\n",
		  CFS_INDEX_UNKNOWN },
		{ "com,a)/ 2014\tcdx-00000.gz\t0\t9\tone\n",
		  CFS_INDEX_UNKNOWN },
		{ "\x1f\x8b\x08", CFS_INDEX_UNKNOWN },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(t); i++)
		assert_int_equal(cfs_cdx_detect(cfs_slice_str(t[i].text)),
				 t[i].look);
}

UNIT_PROGRAM
{
	UNIT_ROWS(lines, line_case);
	UNIT_TEST(long_lines);
	UNIT_TEST(legends);
	UNIT_TEST(clusters);
	UNIT_TEST(looks);
	return unit_run("cdx_line");
}
