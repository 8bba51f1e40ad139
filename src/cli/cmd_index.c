/* cmd_index.c - crawlfs index: builds an index of archives.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/text.h"
#include "commands.h"
#include "crawl/archive_probe.h"
#include "crawl/auto_index.h"
#include "dash.h"
#include "format/open_index.h"
#include "indexing/builder.h"
#include "indexing/builder_lines.h"
#include "indexing/make_index.h"
#include "indexing/parts.h"
#include "options.h"
#include "output.h"
#include "progress_line.h"
#include "signals.h"

/* The end of the name of an index that lacks archives of a server. */
#define UNFINISHED ".part"

/* ---- the format that a name stands for ---- */

/* Programs and people go by the ending of a name, so a file whose name promises
 * another format than its contents is not written. */
#define ENDS_IN_CFX "a crawlfs index ends in .cfx"

/* The format that an ending allows, and why no other. */
struct ending {
	const char *text;
	enum cfs_index_format is;	/* CFS_INDEX_UNKNOWN: none */
	bool only_if_asked;
	const char *why;
};
static const struct ending endings[] = {
	{ ".cfx", CFS_INDEX_CFX, false, "only a crawlfs index ends in .cfx" },
	{ ".cdxj", CFS_INDEX_CDX, false,
	  "only lines of CDXJ (--format=cdxj) end in .cdxj" },
	{ ".cdx", CFS_INDEX_CDX, true,
	  "CDX is not written; --format=cdxj writes lines of CDXJ, whose name "
	  "ends in .cdxj; " ENDS_IN_CFX },
#define CLUSTER "a ZipNum cluster is a folder, for --format=zipnum; " ENDS_IN_CFX
	{ ".idx", CFS_INDEX_UNKNOWN, false, CLUSTER },
	{ ".loc", CFS_INDEX_UNKNOWN, false, CLUSTER },
#define COMPRESSED "an index is not a compressed file; " ENDS_IN_CFX
	{ ".gz", CFS_INDEX_UNKNOWN, false, COMPRESSED },
	{ ".zst", CFS_INDEX_UNKNOWN, false, COMPRESSED },
	{ ".zip", CFS_INDEX_UNKNOWN, false, COMPRESSED },
#define ARCHIVE "an index is not an archive; " ENDS_IN_CFX
	{ ".arc", CFS_INDEX_UNKNOWN, false, ARCHIVE },
	{ ".warc", CFS_INDEX_UNKNOWN, false, ARCHIVE },
	{ ".wat", CFS_INDEX_UNKNOWN, false, ARCHIVE },
	{ ".wet", CFS_INDEX_UNKNOWN, false, ARCHIVE },
	{ ".wacz", CFS_INDEX_UNKNOWN, false, ARCHIVE },
#define TABLE "an index is not a table; " ENDS_IN_CFX
	{ ".csv", CFS_INDEX_UNKNOWN, false, TABLE },
	{ ".tsv", CFS_INDEX_UNKNOWN, false, TABLE },
	{ ".json", CFS_INDEX_UNKNOWN, false, TABLE },
	{ ".jsonl", CFS_INDEX_UNKNOWN, false, TABLE },
	{ ".parquet", CFS_INDEX_UNKNOWN, false, TABLE },
	{ ".paths", CFS_INDEX_UNKNOWN, false,
	  "an index is not a list of archives; " ENDS_IN_CFX },
};

static const struct ending *ending_of(const char *name)
{
	struct cfs_slice s = cfs_slice_str(name);

	while (s.n > 0 && s.p[s.n - 1] == '/')
		s.n--;
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		struct cfs_slice end = cfs_slice_str(endings[i].text);

		if (s.n > end.n &&
		    cfs_slice_eq_nocase(cfs_slice_from(s, s.n - end.n), end))
			return &endings[i];
	}
	return NULL;
}

static bool is_folder(const char *name)
{
	struct stat st;

	return stat(name, &st) == 0 && S_ISDIR(st.st_mode);
}

/*
 * Finds out in which format an index of this name is written.
 *
 * name    what is to be written; an existing folder may have any name
 * format  in: the format asked for; CFS_INDEX_UNKNOWN means by the name, and a
 *         crawlfs index if the name says nothing.  Out: the format to write
 *
 * CFS_EUSAGE with the reason if the name contradicts the format.
 */
static int format_of(const char *name, enum cfs_index_format *format,
		     struct cfs_error *err)
{
	const struct ending *e = ending_of(name);
	bool was_asked = *format != CFS_INDEX_UNKNOWN;

	if (!was_asked)
		*format = e != NULL && e->is != CFS_INDEX_UNKNOWN ? e->is :
								CFS_INDEX_CFX;
	if (e == NULL ||
	    (*format == CFS_INDEX_ZIPNUM && is_folder(name)) ||
	    (*format == e->is && (was_asked || !e->only_if_asked)))
		return CFS_OK;
	return cfs_error_set(err, CFS_EUSAGE, "'%.60s': %s", name, e->why);
}

/* True for an index, or for lines where lines are to be written. */
static bool may_replace(enum cfs_index_format old, enum cfs_index_format format)
{
	return old == CFS_INDEX_CFX || old == CFS_INDEX_PBTREE ||
	       (cfs_is_lines(format) && old == format);
}

/* CFS_EIO naming the first parent folder of `path` that is missing or not a
 * folder. */
static int cmd_index_check_folders(const char *path, struct cfs_error *err)
{
	char *folder = strdup(path);
	int rc = folder == NULL ? cfs_error_nomem(err) : CFS_OK;
	struct stat st;

	for (size_t i = 1; rc == CFS_OK && path[0] && path[i] != '\0'; i++) {
		if (path[i] != '/' || path[i - 1] == '/' ||
		    path[i + strspn(path + i, "/")] == '\0')
			continue;
		folder[i] = '\0';
		if (stat(folder, &st) != 0)
			rc = cfs_error_set(err, CFS_EIO, "the folder '%s' of "
					   "the index cannot be used: %s",
					   folder, strerror(errno));
		else if (!S_ISDIR(st.st_mode))
			rc = cfs_error_set(err, CFS_EIO, "'%s', where the "
					   "index is to be, is not a folder",
					   folder);
		folder[i] = '/';
	}
	free(folder);
	return rc;
}

/* Without --force, only an index or an empty file is replaced. */
static int check_output(const char *path, enum cfs_index_format format,
			bool force, struct cfs_error *err)
{
	enum cfs_index_format old;
	struct cfs_source *src;
	struct stat st;
	int rc;

	if (stat(path, &st) != 0)
		return CFS_OK;		/* new; or the indexer will report the
					 * error */
	if (S_ISDIR(st.st_mode))
		return cfs_error_set(err, CFS_EIO, "'%s' is a directory", path);
	if (force || st.st_size == 0)
		return CFS_OK;
	rc = cfs_source_open_file(&src, path, err);
	if (rc != CFS_OK)
		return rc;
	rc = cfs_index_look_at(src, &old, CFS_CTX(NULL, err));
	cfs_source_close(src);
	return rc != CFS_OK || may_replace(old, format) ? rc :
	       cfs_error_set(err, CFS_EIO, "'%s' exists and is not an index "
			     "(--force replaces it)", path);
}

static void print_if(uint64_t n, const char *word, const char *what)
{
	char count[CFS_TEXT_COUNT_BYTES];

	if (n > 0)
		cfs_out_f("  %s %s\n", cfs_text_count(n, word, count), what);
}

/* Prints the table of schemes. */
static void print_schemes(const struct cfs_schemes *s)
{
	char count[CFS_TEXT_COUNT_BYTES];
	struct cfs_buf text;

	if (cfs_schemes_total(s) > 0) {
		cfs_buf_init(&text, CFS_SCHEMES_TEXT_MAX);
		cfs_schemes_text(s, CFS_SCHEMES_TEXT_MAX, &text);
		cfs_out_f("  %s left out: of other schemes (%s)\n",
			  cfs_text_count(cfs_schemes_total(s), "record", count),
			  cfs_buf_str(&text));
		cfs_buf_release(&text);
	}
	print_if(s->without, "record",
		 "left out: the URL has no scheme in front");
}

static void print_segments(const struct cfs_builder_counts *b,
			   uint64_t without_place)
{
	print_if(b->segments, "segment",
		 "joined to the record that it continues");
	print_if(b->incomplete, "record", "incomplete: segments are missing");
	print_if(b->lone_segments + without_place, "segment",
		 "left out: the record, or one before it, is missing");
}

static void print_joined(const struct cfs_builder_counts *b)
{
	print_if(b->texts, "text", "of the crawl joined to pages");
	print_if(b->metas, "metadata record", "of the crawl joined to pages");
	print_if(b->text_pages, "page", "with the crawl's text only");
	print_if(b->related, "record",
		 "joined to pages: requests, metadata, screenshots");
	print_if(b->related_pages, "page",
		 "with screenshots and the like only");
	print_if(b->meta_pages, "page", "with the crawl's metadata only");
	print_if(b->unclear, "text or metadata record",
		 "left out: repeated, or of several pages");
	print_if(b->absent, "revisit",
		 "without a body: the original is not in these archives");
	print_if(b->cut, "capture", "with a part of the body: it was cut off");
}

/* Prints the bytes that were read and written, and the time. */
static void print_sizes(const struct cfs_indexer_report *r)
{
	const struct cfs_builder_counts *b = &r->built;
	char in[CFS_TEXT_SIZE_BYTES], out[CFS_TEXT_SIZE_BYTES];
	char words[CFS_TEXT_SIZE_BYTES];

	cfs_out_f("  ");
	if (r->input_bytes > 0)
		cfs_out_f("%s read, ",
			  cfs_text_size((double)r->input_bytes, in));
	cfs_out_f("index %s", cfs_text_size((double)b->file_bytes, out));
	if (b->captures > 0)
		cfs_out_f(" (%.1f bytes a capture)",
			  (double)b->file_bytes / (double)b->captures);
	if (b->words_bytes > 0)
		cfs_out_f(", words %s",
			  cfs_text_size((double)b->words_bytes, words));
	cfs_out_f(", %.1f seconds", r->seconds);
	if (r->seconds > 0 && r->input_bytes > 0)
		cfs_out_f(", %.1f MB/s",
			  (double)r->input_bytes / 1e6 / r->seconds);
	cfs_out_f("\n");
}

static void print_index_report(const char *output,
			       const struct cfs_indexer_report *r,
			       bool is_query, bool is_unfinished)
{
	const struct cfs_builder_counts *b = &r->built;
	char some[CFS_TEXT_COUNT_BYTES], files[CFS_TEXT_COUNT_BYTES];

	cfs_out_text(cfs_slice_str(output));
	cfs_out_f("%s", is_unfinished ? UNFINISHED : "");
	if (r->is_current) {
		cfs_out_f(": nothing has changed\n");
		return;
	}
	if (r->is_there) {
		cfs_out_f(": is there already, and whole\n");
		return;
	}
	cfs_text_count(r->files, r->are_parts ? "part" : "file", files);
	cfs_text_count(b->captures, "capture", some);
	if (!is_query)
		cfs_out_f(": %s of %s\n", some, files);
	else if (r->files > 0)
		cfs_out_f(": %s of %s and a query\n", some, files);
	else
		cfs_out_f(": %s of a query\n", some);
	print_if(r->not_in_tree, "record",
		 "left out: of other kinds (warcinfo, requests, ...)");
	print_schemes(&r->schemes);
	print_if(b->unrelated, "record",
		 "left out: requests and the like of no page");
	print_if(r->nameless, "record", "left out: without a URI");
	print_segments(b, r->segments);
	print_if(r->not_picked + b->lone_annexes, "record",
		 "left out: not what was asked for");
	print_if(r->repeated, "capture", "left out: in several of the indexes");
	print_if(r->not_archived, "metadata record",
		 "left out: nothing was archived");
	print_joined(b);
	print_if(b->texts_unread, "text",
		 "that could not be read for the list of words");
	print_if(r->digests[1], "digest", "kept as the inputs state it");
	print_if(r->digests[0], "digest",
		 "computed of what was read: the archives state none");
	print_if(b->repeated, "capture", "left out: it is there already");
	for (unsigned k = 0; k < CFS_SKIPPED_KINDS; k++)
		if (b->skipped[k] > 0)
			cfs_out_f("  %s left out: %s\n",
				  cfs_text_count(b->skipped[k], "capture",
						 some),
				  cfs_skipped_reason(k));
	print_if(r->files_current, "file", "not read again: as it was");
	print_if(r->files_skipped, "file", "left out: not an archive");
	if (r->damages > 0)
		cfs_out_f("  %s in %s\n",
			  cfs_text_count(r->damages, "damaged place", some),
			  cfs_text_count(r->files_damaged, "file", files));
	print_if(r->files_gone, "archive", "left out: not there");
	print_if(r->files_refused, "archive", is_unfinished ?
		 "not read: the same command resumes the index" :
		 "not read: index again");
	print_sizes(r);
	cfs_out_servers();
}

static void cmd_index_print_report(const struct cfs_options *o,
				   const struct cfs_indexer_report *r,
				   bool is_unfinished)
{
	cfs_out_summary(true);
	print_index_report(o->output, r, o->sql != NULL, is_unfinished);
	cfs_out_summary(false);
}

/* The name of a part's file in the given folder, which is made; malloced. */
static char *part_file(const struct cfs_options *o, struct cfs_error *err)
{
	struct stat st;
	char *path = NULL;

	if (cfs_make_folders(o->output, 0777) != 0)
		cfs_error_set(err, CFS_EIO, "cannot make the folder '%s': %s",
			      o->output, strerror(errno));
	else if (stat(o->output, &st) != 0 || !S_ISDIR(st.st_mode))
		cfs_error_set(err, CFS_EUSAGE, "'%s' is not a folder: a part "
			      "goes into one", o->output);
	else if ((path = cfs_parts_path(o->output, o->crawl.part)) == NULL)
		cfs_error_nomem(err);
	return path;
}

/* The file to write: for a cluster, cluster.idx in its folder, which is made if
 * missing.  Malloced. */
static char *output_file(const struct cfs_options *o,
			 enum cfs_index_format format, bool *made,
			 struct cfs_error *err)
{
	char *path = NULL;

	*made = false;
	if (o->crawl.part.n == 0 && cmd_index_check_folders(o->output,
							    err) != CFS_OK)
		return NULL;
	if (o->crawl.part.n > 0) {
		path = part_file(o, err);
		if (path == NULL)
			return NULL;
	} else if (format != CFS_INDEX_ZIPNUM) {
		path = strdup(o->output);
	} else {
		*made = mkdir(o->output, 0777) == 0;
		if (!*made && errno != EEXIST) {
			cfs_error_set(err, CFS_EIO, "folder '%s' cannot be "
				      "made: %s", o->output, strerror(errno));
			return NULL;
		}
		if (asprintf(&path, "%s/cluster.idx", o->output) < 0)
			path = NULL;
	}
	if (path == NULL)
		cfs_error_nomem(err);
	return path;
}

/* Looks for the archives of a new index where a mount would. */
static void warn_of_missing(const struct cfs_options *o, const char *index,
			    const struct cfs_indexer_opts *io)
{
	const struct cfs_crawl_opts opts = {
		.no_cache = true, .kept_only = true, .cancel = io->cancel };
	struct cfs_crawl *c = NULL;
	struct cfs_archive_probe m;

	if (cfs_crawl_open_one(&c, index, &opts, NULL) != CFS_OK)
		return;
	cfs_archive_probe_look(c, &m, io->cancel);
	if (m.missing > 0)
		cfs_log(CFS_LOG_WARNING, "%s: %u of %u archives looked for are "
			"not where a mount looks for them, '%s' for one: mount "
			"it with -o data=%s", index, m.missing, m.looked,
			m.example,
			o->names_base != NULL ? o->names_base : "FOLDER");
	cfs_crawl_close(c);
}

static int make_index(struct cfs_options *o, struct cfs_indexer_opts *io,
		      struct cfs_indexer_report *report, struct cfs_error *err)
{
	CFS_BUF(sealed, SIZE_MAX);
	int rc;

	cfs_options_seal(o, &sealed);
	io->part_options = cfs_buf_slice(&sealed);
	rc = sealed.failed != CFS_OK ? cfs_error_nomem(err) : CFS_OK;
	io->cancel = cfs_cli_catch_signals();
	cfs_progress_quiet(o->is_quiet);
	if (rc == CFS_OK)
		rc = cfs_make_index(io, report, err);
	cfs_progress_end();
	io->part_options = CFS_SLICE_EMPTY;
	return rc;
}

/* Decides what becomes of an index that lacks archives of a server: a crawlfs
 * index of all that its inputs hold is resumed by the same command; others are
 * not made.  CFS_EIO if another file has its name. */
static int choose_unfinished(struct cfs_options *o, const char *path,
			     struct cfs_indexer_opts *io, struct cfs_error *err)
{
	char *part;
	int rc;

	if (o->errors_are_ok || o->is_update)
		return CFS_OK;
	io->needs_all = true;
	if (io->format != CFS_INDEX_CFX || io->part.n > 0 || io->with_words ||
	    io->pick != NULL || io->sql != NULL || io->shown != NULL)
		return CFS_OK;
	if (asprintf(&part, "%s" UNFINISHED, path) < 0)
		return cfs_error_nomem(err);
	rc = check_output(part, io->format, o->force, err);
	io->unfinished = cfs_options_keep(o, part);
	return rc == CFS_OK && io->unfinished == NULL ? cfs_error_nomem(err) :
							rc;
}

/* Makes the index; io is complete except for the output. */
static int cmd_index_make(struct cfs_options *o, struct cfs_indexer_opts *io,
			  struct cfs_indexer_report *report,
			  struct cfs_error *err)
{
	bool made;
	char *path = output_file(o, io->format, &made, err);
	int rc = path == NULL ? err->code :
		 check_output(path, io->format, o->force, err);

	io->output = path;
	io->update_of = o->is_update ? path : NULL;
	if (rc == CFS_OK)
		rc = choose_unfinished(o, path, io, err);
	if (rc == CFS_OK)
		rc = cfs_http_configure(&o->http, err);
	if (rc == CFS_OK)
		rc = make_index(o, io, report, err);
	if (rc == CFS_OK && io->part.n == 0 && !report->is_other_base &&
	    !report->is_current && report->files_away == 0 &&
	    io->base == o->names_base)
		warn_of_missing(o, path, io);
	if (rc != CFS_OK && made)
		rmdir(o->output);
	if (path != NULL && io->part.n > 0)	/* the report names it */
		o->output = cfs_options_keep(o, path);
	else
		free(path);
	return rc == CFS_OK && o->output == NULL ? cfs_error_nomem(err) : rc;
}

/* Makes the index, or makes it in a temporary folder and sends it. */
static int make_and_send(struct cfs_options *o, struct cfs_indexer_opts *io,
			 struct cfs_indexer_report *report,
			 struct cfs_error *err)
{
	struct cfs_dash dash = { .path = NULL };
	int rc;

	if (!cfs_dash_is(o->output))
		return cmd_index_make(o, io, report, err);
	rc = cfs_dash_open(&dash, &o->crawl, "index", err);
	o->output = dash.path;
	io->shown = "-";
	if (io->base == NULL)		/* as in a file here */
		io->base = ".";
	if (rc == CFS_OK)
		rc = cmd_index_make(o, io, report, err);
	if (rc == CFS_OK)
		rc = cfs_dash_send(&dash, err);
	cfs_dash_close(&dash);
	o->output = "standard output";
	return rc;
}

/* CFS_EUSAGE for what cannot be standard output. */
static int check_dash(const struct cfs_options *o,
		      enum cfs_index_format format, struct cfs_error *err)
{
	if (!cfs_dash_is(o->output) ||
	    (!o->is_update && o->crawl.part.n == 0 &&
	     format != CFS_INDEX_ZIPNUM))
		return CFS_OK;
	return cfs_error_set(err, CFS_EUSAGE, "-o -: parts, clusters and what "
			     "--update changes are no standard output");
}

static int choose_format(const struct cfs_options *o,
			 enum cfs_index_format *format, struct cfs_error *err)
{
	*format = (enum cfs_index_format)o->format;
	if (o->crawl.part.n == 0)
		return format_of(o->output, format, err);
	if (*format == CFS_INDEX_UNKNOWN)
		*format = CFS_INDEX_CFX;	/* default for parts in a
						 * folder */
	return CFS_OK;
}

/* Sets what is found out about each page: sizes of views, languages. */
static int choose_measures(const struct cfs_options *o,
			   struct cfs_indexer_opts *io, struct cfs_error *err)
{
	uint32_t more = 0;

	if (o->keeps_digests && io->format == CFS_INDEX_PBTREE)
		return cfs_error_set(err, CFS_EUSAGE, "--digests: a PB-tree "
				     "has no place for them");
	io->keeps_digests = o->keeps_digests && io->format == CFS_INDEX_CFX;
	if (o->keeps_languages && io->format == CFS_INDEX_PBTREE)
		return cfs_error_set(err, CFS_EUSAGE, "--languages: a PB-tree "
				     "has no place for them");
	if ((o->markdown_sizes || o->keeps_simhash) &&
	    (o->no_view_sizes || io->format != CFS_INDEX_CFX))
		return cfs_error_set(err, CFS_EUSAGE, "--%s goes with neither "
				     "--no-views nor another --format",
				     o->markdown_sizes ? "markdown" :
							 "simhash");
	if (o->markdown_sizes)
		more |= 1u << CFS_SLOT_MARKDOWN | 1u << CFS_SLOT_MAIN;
	if (o->keeps_simhash)
		more |= 1u << CFS_SLOT_SIMHASH;
	if (io->with_words && (o->no_view_sizes || cfs_dash_is(o->output) ||
			       io->format != CFS_INDEX_CFX))
		return cfs_error_set(err, CFS_EUSAGE, "--words goes with "
				     "neither --no-views, another --format nor "
				     "-o -");
	if (!o->no_view_sizes && io->format == CFS_INDEX_CFX)
		cfs_view_sizes_ask(io, more);
	if (!o->keeps_languages && o->conditions.languages.n == 0)
		return CFS_OK;
	cfs_languages_ask(io);
	io->keeps_languages = o->keeps_languages;
	if (io->languages == NULL)
		cfs_log(CFS_LOG_WARNING, "this program was built without CLD2 "
			"and finds no languages: pages have those that their "
			"inputs state");
	return CFS_OK;
}

/* Ends with a failure also if an index was made that lacks something. */
static int end_with(int rc, const struct cfs_indexer_report *report,
		    const struct cfs_error *err)
{
	if (rc == CFS_OK && (report->missing > 0 || report->files_refused > 0 ||
			     report->files_gone > 0))
		return CFS_EXIT_FAILURE;
	if (rc != CFS_ENOMEM)
		return cfs_cli_end(rc, err);
	cfs_cli_error("out of memory; with --memory=SIZE, such as 64M, less is "
		      "asked for");
	return CFS_EXIT_FAILURE;
}

static int cmd_index_run(struct cfs_options *o)
{
	struct cfs_indexer_report report = { .files = 0 };
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_pick *pick;
	char name[] = "index", cache[PATH_MAX];
	struct cfs_indexer_opts io = {
		.inputs = (const char *const *)o->operands,
		.n_inputs = (size_t)o->n_operands,
		.base = o->names_base,
		.selection_base = o->names_base, .sql = o->sql,
		.shards = o->shards,
		.memory_bytes = (size_t)o->sort_bytes, .threads = o->threads,
		.max_record_bytes = o->crawl.max_record_bytes,
		.cache_dir = cfs_crawl_inflate_dir(&o->crawl, cache),
		.part = o->crawl.part, .is_again = o->force,
		.no_joins = o->no_joins, .with_words = o->crawl.words,
		.progress = cfs_progress_called, .arg = name,
	};
	int rc;

	if (o->output == NULL)
		return cfs_cli_usage(o->command, "no -o FILE is given");
	if (o->n_operands == 0 && o->sql == NULL)
		return cfs_cli_usage(o->command, "no INPUT is given");
	if (choose_format(o, &io.format, &err) != CFS_OK ||
	    check_dash(o, io.format, &err) != CFS_OK)
		return cfs_cli_usage(o->command, "%s", err.text);
	if (o->sql_folders.n > 0)
		io.sql_folders = cfs_buf_str(&o->sql_folders);
	if (io.sql_folders != NULL && o->sql == NULL)
		return cfs_cli_usage(o->command, "--tables is of use to --sql "
				     "only");
	if (o->shards > 0 && io.format != CFS_INDEX_ZIPNUM)
		return cfs_cli_usage(o->command, "--shards is of use to "
				     "--format=zipnum only");
	if (o->crawl.part.n > 0 &&
	    (io.format != CFS_INDEX_CFX || o->sql != NULL))
		return cfs_cli_usage(o->command, "--part goes with neither "
				     "--format nor --sql");
	if (choose_measures(o, &io, &err) != CFS_OK)
		return cfs_cli_usage(o->command, "%s", err.text);
	if (cfs_pick_new(&pick, &o->conditions, o->prefixes.n > 0 ?
			 cfs_buf_str(&o->prefixes) : NULL, &err) != CFS_OK)
		return cfs_cli_end(err.code, &err);
	io.pick = pick;
	if (o->is_update && (pick != NULL || o->sql != NULL ||
			     io.part.n > 0 || io.format != CFS_INDEX_CFX)) {
		cfs_pick_free(pick);
		return cfs_cli_usage(o->command, "--update adds all that "
				     "archives hold to one crawlfs index: it goes "
				     "with neither --sql, --format, --part nor a "
				     "pick");
	}
	rc = make_and_send(o, &io, &report, &err);
	cfs_pick_free(pick);
	if (rc == CFS_OK && !o->is_quiet)
		cmd_index_print_report(o, &report, io.unfinished != NULL &&
				       report.files_away > 0);
	return end_with(rc, &report, &err);
}

const struct cfs_command cfs_cmd_index = {
	.name = "index",
	.by = CFS_BY_INDEX,
	.summary = "build an index of archives",
	.usage =
		"crawlfs index -o FILE INPUT...\n"
		"crawlfs index -o FILE --sql=SELECT [--tables=FOLDER]... [INPUT...]\n"
		"crawlfs index --part=K/N -o FOLDER INPUT...\n"
		"crawlfs index -o FILE FOLDER\n\n"
		"Builds an index of archives (WACZ too), folders and lists of them, of CDX, CDXJ\n"
		"and cluster.idx files, of selections (CSV, TSV, JSON and Parquet whose\n"
		"rows name captures, or the rows of a query), on this machine or by their URLs;\n"
		"crawlfs indexes among them are merged; FILE may be one of them: it grows.\n"
		"Damage is reported and skipped.  Text and metadata files of the crawl (WET and\n"
		"WAT, textData-* and metadata-* of 2012) may be among them: a mount then shows\n"
		"what they hold as .txt and .meta.\n\n"
		"Parquet and --sql need DuckDB's library: libduckdb.so, or the file that the\n"
		"environment's CRAWLFS_DUCKDB names.\n\n"
		"The options --from, --to, --status, --mime and --prefix pick captures: those\n"
		"that meet all of them.",
	.example =
		"  crawlfs index -o crawl.cfx *.warc.gz\n"
		"  crawlfs index -o crawl.cfx crawl.cfx new.warc.gz\n"
		"  crawlfs index -o crawl.cfx https://example.org/crawl/part-1.warc.gz\n"
		"  crawlfs index -o pdf.cfx --prefix=com.example --mime=pdf crawl/\n"
		"  crawlfs index -o spa.cfx --sql \"FROM 'cc-index/*.parquet'\n"
		"    WHERE url_host_tld = 'es' AND content_languages LIKE '%spa%'\"\n",
	.run = cmd_index_run,
};
