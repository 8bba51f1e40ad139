/* cmd_index.c - crawlfs index: archives in, index out.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "index/cfx.h"
#include "index/pbtree.h"
#include "output.h"
#include "progress.h"
#include "build/indexer.h"
#include "view/view.h"

#define HEAD_BYTES 64u
#define THREADS_MAX 1024u

/* Something that took a while to make, or was never meant, is not replaced
 * by a slip of the fingers. */
static int check_output(const char *path, bool force, struct cfs_error *err)
{
	struct cfs_source *src;
	uint8_t head[HEAD_BYTES];
	struct cfs_slice s;
	struct stat st;
	size_t got = 0;
	bool is_index;

	if (stat(path, &st) != 0)
		return CFS_OK;		/* new; or the indexer says what is wrong */
	if (S_ISDIR(st.st_mode))
		return cfs_error_set(err, CFS_EIO, "'%s' is a directory", path);
	if (force || st.st_size == 0)
		return CFS_OK;
	if (cfs_source_open_file(&src, path, err) != CFS_OK)
		return err->code;
	if (cfs_source_read_some(src, head, sizeof(head), 0, &got, NULL, err) !=
	    CFS_OK) {
		cfs_source_close(src);
		return err->code;
	}
	s = cfs_slice_of(head, got);
	is_index = cfs_cfx_is_magic(s) || cfs_pbtree_is_header(s, src->size);
	cfs_source_close(src);
	if (is_index)
		return CFS_OK;
	return cfs_error_set(err, CFS_EIO,
		"'%s' is there and is no index (--force replaces it)", path);
}

static void show(void *arg, const struct cfs_indexer_progress *p)
{
	cfs_progress_show(arg, p);
}

static void print_if(uint64_t n, const char *what)
{
	if (n > 0)
		cfs_out_f("  %" PRIu64 " %s\n", n, what);
}

static void print_report(const char *output, const struct cfs_indexer_report *r)
{
	const struct cfs_builder_counts *b = &r->built;
	char in[CFS_HUMAN_BYTES], out[CFS_HUMAN_BYTES];

	cfs_out_text(cfs_slice_str(output));
	cfs_out_f(": %" PRIu64 " captures of %" PRIu64 " files\n", b->captures,
		  r->files);
	print_if(r->not_in_tree, "records of other kinds left out (requests, dns:, warcinfo, ...)");
	print_if(r->not_archived, "metadata left out: nothing was archived");
	print_if(b->texts, "texts of the crawl joined to their pages");
	print_if(b->metas, "metadata of the crawl joined to their pages");
	print_if(b->text_pages, "pages of which only the text is there");
	print_if(b->meta_pages, "pages of which only the metadata is there");
	print_if(b->unclear, "texts or metadata left out: repeated, or of several pages");
	print_if(b->skipped_scheme, "left out: neither http, https nor ftp");
	print_if(b->skipped_long, "left out: the URL is too long");
	print_if(b->skipped_deep, "left out: the path is too deep");
	print_if(b->skipped_nul, "left out: a NUL in the URL");
	print_if(r->files_skipped, "files left out: no archives");
	if (r->damages > 0)
		cfs_out_f("  %" PRIu64 " damaged places in %" PRIu64 " files\n",
			  r->damages, r->files_damaged);
	cfs_out_f("  %s read, index %s", cfs_out_human((double)r->input_bytes, in),
		  cfs_out_human((double)b->file_bytes, out));
	if (b->captures > 0)
		cfs_out_f(" (%.1f bytes a capture)",
			  (double)b->file_bytes / (double)b->captures);
	cfs_out_f(", %.1f seconds", r->seconds);
	if (r->seconds > 0)
		cfs_out_f(", %.1f MB/s", (double)r->input_bytes / 1e6 / r->seconds);
	cfs_out_f("\n");
}

enum {
	OPT_FORMAT = CFS_OPT_OWN, OPT_MEMORY, OPT_THREADS, OPT_BASE, OPT_FORCE,
	OPT_RECORD, OPT_VIEWS
};

struct words {
	struct cfs_indexer_opts io;
	struct cfs_source_args network;
	bool is_quiet, force;
};

static int view_bytes(const struct cfs_scan_item *item, const char *archive,
		      uint64_t *meta_bytes, uint64_t *text_bytes,
		      const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct cfs_view_input in = {
		.record = item->record, .url = item->record->url,
		.archive_name = cfs_slice_str(archive),
		.loc = { .offset = item->offset, .length = item->length,
			 .inner_offset = item->inner_offset,
			 .inner_length = item->inner_length },
	};

	return cfs_view_measure(&in, meta_bytes, text_bytes, cancel, err);
}

/* Returns what is wrong with an option's value, or NULL. */
static const char *take(struct words *w, int c)
{
	uint64_t n = 0;

	switch (c) {
	case 'o':
		w->io.output = optarg;
		return NULL;
	case 'q':
		w->is_quiet = true;
		return NULL;
	case OPT_FORCE:
		w->force = true;
		return NULL;
	case OPT_VIEWS:
		w->io.view_bytes = view_bytes;
		w->io.view_code = cfs_view_code();
		return NULL;
	case OPT_BASE:
		w->io.base = optarg;
		return NULL;
	case OPT_FORMAT:
		if (strcmp(optarg, "pbtree") == 0)
			w->io.format = CFS_INDEX_PBTREE;
		else if (strcmp(optarg, "cfx") == 0)
			w->io.format = CFS_INDEX_CFX;
		else
			return "--format: there are cfx and pbtree";
		return NULL;
	case OPT_THREADS:
		if (!cfs_cli_parse_count(optarg, THREADS_MAX, &n))
			return "--threads: a number from 1 to 1024 is wanted";
		w->io.threads = (unsigned)n;
		return NULL;
	default:
		break;
	}
	if (!cfs_cli_parse_bytes(optarg, &n) || n == 0)
		return c == OPT_MEMORY ? "--memory: a size such as 512M is wanted"
				       : "--max-record: a size such as 2G is wanted";
	if (c == OPT_MEMORY)
		w->io.memory_bytes = (size_t)n;
	else
		w->io.max_record_bytes = n;
	return NULL;
}

static int build(struct words *w)
{
	struct cfs_indexer_report report = { .files = 0 };
	struct cfs_error err = CFS_ERROR_INIT;
	char name[] = "index";
	int rc;

	rc = check_output(w->io.output, w->force, &err);
	if (rc == CFS_OK)
		rc = cfs_source_args_use(&w->network, &err);
	if (rc != CFS_OK)
		return cfs_cli_fail(rc, &err);
	w->io.cancel = cfs_cli_catch_signals();
	w->io.progress = show;
	w->io.arg = name;
	cfs_progress_quiet(w->is_quiet);
	rc = cfs_indexer_run(&w->io, &report, &err);
	cfs_progress_end();
	if (rc != CFS_OK)
		return cfs_cli_fail(rc, &err);
	if (!w->is_quiet)
		print_report(w->io.output, &report);
	return CFS_EXIT_OK;
}

static int run(const struct cfs_command *cmd, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "format", required_argument, NULL, OPT_FORMAT },
		{ "memory", required_argument, NULL, OPT_MEMORY },
		{ "threads", required_argument, NULL, OPT_THREADS },
		{ "max-record", required_argument, NULL, OPT_RECORD },
		{ "base", required_argument, NULL, OPT_BASE },
		{ "force", no_argument, NULL, OPT_FORCE },
		{ "views", no_argument, NULL, OPT_VIEWS },
		{ "quiet", no_argument, NULL, 'q' },
		CFS_NETWORK_LONGS,
		{ "help", no_argument, NULL, 'h' }, { NULL, 0, NULL, 0 }
	};
	struct cfs_args a = { cmd, argc, argv, ":ho:q", longs, 0 };
	struct words w = { .force = false };
	int c;

	while ((c = cfs_args_next(&a)) != CFS_OPT_END) {
		const char *wrong;

		if (c == CFS_OPT_STOP)
			return a.status;
		if (c >= CFS_OPT_FIRST && c < CFS_OPT_OWN) {
			if (!cfs_source_args_take(&w.network, &a, c))
				return a.status;
			continue;
		}
		wrong = take(&w, c);
		if (wrong != NULL)
			return cfs_cli_usage(cmd, "%s", wrong);
	}
	if (w.io.output == NULL)
		return cfs_cli_usage(cmd, "no -o FILE is given");
	if (optind == argc)
		return cfs_cli_usage(cmd, "no INPUT is given");
	w.io.inputs = (const char *const *)(argv + optind);
	w.io.n_inputs = (size_t)(argc - optind);
	return build(&w);
}

const struct cfs_command cfs_cmd_index = {
	.name = "index",
	.summary = "make an index of archives",
	.help =
	"usage: crawlfs index -o FILE INPUT...\n\n"
	"Makes an index of archives, folders and lists of archives, and of CDX, CDXJ\n"
	"and cluster.idx files, on this machine or by their URLs.  Damage is told and\n"
	"stepped over.  Text and metadata files of the crawl (WET and WAT,\n"
	"textData-* and metadata-* of 2012) may be among them: a mount then shows\n"
	"what they hold as .txt and .meta.\n\n"
	"  -o, --output=FILE      the index to write\n"
	"      --format=FORMAT    cfx (crawlfs's own) or pbtree (trivio's)\n"
	"      --memory=SIZE      memory for sorting\n"
	"      --threads=N        archives read at a time (one a processor)\n"
	"      --max-record=SIZE  leave out records larger than this (1G)\n"
	"      --base=DIR         folder or URL that archive names are relative to\n"
	"                         (FILE's), and that the names in lists are below\n"
	"      --views            make every page's .txt and .meta once, for their\n"
	"                         sizes: a mount then knows them beforehand\n"
	"      --force            replace FILE even if it is no index\n"
	"  -q, --quiet            no progress, no summary\n"
	CFS_NETWORK_HELP
	"  -h, --help             this text\n\n"
	"Example:\n"
	"  crawlfs index -o crawl.cfx *.warc.gz\n"
	"  crawlfs index -o crawl.cfx https://example.org/crawl/part-1.warc.gz\n",
	.run = run,
};
