/* indexer.c - many archives into one index, with as many threads as there
 * are processors.
 *
 * The inputs are listed (indexer_files.h) and cut into parts
 * (indexer_parts.h).  Threads take parts, largest first, and scan them
 * (indexer_scan.h), each feeding the builder.  If a cut turns out to be in the
 * wrong place, all is begun again without cutting files.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "indexer.h"

#include <stdlib.h>
#include <string.h>

#include "base/fileio.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/sync.h"
#include "indexer_cdx.h"
#include "indexer_scan.h"

#define CDX_NAMES_MAX ((size_t)256 << 20)
#define PROGRESS_MS 100

struct run {
	const struct cfs_indexer_opts *opts;
	struct cfs_indexer_files files;
	struct cfs_places places;
	struct cfs_builder *builder;
	struct cfs_builder_archive *archives;	/* borrowed by the builder */
	struct cfs_builder_origin *origins;	/* likewise */
	struct cfs_buf name_text;	/* likewise: names of archives in CDX
					 * files, a NUL behind each */
	struct cfs_indexer_part *parts;
	size_t n_parts;
	unsigned threads;
	uint64_t bytes_total;
	uint64_t bytes_before;		/* read for the names of archives */
	int64_t progress_ms;		/* the last one while no worker runs */
	char *dir;			/* of the index; for temporary files */
	struct cfs_cancel cancel;	/* of the workers */
	struct cfs_indexer_scans scans;
	atomic_bool stop;		/* a worker failed */
	pthread_mutex_t lock;
	pthread_cond_t changed;		/* a worker ended */
	unsigned workers, ended;	/* taken numbers; guarded by lock */
	size_t next;			/* part; guarded by lock */
	bool *is_damaged;		/* by file; guarded by lock */
	int rc;				/* first failure; guarded by lock */
	struct cfs_error error;		/* guarded by lock */
	struct cfs_indexer_report sum;	/* guarded by lock */
};

/* ---- progress ---- */

static void report_progress(struct run *r, uint64_t merged,
			    uint64_t merge_total)
{
	struct cfs_indexer_progress p = {
		.bytes_done = r->bytes_before + atomic_load(&r->scans.bytes),
		.bytes_total = r->bytes_total,
		.captures = atomic_load(&r->scans.captures),
		.merged = merged, .merge_total = merge_total };

	if (p.bytes_done > p.bytes_total)	/* a part went past its end */
		p.bytes_done = p.bytes_total;
	if (r->opts->progress != NULL)
		r->opts->progress(r->opts->arg, &p);
}

static bool is_time(struct run *r)
{
	int64_t now = cfs_monotonic_ms();

	if (now - r->progress_ms < PROGRESS_MS)
		return false;
	r->progress_ms = now;
	return true;
}

static void on_merged(void *arg, uint64_t done, uint64_t total)
{
	if (is_time(arg) || done >= total)
		report_progress(arg, done, total);
}

static void on_names_read(void *arg, uint64_t bytes)
{
	struct run *r = arg;

	r->bytes_before += bytes;
	if (is_time(r))
		report_progress(r, 0, 0);
}

/* ---- archives named in CDX files ---- */

/* A remote file is fetched here. */
static int collect_from(struct run *r, struct cfs_indexer_file *f,
			struct cfs_error *err)
{
	struct cfs_indexer_cdx job = { .files = &r->files, .file = f,
		.names = r->scans.names, .cancel = r->opts->cancel,
		.advanced = on_names_read, .arg = r };

	if (f->is_remote && (f->spool = cfs_spool_new(r->dir)) == NULL)
		return cfs_error_nomem(err);
	return cfs_indexer_cdx_run(&job, err);
}

/* The names of archives in all CDX files, which the builder must know first.
 * Damage is reported when the lines are read again. */
static int collect_names(struct run *r, struct cfs_error *err)
{
	struct cfs_strtab *names = cfs_strtab_new(CDX_NAMES_MAX);
	int rc;

	r->scans.names = names;
	if (names == NULL)
		return cfs_error_nomem(err);
	for (size_t i = 0; i < r->files.n; i++) {
		struct cfs_error e = CFS_ERROR_INIT;

		if (r->files.v[i].role != CFS_FILE_CDX)
			continue;
		rc = collect_from(r, &r->files.v[i], &e);
		if (rc == CFS_ENOMEM || rc == CFS_EINTR || rc == CFS_ELIMIT) {
			cfs_error_copy(err, &e);
			return rc;
		}
	}
	r->scans.n_names = cfs_strtab_count(names);
	for (uint32_t i = 0; i < r->scans.n_names; i++) {
		cfs_buf_add(&r->name_text, cfs_strtab_get(names, i));
		cfs_buf_addc(&r->name_text, '\0');
	}
	return r->name_text.failed == CFS_OK ? CFS_OK : cfs_error_nomem(err);
}

/* ---- the builder ---- */

/* Archives and their origins: the files, then those named in CDX files. */
static int list_archives(struct run *r, size_t n)
{
	const char *name = (const char *)r->name_text.p;

	r->archives = calloc(n, sizeof(*r->archives));
	r->origins = calloc(n, sizeof(*r->origins));
	if (r->archives == NULL || r->origins == NULL)
		return CFS_ENOMEM;
	for (size_t i = 0; i < r->files.n; i++) {
		const struct cfs_indexer_file *f = &r->files.v[i];

		r->archives[i] = (struct cfs_builder_archive){
			f->name, f->size, f->mtime };
		r->origins[i] = (struct cfs_builder_origin){
			f->folder, f->partition_1 };
	}
	for (size_t i = r->files.n; i < n; i++) {
		r->archives[i] = (struct cfs_builder_archive){ .name = name };
		name += strlen(name) + 1;
	}
	return CFS_OK;
}

static int open_builder(struct run *r, struct cfs_error *err)
{
	struct cfs_builder_opts o = {
		.path = r->opts->output, .format = r->opts->format,
		.memory_bytes = r->opts->memory_bytes, .threads = r->threads,
		.archives = r->archives, .origins = r->origins,
		.n_archives = (uint32_t)r->files.n + r->scans.n_names,
		.view_code = r->opts->view_bytes != NULL ? r->opts->view_code : 0,
		.base = r->files.base, .n_at_hand = (uint32_t)r->files.n,
		.cancel = r->opts->cancel, .merged = on_merged, .arg = r };
	int rc;

	/* what is on a server is read once, not record by record */
	o.sizer = r->opts->revisits;
	for (size_t i = 0; i < r->files.n; i++)
		if (r->files.v[i].is_remote)
			o.sizer = NULL;
	rc = cfs_builder_new(&r->builder, &o, err);

	r->scans.builder = r->builder;
	return rc;
}

/* ---- the workers ---- */

/* Adds up what was found in a part. */
static void add_tally(struct run *r, uint32_t file,
		      const struct cfs_indexer_tally *t)
{
	pthread_mutex_lock(&r->lock);
	if (t->damages > 0 && !r->is_damaged[file]) {
		r->is_damaged[file] = true;
		r->sum.files_damaged++;
	}
	r->sum.damages += t->damages;
	r->sum.records += t->records;
	r->sum.not_in_tree += t->not_in_tree;
	r->sum.not_archived += t->not_archived;
	r->sum.inflated_bytes += t->inflated;
	pthread_mutex_unlock(&r->lock);
}

static const struct cfs_indexer_part *take_part(struct run *r)
{
	const struct cfs_indexer_part *p = NULL;

	pthread_mutex_lock(&r->lock);
	if (r->next < r->n_parts && r->rc == CFS_OK)
		p = &r->parts[r->next++];
	pthread_mutex_unlock(&r->lock);
	return p;
}

static void work(void *arg)
{
	const struct cfs_indexer_part *part;
	struct cfs_indexer_tally tally;
	struct cfs_error e = CFS_ERROR_INIT;
	struct run *r = arg;
	unsigned feeder;
	int rc = CFS_OK;

	pthread_mutex_lock(&r->lock);
	feeder = r->workers++;
	pthread_mutex_unlock(&r->lock);
	while (rc == CFS_OK && !atomic_load(&r->scans.missed) &&
	       (part = take_part(r)) != NULL) {
		rc = cfs_indexer_scan(&r->scans, feeder, part, &tally, &e);
		add_tally(r, part->file, &tally);
	}
	pthread_mutex_lock(&r->lock);
	if (rc != CFS_OK && r->rc == CFS_OK) {
		r->rc = rc;
		r->error = e;
		atomic_store(&r->stop, true);
	}
	r->ended++;
	pthread_cond_signal(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

static int run_workers(struct run *r, struct cfs_error *err)
{
	struct cfs_pool pool;
	unsigned started = cfs_pool_start(&pool, r->threads, work, r);

	if (started == 0)
		return cfs_error_set(err, CFS_ENOMEM, "cannot start a thread");
	pthread_mutex_lock(&r->lock);
	while (r->ended < started) {
		cfs_cond_wait_ms(&r->changed, &r->lock, PROGRESS_MS);
		pthread_mutex_unlock(&r->lock);
		report_progress(r, 0, 0);
		pthread_mutex_lock(&r->lock);
	}
	pthread_mutex_unlock(&r->lock);
	cfs_pool_join(&pool);
	if (r->rc == CFS_OK || atomic_load(&r->scans.missed))
		return CFS_OK;
	cfs_error_copy(err, &r->error);
	return r->rc;
}

/* ---- the whole ---- */

static bool should_stop(void *arg)
{
	struct run *r = arg;

	return atomic_load_explicit(&r->stop, memory_order_relaxed) ||
	       atomic_load_explicit(&r->scans.missed, memory_order_relaxed) ||
	       cfs_cancelled(r->opts->cancel);
}

/* Forgets what an attempt has done. */
static void reset(struct run *r)
{
	cfs_builder_free(r->builder);
	r->builder = NULL;
	free(r->parts);
	r->parts = NULL;
	r->next = 0;
	r->workers = r->ended = 0;
	r->rc = CFS_OK;
	r->error = CFS_ERROR_INIT;
	memset(r->is_damaged, 0, r->files.n * sizeof(*r->is_damaged));
	r->sum = (struct cfs_indexer_report){ 0 };
	atomic_store(&r->stop, false);
	atomic_store(&r->scans.missed, false);
	atomic_store(&r->scans.bytes, 0);
	atomic_store(&r->scans.captures, 0);
	atomic_store(&r->scans.sides, 0);
}

static int build(struct run *r, struct cfs_indexer_report *report,
		 struct cfs_error *err)
{
	int rc;

	for (bool may_cut = true;; may_cut = false) {
		reset(r);
		rc = open_builder(r, err);
		if (rc == CFS_OK)
			rc = cfs_indexer_cut(&r->files, r->threads, may_cut,
					     &r->parts, &r->n_parts,
					     &r->cancel, err);
		if (rc == CFS_OK)
			rc = run_workers(r, err);
		if (rc != CFS_OK || !atomic_load(&r->scans.missed))
			break;
		cfs_log(CFS_LOG_INFO, "a member inside a record was taken for "
			"one of the archive: beginning again");
	}
	if (rc == CFS_OK && cfs_cancelled(r->opts->cancel))
		rc = cfs_error_set(err, CFS_EINTR, "interrupted");
	if (rc == CFS_OK && atomic_load(&r->scans.captures) == 0 &&
	    atomic_load(&r->scans.sides) == 0)
		rc = cfs_error_set(err, CFS_ENOTFOUND,
				   "no page to index in %zu archives",
				   r->files.n);
	r->sum.files = report->files;
	r->sum.files_skipped = report->files_skipped;
	r->sum.input_bytes = r->bytes_total;
	*report = r->sum;
	if (rc == CFS_OK)
		rc = cfs_builder_finish(r->builder, &report->built, err);
	return rc;
}

static int run_on_files(struct run *r, struct cfs_indexer_report *report,
			struct cfs_error *err)
{
	size_t n;
	int rc;

	report->files = r->files.n;
	if (r->files.n == 0)
		return cfs_error_set(err, CFS_ENOTFOUND,
				     "no ARC, WARC, CDX or text file of a crawl to index");
	for (size_t i = 0; i < r->files.n; i++)
		r->bytes_total += r->files.v[i].size;
	rc = collect_names(r, err);
	if (rc != CFS_OK)
		return rc;
	n = r->files.n + r->scans.n_names;
	if (n > UINT32_MAX / 2)
		return cfs_error_set(err, CFS_ELIMIT, "too many archives");
	if (r->files.is_other_base)
		cfs_log(CFS_LOG_WARNING, "%s: archives are named relative to "
			"'%s/', which is not the index's folder: mount it "
			"with -o data=%s/", r->opts->output, r->files.base,
			r->files.base);
	r->is_damaged = calloc(r->files.n, sizeof(*r->is_damaged));
	if (r->is_damaged == NULL || list_archives(r, n) != CFS_OK ||
	    cfs_places_init(&r->places, &r->files) != CFS_OK)
		return cfs_error_nomem(err);
	return build(r, report, err);
}

static struct run *run_new(const struct cfs_indexer_opts *opts)
{
	struct run *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	r->opts = opts;
	r->threads = opts->threads > 0 ? opts->threads : cfs_processors();
	if (r->threads > CFS_POOL_MAX)
		r->threads = CFS_POOL_MAX;
	r->cancel = (struct cfs_cancel){ .asked = should_stop, .arg = r };
	cfs_buf_init(&r->name_text, 2 * CDX_NAMES_MAX);
	r->dir = cfs_folder_of(opts->output);
	r->scans.files = &r->files;
	r->scans.places = &r->places;
	r->scans.format = opts->format;
	r->scans.max_record_bytes = opts->max_record_bytes;
	r->scans.measure = opts->view_bytes;
	r->scans.cancel = &r->cancel;
	pthread_mutex_init(&r->lock, NULL);
	cfs_cond_init(&r->changed);
	return r;
}

static void run_free(struct run *r)
{
	cfs_builder_free(r->builder);
	cfs_places_release(&r->places);
	cfs_strtab_free(r->scans.names);
	cfs_buf_release(&r->name_text);
	cfs_indexer_files_release(&r->files);
	pthread_cond_destroy(&r->changed);
	pthread_mutex_destroy(&r->lock);
	free(r->dir);
	free(r->archives);
	free(r->origins);
	free(r->is_damaged);
	free(r->parts);
	free(r);
}

int cfs_indexer_run(const struct cfs_indexer_opts *opts,
		    struct cfs_indexer_report *report, struct cfs_error *err)
{
	const struct cfs_indexer_inputs in = {
		.v = opts->inputs, .n = opts->n_inputs, .output = opts->output,
		.base = opts->base, .format = opts->format,
		.cancel = opts->cancel };
	struct cfs_indexer_report ignored;
	int64_t from_ms = cfs_monotonic_ms();
	struct run *r = run_new(opts);
	int rc;

	if (report == NULL)
		report = &ignored;
	*report = (struct cfs_indexer_report){ 0 };
	if (r == NULL)
		return cfs_error_nomem(err);
	rc = r->dir == NULL ? cfs_error_nomem(err) :
	     cfs_indexer_list(&r->files, &in, err);
	report->files_skipped = r->files.skipped;
	if (rc == CFS_OK)
		rc = run_on_files(r, report, err);
	run_free(r);
	report->seconds = (double)(cfs_monotonic_ms() - from_ms) / 1e3;
	return rc;
}
