/* word_query_test.c - what queries match, and what they may be.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "words/word_query.h"

struct typed_case {
	const char *name, *typed;
	int rc;
	size_t terms;
	const char *matches, *differs;
};
static struct typed_case typed_cases[] = {
	{ "a word", "word", CFS_OK, 1, "A WORD.", "words sword" },
	{ "plus and blanks", " a+b \t c", CFS_OK, 3, "c b a", "a b" },
	{ "a phrase", "\"b a\"", CFS_OK, 1, "x b, a", "a b" },
	{ "an open phrase", "\"b a", CFS_OK, 1, "b a", "a b" },
	{ "a phrase at a word", "c\"b a\"", CFS_OK, 2, "b a c", "c b x a" },
	{ "an apostrophe", "don't", CFS_OK, 1, "Don't", "t don" },
	{ "case", "STRASSE", CFS_OK, 1, "stra\xc3\x9f" "e", "strase" },
	{ "a mark", "e\xcc\x81t\xc3\xa9", CFS_OK, 1, "E\xcc\x81T\xc3\x89",
	  "ete" },
	{ "two pairs", "\xe6\x9d\xb1\xe4\xba\xac\xe9\x83\xbd", CFS_OK, 1,
	  "x\xe5\xa4\xa7\xe6\x9d\xb1\xe4\xba\xac\xe9\x83\xbd\xe5\xba\x81",
	  "\xe6\x9d\xb1\xe4\xba\xac \xe4\xba\xac\xe9\x83\xbd" },
	{ "one of a pair", "\xe4\xba\xac", CFS_OK, 1,
	  "\xe6\x9d\xb1\xe4\xba\xac", "\xe6\x9d\xb1" },
	{ "a run's end and a word", "\"\xe4\xba\xac x\"", CFS_OK, 1,
	  "\xe6\x9d\xb1\xe4\xba\xac x", "\xe4\xba\xac\xe6\x9d\xb1 x" },
	{ "a word and a run's beginning", "\"x \xe4\xba\xac\"", CFS_OK, 1,
	  "x\xe4\xba\xac\xe6\x9d\xb1", "x \xe6\x9d\xb1\xe4\xba\xac" },
	{ "a lone one between", "\"x \xe4\xba\xac x\"", CFS_OK, 1,
	  "x\xe4\xba\xacx", "x\xe6\x9d\xb1\xe4\xba\xac x" },
	{ "nothing", "", CFS_EUSAGE, 0, NULL, NULL },
	{ "no word", " -+\"\" \xff", CFS_EUSAGE, 0, NULL, NULL },
};

static void typed_case(void **state)
{
	const struct typed_case *tc = *state;
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_word_query *q;

	assert_int_equal(cfs_word_query_parse(&q, cfs_slice_str(tc->typed),
					      &err), tc->rc);
	if (tc->rc != CFS_OK) {
		assert_true(err.text[0] != '\0');
		return;
	}
	assert_int_equal(cfs_word_query_terms(q), tc->terms);
	assert_true(cfs_word_query_matches(q, cfs_slice_str(tc->matches)));
	assert_false(cfs_word_query_matches(q, cfs_slice_str(tc->differs)));
	cfs_word_query_free(q);
}

static void limits_of_queries(void **state)
{
	char typed[CFS_WORD_QUERY_MAX + 2];
	struct cfs_word_query *q;

	(void)state;
	for (size_t i = 0; i < sizeof(typed); i += 2)
		memcpy(typed + i, "a ", 2);
	assert_int_equal(cfs_word_query_parse(&q, cfs_slice_of(typed, 64),
					      NULL), CFS_OK);
	cfs_word_query_free(q);
	assert_int_equal(cfs_word_query_parse(&q, cfs_slice_of(typed, 65),
					      NULL), CFS_EUSAGE);
	typed[0] = '"';
	assert_int_equal(cfs_word_query_parse(
		&q, cfs_slice_of(typed, 2 * CFS_WORD_TOKENS_MAX + 2), NULL),
		CFS_OK);
	assert_false(cfs_word_query_matches(
		q, cfs_slice_of(typed, 2 * CFS_WORD_TOKENS_MAX)));
	assert_true(cfs_word_query_matches(
		q, cfs_slice_of(typed, CFS_WORD_QUERY_MAX)));
	cfs_word_query_free(q);
	assert_int_equal(cfs_word_query_parse(
		&q, cfs_slice_of(typed, 2 * CFS_WORD_TOKENS_MAX + 3), NULL),
		CFS_EUSAGE);
	memset(typed, '-', sizeof(typed));
	typed[0] = 'a';
	assert_int_equal(cfs_word_query_parse(
		&q, cfs_slice_of(typed, CFS_WORD_QUERY_MAX), NULL), CFS_OK);
	cfs_word_query_free(q);
	assert_int_equal(cfs_word_query_parse(
		&q, cfs_slice_of(typed, CFS_WORD_QUERY_MAX + 1), NULL),
		CFS_EUSAGE);
	memset(typed, 'a', CFS_WORD_MAX + 1);
	assert_int_equal(cfs_word_query_parse(
		&q, cfs_slice_of(typed, CFS_WORD_MAX), NULL), CFS_OK);
	cfs_word_query_free(q);
	assert_int_equal(cfs_word_query_parse(
		&q, cfs_slice_of(typed, CFS_WORD_MAX + 1), NULL), CFS_EUSAGE);
}

static void marks(void **state)
{
	struct cfs_slice text = CFS_SLICE_LIT("An odd thing, odd-thing. odd");
	struct cfs_word_query *q;
	struct cfs_word_place at[8];

	(void)state;
	assert_int_equal(cfs_word_query_parse(
		&q, CFS_SLICE_LIT("\"odd thing\" AN+odd"), NULL), CFS_OK);
	assert_int_equal(cfs_word_query_terms(q), 3);
	assert_true(cfs_slice_eq(cfs_word_query_term(q, 0),
				 CFS_SLICE_LIT("odd thing")));
	assert_int_equal(cfs_word_query_places(q, text, at, COUNT(at)), 6);
	assert_true(at[0].term == 1 && at[0].from == 0 && at[0].to == 2);
	assert_true(at[2].term == 0 && at[2].from == 3 && at[2].to == 12);
	cfs_word_query_free(q);
}

UNIT_PROGRAM
{
	UNIT_ROWS(typed_cases, typed_case);
	UNIT_TEST(limits_of_queries);
	UNIT_TEST(marks);
	return unit_run("word_query");
}
