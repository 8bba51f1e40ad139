/* cmd_check.c - crawlfs check: counts how much copying some prefixes would
 * take.
 *
 * Reports what `remote_copy check` of trivio's url-index reports: archive
 * files, pages, bytes at the source and bytes to copy.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/strtab.h"
#include "base/text.h"
#include "commands.h"
#include "output.h"
#include "crawl/prefixes.h"
#include "progress_line.h"
#include "record/zipped.h"
#include "signals.h"
#include "source_args.h"

#define NAMES_MAX ((size_t)256 << 20)
/* The assumed size of an archive where none is known: Common Crawl's ARC files
 * were closed after 10^8 bytes. */
#define GUESS 100000000u
/* Up to this many archives have their sizes requested one by one: at Common
 * Crawl's 8 requests at a time that takes ten seconds.  Of more archives a
 * sample is requested: sizes differ by a tenth or two, so the mean of a hundred
 * is off by one in fifty. */
#define ASK_MAX 1000u
#define SAMPLE 100u
#define THREADS_MAX 64u
#define SHOW_MS 100
#define BYTES_MAX 4e18		/* limit of the sum of sizes */

struct check_run {
	struct cfs_crawl *crawl;
	const struct cfs_cancel *cancel;
	struct cfs_error err;
	struct cfs_prefixes prefixes;
	struct cfs_strtab *archives;	/* their ids */
	struct cfs_strtab *files;	/* names of the files that they are, or
					 * are in: a WACZ may have several */
	uint64_t pages, last_page;	/* last_page: a hash of its
					 * components */
	uint64_t captures, bytes, source_bytes;
	uint64_t guessed;		/* archives whose size is taken as
					 * GUESS */
	struct cfs_strtab *names;	/* names of archives whose size a server
					 * knows */
	unsigned parallel;		/* requests at a time; 0: the maximum */
	uint64_t known, as_mean;	/* of these: size known; size taken as
					 * the mean */
	char base[PATH_MAX];		/* folder to which archive names are
					 * relative */
	struct cfs_path entry;		/* scratch */
};

/* ---- sizes of archives on this machine ---------------------------------- */

static void cmd_check_find_base(struct check_run *k, const char *source,
				const char *data)
{
	char real[PATH_MAX];
	struct stat st;

	if (data != NULL)
		snprintf(k->base, sizeof(k->base), "%s", data);
	else if (realpath(source, real) != NULL && stat(real, &st) == 0)
		snprintf(k->base, sizeof(k->base), "%s",
			 S_ISDIR(st.st_mode) ? real : dirname(real));
}

/* The size of an archive of a union, whose members have folders of their
 * own. */
static bool ask_store(const struct check_run *k, const char *name,
		      uint64_t *out)
{
	struct cfs_source *src;

	if (cfs_store_source(k->crawl->store, cfs_slice_str(name), &src,
			     CFS_CTX(k->cancel, NULL)) != CFS_OK)
		return false;
	*out = src->size;
	cfs_source_close(src);
	return *out != CFS_SIZE_UNKNOWN;
}

/* The size of an archive file on this machine. */
static bool cmd_check_find_size(const struct check_run *k, const char *name,
				uint64_t *out)
{
	static const char *const below[] = { "", "parse-output/",
					     "../../parse-output/" };
	char path[2 * PATH_MAX];
	struct stat st;

	if (k->crawl->n_members > 0 && k->crawl->cache == NULL)
		return ask_store(k, name, out);
	if (k->base[0] == '\0')
		return false;		/* it is on a server */
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

static int add_size(struct check_run *k, const struct cfs_span *loc)
{
	uint32_t number, known = cfs_strtab_count(k->files);
	uint64_t bytes = 0;
	struct cfs_slice file, member;
	CFS_BUF(name, PATH_MAX);
	int rc = cfs_index_archive_name(k->crawl->index, loc, &name, &k->err);

	if (cfs_zipped_split(cfs_buf_slice(&name), &file, &member))
		name.n = file.n;
	if (rc == CFS_OK)
		rc = cfs_strtab_add(k->files, cfs_buf_slice(&name), &number);
	if (rc == CFS_OK && number < known)
		return CFS_OK;
	if (rc == CFS_OK && !cmd_check_find_size(k, cfs_buf_str(&name),
						 &bytes)) {
		if (k->crawl->cache != NULL) {
			rc = cfs_strtab_add(k->names, cfs_buf_slice(&name),
					    &number);
		} else {
			k->guessed++;
			bytes = GUESS;
		}
	}
	k->source_bytes += bytes;
	return rc;
}

static int count_archive(struct check_run *k, const struct cfs_span *loc)
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
static void count_page(struct check_run *k, const struct cfs_iter *it)
{
	uint64_t hash = 1;

	if (cfs_index_split(k->crawl->index, it->key, &k->entry) != CFS_OK)
		return;
	for (unsigned i = 0; i < k->entry.n; i++)
		hash = cfs_hash64(k->entry.comp[i], hash);
	k->pages += hash != k->last_page;
	k->last_page = hash;
}

static int cmd_check_on_capture(void *arg, const struct cfs_iter *it,
				const struct cfs_capture *cap)
{
	struct check_run *k = arg;

	count_page(k, it);
	k->captures++;
	k->bytes += cap->loc.length;
	return count_archive(k, &cap->loc);
}

/* ---- sizes of archives on servers --------------------------------------- */

/* Every answer states the size, so one byte of each archive is read: through
 * the block cache, which keeps the sizes and requests none that it has. */
struct size_asking {
	struct check_run *check;
	uint32_t all, n;		/* archives; those requested */
	pthread_mutex_t lock;
	/* The rest is guarded by lock. */
	uint32_t done, known, missing;
	uint64_t bytes;
};

static int ask_size(struct size_asking *a, uint32_t number, uint64_t *bytes,
		    struct cfs_ctx ctx)
{
	struct cfs_slice name = cfs_strtab_get(a->check->names, number);
	struct cfs_source *src;
	uint8_t byte;
	size_t got;
	int rc = cfs_store_source(a->check->crawl->store, name, &src, ctx);

	if (rc != CFS_OK)
		return rc;
	if (src->size == CFS_SIZE_UNKNOWN)
		rc = cfs_source_read_some(src, &byte, 1, 0, &got, ctx);
	if (rc == CFS_OK)
		rc = cfs_source_find_size(src, ctx);
	*bytes = src->size;
	cfs_source_close(src);
	return rc;
}

/* The number of the i-th requested archive: they are spread evenly over all. */
static uint32_t cmd_check_number_of(const struct size_asking *a, uint32_t i)
{
	return (uint32_t)((uint64_t)i * a->all / a->n);
}

static int cmd_check_ask_one(void *arg, size_t i, unsigned thread,
			     struct cfs_ctx ctx)
{
	struct size_asking *a = arg;
	struct cfs_error e = CFS_ERROR_INIT;
	uint64_t bytes = 0;
	int rc = ask_size(a, cmd_check_number_of(a, (uint32_t)i), &bytes,
			  CFS_CTX(ctx.cancel, &e));

	(void)thread;
	pthread_mutex_lock(&a->lock);
	a->done++;
	if (rc == CFS_OK && bytes < (uint64_t)BYTES_MAX - a->bytes) {
		a->bytes += bytes;
		a->known++;
	} else if (rc == CFS_ENOTFOUND || rc == CFS_OK) {
		a->missing++;
		rc = CFS_OK;
	}
	pthread_mutex_unlock(&a->lock);
	return cfs_error_pass(ctx.err, &e, rc);
}

static void cmd_check_show(void *arg)
{
	struct size_asking *a = arg;
	uint32_t done;

	pthread_mutex_lock(&a->lock);
	done = a->done;
	pthread_mutex_unlock(&a->lock);
	cfs_progress_count("requesting sizes of archives", done, a->n);
}

static int cmd_check_ask_all(struct size_asking *a, struct cfs_error *err)
{
	unsigned most = a->check->parallel;
	const struct cfs_pool_calls calls = {
		.threads = most == 0 || most > THREADS_MAX ? THREADS_MAX : most,
		.n = a->n,
		.one = cmd_check_ask_one,
		.arg = a,
		.show = cmd_check_show,
		.every_ms = SHOW_MS
	};
	int rc;

	cmd_check_show(a);
	rc = cfs_pool_each(&calls, CFS_CTX(a->check->cancel, err));
	cfs_progress_end();
	return rc;
}

/* Adds up the sizes, with a limit: a server may claim any size. */
static void add_up(const struct size_asking *a)
{
	uint64_t rest = a->all - a->known - a->missing, guessed = a->missing;
	double as_mean = a->known > 0 ?
			 (double)a->bytes / a->known * (double)rest : 0;
	struct check_run *k = a->check;

	if (a->known > 0)
		k->as_mean = rest;
	else
		guessed += rest;
	k->known = a->known;
	k->guessed += guessed;
	k->source_bytes += a->bytes + guessed * GUESS +
		(uint64_t)(as_mean < BYTES_MAX ? as_mean : BYTES_MAX);
}

/* Requests the sizes, and shows progress.  A missing archive's size is guessed;
 * another failure ends the requests, and is only a warning. */
static int request_sizes(struct check_run *k)
{
	struct size_asking a = { .check = k,
				 .all = cfs_strtab_count(k->names) };
	char line[sizeof(struct cfs_error) + 64];
	struct cfs_error why = CFS_ERROR_INIT;
	int rc;

	if (a.all == 0)
		return CFS_OK;
	a.n = a.all <= ASK_MAX ? a.all : SAMPLE;
	pthread_mutex_init(&a.lock, NULL);
	rc = cmd_check_ask_all(&a, &why);
	pthread_mutex_destroy(&a.lock);
	if (cfs_cancelled(k->cancel))
		return cfs_error_set(&k->err, CFS_EINTR, "interrupted");
	if (rc == CFS_ENOMEM)
		return cfs_error_pass(&k->err, &why, rc);
	if (rc != CFS_OK) {
		cfs_error_line(&why, line, sizeof(line));
		cfs_log(CFS_LOG_WARNING, "the sizes of archives are not "
			"available: %s", line);
	}
	add_up(&a);
	return CFS_OK;
}

/* ---- the command -------------------------------------------------------- */

static void print_totals(const struct check_run *k)
{
	char human[CFS_TEXT_SIZE_BYTES], files[CFS_TEXT_COUNT_BYTES];

	cfs_out_f("files        %" PRIu32 "\n", cfs_strtab_count(k->files));
	cfs_out_f("pages        %" PRIu64 "\n", k->pages);
	cfs_out_f("captures     %" PRIu64 "\n", k->captures);
	cfs_out_f("source       %" PRIu64 " bytes (%s", k->source_bytes,
		  cfs_text_size((double)k->source_bytes, human));
	if (k->as_mean > 0)
		cfs_out_f("; %s counted as the mean of %" PRIu64,
			  cfs_text_count(k->as_mean, "file", files),
			  k->known);
	if (k->guessed > 0)
		cfs_out_f("; %s counted as 100 MB each",
			  cfs_text_count(k->guessed, "file", files));
	cfs_out_f(")\ndestination  %" PRIu64 " bytes (%s)\n", k->bytes,
		  cfs_text_size((double)k->bytes, human));
}

static void put_totals(const struct check_run *k, struct cfs_json *j)
{
	cfs_json_put_uint(j, "archives", cfs_strtab_count(k->files));
	cfs_json_put_uint(j, "pages", k->pages);
	cfs_json_put_uint(j, "captures", k->captures);
	cfs_json_put_uint(j, "source_bytes", k->source_bytes);
	cfs_json_put_uint(j, "archives_as_mean", k->as_mean);
	cfs_json_put_uint(j, "archives_guessed", k->guessed);
	cfs_json_put_uint(j, "destination_bytes", k->bytes);
}

static int print_result(const struct check_run *k, bool is_json,
			struct cfs_error *err)
{
	struct cfs_out_document d;

	if (!is_json) {
		print_totals(k);
		return CFS_OK;
	}
	cfs_out_document_begin(&d);
	put_totals(k, &d.j);
	return cfs_out_document_end(&d, CFS_OK, err);
}

static int cmd_check_check(struct check_run *k, char **texts)
{
	int rc;

	k->archives = cfs_strtab_new(NAMES_MAX);
	k->files = cfs_strtab_new(NAMES_MAX);
	k->names = cfs_strtab_new(NAMES_MAX);
	if (k->archives == NULL || k->files == NULL || k->names == NULL)
		return cfs_error_nomem(&k->err);
	rc = cfs_prefixes_init(&k->prefixes, k->crawl, texts,
			       CFS_CTX(k->cancel, &k->err));
	if (rc == CFS_OK)
		rc = cfs_prefixes_each(&k->prefixes, &k->crawl->holes,
				       cmd_check_on_capture, k,
				       CFS_CTX(k->cancel, &k->err));
	return rc != CFS_OK ? rc : request_sizes(k);
}

static void cmd_check_release(struct check_run *k)
{
	cfs_prefixes_release(&k->prefixes);
	cfs_strtab_free(k->archives);
	cfs_strtab_free(k->files);
	cfs_strtab_free(k->names);
	free(k);
}

static int cmd_check_run(struct cfs_options *o)
{
	struct check_run *k = calloc(1, sizeof(*k));
	int rc, status;

	if (k == NULL) {
		cfs_cli_error("out of memory");
		return CFS_EXIT_FAILURE;
	}
	status = cfs_cli_open_prefixed(&k->crawl, o, false);
	if (status == CFS_EXIT_OK) {
		k->cancel = cfs_cli_catch_signals();
		k->parallel = o->http.parallel;
		cmd_check_find_base(k, o->operands[0], o->crawl.data);
		rc = cmd_check_check(k, o->operands + 1);
		if (rc == CFS_OK)
			rc = print_result(k, o->is_json, &k->err);
		status = cfs_cli_end(rc, &k->err);
		/* each prefix that covers nothing was reported already */
		if (rc == CFS_OK && k->captures == 0)
			status = CFS_EXIT_FAILURE;
		status = cfs_cli_close(k->crawl, status);
	}
	cmd_check_release(k);
	return status;
}

const struct cfs_command cfs_cmd_check = {
	.name = "check",
	.by = CFS_BY_CHECK,
	.summary = "count files, pages and bytes below prefixes",
	.usage =
		"crawlfs check SOURCE [PREFIX...]\n\n"
		"Counts what the prefixes cover (without one, the whole crawl): archive files,\n"
		"pages, their captures, the bytes of these files, and the bytes of the records\n"
		"alone (what crawlfs copy would fetch).  Servers are asked for the sizes of\n"
		"archives; of more than 1,000 archives, 100 are asked for.  A PREFIX is whole\n"
		"labels of a reversed domain and whole segments of a path; commas separate\n"
		"several.",
	.example = "  crawlfs check crawl.cfx com.nytimes.blogs,org.gnu\n",
	.operands = { "SOURCE" },
	.run = cmd_check_run,
};
