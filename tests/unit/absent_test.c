/* absent_test.c - which objects are remembered as absent, and how long; the
 * clock is the test's.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "net/hosts.h"

static struct cfs_verdict failure(unsigned status)
{
	struct cfs_verdict v;

	cfs_answer_judge_refusal(status, "", "", true, &v);
	return v;
}

static bool is_known(const char *url, int64_t now_ms)
{
	struct cfs_verdict v;

	return cfs_absent_find(url, &v, now_ms);
}

/* Holds E58. */
static void for_a_while(void **state)
{
	static const unsigned statuses[] = { 404, 410, 403 };
	struct cfs_verdict v, found;
	char url[32];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		snprintf(url, sizeof(url), "http://h/%u", statuses[i]);
		assert_false(is_known(url, 1000));
		v = failure(statuses[i]);
		cfs_absent_note(url, &v, false, 1000);
		assert_true(cfs_absent_find(url, &found, 1000));
		assert_int_equal(found.code, v.code);
		assert_string_equal(found.text, v.text);
		assert_true(is_known(url, 1000 + CFS_ABSENT_MS - 1));
		assert_false(is_known(url, 1000 + CFS_ABSENT_MS));
		assert_false(is_known("http://h/other", 1000));
	}
}

/* A 404 for an object that was read before is remembered for a short time; a
 * 403 is throttling. */
/* Holds E58. */
static void given_before(void **state)
{
	struct cfs_verdict v = failure(404);

	(void)state;
	cfs_absent_note("http://g/404", &v, true, 1000);
	assert_true(is_known("http://g/404", 1000 + CFS_ABSENT_GIVEN_MS - 1));
	assert_false(is_known("http://g/404", 1000 + CFS_ABSENT_GIVEN_MS));
	v = failure(403);
	cfs_absent_note("http://g/403", &v, true, 1000);
	assert_false(is_known("http://g/403", 1000));
}

/* Answers that say nothing about the object are not remembered. */
/* Holds E58. */
static void others(void **state)
{
	static const unsigned statuses[] = { 401, 412, 418, 429, 500, 503 };

	(void)state;
	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
		struct cfs_verdict v = failure(statuses[i]);

		cfs_absent_note("http://o/x", &v, false, 1000);
		assert_false(is_known("http://o/x", 1000));
	}
}

/* 241 archives of one crawl: most are remembered, whatever the slots. */
static void many(void **state)
{
	struct cfs_verdict v = failure(404);
	unsigned known = 0;
	char url[32];

	(void)state;
	for (unsigned pass = 0; pass < 2; pass++)
		for (unsigned i = 0; i < 241; i++) {
			snprintf(url, sizeof(url), "http://m/%u", i);
			if (pass == 0)
				cfs_absent_note(url, &v, false, 1000);
			else
				known += is_known(url, 1001);
		}
	assert_true(known > 220);
}

UNIT_PROGRAM
{
	UNIT_TEST(for_a_while);
	UNIT_TEST(given_before);
	UNIT_TEST(others);
	UNIT_TEST(many);
	return unit_run("absent");
}
