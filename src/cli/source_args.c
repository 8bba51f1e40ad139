/* source_args.c - opens a command's SOURCE and handles its other operands.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "source_args.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "crawl/crawl.h"
#include "crawl/sources.h"
#include "format/open_index.h"
#include "messages.h"
#include "net/collections.h"
#include "net/location.h"
#include "output.h"
#include "progress_line.h"
#include "record/inflated.h"
#include "record/sniff.h"
#include "signals.h"
#include "summary/suffixes.h"
#include "url/url.h"

static int source_args_check_folder(const char *name, const char *folder,
				    struct cfs_error *err)
{
	struct stat st;
	int rc;

	if (folder == NULL || cfs_location_is_url(folder))
		return CFS_OK;
	if (stat(folder, &st) == 0) {
		if (S_ISDIR(st.st_mode))
			return CFS_OK;
		errno = ENOTDIR;
	}
	rc = errno == ENOENT ? CFS_ENOTFOUND : CFS_EIO;
	return cfs_error_set(err, rc, "%s: '%.100s': %s", name, folder,
			     strerror(errno));
}

int cfs_cli_check_folders(const struct cfs_crawl_opts *o, struct cfs_error *err)
{
	struct cfs_sources data = { .n = 0 };
	int rc = CFS_OK;

	if (o->data != NULL)
		rc = cfs_sources_split(&data, o->data, err);
	for (size_t i = 0; i < data.n && rc == CFS_OK; i++)
		rc = source_args_check_folder("data", data.v[i], err);
	cfs_sources_release(&data);
	return rc == CFS_OK ? source_args_check_folder("base", o->base,
						       err) : rc;
}

int cfs_cli_begin(struct cfs_crawl_opts *out, const struct cfs_options *o,
		  struct cfs_error *err)
{
	int rc = cfs_http_configure(&o->http, err);

	*out = o->crawl;
	out->building = cfs_progress_building;
	out->cancel = cfs_cli_catch_signals();
	cfs_progress_quiet(o->is_quiet);
	return rc == CFS_OK ? cfs_cli_check_folders(out, err) : rc;
}

int cfs_cli_open(struct cfs_crawl **out, const char *source,
		 const struct cfs_options *o)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_crawl_opts opts;
	int rc = cfs_cli_begin(&opts, o, &err);

	if (rc == CFS_OK)
		rc = cfs_crawl_open(out, source, &opts, &err);
	cfs_progress_end();
	return cfs_cli_end(rc, &err);
}

/* ---- operands that are prefixes ------------------------------------------ */

static bool ends_in(struct cfs_slice s, const char *const *endings)
{
	for (; *endings != NULL; endings++)
		if (cfs_slice_ends(s, cfs_slice_str(*endings)))
			return true;
	return false;
}

/* True for a name of what is read as a SOURCE only. */
static bool names_source(struct cfs_slice s)
{
	static const char *const endings[] = { ".wacz", ".paths", ".paths.gz",
					       NULL };

	return cfs_sniff_is_archive_name(s) || cfs_index_is_name(s) ||
	       ends_in(s, endings);
}

bool cfs_cli_is_source(const char *text)
{
	struct stat st;

	if (cfs_location_is_url(text))
		return names_source(cfs_slice_str(text));
	return strcmp(text, "-") == 0 || cfs_collection_is_name(text) ||
	       cfs_sources_is_pattern(text) ||
	       (strcmp(text, "/") != 0 && stat(text, &st) == 0);
}

/* True for a path whose first part can be neither a host nor a reversed domain:
 * "data/", "../a", "~/a", "/srv/a"; paths in the tree, which have a "_", are
 * not. */
static bool is_file_path(struct cfs_slice s)
{
	struct cfs_slice rest = s, first = cfs_slice_split(&rest, '/');
	bool is_word = first.n < s.n && cfs_slice_find(first, '.') < 0 &&
		       cfs_slice_find(first, ':') < 0;

	while (rest.n > 0)
		if (cfs_slice_eq(cfs_slice_split(&rest, '/'),
				 CFS_SLICE_LIT("_")))
			return false;
	return s.n > 1 && (is_word || first.p[0] == '~' ||
			   cfs_slice_eq(first, CFS_SLICE_LIT(".")) ||
			   cfs_slice_eq(first, CFS_SLICE_LIT(".."))) &&
	       !cfs_slice_eq(first, CFS_SLICE_LIT("localhost"));
}

/* True for a bare word that is no top-level domain. */
static bool begins_nothing(struct cfs_slice word)
{
	return cfs_slice_find_any(word, 0, "./:*?#") == word.n &&
	       !cfs_suffixes_is_top(word) &&
	       !cfs_slice_eq_nocase(word, CFS_SLICE_LIT("localhost"));
}

/* True for a word that looks like the name of a file, a folder or a crawl. */
static bool names_file(struct cfs_slice s)
{
	static const char *const tables[] = { ".csv", ".tsv", ".jsonl",
		".parquet", ".csv.gz", ".tsv.gz", ".jsonl.gz", NULL };

	return !cfs_url_is_typed(s) &&
	       (names_source(s) || ends_in(s, tables) || is_file_path(s) ||
		begins_nothing(s) ||
		cfs_slice_starts_nocase(s, CFS_SLICE_LIT("CC-MAIN-")) ||
		cfs_slice_starts_nocase(s, CFS_SLICE_LIT("CC-SUPPLEMENTAL-")) ||
		cfs_slice_starts_nocase(s, CFS_SLICE_LIT("CC-NEWS-")));
}

/* Fails with CFS_ENOTFOUND for a target that covers no entry, picked or not. */
static int covers_any(void *arg, const struct cfs_target *t, struct cfs_ctx ctx)
{
	int rc = cfs_target_is_there(t, ctx);

	(void)arg;
	return rc == CFS_OK ? CFS_END : rc;
}

/* Says why a word that covers nothing is refused. */
static int refuse_operand(const char *text, bool is_there, bool is_known,
		       struct cfs_error *err)
{
	if (is_there)
		return cfs_error_set(err, CFS_ENOTFOUND, "'%.60s' is a file or "
			"folder, and no prefix: give the folder of all "
			"SOURCEs, or one operand, with commas", text);
	return cfs_error_set(err, CFS_ENOTFOUND, is_known ?
			     "'%.60s': no such file or folder, nor is a page "
			     "below such a prefix" :
			     "'%.60s': no such file or folder (if it is a "
			     "prefix, write --prefix=%.30s)", text, text);
}

static int check_word(struct cfs_slice word, struct cfs_crawl *crawl,
		      struct cfs_ctx ctx)
{
	struct cfs_error why = CFS_ERROR_INIT;
	char *text = strndup((const char *)word.p, word.n);
	bool is_there = text != NULL && access(text, F_OK) == 0;
	int rc = CFS_ENOTFOUND;

	if (text == NULL)
		return cfs_error_nomem(ctx.err);
	if (strcmp(text, "/") == 0 || (!is_there && !names_file(word)))
		rc = CFS_END;
	else if (crawl != NULL)
		rc = cfs_target_with(crawl, text, covers_any, NULL,
					 CFS_CTX(ctx.cancel, &why));
	if (rc == CFS_ENOTFOUND)
		refuse_operand(text, is_there, crawl != NULL, ctx.err);
	else if (rc != CFS_END)
		cfs_error_pass(ctx.err, &why, rc);
	free(text);
	return rc == CFS_END ? CFS_OK : rc;
}

int cfs_cli_check_prefixes(char *const *texts, size_t n,
			   struct cfs_crawl *crawl, struct cfs_ctx ctx)
{
	int rc = CFS_OK;

	for (size_t i = 0; i < n; i++) {
		struct cfs_slice rest = cfs_slice_str(texts[i]);

		if (cfs_slice_search(rest, CFS_SLICE_LIT("://")) >= 0 ||
		    cfs_slice_find(rest, ')') >= 0)
			continue;	/* a URL or a SURT key */
		while (rc == CFS_OK && rest.n > 0) {
			struct cfs_slice word = cfs_slice_trim(
				cfs_slice_split(&rest, ','));

			if (word.n > 0)
				rc = check_word(word, crawl, ctx);
		}
	}
	return rc;
}

int cfs_cli_limit(struct cfs_options *o, char *const *prefixes,
		  struct cfs_error *err)
{
	CFS_BUF(lines, SIZE_MAX / 2);

	for (size_t i = 0; prefixes[i] != NULL; i++) {
		cfs_buf_adds(&lines, i > 0 ? "\n" : "");
		cfs_buf_adds(&lines, prefixes[i]);
	}
	if (lines.n == 0)
		return CFS_OK;
	o->crawl.within = cfs_options_keep(o, strdup(cfs_buf_str(&lines)));
	return o->crawl.within != NULL && lines.failed == CFS_OK ?
		       CFS_OK : cfs_error_nomem(err);
}

int cfs_cli_open_prefixed(struct cfs_crawl **out, struct cfs_options *o,
			  bool limits)
{
	struct cfs_error err = CFS_ERROR_INIT;
	int rc = CFS_OK, status;

	if (limits || o->crawl.dedup != CFS_DEDUP_NONE)
		rc = cfs_cli_limit(o, o->operands + 1, &err);
	if (rc != CFS_OK)
		return cfs_cli_end(rc, &err);
	status = cfs_cli_open(out, o->operands[0], o);
	/* in a part, any prefix may cover nothing */
	if (status != CFS_EXIT_OK || o->crawl.part.n > 0)
		return status;
	rc = cfs_cli_check_prefixes(o->operands + 1, (size_t)o->n_typed - 1,
				    *out, CFS_CTX(cfs_cli_catch_signals(),
						  &err));
	if (rc != CFS_OK) {
		cfs_crawl_close(*out);
		*out = NULL;
	}
	return cfs_cli_end(rc, &err);
}

/* ---- damage that an index knows ------------------------------------------ */

bool cfs_cli_warn_of_damage(const struct cfs_crawl *crawl)
{
	char places[CFS_TEXT_COUNT_BYTES], archives[CFS_TEXT_COUNT_BYTES];
	struct cfs_damage_sum sum = { .places = 0 };
	struct cfs_error err = CFS_ERROR_INIT;
	CFS_BUF(name, CFS_URL_MAX);
	int rc;

	rc = cfs_index_damage(crawl->index, cfs_damage_sum_add, &sum,
			      CFS_CTX(cfs_cli_catch_signals(), &err));
	if (rc != CFS_OK && rc != CFS_EINTR)
		cfs_log_error(CFS_LOG_WARNING, &err);
	if (sum.places == 0 || crawl->damage_is_told)
		return sum.places > 0;
	cfs_location_show_list(&name, crawl->source);
	cfs_log(CFS_LOG_WARNING, "%s: %s in %s "
		"('crawlfs verify' lists them)", cfs_buf_str(&name),
		cfs_text_count(sum.places, "damaged place", places),
		cfs_text_count(sum.archives, "archive", archives));
	return true;
}

/* ---- operands one by one ------------------------------------------------- */

int cfs_cli_close_quietly(struct cfs_crawl *crawl, int status)
{
	if (status == CFS_EXIT_OK && cfs_holes_count(&crawl->holes) > 0)
		status = CFS_EXIT_FAILURE;	/* it was told */
	cfs_crawl_close(crawl);
	return status;
}

int cfs_cli_close(struct cfs_crawl *crawl, int status)
{
	if (cfs_store_lacked_all(crawl->store))
		cfs_log(CFS_LOG_WARNING, "%s: its archives are not there: name "
			"their folder with --data=FOLDER", crawl->source);
	return cfs_cli_close_quietly(crawl, status);
}

int cfs_cli_each_text(const struct cfs_options *o, cfs_cli_text_fn *fn,
		      void *arg)
{
	char **operands = o->operands;
	const struct cfs_cancel *cancel;
	struct cfs_crawl *crawl;
	int i = 1, status = cfs_cli_open(&crawl, operands[0], o);

	if (status != CFS_EXIT_OK)
		return status;
	cancel = cfs_cli_catch_signals();
	do {
		int one = fn(arg, crawl, operands[i], cancel);

		status = one != CFS_EXIT_OK ? one : status;
	} while (operands[i] != NULL && operands[++i] != NULL &&
		 status != CFS_EXIT_INTERRUPTED && cfs_out_ok());
	return cfs_cli_close(crawl, status);
}

struct each_target {
	cfs_target_with_fn *fn;
	void *arg;
};

static int do_target(void *arg, struct cfs_crawl *crawl, const char *text,
		     const struct cfs_cancel *cancel)
{
	const struct each_target *each = arg;
	struct cfs_error err = CFS_ERROR_INIT;
	int rc = cfs_target_with(crawl, text, each->fn, each->arg,
				     CFS_CTX(cancel, &err));

	return cfs_cli_end(rc, &err);
}

int cfs_cli_each_target(const struct cfs_options *o, cfs_target_with_fn *fn,
			void *arg)
{
	struct each_target each = { fn, arg };

	return cfs_cli_each_text(o, do_target, &each);
}

/* ---- crawls that are served ---------------------------------------------- */

struct cfs_served_opts cfs_cli_served(const struct cfs_options *o)
{
	struct cfs_served_opts s = {
		.sources = (const char *const *)o->operands,
		.n_sources = (unsigned)o->n_operands,
		.merge = o->merge,
		.missing_ok = o->missing,
		.no_readahead = o->readahead,
		.absent_is_empty = o->absent_is_empty,
		.crawl = o->crawl,
		.http = o->http,
		.view = { .meta_compact = o->meta },
	};

	s.crawl.no_cache = o->cache_size == CFS_SIZE_OFF;
	s.crawl.cache_bytes = s.crawl.no_cache ? 0 : o->cache_size;
	s.crawl.building = cfs_progress_building;
	cfs_inflated_set_room(s.crawl.cache_bytes);
	return s;
}

/* Takes the options for serving the crawls that are the operands. */
static struct cfs_site_opts site_opts(const struct cfs_options *o,
				      const struct cfs_cancel *cancel)
{
	struct cfs_site_opts s = {
		.served = cfs_cli_served(o),
		.views = o->views,
		.base_url = o->base_url,
		.replay_url = o->replay_url,
		.download_bytes = o->download_bytes,
	};

	if (o->download_bytes == 0)
		s.download_bytes = CFS_DOWNLOAD_DEFAULT;
	else if (o->download_bytes == CFS_SIZE_OFF)
		s.download_bytes = 0;
	s.served.crawl.keeps_records = true;
	s.served.crawl.cancel = cancel;
	return s;
}

int cfs_cli_begin_site(struct cfs_options *o, struct cfs_error *err)
{
	o->crawl.budget = cfs_served_budget(o->crawl.mem_bytes);
	return o->crawl.budget == NULL ? cfs_error_nomem(err) :
					 cfs_http_configure(&o->http, err);
}

int cfs_cli_open_site(struct cfs_site **out, const struct cfs_options *o,
		      struct cfs_ctx ctx)
{
	const struct cfs_site_opts opts = site_opts(o, ctx.cancel);
	int rc = cfs_cli_check_folders(&o->crawl, ctx.err);

	if (rc == CFS_OK)
		rc = cfs_site_open(out, &opts, ctx.err);
	cfs_progress_end();
	for (unsigned i = 0; rc == CFS_OK && i < (*out)->n_crawls; i++)
		cfs_cli_warn_of_damage((*out)->crawls[i]);
	return rc;
}
