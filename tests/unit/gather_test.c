/* gather_test.c - failures of one cause become few lines, by a clock of the
 * test's own.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "base/log_limiter.h"
#include "base/log.h"
#include "base/pool.h"

static char last[1200];
static unsigned n_lines;

static void keep(enum cfs_log_level level, const char *line, void *arg)
{
	(void)arg;
	assert_int_equal(level, CFS_LOG_ERROR);
	snprintf(last, sizeof(last), "%s", line);
	n_lines++;
}

static struct cfs_log_limiter *begin(void)
{
	struct cfs_log_limiter *g = cfs_log_limiter_new();

	assert_non_null(g);
	n_lines = 0;
	last[0] = '\0';
	cfs_log_to(keep, NULL, CFS_LOG_WARNING);
	return g;
}

static void end(struct cfs_log_limiter *g)
{
	cfs_log_limiter_free(g);
	cfs_log_to(NULL, NULL, CFS_LOG_WARNING);
}

static void growing_counts(void **state)
{
	struct cfs_log_limiter *g = begin();

	(void)state;
	for (unsigned i = 1; i <= 12345; i++) {
		char line[40];

		snprintf(line, sizeof(line), "a: offset %u: x", i);
		cfs_log_limiter_note(g, 1, -1, line, false, i);
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
	struct cfs_log_limiter *g = begin();

	(void)state;
	assert_true(cfs_log_limiter_settle(g, 0) == INT64_MAX);
	cfs_log_limiter_note(g, 1, -1, "a", false, 1000);
	cfs_log_limiter_note(g, 2, -1, "b", false, 2000);
	cfs_log_limiter_note(g, 1, -1, "a", false, 3000);
	assert_int_equal(n_lines, 2);
	assert_int_equal(cfs_log_limiter_settle(g, 3000),
			 2000 + CFS_LOG_LIMITER_QUIET_MS);
	/* of one failure nothing is left to say */
	assert_int_equal(cfs_log_limiter_settle(g, 2000 + CFS_LOG_LIMITER_QUIET_MS),
			 3000 + CFS_LOG_LIMITER_QUIET_MS);
	assert_int_equal(n_lines, 2);
	assert_true(cfs_log_limiter_settle(g, 3000 + CFS_LOG_LIMITER_QUIET_MS) ==
		    INT64_MAX);
	assert_int_equal(n_lines, 3);
	assert_string_equal(last, "a (2 such failures in all)");
	/* the next is a first one */
	cfs_log_limiter_note(g, 1, -1, "a", false, 90000);
	assert_string_equal(last, "a");
	end(g);
	assert_int_equal(n_lines, 4);
}

static void logged_elsewhere(void **state)
{
	struct cfs_log_limiter *g = begin();

	(void)state;
	for (unsigned i = 0; i < 10; i++)
		cfs_log_limiter_note(g, 1, -1, "a", i == 0, 0);
	assert_int_equal(n_lines, 1);
	assert_string_equal(last, "a (10 such failures so far)");
	end(g);
	assert_int_equal(n_lines, 1);
}

/* A shelf of missing archives. */
static void many_alike(void **state)
{
	struct cfs_log_limiter *g = begin();

	(void)state;
	for (unsigned i = 0; i < 5000; i++) {
		char line[20];

		snprintf(line, sizeof(line), "%u", i);
		cfs_log_limiter_note(g, i, -1, line, false, i);
		if (i == CFS_LOG_LIMITER_ALIKE)
			assert_string_equal(last, "16; failures of more files "
					    "are counted together");
	}
	/* 16, and one for the rest at 1, 10, 100, 1000 */
	assert_int_equal(n_lines, CFS_LOG_LIMITER_ALIKE + 4);
	cfs_log_limiter_note(g, 3, -1, "3", false, 5000);
	assert_int_equal(n_lines, CFS_LOG_LIMITER_ALIKE + 4);
	/* another kind is another cause */
	cfs_log_limiter_note(g, 3, -2, "other", false, 5000);
	assert_string_equal(last, "other");
	end(g);
	assert_int_equal(n_lines, CFS_LOG_LIMITER_ALIKE + 7);
}

/* More kinds than there is room for: the oldest are ended. */
static void many_kinds(void **state)
{
	struct cfs_log_limiter *g = begin();

	(void)state;
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 2 * (int)CFS_LOG_LIMITER_CAUSES; i++)
			for (int k = 0; k < 2; k++)
				cfs_log_limiter_note(g, 7, -i, "x", false,
						     1000 * round + i);
	/* each is a first one twice, and is ended with its count */
	end(g);
	assert_int_equal(n_lines, 8 * CFS_LOG_LIMITER_CAUSES);
}

static struct cfs_log_limiter *shared;

static void note_many(void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < 2500; i++)
		cfs_log_limiter_note(shared, 1, -1, "a", false, 0);
}

static void threads(void **state)
{
	struct cfs_pool pool = { .n = 0 };

	(void)state;
	shared = begin();
	cfs_pool_start(&pool, 4, note_many, NULL);
	assert_int_equal(pool.n, 4);
	cfs_pool_join(&pool);
	assert_int_equal(n_lines, 5);
	end(shared);
	/* 10,000 were logged as such, and are not again */
	assert_int_equal(n_lines, 5);
}

int main(void)
{
	UNIT_TEST(growing_counts);
	UNIT_TEST(quiet_ones);
	UNIT_TEST(logged_elsewhere);
	UNIT_TEST(many_alike);
	UNIT_TEST(many_kinds);
	UNIT_TEST(threads);
	return unit_run("gather");
}
