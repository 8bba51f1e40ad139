/* cmd_lookup.c - crawlfs lookup: captures, one CDXJ line each.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "cdxj.h"
#include "commands.h"
#include "output.h"
#include "crawl/target.h"

#define LINE_MAX_BYTES (16u * CFS_KEY_MAX)	/* every byte \uXXXX, twice */
#define STOPPED 2

struct lookup {
	struct cfs_crawl *crawl;
	const struct cfs_cancel *cancel;
	struct cfs_error err;
	uint64_t limit, found;		/* limit 0: none */
	struct cfs_buf url, archive, line;
};

static int on_capture(void *arg, const struct cfs_iter *it,
		      const struct cfs_capture *cap)
{
	struct lookup *l = arg;
	struct cfs_index *ix = l->crawl->index;
	int rc;

	cfs_buf_reset(&l->url);
	cfs_buf_reset(&l->archive);
	cfs_buf_reset(&l->line);
	rc = cfs_index_key_url(ix, it->key, cap, &l->url);
	if (rc == CFS_OK)
		rc = cfs_index_archive_name(ix, &cap->loc, &l->archive, &l->err);
	if (rc == CFS_OK)
		rc = cfs_cdxj_line(cfs_buf_slice(&l->url), cap,
				   cfs_buf_slice(&l->archive), &l->line);
	if (rc != CFS_OK)
		return rc;
	if (!cfs_out_bytes(cfs_buf_slice(&l->line)))
		return STOPPED;
	return ++l->found == l->limit ? STOPPED : CFS_OK;
}

static int look_up(struct lookup *l, const char *text)
{
	struct cfs_target *t = malloc(sizeof(*t));
	int rc;

	if (t == NULL)
		return cfs_error_set(&l->err, CFS_ENOMEM, "out of memory");
	l->found = 0;
	rc = cfs_target_init(t, l->crawl, text, l->cancel, &l->err);
	if (rc == CFS_OK)
		rc = cfs_target_each(t, on_capture, l, l->cancel, &l->err);
	if (rc == STOPPED)
		rc = CFS_OK;
	if (rc == CFS_OK && l->found == 0 && cfs_out_ok())
		rc = cfs_error_set(&l->err, CFS_ENOTFOUND,
				   "'%s' is not in the index", text);
	cfs_target_release(t);
	free(t);
	return rc;
}

static int look_up_all(struct lookup *l, char **texts)
{
	int status = CFS_EXIT_OK;

	cfs_buf_init(&l->url, 4 * CFS_KEY_MAX);
	cfs_buf_init(&l->archive, 1 << 16);
	cfs_buf_init(&l->line, LINE_MAX_BYTES);
	for (; *texts != NULL && status != CFS_EXIT_INTERRUPTED && cfs_out_ok();
	     texts++) {
		int rc = look_up(l, *texts);

		if (rc != CFS_OK)
			status = cfs_cli_fail(rc, &l->err);
		cfs_error_clear(&l->err);
	}
	cfs_buf_release(&l->url);
	cfs_buf_release(&l->archive);
	cfs_buf_release(&l->line);
	return status;
}

enum { OPT_LIMIT = CFS_OPT_OWN };

static int run(const struct cfs_command *cmd, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "limit", required_argument, NULL, OPT_LIMIT },
		CFS_SOURCE_LONGS, { NULL, 0, NULL, 0 }
	};
	struct cfs_args a = { cmd, argc, argv, ":h", longs, 0 };
	struct cfs_source_args source = { .opts = { .data = NULL } };
	struct lookup l = { .limit = 0 };
	int c, status;

	while ((c = cfs_args_next(&a)) != CFS_OPT_END) {
		if (c == OPT_LIMIT) {
			if (!cfs_cli_parse_count(optarg, UINT64_MAX, &l.limit))
				return cfs_cli_usage(cmd,
					"--limit: '%s' is no number from 1 on",
					optarg);
		} else if (!cfs_source_args_take(&source, &a, c)) {
			return a.status;
		}
	}
	if (argc - optind < 2)
		return cfs_cli_usage(cmd, optind == argc ? "no SOURCE is given" :
				     "no URL or PREFIX is given");
	status = cfs_cli_open(&l.crawl, argv[optind], &source);
	if (status != CFS_EXIT_OK)
		return status;
	l.cancel = cfs_cli_catch_signals();
	status = look_up_all(&l, argv + optind + 1);
	cfs_crawl_close(l.crawl);
	return status;
}

const struct cfs_command cfs_cmd_lookup = {
	.name = "lookup",
	.summary = "list the captures of an URL or below a prefix",
	.help =
	"usage: crawlfs lookup SOURCE URL|PREFIX|TREEPATH...\n\n"
	"Lists captures in index order, one CDXJ line each: the SURT key, the\n"
	"time (UTC), and where the record is.\n\n"
	"      --limit=N          at most so many of each\n"
	CFS_SOURCE_HELP
	"\nExample:\n"
	"  crawlfs lookup crawl.cfx org.gnu.www/software --limit=10\n",
	.run = run,
};
