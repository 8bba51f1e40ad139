/* textdiff_test.c - differences of two sequences: right, and as few as possible.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "rng.h"
#include "base/textdiff.h"

#define ITEMS_MAX 64u

/* Items of letters, and what differs of them as a string of '-' and '+'. */
static void compare(const char *a, const char *b, uint64_t *work, char *out)
{
	uint32_t x[ITEMS_MAX], y[ITEMS_MAX];
	bool in_a[ITEMS_MAX] = { false }, in_b[ITEMS_MAX] = { false };
	struct cfs_diff_items sa = { x, strlen(a), in_a };
	struct cfs_diff_items sb = { y, strlen(b), in_b };

	for (size_t i = 0; i < sa.n; i++)
		x[i] = (uint8_t)a[i];
	for (size_t i = 0; i < sb.n; i++)
		y[i] = (uint8_t)b[i];
	assert_int_equal(cfs_diff(&sa, &sb, work, CFS_CTX(NULL, NULL)),
			 CFS_OK);
	for (size_t i = 0; i < sa.n; i++)
		*out++ = in_a[i] ? '-' : a[i];
	*out++ = '|';
	for (size_t i = 0; i < sb.n; i++)
		*out++ = in_b[i] ? '+' : b[i];
	*out = '\0';
}

struct diff_case {
	const char *name, *a, *b, *wanted;
};
static struct diff_case diff_cases[] = {
	{ "both empty", "", "", "|" },
	{ "one empty", "abc", "", "---|" },
	{ "the other", "", "abc", "|+++" },
	{ "equal", "abc", "abc", "abc|abc" },
	{ "one item, another", "a", "b", "-|+" },
	{ "removed in the middle", "abc", "ac", "a-c|ac" },
	{ "added in the middle", "ac", "abc", "ac|a+c" },
	{ "replaced", "abc", "axc", "a-c|a+c" },
	{ "nothing in common", "abc", "xyz", "---|+++" },
	{ "a beginning", "abc", "abcd", "abc|abc+" },
	{ "an end", "bcd", "abcd", "bcd|+bcd" },
};

static void diff_case(void **state)
{
	const struct diff_case *tc = *state;
	uint64_t work = 100000;
	char got[2 * ITEMS_MAX + 2];

	compare(tc->a, tc->b, &work, got);
	assert_string_equal(got, tc->wanted);
	assert_int_not_equal(work, 0);
}

/* The length of the longest common subsequence, by a table. */
static unsigned common(const char *a, const char *b)
{
	unsigned t[ITEMS_MAX + 1][ITEMS_MAX + 1] = { { 0 } };
	size_t n = strlen(a), m = strlen(b);

	for (size_t i = 1; i <= n; i++)
		for (size_t j = 1; j <= m; j++) {
			t[i][j] = t[i - 1][j] > t[i][j - 1] ? t[i - 1][j] :
							      t[i][j - 1];
			if (a[i - 1] == b[j - 1])
				t[i][j] = t[i - 1][j - 1] + 1;
		}
	return t[n][m];
}

static void random_text(uint64_t *r, char *out)
{
	size_t n = rng_below(r, ITEMS_MAX - 1);
	unsigned letters = 1 + (unsigned)rng_below(r, 5);

	for (size_t i = 0; i < n; i++)
		out[i] = (char)('a' + rng_below(r, letters));
	out[n] = '\0';
}

/* The items left of both texts must be the same, and, with work enough, as
 * many as can be. */
static void check_random(uint64_t work, bool is_least)
{
	uint64_t r = 5;

	for (unsigned turn = 0; turn < 20000; turn++) {
		char a[ITEMS_MAX], b[ITEMS_MAX], got[2 * ITEMS_MAX + 2];
		char left[2][ITEMS_MAX] = { "", "" };
		unsigned n[2] = { 0, 0 }, side = 0;
		uint64_t rest = work;

		random_text(&r, a);
		random_text(&r, b);
		compare(a, b, &rest, got);
		for (const char *p = got; *p != '\0'; p++) {
			if (*p == '|')
				side = 1;
			else if (*p != '-' && *p != '+')
				left[side][n[side]++] = *p;
		}
		assert_string_equal(left[0], left[1]);
		if (is_least)
			assert_int_equal(n[0], common(a, b));
	}
}

static void fewest(void **state)
{
	(void)state;
	check_random(1000000, true);
}

static void little_work(void **state)
{
	(void)state;
	check_random(0, false);
	check_random(7, false);
	check_random(60, false);
}

/* Work is bounded whatever comes. */
static void no_common_items(void **state)
{
	enum { N = 200000 };
	uint32_t *x = malloc(N * sizeof(*x)), *y = malloc(N * sizeof(*y));
	bool *in_a = calloc(N, 1), *in_b = calloc(N, 1);
	struct cfs_diff_items a = { x, N, in_a }, b = { y, N, in_b };
	uint64_t work = 1000000;

	(void)state;
	for (unsigned i = 0; i < N; i++) {
		x[i] = i * 2;
		y[i] = i % 5 == 0 ? N - i : i * 2 + 1;
	}
	assert_int_equal(cfs_diff(&a, &b, &work, CFS_CTX(NULL, NULL)), CFS_OK);
	assert_int_equal(work, 0);
	free(x);
	free(y);
	free(in_a);
	free(in_b);
}

static bool always(void *arg)
{
	(void)arg;
	return true;
}

static void cancelled(void **state)
{
	const struct cfs_cancel cancel = { .asked = always };
	static const uint32_t x[] = { 1, 2 }, y[] = { 3, 4 };
	bool in_a[2] = { false }, in_b[2] = { false };
	struct cfs_diff_items a = { x, 2, in_a }, b = { y, 2, in_b };
	uint64_t work = 1000;

	(void)state;
	assert_int_equal(cfs_diff(&a, &b, &work, CFS_CTX(&cancel, NULL)),
			 CFS_EINTR);
}

UNIT_PROGRAM
{
	UNIT_ROWS(diff_cases, diff_case);
	UNIT_TEST(fewest);
	UNIT_TEST(little_work);
	UNIT_TEST(no_common_items);
	UNIT_TEST(cancelled);
	return unit_run("textdiff");
}
