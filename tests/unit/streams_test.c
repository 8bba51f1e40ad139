/* streams_test.c - readers in order are recognised, others are not.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "crawl/readahead.h"

#define ME 7		/* a process */
#define OTHER 8

/* Positions of block 0; 100 and more: of block 1. */
static cfs_pos at(unsigned n)
{
	return cfs_pos_make(n / 100, n % 100);
}

static struct cfs_streams streams(unsigned max, unsigned refill_part)
{
	return (struct cfs_streams){ .max = max, .step_max = 8,
				     .refill_part = refill_part };
}

struct order_row {
	const char *name;
	unsigned reads[12];	/* up to a 0 */
	unsigned wanted;	/* which of them asks for more; 0: none */
};
static const struct order_row order_rows[] = {
	{ "one after the other", { 1, 2, 3, 4 }, 4 },
	{ "two steps are none", { 1, 2, 3 }, 0 },
	{ "some left out", { 1, 5, 13, 20 }, 4 },
	{ "too many left out", { 1, 10, 19, 28 }, 0 },
	{ "backwards", { 9, 8, 7, 6, 5 }, 0 },
	{ "the same page again", { 1, 1, 1, 1, 1 }, 0 },
	{ "each page three times", { 1, 1, 1, 2, 2, 2, 3, 3, 3, 4 }, 10 },
	{ "into the next block", { 98, 99, 100, 101 }, 4 },
	{ "a block left out", { 1, 2, 3, 204, 205 }, 0 },
	{ "two readers, one in order", { 1, 50, 2, 30, 3, 80, 4 }, 7 },
};

static void order_case(void **state)
{
	const struct order_row *row = *state;
	struct cfs_streams s = streams(64, 4);
	unsigned wanted = 0;

	for (unsigned i = 0; i < COUNT(row->reads) && row->reads[i] != 0; i++)
		if (cfs_streams_note(&s, ME, at(row->reads[i]), CFS_VIEW_RAW) &&
		    wanted == 0)
			wanted = i + 1;
	assert_int_equal(wanted, row->wanted);
	assert_int_equal(s.recognised, row->wanted != 0);
	cfs_streams_release(&s);
}

/* The sort of entry n in the crawl of a case. */
static unsigned sort_one(unsigned n)
{
	(void)n;
	return 1;
}

static unsigned (*sort)(unsigned n) = sort_one;
static unsigned asked_of[3];	/* entries, by their sort */

/* Fetches what is wanted, from entries that never end.  Returns how many were
 * asked for. */
static unsigned fill(struct cfs_streams *s, const struct cfs_stream_want *want)
{
	struct cfs_stream_ahead v[1024];
	unsigned n = 0, asked = 0, from = cfs_pos_slot(want->from) +
					  100 * cfs_pos_block(want->from);

	assert_true(want->looks <= COUNT(v));
	while (n < want->looks && asked < want->entries) {
		struct cfs_stream_ahead *e = &v[n++];

		*e = (struct cfs_stream_ahead){ .pos = at(from + n),
					 .suffix = (uint8_t)sort(from + n),
					 .is_single = true };
		e->is_asked = cfs_habits_want(&want->habits, e);
		asked += e->is_asked;
		asked_of[e->suffix] += e->is_asked;
	}
	cfs_streams_done(s, want, v, n, false);
	return asked;
}

/* Reads a page; what is wanted is fetched at once.  Returns how many entries
 * were asked for. */
static unsigned read_one(struct cfs_streams *s, unsigned n)
{
	struct cfs_stream_want want;
	unsigned entries = 0;

	cfs_streams_note(s, ME, at(n), CFS_VIEW_RAW);
	while (cfs_streams_take(s, &want))
		entries += fill(s, &want);
	return entries;
}

static unsigned read_on(struct cfs_streams *s, unsigned from, unsigned n)
{
	unsigned entries = 0;

	for (unsigned i = from; i < from + n; i++)
		entries += read_one(s, i);
	return entries;
}

static const struct cfs_stream *only_one(const struct cfs_streams *s)
{
	const struct cfs_stream *found = NULL;

	for (unsigned i = 0; i < CFS_STREAMS; i++) {
		if (!s->v[i].is_used)
			continue;
		assert_null(found);
		found = &s->v[i];
	}
	assert_non_null(found);
	return found;
}

static cfs_pos last_known(const struct cfs_streams *s)
{
	const struct cfs_stream *one = only_one(s);

	assert_true(one->n > 0);
	return one->v[one->n - 1].pos;
}

static void windows_grow_to_max(void **state)
{
	struct cfs_streams s = streams(16, 4);

	(void)state;
	assert_int_equal(read_on(&s, 1, 3), 0);
	assert_int_equal(read_on(&s, 4, 1), 4);
	assert_int_equal(only_one(&s)->window, 4);
	assert_int_equal(read_on(&s, 5, 1), 5);		/* one read, 8 in all */
	assert_int_equal(only_one(&s)->window, 8);
	read_on(&s, 6, 30);
	assert_int_equal(only_one(&s)->window, 16);
	assert_true(last_known(&s) > at(35));
	assert_true(last_known(&s) <= at(35 + 16));
	assert_int_equal(s.recognised, 1);
	cfs_streams_release(&s);
}

/* Pages that are read from one time more is asked for to the next, once the
 * window has its full size. */
static unsigned pages_a_refill(unsigned window, unsigned refill_part)
{
	struct cfs_streams s = streams(window, refill_part);
	unsigned n = 101, pages = 1;

	read_on(&s, 1, 100);
	while (read_one(&s, n++) == 0)
		;
	while (read_one(&s, n++) == 0)
		pages++;
	cfs_streams_release(&s);
	return pages;
}

static void more_is_asked_for_in_parts(void **state)
{
	(void)state;
	assert_int_equal(pages_a_refill(16, 4), 4);
	assert_int_equal(pages_a_refill(16, 2), 8);
	assert_int_equal(pages_a_refill(64, 4), 16);
}

static void views_of_this_time_and_the_last(void **state)
{
	struct cfs_streams s = streams(64, 4);
	struct cfs_stream_want want;

	(void)state;
	for (unsigned i = 1; i <= 4; i++)
		cfs_streams_note(&s, ME, at(i), CFS_VIEW_META);
	assert_true(cfs_streams_take(&s, &want));
	assert_int_equal(want.views, 1u << CFS_VIEW_META);
	assert_int_equal(want.from, at(4));
	assert_int_equal(want.entries, 4);
	assert_false(cfs_streams_take(&s, &want));
	assert_int_equal(fill(&s, &want), 4);
	for (unsigned i = 5; i <= 8; i++)
		cfs_streams_note(&s, ME, at(i), CFS_VIEW_TEXT);
	assert_true(cfs_streams_take(&s, &want));
	assert_int_equal(want.views, 1u << CFS_VIEW_META | 1u << CFS_VIEW_TEXT);
	cfs_streams_release(&s);
}

static void at_the_end_nothing_is_wanted(void **state)
{
	struct cfs_streams s = streams(64, 4);
	struct cfs_stream_want want;

	(void)state;
	for (unsigned i = 1; i <= 4; i++)
		cfs_streams_note(&s, ME, at(i), CFS_VIEW_RAW);
	assert_true(cfs_streams_take(&s, &want));
	cfs_streams_done(&s, &want, NULL, 0, true);
	for (unsigned i = 5; i <= 9; i++)
		assert_false(cfs_streams_note(&s, ME, at(i), CFS_VIEW_RAW));
	cfs_streams_release(&s);
}

/* Entries fetched for a stream that has ended count for no other. */
static void a_replaced_stream_gets_nothing(void **state)
{
	struct cfs_streams s = streams(64, 4);
	struct cfs_stream_want want;

	(void)state;
	for (unsigned i = 1; i <= 4; i++)
		cfs_streams_note(&s, ME, at(i), CFS_VIEW_RAW);
	assert_true(cfs_streams_take(&s, &want));
	for (unsigned i = 0; i < CFS_STREAMS; i++)
		cfs_streams_note(&s, ME, at(1000 + i * 1000), CFS_VIEW_RAW);
	assert_int_not_equal(want.stream->serial, want.serial);
	cfs_streams_done(&s, &want, NULL, 0, true);
	assert_false(want.stream->is_at_end);
	fill(&s, &want);
	assert_int_equal(want.stream->n, 0);
	cfs_streams_release(&s);
}

/* The stream that was read last is served first. */
static void the_newest_first(void **state)
{
	struct cfs_streams s = streams(64, 4);
	struct cfs_stream_want want;

	(void)state;
	for (unsigned i = 1; i <= 4; i++) {
		cfs_streams_note(&s, ME, at(1000 + i), CFS_VIEW_RAW);
		cfs_streams_note(&s, ME, at(i), CFS_VIEW_RAW);
	}
	assert_true(cfs_streams_take(&s, &want));
	assert_int_equal(want.from, at(4));
	assert_true(cfs_streams_take(&s, &want));
	assert_int_equal(want.from, at(1004));
	assert_false(cfs_streams_take(&s, &want));
}

/* ---- what is passed over ------------------------------------------------ */

static unsigned sort_by_five(unsigned n)
{
	return n % 5 == 0 ? 2 : 1;
}

/* Holds K10. */
static void what_is_not_read_is_not_fetched(void **state)
{
	struct cfs_streams s = streams(64, 4);
	unsigned in_vain;

	(void)state;
	sort = sort_by_five;
	memset(asked_of, 0, sizeof(asked_of));
	for (unsigned i = 5; i <= 200; i += 5)
		read_one(&s, i);
	assert_int_equal(s.recognised, 1);
	in_vain = asked_of[1];
	assert_int_in_range(in_vain, 1, 24);
	/* from then on all that is read is ahead, and nothing else */
	for (unsigned i = 205; i <= 1000; i += 5) {
		const struct cfs_stream *one = only_one(&s);
		unsigned k = one->at;

		while (k < one->n && one->v[k].pos != at(i))
			k++;
		assert_true(k < one->n && one->v[k].is_asked);
		read_one(&s, i);
	}
	assert_int_equal(asked_of[1], in_vain);
	sort = sort_one;
	cfs_streams_release(&s);
}

/* One of eight, by no rule that can be seen: nothing is fetched any more; and
 * when all are read, all are. */
/* Holds K10. */
static void no_rule_no_fetching(void **state)
{
	struct cfs_streams s = streams(64, 4);
	unsigned first = 0, then = 0;

	(void)state;
	for (unsigned i = 8; i <= 400; i += 8)
		first += read_one(&s, i);
	assert_true(first <= 24);
	for (unsigned i = 408; i <= 1200; i += 8)
		then += read_one(&s, i);
	assert_int_equal(then, 0);
	assert_true(read_on(&s, 1201, 20) >= 20);
	assert_true(read_on(&s, 1221, 60) >= 60);
	assert_int_equal(s.recognised, 1);
	cfs_streams_release(&s);
}

/* Several processes share the reading: not in order, and none left out. */
/* Holds K10. */
static void a_little_disorder_is_no_passing_over(void **state)
{
	struct cfs_streams s = streams(64, 4);
	unsigned asked = 0;

	(void)state;
	asked = read_on(&s, 1, 4);
	for (unsigned i = 5; i < 405; i += 4) {
		asked += read_one(&s, i + 3);
		asked += read_one(&s, i + 1);
		asked += read_one(&s, i);
		asked += read_one(&s, i + 2);
	}
	assert_int_equal(s.recognised, 1);
	assert_true(asked >= 400);
	assert_int_equal(only_one(&s)->window, 64);
	cfs_streams_release(&s);
}

/* The reader is faster than the window is filled. */
static void a_reader_that_gets_ahead(void **state)
{
	struct cfs_streams s = streams(64, 4);
	struct cfs_stream_want want;

	(void)state;
	for (unsigned i = 1; i <= 4; i++)
		cfs_streams_note(&s, ME, at(i), CFS_VIEW_RAW);
	for (unsigned i = 5; i < 85; i++) {
		bool is_any = cfs_streams_take(&s, &want);

		cfs_streams_note(&s, ME, at(i), CFS_VIEW_RAW);
		if (!is_any)
			continue;
		cfs_streams_note(&s, ME, at(++i), CFS_VIEW_RAW);
		cfs_streams_note(&s, ME, at(++i), CFS_VIEW_RAW);
		fill(&s, &want);
	}
	assert_int_equal(only_one(&s)->habits.all.passed, 0);
	assert_int_equal(s.recognised, 1);
	cfs_streams_release(&s);
}

/* A union: entries of two members in turn, known by what is ahead. */
static void members_in_turn(void **state)
{
	struct cfs_streams s = streams(16, 4);
	struct cfs_stream_want want;
	struct cfs_stream_ahead v[64];
	unsigned next = 0, asked = 0;

	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		/* i: member i % 2, its entry i / 2 */
		cfs_streams_note(&s, ME, cfs_pos_make(i % 2 << 27, i / 2),
				 CFS_VIEW_RAW);
		while (cfs_streams_take(&s, &want)) {
			unsigned n = 0;

			next = cfs_pos_slot(want.from) * 2 +
			       (cfs_pos_block(want.from) >> 27) + 1;
			for (; n < want.entries; n++)
				v[n] = (struct cfs_stream_ahead){
					.pos = cfs_pos_make((next + n) % 2 << 27,
							    (next + n) / 2),
					.is_asked = true };
			asked += n;
			cfs_streams_done(&s, &want, v, n, false);
		}
	}
	/* one stream reads all of it */
	assert_int_equal(s.recognised, 1);
	assert_true(asked <= 200 + 16);
	cfs_streams_release(&s);
}

static void list_folder(struct cfs_streams *s, pid_t reader, cfs_pos first,
			cfs_pos to)
{
	const struct cfs_stream_listed l = { reader, first, 0 };

	cfs_streams_listed(s, &l, to);
}

/* Reads the first file of a folder that was listed, then n more. */
static unsigned read_listed(struct cfs_streams *s, unsigned from, unsigned n)
{
	list_folder(s, ME, at(from), at(from + 5));
	return read_on(s, from, n + 1);
}

/* A reader of the first file of a listing is believed at once; but when four
 * have not read on, no more are, until others have by steps. */
static void first_files(void **state)
{
	struct cfs_streams s = streams(64, 4);

	(void)state;
	assert_int_equal(read_listed(&s, 1000, 0), 4);
	assert_int_equal(s.recognised, 1);
	assert_true(read_on(&s, 1001, 5) > 4);
	assert_int_equal(s.recognised, 1);	/* the same one */
	for (unsigned i = 2; i <= 5; i++)
		assert_int_equal(read_listed(&s, i * 1000, 0), 4);
	assert_int_equal(read_listed(&s, 6000, 2), 0);
	assert_int_equal(s.recognised, 5);
	assert_true(read_on(&s, 5001, 5) > 4);	/* the fifth reads on */
	assert_int_equal(read_listed(&s, 7000, 0), 4);
	cfs_streams_release(&s);
}

/* A folder that is reached by steps is no new reader. */
static void first_files_on_the_way(void **state)
{
	struct cfs_streams s = streams(64, 4);

	(void)state;
	assert_true(read_listed(&s, 1000, 1) > 0);
	for (unsigned i = 1; i < 20; i++)
		read_listed(&s, 1000 + 2 * i, 1);
	assert_int_equal(s.recognised, 1);
	assert_int_equal(s.believed, 0);
	cfs_streams_release(&s);
}

/* Only hits are ahead of the reader of a search's folder. */
static void folders_of_searches(void **state)
{
	const struct cfs_stream_listed l = { ME, at(1000), 7 };
	struct cfs_streams s = streams(64, 4);
	struct cfs_stream_want want;

	(void)state;
	cfs_streams_listed(&s, &l, 0);
	cfs_streams_note(&s, ME, at(1000), CFS_VIEW_RAW);
	assert_true(cfs_streams_take(&s, &want));
	assert_int_equal(want.search, 7);
	list_folder(&s, ME, at(5000), 0);
	cfs_streams_note(&s, ME, at(5000), CFS_VIEW_RAW);
	assert_true(cfs_streams_take(&s, &want));
	assert_int_equal(want.search, 0);
	cfs_streams_release(&s);
}

/* A reader that has listed nothing is not believed, nor twice. */
static void listed_by_others(void **state)
{
	struct cfs_streams s = streams(64, 4);

	(void)state;
	list_folder(&s, OTHER, at(1000), 0);
	assert_int_equal(read_one(&s, 1000), 0);
	list_folder(&s, 0, at(2000), 0);
	cfs_streams_note(&s, 0, at(2000), CFS_VIEW_RAW);
	assert_int_equal(s.recognised, 0);
	assert_int_equal(read_listed(&s, 3000, 0), 4);
	for (unsigned i = 0; i < CFS_STREAMS; i++)
		read_one(&s, 4000 + 100 * i);
	assert_int_equal(read_one(&s, 3000), 0);
	cfs_streams_release(&s);
}

static unsigned run_to(const struct cfs_streams *s, unsigned last)
{
	struct cfs_stream_run run = cfs_streams_run(s, ME);

	assert_int_equal(run.last, at(last));
	assert_true(run.to > at(last));
	return run.n;
}

/* Pages read without passing over any; another view of one is no step. */
static void runs(void **state)
{
	struct cfs_streams s = streams(16, 2);
	unsigned before;

	(void)state;
	read_on(&s, 1, 20);
	before = run_to(&s, 20);
	assert_true(before >= 10);
	cfs_streams_note(&s, ME, at(20), CFS_VIEW_TEXT);
	assert_int_equal(run_to(&s, 20), before);
	read_one(&s, 21);
	assert_int_equal(run_to(&s, 21), before + 1);
	assert_int_equal(cfs_streams_run(&s, OTHER).n, 0);
	read_one(&s, 23);
	assert_int_equal(run_to(&s, 23), 0);
	read_one(&s, 24);
	assert_int_equal(run_to(&s, 24), 1);
	cfs_streams_release(&s);
}

/* A process that reads beside another one does not read alone. */
static void runs_of_two(void **state)
{
	struct cfs_streams s = streams(16, 2);

	(void)state;
	read_on(&s, 1, 20);
	cfs_streams_note(&s, OTHER, at(5000), CFS_VIEW_RAW);
	read_one(&s, 21);
	assert_int_equal(run_to(&s, 21), 0);
	read_on(&s, 22, 5);
	assert_int_equal(run_to(&s, 26), 5);
	assert_true(cfs_streams_run(&s, 0).n > 10);	/* whoever it was */
	cfs_streams_note(&s, OTHER, at(27), CFS_VIEW_RAW);
	assert_int_equal(run_to(&s, 27), 0);
	assert_true(cfs_streams_run(&s, 0).n > 10);
	list_folder(&s, OTHER, at(28), at(40));
	assert_int_equal(cfs_streams_run(&s, 0).to, at(40));
	cfs_streams_release(&s);
}

/* Takes all files to be loaded; the entries of the first and the last. */
static unsigned load_all(struct cfs_streams *s, bool views_only,
			 struct cfs_stream_file *first,
			 struct cfs_stream_file *last)
{
	unsigned n = 0;

	while (cfs_streams_load(s, views_only, last))
		if (n++ == 0)
			*first = *last;
	return n;
}

static void what_is_loaded(void **state)
{
	struct cfs_streams s = streams(64, 4);
	struct cfs_stream_file first, last;

	(void)state;
	read_on(&s, 1, 3);
	assert_false(cfs_streams_load(&s, false, &first));
	read_on(&s, 4, 30);
	/* not the page that is read, nor the next, nor all that is fetched */
	assert_int_equal(load_all(&s, false, &first, &last), 16);
	assert_int_equal(first.pos, at(35));
	assert_int_equal(last.pos, at(50));
	assert_int_equal(first.view, CFS_VIEW_RAW);
	assert_false(cfs_streams_load(&s, false, &first));
	cfs_streams_load_later(&s, &last);
	assert_int_equal(load_all(&s, false, &first, &last), 1);
	assert_int_equal(first.pos, at(50));
	/* each step of the reader makes room for one */
	read_one(&s, 34);
	assert_int_equal(load_all(&s, false, &first, &last), 1);
	assert_int_equal(first.pos, at(51));
	/* another view of it */
	cfs_streams_note(&s, ME, at(34), CFS_VIEW_TEXT);
	assert_int_equal(load_all(&s, true, &first, &last), 16);
	assert_int_equal(first.pos, at(36));
	assert_int_equal(first.view, CFS_VIEW_TEXT);
	cfs_streams_release(&s);
}

/* Captures of a page that has several are not loaded. */
static void one_of_several_is_not_loaded(void **state)
{
	struct cfs_streams s = streams(64, 4);
	struct cfs_stream_file first, last;
	struct cfs_stream *one;

	(void)state;
	read_on(&s, 1, 30);
	one = (struct cfs_stream *)(uintptr_t)only_one(&s);
	one->v[one->at + 1].is_single = one->v[one->at + 2].is_single = false;
	assert_int_equal(load_all(&s, false, &first, &last), 14);
	assert_int_equal(first.pos, at(34));
	cfs_streams_release(&s);
}

UNIT_PROGRAM
{
	UNIT_ROWS(order_rows, order_case);
	UNIT_TEST(windows_grow_to_max);
	UNIT_TEST(more_is_asked_for_in_parts);
	UNIT_TEST(views_of_this_time_and_the_last);
	UNIT_TEST(at_the_end_nothing_is_wanted);
	UNIT_TEST(a_replaced_stream_gets_nothing);
	UNIT_TEST(the_newest_first);
	UNIT_TEST(what_is_not_read_is_not_fetched);
	UNIT_TEST(no_rule_no_fetching);
	UNIT_TEST(a_little_disorder_is_no_passing_over);
	UNIT_TEST(a_reader_that_gets_ahead);
	UNIT_TEST(members_in_turn);
	UNIT_TEST(first_files);
	UNIT_TEST(first_files_on_the_way);
	UNIT_TEST(folders_of_searches);
	UNIT_TEST(listed_by_others);
	UNIT_TEST(runs);
	UNIT_TEST(runs_of_two);
	UNIT_TEST(what_is_loaded);
	UNIT_TEST(one_of_several_is_not_loaded);
	return unit_run("streams");
}
