/* cmd_ls.c - crawlfs ls: lists the tree without a mount.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "commands.h"
#include "crawl/choices.h"
#include "crawl/entry.h"
#include "crawl/file_info.h"
#include "output.h"
#include "source_args.h"

#define STOPPED 2
#define LINE_MAX_BYTES (32u * CFS_KEY_MAX)	/* a path and a name, each byte
						 * as \uXXXX */

struct ls {
	const struct cfs_options *o;
	struct cfs_crawl *crawl;
	struct cfs_ctx ctx;
	cfs_view_set views;
	bool is_long, is_recursive, is_json;
	bool has_listed;		/* a target is there */
	struct cfs_slice begin;		/* only names that begin so */
	/* The path of the directory, with a slash behind it: printed with -R,
	 * a part of the JSON. */
	struct cfs_buf path;
	struct cfs_buf line;		/* scratch: a line of JSON */
	bool has_file;			/* one was printed for the target */
	/* with -R: a directory to descend into, and where to resume after it */
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

/* Finds size and time; false if a file's size is not known.  A directory has
 * the time of the crawl. */
static bool get_facts(const struct ls *ls, const struct cfs_node *node,
		      struct cfs_file_info *out)
{
	*out = (struct cfs_file_info){ .mtime = ls->crawl->mtime };
	return node->type == CFS_NODE_DIR ||
	       cfs_file_info_get(ls->crawl, node, out,
				 CFS_CTX(ls->ctx.cancel, NULL)) == CFS_OK;
}

/* Prints type, size (~ before a guess) and time in UTC. */
static void print_facts(struct ls *ls, const struct cfs_node *node)
{
	struct cfs_file_info info;
	char when[32], size[32] = "-";
	bool is_dir = node->type == CFS_NODE_DIR;

	if (!get_facts(ls, node, &info))
		snprintf(size, sizeof(size), "?");
	else if (!is_dir)
		snprintf(size, sizeof(size), "%s%" PRIu64,
			 info.size_kind == CFS_SIZE_GUESS ? "~" : "",
			 info.size);
	format_time(info.mtime, when);
	cfs_out_f("%s %12s %s ", is_dir ? "dr-xr-xr-x" : "-r--r--r--", size,
		  when);
}

static void put_node(struct ls *ls, const struct cfs_node *node,
		     struct cfs_json *j)
{
	struct cfs_file_info info;
	bool is_known = get_facts(ls, node, &info);

	cfs_json_put_str(j, "type", node->type == CFS_NODE_DIR ?
			 CFS_SLICE_LIT("directory") : CFS_SLICE_LIT("file"));
	if (node->type == CFS_NODE_FILE) {
		cfs_json_put_str(j, "view",
				 cfs_slice_str(cfs_view_name(node->view)));
		if (is_known) {
			cfs_json_put_uint(j, "size", info.size);
			cfs_json_put_bool(j, "size_is_estimate",
					  info.size_kind == CFS_SIZE_GUESS);
		}
	}
	if (is_known && info.mtime != 0)
		cfs_json_put_time(j, "time", info.mtime);
}

/* False once there is no memory for a line, or nobody reads it. */
static bool can_print(const struct ls *ls)
{
	return ls->path.failed == CFS_OK && ls->line.failed == CFS_OK &&
	       cfs_out_ok();
}

static bool print_entry_json(struct ls *ls, struct cfs_slice name,
			     const struct cfs_node *node)
{
	struct cfs_json j;
	size_t path_n = ls->path.n;

	cfs_buf_reset(&ls->line);
	cfs_buf_add(&ls->path, name);
	cfs_json_line_begin(&j, &ls->line);
	cfs_json_put_ascii(&j, "path", cfs_buf_slice(&ls->path),
			   CFS_JSON_ODD_SURROGATE);
	cfs_json_put_ascii(&j, "name", name, CFS_JSON_ODD_SURROGATE);
	put_node(ls, node, &j);
	cfs_json_line_end(&j);
	ls->path.n = path_n;
	return can_print(ls) && cfs_out_bytes(cfs_buf_slice(&ls->line));
}

static bool print_entry(struct ls *ls, struct cfs_slice name,
			const struct cfs_node *node)
{
	ls->has_file |= node->type == CFS_NODE_FILE;
	if (ls->is_json)
		return print_entry_json(ls, name, node);
	if (ls->is_long)
		print_facts(ls, node);
	if (ls->is_recursive)
		cfs_out_text(cfs_buf_slice(&ls->path));
	cfs_out_text(name);
	return cfs_out_bytes(node->type == CFS_NODE_DIR ?
			     CFS_SLICE_LIT("/\n") : CFS_SLICE_LIT("\n"));
}

static bool cmd_ls_is_wanted(const struct ls *ls, struct cfs_slice text)
{
	struct cfs_name name;

	if (ls->begin.n == 0)
		return true;
	return cfs_name_parse(text, CFS_ZONE_PATH, &name) &&
	       cfs_slice_starts(cfs_slice_of(name.comp, name.comp_n),
				ls->begin);
}

static int cmd_ls_on_name(void *arg, struct cfs_slice name,
			  const struct cfs_node *node, uint64_t cookie)
{
	struct ls *ls = arg;

	if (!cmd_ls_is_wanted(ls, name))
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

/* A directory being listed, on the way down. */
struct level {
	struct cfs_node dir;
	uint64_t cookie;
	size_t path_n;
	struct cfs_slice begin;
};

/* Lists a directory.  With -R descends into each child and resumes after it, so
 * memory is bounded by the depth. */
static int cmd_ls_list_dir(struct ls *ls, const struct cfs_node *dir)
{
	struct level *levels = malloc((CFS_DEPTH_MAX + 1) * sizeof(*levels));
	unsigned n = 1;
	int rc = CFS_OK;

	if (levels == NULL)
		return cfs_error_nomem(ls->ctx.err);
	levels[0] = (struct level){ *dir, 0, ls->path.n, ls->begin };
	while (n > 0 && rc == CFS_OK && can_print(ls)) {
		struct level *l = &levels[n - 1];

		ls->has_child = false;
		ls->begin = l->begin;
		ls->path.n = l->path_n;
		rc = cfs_tree_list(ls->crawl, &l->dir, ls->views, l->cookie, 0,
				   cmd_ls_on_name, ls, ls->ctx);
		if (rc == CFS_EFORMAT &&	/* told: the rest was listed */
		    cfs_holes_count(&ls->crawl->holes) > 0) {
			cfs_error_clear(ls->ctx.err);
			rc = CFS_OK;
		}
		if (rc == CFS_OK && cfs_cancelled(ls->ctx.cancel))
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

/* Lists a file by its name, or with -R by its whole path. */
static int list_file(struct ls *ls, const struct cfs_node *node)
{
	CFS_BUF(path, 4 * CFS_KEY_MAX);
	struct cfs_slice name;
	size_t dir_n;
	int rc = cfs_tree_path(ls->crawl, node, &path, ls->ctx);

	name = cfs_buf_slice(&path);
	dir_n = (size_t)(cfs_slice_rfind(name, '/') + 1);
	ls->path.n = 0;
	cfs_buf_add(&ls->path, cfs_slice_sub(name, 0, dir_n));
	name = cfs_slice_from(name, dir_n);
	if (rc == CFS_OK && !print_entry(ls, name, node))
		rc = STOPPED;
	return rc;
}

static int cmd_ls_on_capture(void *arg, const struct cfs_iter *it,
			     const struct cfs_capture *cap)
{
	struct ls *ls = arg;
	struct cfs_suffix suffix;
	int rc = CFS_OK;

	for (unsigned v = CFS_VIEW_RAW; v < CFS_VIEW_COUNT && rc == CFS_OK;
	     v++) {
		struct cfs_node node = { .type = CFS_NODE_FILE, .pos = it->pos,
					 .view = (enum cfs_view)v };

		if ((ls->views & 1u << v) &&
		    cfs_entry_suffix(ls->crawl, cap, node.view, &suffix,
				     ls->ctx.err) != CFS_ENOTFOUND)
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
	rc = cfs_target_dir(t, &node, ls->ctx);
	if (rc == CFS_OK) {
		if (t->kind == CFS_TARGET_BEGIN)
			ls->begin = t->begin;
		rc = cfs_tree_path(ls->crawl, &node, &ls->path, ls->ctx);
		if (ls->path.n > 0)
			cfs_buf_addc(&ls->path, '/');
		return rc == CFS_OK ? cmd_ls_list_dir(ls, &node) : rc;
	}
	if (rc != CFS_ENOTFOUND)
		return rc;
	rc = cfs_target_each(t, &ls->crawl->holes, cmd_ls_on_capture, ls,
			     ls->ctx);
	return rc == STOPPED ? CFS_OK : rc;
}

static bool cmd_ls_is_empty(const struct cfs_target *t,
			    const struct cfs_cancel *cancel)
{
	struct cfs_node node;

	if (t->kind == CFS_TARGET_NODE)
		return false;
	return cfs_target_dir(t, &node,
			      CFS_CTX(cancel, NULL)) == CFS_ENOTFOUND &&
	       cfs_target_file(t, &node,
			       CFS_CTX(cancel, NULL)) == CFS_ENOTFOUND;
}

/* Is the target of --prefix?  Of such a list some may cover nothing. */
static bool is_of_list(const struct cfs_options *o, const char *text)
{
	for (int i = o->n_typed; i < o->n_operands; i++)
		if (o->operands[i] == text)
			return true;
	return false;
}

static int cmd_ls_list(void *arg, const struct cfs_target *t,
		       struct cfs_ctx ctx)
{
	struct ls *ls = arg;
	int rc;

	ls->has_file = false;
	ls->crawl = t->crawl;
	ls->ctx = ctx;
	ls->begin = CFS_SLICE_EMPTY;
	cfs_buf_reset(&ls->path);
	cfs_buf_reset(&ls->line);
	if (cmd_ls_is_empty(t, ctx.cancel)) {
		cfs_choices_log(t, ctx.cancel);
		if (!is_of_list(ls->o, t->text))
			return cfs_error_set(ctx.err, CFS_ENOTFOUND,
					     "'%s' is not in the index%s",
					     t->text,
					     cfs_crawl_pick_suffix(t->crawl));
		cfs_log(CFS_LOG_WARNING, "'%s': no page is there%s", t->text,
			cfs_crawl_pick_suffix(t->crawl));
		return CFS_OK;
	}
	ls->has_listed = true;
	rc = list_target(ls, t);
	if (rc == CFS_OK && !can_print(ls) && cfs_out_ok())
		return cfs_error_nomem(ctx.err);
	if (rc == CFS_OK && !ls->has_file && ls->is_recursive)
		cfs_choices_log(t, ctx.cancel);
	return rc;
}

static int cmd_ls_run(struct cfs_options *o)
{
	struct ls ls = { .o = o, .views = o->views, .is_long = o->is_long,
			 .is_recursive = o->is_recursive,
			 .is_json = o->is_json };
	int status;

	cfs_buf_init(&ls.path, 4 * CFS_KEY_MAX);
	cfs_buf_init(&ls.line, LINE_MAX_BYTES);
	status = cfs_cli_each_target(o, cmd_ls_list, &ls);
	if (status == CFS_EXIT_OK && !ls.has_listed)
		status = CFS_EXIT_FAILURE;
	cfs_buf_release(&ls.path);
	cfs_buf_release(&ls.line);
	return status;
}

const struct cfs_command cfs_cmd_ls = {
	.name = "ls",
	.by = CFS_BY_LS,
	.summary = "list the tree without mounting it",
	.usage =
		"crawlfs ls SOURCE [URL|PREFIX|TREEPATH]...\n\n"
		"Lists a directory of the tree, or the files of a page.  Directories end\n"
		"in a slash.",
	.example =
		"  crawlfs ls -l crawl.warc.gz http://www.gnu.org/software/\n",
	.operands = { "SOURCE" },
	.run = cmd_ls_run,
};
