/* cmd_cat.c - crawlfs cat: writes a page or another view of it, without a
 * mount.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "commands.h"
#include "crawl/content.h"
#include "output.h"
#include "source_args.h"

struct cat {
	enum cfs_view view;		/* NONE: by the target */
	struct cfs_view_opts opts;
};

static int cat_target(void *arg, const struct cfs_target *t, struct cfs_ctx ctx)
{
	const struct cat *cat = arg;
	struct cfs_file_bytes content;
	struct cfs_node node;
	int rc = cfs_target_file(t, &node, ctx);

	if (rc != CFS_OK)
		return rc;
	if (cat->view != CFS_VIEW_NONE)
		node.view = cat->view;
	rc = cfs_content_load(t->crawl, &node, &cat->opts, &content, ctx);
	if (rc != CFS_OK)
		return rc;
	cfs_out_bytes(content.bytes);
	if (content.is_cut_off)
		rc = cfs_content_cut_off(t->crawl, &node, &content, ctx.err);
	cfs_file_bytes_release(&content);
	return rc;
}

static int cmd_cat_run(struct cfs_options *o)
{
	struct cat cat = { .view = (enum cfs_view)o->view,
			   .opts = { .meta_compact = o->meta } };

	return cfs_cli_each_target(o, cat_target, &cat);
}

const struct cfs_command cfs_cmd_cat = {
	.name = "cat",
	.by = CFS_BY_CAT,
	.summary = "write a page, its text or its metadata to standard output",
	.usage =
	"crawlfs cat SOURCE URL|PREFIX|TREEPATH...\n\n"
	"Writes the bytes of a file of the tree, or of the page of a URL.",
	.example =
	"  crawlfs cat crawl.warc.gz http://www.gnu.org/ --view=txt\n",
	.operands = { "SOURCE", "URL or TREEPATH" },
	.run = cmd_cat_run,
};
