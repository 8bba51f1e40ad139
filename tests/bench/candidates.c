/* candidates.c - how many texts crawlfs grep reads, and how many of them match.
 *
 *     candidates SYNTAX PATTERN INDEX [DATA]
 *         SYNTAX basic: an expression; text: the bytes; word: a whole word
 *
 * Prints "CANDIDATES HITS": the captures that the list of words names (all, if
 * it is not asked), and those whose text has the pattern.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "bench.h"

#include <string.h>

#include "grep/grep.h"

static int drop(void *write_arg, struct cfs_slice bytes)
{
	(void)write_arg;
	(void)bytes;
	return CFS_OK;
}

static void check(int rc, const struct cfs_error *err)
{
	if (rc != CFS_OK)
		bench_die("%s: %s", err->where, err->text);
}

int main(int argc, char **argv)
{
	struct cfs_crawl_opts opts = { .data = argc == 5 ? argv[4] : NULL };
	struct cfs_matcher_opts m = { .syntax = CFS_EXPRESSION_FIXED };
	struct cfs_grep_opts o = {
		.lines = { .list = CFS_GREP_LIST_WITH, .max_count = UINT64_MAX,
			   .before = -1, .after = -1 },
		.view = CFS_VIEW_TEXT, .write = drop };
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_grep_report report;
	struct cfs_matcher *matcher;
	struct cfs_crawl *crawl;

	if (argc != 4 && argc != 5)
		bench_die("usage: candidates SYNTAX PATTERN INDEX [DATA]");
	if (strcmp(argv[1], "basic") == 0)
		m.syntax = CFS_EXPRESSION_BASIC;
	m.is_word = strcmp(argv[1], "word") == 0;
	check(cfs_matcher_new(&matcher, cfs_slice_str(argv[2]), &m, &err),
	      &err);
	check(cfs_crawl_open(&crawl, argv[3], &opts, &err), &err);
	o.matcher = matcher;
	check(cfs_grep_run(crawl, &o, &report, CFS_CTX(NULL, &err)), &err);
	printf("%" PRIu64 " %" PRIu64 "\n", report.looked_at, report.matched);
	cfs_crawl_close(crawl);
	cfs_matcher_free(matcher);
	return 0;
}
