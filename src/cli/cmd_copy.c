/* cmd_copy.c - crawlfs copy: copies records below prefixes into one archive.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/pool.h"
#include "commands.h"
#include "output.h"
#include "crawl/prefixes.h"
#include "progress.h"
#include "copy/copy.h"
#include "net/hosts.h"
#include "s3_out.h"
#include "signals.h"
#include "sources.h"
#include "text.h"

/* Stretches read at a time, however few the processors: while some wait for the
 * disk, others inflate. */
#define PARALLEL_MIN 8u

struct job {
	const struct cfs_options *options;
	struct cfs_copy_opts copy;
	struct cfs_s3_out s3;		/* url NULL: output is a file */
};

/* The name says the format, as with every archive. */
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

/* The time of the copy; SOURCE_DATE_EPOCH makes copies reproducible. */
static int64_t copy_time(void)
{
	const char *fixed = getenv("SOURCE_DATE_EPOCH");
	uint64_t t;

	if (fixed != NULL &&
	    cfs_slice_parse_u64(cfs_slice_str(fixed), UINT32_MAX, &t) == CFS_OK)
		return (int64_t)t;
	return (int64_t)time(NULL);
}

/* A SOURCE as it may be published: without the password in a URL. */
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
	if (cap->kind == CFS_KIND_SIDE)	/* it has no record */
		return CFS_OK;
	return cfs_copy_add(pair[0], cap, pair[1]);
}

/* Of servers, as many stretches as the most requests at a time that one of
 * those used so far takes; of files, one for each processor. */
static unsigned parallel_default(const struct cfs_crawl *crawl)
{
	struct cfs_host_stats host[4];
	unsigned n = cfs_processors();
	unsigned most = CFS_HTTP_PARALLEL_DEFAULT;
	size_t hosts = cfs_host_stats_all(host, 4);

	for (size_t i = 0; i < hosts && i < 4; i++)
		if (host[i].parallel < most)
			most = host[i].parallel;
	if (crawl->cache != NULL)
		return most;
	return n > CFS_COPY_PARALLEL_MAX ? CFS_COPY_PARALLEL_MAX :
	       n > PARALLEL_MIN ? n : PARALLEL_MIN;
}

static int collect_and_run(struct job *j, struct cfs_crawl *crawl,
			   char **texts, struct cfs_copy_report *report,
			   struct cfs_error *err)
{
	struct cfs_copy *copy = NULL;
	struct cfs_prefixes p;
	char name[] = "copy";
	void *pair[2] = { NULL, err };
	int rc = cfs_prefixes_init(&p, crawl, texts, j->copy.cancel, err);

	if (j->copy.parallel == 0)
		j->copy.parallel = parallel_default(crawl);
	j->copy.index = crawl->index;
	j->copy.store = crawl->store;
	j->copy.time = copy_time();
	j->copy.progress = show;
	j->copy.arg = name;
	if (rc == CFS_OK)
		rc = cfs_copy_new(&copy, &j->copy, err);
	if (rc == CFS_OK) {
		pair[0] = copy;
		rc = cfs_prefixes_each(&p, on_capture, pair, j->copy.cancel,
				       err);
	}
	cfs_prefixes_release(&p);
	if (rc == CFS_OK) {
		cfs_progress_quiet(j->options->is_quiet);
		rc = cfs_copy_run(copy, report, err);
		cfs_progress_end();
	}
	cfs_copy_free(copy);
	return rc;
}

static void print_report(const char *output, const struct cfs_copy_report *r)
{
	char bytes[CFS_TEXT_SIZE_BYTES], count[CFS_TEXT_COUNT_BYTES];

	cfs_out_text(cfs_slice_str(output));
	cfs_out_f(": %s, %s\n", cfs_text_count(r->records, "record", count),
		  cfs_text_size((double)r->bytes, bytes));
	if (r->resumed > 0)
		cfs_out_f("  %" PRIu64 " of them by an earlier run\n", r->resumed);
	if (r->damaged > 0)
		cfs_out_f("  %s left out: not readable\n",
			  cfs_text_count(r->damaged, "record", count));
	if (r->other > 0)
		cfs_out_f("  %s left out: of the other format\n",
			  cfs_text_count(r->other, "record", count));
	cfs_out_text(cfs_slice_str(output));
	cfs_out_f(".cfx: its index\n  %.1f seconds", r->seconds);
	if (r->seconds > 0)
		cfs_out_f(", %.1f MB/s", (double)r->bytes / 1e6 / r->seconds);
	cfs_out_f("\n");
}

/* Says where the copy is written.  One for S3 is written to a folder, then
 * sent. */
static int aim(struct job *j, struct cfs_error *err)
{
	const struct cfs_options *o = j->options;
	int rc;

	j->copy.output = o->output;
	if (!cfs_s3_out_is(o->output))
		return CFS_OK;
	j->s3.cancel = j->copy.cancel;
	j->s3.force = j->copy.force;
	j->s3.parallel = j->copy.parallel > 0 ? j->copy.parallel :
						PARALLEL_MIN;
	rc = cfs_s3_out_init(&j->s3, o->output, o->tmp != NULL ? o->tmp :
			     o->crawl.cache_dir, err);
	j->copy.output = j->s3.path;
	j->copy.force = true;		/* replaces the rest of another copy */
	j->copy.must_have_room = true;
	j->copy.deliver = cfs_s3_out_send;
	j->copy.deliver_arg = &j->s3;
	return rc;
}

static int give_up(struct job *j)
{
	struct cfs_error err = CFS_ERROR_INIT;
	int rc = cfs_http_configure(&j->options->http, &err);

	j->copy.cancel = cfs_cli_catch_signals();
	if (rc == CFS_OK)
		rc = aim(j, &err);
	if (rc == CFS_OK)
		rc = cfs_s3_out_abort(&j->s3, &err);
	return cfs_cli_end(rc, &err);
}

static int copy(struct job *j)
{
	char **operands = j->options->operands;
	struct cfs_copy_report report = { .records = 0 };
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_crawl *crawl = NULL;
	char count[CFS_TEXT_COUNT_BYTES];
	int rc, status = cfs_cli_open(&crawl, operands[0], j->options);

	if (status != CFS_EXIT_OK)
		return status;
	j->copy.described = describe(operands[0]);
	j->copy.source = operands[0];	/* a URL does no harm: no file is */
	j->copy.cancel = cfs_cli_catch_signals();
	rc = aim(j, &err);
	if (rc == CFS_OK && j->s3.url != NULL)
		rc = cfs_s3_out_check(&j->s3, &err);
	if (rc == CFS_OK)
		rc = collect_and_run(j, crawl, operands + 1, &report, &err);
	cfs_crawl_close(crawl);
	if (rc == CFS_OK && j->s3.url != NULL)
		cfs_s3_out_remove(&j->s3);
	if (rc != CFS_OK) {
		status = cfs_cli_end(rc, &err);
		if (report.has_no_room)
			cfs_cli_error("the copy is made there before it is "
				      "sent; --tmp names another folder");
		if (report.records > 0)
			cfs_cli_error("%s copied; the same command resumes the "
				      "copy", cfs_text_count(report.records,
							     "record", count));
		return status;
	}
	if (!j->options->is_quiet)
		print_report(j->options->output, &report);
	return CFS_EXIT_OK;
}

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* What is wrong with the options together, or NULL. */
static const char *find_fault(const struct cfs_options *o)
{
	bool is_s3;

	if (o->output == NULL)
		return "no -o OUTPUT is given";
	is_s3 = cfs_s3_out_is(o->output);
	if (strstr(o->output, "://") != NULL && !is_s3)
		return "-o: copies go to files and to s3://";
	if (o->tmp != NULL && !is_s3)
		return "--tmp goes with -o s3://...";
	if (o->is_abort && (!is_s3 || o->n_operands > 0))
		return "--abort goes with -o s3://... and no SOURCE";
	return NULL;
}

static int run(struct cfs_options *o)
{
	const char *fault = find_fault(o);
	struct job job = { .options = o, .copy = {
		.parallel = o->http.parallel, .force = o->force,
		.max_record_bytes = o->crawl.max_record_bytes,
		.skip_other = o->skip_other, .keep_going = o->keep_going } };

	if (fault != NULL)
		return cfs_cli_usage(o->command, "%s", fault);
	if (!find_format(o->output, &job.copy.format))
		return cfs_cli_usage(o->command,
			"-o: the name must end in .warc.gz or .arc.gz");
	if (o->tmp != NULL && !is_folder(o->tmp))
		return cfs_cli_usage(o->command, "option '--tmp': '%s' is not "
				     "a folder", o->tmp);
	if (o->is_abort)
		return give_up(&job);
	if (o->n_operands < 2)
		return cfs_cli_usage(o->command, "no %s is given",
				     o->n_operands == 0 ? "SOURCE" : "PREFIX");
	return copy(&job);
}

const struct cfs_command cfs_cmd_copy = {
	.name = "copy",
	.by = CFS_BY_COPY,
	.summary = "copy records below prefixes into one archive",
	.usage =
	"crawlfs copy SOURCE PREFIX... -o OUTPUT\n"
	"       crawlfs copy --abort -o s3://BUCKET/KEY\n\n"
	"Copies the records that the prefixes cover, byte for byte, into one archive\n"
	"named *.warc.gz or *.arc.gz, with an index beside it (OUTPUT.cfx).  Damaged\n"
	"records are reported and left out.  A copy that was stopped is resumed by the\n"
	"same command.  PREFIXes are those of crawlfs check.",
	.example =
	"  crawlfs copy crawl.cfx org.gnu,org.fsf -o free.warc.gz\n",
	.run = run,
};
