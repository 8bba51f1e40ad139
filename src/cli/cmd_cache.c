/* cmd_cache.c - crawlfs cache: what the block cache holds, whether it is
 * sound, and emptying it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cache/disk.h"
#include "commands.h"
#include "output.h"

#define OPT_DROP CFS_OPT_OWN

struct cache_args {
	char dir[PATH_MAX];
	bool drop;
};

static int open_disk(struct cfs_disk **out, const struct cache_args *a)
{
	struct cfs_error err = CFS_ERROR_INIT;
	char blocks[PATH_MAX + 8];
	struct stat st;
	int rc;

	*out = NULL;
	snprintf(blocks, sizeof(blocks), "%s/blocks", a->dir);
	if (stat(blocks, &st) != 0)
		return CFS_EXIT_OK;	/* nothing is cached there */
	rc = cfs_disk_open(out, a->dir, 0, &err);
	return rc == CFS_OK ? CFS_EXIT_OK : cfs_cli_fail(rc, &err);
}

static int show_info(const struct cache_args *a, struct cfs_disk *d)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_disk_info info = { 0 };
	char size[CFS_HUMAN_BYTES], when[32];
	struct tm tm;
	time_t t;
	int rc = d != NULL ? cfs_disk_get_info(d, &info, &err) : CFS_OK;

	if (rc != CFS_OK)
		return cfs_cli_fail(rc, &err);
	cfs_out_f("folder    ");
	cfs_out_text(cfs_slice_str(a->dir));
	cfs_out_f("\nsize      %" PRIu64 " bytes (%s) in %" PRIu64 " files, %"
		  PRIu64 " of them in use\n", info.bytes,
		  cfs_out_human((double)info.bytes, size), info.segments,
		  info.in_use);
	cfs_out_f("holds     %" PRIu64 " bytes in %" PRIu64 " ranges\n",
		  info.data_bytes, info.records);
	t = (time_t)info.oldest_s;
	if (info.oldest_s != 0 && gmtime_r(&t, &tm) != NULL &&
	    strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &tm) > 0)
		cfs_out_f("oldest    last used %s\n", when);
	return CFS_EXIT_OK;
}

static void print_damage(void *arg, const char *segment, uint32_t pos,
			 const char *why)
{
	(void)arg;
	cfs_out_f("%s: offset %" PRIu32 ": %s\n", segment, pos, why);
}

static int verify(const struct cache_args *a, struct cfs_disk *d)
{
	const struct cfs_cancel *cancel = cfs_cli_catch_signals();
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_disk_damage n = { 0 };
	int rc = d == NULL ? CFS_OK :
		 cfs_disk_verify(d, a->drop, print_damage, NULL, &n, cancel,
				 &err);

	cfs_cli_release_signals();
	if (rc != CFS_OK)
		return cfs_cli_fail(rc, &err);
	cfs_out_f("%" PRIu64 " ranges, %" PRIu64 " bytes checked: ", n.records,
		  n.bytes);
	if (n.bad_records + n.bad_indexes == 0) {
		cfs_out_f("all are sound\n");
		return CFS_EXIT_OK;
	}
	cfs_out_f("%" PRIu64 " ranges and %" PRIu64 " indexes are damaged%s\n",
		  n.bad_records, n.bad_indexes,
		  a->drop ? "; files in which they were are deleted" :
			    "; they are not used, and fetched again");
	return CFS_EXIT_FAILURE;
}

static int clear(struct cfs_disk *d)
{
	struct cfs_error err = CFS_ERROR_INIT;
	uint64_t deleted = 0, in_use = 0;
	int rc = d == NULL ? CFS_OK :
		 cfs_disk_clear(d, &deleted, &in_use, &err);

	if (rc != CFS_OK)
		return cfs_cli_fail(rc, &err);
	cfs_out_f("%" PRIu64 " files deleted", deleted);
	if (in_use > 0)
		cfs_out_f(", %" PRIu64 " left: a mount writes to them", in_use);
	cfs_out_f("\n");
	return CFS_EXIT_OK;
}

static int act(const char *word, const struct cache_args *a)
{
	struct cfs_disk *d;
	int status = open_disk(&d, a);

	if (status == CFS_EXIT_OK && strcmp(word, "info") == 0)
		status = show_info(a, d);
	else if (status == CFS_EXIT_OK && strcmp(word, "verify") == 0)
		status = verify(a, d);
	else if (status == CFS_EXIT_OK)
		status = clear(d);
	cfs_disk_close(d);
	return status;
}

static bool take_dir(struct cache_args *a, const char *dir)
{
	int n = snprintf(a->dir, sizeof(a->dir), "%s", dir);

	return n > 0 && (size_t)n < sizeof(a->dir);
}

static int run(const struct cfs_command *cmd, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "cache", required_argument, NULL, CFS_OPT_CACHE },
		{ "drop", no_argument, NULL, OPT_DROP },
		{ "help", no_argument, NULL, 'h' }, { NULL, 0, NULL, 0 }
	};
	struct cfs_args a = { cmd, argc, argv, ":h", longs, 0 };
	struct cache_args ca = { .drop = false };
	const char *word;
	int c;

	while ((c = cfs_args_next(&a)) != CFS_OPT_END) {
		if (c == OPT_DROP)
			ca.drop = true;
		else if (c != CFS_OPT_CACHE)
			return a.status;
		else if (!take_dir(&ca, optarg))
			return cfs_cli_usage(cmd, "'%s' is no folder", optarg);
	}
	if (optind + 1 != argc)
		return cfs_cli_usage(cmd, "takes one of info, verify and clear");
	word = argv[optind];
	if (strcmp(word, "info") != 0 && strcmp(word, "verify") != 0 &&
	    strcmp(word, "clear") != 0)
		return cfs_cli_usage(cmd, "'%s' is none of info, verify and "
				     "clear", word);
	if (ca.drop && strcmp(word, "verify") != 0)
		return cfs_cli_usage(cmd, "--drop goes with verify");
	if (ca.dir[0] == '\0' && !cfs_crawl_cache_dir(ca.dir, sizeof(ca.dir)))
		return cfs_cli_usage(cmd, "there is no folder for a cache");
	return act(word, &ca);
}

const struct cfs_command cfs_cmd_cache = {
	.name = "cache",
	.summary = "look after what is kept of remote crawls",
	.help =
	"usage: crawlfs cache info [--cache=DIR]\n"
	"       crawlfs cache verify [--drop] [--cache=DIR]\n"
	"       crawlfs cache clear [--cache=DIR]\n\n"
	"What is read of crawls on servers is kept in a folder, up to a bound.\n"
	"info prints how much there is; verify reads all of it and compares\n"
	"checksums; clear deletes it, but for what a mount is writing to.\n\n"
	"      --cache=DIR  another folder than ~/.cache/crawlfs\n"
	"      --drop       delete files with damage in them\n"
	"  -h, --help       this text\n\n"
	"Example:\n"
	"  crawlfs cache info\n",
	.run = run,
};
