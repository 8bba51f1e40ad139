/* failures_test.c - the table of failures: what the log says of them, by a clock
 * of the test's own; which are listed; which are repeated.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "base/log.h"
#include "base/pool.h"
#include "fuse/failures.h"

static char last[1200];
static unsigned n_lines;

static void keep(enum cfs_log_level level, const char *line, void *arg)
{
	(void)arg;
	assert_int_equal(level, CFS_LOG_ERROR);
	snprintf(last, sizeof(last), "%s", line);
	n_lines++;
}

/* ---- lines of the log -------------------------------------------------- */

static void begin_log(void)
{
	n_lines = 0;
	last[0] = '\0';
	cfs_log_to(keep, NULL, CFS_LOG_WARNING);
}

static struct cfs_failure_log *begin(void)
{
	struct cfs_failure_log *g = calloc(1, sizeof(*g));

	assert_non_null(g);
	begin_log();
	return g;
}

static void note(struct cfs_failure_log *g, uint64_t cause, int kind,
		 const char *line, bool is_logged, int64_t now_ms)
{
	struct cfs_failure_lines lines;

	cfs_failure_log_note(g, cause, kind, line, is_logged, now_ms, &lines);
	cfs_failure_lines_log(&lines);
}

static int64_t settle(struct cfs_failure_log *g, int64_t now_ms,
		      int64_t quiet_ms)
{
	struct cfs_failure_lines lines;
	int64_t due_ms;

	while (cfs_failure_log_settle(g, now_ms, quiet_ms, &due_ms, &lines))
		cfs_failure_lines_log(&lines);
	return due_ms;
}

static void end(struct cfs_failure_log *g)
{
	assert_true(settle(g, INT64_MAX / 2, 0) == INT64_MAX);
	cfs_log_to(NULL, NULL, CFS_LOG_WARNING);
	free(g);
}

static void growing_counts(void **state)
{
	struct cfs_failure_log *g = begin();

	(void)state;
	for (unsigned i = 1; i <= 12345; i++) {
		char line[40];

		snprintf(line, sizeof(line), "a: offset %u: x", i);
		note(g, 1, -1, line, false, i);
		if (i == 1)
			assert_string_equal(last, "a: offset 1: x");
		if (i == 10)
			assert_string_equal(last, "a: offset 10: x "
					    "(10 such failures so far)");
	}
	assert_int_equal(n_lines, 5);
	assert_string_equal(last, "a: offset 10000: x "
			    "(10000 such failures so far)");
	end(g);
	assert_int_equal(n_lines, 6);
	assert_string_equal(last, "a: offset 12345: x "
			    "(12345 such failures in all)");
}

static void quiet_ones(void **state)
{
	struct cfs_failure_log *g = begin();

	(void)state;
	assert_true(settle(g, 0, CFS_FAILURE_LOG_QUIET_MS) == INT64_MAX);
	note(g, 1, -1, "a", false, 1000);
	note(g, 2, -1, "b", false, 2000);
	note(g, 1, -1, "a", false, 3000);
	assert_int_equal(n_lines, 2);
	assert_int_equal(settle(g, 3000, CFS_FAILURE_LOG_QUIET_MS),
			 2000 + CFS_FAILURE_LOG_QUIET_MS);
	/* of one failure nothing is left to say */
	assert_int_equal(settle(g, 2000 + CFS_FAILURE_LOG_QUIET_MS, CFS_FAILURE_LOG_QUIET_MS),
			 3000 + CFS_FAILURE_LOG_QUIET_MS);
	assert_int_equal(n_lines, 2);
	assert_true(settle(g, 3000 + CFS_FAILURE_LOG_QUIET_MS, CFS_FAILURE_LOG_QUIET_MS) ==
		    INT64_MAX);
	assert_int_equal(n_lines, 3);
	assert_string_equal(last, "a (2 such failures in all)");
	/* the next is a first one */
	note(g, 1, -1, "a", false, 90000);
	assert_string_equal(last, "a");
	end(g);
	assert_int_equal(n_lines, 4);
}

static void logged_elsewhere(void **state)
{
	struct cfs_failure_log *g = begin();

	(void)state;
	for (unsigned i = 0; i < 10; i++)
		note(g, 1, -1, "a", i == 0, 0);
	assert_int_equal(n_lines, 1);
	assert_string_equal(last, "a (10 such failures so far)");
	end(g);
	assert_int_equal(n_lines, 1);
}

/* A shelf of missing archives. */
static void many_alike(void **state)
{
	struct cfs_failure_log *g = begin();

	(void)state;
	for (unsigned i = 0; i < 5000; i++) {
		char line[20];

		snprintf(line, sizeof(line), "%u", i);
		note(g, i, -1, line, false, i);
		if (i == CFS_FAILURE_LOG_ALIKE)
			assert_string_equal(last, "16; failures of more files "
					    "are counted together");
	}
	/* 16, and one for the rest at 1, 10, 100, 1000 */
	assert_int_equal(n_lines, CFS_FAILURE_LOG_ALIKE + 4);
	note(g, 3, -1, "3", false, 5000);
	assert_int_equal(n_lines, CFS_FAILURE_LOG_ALIKE + 4);
	/* another kind is another cause */
	note(g, 3, -2, "other", false, 5000);
	assert_string_equal(last, "other");
	end(g);
	assert_int_equal(n_lines, CFS_FAILURE_LOG_ALIKE + 7);
}

/* More kinds than there is room for: the oldest are ended. */
static void many_kinds(void **state)
{
	struct cfs_failure_log *g = begin();

	(void)state;
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 2 * (int)CFS_FAILURE_LOG_CAUSES; i++)
			for (int k = 0; k < 2; k++)
				note(g, 7, -i, "x", false,
						     1000 * round + i);
	/* each is a first one twice, and is ended with its count */
	end(g);
	assert_int_equal(n_lines, 8 * CFS_FAILURE_LOG_CAUSES);
}

/* ---- the table --------------------------------------------------------- */

static const struct cfs_failure example = {
	.of = 1, .how = 2, .cause = 3, .first = 1000, .last = 1000, .count = 1,
	.code = CFS_EIO, .members = ",\"file\":\"a\"", .line = "a",
};

static struct cfs_failures *shared;

static void note_many(void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < 2500; i++)
		cfs_failures_note(shared, &example, false);
}

static void threads(void **state)
{
	struct cfs_pool pool = { .n = 0 };

	(void)state;
	begin_log();
	shared = cfs_failures_new();
	assert_non_null(shared);
	cfs_pool_start(&pool, 4, note_many, NULL);
	assert_int_equal(pool.n, 4);
	cfs_pool_join(&pool);
	assert_int_equal(n_lines, 5);
	cfs_failures_free(shared);
	/* 10,000 were logged as such, and are not again */
	assert_int_equal(n_lines, 5);
	cfs_log_to(NULL, NULL, CFS_LOG_WARNING);
}

/* The number of lines that are listed.  out: all of them. */
static unsigned listed(struct cfs_failures *t, struct cfs_buf *out)
{
	unsigned n = 0;

	cfs_buf_reset(out);
	assert_int_equal(cfs_failures_text(t, out), CFS_OK);
	for (size_t i = 0; i < out->n; i++)
		n += out->p[i] == '\n';
	return n;
}

static void lists(void **state)
{
	struct cfs_failures *t = cfs_failures_new();
	struct cfs_failure f = example;
	struct cfs_buf out;

	(void)state;
	begin_log();
	cfs_buf_init(&out, 4 << 20);
	assert_int_equal(listed(t, &out), 0);
	assert_false(cfs_failures_count(t, 1, 2, CFS_EIO, false));
	cfs_failures_list(t, &f);
	assert_int_equal(n_lines, 0);
	assert_int_equal(listed(t, &out), 1);
	assert_string_equal(cfs_buf_str(&out),
			    "{\"time\":\"1970-01-01T00:16:40Z\","
			    "\"first\":\"1970-01-01T00:16:40Z\",\"count\":1,"
			    "\"file\":\"a\"}\n");
	cfs_failures_note(t, &f, false);
	assert_string_equal(last, "a");
	/* by its code alone, and only what is listed */
	assert_true(cfs_failures_count(t, 1, 0, CFS_EIO, false));
	assert_false(cfs_failures_count(t, 1, 0, CFS_ETIMEOUT, false));
	assert_false(cfs_failures_count(t, 1, 9, CFS_EIO, false));
	assert_false(cfs_failures_count(t, 9, 0, CFS_EIO, false));
	assert_int_equal(listed(t, &out), 1);
	assert_non_null(strstr(cfs_buf_str(&out), "\"count\":3,"));
	/* the oldest go first, and what failed again is not old */
	for (unsigned i = 1; i < 2 * CFS_FAILURES_MAX; i++) {
		f.of = f.how = 100 + i;
		f.members = "";
		if (i % 500 == 0)
			cfs_failures_list(t, &example);
		cfs_failures_list(t, &f);
	}
	assert_int_equal(listed(t, &out), CFS_FAILURES_MAX);
	assert_non_null(strstr(cfs_buf_str(&out), "\"file\":\"a\""));
	cfs_failures_free(t);
	cfs_buf_release(&out);
	cfs_log_to(NULL, NULL, CFS_LOG_WARNING);
}

/* Few long failures displace many. */
static void bytes_of_lists(void **state)
{
	struct cfs_failures *t = cfs_failures_new();
	size_t n = CFS_FAILURE_TEXT_MAX;
	char *text = malloc(n + 1);
	struct cfs_failure f = example;
	struct cfs_buf out;

	(void)state;
	assert_non_null(text);
	memset(text, 'x', n);
	text[n] = '\0';
	cfs_buf_init(&out, 4 << 20);
	for (unsigned i = 0; i < 300; i++) {
		f.of = f.how = 100 + i;
		cfs_failures_list(t, &f);
	}
	f.members = text;
	for (unsigned i = 0; i < 9; i++) {
		f.of = f.how = i;
		cfs_failures_list(t, &f);
		assert_int_equal(listed(t, &out), i < 3 ? 301 + i : 3);
	}
	assert_int_equal(listed(t, &out), 3);
	assert_true(out.n < CFS_FAILURES_BYTES_MAX);
	cfs_failures_free(t);
	cfs_buf_release(&out);
	free(text);
}

/* Holds E5. */
static void repeats(void **state)
{
	struct cfs_failures *t = cfs_failures_new();
	int64_t now = 5000, began = 4000;

	(void)state;
	assert_int_equal(cfs_failures_recent(t, 7, NULL, now), CFS_OK);
	/* took no time */
	cfs_failures_remember(t, 7, NULL, CFS_EIO, now - 499, now);
	assert_int_equal(cfs_failures_recent(t, 7, NULL, now), CFS_OK);
	cfs_failures_ended(t, 7, NULL, CFS_OK, 0);
	cfs_failures_remember(t, 7, NULL, CFS_EINTR, began, now);
	cfs_failures_remember(t, 7, NULL, CFS_ENOTFOUND, began, now);
	assert_int_equal(cfs_failures_recent(t, 7, NULL, now), CFS_OK);
	cfs_failures_remember(t, 7, NULL, CFS_ETIMEOUT, began, now);
	assert_int_equal(cfs_failures_recent(t, 7, NULL, now), CFS_ETIMEOUT);
	assert_int_equal(cfs_failures_recent(t, 7, NULL, now + 249),
			 CFS_ETIMEOUT);
	assert_int_equal(cfs_failures_recent(t, 8, NULL, now), CFS_OK);
	assert_int_equal(cfs_failures_recent(t, 7, "a", now), CFS_OK);
	assert_int_equal(cfs_failures_recent(t, 7, NULL, now + 250), CFS_OK);
	/* the latest of several */
	cfs_failures_remember(t, 7, NULL, CFS_EIO, began, now + 10);
	assert_int_equal(cfs_failures_recent(t, 7, NULL, now + 20), CFS_EIO);
	cfs_failures_remember(t, 7, "a", CFS_EFORMAT, began, now);
	assert_int_equal(cfs_failures_recent(t, 7, "a", now), CFS_EFORMAT);
	cfs_failures_free(t);
}

/* Failures that are only repeated are not listed, and take no place of those
 * that are; a report of it does not end the repetition. */
static void repeats_and_lists(void **state)
{
	struct cfs_failures *t = cfs_failures_new();
	struct cfs_failure f = example;
	int64_t now = 5000;
	struct cfs_buf out;

	(void)state;
	cfs_buf_init(&out, 4 << 20);
	for (unsigned i = 0; i < CFS_FAILURES_MAX; i++) {
		f.of = f.how = 100 + i;
		cfs_failures_list(t, &f);
	}
	for (uint64_t i = 0; i < 2000; i++)
		cfs_failures_remember(t, i, NULL, CFS_EIO, 0, now);
	assert_int_equal(listed(t, &out), CFS_FAILURES_MAX);
	assert_int_equal(cfs_failures_recent(t, 1999, NULL, now), CFS_EIO);
	assert_int_equal(cfs_failures_recent(t, 0, NULL, now), CFS_OK);
	f.of = cfs_failures_key(1999, NULL);
	assert_false(cfs_failures_count(t, f.of, 0, CFS_EIO, false));
	cfs_failures_list(t, &f);
	assert_true(cfs_failures_count(t, f.of, 0, CFS_EIO, true));
	assert_int_equal(cfs_failures_recent(t, 1999, NULL, now), CFS_EIO);
	/* and of what is listed, too */
	cfs_failures_remember(t, 1999, NULL, CFS_EIO, 0, now + 1000);
	assert_int_equal(cfs_failures_recent(t, 1999, NULL, now + 1100),
			 CFS_EIO);
	assert_int_equal(listed(t, &out), CFS_FAILURES_MAX);
	cfs_failures_free(t);
	cfs_buf_release(&out);
}

UNIT_PROGRAM
{
	UNIT_TEST(growing_counts);
	UNIT_TEST(quiet_ones);
	UNIT_TEST(logged_elsewhere);
	UNIT_TEST(many_alike);
	UNIT_TEST(many_kinds);
	UNIT_TEST(threads);
	UNIT_TEST(lists);
	UNIT_TEST(bytes_of_lists);
	UNIT_TEST(repeats);
	UNIT_TEST(repeats_and_lists);
	return unit_run("failures");
}
