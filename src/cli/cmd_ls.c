/* cmd_ls.c - crawlfs ls: the tree without a mount.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "commands.h"
#include "crawl/file_info.h"
#include "output.h"
#include "crawl/target.h"

#define ALL_VIEWS (((1u << CFS_VIEW_COUNT) - 1) & ~1u)
#define STOPPED 2

struct ls {
	struct cfs_crawl *crawl;
	const struct cfs_cancel *cancel;
	struct cfs_error err;
	cfs_view_set views;
	bool is_long, is_recursive;
	struct cfs_slice begin;		/* only names that begin so */
	struct cfs_buf path;		/* with -R: in front of each name */
	/* with -R: a directory to go down into, and where to go on after */
	bool has_child;
	struct cfs_node child;
	uint64_t cookie;
};

static void format_time(int64_t t, char out[32])
{
	time_t when = (time_t)t;
	struct tm tm;

	if (gmtime_r(&when, &tm) == NULL ||
	    strftime(out, 32, "%Y-%m-%d %H:%M:%S", &tm) == 0)
		snprintf(out, 32, "%" PRId64, t);
}

/* Type, size (~ before a guess), time in UTC. */
static void print_facts(struct ls *ls, const struct cfs_node *node)
{
	struct cfs_file_info info = { .mtime = ls->crawl->mtime };
	char when[32], size[32] = "-";
	bool is_dir = node->type == CFS_NODE_DIR;

	if (!is_dir && cfs_file_info_get(ls->crawl, node, &info, ls->cancel,
					NULL) != CFS_OK)
		snprintf(size, sizeof(size), "?");
	else if (!is_dir)
		snprintf(size, sizeof(size), "%s%" PRIu64,
			 info.size_kind == CFS_SIZE_GUESS ? "~" : "", info.size);
	format_time(info.mtime, when);
	cfs_out_f("%s %12s %s ", is_dir ? "dr-xr-xr-x" : "-r--r--r--", size,
		  when);
}

static bool print_entry(struct ls *ls, struct cfs_slice name,
			const struct cfs_node *node)
{
	if (ls->is_long)
		print_facts(ls, node);
	cfs_out_text(cfs_buf_slice(&ls->path));
	cfs_out_text(name);
	return cfs_out_bytes(node->type == CFS_NODE_DIR ?
			     CFS_SLICE_LIT("/\n") : CFS_SLICE_LIT("\n"));
}

static bool begins_so(const struct ls *ls, struct cfs_slice text,
		      const struct cfs_node *dir)
{
	struct cfs_name name;

	(void)dir;
	if (ls->begin.n == 0)
		return true;
	return cfs_name_parse(text, CFS_ZONE_PATH, &name) &&
	       cfs_slice_starts(cfs_slice_of(name.comp, name.comp_n), ls->begin);
}

static int on_name(void *arg, struct cfs_slice name,
		   const struct cfs_node *node, uint64_t cookie)
{
	struct ls *ls = arg;

	if (!begins_so(ls, name, node))
		return 0;
	if (!print_entry(ls, name, node))
		return 1;
	if (!ls->is_recursive || node->type != CFS_NODE_DIR)
		return 0;
	ls->has_child = true;
	ls->child = *node;
	ls->cookie = cookie;
	cfs_buf_add(&ls->path, name);
	cfs_buf_addc(&ls->path, '/');
	return 1;
}

/* A directory on the way down. */
struct level {
	struct cfs_node dir;
	uint64_t cookie;
	size_t path_n;
	struct cfs_slice begin;
};

/* Lists a directory; with -R goes down at each child and comes back to where
 * it was: memory is bounded by the depth. */
static int list_dir(struct ls *ls, const struct cfs_node *dir)
{
	struct level *levels = malloc((CFS_DEPTH_MAX + 1) * sizeof(*levels));
	unsigned n = 1;
	int rc = CFS_OK;

	if (levels == NULL)
		return cfs_error_set(&ls->err, CFS_ENOMEM, "out of memory");
	levels[0] = (struct level){ *dir, 0, ls->path.n, ls->begin };
	while (n > 0 && rc == CFS_OK && cfs_out_ok()) {
		struct level *l = &levels[n - 1];

		ls->has_child = false;
		ls->begin = l->begin;
		ls->path.n = l->path_n;
		rc = cfs_tree_list(ls->crawl, &l->dir, ls->views, l->cookie,
				   false, on_name, ls, ls->cancel,
				   &ls->err);
		if (rc == CFS_OK && cfs_cancelled(ls->cancel))
			rc = CFS_EINTR;
		if (!ls->has_child) {
			n--;
		} else if (n <= CFS_DEPTH_MAX) {
			l->cookie = ls->cookie;
			levels[n++] = (struct level){ ls->child, 0, ls->path.n,
						      CFS_SLICE_EMPTY };
		}
	}
	free(levels);
	return rc;
}

/* The listed name of a file, with -R its whole path. */
static int list_file(struct ls *ls, const struct cfs_node *node)
{
	struct cfs_buf path;
	struct cfs_slice name;
	int rc;

	cfs_buf_init(&path, 4 * CFS_KEY_MAX);
	rc = cfs_tree_path(ls->crawl, node, &path, ls->cancel, &ls->err);
	name = cfs_buf_slice(&path);
	if (!ls->is_recursive)
		name = cfs_slice_from(name,
				      (size_t)(cfs_slice_rfind(name, '/') + 1));
	ls->path.n = 0;
	if (rc == CFS_OK && !print_entry(ls, name, node))
		rc = STOPPED;
	cfs_buf_release(&path);
	return rc;
}

static int on_capture(void *arg, const struct cfs_iter *it,
		      const struct cfs_capture *cap)
{
	struct ls *ls = arg;
	int rc = CFS_OK;

	(void)cap;
	for (unsigned v = CFS_VIEW_RAW; v < CFS_VIEW_COUNT && rc == CFS_OK; v++) {
		struct cfs_node node = { .type = CFS_NODE_FILE, .pos = it->pos,
					 .view = (enum cfs_view)v };

		if (ls->views & 1u << v)
			rc = list_file(ls, &node);
	}
	return rc;
}

static int list_target(struct ls *ls, const struct cfs_target *t)
{
	struct cfs_node node;
	int rc;

	if (t->kind == CFS_TARGET_NODE && t->node.type == CFS_NODE_FILE) {
		rc = list_file(ls, &t->node);
		return rc == STOPPED ? CFS_OK : rc;
	}
	rc = cfs_target_dir(t, &node, ls->cancel, &ls->err);
	if (rc == CFS_OK) {
		if (t->kind == CFS_TARGET_BEGIN)
			ls->begin = t->begin;
		if (ls->is_recursive)
			rc = cfs_tree_path(ls->crawl, &node, &ls->path,
					   ls->cancel, &ls->err);
		if (ls->path.n > 0)
			cfs_buf_addc(&ls->path, '/');
		return rc == CFS_OK ? list_dir(ls, &node) : rc;
	}
	if (rc != CFS_ENOTFOUND)
		return rc;
	rc = cfs_target_each(t, on_capture, ls, ls->cancel, &ls->err);
	return rc == STOPPED ? CFS_OK : rc;
}

static bool is_empty(const struct cfs_target *t, const struct cfs_cancel *cancel)
{
	struct cfs_node node;

	if (t->kind == CFS_TARGET_NODE)
		return false;
	return cfs_target_dir(t, &node, cancel, NULL) == CFS_ENOTFOUND &&
	       cfs_target_file(t, &node, cancel, NULL) == CFS_ENOTFOUND;
}

static int list(struct ls *ls, const char *text)
{
	struct cfs_target *t = malloc(sizeof(*t));
	int rc;

	if (t == NULL)
		return cfs_error_set(&ls->err, CFS_ENOMEM, "out of memory");
	rc = cfs_target_init(t, ls->crawl, text, ls->cancel, &ls->err);
	if (rc == CFS_OK && is_empty(t, ls->cancel))
		rc = cfs_error_set(&ls->err, CFS_ENOTFOUND,
				   "'%s' is not in the index", t->text);
	if (rc == CFS_OK)
		rc = list_target(ls, t);
	cfs_target_release(t);
	free(t);
	return rc;
}

static int list_operands(struct ls *ls, char **texts, int n)
{
	int status = CFS_EXIT_OK, i = 0;

	do {
		int rc;

		cfs_error_clear(&ls->err);
		ls->begin = CFS_SLICE_EMPTY;
		cfs_buf_reset(&ls->path);
		rc = list(ls, n > 0 ? texts[i] : NULL);
		if (rc != CFS_OK)
			status = cfs_cli_fail(rc, &ls->err);
	} while (++i < n && status != CFS_EXIT_INTERRUPTED && cfs_out_ok());
	return status;
}

enum { OPT_VIEWS = CFS_OPT_OWN };

static int run(const struct cfs_command *cmd, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "long", no_argument, NULL, 'l' },
		{ "recursive", no_argument, NULL, 'R' },
		{ "all", no_argument, NULL, 'a' },
		{ "views", required_argument, NULL, OPT_VIEWS },
		CFS_SOURCE_LONGS, { NULL, 0, NULL, 0 }
	};
	struct cfs_args a = { cmd, argc, argv, ":hlRa", longs, 0 };
	struct cfs_source_args source = { .opts = { .data = NULL } };
	struct ls ls = { .views = CFS_VIEWS_DEFAULT };
	int c, status;

	while ((c = cfs_args_next(&a)) != CFS_OPT_END) {
		if (c == 'l')
			ls.is_long = true;
		else if (c == 'R')
			ls.is_recursive = true;
		else if (c == 'a')
			ls.views = ALL_VIEWS;
		else if (c == OPT_VIEWS) {
			if (cfs_view_set_parse(optarg, &ls.views, &ls.err) != 0)
				return cfs_cli_usage(cmd, "%s", ls.err.text);
		} else if (!cfs_source_args_take(&source, &a, c))
			return a.status;
	}
	if (optind == argc)
		return cfs_cli_usage(cmd, "no SOURCE is given");
	status = cfs_cli_open(&ls.crawl, argv[optind], &source);
	if (status != CFS_EXIT_OK)
		return status;
	ls.cancel = cfs_cli_catch_signals();
	cfs_buf_init(&ls.path, 4 * CFS_KEY_MAX);
	status = list_operands(&ls, argv + optind + 1, argc - optind - 1);
	cfs_buf_release(&ls.path);
	cfs_crawl_close(ls.crawl);
	return status;
}

const struct cfs_command cfs_cmd_ls = {
	.name = "ls",
	.summary = "list the tree without mounting it",
	.help =
	"usage: crawlfs ls SOURCE [URL|PREFIX|TREEPATH]...\n\n"
	"Lists a directory of the tree, or the files of a page.  Directories end\n"
	"in a slash.\n\n"
	"  -l, --long             with type, size (~ before an estimate) and time (UTC)\n"
	"  -R, --recursive        everything below, as paths from the root\n"
	"  -a, --all              all views: raw, meta, txt, headers, record\n"
	"      --views=V:V...     these views (raw:meta:txt)\n"
	CFS_SOURCE_HELP
	"\nExample:\n"
	"  crawlfs ls -l crawl.warc.gz http://www.gnu.org/software/\n",
	.run = run,
};
