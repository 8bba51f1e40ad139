/* cmd_cat.c - crawlfs cat: a page or another view of it, without a mount.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "crawl/content.h"
#include "output.h"
#include "crawl/target.h"

struct cat {
	struct cfs_crawl *crawl;
	const struct cfs_cancel *cancel;
	enum cfs_view view;		/* NONE: as the target says */
	struct cfs_view_opts opts;
};

static int cat_node(struct cat *cat, struct cfs_node *node,
		    struct cfs_error *err)
{
	struct cfs_file_bytes content;
	int rc;

	if (cat->view != CFS_VIEW_NONE)
		node->view = cat->view;
	rc = cfs_content_load(cat->crawl, node, &cat->opts, &content,
			      cat->cancel, err);
	if (rc != CFS_OK)
		return rc;
	cfs_out_bytes(content.bytes);
	cfs_file_bytes_release(&content);
	return CFS_OK;
}

static int cat_one(struct cat *cat, const char *text)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_target *t = malloc(sizeof(*t));
	struct cfs_node node;
	int rc;

	if (t == NULL)
		rc = cfs_error_set(&err, CFS_ENOMEM, "out of memory");
	else
		rc = cfs_target_init(t, cat->crawl, text, cat->cancel, &err);
	if (rc == CFS_OK)
		rc = cfs_target_file(t, &node, cat->cancel, &err);
	if (rc == CFS_OK)
		rc = cat_node(cat, &node, &err);
	if (t != NULL)
		cfs_target_release(t);
	free(t);
	return rc == CFS_OK ? CFS_EXIT_OK : cfs_cli_fail(rc, &err);
}

enum { OPT_VIEW = CFS_OPT_OWN, OPT_META };

/* Takes an option of this command.  CFS_EXIT_OK or CFS_EXIT_USAGE. */
static int take_own(struct cat *cat, const struct cfs_command *cmd, int option,
		    const char *value)
{
	if (option == OPT_VIEW) {
		cat->view = cfs_view_by_name(cfs_slice_str(value));
		if (cat->view == CFS_VIEW_NONE)
			return cfs_cli_usage(cmd,
				"--view: '%s' is none of raw, meta, txt, headers and record",
				value);
		return CFS_EXIT_OK;
	}
	cat->opts.meta_compact = strcmp(value, "compact") == 0;
	if (!cat->opts.meta_compact && strcmp(value, "pretty") != 0)
		return cfs_cli_usage(cmd,
			"--meta: '%s' is neither 'compact' nor 'pretty'", value);
	return CFS_EXIT_OK;
}

static int run(const struct cfs_command *cmd, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "view", required_argument, NULL, OPT_VIEW },
		{ "meta", required_argument, NULL, OPT_META },
		CFS_SOURCE_LONGS, { NULL, 0, NULL, 0 }
	};
	struct cfs_args a = { cmd, argc, argv, ":h", longs, 0 };
	struct cfs_source_args source = { .opts = { .data = NULL } };
	struct cat cat = { .view = CFS_VIEW_NONE };
	int c, status, one;

	while ((c = cfs_args_next(&a)) != CFS_OPT_END) {
		if (c == OPT_VIEW || c == OPT_META) {
			status = take_own(&cat, cmd, c, optarg);
			if (status != CFS_EXIT_OK)
				return status;
		} else if (!cfs_source_args_take(&source, &a, c)) {
			return a.status;
		}
	}
	if (argc - optind < 2)
		return cfs_cli_usage(cmd, optind == argc ? "no SOURCE is given" :
				     "no URL or TREEPATH is given");
	status = cfs_cli_open(&cat.crawl, argv[optind], &source);
	if (status != CFS_EXIT_OK)
		return status;
	cat.cancel = cfs_cli_catch_signals();
	for (int i = optind + 1; i < argc && cfs_out_ok() &&
	     status != CFS_EXIT_INTERRUPTED; i++) {
		one = cat_one(&cat, argv[i]);
		status = one != CFS_EXIT_OK ? one : status;
	}
	cfs_crawl_close(cat.crawl);
	return status;
}

const struct cfs_command cfs_cmd_cat = {
	.name = "cat",
	.summary = "write a page, its text or its metadata to standard output",
	.help =
	"usage: crawlfs cat SOURCE URL|PREFIX|TREEPATH...\n\n"
	"Writes the bytes of a file of the tree, or of the page of an URL.\n\n"
	"      --view=VIEW        raw (the body), meta (JSON), txt (text in UTF-8),\n"
	"                         headers (as the server sent them) or record (the\n"
	"                         archive's own gzip member)\n"
	"      --meta=compact     metadata on one line\n"
	CFS_SOURCE_HELP
	"\nExample:\n"
	"  crawlfs cat crawl.warc.gz http://www.gnu.org/ --view=txt\n",
	.run = run,
};
