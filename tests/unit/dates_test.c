/* dates_test.c - which times exist, how near they are, and the filter over an
 * index: positions as in the whole, captures by their times.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cfx_fixture.h"

#include "base/timestamp.h"
#include "index/picked.h"

/* ---- dates ---- */

static int64_t at(const char *text)
{
	int64_t t = 0;

	if (text == NULL)
		return 0;
	assert_int_equal(cfs_time_parse_14(cfs_slice_str(text), &t), 0);
	return t;
}

struct have_case {
	const char *name, *since, *until, *time;	/* NULL: unknown */
	bool yes;
};
static struct have_case have_cases[] = {
	{ "all times", NULL, NULL, "19960101000000", true },
	{ "all times, unknown", NULL, NULL, NULL, true },
	{ "first second", "2012", NULL, "20120101000000", true },
	{ "second before", "2012", NULL, "20111231235959", false },
	{ "last second", NULL, "2012", "20121231235959", true },
	{ "second after", NULL, "2012", "20130101000000", false },
	{ "last second of a day", NULL, "20120229", "20120229235959", true },
	{ "day after", NULL, "20120229", "20120301000000", false },
	{ "nine months", NULL, "20120", "20120930235959", true },
	{ "after nine months", NULL, "20120", "20121001000000", false },
	{ "three months", "20121", NULL, "20121001000000", true },
	{ "before three months", "20121", NULL, "20120930235959", false },
	{ "the second itself", "20120229120000", "2012-02-29T12:00:00Z",
	  "20120229120000", true },
	/* Holds T7. */
	{ "unknown is older than an end", NULL, "1990", NULL, true },
	{ "unknown is older than a beginning", "1900", NULL, NULL, false },
};

static void have_case(void **state)
{
	const struct have_case *row = *state;
	struct cfs_dates d = { 0 };

	if (row->since != NULL)
		assert_int_equal(cfs_dates_since(&d, row->since), 0);
	if (row->until != NULL)
		assert_int_equal(cfs_dates_until(&d, row->until), 0);
	assert_false(cfs_dates_are_none(&d));
	assert_int_equal(cfs_dates_have(&d, at(row->time)), row->yes);
}

static const char *const bad_dates[] = {
	"", "1", "201", "yesterday", "201213", "20120230", "2012023",
	"2012010124", "201201012359599", "2012-1", "@2012", "2012x",
};

static void bad_date(void **state)
{
	struct cfs_dates d = { .has_to = true, .to = 7 };

	assert_int_equal(cfs_dates_since(&d, *state), CFS_EFORMAT);
	assert_int_equal(cfs_dates_until(&d, *state), CFS_EFORMAT);
	assert_false(d.has_from);
	assert_int_equal(d.to, 7);
}

/* Whatever the order, the narrowest holds. */
static void narrower(void **state)
{
	struct cfs_dates d = { 0 };

	(void)state;
	cfs_dates_until(&d, "2013");
	cfs_dates_until(&d, "2012");
	cfs_dates_until(&d, "2014");
	cfs_dates_since(&d, "2010");
	cfs_dates_since(&d, "2011");
	cfs_dates_since(&d, "2009");
	assert_int_equal(d.from, at("20110101000000"));
	assert_int_equal(d.to, at("20121231235959"));
	assert_false(cfs_dates_are_none(&d));
	cfs_dates_since(&d, "2013");
	assert_true(cfs_dates_are_none(&d));
}

/* Holds T6. */
static void distances(void **state)
{
	/* nearest first, to a moment 1000 */
	static const int64_t times[] = { 1000, 999, 1001, 998, 1002, 1, -1,
					 5000, INT64_MIN, 0 };
	uint64_t before = 0;

	(void)state;
	assert_int_equal(cfs_dates_distance(1000, 1000), 0);
	for (size_t i = 1; i < COUNT(times); i++) {
		uint64_t n = cfs_dates_distance(times[i], 1000);

		assert_true(n > before);
		before = n;
	}
	assert_int_equal(before, UINT64_MAX);
	assert_true(cfs_dates_distance(INT64_MAX, INT64_MIN) < UINT64_MAX);
	assert_true(cfs_dates_distance(INT64_MIN, INT64_MAX) < UINT64_MAX);
}

/* ---- the filter ---- */

static int wrap_dates(struct cfs_index **ix, const struct cfs_dates *d)
{
	struct cfs_conditions c = { .dates = *d };

	return cfs_picked_wrap(ix, &c, NULL, NULL);
}

static void no_dates(void **state)
{
	struct cfs_dates none = { 0 };
	struct cfs_index *ix, *was;
	struct fix f;

	(void)state;
	fix_open(&f);
	fix_make(&f, 10, 1, 3);
	fix_build(&f, 1, 1 << 20);
	was = ix = fix_index(&f, 1 << 20);
	assert_int_equal(wrap_dates(&ix, &none), 0);
	assert_ptr_equal(ix, was);	/* nothing to pay for */
	assert_ptr_equal(cfs_index_unpicked(ix), ix);
	cfs_index_close(ix);
	fix_close(&f);
}

/* One entry under both iterators. */
static uint64_t compare(struct cfs_iter *a, struct cfs_iter *b,
			const struct cfs_dates *d)
{
	struct cfs_capture x, y;
	bool yes;

	assert_int_equal(a->pos, b->pos);
	assert_true(cfs_slice_eq(a->key, b->key));
	assert_int_equal(cfs_index_capture(a, &x, NULL), 0);
	yes = cfs_dates_have(d, x.time);
	assert_int_equal(cfs_index_shows(b), yes);
	assert_true(cfs_index_shows(a));
	assert_int_equal(cfs_index_capture(b, &y, NULL),
			 yes ? CFS_OK : CFS_ENOTFOUND);
	if (yes) {
		struct cfs_buf m, n;

		assert_int_equal(x.time, y.time);
		assert_int_equal(x.loc.offset, y.loc.offset);
		cfs_buf_init(&m, 1 << 12);
		cfs_buf_init(&n, 1 << 12);
		cfs_index_archive_name(a->ix, &x.loc, &m, NULL);
		cfs_index_archive_name(b->ix, &y.loc, &n, NULL);
		cfs_index_key_url(a->ix, a->key, &x, &m);
		cfs_index_key_url(b->ix, b->key, &y, &n);
		assert_true(m.n > 0);
		assert_true(cfs_slice_eq(cfs_buf_slice(&m), cfs_buf_slice(&n)));
		cfs_buf_release(&m);
		cfs_buf_release(&n);
	}
	return yes;
}

static void compare_all(const struct fix *f, struct cfs_dates d)
{
	struct cfs_index *whole = fix_index(f, 1 << 20);
	struct cfs_index *ix = fix_index(f, 1 << 20);
	struct cfs_index_stats stats;
	struct cfs_iter a, b, c;
	uint64_t shown = 0, wanted = 0;
	int rc;

	assert_int_equal(wrap_dates(&ix, &d), 0);
	cfs_iter_init(&a);
	cfs_iter_init(&b);
	cfs_iter_init(&c);
	rc = cfs_index_seek(whole, CFS_SLICE_EMPTY, &a, CFS_CTX(NULL, NULL));
	assert_int_equal(cfs_index_seek(ix, CFS_SLICE_EMPTY, &b,
					CFS_CTX(NULL, NULL)), rc);
	while (rc == CFS_OK) {
		shown += compare(&a, &b, &d);
		assert_ptr_equal(b.ix, ix);
		assert_int_equal(cfs_index_at(ix, a.pos, &c,
					      CFS_CTX(NULL, NULL)), 0);
		compare(&a, &c, &d);
		rc = cfs_index_next(&a, CFS_CTX(NULL, NULL));
		assert_int_equal(cfs_index_next(&b, CFS_CTX(NULL, NULL)), rc);
	}
	for (size_t i = 0; i < f->n; i++)
		wanted += cfs_dates_have(&d, f->caps[i].c.time);
	assert_int_equal(shown, wanted);
	cfs_index_get_stats(ix, &stats);
	assert_int_equal(stats.captures, f->n);	/* of the whole */
	assert_true(stats.block_reads > 0);
	cfs_iter_release(&a);
	cfs_iter_release(&b);
	cfs_iter_release(&c);
	cfs_index_close(whole);
	cfs_index_close(ix);
}

/* Only entries that are shown, unless there are too many others between. */
static void reading_ahead(void **state)
{
	struct cfs_dates d = { .has_from = true };
	struct cfs_index *ix;
	struct cfs_iter it;
	unsigned n = 0;
	struct fix f;
	int rc;

	(void)state;
	fix_open(&f);
	fix_make(&f, 1000, 6, 6);
	for (size_t i = 0; i < f.n; i++)
		f.caps[i].c.time = 1 + (int64_t)(i % 10 == 0);
	fix_build(&f, 1, 1 << 20);
	ix = fix_index(&f, 1 << 20);
	d.from = 2;
	assert_int_equal(wrap_dates(&ix, &d), 0);
	cfs_iter_init(&it);
	rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, &it, CFS_CTX(NULL, NULL));
	n = rc == CFS_OK && cfs_index_shows(&it);
	for (;;) {
		rc = cfs_index_next_shown(&it, CFS_CTX(NULL, NULL));
		if (rc != CFS_OK)
			break;
		assert_true(cfs_index_shows(&it));
		n++;
	}
	assert_int_equal(rc, CFS_END);
	assert_int_equal(n, 100);
	cfs_iter_release(&it);
	cfs_index_close(ix);

	ix = fix_index(&f, 1 << 20);	/* nothing is shown */
	d.from = 3;
	assert_int_equal(wrap_dates(&ix, &d), 0);
	rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, &it, CFS_CTX(NULL, NULL));
	for (n = 0; rc == CFS_OK; n++)
		rc = cfs_index_next_shown(&it, CFS_CTX(NULL, NULL));
	assert_int_in_range(n, 1000 / 65, 1000 / 65 + 2);
	cfs_iter_release(&it);
	cfs_index_close(ix);
	fix_close(&f);
}

/* Holds T7. */
static void windows(void **state)
{
	uint64_t rng = 42;
	struct fix f;

	(void)state;
	fix_open(&f);
	fix_make(&f, 3000, 5, 6);
	for (size_t i = 0; i < f.n; i += 17)
		f.caps[i].c.time = 0;
	fix_build(&f, 1, 1 << 20);
	for (int turn = 0; turn < 6; turn++) {
		struct cfs_dates d = { .has_from = turn != 1,
				       .has_to = turn != 2 };

		d.from = f.caps[rng_below(&rng, f.n)].c.time;
		d.to = turn == 3 ? d.from - 1 :
				   f.caps[rng_below(&rng, f.n)].c.time;
		compare_all(&f, d);
	}
	fix_close(&f);
}

UNIT_PROGRAM
{
	UNIT_ROWS(have_cases, have_case);
	UNIT_STRINGS(bad_dates, bad_date);
	UNIT_TEST(narrower);
	UNIT_TEST(distances);
	UNIT_TEST(no_dates);
	UNIT_TEST(windows);
	UNIT_TEST(reading_ahead);
	return unit_run("dates");
}
