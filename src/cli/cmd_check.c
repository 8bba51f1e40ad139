/* cmd_check.c - crawlfs check: counts how much a copy of some prefixes would be.
 *
 * It reports what `remote_copy check` of trivio's url-index reports: archive
 * files, pages, bytes at the source and bytes to copy.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/log.h"
#include "commands.h"
#include "output.h"
#include "crawl/prefixes.h"
#include "signals.h"
#include "sizes.h"
#include "sources.h"
#include "text.h"

#define NAMES_MAX ((size_t)256 << 20)

/* ---- sizes of archives on this machine ---------------------------------- */

struct check {
	struct cfs_crawl *crawl;
	const struct cfs_cancel *cancel;
	struct cfs_error err;
	struct cfs_prefixes prefixes;
	struct cfs_strtab *archives;	/* their ids */
	uint64_t pages, last_page;	/* last_page: a hash of its components */
	uint64_t captures, bytes, source_bytes, guessed;
	struct cfs_strtab *names;	/* of those whose size a server knows */
	unsigned parallel;
	struct cfs_sizes sizes;		/* of these */
	char base[PATH_MAX];		/* folder of archive names */
	struct cfs_path entry;		/* scratch */
};

static void find_base(struct check *k, const char *source, const char *data)
{
	char real[PATH_MAX];
	struct stat st;

	if (data != NULL)
		snprintf(k->base, sizeof(k->base), "%s", data);
	else if (realpath(source, real) != NULL && stat(real, &st) == 0)
		snprintf(k->base, sizeof(k->base), "%s",
			 S_ISDIR(st.st_mode) ? real : dirname(real));
}

/* The size of an archive file on this machine. */
static bool find_size(const struct check *k, const char *name, uint64_t *out)
{
	static const char *const below[] = { "", "parse-output/",
					     "../../parse-output/" };
	char path[2 * PATH_MAX];
	struct stat st;

	if (k->base[0] == '\0')
		return false;		/* on a server */
	for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++) {
		int n = snprintf(path, sizeof(path), "%s/%s%s", k->base,
				 below[i], name);

		if (n < (int)sizeof(path) && stat(path, &st) == 0 &&
		    S_ISREG(st.st_mode)) {
			*out = (uint64_t)st.st_size;
			return true;
		}
	}
	return false;
}

static int add_size(struct check *k, const struct cfs_span *loc)
{
	uint64_t bytes = 0;
	uint32_t number;
	struct cfs_buf name;
	int rc;

	cfs_buf_init(&name, PATH_MAX);
	rc = cfs_index_archive_name(k->crawl->index, loc, &name, &k->err);
	if (rc == CFS_OK && !find_size(k, cfs_buf_str(&name), &bytes)) {
		if (k->crawl->cache != NULL) {
			rc = cfs_strtab_add(k->names, cfs_buf_slice(&name),
					    &number);
		} else {
			k->guessed++;
			bytes = CFS_SIZES_GUESS;
		}
	}
	k->source_bytes += bytes;
	cfs_buf_release(&name);
	return rc;
}

static int count_archive(struct check *k, const struct cfs_span *loc)
{
	uint32_t number, known = cfs_strtab_count(k->archives);
	int rc = cfs_strtab_add(k->archives,
				cfs_slice_of(loc->file, sizeof(loc->file)),
				&number);

	if (rc == CFS_OK && number == known)
		rc = add_size(k, loc);
	return rc == CFS_OK ? rc : cfs_error_set(&k->err, rc, "out of memory");
}

/* ---- counting --------------------------------------------------------- */

/* Captures of one page follow each other; they share a path, not a key (a
 * PB-tree has the scheme in it). */
static void count_page(struct check *k, const struct cfs_iter *it)
{
	uint64_t hash = 1;

	if (cfs_index_split(k->crawl->index, it->key, &k->entry) != CFS_OK)
		return;
	for (unsigned i = 0; i < k->entry.n; i++)
		hash = cfs_hash64(k->entry.comp[i], hash);
	k->pages += hash != k->last_page;
	k->last_page = hash;
}

static int on_capture(void *arg, const struct cfs_iter *it,
		      const struct cfs_capture *cap)
{
	struct check *k = arg;

	count_page(k, it);
	k->captures++;
	k->bytes += cap->loc.length;
	return count_archive(k, &cap->loc);
}

/* ---- sizes that servers know -------------------------------------------- */

static int request_sizes(struct check *k)
{
	struct cfs_sizes_opts o = { .store = k->crawl->store,
		.names = k->names, .parallel = k->parallel,
		.cancel = k->cancel };
	char line[sizeof(struct cfs_error) + 64];
	int rc = cfs_sizes_ask(&k->sizes, &o, &k->err);

	if (rc == CFS_OK && k->sizes.why.code != CFS_OK) {
		cfs_error_line(&k->sizes.why, line, sizeof(line));
		cfs_log(CFS_LOG_WARNING, "the sizes of archives are not "
			"available: %s", line);
	}
	k->source_bytes += k->sizes.bytes;
	k->guessed += k->sizes.guessed;
	return rc;
}

static void print_totals(const struct check *k)
{
	char human[CFS_TEXT_SIZE_BYTES], files[CFS_TEXT_COUNT_BYTES];

	cfs_out_f("files        %" PRIu32 "\n", cfs_strtab_count(k->archives));
	cfs_out_f("pages        %" PRIu64 "\n", k->pages);
	cfs_out_f("captures     %" PRIu64 "\n", k->captures);
	cfs_out_f("source       %" PRIu64 " bytes (%s", k->source_bytes,
		  cfs_text_size((double)k->source_bytes, human));
	if (k->sizes.as_mean > 0)
		cfs_out_f("; %s counted as the mean of %" PRIu64,
			  cfs_text_count(k->sizes.as_mean, "file", files),
			  k->sizes.known);
	if (k->guessed > 0)
		cfs_out_f("; %s counted as 100 MB each",
			  cfs_text_count(k->guessed, "file", files));
	cfs_out_f(")\ndestination  %" PRIu64 " bytes (%s)\n", k->bytes,
		  cfs_text_size((double)k->bytes, human));
}

static int check(struct check *k, char **texts)
{
	int rc;

	k->archives = cfs_strtab_new(NAMES_MAX);
	k->names = cfs_strtab_new(NAMES_MAX);
	if (k->archives == NULL || k->names == NULL)
		return cfs_error_nomem(&k->err);
	rc = cfs_prefixes_init(&k->prefixes, k->crawl, texts, k->cancel,
			       &k->err);
	if (rc == CFS_OK)
		rc = cfs_prefixes_each(&k->prefixes, on_capture, k, k->cancel,
				       &k->err);
	return rc != CFS_OK ? rc : request_sizes(k);
}

static void release(struct check *k)
{
	cfs_prefixes_release(&k->prefixes);
	cfs_strtab_free(k->archives);
	cfs_strtab_free(k->names);
	cfs_crawl_close(k->crawl);
	free(k);
}

static int run(struct cfs_options *o)
{
	struct check *k = calloc(1, sizeof(*k));
	int rc, status;

	if (k == NULL) {
		cfs_cli_error("out of memory");
		return CFS_EXIT_FAILURE;
	}
	status = cfs_cli_open(&k->crawl, o->operands[0], o);
	if (status == CFS_EXIT_OK) {
		k->cancel = cfs_cli_catch_signals();
		k->parallel = o->http.parallel;
		find_base(k, o->operands[0], o->crawl.data);
		rc = check(k, o->operands + 1);
		if (rc == CFS_OK)
			print_totals(k);
		status = cfs_cli_end(rc, &k->err);
		/* each prefix that covers nothing was reported */
		if (rc == CFS_OK && k->captures == 0)
			status = CFS_EXIT_FAILURE;
	}
	release(k);
	return status;
}

const struct cfs_command cfs_cmd_check = {
	.name = "check",
	.by = CFS_BY_CHECK,
	.summary = "count files, pages and bytes below prefixes",
	.usage =
	"crawlfs check SOURCE PREFIX...\n\n"
	"Counts what the prefixes cover: archive files, pages, their captures, the\n"
	"bytes of these files, and the bytes of the records alone (what crawlfs copy\n"
	"would fetch).  Servers are asked for the sizes of archives; of more than\n"
	"1,000 archives, 100 are asked for.  A PREFIX is whole labels of a reversed\n"
	"domain and whole segments of a path; commas separate several.",
	.example =
	"  crawlfs check crawl.cfx com.nytimes.blogs,org.gnu\n",
	.operands = { "SOURCE", "PREFIX" },
	.run = run,
};
