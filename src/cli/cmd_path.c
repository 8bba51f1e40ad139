/* cmd_path.c - crawlfs path (URL to name) and crawlfs url (name to URL).
 *
 * In a mounted tree MOUNT/.crawlfs/url/NUMBER holds the URL of the file with
 * that inode number.  A directory has no URL of its own; the one spelt by its
 * names is printed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/utf8.h"
#include "commands.h"
#include "crawl/names.h"
#include "crawl/target.h"
#include "crawl/tree.h"
#include "mounts.h"
#include "output.h"
#include "source_args.h"

/* Prints the answer for one operand or one line of standard input. */
typedef int answer_fn(struct cfs_crawl *c, const char *text,
		      struct cfs_ctx ctx);

static int print_line(struct cfs_buf *b)
{
	if (b->failed != CFS_OK)
		return b->failed;
	cfs_out_text(cfs_buf_slice(b));
	cfs_out_bytes(CFS_SLICE_LIT("\n"));
	return CFS_OK;
}

static int answer_one(struct cfs_crawl *c, const char *text, answer_fn *answer,
		      const struct cfs_cancel *cancel)
{
	struct cfs_error err = CFS_ERROR_INIT;
	int rc = answer(c, text, CFS_CTX(cancel, &err));

	return cfs_cli_end(rc, &err);
}

/* Answers each line of standard input. */
static int answer_stdin(struct cfs_crawl *c, answer_fn *answer,
			const struct cfs_cancel *cancel)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	int status = CFS_EXIT_OK;

	while (cfs_out_ok() && (n = getline(&line, &cap, stdin)) > 0) {
		int one;

		if (line[n - 1] == '\n')
			line[n - 1] = '\0';
		one = answer_one(c, line, answer, cancel);
		status = one != CFS_EXIT_OK ? one : status;
		if (one == CFS_EXIT_INTERRUPTED)
			break;
	}
	free(line);
	if (cfs_cancelled(cancel))
		return CFS_EXIT_INTERRUPTED;
	if (ferror(stdin)) {
		cfs_cli_error("standard input: %s", strerror(errno));
		return CFS_EXIT_FAILURE;
	}
	return status;
}

static int answer(void *arg, struct cfs_crawl *c, const char *text,
		  const struct cfs_cancel *cancel)
{
	answer_fn *const *fn = arg;

	return strcmp(text, "-") == 0 ? answer_stdin(c, *fn, cancel) :
					answer_one(c, text, *fn, cancel);
}

/* ---- URL to path ------------------------------------------------------ */

static int find_file(void *arg, const struct cfs_target *t, struct cfs_ctx ctx)
{
	return cfs_target_file(t, arg, ctx);
}

/* Finds the page of exactly this URL, which may have stars; else as
 * cfs_target_file. */
static int cmd_path_find_url(struct cfs_crawl *c, const char *url,
			     struct cfs_node *node, struct cfs_ctx ctx)
{
	int rc = cfs_tree_find_url(c, cfs_slice_str(url), node, ctx);

	return rc != CFS_ENOTFOUND ? rc :
	       cfs_target_with(c, url, find_file, node, ctx);
}

static int print_path(struct cfs_crawl *c, const char *url, struct cfs_ctx ctx)
{
	struct cfs_node node;
	CFS_BUF(path, 4 * CFS_KEY_MAX);
	int rc = cmd_path_find_url(c, url, &node, ctx);

	if (rc != CFS_OK)
		return ctx.err->code != CFS_OK ? rc :
		       cfs_error_set(ctx.err, CFS_ENOTFOUND,
				     "'%.200s' is not in the index%s", url,
				     cfs_crawl_pick_suffix(c));
	rc = cfs_tree_path(c, &node, &path, ctx);
	if (rc == CFS_OK)
		rc = print_line(&path);
	return rc;
}

static int run_path(struct cfs_options *o)
{
	answer_fn *fn = print_path;

	return cfs_cli_each_text(o, answer, &fn);
}

/* ---- path to URL, in a source ----------------------------------------- */

/* "http://" + host labels, innermost first + "/" + segments, each with a "/" */
static int url_of_components(const struct cfs_path *p, struct cfs_buf *out)
{
	cfs_buf_adds(out, "http://");
	for (unsigned i = p->host_n; i-- > 0;) {
		cfs_buf_add(out, p->comp[i]);
		if (i > 0)
			cfs_buf_addc(out, '.');
	}
	cfs_buf_addc(out, '/');
	for (unsigned i = p->host_n + 1; i < p->n; i++) {
		cfs_buf_add(out, p->comp[i]);
		cfs_buf_addc(out, '/');
	}
	return out->failed;
}

static int url_of_node(const struct cfs_target *t, struct cfs_buf *out,
		       struct cfs_ctx ctx)
{
	struct cfs_capture cap;
	struct cfs_iter it;
	int rc;

	if (t->node.type == CFS_NODE_DIR && t->node.depth == 0)
		return cfs_error_set(ctx.err, CFS_ENOTFOUND,
				     "the root of the tree has no URL");
	if (t->node.type == CFS_NODE_DIR)
		return url_of_components(&t->path, out);
	cfs_iter_init(&it);
	rc = cfs_index_at(t->crawl->index, t->node.pos, &it, ctx);
	if (rc == CFS_OK)
		rc = cfs_index_capture(&it, &cap, ctx.err);
	if (rc == CFS_OK)
		rc = cfs_index_key_url(t->crawl->index, it.key, &cap, out);
	cfs_iter_release(&it);
	return rc;
}

static int print_target_url(void *arg, const struct cfs_target *t,
			    struct cfs_ctx ctx)
{
	CFS_BUF(url, 4 * CFS_KEY_MAX);
	int rc;

	(void)arg;
	if (t->kind != CFS_TARGET_NODE)
		return cfs_error_set(ctx.err, CFS_ENOTFOUND,
				     "'%.200s' is not in the tree", t->text);
	rc = url_of_node(t, &url, ctx);
	if (rc == CFS_OK)
		rc = print_line(&url);
	return rc;
}

static int print_url(struct cfs_crawl *c, const char *path, struct cfs_ctx ctx)
{
	return cfs_target_with(c, path, print_target_url, NULL, ctx);
}

/* ---- path to URL, in a mount ------------------------------------------ */

#define FILE_MAX_BYTES (4u * CFS_KEY_MAX)

/* How many names below the mount's root are not part of the tree: one if
 * several sources are mounted side by side. */
static unsigned source_levels(const char *mount)
{
	return cfs_mounts_config(mount, "sources", NULL) > 1;
}

/* Appends the component that a directory's name stands for. */
static int add_component(struct cfs_path *p, bool *in_path,
			 struct cfs_slice name, struct cfs_buf *bytes,
			 struct cfs_error *err)
{
	struct cfs_name parsed;
	size_t at = bytes->n;

	if (p->n > CFS_DEPTH_MAX)
		return cfs_error_set(err, CFS_ELIMIT, "the path is too deep");
	if (!*in_path && cfs_slice_eq(name, CFS_SLICE_LIT("_"))) {
		*in_path = true;
		p->comp[p->n++] = name;
		return CFS_OK;
	}
	if (!cfs_name_parse(name, *in_path ? CFS_ZONE_PATH : CFS_ZONE_HOST,
			    &parsed))
		return cfs_error_set(err, CFS_ENOTFOUND,
				     "'%.*s' is not a name in the tree",
				     (int)name.n, (const char *)name.p);
	if (parsed.is_cut)
		return cfs_error_set(err, CFS_ENOTFOUND,
			"'%.*s' is shortened; give a file below it",
			(int)name.n, (const char *)name.p);
	if (cfs_buf_append(bytes, parsed.comp, parsed.comp_n) != CFS_OK)
		return bytes->failed;
	p->comp[p->n++] = cfs_slice_of(bytes->p + at, parsed.comp_n);
	p->host_n += !*in_path;
	return CFS_OK;
}

/* Makes the URL spelt by the names of a directory; `below` is its path under
 * the mount's root. */
static int url_of_names(struct cfs_slice below, unsigned skip,
			struct cfs_buf *out, struct cfs_error *err)
{
	struct cfs_path *p = calloc(1, sizeof(*p));
	bool in_path = false;
	struct cfs_buf bytes;
	int rc;

	if (p == NULL)
		return cfs_error_nomem(err);
	/* a name of UTF-8 means the same with names=bytes */
	cfs_names_escape_bytes(cfs_utf8_is_valid(below));
	cfs_buf_init(&bytes, below.n + 1);
	rc = cfs_buf_reserve(&bytes, below.n + 1);	/* slices point into it:
							 * it must not move */
	if (rc != CFS_OK)
		cfs_error_set(err, rc, "out of memory");
	while (rc == CFS_OK && below.n > 0) {
		struct cfs_slice name = cfs_slice_split(&below, '/');

		if (name.n > 0 && skip > 0)
			skip--;
		else if (name.n > 0)
			rc = add_component(p, &in_path, name, &bytes, err);
	}
	if (rc == CFS_OK && p->n == 0)
		rc = cfs_error_set(err, CFS_ENOTFOUND,
				   "the root of the tree has no URL");
	if (rc == CFS_OK)
		rc = url_of_components(p, out);
	cfs_buf_release(&bytes);
	free(p);
	return rc;
}

static int url_of_file(const char *mount, ino_t ino, struct cfs_buf *out,
		       struct cfs_error *err)
{
	char *path = NULL;
	int rc;

	if (asprintf(&path, "%s/.crawlfs/url/%ju", mount, (uintmax_t)ino) < 0)
		return cfs_error_nomem(err);
	rc = cfs_file_read(path, out);
	free(path);
	if (rc == CFS_ENOTFOUND)
		return cfs_error_set(err, rc, "the file has no URL");
	if (rc != CFS_OK)
		return cfs_error_set(err, rc, "cannot read its URL");
	if (out->n > 0 && out->p[out->n - 1] == '\n')
		out->n--;
	return CFS_OK;
}

static int url_in_mount(const char *typed, const char *real,
			const struct stat *st, struct cfs_buf *url,
			struct cfs_error *err)
{
	struct cfs_mounted m;
	int rc = cfs_mounts_of(st->st_dev, real, &m);

	if (rc != CFS_OK || strcmp(m.type, CFS_MOUNT_TYPE) != 0)
		rc = cfs_mounts_refuse(rc, typed, "is not in a crawlfs mount",
				       err);
	else if (strcmp(m.root, "/") != 0)
		rc = cfs_error_set(
			err, CFS_ENOTFOUND,
			"'%.200s' is in a bind mount of a part of a crawl; use the crawl's own mount",
			typed);
	else if (S_ISDIR(st->st_mode))
		rc = url_of_names(cfs_slice_str(real + strlen(m.point)),
				  source_levels(m.point), url, err);
	else
		rc = url_of_file(m.point, st->st_ino, url, err);
	cfs_mounted_release(&m);
	return rc;
}

static int print_mounted_url(const char *path)
{
	struct cfs_error err = CFS_ERROR_INIT;
	enum cfs_mount_state state;
	char *real = cfs_mounts_realpath(path, &state);
	CFS_BUF(url, FILE_MAX_BYTES);
	struct stat st;
	int rc;

	if (real == NULL || state == CFS_MOUNT_SILENT || stat(real, &st) != 0) {
		cfs_cli_error("'%s': %s", path, state == CFS_MOUNT_SILENT ?
			      CFS_MOUNT_SILENT_TEXT : strerror(errno));
		free(real);
		return CFS_EXIT_FAILURE;
	}
	rc = url_in_mount(path, real, &st, &url, &err);
	if (rc == CFS_OK)
		rc = print_line(&url);
	free(real);
	return cfs_cli_end(rc, &err);
}

/* True for a path in a mount of crawlfs, and not of a SOURCE. */
static bool is_in_mount(const char *path)
{
	enum cfs_mount_state state;
	char *real = cfs_mounts_realpath(path, &state);
	struct cfs_mounted m;
	struct stat st;
	bool yes = real != NULL && state == CFS_MOUNT_SILENT;

	if (real != NULL && !yes && stat(real, &st) == 0) {
		yes = cfs_mounts_of(st.st_dev, real, &m) == CFS_OK &&
		      strcmp(m.type, CFS_MOUNT_TYPE) == 0;
		cfs_mounted_release(&m);
	}
	free(real);
	return yes;
}

/* PATHs in mounts, as xargs gives them.  Returns the status of the last
 * failure. */
static int print_mounted_urls(const struct cfs_options *o)
{
	int status = CFS_EXIT_OK;

	for (int i = 0; i < o->n_operands && cfs_out_ok(); i++) {
		int one = print_mounted_url(o->operands[i]);

		status = one != CFS_EXIT_OK ? one : status;
	}
	return status;
}

static int run_url(struct cfs_options *o)
{
	answer_fn *fn = print_url;
	/* the first may have vanished: then the next one tells */
	int first = o->n_operands > 1 && !cfs_cli_is_source(o->operands[0]);

	return o->n_operands == 1 || is_in_mount(o->operands[first]) ?
	       print_mounted_urls(o) : cfs_cli_each_text(o, answer, &fn);
}

const struct cfs_command cfs_cmd_path = {
	.name = "path",
	.by = CFS_BY_PATH,
	.summary = "print where a URL is in the tree",
	.usage =
		"crawlfs path SOURCE URL...\n\n"
		"Prints the path, from the root of the tree, of the URL's own capture.\n"
		"A URL '-' stands for the lines of standard input.",
	.example = "  crawlfs path crawl.cfx http://www.gnu.org/software/\n",
	.operands = { "SOURCE", "URL" },
	.run = run_path,
};

const struct cfs_command cfs_cmd_url = {
	.name = "url",
	.by = CFS_BY_URL,
	.summary = "print the URL of a path in the tree",
	.usage =
		"crawlfs url PATH...\n"
		"       crawlfs url SOURCE TREEPATH...\n\n"
		"Prints the URLs of files and directories in a mounted tree, or of paths in\n"
		"the tree of a SOURCE.  A TREEPATH '-' stands for the lines of standard\n"
		"input.",
	.example = "  crawlfs url /mnt/crawl/org/gnu/www/_/software/_index\n",
	.operands = { "PATH" },
	.run = run_url,
};
