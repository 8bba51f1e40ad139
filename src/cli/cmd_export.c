/* cmd_export.c - crawlfs export: writes the captures of a crawl as rows.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/pool.h"
#include "base/text.h"
#include "commands.h"
#include "crawl/crawl.h"
#include "crawl/sources.h"
#include "dash.h"
#include "export/drives.h"
#include "export/fields.h"
#include "export/formats.h"
#include "export/rows_out.h"
#include "export/spool.h"
#include "net/location.h"
#include "outbox.h"
#include "output.h"
#include "progress_line.h"
#include "record/sniff.h"
#include "signals.h"
#include "source_args.h"
#include "table/parquet_write.h"
#include "view/languages.h"

/* Threads besides one for each processor if records are on a server: they
 * mostly wait. */
#define EXPORT_THREADS_REMOTE 14u
/* The same in the order of archives: a thread asks for the near records of its
 * rows at once, and what it does not read soon takes the memory of others. */
#define EXPORT_THREADS_NEAR 4u
/* One part in READ_PART of the memory is for reading archives from front to
 * back: a record is there a few times, decoded and as text. */
#define READ_PART 4u
/* The quarters of the memory that the opened crawl gets; rows that wait to be
 * written get another quarter. */
#define EXPORT_CRAWL_QUARTERS 3u
/* Positions are sorted in one of so many parts of it, before records are
 * read. */
#define SORT_PARTS 8u

/* Captures that are put in the order of archives at a time. */
#define ARCHIVE_WINDOW ((uint64_t)1 << 20)

enum export_order { ORDER_AUTO, ORDER_ARCHIVE, ORDER_INDEX };
enum wet_text { TEXT_USUAL, TEXT_MAIN };

struct export_job {
	struct cfs_options *o;
	struct cfs_export_opts opts;
	char **prefixes;		/* the operands that are no SOURCEs;
					 * ended by NULL */
	size_t typed_prefixes;		/* as many are not of --prefix */
	struct cfs_part part;
	bool by_archive;
	bool has_errors;		/* it is whole, and some rows have an
					 * error, which is a failure */
	bool is_there;			/* it was complete before */
	double seconds;
	struct cfs_rows_box box;	/* for an output in S3 */
	struct cfs_dash dash;		/* for a format that has to be a file,
					 * to standard output */
	struct cfs_sources sources;
	struct cfs_spool *spool;	/* of standard input, or NULL */
	bool is_live;			/* that is an archive which may still
					 * come */
	struct cfs_buf described;
	char temp[PATH_MAX];
	struct cfs_error err;
};

/* ---- the run ------------------------------------------------------------- */

static void add_conditions(struct cfs_buf *b, const struct cfs_conditions *c)
{
	cfs_buf_addf(b, " %d%" PRId64 " %d%" PRId64 " %d %d ",
		     c->dates.has_from, c->dates.from, c->dates.has_to,
		     c->dates.to, c->has_status, c->any_language);
	cfs_buf_append(b, c->status, sizeof(c->status));
	cfs_buf_add(b, cfs_buf_slice(&c->mimes));
	cfs_buf_addc(b, 0);
	cfs_buf_add(b, cfs_buf_slice(&c->languages));
}

/* A hash of the options that decide the rows, besides the contents of the
 * inputs: a file that was begun with other options is begun again. */
static uint64_t options_hash(const struct export_job *j)
{
	const struct cfs_options *o = j->o;
	CFS_BUF(b, SIZE_MAX / 2);

	for (int i = 0; i < o->n_operands; i++) {
		cfs_buf_adds(&b, o->operands[i]);
		cfs_buf_addc(&b, 0);
	}
	cfs_buf_addf(&b, "%s %d %u %u %" PRIx64 " %u %" PRIu32 "/%" PRIu32 " %"
		     PRIu64 " %u %" PRIu64 " %d", j->opts.format->name,
		     o->n_typed, j->opts.coding, o->compression,
		     j->opts.fields, o->order, j->part.k,
		     j->part.n, o->crawl.max_record_bytes,
		     o->crawl.dedup, j->opts.file_bytes, o->nulls);
	if (j->opts.fields & CFS_EXPORT_BIT(CFS_EXPORT_CLUSTER))
		cfs_buf_addf(&b, " %u", o->near_bits);
	add_conditions(&b, &o->conditions);
	return cfs_hash64(cfs_buf_slice(&b), 0);
}

static int open_out(struct export_job *j, uint64_t state)
{
	struct cfs_rows_out_opts oo = {
		.path = j->dash.path != NULL ? j->dash.path : j->o->output,
		.file_bytes = j->opts.file_bytes, .part = j->part,
		.fingerprint = cfs_hash64(cfs_slice_of(&state, sizeof(state)),
					  options_hash(j)),
		.force = j->o->force, .skip_complete = j->o->skip_complete,
		.rows = &j->opts, .cancel = j->opts.cancel };
	int rc = CFS_OK;

	if (j->box.local[0] != '\0') {
		oo.path = j->box.local;
		oo.shown = j->o->output;
		/* replaces what another run left, but no mark that was found */
		oo.skip_complete = j->o->skip_complete && j->box.is_folder;
		oo.force = !oo.skip_complete;
		oo.deliver = cfs_rows_box_send;
		oo.arg = &j->box;
		rc = cfs_rows_box_mark(&j->box, oo.fingerprint, &j->err);
	}
	return rc == CFS_OK ? cfs_rows_out_open(&j->opts.out, &oo, &j->err) :
			      rc;
}

/* The name of the output, for people. */
static const char *shown_output(const struct export_job *j)
{
	return j->o->output != NULL ? j->o->output : "-";
}

static void print_text(const struct export_job *j,
		       const struct cfs_export_report *r)
{
	char count[CFS_TEXT_COUNT_BYTES];
	unsigned files = cfs_rows_out_files(j->opts.out);

	cfs_out_text(cfs_slice_str(shown_output(j)));
	if (j->is_there) {
		cfs_out_f(": is complete already\n");
		return;
	}
	cfs_out_f(": %s%s", cfs_text_count(r->rows, "row", count),
		  r->resumed > 0 ? " more than an earlier run has written" :
				   "");
	if (r->errors > 0)
		cfs_out_f(", %s with an error",
			  cfs_text_count(r->errors, "row", count));
	if (files > 0)
		cfs_out_f(", in %s", cfs_text_count(files, "file", count));
	cfs_out_f("\n  %.1f seconds", j->seconds);
	if (j->seconds > 0)
		cfs_out_f(", %.0f rows/s", (double)r->rows / j->seconds);
	cfs_out_f("\n");
	cfs_out_servers();
}

static void print_json(const struct export_job *j,
		       const struct cfs_export_report *r, int rc)
{
	struct cfs_out_document d;
	struct cfs_error err = CFS_ERROR_INIT;

	cfs_out_document_begin(&d);
	cfs_json_put_ascii(&d.j, "output", cfs_slice_str(shown_output(j)),
			   CFS_JSON_ODD_SURROGATE);
	cfs_json_key(&d.j, CFS_SLICE_LIT("format"));
	cfs_buf_addf(d.j.out, "\"%s%s\"", j->opts.format->name,
		     j->opts.format->convert != NULL ? "" :
		     cfs_export_coding_suffix(j->opts.coding));
	cfs_json_put_bool(&d.j, "complete", rc == CFS_OK && !r->is_closed);
	cfs_json_put_bool(&d.j, "skipped", j->is_there);
	cfs_json_put_bool(&d.j, "resumed", r->resumed > 0);
	cfs_json_put_uint(&d.j, "rows", r->rows);
	cfs_json_put_uint(&d.j, "rows_with_error", r->errors);
	if (j->opts.file_bytes > 0 && !j->is_there)
		cfs_json_put_uint(&d.j, "files",
				  cfs_rows_out_files(j->opts.out));
	if (rc != CFS_OK)
		cfs_json_put_ascii(&d.j, "message", cfs_slice_str(j->err.text),
				   CFS_JSON_ODD_REPLACED);
	cfs_json_key(&d.j, CFS_SLICE_LIT("seconds"));
	cfs_buf_addf(d.j.out, "%.3f", j->seconds);
	cfs_out_put_servers(&d.j);
	if (cfs_out_document_end(&d, CFS_OK, &err) != CFS_OK)
		cfs_cli_error("%s", err.text);
}

/* Reports the outcome on standard error, if standard output has the rows. */
static void print_outcome(const struct export_job *j,
			  const struct cfs_export_report *r, int rc)
{
	bool is_text = !j->o->is_json;

	if (is_text && (rc != CFS_OK || j->o->is_quiet || r->is_closed ||
			j->o->output == NULL))
		return;
	cfs_out_summary(is_text || j->o->output == NULL);
	if (is_text)
		print_text(j, r);
	else
		print_json(j, r, rc);
	cfs_out_summary(false);
}

/* Runs the drive, which it takes over.  state: a hash of the inputs.  Returns
 * the exit status. */
static int run_drive(struct export_job *j, struct cfs_export_drive *d,
		     uint64_t state)
{
	int64_t from_ms = cfs_monotonic_ms();
	struct cfs_export_report report = { .rows = 0 };
	int status, rc;

	j->opts.order = j->by_archive ? "archive" : "index";
	j->opts.picked = cfs_buf_str(&j->o->picked);
	j->opts.codec = (enum cfs_parquet_codec)j->o->compression;
	rc = open_out(j, state);

	if (rc == CFS_OK) {
		rc = cfs_export_run(d, &j->opts, &report, &j->err);
		cfs_progress_end();
	} else {
		cfs_export_drive_free(d);
		j->is_there = rc == CFS_END;
		rc = j->is_there ? CFS_OK : rc;
	}
	if (rc == CFS_OK && !report.is_closed && j->dash.path != NULL)
		rc = cfs_dash_send(&j->dash, &j->err);
	status = cfs_cli_end(rc, &j->err);
	j->seconds = (double)(cfs_monotonic_ms() - from_ms) / 1e3;
	cfs_rows_box_close(&j->box);
	if (rc != CFS_OK && cfs_rows_out_leave(j->opts.out) &&
	    j->dash.path == NULL)
		cfs_cli_error("the same command resumes the export");
	print_outcome(j, &report, rc);
	j->has_errors = rc == CFS_OK && report.errors > 0 &&
			!report.is_closed && j->o->errors_are_ok == 0;
	return j->has_errors ? CFS_EXIT_FAILURE : status;
}

/* ---- in the order of archives -------------------------------------------- */

static int export_archives(struct export_job *j)
{
	char usual[PATH_MAX];
	struct cfs_archive_rows_opts ro = {
		.inputs = (const char *const *)j->sources.v,
		.n_inputs = j->sources.n,
		.stdin_path = cfs_spool_path(j->spool),
		.spool = j->is_live ? j->spool : NULL,
		.cache_dir = cfs_crawl_inflate_dir(&j->o->crawl, usual),
		.list_base = j->o->crawl.base,
		.max_record_bytes = j->o->crawl.max_record_bytes,
		.spill_dir = j->opts.spill_dir,
		.budget = j->o->crawl.budget,
		.part = j->part, .conditions = &j->o->conditions,
		.prefixes = j->prefixes,
		.cancel = j->opts.cancel };
	struct cfs_archive_rows_facts facts;
	struct cfs_export_drive *drive;
	unsigned threads = j->opts.threads > 0 ? j->opts.threads :
						 cfs_processors();
	int rc = cfs_cli_check_prefixes(j->prefixes, j->typed_prefixes, NULL,
					CFS_CTX(j->opts.cancel, &j->err));

	if (ro.spill_dir != NULL)
		ro.memory_bytes = cfs_scan_hold(j->opts.mem_bytes / READ_PART,
						threads);
	if (rc == CFS_OK)
		rc = cfs_archive_rows_new(&drive, &ro, &facts, &j->err);
	if (rc != CFS_OK)
		return cfs_cli_end(rc, &j->err);
	j->opts.time = facts.time;
	if (j->opts.threads == 0 && facts.any_remote)
		j->opts.threads = cfs_processors() + EXPORT_THREADS_REMOTE;
	return run_drive(j, drive, facts.state);
}

/* ---- in the order of an index -------------------------------------------- */

/* A hash of what is known of a crawl's index, and of what decides the batches
 * besides the options: an export that was begun with the archives elsewhere may
 * have others. */
static uint64_t crawl_state(const struct cfs_index_rows_opts *ro)
{
	const struct cfs_index *ix = cfs_index_whole(ro->crawl->index);
	uint64_t known[] = { (uint64_t)ro->crawl->mtime, ix->captures,
			     ix->blocks, ix->src != NULL ? ix->src->size : 0,
			     ro->crawl->cache != NULL, ro->by_archive,
			     ro->window };

	return cfs_hash64(cfs_slice_of(known, sizeof(known)), 1);
}

/* Is this a slice of a crawl whose records are on a server, and the order left
 * open?  Then that of archives asks least.  Of an index that is there, too, it
 * would wait for blocks that an export without prefixes reads side by side. */
static bool is_far_slice(const struct export_job *j, const struct cfs_crawl *c)
{
	const struct cfs_source *index = cfs_index_whole(c->index)->src;
	bool is_divided = j->prefixes[0] == NULL &&
		(j->part.n > 0 || index == NULL || !index->is_local);

	return j->o->order == ORDER_AUTO && c->cache != NULL && !is_divided &&
	       j->opts.spill_dir != NULL &&
	       cfs_export_made_of(j->opts.fields) != 0 &&
	       (j->opts.fields & CFS_EXPORT_BIT(CFS_EXPORT_CLUSTER)) == 0 &&
	       j->o->crawl.dedup == CFS_DEDUP_NONE;
}

static int export_crawl(struct export_job *j, struct cfs_crawl *crawl)
{
	bool is_far = is_far_slice(j, crawl);
	struct cfs_export_drive *drive = NULL;
	struct cfs_ctx ctx = CFS_CTX(j->opts.cancel, &j->err);
	struct cfs_index_rows_opts ro = { .crawl = crawl, .part = j->part,
		.prefixes = j->prefixes, .fields = j->opts.fields,
		.by_archive = j->by_archive || is_far,
		.window = is_far && j->part.n == 0 ? ARCHIVE_WINDOW : 0,
		.temp_dir = j->opts.spill_dir,
		.sort_bytes = j->opts.mem_bytes / SORT_PARTS };
	int rc = cfs_cli_check_prefixes(j->prefixes, j->typed_prefixes, crawl,
					ctx);

	j->by_archive = ro.by_archive;
	j->opts.time = crawl->mtime;
	if (j->opts.threads == 0 && crawl->cache != NULL)
		j->opts.threads = cfs_processors() +
			(j->by_archive ? EXPORT_THREADS_NEAR :
					 EXPORT_THREADS_REMOTE);
	if (rc == CFS_OK &&
	    (j->opts.fields & CFS_EXPORT_BIT(CFS_EXPORT_CLUSTER)) != 0)
		rc = cfs_clusters_find(crawl, j->o->near_bits, ro.sort_bytes,
				       ctx);
	if (rc == CFS_OK)
		rc = cfs_index_rows_new(&drive, &ro, ctx);
	return rc == CFS_OK ? run_drive(j, drive, crawl_state(&ro)) :
			      cfs_cli_end(rc, &j->err);
}

/* True if --prefix is given besides operands that are prefixes. */
static bool narrows_operands(const struct export_job *j)
{
	return j->typed_prefixes > 0 && j->prefixes[j->typed_prefixes] != NULL;
}

/* Joins the SOURCEs with commas, as a list that is opened as one crawl. */
static int export_index(struct export_job *j)
{
	struct cfs_options *o = j->o;
	struct cfs_crawl *crawl;
	CFS_BUF(list, SIZE_MAX / 2);
	int rc = CFS_OK, status;

	for (size_t i = 0; i < j->sources.n; i++) {
		if (i > 0)
			cfs_buf_addc(&list, ',');
		cfs_buf_adds(&list, j->sources.v[i]);
	}
	/* with operands, --prefix is a condition besides */
	if (narrows_operands(j)) {
		o->crawl.prefixes = cfs_buf_str(&o->prefixes);
		j->prefixes[j->typed_prefixes] = NULL;
	}
	if (o->crawl.dedup != CFS_DEDUP_NONE)
		rc = cfs_cli_limit(o, j->prefixes, &j->err);
	if (rc != CFS_OK)
		return cfs_cli_end(rc, &j->err);
	/* the picked captures are divided, not the whole (drives.h) */
	if (j->by_archive || j->prefixes[0] != NULL)
		o->crawl.part = (struct cfs_part){ .n = 0 };
	status = cfs_cli_open(&crawl, cfs_buf_str(&list), o);
	if (status == CFS_EXIT_OK) {
		status = cfs_cli_close(crawl, export_crawl(j, crawl));
	}
	return status;
}

/* ---- operands ------------------------------------------------------------ */

/* Begins to read a pipe.  Anything but a whole archive is read to its end. */
static int begin_pipe(struct export_job *j)
{
	struct cfs_ctx ctx = CFS_CTX(j->opts.cancel, &j->err);
	struct cfs_sniffed found = { .kind = CFS_FILE_NONE };
	struct cfs_source *src;
	int rc = cfs_spool_source(j->spool, &src, &j->err);

	if (rc == CFS_OK)
		rc = cfs_sniff_file(src, CFS_SNIFF_START, &found, ctx);
	cfs_source_close(src);
	j->is_live = j->part.n == 0 && (found.kind == CFS_FILE_ARC ||
					found.kind == CFS_FILE_WARC);
	cfs_sniffed_release(&found);
	return rc == CFS_OK && !j->is_live ? cfs_spool_end(j->spool, ctx) : rc;
}

/* Adds a SOURCE. */
static int add_source(struct export_job *j, const char *text,
		      const struct cfs_crawl_opts *opts)
{
	int rc;

	if (strcmp(text, "-") != 0)
		return cfs_sources_add(&j->sources, text, opts, &j->err);
	if (j->spool != NULL)
		return cfs_error_set(&j->err, CFS_EUSAGE,
				     "standard input is named twice");
	rc = cfs_spool_stdin(&j->spool, j->opts.spill_dir, &j->err);
	if (rc == CFS_OK && !cfs_spool_is_whole(j->spool))
		rc = begin_pipe(j);
	return rc == CFS_OK ? cfs_sources_add(&j->sources,
					      cfs_spool_path(j->spool), opts,
					      &j->err) : rc;
}

/* Is it standard input, which is known to be an archive? */
static bool is_live_source(const struct export_job *j, const char *source)
{
	return j->is_live && strcmp(source, cfs_spool_path(j->spool)) == 0;
}

/* Decides the order, if the user leaves it open, and whether the archives are
 * read without an index. */
static int find_order(struct export_job *j, const struct cfs_crawl_opts *opts,
		      bool *without_index)
{
	bool are_archives = true;
	int rc = CFS_OK;

	for (size_t i = 0; rc == CFS_OK && i < j->sources.n && are_archives;
	     i++)
		if (!is_live_source(j, j->sources.v[i]))
			rc = cfs_crawl_is_archives(j->sources.v[i], opts,
						   &are_archives, &j->err);
	/* which of several copies is the first, an index says, which clusters
	 * there are, and what two sets of prefixes have in common */
	*without_index = are_archives && j->o->order != ORDER_INDEX &&
			 !narrows_operands(j) &&
			 (j->opts.fields &
			  CFS_EXPORT_BIT(CFS_EXPORT_CLUSTER)) == 0 &&
			 (opts->dedup == CFS_DEDUP_NONE ||
			  j->o->order == ORDER_ARCHIVE);
	j->by_archive = *without_index || j->o->order == ORDER_ARCHIVE;
	if (rc == CFS_OK && j->by_archive && opts->dedup != CFS_DEDUP_NONE)
		rc = cfs_error_set(&j->err, CFS_EUSAGE, "--dedup needs the "
				   "order of an index: leave --order=archive "
				   "out");
	if (rc == CFS_OK && *without_index &&
	    j->o->conditions.languages.n > 0 && cfs_languages_finder() == NULL)
		rc = cfs_error_set(&j->err, CFS_EUSAGE, "--language: archives "
				   "do not say which language a page is in, "
				   "and this program was built without CLD2, "
				   "which finds it");
	return rc;
}

/* Sorts the operands into SOURCEs and prefixes, for which there is room. */
static int add_operands(struct export_job *j, const struct cfs_crawl_opts *opts)
{
	char **operands = j->o->operands;
	size_t n = 0;
	int rc = CFS_OK;

	for (int i = 0; rc == CFS_OK && i < j->o->n_operands; i++) {
		if (i > 0 && (i >= j->o->n_typed ||
			      !cfs_cli_is_source(operands[i]))) {
			j->typed_prefixes += i < j->o->n_typed;
			j->prefixes[n++] = operands[i];
			continue;
		}
		cfs_buf_adds(&j->described, j->described.n > 0 ? " " : "");
		cfs_location_show_list(&j->described, operands[i]);
		rc = add_source(j, operands[i], opts);
	}
	return rc;
}

/* Makes room for a format that has to be a file, if standard output is to be
 * one. */
static int open_dash(struct export_job *j)
{
	return j->o->output != NULL || j->opts.format->convert == NULL ?
	       CFS_OK : cfs_dash_open(&j->dash, &j->o->crawl, "rows.parquet",
				      &j->err);
}

static int export_sources(struct export_job *j)
{
	struct cfs_crawl_opts opts;
	bool without_index = false;
	int rc = cfs_cli_begin(&opts, j->o, &j->err);

	if (rc == CFS_OK)
		rc = add_operands(j, &opts);
	j->opts.described = cfs_buf_str(&j->described);
	if (rc == CFS_OK)
		rc = find_order(j, &opts, &without_index);
	if (rc == CFS_OK)
		rc = open_dash(j);
	if (rc == CFS_OK)
		rc = cfs_rows_box_open(&j->box, j->o, &j->opts, j->part,
				       CFS_CTX(j->opts.cancel, &j->err));
	if (rc == CFS_OK && !without_index && j->is_live)
		rc = cfs_spool_end(j->spool, CFS_CTX(j->opts.cancel, &j->err));
	if (rc != CFS_OK)
		return cfs_cli_end(rc, &j->err);
	return without_index ? export_archives(j) : export_index(j);
}

/* ---- options ------------------------------------------------------------- */

static bool is_folder_name(const char *output)
{
	return output != NULL && output[0] != '\0' &&
	       output[strlen(output) - 1] == '/';
}

/* Finds the format that the name of the output says. */
static bool format_of_output(struct export_job *j)
{
	struct cfs_slice name = cfs_slice_str(j->o->output);
	CFS_BUF(plain, PATH_MAX);

	while (name.n > 0 && name.p[name.n - 1] == '/')
		name.n--;
	cfs_buf_add(&plain, name);
	return cfs_export_format_of(cfs_buf_str(&plain), &j->opts.format,
				    &j->opts.coding);
}

/* Is the output a folder, and may it be? */
static bool find_folder(struct export_job *j)
{
	const struct cfs_options *o = j->o;
	struct stat st;

	if (cfs_rows_box_check(o, &j->err) != CFS_OK)
		return false;
	if (is_folder_name(o->output)) {
		j->opts.file_bytes = o->file_bytes > 0 ? o->file_bytes :
				     CFS_ROWS_OUT_FILE_BYTES;
		return true;
	}
	if (o->file_bytes > 0)
		cfs_error_set(&j->err, CFS_EUSAGE, "--file-size goes with -o "
			      "DIR/, a folder of files");
	else if (o->output != NULL && stat(o->output, &st) == 0 &&
		 S_ISDIR(st.st_mode))
		cfs_error_set(&j->err, CFS_EUSAGE, "-o: '%.100s' is a folder: "
			      "with a / behind it, files are written into it",
			      o->output);
	else if (o->skip_complete && o->output == NULL)
		cfs_error_set(&j->err, CFS_EUSAGE, "--skip-complete goes with "
			      "an OUT");
	else
		return true;
	return false;
}

/* Finds the format and the coding.  False: they are wrong, which err says. */
static bool cmd_export_find_format(struct export_job *j)
{
	const struct cfs_options *o = j->o;
	struct cfs_export_opts *x = &j->opts;
	enum cfs_coding coding = CFS_CODING_NONE;
	CFS_BUF(name, 1 << 16);
	bool known = true;

	x->format = cfs_export_formats;
	if (o->output != NULL)
		known = format_of_output(j);
	if (!known && o->rows == NULL) {
		cfs_error_set(&j->err, CFS_EUSAGE, "-o: the name says no "
			      "format: end it in .jsonl, .warc.wet, .warc "
			      "or .parquet, or give a --format");
		return false;
	}
	if (o->rows == NULL)
		return true;
	cfs_buf_adds(&name, o->rows);
	x->format = cfs_export_format_find_coded(cfs_buf_str(&name), &coding);
	if (x->format == NULL)
		cfs_error_set(&j->err, CFS_EUSAGE, "option '--format': "
			      "'%.80s' is none of jsonl, wet, warc and "
			      "parquet", o->rows);
	if (coding != CFS_CODING_NONE)
		x->coding = coding;
	return x->format != NULL;
}

/* Sets up a format whose rows are gathered first. */
static bool begin_converted(struct export_job *j)
{
	struct cfs_export_opts *x = &j->opts;

	if (x->format->convert == NULL) {
		if (j->o->compression == 0)
			return true;
		cfs_error_set(&j->err, CFS_EUSAGE, "--compression is for "
			      "Parquet: of '%s' the name says it, as .gz or "
			      ".zst", x->format->name);
		return false;
	}
	if (x->coding != CFS_CODING_NONE) {
		cfs_error_set(&j->err, CFS_EUSAGE, "%s: is compressed inside: "
			      "leave the ending of a compression out",
			      x->format->name);
		return false;
	}
	x->coding = CFS_CODING_ZSTD;
	return true;
}

/* Has the texts of WET files made of the field that the user names. */
static bool find_wet_text(struct export_job *j)
{
	struct cfs_export_opts *x = &j->opts;

	if (j->o->wet_text == TEXT_USUAL)
		return true;
	if ((x->fields & CFS_EXPORT_BIT(CFS_EXPORT_TEXT)) == 0 ||
	    x->format->begin == NULL) {
		cfs_error_set(&j->err, CFS_EUSAGE,
			      "--text goes with --format=wet");
		return false;
	}
	if (j->o->wet_text == TEXT_MAIN)
		x->fields ^= CFS_EXPORT_BIT(CFS_EXPORT_TEXT) |
			     CFS_EXPORT_BIT(CFS_EXPORT_MAIN);
	return true;
}

static bool find_fields(struct export_job *j)
{
	struct cfs_export_opts *x = &j->opts;
	struct cfs_error e = CFS_ERROR_INIT;

	x->fields = x->format->made_of;
	if (!find_wet_text(j))
		return false;
	if (x->fields != 0 && j->o->fields != NULL) {
		cfs_error_set(&j->err, CFS_EUSAGE, "--fields: '%s' always has "
			      "the same", x->format->name);
		return false;
	}
	if (x->fields == 0 && j->o->fields == NULL)
		x->fields = cfs_export_default_fields();
	if (j->o->fields == NULL ||
	    cfs_export_fields_parse(j->o->fields, &x->fields, &e) == CFS_OK)
		return true;
	cfs_error_set(&j->err, CFS_EUSAGE, "option '--fields': %s", e.text);
	return false;
}

/* Divides the memory. */
static bool set_memory(struct export_job *j)
{
	struct cfs_crawl_opts *c = &j->o->crawl;

	if (j->opts.mem_bytes == 0)
		j->opts.mem_bytes = CFS_CRAWL_MEM_DEFAULT;
	c->mem_bytes = j->opts.mem_bytes / 4 * EXPORT_CRAWL_QUARTERS;
	c->budget = cfs_budget_new(c->mem_bytes);
	j->prefixes = calloc((size_t)j->o->n_operands + 1, sizeof(char *));
	if (c->budget == NULL || j->prefixes == NULL)
		cfs_error_nomem(&j->err);
	return c->budget != NULL && j->prefixes != NULL;
}

/* Is the library that a format needs there?  If not, says so, before hours of
 * work. */
static bool has_library(struct export_job *j)
{
	if (j->opts.format->convert == NULL ||
	    cfs_parquet_begin(&j->err) == CFS_OK)
		return true;
	cfs_cli_error("%s; jsonl.gz needs none", j->err.text);
	return false;
}

static int cmd_export_run(struct cfs_options *o)
{
	struct export_job j = { .o = o };
	char name[] = "export";
	int status;

	if (cfs_dash_is(o->output))
		o->output = NULL;
	j.part = o->crawl.part;
	j.opts = (struct cfs_export_opts){
		.threads = o->threads, .mem_bytes = o->crawl.mem_bytes,
		.spill_dir = cfs_crawl_temp_dir(&o->crawl, j.temp),
		.cancel = cfs_cli_catch_signals(),
		.progress = cfs_progress_called, .arg = name };
	j.opts.nulls = o->nulls;
	if (!find_folder(&j) || !cmd_export_find_format(&j) ||
	    !begin_converted(&j) || !find_fields(&j))
		return cfs_cli_usage(o->command, "%s", j.err.text);
	cfs_buf_init(&j.described, 1 << 14);
	if (!has_library(&j))
		status = CFS_EXIT_FAILURE;
	else
		status = set_memory(&j) ? export_sources(&j) :
					  cfs_cli_end(CFS_ENOMEM, &j.err);
	cfs_rows_out_close(j.opts.out);
	cfs_dash_close(&j.dash);
	cfs_sources_release(&j.sources);
	cfs_spool_free(j.spool);
	cfs_buf_release(&j.described);
	cfs_budget_free(o->crawl.budget);
	o->crawl.budget = NULL;
	free(j.prefixes);
	return status == CFS_EXIT_FAILURE && !j.has_errors ?
	       CFS_EXIT_UNFINISHED : status;
}

const struct cfs_command cfs_cmd_export = {
	.name = "export",
	.by = CFS_BY_EXPORT,
	.summary = "write captures as rows: JSON lines, WET, Parquet",
	.usage =
		"crawlfs export SOURCE... [PREFIX...] [-o OUT]\n\n"
		"Writes one row a capture, on all processors, without a mount and without\n"
		"FUSE: JSON lines with URL, time, status, type, title, text and more; texts as\n"
		"WARC files (WET); Parquet; or the records.  Archives are read once, from front\n"
		"to back, and need no index.  An operand behind the first is a SOURCE\n"
		"if it is a file, a folder or the URL of an archive or index, else a PREFIX, as\n"
		"of crawlfs check; the value of --prefix is always a PREFIX.  The exit status\n"
		"is 1 if a record could not be read: its row says why; and 3 if the export\n"
		"failed.  The same command resumes an export to OUT that was stopped.  With a\n"
		"/ behind its name, OUT is a folder of files of bounded size.",
	.example = "  crawlfs export crawl.warc.gz --fields=url,title,text\n"
		   "  crawlfs export crawl.cfx org.gnu -o gnu.jsonl.gz\n",
	.operands = { "SOURCE" },
	.run = cmd_export_run,
};
