/* streams_test.c - readers in order are recognised, others are not.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "fuse/streams.h"

/* Positions of block 0; 100 and more: of block 1. */
static cfs_pos at(unsigned n)
{
	return cfs_pos_make(n / 100, n % 100);
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
	struct cfs_streams s = { .max = 64, .step_max = 8 };
	unsigned wanted = 0;

	for (unsigned i = 0; i < COUNT(row->reads) && row->reads[i] != 0; i++)
		if (cfs_streams_note(&s, at(row->reads[i]), CFS_VIEW_RAW) &&
		    wanted == 0)
			wanted = i + 1;
	assert_int_equal(wanted, row->wanted);
	assert_int_equal(s.recognised, row->wanted != 0);
}

/* Reads n pages from `from` on; what is wanted is fetched at once.  Returns
 * how many entries were asked for. */
static unsigned read_on(struct cfs_streams *s, unsigned from, unsigned n)
{
	struct cfs_stream_want want;
	unsigned entries = 0;

	for (unsigned i = from; i < from + n; i++) {
		cfs_streams_note(s, at(i), CFS_VIEW_RAW);
		while (cfs_streams_take(s, &want)) {
			entries += want.entries;
			cfs_streams_done(&want, want.from + want.entries, false);
		}
	}
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

static void windows_grow_to_max(void **state)
{
	struct cfs_streams s = { .max = 16, .step_max = 8 };

	(void)state;
	assert_int_equal(read_on(&s, 1, 3), 0);
	assert_int_equal(read_on(&s, 4, 1), 4);
	assert_int_equal(only_one(&s)->window, 4);
	assert_int_equal(read_on(&s, 5, 1), 5);		/* one read, 8 in all */
	assert_int_equal(only_one(&s)->window, 8);
	read_on(&s, 6, 30);
	assert_int_equal(only_one(&s)->window, 16);
	assert_true(only_one(&s)->left <= 16);
	assert_true(only_one(&s)->ahead > at(35));
	assert_true(only_one(&s)->ahead <= at(35 + 16));
	assert_int_equal(s.recognised, 1);
}

static void views_of_this_time_and_the_last(void **state)
{
	struct cfs_streams s = { .max = 64, .step_max = 8 };
	struct cfs_stream_want want;

	(void)state;
	for (unsigned i = 1; i <= 4; i++)
		cfs_streams_note(&s, at(i), CFS_VIEW_META);
	assert_true(cfs_streams_take(&s, &want));
	assert_int_equal(want.views, 1u << CFS_VIEW_META);
	assert_int_equal(want.from, at(4));
	assert_int_equal(want.entries, 4);
	assert_false(cfs_streams_take(&s, &want));
	cfs_streams_done(&want, at(8), false);
	for (unsigned i = 5; i <= 8; i++)
		cfs_streams_note(&s, at(i), CFS_VIEW_TEXT);
	assert_true(cfs_streams_take(&s, &want));
	assert_int_equal(want.views, 1u << CFS_VIEW_META | 1u << CFS_VIEW_TEXT);
}

static void at_the_end_nothing_is_wanted(void **state)
{
	struct cfs_streams s = { .max = 64, .step_max = 8 };
	struct cfs_stream_want want;

	(void)state;
	for (unsigned i = 1; i <= 4; i++)
		cfs_streams_note(&s, at(i), CFS_VIEW_RAW);
	assert_true(cfs_streams_take(&s, &want));
	cfs_streams_done(&want, at(6), true);
	for (unsigned i = 5; i <= 9; i++)
		assert_false(cfs_streams_note(&s, at(i), CFS_VIEW_RAW));
}

/* What was fetched for a stream that is no more counts for no other. */
static void a_replaced_stream_gets_nothing(void **state)
{
	struct cfs_streams s = { .max = 64, .step_max = 8 };
	struct cfs_stream_want want;

	(void)state;
	for (unsigned i = 1; i <= 4; i++)
		cfs_streams_note(&s, at(i), CFS_VIEW_RAW);
	assert_true(cfs_streams_take(&s, &want));
	for (unsigned i = 0; i < CFS_STREAMS; i++)
		cfs_streams_note(&s, at(1000 + i * 1000), CFS_VIEW_RAW);
	assert_int_not_equal(want.stream->serial, want.serial);
	cfs_streams_done(&want, at(8), true);
	assert_int_equal(want.stream->ahead, 0);
	assert_false(want.stream->is_at_end);
}

/* Of two, the one that was read last is served first. */
static void the_newest_first(void **state)
{
	struct cfs_streams s = { .max = 64, .step_max = 8 };
	struct cfs_stream_want want;

	(void)state;
	for (unsigned i = 1; i <= 4; i++) {
		cfs_streams_note(&s, at(1000 + i), CFS_VIEW_RAW);
		cfs_streams_note(&s, at(i), CFS_VIEW_RAW);
	}
	assert_true(cfs_streams_take(&s, &want));
	assert_int_equal(want.from, at(4));
	assert_true(cfs_streams_take(&s, &want));
	assert_int_equal(want.from, at(1004));
	assert_false(cfs_streams_take(&s, &want));
}

int main(void)
{
	UNIT_ROWS(order_rows, order_case);
	UNIT_TEST(windows_grow_to_max);
	UNIT_TEST(views_of_this_time_and_the_last);
	UNIT_TEST(at_the_end_nothing_is_wanted);
	UNIT_TEST(a_replaced_stream_gets_nothing);
	UNIT_TEST(the_newest_first);
	return unit_run("streams");
}
