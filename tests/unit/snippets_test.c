/* snippets_test.c - the parts of a text that a search shows, and their marks.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "base/utf8.h"
#include "crawl/results.h"
#include "rng.h"

/* Appends a part as it is shown: "12: ... a [word] of it ..." */
static void add_shown(struct cfs_buf *out, const struct cfs_snippet *s)
{
	size_t at = 0;

	cfs_buf_addf(out, "%u:%s ", (unsigned)s->line,
		     s->is_cut_before ? " ..." : "");
	for (size_t i = 0; i < s->n_marks; i++) {
		cfs_buf_add(out, cfs_slice_sub(s->text, at,
					       s->marks[i].from - at));
		cfs_buf_addc(out, '[');
		at = s->marks[i].from;
		cfs_buf_add(out, cfs_slice_sub(s->text, at,
					       s->marks[i].to - at));
		cfs_buf_addc(out, ']');
		at = s->marks[i].to;
	}
	cfs_buf_add(out, cfs_slice_from(s->text, at));
	cfs_buf_adds(out, s->is_cut_behind ? " ...\n" : "\n");
}

#define SENTENCE "This sentence has enough bytes to be taken for a sentence: "
#define TEN "ten bytes "
#define FORTY TEN TEN TEN TEN
#define LONG FORTY FORTY FORTY FORTY FORTY FORTY

static const struct shown_case {
	const char *name, *query, *text, *shown;
} shown_cases[] = {
	{ "nothing", "fox", "no such animal", "" },
	{ "an empty text", "fox", "", "" },
	{ "a line", "fox", "a\nThe Fox\nb", "2: The [Fox]\n" },
	{ "all terms, in the order of the text", "two one",
	  "nav one\nb\nnav two\n", "1: nav [one]\n3: nav [two]\n" },
	{ "both in one line first", "two one",
	  "one\ntwo\none two\n", "3: [one] [two]\n" },
	{ "a sentence before a menu", "fox",
	  "fox\n" SENTENCE "fox\nfox tail\n", "2: " SENTENCE "[fox]\n" },
	{ "further sentences, not the same twice", "fox",
	  SENTENCE "fox\n" SENTENCE "fox\nX " SENTENCE "fox\n",
	  "1: " SENTENCE "[fox]\n3: X " SENTENCE "[fox]\n" },
	{ "a phrase", "\"red fox\"", "fox\nred\nred, fox", "3: [red, fox]\n" },
	{ "the middle of a long line", "fox", LONG "the fox runs. " LONG,
	  "1: ... " FORTY TEN TEN TEN "the [fox] runs. " FORTY FORTY FORTY
	  TEN TEN TEN "ten ...\n" },
	{ "pairs as one mark", "\xe5\x8c\x97\xe4\xba\xac\xe5\xb8\x82",
	  "x \xe5\x8c\x97\xe4\xba\xac\xe5\xb8\x82 y",
	  "1: x [\xe5\x8c\x97\xe4\xba\xac\xe5\xb8\x82] y\n" },
};

static void shown_case(void **state)
{
	const struct shown_case *tc = *state;
	struct cfs_snippet parts[CFS_SNIPPETS_MAX];
	struct cfs_word_query *q;
	struct cfs_buf shown;
	unsigned n;

	cfs_buf_init(&shown, 1 << 16);
	assert_int_equal(cfs_word_query_parse(&q, cfs_slice_str(tc->query),
					      NULL), CFS_OK);
	assert_int_equal(cfs_snippets_find(q, cfs_slice_str(tc->text), parts,
					   &n, NULL), CFS_OK);
	for (unsigned i = 0; i < n; i++)
		add_shown(&shown, &parts[i]);
	assert_string_equal(cfs_buf_str(&shown), tc->shown);
	cfs_buf_release(&shown);
	cfs_word_query_free(q);
}

/* ---- any text ------------------------------------------------------------ */

/* Checks the rules for the parts of any text. */
static void check_part(const struct cfs_word_query *q, struct cfs_slice text,
		       const struct cfs_snippet *part)
{
	uint64_t line = 1;
	size_t at = 0;

	assert_true(part->from <= text.n &&
		    part->text.n <= text.n - part->from);
	assert_ptr_equal(part->text.p, text.p + part->from);
	assert_true(part->text.n <= CFS_SNIPPET_BYTES);
	assert_int_equal(cfs_slice_find(part->text, '\n'), -1);
	for (size_t i = 0; i < part->from; i++)
		line += text.p[i] == '\n';
	assert_int_equal(part->line, line);
	assert_true(part->is_cut_before || part->from == 0 ||
		    text.p[part->from - 1] == '\n');
	assert_true(part->n_marks > 0);
	for (size_t i = 0; i < part->n_marks; i++) {
		const struct cfs_mark *m = &part->marks[i];

		assert_true(m->from >= at && m->from < m->to &&
			    m->to <= part->text.n);
		at = m->to;
	}
	/* a phrase may reach beyond its line */
	if (cfs_slice_find(cfs_word_query_term(q, 0), ' ') < 0 &&
	    cfs_word_query_terms(q) == 1)
		assert_true(cfs_word_query_matches(q, part->text));
}

static void any_text(void **state)
{
	static const char *const bits[] = { "fox", "FOX", "red", " ", " ", ".",
		"\n", "\xc3\xa9", "\xe5\x8c\x97", "\xe4\xba\xac", "\xff", "a",
		"\xf0\x9f\xa6\x8a", LONG };
	static const char *const queries[] = { "fox", "red fox",
		"\"red fox\"", "\xe5\x8c\x97\xe4\xba\xac fox", "a" };
	struct cfs_snippet parts[CFS_SNIPPETS_MAX];
	uint64_t seed = 1;

	(void)state;
	for (unsigned round = 0; round < 3000; round++) {
		struct cfs_word_query *q;
		struct cfs_buf text;
		unsigned n;

		cfs_buf_init(&text, 1 << 20);
		for (uint64_t i = rng_below(&seed, 200); i > 0; i--)
			cfs_buf_adds(&text, bits[rng_below(&seed,
							   COUNT(bits))]);
		assert_int_equal(cfs_word_query_parse(&q, cfs_slice_str(
			queries[round % COUNT(queries)]), NULL), CFS_OK);
		assert_int_equal(cfs_snippets_find(q, cfs_buf_slice(&text),
						   parts, &n, NULL), CFS_OK);
		if (cfs_word_query_matches(q, cfs_buf_slice(&text)))
			assert_true(n > 0);
		for (unsigned i = 0; i < n; i++) {
			check_part(q, cfs_buf_slice(&text), &parts[i]);
			if (i > 0)
				assert_true(parts[i - 1].from +
					    parts[i - 1].text.n <=
					    parts[i].from);
		}
		cfs_word_query_free(q);
		cfs_buf_release(&text);
	}
}

/* A text of one line and many places takes no longer than one of many lines. */
static void long_line(void **state)
{
	struct cfs_snippet parts[CFS_SNIPPETS_MAX];
	struct cfs_word_query *q;
	struct cfs_buf text;
	unsigned n;

	(void)state;
	cfs_buf_init(&text, 32 << 20);
	for (unsigned i = 0; i < 1000000; i++)
		cfs_buf_addf(&text, "%s %u ", i % 2 == 0 ? "fox" : "longer", i);
	assert_int_equal(text.failed, CFS_OK);
	assert_int_equal(cfs_word_query_parse(&q, CFS_SLICE_LIT("fox longer"),
					      NULL), CFS_OK);
	assert_int_equal(cfs_snippets_find(q, cfs_buf_slice(&text), parts, &n,
					   NULL), CFS_OK);
	assert_int_equal(n, CFS_SNIPPETS_MAX);
	cfs_word_query_free(q);
	cfs_buf_release(&text);
}

UNIT_PROGRAM
{
	UNIT_ROWS(shown_cases, shown_case);
	UNIT_TEST(any_text);
	UNIT_TEST(long_line);
	return unit_run("snippets");
}
