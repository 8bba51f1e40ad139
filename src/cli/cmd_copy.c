/* cmd_copy.c - crawlfs copy: records below some prefixes into one archive.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "commands.h"
#include "output.h"
#include "crawl/prefixes.h"
#include "progress.h"
#include "copy/copy.h"
#include "s3_out.h"

/* Stretches at a time, on few processors: while some read, others inflate. */
#define PARALLEL_MIN 8u

struct words {
	struct cfs_source_args source;
	struct cfs_copy_opts copy;
	const char *output;		/* as the user named it */
	const char *tmp;		/* where one for S3 is made; NULL: cache */
	struct cfs_s3_out s3;		/* url NULL: output is a file */
	bool is_quiet, is_abort;
};

/* The format goes by the name, as with every other archive. */
static bool find_format(const char *name, enum cfs_archive_format *out)
{
	struct cfs_slice s = cfs_slice_str(name);

	if (cfs_slice_ends(s, CFS_SLICE_LIT(".arc.gz")))
		*out = CFS_ARCHIVE_ARC;
	else if (cfs_slice_ends(s, CFS_SLICE_LIT(".warc.gz")))
		*out = CFS_ARCHIVE_WARC;
	else
		return false;
	return true;
}

/* When the copy is made; SOURCE_DATE_EPOCH makes it the same every time. */
static int64_t copy_time(void)
{
	const char *fixed = getenv("SOURCE_DATE_EPOCH");
	uint64_t t;

	if (fixed != NULL &&
	    cfs_slice_parse_u64(cfs_slice_str(fixed), UINT32_MAX, &t) == CFS_OK)
		return (int64_t)t;
	return (int64_t)time(NULL);
}

/* A SOURCE as strangers may read it: without the password of an URL. */
static const char *describe(const char *source)
{
	const char *host = strstr(source, "://"), *at;

	if (host == NULL)
		return source;
	host += 3;
	at = memrchr(host, '@', strcspn(host, "/?#"));
	return at != NULL ? at + 1 : source;
}

static void show(void *arg, const struct cfs_indexer_progress *p)
{
	cfs_progress_show(arg, p);
}

static int on_capture(void *arg, const struct cfs_iter *it,
		      const struct cfs_capture *cap)
{
	void **pair = arg;

	(void)it;
	if (cap->kind == CFS_KIND_SIDE)	/* no record is here to be copied */
		return CFS_OK;
	return cfs_copy_add(pair[0], cap, pair[1]);
}

/* As many stretches as requests at a time to the slowest server that was asked
 * so far.  Of files, one a processor. */
static unsigned parallel_default(const struct cfs_crawl *crawl)
{
	struct cfs_http_host_stats host[4];
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned most = CFS_HTTP_PARALLEL_DEFAULT;
	size_t hosts = cfs_http_stats(host, 4);

	for (size_t i = 0; i < hosts && i < 4; i++)
		if (host[i].parallel < most)
			most = host[i].parallel;
	if (crawl->cache != NULL)
		return most;
	return n > (long)CFS_COPY_PARALLEL_MAX ? CFS_COPY_PARALLEL_MAX :
	       n > (long)PARALLEL_MIN ? (unsigned)n : PARALLEL_MIN;
}

static int collect_and_run(struct words *w, struct cfs_crawl *crawl,
			   char **texts, struct cfs_copy_report *report,
			   struct cfs_error *err)
{
	struct cfs_copy *copy = NULL;
	struct cfs_prefixes p;
	char name[] = "copy";
	void *pair[2] = { NULL, err };
	int rc = cfs_prefixes_init(&p, crawl, texts, w->copy.cancel, err);

	if (w->copy.parallel == 0)
		w->copy.parallel = parallel_default(crawl);
	w->copy.index = crawl->index;
	w->copy.store = crawl->store;
	w->copy.time = copy_time();
	w->copy.max_record_bytes = w->source.opts.max_record_bytes;
	w->copy.progress = show;
	w->copy.arg = name;
	if (rc == CFS_OK)
		rc = cfs_copy_new(&copy, &w->copy, err);
	if (rc == CFS_OK) {
		pair[0] = copy;
		rc = cfs_prefixes_each(&p, on_capture, pair, w->copy.cancel,
				       err);
	}
	cfs_prefixes_release(&p);
	if (rc == CFS_OK) {
		cfs_progress_quiet(w->is_quiet);
		rc = cfs_copy_run(copy, report, err);
		cfs_progress_end();
	}
	cfs_copy_free(copy);
	return rc;
}

static void print_report(const char *output, const struct cfs_copy_report *r)
{
	char bytes[CFS_HUMAN_BYTES];

	cfs_out_text(cfs_slice_str(output));
	cfs_out_f(": %" PRIu64 " records, %s\n", r->records,
		  cfs_out_human((double)r->bytes, bytes));
	if (r->resumed > 0)
		cfs_out_f("  %" PRIu64 " of them by an earlier run\n", r->resumed);
	if (r->damaged > 0)
		cfs_out_f("  %" PRIu64 " records left out: they cannot be read\n",
			  r->damaged);
	if (r->other > 0)
		cfs_out_f("  %" PRIu64 " records left out: of the other format\n",
			  r->other);
	cfs_out_text(cfs_slice_str(output));
	cfs_out_f(".cfx: its index\n  %.1f seconds", r->seconds);
	if (r->seconds > 0)
		cfs_out_f(", %.1f MB/s", (double)r->bytes / 1e6 / r->seconds);
	cfs_out_f("\n");
}

/* With an output on S3 the copy is made elsewhere, and then sent. */
static int aim(struct words *w, struct cfs_error *err)
{
	int rc;

	w->copy.output = w->output;
	if (!cfs_s3_out_is(w->output))
		return CFS_OK;
	w->s3.cancel = w->copy.cancel;
	w->s3.force = w->copy.force;
	w->s3.parallel = w->copy.parallel > 0 ? w->copy.parallel :
						PARALLEL_MIN;
	rc = cfs_s3_out_init(&w->s3, w->output, w->tmp != NULL ? w->tmp :
			     w->source.opts.cache_dir, err);
	w->copy.output = w->s3.path;
	w->copy.force = true;		/* what is left of another one */
	w->copy.must_have_room = true;
	w->copy.deliver = cfs_s3_out_send;
	w->copy.deliver_arg = &w->s3;
	return rc;
}

static int give_up(struct words *w)
{
	struct cfs_error err = CFS_ERROR_INIT;
	int rc = cfs_source_args_use(&w->source, &err);

	w->copy.cancel = cfs_cli_catch_signals();
	if (rc == CFS_OK)
		rc = aim(w, &err);
	if (rc == CFS_OK)
		rc = cfs_s3_out_abort(&w->s3, &err);
	return rc == CFS_OK ? CFS_EXIT_OK : cfs_cli_fail(rc, &err);
}

static int copy(struct words *w, char **argv)
{
	struct cfs_copy_report report = { .records = 0 };
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_crawl *crawl = NULL;
	int rc, status = cfs_cli_open(&crawl, argv[0], &w->source);

	if (status != CFS_EXIT_OK)
		return status;
	w->copy.described = describe(argv[0]);
	w->copy.source = argv[0];	/* an URL is no file, and no harm */
	w->copy.cancel = cfs_cli_catch_signals();
	rc = aim(w, &err);
	if (rc == CFS_OK && w->s3.url != NULL)
		rc = cfs_s3_out_check(&w->s3, &err);
	if (rc == CFS_OK)
		rc = collect_and_run(w, crawl, argv + 1, &report, &err);
	cfs_crawl_close(crawl);
	if (rc == CFS_OK && w->s3.url != NULL)
		cfs_s3_out_remove(&w->s3);
	if (rc != CFS_OK) {
		status = cfs_cli_fail(rc, &err);
		if (report.has_no_room)
			cfs_cli_error("it is made there before it is sent: "
				      "--tmp names another folder");
		if (report.records > 0)
			cfs_cli_error("%" PRIu64 " records are copied: the same "
				      "command goes on from there", report.records);
		return status;
	}
	if (!w->is_quiet)
		print_report(w->output, &report);
	return CFS_EXIT_OK;
}

enum { OPT_FORCE = CFS_OPT_OWN, OPT_SKIP_OTHER, OPT_KEEP_GOING, OPT_ABORT,
       OPT_TMP };

/* False: a->status is set. */
static bool take(struct words *w, struct cfs_args *a, int c)
{
	switch (c) {
	case 'o':
		w->output = optarg;
		return true;
	case 'q':
		w->is_quiet = true;
		return true;
	case OPT_FORCE:
		w->copy.force = true;
		return true;
	case OPT_SKIP_OTHER:
		w->copy.skip_other = true;
		return true;
	case OPT_KEEP_GOING:
		w->copy.keep_going = true;
		return true;
	case OPT_TMP:
		w->tmp = optarg;
		return true;
	case OPT_ABORT:
		w->is_abort = true;
		return true;
	case 'p':
	case CFS_OPT_PARALLEL:	/* so many requests, and stretches they are for */
		if (!cfs_source_args_take(&w->source, a, CFS_OPT_PARALLEL))
			return false;
		w->copy.parallel = w->source.http.parallel;
		return true;
	default:
		return cfs_source_args_take(&w->source, a, c);
	}
}

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int run(const struct cfs_command *cmd, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "force", no_argument, NULL, OPT_FORCE },
		{ "skip-other", no_argument, NULL, OPT_SKIP_OTHER },
		{ "keep-going", no_argument, NULL, OPT_KEEP_GOING },
		{ "abort", no_argument, NULL, OPT_ABORT },
		{ "tmp", required_argument, NULL, OPT_TMP },
		{ "quiet", no_argument, NULL, 'q' },
		CFS_SOURCE_LONGS, { NULL, 0, NULL, 0 }
	};
	struct cfs_args a = { cmd, argc, argv, ":ho:p:q", longs, 0 };
	struct words w = { .is_quiet = false };
	int c;

	while ((c = cfs_args_next(&a)) != CFS_OPT_END)
		if (!take(&w, &a, c))
			return a.status;
	if (w.output == NULL)
		return cfs_cli_usage(cmd, "no -o OUTPUT is given");
	if (!find_format(w.output, &w.copy.format))
		return cfs_cli_usage(cmd,
			"-o: the name must end in .warc.gz or .arc.gz");
	if (strstr(w.output, "://") != NULL && !cfs_s3_out_is(w.output))
		return cfs_cli_usage(cmd, "-o: copies go to files and to s3://");
	if (w.tmp != NULL && !cfs_s3_out_is(w.output))
		return cfs_cli_usage(cmd, "--tmp goes with -o s3://...");
	if (w.tmp != NULL && !is_folder(w.tmp))
		return cfs_cli_usage(cmd, "--tmp: '%s' is no folder", w.tmp);
	if (w.is_abort)
		return !cfs_s3_out_is(w.output) || optind < argc ?
		       cfs_cli_usage(cmd, "--abort goes with -o s3://... and "
				     "no SOURCE") : give_up(&w);
	if (argc - optind < 2)
		return cfs_cli_usage(cmd, optind == argc ? "no SOURCE is given" :
				     "no PREFIX is given");
	return copy(&w, argv + optind);
}

const struct cfs_command cfs_cmd_copy = {
	.name = "copy",
	.summary = "copy records below prefixes into one archive",
	.help =
	"usage: crawlfs copy SOURCE PREFIX... -o OUTPUT\n"
	"       crawlfs copy --abort -o s3://BUCKET/KEY\n\n"
	"Copies the records that the prefixes cover, byte for byte, into one archive\n"
	"named *.warc.gz or *.arc.gz, with an index beside it (OUTPUT.cfx).  Damaged\n"
	"records are told and left out.  When it is stopped, the same command goes on\n"
	"where it was.  PREFIXes are those of crawlfs check.\n\n"
	"  -o, --output=OUTPUT    the archive to write: a file, or s3://BUCKET/KEY, where\n"
	"                         it is sent in parts when it is whole\n"
	"  -p N                   --parallel=N; stretches of archives read at a time (of\n"
	"                         files: one a processor, but 8 or more)\n"
	"      --skip-other       leave out WARC records of an ARC file, or the reverse\n"
	"      --keep-going       leave out records whose reading fails, too\n"
	"      --force            replace OUTPUT\n"
	"      --tmp=DIR          where a copy to S3 is made before it is sent (the cache)\n"
	"      --abort            give up a copy to S3 that was stopped\n"
	"  -q, --quiet            no progress, no summary\n"
	CFS_SOURCE_HELP
	"\nExample:\n"
	"  crawlfs copy crawl.cfx org.gnu,org.fsf -o free.warc.gz\n",
	.run = run,
};
