/* outage_test.c - when a server is taken to be down, and when it is asked again;
 * the clock is the test's.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "base/cancel.h"
#include "net/hosts.h"

/* A try: how it ended, the letter of its object and the offset in it; is_last:
 * its job has failed with it. */
struct step {
	int64_t at_ms;
	enum cfs_try kind;
	char object;
	unsigned off;
	bool is_last;
};

struct row {
	const char *name;
	bool is_stranger;
	struct step steps[6];	/* up to one at 0 ms; sent 10 ms before */
	unsigned down;		/* after which step, from 1; 0: not at all */
};

static const struct row rows[] = {
	/* Holds E21. */
	{ "refused for as long as a restart takes", false, {
		{ 1000, CFS_TRY_UNREACHED, 'a', 1, false },
		{ 2000, CFS_TRY_UNREACHED, 'a', 1, false },
		{ 5000, CFS_TRY_UNREACHED, 'a', 1, false },
		{ 5989, CFS_TRY_UNREACHED, 'a', 1, false },
		{ 5990, CFS_TRY_UNREACHED, 'a', 1, false } }, 5 },
	{ "an answer in between", false, {
		{ 1000, CFS_TRY_UNREACHED, 'a', 1, false },
		{ 2000, CFS_TRY_UNREACHED, 'b', 1, false },
		{ 3000, CFS_TRY_ANSWERED, 'a', 1, false },
		{ 8000, CFS_TRY_UNREACHED, 'b', 1, false },
		{ 9000, CFS_TRY_UNREACHED, 'a', 1, false } }, 0 },
	{ "two are too few", false, {
		{ 1000, CFS_TRY_UNREACHED, 'a', 1, false },
		{ 20000, CFS_TRY_UNREACHED, 'b', 1, false } }, 0 },
	{ "packets lost count twice", false, {
		{ 1000, CFS_TRY_SILENT, 'a', 1, false },
		{ 9000, CFS_TRY_LOST, 'a', 1, false } }, 2 },
	{ "a stranger has no patience", true, {
		{ 1000, CFS_TRY_UNREACHED, 'a', 1, false },
		{ 1100, CFS_TRY_UNREACHED, 'a', 1, false },
		{ 1200, CFS_TRY_UNREACHED, 'a', 1, false } }, 3 },
	{ "nor has its job", true, {
		{ 9000, CFS_TRY_LOST, 'a', 1, true } }, 1 },
	{ "many silent at once", false, {
		{ 21000, CFS_TRY_SILENT, 'a', 1, false },
		{ 21001, CFS_TRY_SILENT, 'b', 1, false },
		{ 21002, CFS_TRY_SILENT, 'c', 1, false },
		{ 26000, CFS_TRY_SILENT, 'd', 1, false } }, 4 },
	{ "one range is never a server", false, {
		{ 20000, CFS_TRY_SILENT, 'a', 1, false },
		{ 40000, CFS_TRY_SILENT, 'a', 1, false },
		{ 60000, CFS_TRY_SILENT, 'a', 1, true },
		{ 80000, CFS_TRY_SILENT, 'a', 1, false },
		{ 90000, CFS_TRY_SILENT, 'a', 1, true } }, 0 },
	{ "the second job of a silent server", false, {
		{ 20000, CFS_TRY_SILENT, 'a', 1, false },
		{ 40000, CFS_TRY_SILENT, 'a', 1, true },
		{ 60000, CFS_TRY_SILENT, 'a', 2, false } }, 3 },
	{ "5xx are retried", false, {
		{ 1000, CFS_TRY_TROUBLE, 'a', 1, false },
		{ 9000, CFS_TRY_TROUBLE, 'b', 1, false },
		{ 19000, CFS_TRY_TROUBLE, 'c', 1, false },
		{ 29000, CFS_TRY_TROUBLE, 'd', 1, false } }, 0 },
	{ "5xx after retries", false, {
		{ 11000, CFS_TRY_TROUBLE, 'a', 1, true },
		{ 11100, CFS_TRY_TROUBLE, 'b', 1, false },
		{ 11200, CFS_TRY_TROUBLE, 'b', 1, false } }, 3 },
	{ "the last failure is long ago", false, {
		{ 1000, CFS_TRY_UNREACHED, 'a', 1, false },
		{ 2000, CFS_TRY_UNREACHED, 'a', 1, true },
		{ 70000, CFS_TRY_UNREACHED, 'a', 1, false } }, 0 },
	{ "no memory here", false, {
		{ 1000, CFS_TRY_ODD, 'a', 1, true },
		{ 9000, CFS_TRY_ODD, 'b', 1, true },
		{ 19000, CFS_TRY_ODD, 'c', 1, true } }, 0 },
};

static void take(struct cfs_outage *o, const struct step *s, bool is_stranger)
{
	static const char objects[128];
	struct cfs_failed_try t = {
		.kind = s->kind, .object = &objects[(unsigned char)s->object],
		.off = s->off, .sent_ms = s->at_ms - 10,
		.is_stranger = is_stranger, .code = CFS_EIO, .text = "no",
	};

	if (s->kind == CFS_TRY_ANSWERED) {
		cfs_outage_end(o);
		return;
	}
	cfs_outage_try(o, &t, s->at_ms);
	if (s->is_last)
		cfs_outage_job(o, &t, s->at_ms);
}

static void row_case(void **state)
{
	const struct row *row = *state;
	struct cfs_outage o = { 0 };
	unsigned down = 0;

	for (unsigned i = 0; i < COUNT(row->steps) &&
	     row->steps[i].at_ms != 0; i++) {
		take(&o, &row->steps[i], row->is_stranger);
		if (o.is_down && down == 0)
			down = i + 1;
	}
	assert_int_equal(down, row->down);
}

static const char one, other;

/* Down since `at_ms`, for every object. */
static void bring_down(struct cfs_outage *o, int64_t at_ms)
{
	struct cfs_failed_try t = {
		.kind = CFS_TRY_UNREACHED, .object = &one, .code = CFS_EIO,
		.sent_ms = at_ms - 6000, .text = "refused",
	};

	*o = (struct cfs_outage){ 0 };
	for (unsigned i = 0; i < CFS_OUTAGE_TRIES; i++)
		cfs_outage_try(o, &t, at_ms);
	assert_true(o->is_down);
	assert_int_equal(o->again_ms, at_ms + CFS_OUTAGE_PAUSE_MS);
	assert_string_equal(o->text, "refused");
}

/* Holds E21. */
static void pauses_grow(void **state)
{
	static const int64_t s[] = { 1, 2, 4, 8, 16, 32, 60, 60, 60 };
	struct cfs_outage o;
	int64_t now = 100000;

	(void)state;
	bring_down(&o, now);
	for (unsigned i = 0; i < COUNT(s); i++) {
		int64_t due = now + s[i] * 1000;

		assert_int_equal(o.again_ms, due);
		assert_int_equal(cfs_outage_ask(&o, &other, false, due - 1),
				 CFS_OUTAGE_REFUSE);
		assert_int_equal(cfs_outage_ask(&o, &other, false, due),
				 CFS_OUTAGE_GO);
		assert_true(cfs_outage_sent(&o, &other, false));
		now = due + 7;
		cfs_outage_probe_failed(&o, now);
	}
	cfs_outage_end(&o);
	assert_int_equal(cfs_outage_ask(&o, &other, false, now),
			 CFS_OUTAGE_GO);
	assert_false(cfs_outage_sent(&o, &other, false));
	bring_down(&o, now);		/* from a second on, as at first */
}

/* Holds E21. */
static void one_probe_at_a_time(void **state)
{
	struct cfs_outage o;

	(void)state;
	bring_down(&o, 10000);
	/* one that is sent by itself: nobody waits for it */
	assert_int_equal(cfs_outage_ask(&o, &one, true, 20000),
			 CFS_OUTAGE_REFUSE);
	assert_true(cfs_outage_sent(&o, &one, false));
	assert_false(cfs_outage_sent(&o, &other, false));
	assert_int_equal(cfs_outage_ask(&o, &other, false, 20000),
			 CFS_OUTAGE_REFUSE);
	cfs_outage_probe_gone(&o);
	/* a reader's: others share its fate */
	assert_int_equal(cfs_outage_ask(&o, &one, false, 20000),
			 CFS_OUTAGE_GO);
	assert_true(cfs_outage_sent(&o, &one, true));
	assert_int_equal(cfs_outage_ask(&o, &other, false, 20000),
			 CFS_OUTAGE_WAIT);
	cfs_outage_probe_failed(&o, 20000);
	assert_int_equal(cfs_outage_ask(&o, &other, false, 20000),
			 CFS_OUTAGE_REFUSE);
}

/* Holds E21. */
static void one_object_only(void **state)
{
	static const struct step steps[] = {
		{ 20000, CFS_TRY_SILENT, 'a', 1, false },
		{ 40000, CFS_TRY_SILENT, 'a', 1, true },
		{ 60000, CFS_TRY_SILENT, 'a', 2, false },
		{ 60500, CFS_TRY_SILENT, 'b', 2, false },
	};
	struct cfs_outage o = { 0 };
	const char *a;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		take(&o, &steps[i], false);
	a = o.object;
	assert_true(o.is_down);
	assert_int_equal(cfs_outage_ask(&o, a, false, 60100),
			 CFS_OUTAGE_REFUSE);
	assert_int_equal(cfs_outage_ask(&o, &other, false, 60100),
			 CFS_OUTAGE_GO);
	assert_false(cfs_outage_sent(&o, &other, false));
	take(&o, &steps[3], false);	/* another one: it is the server */
	assert_int_equal(cfs_outage_ask(&o, &other, false, 60600),
			 CFS_OUTAGE_REFUSE);
}

/* A probe that ends after the outage it belongs to changes nothing. */
static void a_late_probe(void **state)
{
	struct cfs_outage o;

	(void)state;
	bring_down(&o, 10000);
	assert_true(cfs_outage_sent(&o, &one, true));
	cfs_outage_end(&o);
	cfs_outage_probe_failed(&o, 30000);
	assert_int_equal(o.again_ms, 0);
	assert_int_equal(cfs_outage_ask(&o, &one, false, 30000),
			 CFS_OUTAGE_GO);
}

static struct cfs_host_stats stats_of(const struct cfs_host *h)
{
	static struct cfs_host_stats all[8];
	size_t n = cfs_host_stats_all(all, COUNT(all));

	for (size_t i = 0; i < n; i++)
		if (strcmp(all[i].name, h->name) == 0)
			return all[i];
	fail();
	return all[0];
}

static void hosts_show_it(void **state)
{
	int64_t now = cfs_monotonic_ms();
	struct cfs_failed_try t = {
		.kind = CFS_TRY_UNREACHED, .object = &one, .name = "x",
		.sent_ms = now - 9000, .text = "refused", .code = CFS_EIO,
	};
	struct cfs_location loc;
	struct cfs_host *h;

	(void)state;
	assert_int_equal(cfs_location_parse(&loc, "http://down.example/x",
					    NULL), CFS_OK);
	h = cfs_host_get(&loc, 0);
	assert_non_null(h);
	assert_int_equal(stats_of(h).failing_ms, 0);
	cfs_host_failed(h, &t, false, now);
	assert_true(stats_of(h).failing_ms >= 9000);
	assert_false(stats_of(h).is_down);
	cfs_host_failed(h, &t, false, now);
	cfs_host_failed(h, &t, false, now + 10000000);
	assert_false(stats_of(h).is_down);	/* a new row */
	cfs_host_failed(h, &t, false, now + 10000000);
	cfs_host_failed(h, &t, false, now + 10000000);
	assert_true(stats_of(h).is_down);
	assert_true(stats_of(h).probe_ms > 1000000);
	cfs_host_answered(h, now + 10000001);
	assert_false(stats_of(h).is_down);
	assert_int_equal(stats_of(h).failing_ms, 0);
	assert_int_equal(stats_of(h).probe_ms, 0);
}

UNIT_PROGRAM
{
	UNIT_ROWS(rows, row_case);
	UNIT_TEST(pauses_grow);
	UNIT_TEST(one_probe_at_a_time);
	UNIT_TEST(one_object_only);
	UNIT_TEST(a_late_probe);
	UNIT_TEST(hosts_show_it);
	return unit_run("outage");
}
