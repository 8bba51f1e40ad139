/* grep_alloc_test.c - the 1st, 2nd, 3rd ... allocation fails while patterns are
 * compiled and a text is searched: CFS_ENOMEM, or the same bytes where it could
 * do without; and nothing leaked (ASan looks on).
 *
 * The linker sends malloc, calloc and realloc of our own code here.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "alloc_fail.h"
#include "grep/matcher.h"
#include "grep/page_lines.h"
#include "unit.h"

struct grep_case {
	const char *name, *patterns, *text;
	enum cfs_expression_syntax syntax;
	bool ignores_case;
	const char *want;
};

/* Expected lines are those of GNU grep 3.8 -o -b. */
static struct grep_case greps[] = {
	{ "several", "k[a-m]\nx\\1y\\?", "kb K\xe2\x84\xaa\nxy",
	  CFS_EXPRESSION_FIXED, false, "" },
	{ "letters in any case", "(o|k)+[a-m]",
	  "OKAY\n\xe2\x84\xaa" "a kk", CFS_EXPRESSION_EXTENDED, true,
	  "p:0:OKA\np:10:kk\n" },
	{ "a back reference", "\\(a\\)b\\1", "xaba\naba",
	  CFS_EXPRESSION_BASIC, false, "p:1:aba\np:5:aba\n" },
	{ "many steps", "(a|aa)+c", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa "
	  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa xaac\n",
	  CFS_EXPRESSION_EXTENDED, false, "p:65:aac\n" },
	{ "of Perl", "(?<=a)b+", "abb b\nbab", CFS_EXPRESSION_PERL, false,
	  "p:1:bb\np:8:b\n" },
};

static int add_p(void *arg, struct cfs_buf *out, struct cfs_error *err)
{
	(void)arg;
	(void)err;
	return cfs_buf_addc(out, 'p');
}

static int keep_all(void *arg, struct cfs_error *err)
{
	(void)arg;
	(void)err;
	return CFS_OK;
}

static int search(const struct grep_case *tc, struct cfs_buf *out)
{
	const struct cfs_matcher_opts how = { .syntax = tc->syntax,
					      .ignores_case =
						      tc->ignores_case };
	const struct cfs_page_lines_opts opts = {
		.only_matching = true, .has_offsets = true,
		.max_count = UINT64_MAX, .before = -1, .after = -1 };
	struct cfs_page_lines p = { .opts = &opts, .out = out, .name = add_p,
				    .more = keep_all };
	struct cfs_matcher *m;
	int rc = cfs_matcher_new(&m, cfs_slice_str(tc->patterns), &how, NULL);

	cfs_buf_init(out, (size_t)1 << 20);
	if (rc != CFS_OK)
		return rc;
	p.matching = cfs_matching_new(m);
	cfs_page_lines_init(&p);
	rc = p.matching == NULL ? CFS_ENOMEM :
	     cfs_page_lines_search(&p, cfs_slice_str(tc->text),
				   CFS_CTX(NULL, NULL));
	cfs_page_lines_release(&p);
	cfs_matching_free(p.matching);
	cfs_matcher_free(m);
	return rc;
}

static void grep_case(void **state)
{
	const struct grep_case *tc = *state;
	long n_failed = 0;

	for (long k = 0, last = -1; last < 0; k++) {
		struct cfs_buf got;
		int rc;

		countdown = k;
		rc = search(tc, &got);
		last = countdown;
		countdown = -1;
		if (rc == CFS_OK)
			assert_string_equal(cfs_buf_str(&got), tc->want);
		else
			assert_int_equal(rc, CFS_ENOMEM);
		n_failed += rc != CFS_OK;
		cfs_buf_release(&got);
	}
	assert_true(n_failed > 3);
}

UNIT_PROGRAM
{
	UNIT_ROWS(greps, grep_case);
	return unit_run("grep_alloc");
}
