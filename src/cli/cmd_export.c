/* cmd_export.c - crawlfs export: writes the captures of a crawl as rows.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "crawl/crawl.h"
#include "crawl/sources.h"
#include "export/archive_rows.h"
#include "output.h"
#include "progress.h"
#include "signals.h"
#include "source_args.h"

struct export_job {
	const struct cfs_options *o;
	struct cfs_export_opts opts;
	struct cfs_sources sources;
	struct cfs_error err;
};

static void cmd_export_show(void *arg, const struct cfs_export_progress *p)
{
	struct cfs_indexer_progress q = { .bytes_done = p->bytes_done,
		.bytes_total = p->bytes_total, .captures = p->rows };

	cfs_progress_show(arg, &q);
}

/* Runs the drive, which it takes over.  Returns the exit status. */
static int run_drive(struct export_job *j, struct cfs_export_drive *d,
		     bool lacks_some)
{
	struct cfs_export_report report;
	int rc;

	cfs_progress_quiet(j->o->is_quiet);
	rc = cfs_export_run(d, &j->opts, &report, &j->err);
	cfs_progress_end();
	if (rc == CFS_OK && report.is_closed)
		return CFS_EXIT_OK;
	if (rc == CFS_OK && (report.errors > 0 || lacks_some))
		return CFS_EXIT_FAILURE;
	return cfs_cli_end(rc, &j->err);
}

static int export_archives(struct export_job *j)
{
	char usual[PATH_MAX];
	struct cfs_archive_rows_opts ro = {
		.inputs = (const char *const *)j->sources.v,
		.n_inputs = j->sources.n,
		.cache_dir = cfs_crawl_inflate_dir(&j->o->crawl, usual),
		.list_base = j->o->crawl.base,
		.max_record_bytes = j->o->crawl.max_record_bytes,
		.cancel = j->opts.cancel };
	struct cfs_export_drive *drive;
	int rc = cfs_archive_rows_new(&drive, &ro, &j->err);

	return rc == CFS_OK ? run_drive(j, drive,
					cfs_archive_rows_lack(drive)) :
			      cfs_cli_end(rc, &j->err);
}

static int export_sources(struct export_job *j)
{
	struct cfs_crawl_opts opts = j->o->crawl;
	int rc = cfs_http_configure(&j->o->http, &j->err);

	opts.cancel = j->opts.cancel;
	if (rc == CFS_OK)
		rc = cfs_cli_check_folders(&opts, &j->err);
	for (int i = 0; rc == CFS_OK && i < j->o->n_operands; i++)
		rc = cfs_sources_add(&j->sources, j->o->operands[i], &opts,
				     &j->err);
	return rc == CFS_OK ? export_archives(j) : cfs_cli_end(rc, &j->err);
}

static int cmd_export_run(struct cfs_options *o)
{
	struct export_job j = { .o = o };
	char name[] = "export";
	int rc, status;

	j.opts = (struct cfs_export_opts){
		.format = cfs_export_format_find(cfs_slice_str(
				o->rows != NULL ? o->rows : "jsonl")),
		.fields = cfs_export_default_fields(),
		.threads = o->threads, .mem_bytes = o->crawl.mem_bytes,
		.cancel = cfs_cli_catch_signals(),
		.progress = cmd_export_show, .arg = name };
	if (j.opts.format == NULL)
		return cfs_cli_usage(o->command, "option '--format': '%s' is "
				     "not a format", o->rows);
	if (o->fields != NULL &&
	    cfs_export_fields_parse(o->fields, &j.opts.fields, &j.err) !=
		    CFS_OK)
		return cfs_cli_usage(o->command, "option '--fields': %s",
				     j.err.text);
	rc = cfs_out_file_stdout(&j.opts.out, &j.err);
	status = rc == CFS_OK ? export_sources(&j) : cfs_cli_end(rc, &j.err);
	cfs_out_file_close(j.opts.out);
	cfs_sources_release(&j.sources);
	return status;
}

const struct cfs_command cfs_cmd_export = {
	.name = "export",
	.by = CFS_BY_EXPORT,
	.summary = "write captures as rows: JSON lines and other formats",
	.usage =
		"crawlfs export SOURCE... [PREFIX...]\n\n"
		"Writes one row a capture to standard output, on all processors, without a\n"
		"mount.  Archives are read once, from front to back, and need no index.\n"
		"The exit status is 1 if a record could not be read: its row says why.",
	.example = "  crawlfs export crawl.warc.gz --fields=url,title,text\n",
	.operands = { "SOURCE" },
	.run = cmd_export_run,
};
