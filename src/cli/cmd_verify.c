/* cmd_verify.c - crawlfs verify: checks every record against what it declares.
 *
 * Archives are read directly, without indexing them first.  A SOURCE that has
 * an index is opened, and the archives that it names are verified.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "commands.h"
#include "crawl/choices.h"
#include "dash.h"
#include "crawl/prefixes.h"
#include "crawl/search.h"
#include "crawl/sources.h"
#include "messages.h"
#include "output.h"
#include "progress_line.h"
#include "signals.h"
#include "source_args.h"
#include "verify/verify.h"

/* Most bytes of operands and options in a report. */
#define COMMAND_MAX ((size_t)256 << 10)

struct verify_job {
	struct cfs_options *o;
	struct cfs_verify_opts verify;
	struct cfs_sources sources;	/* those that the SOURCE stands for */
	struct cfs_verify *run;
	struct cfs_dash dash;		/* of a report for standard output */
	bool is_done;
	bool is_complete;		/* no archive was refused */
	struct cfs_error err;
};

/* Describes the command, so that a later run can compare it with the
 * report's. */
static void cmd_verify_describe(const struct verify_job *j, struct cfs_buf *out)
{
	const struct cfs_dates *d = &j->o->conditions.dates;

	for (int i = 0; i < j->o->n_operands; i++) {
		cfs_buf_adds(out, i > 0 ? " " : "");
		cfs_buf_adds(out, j->o->operands[i]);
	}
	if (j->o->crawl.data != NULL)
		cfs_buf_addf(out, " --data=%s", j->o->crawl.data);
	if (j->o->crawl.base != NULL)
		cfs_buf_addf(out, " --base=%s", j->o->crawl.base);
	if (j->o->crawl.part.n > 0)
		cfs_buf_addf(out, " --part=%" PRIu32 "/%" PRIu32,
			     j->o->crawl.part.k, j->o->crawl.part.n);
	if (j->o->is_strict)
		cfs_buf_adds(out, " --strict");
	if (d->has_from)
		cfs_buf_addf(out, " --from=%" PRId64, d->from);
	if (d->has_to)
		cfs_buf_addf(out, " --to=%" PRId64, d->to);
}

/* ---- the table ----------------------------------------------------------- */

static void print_figure(const char *name, uint64_t n)
{
	cfs_out_f("%-16s %12" PRIu64 "\n", name, n);
}

static void print_checks(const struct cfs_verify_tally *t)
{
	static const char *const names[CFS_VERIFY_CHECKS] = {
		"checksums", "lengths", "block digests", "payload digests",
		"index entries", "package files" };

	cfs_out_f("\n%-16s %12s %12s %12s %12s %15s\n", "", "compared",
		  "matched", "differed", "not stated", "not comparable");
	for (size_t i = 0; i < CFS_VERIFY_CHECKS; i++) {
		const struct cfs_verify_count *c = &t->checks[i];

		cfs_out_f("%-16s %12" PRIu64 " %12" PRIu64 " %12" PRIu64
			  " %12" PRIu64 " %15" PRIu64 "\n", names[i],
			  c->matched + c->differed, c->matched, c->differed,
			  c->absent, c->unknown);
	}
	cfs_out_f("\n");
}

static void print_table(const struct cfs_verify_result *r)
{
	char size[CFS_TEXT_SIZE_BYTES];

	print_figure("archives", r->archives);
	print_figure("records", r->sum.records);
	if (r->resumed > 0)
		print_figure("  by earlier run", r->resumed);
	cfs_out_f("%-16s %12" PRIu64 " (%s)\n", "bytes", r->sum.bytes,
		  cfs_text_size((double)r->sum.bytes, size));
	print_checks(&r->sum);
	print_figure("damage", r->sum.damage);
	if (r->sum.unread > 0)
		print_figure("not read", r->sum.unread);
	print_figure("repeated", r->repeated + r->sum.listed_twice);
	if (r->reused > 0)
		print_figure("  other block", r->reused);
	print_figure("without body", r->absent);
	if (r->has_lists)
		print_figure("not in index", r->sum.unlisted);
	cfs_out_f("%-16s %12.1f", "seconds", r->seconds);
	if (r->seconds > 0)
		cfs_out_f(" (%.1f MB/s)", (double)r->sum.bytes / 1e6 /
			  r->seconds);
	cfs_out_f("\n");
	cfs_out_servers();
}

/* ---- JSON ---------------------------------------------------------------- */

static void put_checks(const struct cfs_verify_tally *t, struct cfs_json *j)
{
	static const char *const names[CFS_VERIFY_CHECKS] = {
		"checksums", "lengths", "block_digests", "payload_digests",
		"index_entries", "package_files" };

	cfs_json_key(j, CFS_SLICE_LIT("checks"));
	cfs_json_open(j, '{');
	for (size_t i = 0; i < CFS_VERIFY_CHECKS; i++) {
		const struct cfs_verify_count *c = &t->checks[i];

		cfs_json_key(j, cfs_slice_str(names[i]));
		cfs_json_open(j, '{');
		cfs_json_put_uint(j, "compared", c->matched + c->differed);
		cfs_json_put_uint(j, "matched", c->matched);
		cfs_json_put_uint(j, "differed", c->differed);
		cfs_json_put_uint(j, "absent", c->absent);
		cfs_json_put_uint(j, "not_comparable", c->unknown);
		cfs_json_close(j, '}');
	}
	cfs_json_close(j, '}');
}

static int print_document(const struct cfs_verify_result *r,
			  struct cfs_error *err)
{
	struct cfs_out_document d;
	struct cfs_json *j = &d.j;

	cfs_out_document_begin(&d);
	cfs_json_put_uint(j, "archives", r->archives);
	cfs_json_put_uint(j, "records", r->sum.records);
	cfs_json_put_uint(j, "records_resumed", r->resumed);
	cfs_json_put_uint(j, "bytes", r->sum.bytes);
	put_checks(&r->sum, j);
	cfs_json_put_uint(j, "damage", r->sum.damage);
	cfs_json_put_uint(j, "archives_unread", r->sum.unread);
	cfs_json_put_uint(j, "repeated", r->repeated + r->sum.listed_twice);
	cfs_json_put_uint(j, "reused_ids", r->reused);
	cfs_json_put_uint(j, "bodies_cut", r->sum.cut);
	cfs_json_put_uint(j, "without_body", r->absent);
	if (r->has_lists)
		cfs_json_put_uint(j, "not_in_index", r->sum.unlisted);
	cfs_json_key(j, CFS_SLICE_LIT("seconds"));
	cfs_buf_addf(j->out, "%.3f", r->seconds);
	cfs_out_put_servers(j);
	return cfs_out_document_end(&d, CFS_OK, err);
}

/* ---- the run ------------------------------------------------------------- */

static void warn_of_bodies(const struct verify_job *j,
			   const struct cfs_verify_result *r)
{
	char count[CFS_TEXT_COUNT_BYTES];

	if (r->sum.unread > 0)
		cfs_log(CFS_LOG_WARNING, "%s could not be read%s",
			cfs_text_count(r->sum.unread, "archive", count),
			j->o->report != NULL && j->dash.path == NULL ?
			": the same command resumes the run" : "");

	if (r->sum.cut > 0)
		cfs_log(CFS_LOG_WARNING, "%s with a body that ends inside its "
			"coding", cfs_text_count(r->sum.cut, "record", count));
	if (r->reused > 0)
		cfs_log(CFS_LOG_WARNING, "%s with the WARC-Record-ID of "
			"another one, and another block",
			cfs_text_count(r->reused, "record", count));
	if (r->absent > 0)
		cfs_log(CFS_LOG_WARNING, "%s without a body: the original is "
			"not in what was verified",
			cfs_text_count(r->absent, "revisit", count));
}

static int run_it(struct verify_job *j)
{
	struct cfs_verify_result result = { .archives = 0 };
	int rc, status;

	rc = cfs_verify_run(j->run, &result, &j->err);
	cfs_progress_end();
	j->is_done = rc == CFS_OK;
	j->is_complete = result.sum.unread == 0;
	if (rc == CFS_OK && j->o->is_json)
		rc = print_document(&result, &j->err);
	cfs_out_summary(j->dash.path != NULL);
	if (rc == CFS_OK && !j->o->is_json && !j->o->is_quiet)
		print_table(&result);
	cfs_out_summary(false);
	status = cfs_cli_end(rc, &j->err);
	if (rc != CFS_OK && rc != CFS_EUSAGE && j->o->report != NULL &&
	    j->dash.path == NULL && result.sum.records > 0)
		cfs_cli_error("the same command resumes the verification");
	if (rc == CFS_OK)
		warn_of_bodies(j, &result);
	if (rc == CFS_OK && result.sum.damage + result.sum.unread +
			    result.absent + result.reused > 0)
		return CFS_EXIT_FAILURE;
	return status;
}

static int verify_archives(struct verify_job *j)
{
	int rc = cfs_verify_new(&j->run, &j->verify, &j->err);

	for (size_t i = 0; rc == CFS_OK && i < j->sources.n; i++)
		rc = cfs_verify_input(j->run, j->sources.v[i], &j->err);
	return rc == CFS_OK ? run_it(j) : cfs_cli_end(rc, &j->err);
}

static int cmd_verify_on_capture(void *arg, const struct cfs_iter *it,
				 const struct cfs_capture *cap)
{
	struct verify_job *j = arg;

	return cfs_verify_entry(j->run, it, cap, &j->err);
}

/* Adds the captures below the PREFIXes; without any, all captures. */
static int add_entries(struct verify_job *j, struct cfs_crawl *crawl)
{
	struct cfs_prefixes p;
	int rc;

	if (j->o->n_operands < 2)
		return cfs_verify_index(j->run, &j->err);
	rc = cfs_prefixes_init(&p, crawl, j->o->operands + 1,
			       CFS_CTX(j->verify.cancel, &j->err));
	if (rc == CFS_OK)
		rc = cfs_prefixes_each(&p, cfs_verify_holes(j->run),
				       cmd_verify_on_capture, j,
				       CFS_CTX(j->verify.cancel, &j->err));
	cfs_prefixes_release(&p);
	return rc;
}

/* True if only some captures of the SOURCE are wanted. */
static bool is_filtered(const struct cfs_options *o)
{
	return o->n_operands > 1 || o->crawl.part.n > 0 ||
	       cfs_conditions_given(&o->conditions) != 0;
}

/* Lists of words beside the index belong to it: they must be of this index, and
 * whole; if strict, also those that its texts give. */
static int check_words(struct verify_job *j, struct cfs_crawl *crawl)
{
	const struct cfs_word_lists *lists;
	struct cfs_error e = CFS_ERROR_INIT;
	const struct cfs_ctx ctx = CFS_CTX(j->verify.cancel, &e);
	int rc = cfs_crawl_words(crawl, &lists, ctx);

	if (rc == CFS_ENOWORDS && access(e.where, F_OK) != 0)
		return CFS_OK;		/* there is none */
	for (unsigned i = 0; rc == CFS_OK && i < lists->n; i++) {
		rc = cfs_words_check(lists->v[i], ctx);
		if (rc == CFS_OK && j->o->is_strict)
			rc = cfs_crawl_compare_words(crawl, lists, i,
						     j->verify.tmp_dir, ctx);
	}
	if (rc == CFS_ENOWORDS || rc == CFS_EFORMAT)
		return cfs_holes_add(cfs_verify_holes(j->run), 0, &e);
	return rc == CFS_OK ? rc : cfs_error_pass(&j->err, &e, rc);
}

static int verify_crawl(struct verify_job *j)
{
	struct cfs_crawl *crawl;
	int rc, status = cfs_cli_open_prefixed(&crawl, j->o, false);

	if (status != CFS_EXIT_OK)
		return status;
	j->verify.index = crawl->index;
	j->verify.store = crawl->store;
	/* archives of a selection hold much that was not selected */
	j->verify.only_added = is_filtered(j->o) ||
			       crawl->index->home != NULL;
	rc = cfs_verify_new(&j->run, &j->verify, &j->err);
	if (rc == CFS_OK)
		rc = add_entries(j, crawl);
	if (rc == CFS_OK && !is_filtered(j->o))
		rc = check_words(j, crawl);
	status = rc == CFS_OK ? run_it(j) : cfs_cli_end(rc, &j->err);
	if (j->err.code == CFS_ENOTFOUND && j->o->n_operands < 2)
		cfs_choices_log_all(crawl, j->verify.cancel);
	cfs_verify_free(j->run);	/* before what it borrows is closed */
	j->run = NULL;
	cfs_crawl_close(crawl);
	return status;
}

/* Finds out whether all sources are archives, or folders of them. */
static int look_at_sources(struct verify_job *j, bool *are_archives)
{
	struct cfs_crawl_opts opts;
	int rc = cfs_cli_begin(&opts, j->o, &j->err);

	if (rc == CFS_OK)
		rc = cfs_sources_add(&j->sources, j->o->operands[0], &opts,
				     &j->err);
	*are_archives = true;
	for (size_t i = 0; rc == CFS_OK && i < j->sources.n && *are_archives;
	     i++)
		rc = cfs_crawl_is_archives(j->sources.v[i], &opts,
					   are_archives, &j->err);
	return rc;
}

/* Files a report that a run has finished, which is then removed, unless a later
 * run has to resume it. */
static int file_report(struct verify_job *j, const char *running,
		       enum cfs_verify_form form)
{
	int rc = cfs_verify_file(running, j->o->report, form, &j->err);

	if (rc == CFS_OK && j->is_complete)
		unlink(running);
	return rc;
}

static int cmd_verify_run(struct cfs_options *o)
{
	struct verify_job j = { .o = o };
	const enum cfs_verify_form form = o->report == NULL ?
			CFS_FILED_LINES : cfs_verify_form_of(o->report);
	char usual[PATH_MAX], running[PATH_MAX], name[] = "verify";
	const char *tmp = getenv("TMPDIR");
	bool are_archives;
	CFS_BUF(command, COMMAND_MAX);
	int rc, status;

	if (cfs_dash_is(o->report) && o->is_json)
		return cfs_cli_usage("verify", "--json and --report=- would "
				     "both be standard output");
	if (tmp == NULL || *tmp == '\0')
		tmp = "/var/tmp";
	o->crawl.reads_anew = true;
	cmd_verify_describe(&j, &command);
	j.verify = (struct cfs_verify_opts){
		.cache_dir = cfs_crawl_inflate_dir(&o->crawl, usual),
		.list_base = o->crawl.base != NULL ? o->crawl.base :
						     o->crawl.data,
		.is_strict = o->is_strict, .report = o->report,
		.command = cfs_buf_str(&command),
		.tmp_dir = tmp,
		.parallel = o->threads,
		.max_record_bytes = o->crawl.max_record_bytes,
		.mem_bytes = o->crawl.mem_bytes,
		.cancel = cfs_cli_catch_signals(),
		.progress = cfs_progress_called,
		.arg = name };
	if (j.verify.mem_bytes == 0)
		j.verify.mem_bytes = CFS_CRAWL_MEM_DEFAULT;
	if (form != CFS_FILED_LINES) {
		snprintf(running, sizeof(running), "%s.run", o->report);
		j.verify.report = running;
	}
	rc = look_at_sources(&j, &are_archives);
	if (rc == CFS_OK && cfs_dash_is(o->report)) {
		rc = cfs_dash_open(&j.dash, &o->crawl, "report", &j.err);
		j.verify.report = j.dash.path;
	}
	if (rc != CFS_OK)
		status = cfs_cli_end(rc, &j.err);
	else if (are_archives && !is_filtered(o))
		status = verify_archives(&j);
	else
		status = verify_crawl(&j);
	cfs_verify_free(j.run);
	if (j.is_done && j.dash.path != NULL)
		rc = cfs_dash_send(&j.dash, &j.err);
	if (j.is_done && form != CFS_FILED_LINES)
		rc = file_report(&j, running, form);
	if (rc != CFS_OK && status == CFS_EXIT_OK)
		status = cfs_cli_end(rc, &j.err);
	cfs_dash_close(&j.dash);
	cfs_sources_release(&j.sources);
	return status;
}

const struct cfs_command cfs_cmd_verify = {
	.name = "verify",
	.by = CFS_BY_VERIFY,
	.summary = "read every record and compare every digest",
	.usage =
		"crawlfs verify SOURCE [PREFIX...]\n\n"
		"Reads every record of the archives and compares what they say of themselves\n"
		"with what they are: checksums of gzip and zstd, declared lengths, digests of\n"
		"blocks and payloads (md5, sha1, sha256, sha384, sha512), the hashes in WACZ\n"
		"files and the rows of their lists, and, where SOURCE is an index, each place,\n"
		"URL, time, length and digest in it.  With PREFIXes, those of crawlfs check,\n"
		"only the captures below them are read.  Prints a table; the exit status is 1 if\n"
		"there is any damage.  Records that are there twice are counted, and no damage.",
	.example = "  crawlfs verify /srv/warcs --report=verify.jsonl\n",
	.operands = { "SOURCE" },
	.run = cmd_verify_run,
};
