/* matcher_test.c - the work that is counted while a pattern is looked for in one
 * long line: it is linear in the line, or the search ends; and the characters of
 * classes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "grep/matcher_internal.h"

#include <string.h>
#include <wctype.h>

#include "base/utf8.h"

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

/* The work of finding all spans of two patterns, which are matched one by one,
 * in a line of `count` matches of the first. */
static uint64_t work_of_spans(size_t count)
{
	static const char patterns[] = "x[0-9]\n\\(q\\)\\1.*z";
	const struct cfs_matcher_opts opts = {
		.syntax = CFS_EXPRESSION_BASIC };
	size_t line[2], span[2] = { 0, 0 };
	struct cfs_matching *g;
	struct cfs_matcher *m;
	uint64_t work;
	CFS_BUF(text, SIZE_MAX / 2);

	for (size_t i = 0; i < count; i++)
		cfs_buf_adds(&text, "x1, ");
	cfs_buf_adds(&text, "qqz\n");
	assert_int_equal(cfs_matcher_new(&m, cfs_slice_str(patterns), &opts,
					 NULL), CFS_OK);
	g = cfs_matching_new(m);
	assert_non_null(g);
	cfs_matching_begin(g, cfs_buf_slice(&text));
	assert_int_equal(cfs_matching_line(g, 0, line, CFS_CTX(NULL, NULL)),
			 CFS_OK);
	for (size_t i = 0; i <= count; i++) {
		assert_int_equal(cfs_matching_span(g, line, span[1], span,
						   CFS_CTX(NULL, NULL)),
				 CFS_OK);
		assert_int_equal(span[0], 4 * i);
		assert_int_equal(span[1], 4 * i + (i < count ? 2 : 3));
	}
	work = cfs_matching_work(g);
	assert_int_equal(cfs_matching_span(g, line, span[1], span,
					   CFS_CTX(NULL, NULL)), CFS_END);
	/* spans before it are found, too */
	assert_int_equal(cfs_matching_span(g, line, 3, span,
					   CFS_CTX(NULL, NULL)), CFS_OK);
	assert_int_equal(span[0], 4);
	cfs_matching_free(g);
	cfs_matcher_free(m);
	return work;
}

/* Each pattern is sought once in a line, however many matches of
 * another one come before its own. */
static void spans_of_several(void **state)
{
	uint64_t half = work_of_spans(LINE / 8);

	(void)state;
	assert_in_range(work_of_spans(LINE / 4), 1, 3 * half);
}

/* ---- classes ---- */

static const char *const classes[] = {
	"alpha", "digit", "alnum", "upper", "lower", "space", "blank", "punct",
	"print", "graph", "cntrl", "xdigit",
};

static bool is_tested(uint32_t c)
{
	return c != '\n' && (c < 0xd800 || c > 0xdfff);
}

/* Each character, in order. */
static void add_all_characters(struct cfs_buf *out)
{
	uint8_t utf8[4];

	for (uint32_t c = 1; c < 0x110000; c++)
		if (is_tested(c))
			cfs_buf_append(out, utf8, cfs_utf8_put(utf8, c));
}

/* A class has the characters that the C library counts among it, and its
 * opposite the others. */
static void check_class(struct cfs_char_classes *known, const char *name,
			struct cfs_slice all, bool is_opposite)
{
	wctype_t type = wctype_l(name, known->locale);
	pcre2_match_data *m = pcre2_match_data_create(1, NULL);
	struct cfs_expression_traits traits;
	size_t at = 0, run[2] = { 0, 0 };
	CFS_BUF(pattern, 100);
	CFS_BUF(text, 1 << 20);
	CFS_BUF(runs, 1 << 20);
	pcre2_code *code;
	PCRE2_SIZE where;
	uint8_t utf8[4];
	int error;

	cfs_buf_addf(&pattern, "[%s[:%s:]]+", is_opposite ? "^" : "", name);
	assert_int_equal(cfs_expression_translate(cfs_buf_slice(&pattern),
			CFS_EXPRESSION_EXTENDED, false, known, &text, &runs,
			&traits, NULL), CFS_OK);
	code = pcre2_compile(text.p, text.n, PCRE2_UTF, &error, &where, NULL);
	assert_non_null(code);
	/* As src/grep does; the interpreter takes ten times as long. */
	pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
	for (uint32_t c = 1; c < 0x110000; c++) {
		bool has;

		if (!is_tested(c))
			continue;
		if (at >= run[1] && at < all.n) {
			if (pcre2_match(code, all.p, all.n, at,
					PCRE2_NO_UTF_CHECK, m, NULL) > 0)
				memcpy(run, pcre2_get_ovector_pointer(m),
				       sizeof(run));
			else
				run[0] = run[1] = all.n;
		}
		has = at >= run[0] && at < run[1];
		if (has != ((iswctype_l((wint_t)c, type, known->locale) != 0) !=
			    is_opposite))
			fail_msg("[:%s:] %d: U+%04X", name, is_opposite,
				 (unsigned)c);
		at += cfs_utf8_put(utf8, c);
	}
	pcre2_code_free(code);
	pcre2_match_data_free(m);
}

static void all_classes(void **state)
{
	struct cfs_char_classes known;
	CFS_BUF(all, SIZE_MAX / 2);

	(void)state;
	assert_int_equal(cfs_char_classes_init(&known, NULL), CFS_OK);
	add_all_characters(&all);
	/* the opposite is made of what is kept of the class */
	for (size_t i = 0; i < COUNT(classes); i++) {
		check_class(&known, classes[i], cfs_buf_slice(&all), false);
		check_class(&known, classes[i], cfs_buf_slice(&all), true);
	}
	cfs_char_classes_release(&known);
}

/* PCRE2 writes repeated groups out, up to 64 KiB. */
static void repeated_classes(void **state)
{
	static const char pattern[] =
		"([[:alpha:]]+ [[:upper:]][[:lower:]]+ ){16}";
	const struct cfs_matcher_opts opts = {
		.syntax = CFS_EXPRESSION_EXTENDED };
	struct cfs_matcher *m;

	(void)state;
	assert_int_equal(cfs_matcher_new(&m, cfs_slice_str(pattern), &opts,
					 NULL), CFS_OK);
	cfs_matcher_free(m);
}

UNIT_PROGRAM
{
	UNIT_TEST(all_classes);
	UNIT_TEST(repeated_classes);
	UNIT_ROWS(works, work_case);
	UNIT_TEST(many_spans);
	UNIT_TEST(spans_of_several);
	return unit_run("matcher");
}
