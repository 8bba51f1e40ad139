/* names_test.c - the table of doc/tree.md, "Names in the tree", row by row,
 * and round trips.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "crawl/names.h"

struct escape_case {
	const char *name;
	enum cfs_zone zone;
	const char *comp, *expect;
};

#define X8 "xxxxxxxx"
#define X180 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 "xxxx"
#define X40 X8 X8 X8 X8 X8

static struct escape_case escape_cases[] = {
	{ "plain segment", CFS_ZONE_PATH, "manual.html", "manual.html" },
	{ "empty segment", CFS_ZONE_PATH, "", "_index" },
	{ "real _index", CFS_ZONE_PATH, "_index", "__index" },
	{ "real __index", CFS_ZONE_PATH, "__index", "___index" },
	{ "_index with more", CFS_ZONE_PATH, "_index.html", "_index.html" },
	{ "underscore segment", CFS_ZONE_PATH, "_a", "_a" },
	{ "hash", CFS_ZONE_PATH, "a#b", "a##b" },
	{ "two hashes", CFS_ZONE_PATH, "##", "####" },
	{ "query", CFS_ZONE_PATH, "a?b=c&d", "a?b=c&d" },
	{ "control bytes", CFS_ZONE_PATH, "\x01\xff", "\x01\xff" },
	{ "plain label", CFS_ZONE_HOST, "gnu", "gnu" },
	{ "empty label", CFS_ZONE_HOST, "", "#" },
	{ "underscore label", CFS_ZONE_HOST, "_dmarc", "__dmarc" },
	{ "lone underscore", CFS_ZONE_HOST, "_", "__" },
	{ "two underscores", CFS_ZONE_HOST, "__", "___" },
	{ "label _index", CFS_ZONE_HOST, "_index", "__index" },
	{ "hash label", CFS_ZONE_HOST, "a#", "a##" },
	{ "220 bytes", CFS_ZONE_PATH, X180 X40, X180 X40 },
	/* XXH64 values by the reference command-line program (xxhsum -H1) */
	/* Holds N7. */
	{ "221 bytes", CFS_ZONE_PATH, X180 X40 "x", X180 "#x" "98e4dcc4ffb59d4d" },
};

/* With names=escaped.  Holds N43. */
static struct escape_case utf8_cases[] = {
	{ "UTF-8", CFS_ZONE_PATH, "\xc3\xa9", "\xc3\xa9" },
	{ "Latin-1", CFS_ZONE_PATH, "caf\xe9", "caf#%E9" },
	{ "what looks the same", CFS_ZONE_PATH, "caf%E9", "caf%E9" },
	{ "what looks the same with a hash", CFS_ZONE_PATH, "#%E9", "##%E9" },
	{ "half of a sequence", CFS_ZONE_PATH, "\xe4\xb8", "#%E4#%B8" },
	{ "a surrogate", CFS_ZONE_PATH, "\xed\xa0\x80", "#%ED#%A0#%80" },
	{ "a label", CFS_ZONE_HOST, "_\xff", "__#%FF" },
	{ "at the start", CFS_ZONE_HOST, "\xff.", "#%FF." },
	{ "cut before a byte", CFS_ZONE_PATH,
	  X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 "xxx"
	  "\xff" X40 "x",
	  X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8 "xxx"
	  "#x" "1a7f91555f2f8cfb" },
};

static void escape_case(void **state)
{
	const struct escape_case *tc = *state;
	struct cfs_slice comp = cfs_slice_str(tc->comp);
	struct cfs_name back;
	char got[CFS_NAME_MAX];
	size_t n = cfs_name_escape(comp, tc->zone, got);

	assert_int_equal(n, strlen(tc->expect));
	assert_memory_equal(got, tc->expect, n);
	assert_true(cfs_name_parse(cfs_slice_of(got, n), tc->zone, &back));
	assert_true(cfs_name_is_of(&back, comp, tc->zone));
	assert_false(back.is_full);
	assert_int_equal(back.suffix.n, 0);
}

static void utf8_case(void **state)
{
	cfs_names_escape_bytes(true);
	escape_case(state);
	cfs_names_escape_bytes(false);
}

/* Names that no component has with names=escaped. */
static void utf8_refused(void **state)
{
	static const char *const names[] = {
		"caf\xe9", "a#%e9", "a#%41", "a#%C3#%A9", "a#%E", "a#%", "a#%E9#",
	};
	struct cfs_name name;

	(void)state;
	cfs_names_escape_bytes(true);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_equal(cfs_name_parse(cfs_slice_str(names[i]),
						CFS_ZONE_PATH, &name), i == 6);
	assert_true(name.is_full);
	cfs_names_escape_bytes(false);
	assert_false(cfs_name_parse(CFS_SLICE_LIT("caf#%E9"), CFS_ZONE_PATH,
				    &name));
}

struct parse_case {
	const char *title;
	enum cfs_zone zone;
	const char *name;
	bool ok;
	const char *comp;
	bool is_full;
	uint64_t capture;
	const char *suffix;
};

static struct parse_case parse_cases[] = {
	{ "full form", CFS_ZONE_PATH, "a#", true, "a", true, 0, "" },
	{ "capture", CFS_ZONE_PATH, "a#12", true, "a", true, 12, "" },
	{ "capture and view", CFS_ZONE_PATH, "a#1.txt", true, "a", true, 1, ".txt" },
	{ "full form and view", CFS_ZONE_PATH, "a#.warc.gz", true, "a", true, 0, ".warc.gz" },
	{ "of a hash", CFS_ZONE_PATH, "a###", true, "a#", true, 0, "" },
	{ "of the empty segment", CFS_ZONE_PATH, "_index#2", true, "", true, 2, "" },
	{ "of a real _index", CFS_ZONE_PATH, "__index#", true, "_index", true, 0, "" },
	{ "suffix stays in a plain name", CFS_ZONE_PATH, "a.txt", true, "a.txt", false, 0, "" },
	{ "capture 0", CFS_ZONE_PATH, "a#0", false, "", false, 0, "" },
	{ "leading zero", CFS_ZONE_PATH, "a#01", false, "", false, 0, "" },
	{ "capture beyond 64 bits", CFS_ZONE_PATH, "a#99999999999999999999", false, "", false, 0, "" },
	{ "no date", CFS_ZONE_PATH, "a#@", false, "", false, 0, "" },
	{ "three digits", CFS_ZONE_PATH, "a#@201", false, "", false, 0, "" },
	{ "fifteen digits", CFS_ZONE_PATH, "a#@201206302359590", false, "", false, 0, "" },
	{ "month 13", CFS_ZONE_PATH, "a#@201213", false, "", false, 0, "" },
	/* Holds T6. */
	{ "date with text behind", CFS_ZONE_PATH, "a#@2012x", false, "", false, 0, "" },
	{ "digits wanting beside separators", CFS_ZONE_PATH, "a#@2012-6", false, "", false, 0, "" },
	{ "month 13 as ISO has it", CFS_ZONE_PATH, "a#@2012-13", false, "", false, 0, "" },
	{ "separators in a number", CFS_ZONE_PATH, "a#1-2", false, "", false, 0, "" },
	{ "date and number", CFS_ZONE_PATH, "a#1@2012", false, "", false, 0, "" },
	{ "date in a host", CFS_ZONE_HOST, "a#@2012", false, "", false, 0, "" },
	{ "letters behind the marker", CFS_ZONE_PATH, "a#b", false, "", false, 0, "" },
	{ "nothing before the marker", CFS_ZONE_PATH, "#", false, "", false, 0, "" },
	{ "dot", CFS_ZONE_PATH, ".", false, "", false, 0, "" },
	{ "dot dot", CFS_ZONE_PATH, "..", false, "", false, 0, "" },
	{ "three dots", CFS_ZONE_PATH, "...", true, "...", false, 0, "" },
	{ "full form in a host", CFS_ZONE_HOST, "a#", false, "", false, 0, "" },
	{ "one underscore in a host", CFS_ZONE_HOST, "_a", false, "", false, 0, "" },
	{ "the marker is no label", CFS_ZONE_HOST, "_", false, "", false, 0, "" },
	{ "hash of a short name", CFS_ZONE_PATH, "a#x0123456789abcdef", true, "a", false, 0, "" },
	{ "upper-case hash", CFS_ZONE_PATH, "a#x0123456789ABCDEF", false, "", false, 0, "" },
	{ "221 bytes written out", CFS_ZONE_PATH, X180 X40 "x", false, "", false, 0, "" },
};

static void parse_case(void **state)
{
	const struct parse_case *tc = *state;
	struct cfs_name got;
	bool ok = cfs_name_parse(cfs_slice_str(tc->name), tc->zone, &got);

	assert_int_equal(ok, tc->ok);
	if (!ok)
		return;
	assert_int_equal(got.comp_n, strlen(tc->comp));
	assert_memory_equal(got.comp, tc->comp, got.comp_n);
	assert_int_equal(got.is_full, tc->is_full);
	assert_int_equal(got.capture, tc->capture);
	assert_false(got.is_dated);
	assert_int_equal(got.suffix.n, strlen(tc->suffix));
	assert_memory_equal(got.suffix.p, tc->suffix, got.suffix.n);
}

struct date_case {
	const char *title, *name, *comp, *suffix;
	int64_t date;
};
static struct date_case date_cases[] = {
	{ "year", "a#@2012", "a", "", 1325376000 },
	/* Holds T6. */
	{ "second and view", "a#@20120630235959.warc.gz", "a", ".warc.gz", 1341100799 },
	{ "date of the empty segment", "_index#@201206.txt", "", ".txt", 1338508800 },
	{ "date of a hash", "a###@2012", "a#", "", 1325376000 },
	{ "date of a cut name", "a#x0123456789abcdef#@2012", "a", "", 1325376000 },
	{ "five digits", "a#@20121", "a", "", 1349049600 },
	/* Holds T6. */
	{ "month as ISO has it", "a#@2012-06", "a", "", 1338508800 },
	{ "day as ISO has it", "a#@2012-06-30.txt", "a", ".txt", 1341014400 },
	{ "second as ISO has it", "a#@2012-06-30T23:59:59Z", "a", "", 1341100799 },
	{ "as people write it", "a#@2012-06-30 23:59.txt", "a", ".txt", 1341100740 },
};

static void date_case(void **state)
{
	const struct date_case *tc = *state;
	struct cfs_name got;

	assert_true(cfs_name_parse(cfs_slice_str(tc->name), CFS_ZONE_PATH, &got));
	assert_true(cfs_slice_eq(cfs_slice_of(got.comp, got.comp_n), cfs_slice_str(tc->comp)));
	assert_true(cfs_slice_eq(got.suffix, cfs_slice_str(tc->suffix)));
	assert_true(got.is_full && got.is_dated);
	assert_int_equal(got.capture, 0);
	assert_int_equal(got.date, tc->date);
}

/* A cut never splits `##` nor, where there is one, a UTF-8 sequence. */
/* Holds N7. */
static void cut_keeps_units_whole(void **state)
{
	char comp[400], got[CFS_NAME_MAX];
	size_t n;

	(void)state;
	memset(comp, 'x', sizeof(comp));
	memset(comp + 179, '#', 5);
	n = cfs_name_escape(cfs_slice_of(comp, 300), CFS_ZONE_PATH, got);
	assert_int_equal(n, 179 + 18);	/* 180 would be inside a pair */
	memset(comp, 'x', sizeof(comp));
	memcpy(comp + 178, "\xe4\xb8\xad", 3);
	n = cfs_name_escape(cfs_slice_of(comp, 300), CFS_ZONE_PATH, got);
	assert_int_equal(n, 178 + 18);
	memset(comp, '\x80', sizeof(comp));	/* no UTF-8 at all */
	n = cfs_name_escape(cfs_slice_of(comp, 300), CFS_ZONE_PATH, got);
	assert_int_equal(n, 180 + 18);
}

/* Random components survive, and no two have one name. */
/* Holds N7. */
static void round_trips(void **state)
{
	static const char alphabet[] = "#_ix.n1%E8\x80\xc3";
	uint32_t x = 1;

	(void)state;
	for (unsigned turn = 0; turn < 20000; turn++) {
		enum cfs_zone zone = turn % 2 ? CFS_ZONE_HOST : CFS_ZONE_PATH;
		char comp[8], got[CFS_NAME_MAX];
		struct cfs_name back;
		size_t n, k;

		cfs_names_escape_bytes(turn >= 10000);
		x = x * 1664525 + 1013904223;
		n = (x >> 28) % 7;
		for (size_t i = 0; i < n; i++) {
			x = x * 1664525 + 1013904223;
			comp[i] = alphabet[(x >> 24) % (sizeof(alphabet) - 1)];
		}
		if ((n == 1 && comp[0] == '.') ||
		    (n == 2 && comp[0] == '.' && comp[1] == '.'))
			continue;	/* no component of any key */
		k = cfs_name_escape(cfs_slice_of(comp, n), zone, got);
		assert_true(cfs_name_parse(cfs_slice_of(got, k), zone, &back));
		assert_false(back.is_full || back.is_cut);
		assert_int_equal(back.comp_n, n);
		assert_memory_equal(back.comp, comp, n);
	}
	cfs_names_escape_bytes(false);
}

static void clashes(void **state)
{
	uint8_t out[CFS_NAME_CLASH_MAX];
	size_t n;

	(void)state;
	assert_true(cfs_name_clash(CFS_SLICE_LIT("a#"), CFS_SLICE_LIT(".txt"), out, &n));
	assert_int_equal(n, 6);
	assert_memory_equal(out, "a#.txt", 6);
	assert_true(cfs_name_clash(CFS_SLICE_EMPTY, CFS_SLICE_LIT(".txt"), out, &n));
	assert_memory_equal(out, "_index.txt", n);
	assert_true(cfs_name_clash(CFS_SLICE_LIT("_index"), CFS_SLICE_LIT(".txt"), out, &n));
	assert_memory_equal(out, "__index.txt", n);
	assert_false(cfs_name_clash(CFS_SLICE_LIT(X180 X40), CFS_SLICE_LIT(".txt"), out, &n));
}

UNIT_PROGRAM
{
	UNIT_ROWS(escape_cases, escape_case);
	UNIT_ROWS(utf8_cases, utf8_case);
	UNIT_TEST(utf8_refused);
	UNIT_ROWS_BY(parse_cases, title, parse_case);
	UNIT_ROWS_BY(date_cases, title, date_case);
	UNIT_TEST(cut_keeps_units_whole);
	UNIT_TEST(round_trips);
	UNIT_TEST(clashes);
	return unit_run("names");
}
