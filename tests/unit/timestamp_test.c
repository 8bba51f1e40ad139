/* timestamp_test.c - archive times (base/timestamp.h).
 *
 * Expected values come from the C library's timegm and from hand arithmetic.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include <time.h>

#include "base/error.h"
#include "base/timestamp.h"

struct time_case {
	const char *text;
	int rc;
	int64_t value;
};
static struct time_case cdx_cases[] = {
	{ "19700101000000", 0, 0 },
	{ "20120709032253", 0, 1341804173 },
	{ "2012", 0, 1325376000 },
	{ "201207", 0, 1341100800 },
	{ "20120709", 0, 1341792000 },
	{ "2012070903", 0, 1341802800 },
	{ "201207090322", 0, 1341804120 },
	{ "2012070903225312", 0, 1341804173 },		/* 16 digits */
	{ "20120709032253123", 0, 1341804173 },		/* 17 */
	{ "20120709032253 text", 0, 1341804173 },
	{ "20120229000000", 0, 1330473600 },
	{ "20110229000000", CFS_EFORMAT, 0 },
	{ "19000229000000", CFS_EFORMAT, 0 },
	{ "20000229000000", 0, 951782400 },
	{ "20121301000000", CFS_EFORMAT, 0 },
	{ "20120001000000", CFS_EFORMAT, 0 },
	{ "20120100000000", CFS_EFORMAT, 0 },
	{ "20120132000000", CFS_EFORMAT, 0 },
	{ "20120101240000", 0, 1325462400 },
	{ "20120101240001", CFS_EFORMAT, 0 },
	{ "20120101250000", CFS_EFORMAT, 0 },
	{ "20120101006000", CFS_EFORMAT, 0 },
	{ "20120101000061", CFS_EFORMAT, 0 },
	{ "20120630235960", 0, 1341100800 },		/* a leap second */
	{ "00000101000000", 0, -62167219200 },
	{ "99991231235959", 0, 253402300799 },
	{ "201", CFS_EFORMAT, 0 },
	{ "20120", CFS_EFORMAT, 0 },
	{ "2012070903225", CFS_EFORMAT, 0 },
	{ "", CFS_EFORMAT, 0 },
	{ "x2012", CFS_EFORMAT, 0 },
};
static struct time_case iso_cases[] = {
	{ "2012-07-09T03:22:53Z", 0, 1341804173 },
	{ "2012-07-09T03:22:53.123456789Z", 0, 1341804173 },
	{ " 2012-07-09T03:22:53Z\r\n", 0, 1341804173 },
	{ "2012-07-09t03:22:53z", 0, 1341804173 },
	{ "2012-07-09T03:22:53", 0, 1341804173 },
	{ "2012-07-09T03:22Z", 0, 1341804120 },
	{ "2012-07-09", 0, 1341792000 },
	{ "2012-07", 0, 1341100800 },
	{ "2012", 0, 1325376000 },
	{ "2012-7-09", CFS_EFORMAT, 0 },
	{ "2012-07-09T03:22:53+01:00", 0, 1341800573 },
	{ "1341804173", CFS_EFORMAT, 0 },
	{ "2012-13-09", CFS_EFORMAT, 0 },
	{ "2012-", CFS_EFORMAT, 0 },
	{ "2012/07/09", CFS_EFORMAT, 0 },
	{ "", CFS_EFORMAT, 0 },
	{ "Mon, 09 Jul 2012", CFS_EFORMAT, 0 },
};

/* Times as archives spell them; the values are those of Python's datetime. */
#define NONE INT64_MIN

/* Holds T12. */
struct read_case {
	const char *text;
	int64_t value;
	int ms;
	bool is_whole;
};
static struct read_case read_cases[] = {
	{ "2024-05-06T07:08:09Z", 1714979289, 0, true },
	{ "2024-05-06T07:08:09+02:00", 1714972089, 0, true },
	{ "2024-05-06T07:08:09-0700", 1715004489, 0, true },
	{ "2024-05-06T07:08:09+05", 1714961289, 0, true },
	{ "2024-05-06T07:08:09+05:45", 1714958589, 0, true },
	{ "2024-05-06 07:08:09 +0200", 1714972089, 0, true },
	{ "2024-05-06T07:08:09-00:00", 1714979289, 0, true },
	{ "2024-01-01T00:30:00+01:00", 1704065400, 0, true },
	{ "2024-12-31T23:30:00-01:00", 1735691400, 0, true },
	{ "2024-05-06T07:08:09+24:00", 1714979289, 0, false },
	{ "2024-05-06T07:08:09+0", 1714979289, 0, false },
	{ "2024-05-06T07:08:09+02:00[Europe/Paris]", 1714972089, 0, false },
	{ "2024-05-06T07:08:09.25+02:00", 1714972089, 250, true },
	{ "2024-05-06T07:08:09,123456789Z", 1714979289, 123, true },
	{ "2024-05-06T07:08:09.Z", 1714979289, 0, true },
	{ "2024-05-06t07:08:09z", 1714979289, 0, true },
	{ "2024-05-06  07:08:09", 1714979289, 0, true },
	{ "2024-05-06T07:08:09 UTC", 1714979289, 0, true },
	{ "2024-05-06T07:08:09 Mars", 1714979289, 0, false },
	{ "2024-05-06T070809Z", 1714979289, 0, true },
	{ "20240506T070809Z", 1714979289, 0, true },
	{ "20240506T0708+0200", 1714972080, 0, true },
	{ "20240506070809Z", 1714979289, 0, true },
	{ "20240506070809123", 1714979289, 0, true },
	{ "20240506 070809", 1714979289, 0, true },
	{ "2024-127T07:08:09Z", 1714979289, 0, true },
	{ "2024127T070809Z", 1714979289, 0, true },
	{ "2024-001", 1704067200, 0, true },
	{ "2024-366", 1735603200, 0, true },
	{ "2023-366", NONE, 0, false },
	{ "2024-000", NONE, 0, false },
	{ "2008-10-294T05:21:46-0700", 1224505306, 0, true },
	{ "2008-10-365T05:21:46-0700", 1222819200, 0, false },
	{ "2024-05-06T24:00:00Z", 1715040000, 0, true },
	{ "2024-12-31T24:00:00", 1735689600, 0, true },
	{ "2024-05-06T24:00:00+02:00", 1715032800, 0, true },
	{ "2024-05-06T24:00", 1715040000, 0, true },
	{ "2024-05-06T24:00:01Z", 1714953600, 0, false },
	{ "2024-05-06T24:30Z", 1714953600, 0, false },
	{ "2024-02-30T00:00:00Z", 1706745600, 0, false },
	{ "2023-02-29T10:00:00Z", 1675209600, 0, false },
	{ "2024-02-29", 1709164800, 0, true },
	{ "2024-05-06T25:08:09Z", 1714953600, 0, false },
	{ "2024-05-06T07:60:09Z", 1714978800, 0, false },
	{ "2024-05-06T07:08:61Z", 1714979280, 0, false },
	{ "2024-05-06T07:08:61+02:00", 1714972080, 0, false },
	{ "2024-05-06T", 1714953600, 0, false },
	{ "2024-05-06Tnoon", 1714953600, 0, false },
	{ "2024-05-06Z", 1714953600, 0, true },
	{ "2024-05-06+02:00", 1714953600, 0, false },
	{ "2024-5-6T7:8:9Z", 1714979289, 0, false },
	{ "2024/05/06 07:08:09", 1714979289, 0, false },
	{ "2024-13-45T99:99:99Z", NONE, 0, false },
	{ "2024-13", NONE, 0, false },
	{ "2024-05", 1714521600, 0, true },
	{ "2024", 1704067200, 0, true },
	{ "2024-05-", 1714521600, 0, false },
	{ "2024-", NONE, 0, false },
	{ "2024x", NONE, 0, false },
	{ "20241", NONE, 0, false },
	{ "0000-00-00T00:00:00Z", NONE, 0, false },
	{ "24-05-06T07:08:09Z", NONE, 0, false },
	{ "", NONE, 0, false },
	{ "  ", NONE, 0, false },
	{ "-", NONE, 0, false },
	{ "yesterday", NONE, 0, false },
	{ "12/05/2024", NONE, 0, false },
	{ "1715000000", 1715000000, 0, true },
	{ "1715000000.5", 1715000000, 0, true },
	{ "1715000000123", 1715000000, 123, true },
	{ "1715000000x", NONE, 0, false },
	{ "171500000", NONE, 0, false },
	{ "1996070903", 836881200, 0, true },
	{ "Mon, 06 May 2024 07:08:09 GMT", 1714979289, 0, true },
	{ "Monday, 06-May-24 07:08:09 GMT", 1714979289, 0, true },
	{ "Mon May  6 07:08:09 2024", 1714979289, 0, true },
	{ "Mon May 06 07:08:09 UTC 2024", 1714979289, 0, true },
	{ "6 May 2024 07:08:09 +0200", 1714972089, 0, true },
	{ "Mon, 32 May 2024 07:08:09 GMT", 1714521600, 0, false },
	{ "Mon, 06 Mai. 2024", NONE, 0, false },
	{ "Mon May  6", NONE, 0, false },
	{ "99999999999999999999", NONE, 0, false },
};

static void cdx_case(void **state)
{
	const struct time_case *tc = *state;
	int64_t t = 0;

	assert_int_equal(cfs_time_parse_14(cfs_slice_str(tc->text), &t), tc->rc);
	assert_int_equal(t, tc->value);
}

static void iso_case(void **state)
{
	const struct time_case *tc = *state;
	int64_t t = 0;

	assert_int_equal(cfs_time_parse_iso(cfs_slice_str(tc->text), &t), tc->rc);
	assert_int_equal(t, tc->value);
}

static void read_case(void **state)
{
	const struct read_case *tc = *state;
	struct cfs_slice s = exact_copy(tc->text, strlen(tc->text));
	struct cfs_time_reading r;
	int rc = cfs_time_read(s, &r);

	assert_int_equal(rc, tc->value == NONE ? CFS_EFORMAT : CFS_OK);
	if (rc == CFS_OK) {
		assert_int_equal(r.time, tc->value);
		assert_int_equal(r.ms, tc->ms);
		assert_int_equal(r.is_whole, tc->is_whole);
	}
	for (size_t n = 0; n < s.n; n++) {
		struct cfs_slice cut = exact_copy(s.p, n);

		cfs_time_read(cut, &r);
		exact_free(cut);
	}
	exact_free(s);
}

/* Every day of four hundred years and more, against the C library. */
static void against_library(void **state)
{
	char text[CFS_TIME_14_BYTES], iso[CFS_TIME_ISO_BYTES], want[32];

	(void)state;
	for (int64_t day = -200 * 366; day < 400 * 366; day++) {
		time_t t = (time_t)(day * 86400 + (day * 7919 % 86400 + 86400) % 86400);
		struct tm tm;
		int64_t back;

		gmtime_r(&t, &tm);
		strftime(want, sizeof(want), "%Y%m%d%H%M%S", &tm);
		cfs_time_format_14(t, text);
		assert_string_equal(text, want);
		strftime(want, sizeof(want), "%Y-%m-%dT%H:%M:%SZ", &tm);
		assert_string_equal(cfs_time_format_iso(t, iso), want);
		assert_int_equal(cfs_time_parse_14(cfs_slice_str(text), &back), 0);
		assert_int_equal(back, t);
		assert_int_equal(cfs_time_from_utc(tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday,
						   tm.tm_hour, tm.tm_min, tm.tm_sec), t);
	}
}

static void clamped(void **state)
{
	char text[CFS_TIME_14_BYTES];

	(void)state;
	cfs_time_format_14(INT64_MIN, text);
	assert_string_equal(text, "00000101000000");
	cfs_time_format_14(INT64_MAX, text);
	assert_string_equal(text, "99991231235959");
}

static int64_t at(const char *text)
{
	int64_t t = 0;

	assert_int_equal(cfs_time_parse_14(cfs_slice_str(text), &t), 0);
	return t;
}

struct span_case {
	const char *text, *first, *last;
};
static struct span_case span_cases[] = {
	{ "2012", "20120101000000", "20121231235959" },
	{ "20241", "20241001000000", "20241231235959" },
	{ "201202", "20120201000000", "20120229235959" },
	{ "201112", "20111201000000", "20111231235959" },
	{ "2012022", "20120220000000", "20120229235959" },
	{ "2012-02-20", "20120220000000", "20120220235959" },
	{ "2012022009", "20120220090000", "20120220095959" },
	{ "2012-02-20T09:30", "20120220093000", "20120220093059" },
	{ "20120220093015", "20120220093015", "20120220093015" },
};

static void span_case(void **state)
{
	const struct span_case *tc = *state;
	struct cfs_slice s = cfs_slice_str(tc->text);
	int64_t first = 0, last = 0;

	assert_int_equal(cfs_time_parse_span(s, &first, &last), CFS_OK);
	assert_int_equal(first, at(tc->first));
	assert_int_equal(last, at(tc->last));
}

static void pacific(void **state)
{
	(void)state;
	assert_int_equal(cfs_time_pacific_to_utc(at("20090115120000")), at("20090115200000"));
	assert_int_equal(cfs_time_pacific_to_utc(at("20090715120000")), at("20090715190000"));
	/* 2009: 8 March and 1 November, at 2 o'clock */
	assert_int_equal(cfs_time_pacific_to_utc(at("20090308015959")), at("20090308095959"));
	assert_int_equal(cfs_time_pacific_to_utc(at("20090308030000")), at("20090308100000"));
	assert_int_equal(cfs_time_pacific_to_utc(at("20091101005959")), at("20091101075959"));
	assert_int_equal(cfs_time_pacific_to_utc(at("20091101020000")), at("20091101100000"));
	/* 2010: 14 March and 7 November; 2008: 9 March and 2 November */
	assert_int_equal(cfs_time_pacific_to_utc(at("20100314000000")), at("20100314080000"));
	assert_int_equal(cfs_time_pacific_to_utc(at("20100315000000")), at("20100315070000"));
	assert_int_equal(cfs_time_pacific_to_utc(at("20101107030000")), at("20101107110000"));
	assert_int_equal(cfs_time_pacific_to_utc(at("20080309030000")), at("20080309100000"));
	assert_int_equal(cfs_time_pacific_to_utc(at("20081102030000")), at("20081102110000"));
}

UNIT_PROGRAM
{
	UNIT_ROWS_BY(cdx_cases, text, cdx_case);
	UNIT_ROWS_BY(iso_cases, text, iso_case);
	UNIT_ROWS_BY(read_cases, text, read_case);
	UNIT_TEST(against_library);
	UNIT_TEST(clamped);
	UNIT_ROWS_BY(span_cases, text, span_case);
	UNIT_TEST(pacific);
	return unit_run("timestamp");
}
