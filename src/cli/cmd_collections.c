/* cmd_collections.c - crawlfs collections: the crawls that have names.
 *
 * The list is kept as CACHE/collinfo.json and asked for again after a day:
 * its server asks for that.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "commands.h"
#include "output.h"
#include "source/collections.h"
#include "source/location.h"

#define KEPT_S 86400

enum { OPT_COLLINFO = CFS_OPT_OWN };

static int read_all(const char *location, struct cfs_buf *out,
		    const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct cfs_source *src;
	size_t got = 0;
	int rc = cfs_source_open(&src, location, err);

	if (rc != CFS_OK)
		return rc;
	rc = cfs_buf_reserve(out, CFS_COLLINFO_MAX);
	if (rc == CFS_OK)
		rc = cfs_source_read_some(src, out->p, CFS_COLLINFO_MAX, 0,
					  &got, cancel, err);
	else
		cfs_error_set(err, rc, "out of memory");
	out->n = got;
	cfs_source_close(src);
	return rc;
}

/* A list that cannot be kept is a list all the same. */
static void keep(const char *path, struct cfs_slice text)
{
	char tmp[PATH_MAX + 16];
	bool ok;
	int fd;

	snprintf(tmp, sizeof(tmp), "%s.XXXXXX", path);
	fd = mkstemp(tmp);
	if (fd < 0)
		return;
	ok = write(fd, text.p, text.n) == (ssize_t)text.n && fsync(fd) == 0;
	ok = close(fd) == 0 && ok;
	if (!ok || rename(tmp, path) != 0)
		unlink(tmp);
}

static bool kept_path(char *out, size_t out_bytes, const char *dir)
{
	char cache[PATH_MAX];
	int n;

	if (dir == NULL) {
		if (!cfs_crawl_cache_dir(cache, sizeof(cache)))
			return false;
		dir = cache;
	}
	mkdir(dir, 0700);
	n = snprintf(out, out_bytes, "%s/collinfo.json", dir);
	return n > 0 && (size_t)n < out_bytes;
}

/* What cannot be read is not kept either. */
static bool is_list(struct cfs_slice text)
{
	struct cfs_collection *v;
	size_t n;
	bool yes = cfs_collections_parse(text, &v, &n, NULL) == CFS_OK && n > 0;

	free(v);
	return yes;
}

/* The list as it was kept, as it is at its server, or else as it was. */
static int read_list(const char *location, const char *cache_dir,
		     struct cfs_buf *out, struct cfs_error *err)
{
	const struct cfs_cancel *cancel = cfs_cli_catch_signals();
	struct cfs_error e = CFS_ERROR_INIT;
	char path[PATH_MAX];
	struct stat st;
	bool may_keep = location == NULL &&
			kept_path(path, sizeof(path), cache_dir);
	bool is_kept = may_keep && stat(path, &st) == 0 && st.st_size > 0;
	int rc;

	if (is_kept && time(NULL) - st.st_mtime < KEPT_S)
		return read_all(path, out, cancel, err);
	rc = read_all(location ? location : CFS_COLLINFO_URL, out, cancel, &e);
	if (rc == CFS_OK) {
		if (may_keep && is_list(cfs_buf_slice(out)))
			keep(path, cfs_buf_slice(out));
		return rc;
	}
	if (!is_kept || rc == CFS_EINTR)
		return cfs_error_at(err, rc, e.where, e.offset, "%s", e.text);
	cfs_log_error(CFS_LOG_WARNING, &e);
	cfs_log(CFS_LOG_WARNING, "the list kept before is shown");
	return read_all(path, out, cancel, err);
}

static void print_one(const struct cfs_collection *c)
{
	cfs_out_f("%-20s  %.10s  %.10s  ", c->id, c->from, c->to);
	cfs_out_text(cfs_slice_str(c->title));
	cfs_out_f("\n");
}

static int print_list(struct cfs_slice text, struct cfs_error *err)
{
	static const struct cfs_collection pbtree = {
		.id = "url-index.1356128792", .from = "2012-01-27",
		.to = "2012-06-21", .title = "2012 by its PB-tree",
	};
	struct cfs_collection *v;
	size_t n;
	int rc = cfs_collections_parse(text, &v, &n, err);

	if (rc != CFS_OK)
		return rc;
	for (size_t i = 0; i < n; i++)
		print_one(&v[i]);
	print_one(&pbtree);
	free(v);
	return CFS_OK;
}

static int run(const struct cfs_command *cmd, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "collinfo", required_argument, NULL, OPT_COLLINFO },
		CFS_SOURCE_LONGS,
		{ NULL, 0, NULL, 0 },
	};
	struct cfs_args a = { cmd, argc, argv, ":h", longs, 0 };
	struct cfs_source_args sources = { .opts = { .data = NULL } };
	struct cfs_error err = CFS_ERROR_INIT;
	const char *location = NULL;
	struct cfs_buf text;
	int c, rc;

	while ((c = cfs_args_next(&a)) != CFS_OPT_END) {
		if (c == CFS_OPT_STOP)
			return a.status;
		if (c == OPT_COLLINFO)
			location = optarg;
		else if (!cfs_source_args_take(&sources, &a, c))
			return a.status;
	}
	if (optind < argc)
		return cfs_cli_usage(cmd, "takes no operands");
	cfs_buf_init(&text, CFS_COLLINFO_MAX);
	rc = cfs_source_args_use(&sources, &err);
	if (rc == CFS_OK)
		rc = read_list(location, sources.opts.cache_dir, &text, &err);
	if (rc == CFS_OK)
		rc = print_list(cfs_buf_slice(&text), &err);
	cfs_buf_release(&text);
	return rc == CFS_OK ? CFS_EXIT_OK : cfs_cli_fail(rc, &err);
}

const struct cfs_command cfs_cmd_collections = {
	.name = "collections",
	.summary = "list Common Crawl's crawls by their names",
	.help =
	"usage: crawlfs collections [OPTION...]\n"
	"\n"
	"Lists the crawls that can be given to the other commands by name: name,\n"
	"first and last day, title.\n"
	"\n"
	"      --collinfo=FILE    a list other than Common Crawl's (a file or an\n"
	"                         URL)\n"
	CFS_SOURCE_HELP
	"\n"
	"Example:\n"
	"  crawlfs collections\n"
	"  crawlfs mount CC-MAIN-2024-10 /mnt\n",
	.run = run,
};
