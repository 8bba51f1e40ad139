/* fuzz_expression.c - any bytes as options, a pattern of grep, and a text.  A
 * pattern that is accepted compiles in PCRE2; each match is inside a line, and
 * has the runs that every match must have.
 *
 * Input: a byte of options, the pattern up to a line end, the text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "grep/matcher.h"

static void must(bool ok)
{
	if (!ok)
		abort();
}

/* A line that matches has all runs of a single alternative, as they are. */
static void check_runs(const struct cfs_matcher *m, struct cfs_slice line)
{
	struct cfs_slice runs = cfs_matcher_runs(m);

	for (;;) {
		struct cfs_slice run = cfs_slice_split(&runs, '\n');

		if (run.n == 0)
			break;
		if (runs.n > 1 && runs.p[0] == '\n')
			return;		/* it has other alternatives */
		must(cfs_slice_search(line, run) >= 0);
	}
}

static void check_lines(const struct cfs_matcher *m, struct cfs_slice text,
			bool is_exact)
{
	struct cfs_matching *g = cfs_matching_new(m);
	size_t line[2] = { 0, 0 }, span[2];

	must(g != NULL);
	cfs_matching_begin(g, text);
	while (cfs_matching_line(g, line[1], line, CFS_CTX(NULL, NULL)) ==
	       CFS_OK) {
		must(line[0] < line[1] && line[1] <= text.n &&
		     text.p[line[1] - 1] == '\n');
		if (is_exact)
			check_runs(m, cfs_slice_sub(text, line[0],
						    line[1] - line[0]));
		if (cfs_matching_span(g, line, line[0], span,
				      CFS_CTX(NULL, NULL)) == CFS_OK)
			must(span[0] >= line[0] && span[0] <= span[1] &&
			     span[1] < line[1]);
	}
	cfs_matching_free(g);
}

FUZZ_TARGET(data, size)
{
	struct cfs_slice rest = cfs_slice_of(data, size), pattern;
	struct cfs_matcher_opts opts;
	struct cfs_matcher *m;
	struct cfs_buf text;
	unsigned bits = size > 0 ? data[0] : 0;

	opts = (struct cfs_matcher_opts){
		.syntax = (enum cfs_expression_syntax)(bits % 4),
		.ignores_case = (bits & 4) != 0, .is_word = (bits & 8) != 0,
		.is_line = (bits & 16) != 0 };
	rest = cfs_slice_from(rest, 1);
	pattern = cfs_slice_split(&rest, '\n');
	cfs_buf_init(&text, SIZE_MAX / 2);
	cfs_buf_add(&text, cfs_slice_sub(rest, 0, 4096));
	cfs_buf_addc(&text, '\n');
	if (cfs_matcher_new(&m, pattern, &opts, NULL) == CFS_OK)
		check_lines(m, cfs_buf_slice(&text), !opts.ignores_case &&
			    cfs_slice_find(cfs_matcher_runs(m), 0) < 0);
	cfs_matcher_free(m);
	cfs_buf_release(&text);
	return 0;
}
