/* cmd_copy.c - crawlfs copy: copies records below prefixes into one archive or
 * WACZ.
 *
 * A copy to S3 is first written to its own folder below the cache or another
 * folder, where a stopped copy can be resumed, and is sent when complete; then
 * the folder is removed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "commands.h"
#include "outbox.h"
#include "output.h"
#include "crawl/crawl_copy.h"
#include "dash.h"
#include "progress_line.h"
#include "net/s3.h"
#include "signals.h"
#include "source_args.h"

struct copy_job {
	struct cfs_options *options;
	struct cfs_copy_opts copy;
	struct cfs_dash dash;		/* for one to standard output */
	/* for a copy to S3: */
	const char *url;		/* s3://bucket/key; NULL: the copy is a
					 * file */
	struct cfs_outbox box;
	char path[PATH_MAX];		/* file in it, named like the object */
	struct cfs_crawl_copied copied;
	bool has_damage;		/* the index records some: captures may
					 * be missing in it */
};

/* ---- to S3 -------------------------------------------------------------- */

/* The suffixes of the files in the folder. */
static const char *const suffixes[] = {
	"", ".part", ".journal", ".cfx", ".upload", ".cfx.upload"
};
#define SUFFIXES (sizeof(suffixes) / sizeof(suffixes[0]))

/* Chooses the folder, and makes it. */
static int make_folder(struct copy_job *j, struct cfs_error *err)
{
	const char *name = strrchr(j->url, '/') + 1;
	int rc;

	if (strlen(name) > CFS_OUTBOX_NAME_MAX || strlen(name) < 6)
		return cfs_error_set(err, CFS_EUSAGE,
				     "'%.80s' is not a name for an archive",
				     j->url);
	rc = cfs_outbox_open(&j->box, j->url, j->options,
			     CFS_CTX(j->copy.cancel, err));
	if (rc == CFS_OK)
		snprintf(j->path, sizeof(j->path), "%.3800s/%.200s",
			 j->box.dir, name);
	return rc;
}

/* The name of one of its files; 32 bytes are left for suffixes. */
static const char *cmd_copy_name_of(char out[PATH_MAX],
				    const struct copy_job *j,
				    const char *suffix, const char *suffix2)
{
	snprintf(out, PATH_MAX, "%.4060s%s%s", j->path, suffix, suffix2);
	return out;
}

static int send_one(const struct copy_job *j, const char *suffix, bool force,
		    struct cfs_error *err)
{
	char path[PATH_MAX], url[PATH_MAX];

	if (snprintf(url, sizeof(url), "%s%s", j->url, suffix) >=
	    (int)sizeof(url))
		return cfs_error_set(err, CFS_EUSAGE, "the URL is too long");
	return cfs_outbox_send(&j->box, cmd_copy_name_of(path, j, suffix, ""),
			       url, force, NULL, err);
}

/* Sends the archive and its index: the `deliver` of struct cfs_copy_opts. */
static int cmd_copy_deliver(void *arg, struct cfs_error *err)
{
	const struct copy_job *j = arg;
	int rc = send_one(j, "", j->options->force, err);

	/* the index goes last: without its archive it is useless */
	return rc == CFS_OK ? send_one(j, ".cfx", true, err) : rc;
}

/* Removes the local files of the copy. */
static void remove_folder(const struct copy_job *j)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < SUFFIXES; i++)
		unlink(cmd_copy_name_of(path, j, suffixes[i], ""));
	rmdir(j->box.dir);
}

/* Removes what an unfinished copy has left, here and on the server.
 * CFS_ENOTFOUND if there is nothing. */
static int remove_unfinished(const struct copy_job *j, struct cfs_error *err)
{
	static const char *const sent[] = { "", ".cfx" };
	char path[PATH_MAX], url[PATH_MAX];
	bool any = false;

	for (size_t i = 0; i < SUFFIXES; i++)
		any |= access(cmd_copy_name_of(path, j, suffixes[i],
					       ""), F_OK) == 0;
	for (size_t i = 0; i < 2; i++) {
		int rc;

		snprintf(url, sizeof(url), "%.4000s%s", j->url, sent[i]);
		cmd_copy_name_of(path, j, sent[i], ".upload");
		rc = cfs_s3_upload_abort(url, path,
					 CFS_CTX(j->copy.cancel, err));
		if (rc != CFS_OK && rc != CFS_ENOTFOUND)
			return rc;
	}
	remove_folder(j);
	return any ? CFS_OK : cfs_error_set(err, CFS_ENOTFOUND,
					    "no copy to '%.180s' was begun",
					    j->url);
}

/* ---- copying ------------------------------------------------------------ */

/* Derives the format from the name, as with every archive. */
static bool find_format(const char *name, struct cfs_copy_opts *out)
{
	struct cfs_slice s = cfs_slice_str(name);
	bool is_zstd = cfs_slice_ends(s, CFS_SLICE_LIT(".warc.zst"));

	out->coding = is_zstd ? CFS_CODING_ZSTD : CFS_CODING_GZIP;
	out->format = CFS_ARCHIVE_WARC;
	out->is_wacz = cfs_slice_ends(s, CFS_SLICE_LIT(".wacz"));
	out->convert |= out->is_wacz && !out->skip_other;
	if (out->is_wacz || is_zstd || cfs_slice_ends(s, CFS_SLICE_LIT(".warc.gz")))
		return true;
	out->format = CFS_ARCHIVE_ARC;
	return cfs_slice_ends(s, CFS_SLICE_LIT(".arc.gz"));
}

/* The SOURCE without the password in a URL, so that it may be published. */
static const char *cmd_copy_describe(const char *source)
{
	const char *host = strstr(source, "://"), *at;

	if (host == NULL)
		return source;
	host += 3;
	at = memrchr(host, '@', strcspn(host, "/?#"));
	return at != NULL ? at + 1 : source;
}

/* Prints a line for what was counted, if anything was. */
static void print_count(uint64_t n, const char *noun, const char *what)
{
	char count[CFS_TEXT_COUNT_BYTES];

	if (n > 0)
		cfs_out_f("  %s %s\n", cfs_text_count(n, noun, count), what);
}

static void print_roles(const struct copy_job *j)
{
	const struct cfs_copy_report *r = &j->copied.report;
	bool is_all = r->damaged + r->other + r->pairs + r->absent +
		      j->copied.originals.damaged == 0;
	const uint64_t *n = r->by_role;
	char captures[CFS_TEXT_COUNT_BYTES], related[CFS_TEXT_COUNT_BYTES],
		originals[CFS_TEXT_COUNT_BYTES];

	if (n[CFS_COPY_RELATED] + n[CFS_COPY_ORIGINAL] == 0)
		return;
	cfs_text_count(n[CFS_COPY_CAPTURE], "capture", captures);
	cfs_text_count(n[CFS_COPY_RELATED], "related record", related);
	cfs_text_count(n[CFS_COPY_ORIGINAL], "original", originals);
	cfs_out_f("  for %s, with %s, and %s of revisits%s\n", captures, related,
		  originals, is_all ? "; nothing is left out" : "");
}

static void print_report(const struct copy_job *j, const char *output,
			 bool is_dash)
{
	const struct cfs_copy_report *r = &j->copied.report;
	char bytes[CFS_TEXT_SIZE_BYTES], count[CFS_TEXT_COUNT_BYTES];

	cfs_out_summary(true);
	cfs_out_text(cfs_slice_str(output));
	cfs_out_f(": %s, %s\n", cfs_text_count(r->records, "record", count),
		  cfs_text_size((double)r->bytes, bytes));
	print_roles(j);
	if (r->resumed > 0)
		cfs_out_f("  %" PRIu64 " of them by an earlier run\n",
			  r->resumed);
	print_count(r->revisits, "record",
		    "written as revisits of equal ones by this run");
	print_count(r->damaged, "record", "left out: not readable");
	print_count(r->other, "record", "left out: of the other format");
	print_count(r->pairs, "text or metadata",
		    "left out: no records of archives");
	print_count(r->absent, "revisit",
		    "without a body: the original is not here");
	print_count(j->copied.originals.damaged, "revisit",
		    "without a body: the original cannot be read");
	print_count(r->cut, "capture",
		    "with a part of the body: it was cut off");
	if (!is_dash) {
		cfs_out_text(cfs_slice_str(output));
		cfs_out_f(".cfx: its index\n");
	}
	cfs_out_f("  %.1f seconds", r->seconds);
	if (r->seconds > 0)
		cfs_out_f(", %.1f MB/s", (double)r->bytes / 1e6 / r->seconds);
	cfs_out_f("\n");
	cfs_out_servers();
	cfs_out_summary(false);
}

static int print_json(const struct copy_job *j, struct cfs_error *err)
{
	const struct cfs_copy_report *r = &j->copied.report;
	const struct {
		const char *name;
		uint64_t n;
	} figures[] = {
		{ "records", r->records },
		{ "bytes", r->bytes },
		{ "records_resumed", r->resumed },
		{ "captures", r->by_role[CFS_COPY_CAPTURE] },
		{ "related", r->by_role[CFS_COPY_RELATED] },
		{ "originals", r->by_role[CFS_COPY_ORIGINAL] },
		{ "revisits_made", r->revisits },
		{ "unreadable", r->damaged },
		{ "other_format", r->other },
		{ "not_records", r->pairs },
		{ "without_body", r->absent },
		{ "original_unreadable", j->copied.originals.damaged },
		{ "bodies_cut", r->cut },
	};
	struct cfs_out_document d;

	cfs_out_document_begin(&d);
	cfs_json_put_str(&d.j, "output", cfs_slice_str(j->options->output));
	for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++)
		cfs_json_put_uint(&d.j, figures[i].name, figures[i].n);
	cfs_json_key(&d.j, CFS_SLICE_LIT("seconds"));
	cfs_buf_addf(&d.text, "%.1f", r->seconds);
	cfs_out_put_servers(&d.j);
	return cfs_out_document_end(&d, CFS_OK, err);
}

/* Writes the archive to standard output: the `deliver` of struct
 * cfs_copy_opts. */
static int deliver_dash(void *arg, struct cfs_error *err)
{
	const struct copy_job *j = arg;

	return cfs_dash_send(&j->dash, err);
}

/* Decides where the copy is written. */
static int aim(struct copy_job *j, struct cfs_error *err)
{
	j->copy.output = j->options->output;
	if (cfs_dash_is(j->copy.output)) {
		int rc = cfs_dash_open(&j->dash, &j->options->crawl,
				       "copy.warc.gz", err);

		j->copy.output = j->dash.path;
		j->copy.no_index = true;
		j->copy.deliver = deliver_dash;
		j->copy.deliver_arg = j;
		return rc;
	}
	if (!cfs_outbox_is_s3(j->copy.output))
		return CFS_OK;
	j->url = j->copy.output;
	j->copy.output = j->path;
	j->copy.force = true;		/* replaces what another copy left */
	j->copy.must_have_room = true;
	j->copy.deliver = cmd_copy_deliver;
	j->copy.deliver_arg = j;
	return make_folder(j, err);
}

static int copy_prefixes(struct copy_job *j, struct cfs_crawl *crawl,
			 char **texts, struct cfs_error *err)
{
	struct cfs_prefixes p;
	char name[] = "copy";
	int rc = cfs_prefixes_init(&p, crawl, texts,
				   CFS_CTX(j->copy.cancel, err));

	j->copy.progress = cfs_progress_called;
	j->copy.arg = name;
	if (rc == CFS_OK)
		rc = cfs_crawl_copy(&p, &j->copy, &j->copied, err);
	cfs_progress_end();
	cfs_prefixes_release(&p);
	return rc;
}

static int cmd_copy_give_up(struct copy_job *j)
{
	struct cfs_error err = CFS_ERROR_INIT;
	int rc = cfs_http_configure(&j->options->http, &err);

	j->copy.cancel = cfs_cli_catch_signals();
	if (rc == CFS_OK)
		rc = aim(j, &err);
	if (rc == CFS_OK)
		rc = remove_unfinished(j, &err);
	return cfs_cli_end(rc, &err);
}

/* Something that could not be read is left out of a copy that is complete. */
static int status_of(const struct copy_job *j)
{
	bool is_whole = !j->has_damage && j->copied.report.damaged == 0 &&
			j->copied.originals.damaged == 0;

	return is_whole ? CFS_EXIT_OK : CFS_EXIT_FAILURE;
}

static int cmd_copy_copy(struct copy_job *j)
{
	char **operands = j->options->operands;
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_crawl *crawl = NULL;
	char count[CFS_TEXT_COUNT_BYTES];
	char journal[PATH_MAX];
	bool is_dash = cfs_dash_is(j->options->output);
	int rc, status = cfs_cli_open_prefixed(&crawl, j->options, false);

	if (status != CFS_EXIT_OK)
		return status;
	j->copy.described = cmd_copy_describe(operands[0]);
	j->copy.source = operands[0];	/* a URL is harmless: no file has its
					 * name */
	j->copy.cancel = cfs_cli_catch_signals();
	j->has_damage = cfs_cli_warn_of_damage(crawl);
	rc = aim(j, &err);
	if (rc == CFS_OK && j->url != NULL)
		rc = cfs_outbox_check(&j->box, j->url,
				      cmd_copy_name_of(journal, j, ".journal",
						       ""), &err);
	if (rc == CFS_OK)
		rc = copy_prefixes(j, crawl, operands + 1, &err);
	status = cfs_cli_close(crawl, status_of(j));
	cfs_dash_close(&j->dash);
	if (rc == CFS_OK && j->url != NULL)
		remove_folder(j);
	if (rc != CFS_OK) {
		status = cfs_cli_end(rc, &err);
		if (j->copied.report.has_no_room)
			cfs_cli_error("the copy is made there before it is "
				      "sent; --tmp names another folder");
		if (j->copied.report.records > 0 && !is_dash)
			cfs_cli_error("%s copied; the same command resumes the "
				      "copy",
				      cfs_text_count(j->copied.report.records,
						     "record", count));
		return status;
	}
	if (j->options->is_json)
		rc = print_json(j, &err);
	else if (!j->options->is_quiet)
		print_report(j, is_dash ? "standard output" :
			     j->options->output, is_dash);
	return rc == CFS_OK ? status : cfs_cli_end(rc, &err);
}

static bool cmd_copy_is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* A sentence about options that contradict each other, or NULL. */
static const char *find_fault(const struct cfs_options *o)
{
	bool to_s3;

	if (o->output == NULL)
		return "no -o OUTPUT is given";
	to_s3 = cfs_outbox_is_s3(o->output);
	if (strstr(o->output, "://") != NULL && !to_s3)
		return "-o: copies go to files and to s3://";
	if (o->tmp != NULL && !to_s3)
		return "--tmp goes with -o s3://...";
	if (o->is_json && cfs_dash_is(o->output))
		return "--json and -o - would both write to standard output";
	if (o->convert && o->skip_other)
		return "--convert and --skip-other contradict each other";
	if (o->is_abort && (!to_s3 || o->n_operands > 0))
		return "--abort goes with -o s3://... and no SOURCE";
	return NULL;
}

static int cmd_copy_run(struct cfs_options *o)
{
	const char *fault = find_fault(o);
	struct copy_job job = { .options = o, .copy = {
		.parallel = o->http.parallel, .force = o->force,
		.max_record_bytes = o->crawl.max_record_bytes,
		.convert = o->convert,
		.captures_only = o->copies_captures_only != 0,
		.skip_other = o->skip_other, .keep_going = o->keep_going } };

	if (fault != NULL)
		return cfs_cli_usage(o->command, "%s", fault);
	if (!find_format(cfs_dash_is(o->output) ? "-.warc.gz" : o->output,
			 &job.copy))
		return cfs_cli_usage(o->command,
			"-o: the name must end in .warc.gz, .warc.zst, "
			".arc.gz or .wacz");
	if (o->convert && job.copy.format != CFS_ARCHIVE_WARC)
		return cfs_cli_usage(o->command, "--convert makes WARC: the name of "
				     "-o must not end in .arc.gz");
	if (o->crawl.dedup == CFS_DEDUP_REVISIT) {
		if (job.copy.format != CFS_ARCHIVE_WARC)
			return cfs_cli_usage(o->command, "--dedup=revisit "
				"writes WARC: the name of -o must not end in "
				".arc.gz");
		job.copy.dedup_revisit = true;
		o->crawl.dedup = CFS_DEDUP_NONE;
	}
	if (o->tmp != NULL && !cmd_copy_is_folder(o->tmp))
		return cfs_cli_usage(o->command, "option '--tmp': '%s' is not "
				     "a folder", o->tmp);
	if (o->is_abort)
		return cmd_copy_give_up(&job);
	if (o->n_operands < 2)
		return cfs_cli_usage(o->command, o->n_operands == 0 ?
				     "no SOURCE is given" :
				     "no PREFIX is given ('/' is the whole "
				     "crawl)");
	return cmd_copy_copy(&job);
}

const struct cfs_command cfs_cmd_copy = {
	.name = "copy",
	.by = CFS_BY_COPY,
	.summary = "copy records below prefixes into one archive",
	.usage =
		"crawlfs copy SOURCE PREFIX... -o OUTPUT\n"
		"       crawlfs copy --abort -o s3://BUCKET/KEY\n\n"
		"Copies the records that the prefixes cover, byte for byte, into one archive\n"
		"named *.warc.gz, *.warc.zst or *.arc.gz, or into a WACZ (*.wacz), with an\n"
		"index beside it (OUTPUT.cfx).  Damaged records are reported and left out.\n"
		"The same command resumes a copy that was stopped.  PREFIXes are those of\n"
		"crawlfs check.",
	.example = "  crawlfs copy crawl.cfx org.gnu,org.fsf -o free.warc.gz\n",
	.run = cmd_copy_run,
};
