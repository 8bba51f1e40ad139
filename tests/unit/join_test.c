/* join_test.c - whose text and metadata are whose, in the words of join.h.
 *
 * A row's items are all of one key, in words:
 *     P URL PART OFF [ID]     a page in the ARC file of a partition
 *     C URL PART OFF ID       a WET record made from record ID
 *     T URL PART OFF [ID]     a text
 *     M URL PART OFF =PART:OFF | ID | -
 *     Q D G V W URL ARCHIVE OFF OWN,CONCURRENT,TIME
 *                             a request, its metadata, page info, a view, a
 *                             text of a browser; w: a second such text
 *     R URL ARCHIVE OFF OWN,CONCURRENT,TIME   a page, for those
 * and the result, a word an item: a page "p" with what it was given, by the
 * offset of that (t7, m9); "." what is gone.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "join/join.h"

#define ITEMS_MAX 32

/* Archives 0-7 are ARC files of partitions 0-7 in folder 1, 8 and 9 of 4 in the
 * folders and segments 800 and 900; 10-19 text files of partitions 0-9 in folder
 * 1; 20-29 in another folder; 30 is named by no rule. */
#define DATE 1346850578000u
static struct cfs_builder_origin origins[31];

struct join_case {
	const char *name, *in, *out;
};
static struct join_case join_cases[] = {
	{ "nothing to join", "P u 1 5; P u 1 9", "p p" },
	{ "one text, one page", "T u 11 7; P u 1 5", ". pt7" },
	{ "another URL of the key", "T v 11 7; P u 1 5", "pt7 p" },
	{ "another partition", "T u 12 7; P u 1 5", "pt7 p" },
	{ "to its own partition", "T u 12 7; P u 1 5; P u 2 6", ". p pt7" },
	{ "two of each, in order", "T u 11 7; T u 11 8; P u 1 5; P u 1 6",
	  ". . pt7 pt8" },
	{ "more pages than texts", "T u 11 7; P u 1 5; P u 1 6", ". p p" },
	{ "more texts than pages", "T u 11 7; T u 11 8; P u 1 5", ". . p" },
	{ "another folder, the same partition", "T u 21 7; P u 1 5; P u 2 6",
	  ". pt7 p" },
	{ "two in another folder", "T u 21 7; T u 22 8; P u 1 5; P u 2 6",
	  ". . pt7 pt8" },
	{ "a name that tells nothing", "T u 30 7; P u 1 5", ". pt7" },
	{ "the same with two pages", "T u 30 7; P u 1 5; P u 2 6", ". p p" },
	{ "two such texts", "T u 30 7; T u 30 8; P u 1 5", ". . p" },
	{ "a page whose name tells nothing", "T u 11 7; P u 30 5", ". pt7" },
	{ "by id", "M u 11 7 a; P u 1 5 b; P u 1 6 a", ". p pm7" },
	{ "the id decides, not the URL", "T u 11 7 a; P u 1 5 b; P v 1 6 a",
	  ". p pt7" },
	{ "an id that is not here", "T u 11 7 x; P u 1 5 b", "pt7 p" },
	{ "WET and WAT", "M u 11 7 a; P u 1 5 a; C u 1 6 a", ". pm7t6 ." },
	{ "WET alone", "C u 1 6 a", "p" },
	{ "WET and WAT without the page", "M u 11 7 a; C u 1 6 a", ". pm7" },
	{ "two WET of one record", "P u 1 5 a; C u 1 6 a; C u 1 7 a",
	  "pt6 . ." },
	{ "two WAT of one record", "M u 11 7 a; M u 11 8 a; P u 1 5 a",
	  ". . pm7" },
	{ "by date and partition", "M u 11 7 =1:6; P u 1 5; P u 1 6; P u 2 6",
	  ". p pm7 p" },
	{ "a date and partition that are not here", "M u 11 7 =5:6; P u 1 6",
	  "pm7 p" },
	{ "of copies, the one in its folder",
	  "M u 14 7 =4:6/800; P u 4 6; P u 8 6; P u 9 6", ". pm7 p p" },
	{ "else the one in its segment",
	  "M u 24 7 =4:6/900; P u 4 6; P u 8 6; P u 9 6", ". p p pm7" },
	{ "else the first", "M u 24 7 =4:6/7; P u 4 6; P u 8 6; P u 9 6",
	  ". pm7 p p" },
	{ "two for a copy each",
	  "M u 24 7 =4:6/800; M u 24 8 =4:6/900; P u 8 6; P u 9 6",
	  ". . pm7 pm8" },
	{ "two for one page", "M u 14 7 =4:6; M u 14 8 =4:6; P u 4 6",
	  ". . pm7" },
	{ "text and metadata of 2012",
	  "T u 11 7; M u 11 8 =1:5; P u 1 5", ". . pt7m8" },
	{ "text and metadata without the page", "T u 11 7; M u 11 8 =1:5",
	  ". pt7m8" },
	{ "the same without a place", "T u 11 7; M u 11 8 -", ". pt7m8" },
	{ "two texts, one metadata", "T u 11 7; T u 11 9; M u 11 8 -",
	  "pt7 pt9 pm8" },
	{ "of two URLs", "T u 11 7; M v 11 8 -", "pt7 pm8" },
	{ "the response names its request",
	  "Q u 1 4 a,-,9; R u 1 5 b,a,9", ". pq4" },
	{ "request and metadata name the response",
	  "Q u 1 6 a,b,9; D u 1 7 x,b,9; R u 1 5 b,-,9", ". . pq6d7" },
	{ "metadata names the request, too",
	  "Q u 1 4 a,-,9; D u 1 6 x,a,9; R u 1 5 b,a,9", ". . pq4d6" },
	{ "the name decides, not the place",
	  "Q u 1 4 a,-,9; R u 1 5 b,-,9; R u 1 50 x,a,9", ". p pq4" },
	{ "without names, by the place",
	  "Q u 1 4 -,-,9; Q u 1 8 -,-,9; R u 1 5 -,-,9; R u 1 9 -,-,9",
	  ". . pq4 pq8" },
	{ "another second", "Q u 1 4 -,-,8; R u 1 5 -,-,9", ". p" },
	{ "another archive", "Q u 2 4 -,-,9; R u 1 5 -,-,9", ". p" },
	{ "another URL of the key, without names",
	  "Q v 1 4 -,-,9; R u 1 5 -,-,9", ". p" },
	{ "two copies of both in one archive",
	  "Q u 1 6 a,b,9; Q u 1 16 a,b,9; R u 1 5 b,-,9; R u 1 15 b,-,9",
	  ". . pq6 pq16" },
	{ "two copies in two archives",
	  "Q u 2 6 a,b,9; Q u 1 16 a,b,9; R u 1 5 b,-,9; R u 2 15 b,-,9",
	  ". . pq16 pq6" },
	{ "the name decides across archives",
	  "Q u 2 6 a,b,9; R u 1 5 b,-,8", ". pq6" },
	{ "two requests of one response",
	  "Q u 1 4 -,b,9; Q u 1 6 -,b,9; R u 1 5 b,-,9", ". . pq4" },
	{ "a request alone is no page", "Q u 1 4 a,-,9", "." },
	{ "a view from another archive, later",
	  "V u 3 4 -,-,12; R u 1 5 -,-,9", ". pv4" },
	{ "each to the nearest", "V u 3 1 -,-,12; V u 3 2 -,-,102; "
	  "R u 1 5 -,-,9; R u 1 6 -,-,100", ". . pv1 pv2" },
	{ "the nearer one of two", "V u 3 1 -,-,40; V u 3 2 -,-,12; "
	  "R u 1 5 -,-,9", ". . pv2" },
	{ "the first of two as near", "V u 3 1 -,-,12; V u 3 2 -,-,12; "
	  "R u 1 5 -,-,9", ". . pv1" },
	{ "its URL before the time", "V v 3 1 -,-,9; R u 1 5 -,-,9; "
	  "R v 1 6 -,-,99", ". p pv1" },
	{ "the key where the URL is not there",
	  "V v 3 1 -,-,9; R u 1 5 -,-,9", ". pv1" },
	{ "a browser's text is the text", "W u 3 1 -,-,9; R u 1 5 -,-,9",
	  ". pt1" },
	{ "the first text, though the second is nearer",
	  "w u 3 1 -,-,9; W u 3 2 -,-,20; R u 1 5 -,-,9", ". . pt2" },
	{ "a second text alone", "w u 3 1 -,-,9; R u 1 5 -,-,9", ". pt1" },
	{ "a WET record before a browser's text",
	  "W u 3 1 -,-,9; P u 1 5 a; C u 2 6 a", ". pt6 ." },
	{ "all of a page without a capture",
	  "G u 3 1 -,-,9; V u 3 2 -,-,9; W u 3 3 -,-,9; Q u 3 4 -,-,9",
	  "pt3g1v2 . . ." },
	{ "the pages of two URLs", "G u 3 1 -,-,9; V v 3 2 -,-,9", "pg1 pv2" },
	{ "to the page that metadata has become",
	  "M u 11 7 -; V u 3 2 -,-,9", "pm7v2 ." },
};

static uint64_t id_of(const char *word)
{
	return word[0] == 'a' || word[0] == 'b' || word[0] == 'x' ?
	       (uint64_t)word[0] : 0;
}

/* Related records by letter; a page is none of them. */
static const char related_letters[] = "QDGVtfW";

static void parse_related(const char *kind, const char *extra,
			  struct cfs_join_item *t)
{
	const char *at = strchr(related_letters, kind[0] == 'w' ? 'W' : kind[0]);
	char own, concurrent;
	int time;

	if (sscanf(extra, "%c,%c,%d", &own, &concurrent, &time) != 3)
		return;
	t->what = kind[0] == 'R' ? CFS_JOIN_PAGE : CFS_JOIN_RELATED;
	t->id = 0;
	t->own = id_of(&own);
	t->concurrent = id_of(&concurrent);
	t->e.time = time;
	if (t->what == CFS_JOIN_PAGE)
		return;
	t->related.what = (unsigned)(at - related_letters);
	t->related.is_second = kind[0] == 'w';
	t->related.form = CFS_RELATED_PNG;
	t->e.kind = CFS_KIND_ANNEX;
	t->e.body_is_exact = false;
	t->e.body_bytes = 0;
	t->bytes = t->e.loc.offset * 10;
}

static void parse_item(char *line, struct cfs_join_item *t)
{
	char kind[4], url[8], extra[16] = "";
	unsigned archive, off, p, o, segment = 0;

	assert_true(sscanf(line, "%3s %7s %u %u %15s", kind, url, &archive,
			   &off, extra) >= 4);
	*t = (struct cfs_join_item){
		.what = kind[0] == 'P' ? CFS_JOIN_PAGE :
			kind[0] == 'C' ? CFS_JOIN_CONVERSION :
			kind[0] == 'T' ? CFS_JOIN_TEXT : CFS_JOIN_META,
		.container = CFS_COMPANION_SEQFILE, .id = id_of(extra) };
	t->e.loc.file[0] = archive;
	t->e.loc.offset = off;
	t->e.body_is_exact = true;
	t->e.body_bytes = off * 10;
	/* the key makes one of its URLs, the other is kept */
	t->e.url = url[0] == 'u' ? CFS_SLICE_EMPTY : CFS_SLICE_LIT("v");
	if (sscanf(extra, "=%u:%u/%u", &p, &o, &segment) >= 2) {
		t->arc_place = cfs_join_arc_place(DATE, p, o);
		t->arc_segment = segment;
	}
	parse_related(kind, extra, t);
}

static void describe_related(const struct cfs_join_item *t, struct cfs_buf *out)
{
	for (unsigned what = 0; what < CFS_RELATED_COUNT; what++) {
		struct cfs_companion side;

		if (!cfs_related_find(&t->e, what, &side))
			continue;
		cfs_buf_addf(out, "%c%llu", "qdgvtf"[what],
			     (unsigned long long)side.loc.offset);
		assert_int_equal(side.kind, CFS_COMPANION_WARC);
		if (what > CFS_RELATED_METADATA)
			assert_int_equal(side.form, CFS_RELATED_PNG);
		if (side.bytes != CFS_COMPANION_BYTES_UNKNOWN)
			assert_int_equal(side.bytes, side.loc.offset * 10);
	}
}

static void describe(const struct cfs_join_item *t, struct cfs_buf *out)
{
	const struct cfs_companion *s[2] = { &t->e.text, &t->e.meta };
	bool meta_first = t->what == CFS_JOIN_PAGE && s[1]->loc.offset == 7;

	if (out->n > 0)
		cfs_buf_addc(out, ' ');
	cfs_buf_addc(out, t->is_dropped ? '.' : 'p');
	for (unsigned i = 0; i < 2 && !t->is_dropped; i++) {
		unsigned k = meta_first ? 1 - i : i;

		if (s[k]->kind == CFS_COMPANION_NONE)
			continue;
		assert_int_equal(s[k]->bytes, s[k]->loc.offset * 10);
		cfs_buf_addf(out, "%c%llu", "tm"[k],
			     (unsigned long long)s[k]->loc.offset);
	}
	if (!t->is_dropped)
		describe_related(t, out);
}

static void join_case(void **state)
{
	const struct join_case *tc = *state;
	struct cfs_join_item items[ITEMS_MAX];
	struct cfs_builder_counts counts = { 0 };
	char *text = strdup(tc->in), *rest = text, *line;
	struct cfs_buf out, lists;
	size_t n = 0;

	cfs_buf_init(&lists, CFS_RELATED_LIST_MAX * ITEMS_MAX);
	while ((line = strsep(&rest, ";")) != NULL)
		parse_item(line, &items[n++]);
	assert_int_equal(cfs_join(items, n, origins, &lists, &counts), CFS_OK);
	cfs_buf_init(&out, 4096);
	for (size_t i = 0; i < n; i++)
		describe(&items[i], &out);
	assert_string_equal(cfs_buf_str(&out), tc->out);
	/* all that was given, became a page or was left out is counted */
	for (size_t i = 0; i < n; i++)
		if (items[i].what >= CFS_JOIN_TEXT && !items[i].is_dropped)
			assert_int_equal(items[i].e.kind, CFS_KIND_ANNEX);
	cfs_buf_release(&lists);
	cfs_buf_release(&out);
	free(text);
}

/* Without names nothing but one text and one page of a URL can be joined. */
static void no_origins(void **state)
{
	struct cfs_join_item items[2];
	struct cfs_builder_counts counts = { 0 };
	struct cfs_buf lists;
	char text[] = "T u 11 7", page[] = "P u 2 5";

	(void)state;
	cfs_buf_init(&lists, 4096);
	parse_item(text, &items[0]);
	parse_item(page, &items[1]);
	assert_int_equal(cfs_join(items, 2, NULL, &lists, &counts), CFS_OK);
	assert_true(items[0].is_dropped);
	assert_int_equal(items[1].e.text.loc.offset, 7);
	assert_int_equal(counts.texts, 1);
	cfs_buf_release(&lists);
}

UNIT_PROGRAM
{
	for (uint32_t i = 0; i < 30; i++)
		origins[i] = (struct cfs_builder_origin){
			.folder = 1 + (i >= 20), .partition_1 = 1 + i % 10,
			.has_date = i < 10 };
	for (uint32_t i = 0; i < 10; i++)
		origins[i].date_ms = DATE;
	for (uint32_t i = 8; i < 10; i++) {
		origins[i].folder = i;
		origins[i].segment = 100 * i;
		origins[i].partition_1 = origins[4].partition_1;
	}
	UNIT_TEST(no_origins);
	UNIT_ROWS(join_cases, join_case);
	return unit_run("join");
}
