/* matcher_test.c - the work that is counted while a pattern is looked for in one
 * long line: it is linear in the line, or the search ends.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "grep/matcher.h"

#include <string.h>

#include "unit.h"

#define LINE ((size_t)120000)

struct work_case {
	const char *name, *pattern;
	enum cfs_expression_syntax syntax;
	const char *unit;		/* the line consists of these */
	int rc;
};

static struct work_case works[] = {
	{ "a class and a character", "[ab]\\w+[-,]", CFS_EXPRESSION_EXTENDED,
	  "a", CFS_END },
	{ "one repeated at least once", "[ab][a-z]{1,}x?[-,]",
	  CFS_EXPRESSION_EXTENDED, "a", CFS_END },
	{ "a group of them", "[ab](\\w{3})+[-,]", CFS_EXPRESSION_EXTENDED, "a",
	  CFS_END },
	{ "any text between words", "[ab].*[bc].*[@;]", CFS_EXPRESSION_EXTENDED,
	  "abc,", CFS_END },
	{ "groups of any text", "[ab](.+)(.+)(.+)[@;]", CFS_EXPRESSION_EXTENDED,
	  "abc,", CFS_END },
	{ "two repetitions", "a*a*[bc]", CFS_EXPRESSION_BASIC, "a", CFS_END },
	{ "a match at the end of the line", "(a|aa)+$", CFS_EXPRESSION_EXTENDED,
	  "a", CFS_OK },
	{ "a far repetition", "a{1,32767}[bc]", CFS_EXPRESSION_EXTENDED, "a",
	  CFS_ELIMIT },
	{ "a back reference", "(a+)b?\\1[bc]", CFS_EXPRESSION_EXTENDED, "a",
	  CFS_ELIMIT },
	{ "Perl: one behind another", "(?=[ab])\\w+?[-,]", CFS_EXPRESSION_PERL,
	  "a", CFS_ELIMIT },
	{ "Perl: usual text", "\\w+,\\w+[@;]", CFS_EXPRESSION_PERL, "abc,",
	  CFS_END },
};

/* Looks for the pattern in a line of n bytes; returns the work. */
static uint64_t work_in(const struct cfs_matcher *m, const char *unit, size_t n,
			int want)
{
	struct cfs_matching *g = cfs_matching_new(m);
	size_t line[2], size = strlen(unit);
	struct cfs_buf text;
	uint64_t work;

	assert_non_null(g);
	cfs_buf_init(&text, SIZE_MAX / 2);
	for (size_t i = 0; i < n / size; i++)
		cfs_buf_adds(&text, unit);
	cfs_buf_addc(&text, '\n');
	cfs_matching_begin(g, cfs_buf_slice(&text));
	assert_int_equal(cfs_matching_line(g, 0, line, CFS_CTX(NULL, NULL)),
			 want);
	work = cfs_matching_work(g);
	cfs_matching_free(g);
	cfs_buf_release(&text);
	return work;
}

static void work_case(void **state)
{
	const struct work_case *tc = *state;
	const struct cfs_matcher_opts opts = { .syntax = tc->syntax };
	struct cfs_matcher *m;
	uint64_t once, half;

	assert_int_equal(cfs_matcher_new(&m, cfs_slice_str(tc->pattern), &opts,
					 NULL), CFS_OK);
	once = work_in(m, tc->unit, LINE, tc->rc);
	if (tc->rc == CFS_ELIMIT) {
		/* Both kinds of work were used up, or it stopped before. */
		assert_true(once < (UINT64_C(1) << 33));
	} else {
		half = work_in(m, tc->unit, LINE / 2, tc->rc);
		assert_in_range(once, 1, 3 * half);
		assert_true(once < LINE * 4096);
	}
	cfs_matcher_free(m);
}

/* As grep -o does: each of many matches in a long line has its end found, which
 * is no work that is limited. */
static void many_spans(void **state)
{
	static const char pattern[] = "[[:upper:]][[:lower:]]+ [[:upper:]]";
	static const char unit[] = "Abc De, ";
	const struct cfs_matcher_opts opts = {
		.syntax = CFS_EXPRESSION_EXTENDED };
	const size_t count = 5 * LINE / strlen(unit);
	size_t line[2], span[2] = { 0, 0 };
	struct cfs_matching *g;
	struct cfs_matcher *m;
	CFS_BUF(text, SIZE_MAX / 2);

	(void)state;
	for (size_t i = 0; i < count; i++)
		cfs_buf_adds(&text, unit);
	cfs_buf_addc(&text, '\n');
	assert_int_equal(cfs_matcher_new(&m, cfs_slice_str(pattern), &opts,
					 NULL), CFS_OK);
	g = cfs_matching_new(m);
	assert_non_null(g);
	cfs_matching_begin(g, cfs_buf_slice(&text));
	assert_int_equal(cfs_matching_line(g, 0, line, CFS_CTX(NULL, NULL)),
			 CFS_OK);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(cfs_matching_span(g, line, span[1], span,
						   CFS_CTX(NULL, NULL)),
				 CFS_OK);
		assert_int_equal(span[0], i * strlen(unit));
		assert_int_equal(span[1], i * strlen(unit) + 5);
	}
	assert_int_equal(cfs_matching_span(g, line, span[1], span,
					   CFS_CTX(NULL, NULL)), CFS_END);
	cfs_matching_free(g);
	cfs_matcher_free(m);
}

UNIT_PROGRAM
{
	UNIT_ROWS(works, work_case);
	UNIT_TEST(many_spans);
	return unit_run("matcher");
}
