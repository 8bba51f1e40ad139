/* indexer.c - builds an index from many inputs, with as many threads as there
 * are processors.
 *
 * The inputs are listed (indexer_files.h) and cut into parts.  Threads take
 * parts, largest first, and scan them (indexer_scan.h), each feeding the
 * builder.  If a cut turns out to be in the wrong place, the build begins again
 * with whole files.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "indexer.h"

#include <stdlib.h>
#include <string.h>

#include "base/fileio.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/text.h"
#include "format/cdx/stretch.h"
#include "indexer_index.h"
#include "indexer_scan.h"
#include "indexer_wacz.h"
#include "input/local_copy.h"
#include "net/location.h"
#include "record/stretches.h"
#include "parts.h"

/* Smallest stretch: finding a cut takes about as long as scanning some hundred
 * KiB. */
#define PART_MIN ((uint64_t)1 << 20)
/* One part in READ_PART of the memory is for reading archives. */
#define READ_PART 4u
#define CDX_NAMES_MAX ((size_t)256 << 20)
#define PROGRESS_MS 100
#define REASON_BYTES 160u	/* of schemes in the message that no page was
				 * found */
#define NO_FILE UINT32_MAX

struct index_run {
	const struct cfs_indexer_opts *opts;
	struct cfs_indexer_files files;
	struct cfs_parts_cut cut;	/* the files and selections to index:
					 * all, or a part */
	struct cfs_part_about *part;	/* &about; NULL: the index is not a
					 * part */
	struct cfs_part_about about;
	struct cfs_builder *builder;
	struct cfs_grow_archives archives;	/* borrowed by the builder */
	struct cfs_indexer_part *parts;
	size_t n_parts;
	unsigned threads;
	uint64_t bytes_total;
	uint64_t bytes_before;		/* of remote files read for the names of
					 * archives */
	_Atomic uint64_t names_done;	/* of local files read for the names;
					 * they are read again later */
	uint64_t names_total;
	int64_t progress_ms;		/* time of the last report before or
					 * after the workers */
	char *dir;			/* the index's folder; for temporary
					 * files */
	struct cfs_cancel cancel;	/* of the workers */
	struct cfs_indexer_scans scans;
	struct cfs_indexer_selections selections;
	pthread_mutex_t lock;
	uint8_t *marks;			/* enum mark by file; guarded by lock */
	struct cfs_indexer_report sum;	/* guarded by lock */
};

/* Findings in a file; all but the first are logged once per file. */
enum mark { IS_DAMAGED = 1, HAS_NAMELESS = 2, HAS_UNDATED = 4,
	    HAS_LONG_LENGTHS = 8 };

/* ---- progress ---- */

static void report_progress(struct index_run *r, uint64_t merged,
			    uint64_t merge_total)
{
	struct cfs_progress p = {
		.bytes_done = r->bytes_before + atomic_load(&r->scans.bytes),
		.bytes_total = r->bytes_total,
		.captures = atomic_load(&r->scans.captures),
		.merged = merged, .merge_total = merge_total };

	if (p.bytes_done > p.bytes_total)	/* a part was read beyond its
						 * end */
		p.bytes_done = p.bytes_total;
	if (r->opts->progress != NULL)
		r->opts->progress(r->opts->arg, &p);
}

static bool is_time(struct index_run *r)
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

/* Reports the progress of a query, before anything else is read. */
static void on_queried(void *arg, double fraction)
{
	const struct index_run *r = arg;
	struct cfs_progress p = { .is_query = true, .fraction = fraction };

	if (r->opts->progress != NULL)
		r->opts->progress(r->opts->arg, &p);
}

static void on_names_read_here(void *arg, uint64_t bytes)
{
	atomic_fetch_add(&((struct index_run *)arg)->names_done, bytes);
}

static void show_names_progress(void *arg)
{
	const struct index_run *r = arg;
	struct cfs_progress p = { .is_names = true,
		.bytes_done = atomic_load(&r->names_done),
		.bytes_total = r->names_total };

	if (r->opts->progress != NULL)
		r->opts->progress(r->opts->arg, &p);
}

static void on_names_read(void *arg, uint64_t bytes)
{
	struct index_run *r = arg;

	r->bytes_before += bytes;
	if (is_time(r))
		report_progress(r, 0, 0);
}

/* Is this file in our part? */
static bool is_ours(const struct index_run *r, size_t file)
{
	return file >= r->cut.from && file < r->cut.to;
}

/* Is this file in our part, and does it name archives? */
static bool has_names(const struct index_run *r, size_t file)
{
	enum cfs_file_role role = r->files.v[file].role;

	return is_ours(r, file) &&
	       (role == CFS_FILE_CDX || role == CFS_FILE_INDEX);
}

static bool names_are_here(const struct index_run *r, size_t file)
{
	return has_names(r, file) && !r->files.v[file].is_remote;
}

/* ---- the builder ---- */

static bool reads_archives(const struct index_run *r)
{
	for (size_t i = 0; i < r->files.n; i++)
		if (r->files.v[i].role != CFS_FILE_CDX &&
		    r->files.v[i].role != CFS_FILE_INDEX)
			return true;
	return false;
}

static size_t memory_of(const struct index_run *r)
{
	return r->opts->memory_bytes > 0 ? r->opts->memory_bytes :
					   CFS_BUILDER_MEMORY_DEFAULT;
}

static size_t sort_memory(const struct index_run *r)
{
	size_t all = memory_of(r);

	return reads_archives(r) ? all - all / READ_PART : all;
}

/* Where no file can be written, nothing is spilled. */
static void limit_records(struct index_run *r)
{
	if (r->opts->memory != NULL)
		return;
	r->scans.record_bytes = cfs_scan_hold(memory_of(r) / READ_PART,
					      r->threads);
	r->scans.spill_dir = r->dir;
}

/* Are the sizes of revisits found?  These are measured record by record; remote
 * archives are read once.  The originals may be in another part. */
static bool measures_revisits(const struct index_run *r,
			      const struct cfs_builder_opts *o)
{
	const struct cfs_part_about *parts = r->opts->parts;

	for (size_t i = 0; i < r->files.n; i++)
		if (r->files.v[i].is_remote)
			return false;
	if (parts != NULL && (parts->is_remote || o->view_version == 0 ||
			      o->view_version != r->opts->view_version))
		return false;
	return !o->is_part && o->memory == NULL && o->home == NULL &&
	       !cfs_location_is_url(r->files.base);
}

static int open_builder(struct index_run *r, struct cfs_error *err)
{
	const struct cfs_part_about *parts = r->opts->parts;
	const bool is_part = r->part != NULL || r->opts->is_step;
	struct cfs_builder_opts o = {
		.path = r->opts->output,
		.format = r->opts->format,
		.shards = r->opts->shards,
		.memory_bytes = sort_memory(r),
		.threads = r->threads,
		.archives = r->archives.v,
		.origins = r->archives.origins,
		.n_archives = (uint32_t)r->archives.n,
		.inputs = r->opts->indexes, .n_inputs = r->opts->n_indexes,
		.pick = r->opts->pick, .memory = r->opts->memory,
		.keeps_joins = r->opts->memory == NULL &&
			       (!r->opts->no_joins || is_part),
		.part = r->part, .is_part = is_part,
		.may_be_empty = r->opts->may_be_empty,
		.are_parts = parts != NULL,
		.view_version =
			r->opts->view_bytes != NULL ? r->opts->view_version : 0,
		.view_slots = r->opts->view_slots,
		.keeps_languages = cfs_indexer_finds_languages(r->opts),
		.no_lone_annexes = r->opts->pick != NULL ||
				   (parts != NULL && parts->no_lone_annexes),
		.drops_repeats = r->selections.rows != NULL ||
				 (parts != NULL && parts->drops_repeats),
		.with_words = r->opts->with_words,
		.text_version = r->opts->view_version,
		.reader = r->opts->revisits,
		.base = r->files.base,
		.n_at_hand = (uint32_t)r->files.n,
		.cancel = r->opts->cancel,
		.merged = on_merged,
		.arg = r
	};
	int rc;

	if (r->files.n == 0)
		o.home = cfs_indexer_selections_home(&r->selections);
	cfs_builder_warn_no_home(o.format, o.home);
	rc = cfs_grow_choose_home(r->opts, r->files.n > 0 ||
				  r->selections.rows != NULL, &o, err);
	if (measures_revisits(r, &o))
		o.sizer = r->opts->revisits;
	if (rc == CFS_OK)
		rc = cfs_builder_new(&r->builder, &o, err);

	r->scans.builder = r->builder;
	limit_records(r);
	return rc;
}

/* ---- parts ---- */

static int larger_first(const void *a, const void *b)
{
	const struct cfs_indexer_part *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->member != y->member)
		return x->member < y->member ? -1 : 1;
	return x->at.from < y->at.from ? -1 : x->at.from > y->at.from;
}

struct cut_input {
	const struct index_run *r;
	const struct cfs_indexer_file *file;
	const struct cfs_wacz_member *member;	/* or NULL */
};

static int open_to_cut(void *arg, struct cfs_source **out, struct cfs_ctx ctx)
{
	const struct cut_input *c = arg;

	return cfs_indexer_open_part(out, &c->r->files, c->file, c->member,
				     ctx);
}

/* Finds a cut in a file of lines, which are read in blocks. */
static int cut_lines(struct cfs_source *src, uint64_t at, uint64_t *out,
		     struct cfs_ctx ctx)
{
	(void)src;
	(void)ctx;
	*out = at / CFS_STRETCH_BYTES * CFS_STRETCH_BYTES;
	return CFS_OK;
}

/* Cuts a file, or an archive in it, into stretches of about `goal` bytes; 0:
 * one. */
static void indexer_cut(struct index_run *r, uint32_t number,
			const struct cfs_wacz_member *m, uint64_t goal)
{
	struct cut_input c = { r, &r->files.v[number], m };
	struct cfs_stretches s = { .every = goal, .open = open_to_cut,
		.bytes = m != NULL ? m->at.stored : c.file->size, .arg = &c };
	struct cfs_scan_stretch at;

	if (c.file->role == CFS_FILE_CDX)
		s.find = cut_lines;
	while (cfs_stretches_next(&s, &at, CFS_CTX(&r->cancel, NULL)))
		r->parts[r->n_parts++] = (struct cfs_indexer_part){ number, m,
			at, (at.to > 0 ? at.to : s.bytes) - at.from };
	cfs_stretches_release(&s);
}

/* Cuts a file into stretches of about `goal` bytes; 0: it is not cut. */
static void cut_file(struct index_run *r, uint32_t number, uint64_t goal)
{
	const struct cfs_indexer_file *f = &r->files.v[number];
	const struct cfs_wacz_member *m;
	const struct cfs_indexer_cdx lines = { .files = &r->files, .file = f,
		.pick = r->opts->pick, .cancel = &r->cancel };
	size_t at = 0;

	if (goal == 0 || f->is_remote ||
	    (f->role == CFS_FILE_CDX ?
		     f->size <= goal || !cfs_indexer_cdx_can_cut(&lines) :
		     f->role != CFS_FILE_ARCHIVE && f->role != CFS_FILE_WACZ))
		goal = 0;
	if (f->wacz == NULL && !f->is_listed)
		indexer_cut(r, number, NULL, goal);
	while ((m = cfs_indexer_next_member(f, &at)) != NULL)
		indexer_cut(r, number, m, goal);
}

/* The number of parts if nothing is cut. */
static size_t count_whole(const struct index_run *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->files.n; i++) {
		size_t at = 0;

		n += r->files.v[i].wacz == NULL;
		while (cfs_indexer_next_member(&r->files.v[i], &at) != NULL)
			n++;
	}
	return n;
}

/*
 * Cuts those files that `wants` is true for, of `bytes` in all (0: no file is
 * cut), into about four parts per thread, largest first.  Few large
 * files would leave threads idle at the end; many small ones are a part each.
 */
static int cut_files(struct index_run *r,
		     bool (*wants)(const struct index_run *r, size_t file),
		     uint64_t bytes, struct cfs_error *err)
{
	uint64_t goal = bytes / (r->threads * 4) + 1;

	if (goal < PART_MIN)
		goal = PART_MIN;
	if (bytes == 0 || r->threads <= 1)
		goal = 0;
	r->n_parts = 0;
	r->parts = reallocarray(NULL, count_whole(r) + (size_t)r->threads * 4 +
				1, sizeof(*r->parts));
	if (r->parts == NULL)
		return cfs_error_nomem(err);
	for (uint32_t i = 0; i < r->files.n; i++)
		if (wants(r, i))
			cut_file(r, i, goal);
	if (r->n_parts > 0)
		qsort(r->parts, r->n_parts, sizeof(*r->parts), larger_first);
	return CFS_OK;
}

/* ---- archives named in CDX files ---- */

/* Collects names from a file, or a stretch of its lines.  Damage is reported
 * when it is read again, and so is a file that cannot be read. */
static int collect_from(struct index_run *r, const struct cfs_indexer_part *p,
			struct cfs_ctx ctx)
{
	const struct cfs_indexer_file *f = &r->files.v[p->file];
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_indexer_cdx job = { .files = &r->files, .file = f,
		.names = r->scans.names, .pick = r->opts->pick,
		.from = p->at.from, .to = p->at.to, .cancel = ctx.cancel,
		.advanced = f->is_remote ? on_names_read : on_names_read_here,
		.arg = r };
	int rc = (f->role == CFS_FILE_INDEX ? cfs_indexer_index_run :
		  cfs_indexer_cdx_run)(&job, &e);

	return rc == CFS_ENOMEM || rc == CFS_EINTR || rc == CFS_ELIMIT ?
		       cfs_error_pass(ctx.err, &e, rc) : CFS_OK;
}

/* A remote file is fetched and kept; of one in order that is read by ranges of
 * keys, little is, so nothing is kept. */
static int collect_from_remote(struct index_run *r, uint32_t number,
			       struct cfs_error *err)
{
	const struct cfs_indexer_part whole = { .file = number };
	struct cfs_indexer_file *f = &r->files.v[number];

	if (f->role == CFS_FILE_CDX &&
	    (!cfs_indexer_cdx_is_sorted(f->format) ||
	     cfs_pick_places(r->opts->pick) == 0) &&
	    (f->spool = cfs_local_copy_new(r->dir)) == NULL)
		return cfs_error_nomem(err);
	return collect_from(r, &whole, CFS_CTX(r->opts->cancel, err));
}

static int collect_part(void *arg, size_t i, unsigned thread,
			struct cfs_ctx ctx)
{
	struct index_run *r = arg;

	(void)thread;
	return collect_from(r, &r->parts[i], ctx);
}

static int collect_names_here(struct index_run *r, struct cfs_error *err)
{
	struct cfs_pool_calls calls = { .threads = r->threads,
		.one = collect_part, .arg = r, .show = show_names_progress,
		.every_ms = PROGRESS_MS };
	int rc = cut_files(r, names_are_here, r->names_total, err);

	calls.n = r->n_parts;
	if (rc == CFS_OK && calls.n > 0)
		rc = cfs_pool_each(&calls, CFS_CTX(r->opts->cancel, err));
	free(r->parts);
	r->parts = NULL;
	r->n_parts = 0;
	return rc;
}

/* Collects the names of archives in all CDX files, indexes and selections,
 * which the builder must know first. */
static int collect_names(struct index_run *r, struct cfs_error *err)
{
	const struct cfs_indexer_reading report = { on_names_read, on_queried,
						    r };
	struct cfs_strtab *names = cfs_strtab_new(CDX_NAMES_MAX);
	int rc;

	r->scans.names = names;
	if (names == NULL)
		return cfs_error_nomem(err);
	rc = collect_names_here(r, err);
	for (uint32_t i = 0; rc == CFS_OK && i < r->files.n; i++)
		if (has_names(r, i) && r->files.v[i].is_remote)
			rc = collect_from_remote(r, i, err);
	if (rc != CFS_OK)
		return rc;
	rc = cfs_indexer_selections_read(&r->selections, &r->files, r->opts,
					 names, r->dir, &report, err);
	r->threads = cfs_indexer_selections_threads(&r->selections, r->threads);
	r->scans.n_names = cfs_strtab_count(names);
	return rc;
}

/* ---- the workers ---- */

/* Logs something odd the first time it is found in a file. */
static void report_odd(struct index_run *r, uint32_t file, enum mark mark,
		       uint64_t n, uint64_t at, const char *what)
{
	struct cfs_error e = CFS_ERROR_INIT;

	if (n == 0 || (r->marks[file] & mark))
		return;
	r->marks[file] |= mark;
	cfs_error_at(&e, CFS_EFORMAT, r->files.v[file].path, at, "%s", what);
	cfs_log_error(CFS_LOG_WARNING, &e);
}

/* Adds up the findings of a part of a file, or of rows (NO_FILE). */
static void add_tally(struct index_run *r, uint32_t file,
		      const struct cfs_indexer_tally *t)
{
	pthread_mutex_lock(&r->lock);
	if (file != NO_FILE) {
		if (t->damages > 0 && !(r->marks[file] & IS_DAMAGED)) {
			r->marks[file] |= IS_DAMAGED;
			r->sum.files_damaged++;
		}
		if (t->is_unread) {	/* so that an update reads it */
			r->sum.files_refused++;
			r->sum.files_away += r->files.v[file].is_remote;
			cfs_builder_know_archive(r->builder, file, 0, -1);
		}
		r->sum.files_gone += t->is_gone;
		r->files.v[file].has_bad_list |= t->is_bad_list;
		report_odd(r, file, HAS_NAMELESS, t->nameless, t->nameless_at,
			   "a response or conversion without a URI is left "
			   "out");
		report_odd(r, file, HAS_UNDATED, t->undated, t->undated_at,
			   "a record has no valid date: its time is that of "
			   "the date's valid part, or unknown");
		report_odd(r, file, HAS_LONG_LENGTHS, t->long_lengths,
			   t->long_lengths_at, "a record's declared length "
			   "counts what separates records: that is no part of "
			   "its page");
	}
	r->sum.digests[0] += t->digests[0];
	r->sum.digests[1] += t->digests[1];
	r->sum.segments += t->segments;
	r->sum.damages += t->damages;
	r->sum.missing += t->missing;
	r->sum.records += t->records;
	r->sum.not_in_tree += t->not_in_tree;
	cfs_schemes_add(&r->sum.schemes, &t->schemes);
	r->sum.not_archived += t->not_archived;
	r->sum.not_picked += t->not_picked;
	r->sum.nameless += t->nameless;
	r->sum.inflated_bytes += t->inflated;
	pthread_mutex_unlock(&r->lock);
}

/* Reads a part of a file or, behind those, a run of rows. */
static int read_one(void *arg, size_t i, unsigned feeder, struct cfs_ctx ctx)
{
	struct cfs_indexer_tally tally;
	struct index_run *r = arg;
	bool is_part = i < r->n_parts;
	int rc = is_part ?
		 cfs_indexer_scan(&r->scans, feeder, &r->parts[i], &tally,
				  ctx) :
		 cfs_indexer_selections_add(&r->selections, i - r->n_parts,
					    &r->scans, feeder, &tally, ctx);

	add_tally(r, is_part ? r->parts[i].file : NO_FILE, &tally);
	return rc;
}

static void show_progress(void *arg)
{
	report_progress(arg, 0, 0);
}

static int run_workers(struct index_run *r, struct cfs_error *err)
{
	const struct cfs_pool_calls calls = { .threads = r->threads,
		.n = r->n_parts + cfs_indexer_selections_runs(&r->selections),
		.one = read_one, .arg = r, .show = show_progress,
		.every_ms = PROGRESS_MS };
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = cfs_pool_each(&calls, CFS_CTX(&r->cancel, &e));

	if (rc == CFS_OK || atomic_load(&r->scans.missed))
		return CFS_OK;
	return cfs_error_pass(err, &e, rc);
}

/* ---- the whole ---- */

static bool should_stop(void *arg)
{
	struct index_run *r = arg;

	return atomic_load_explicit(&r->scans.missed, memory_order_relaxed) ||
	       cfs_cancelled(r->opts->cancel);
}

/* Undoes the previous attempt. */
static void reset(struct index_run *r)
{
	cfs_builder_free(r->builder);
	r->builder = NULL;
	free(r->parts);
	r->parts = NULL;
	for (size_t i = 0; i < r->files.n; i++)
		r->marks[i] &= (uint8_t)~IS_DAMAGED;
	r->sum = (struct cfs_indexer_report){ 0 };
	atomic_store(&r->scans.missed, false);
	atomic_store(&r->scans.bytes, 0);
	atomic_store(&r->scans.captures, 0);
	atomic_store(&r->scans.annexes, 0);
}

/* Fails if no page with a place was found.  The message counts the others. */
static int need_page(const struct index_run *r, struct cfs_error *err)
{
	bool has_any = atomic_load(&r->scans.captures) > 0 ||
		       atomic_load(&r->scans.annexes) > 0;
	char archives[CFS_TEXT_COUNT_BYTES];
	CFS_BUF(why, sizeof(err->text));

	cfs_schemes_reason(&r->sum.schemes, REASON_BYTES, &why);
	if (!cfs_builder_is_empty(r->builder, &why) && has_any)
		return CFS_OK;
	return cfs_error_set(err, CFS_ENOTFOUND, "no page to index in %s%s",
			     cfs_text_count(r->files.n, "archive", archives),
			     cfs_buf_str(&why));
}

/* Archives on servers are missing: is the index made all the same, and where?
 * CFS_EIO: there is none. */
static int settle_away(struct index_run *r, struct cfs_error *err)
{
	const char *unfinished = r->opts->unfinished;
	bool any = atomic_load(&r->scans.captures) > 0 ||
		   r->files.n_indexed > 0;
	char archives[CFS_TEXT_COUNT_BYTES];

	if (unfinished != NULL && any)
		return cfs_builder_redirect(r->builder, unfinished, err);
	if (unfinished == NULL && !r->opts->needs_all)
		return CFS_OK;
	return cfs_error_set(err, CFS_EIO, "%s could not be read: there is no "
			     "index", cfs_text_count(r->files.away +
						     r->sum.files_away,
						     "archive", archives));
}

static int build(struct index_run *r, struct cfs_error *err)
{
	char records[CFS_TEXT_COUNT_BYTES];
	bool may_cut = true;
	uint64_t more;
	int rc;

	for (;;) {
		reset(r);
		rc = open_builder(r, err);
		if (rc == CFS_OK)
			rc = cut_files(r, is_ours, may_cut ? r->bytes_total : 0,
				       err);
		if (rc == CFS_OK)
			rc = run_workers(r, err);
		if (rc != CFS_OK)
			break;
		more = cfs_indexer_leave_lists(&r->files);
		r->bytes_total += more;
		if (more > 0)
			continue;
		if (atomic_load(&r->scans.missed)) {
			may_cut = false;
			cfs_log(CFS_LOG_INFO,
				"a member inside a record was "
				"taken for one of the archive: beginning again");
		} else if (!cfs_pick_settle(r->opts->pick)) {
			break;
		}
	}
	if (rc == CFS_OK && cfs_cancelled(r->opts->cancel))
		rc = cfs_error_set(err, CFS_EINTR, "interrupted");
	if (rc == CFS_OK && r->files.away + r->sum.files_away > 0)
		rc = settle_away(r, err);
	if (rc == CFS_OK && r->part == NULL && r->opts->n_indexes == 0 &&
	    !r->opts->may_be_empty)
		rc = need_page(r, err);
	if (rc == CFS_OK)
		rc = cfs_builder_finish(r->builder, &r->sum.built, err);
	if (r->part != NULL || r->opts->is_step)	/* other parts may have
							 * what is missing */
		r->sum.built.incomplete = r->sum.built.lone_segments = 0;
	if (rc == CFS_OK && r->sum.built.incomplete > 0)
		cfs_log(CFS_LOG_WARNING, "%s in segments, of which some are "
			"missing: what there is of it is served",
			cfs_text_count(r->sum.built.incomplete, "record",
				       records));
	if (rc == CFS_OK && r->part == NULL)
		cfs_indexer_warn_of_required(&r->files, r->opts);
	return rc;
}

/* ---- building a part of an index ---- */

/* Removes the selections of other parts. */
static void keep_selections(struct cfs_indexer_files *f,
			    const struct cfs_parts_cut *cut)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n_selections; i++) {
		if (f->n + i >= cut->from && f->n + i < cut->to)
			f->selections[n++] = f->selections[i];
		else
			free(f->selections[i].location);
	}
	f->n_selections = n;
}

/* Does this part exist already?  CFS_EUSAGE: the file is another part. */
static int look_for_part(const struct index_run *r, bool *is_there,
			 struct cfs_error *err)
{
	const struct cfs_indexer_opts *o = r->opts;
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_merge_input in = { .location = NULL };
	struct cfs_part_about a;
	int rc = o->is_again ? CFS_ENOTFOUND :
		 cfs_parts_open(&in, o->output, "", &a,
			       CFS_CTX(o->cancel, &e));

	cfs_merge_input_close(&in);
	*is_there = rc == CFS_OK;
	if (rc == CFS_EFORMAT || rc == CFS_EUNSUPPORTED) {
		cfs_log_error(CFS_LOG_WARNING, &e);
		cfs_log(CFS_LOG_WARNING, "%s: is made again", o->output);
	}
	if (rc != CFS_OK)
		return CFS_OK;	/* writing will report what is wrong */
	if (a.part.k == o->part.k && a.part.n == o->part.n &&
	    a.seal == r->cut.seal)
		return CFS_OK;
	return cfs_error_set(err, CFS_EUSAGE, "'%s' is a part of other inputs, "
			     "or made with other options: --force makes it "
			     "again", o->output);
}

/* Sets what the part says of itself. */
static void describe(struct index_run *r)
{
	const struct cfs_indexer_opts *o = r->opts;

	r->part = &r->about;
	r->about = (struct cfs_part_about){
		.part = o->part, .seal = r->cut.seal, .below = r->files.base,
		.no_lone_annexes = o->pick != NULL,
		.drops_repeats = r->selections.rows != NULL,
		.has_base = o->base != NULL,
		.is_other_base = r->files.is_other_base || r->files.is_web_base,
		.view_slots = o->view_slots };
	for (size_t i = 0; i < r->files.n; i++)
		r->about.is_remote |= r->files.v[i].is_remote;
}

/* ---- all of it ---- */

static int run_on_files(struct index_run *r, struct cfs_error *err)
{
	int rc;

	if (r->files.n == 0 && r->files.n_selections == 0 &&
	    r->opts->sql == NULL &&
	    (r->opts->n_indexes == 0 ||
	     (r->opts->n_inputs > 0 && !r->opts->is_update)))
		return cfs_error_at(err, CFS_ENOTFOUND,
				    r->opts->n_inputs > 0 ?
					    r->opts->inputs[0] : "", 0,
				    "no ARC, WARC, CDX or text file of a crawl "
				    "to index, and no selection");
	if (r->opts->part.n > 0)
		keep_selections(&r->files, &r->cut);
	for (size_t i = 0; i < r->files.n_selections; i++)
		r->bytes_total += r->files.selections[i].size;
	for (size_t i = 0; i < r->files.n; i++) {
		const struct cfs_indexer_file *f = &r->files.v[i];

		if (!is_ours(r, i))
			continue;
		r->bytes_total += cfs_indexer_work_bytes(f);
		if (f->role == CFS_FILE_CDX && !f->is_remote)
			r->names_total += f->size;
	}
	rc = collect_names(r, err);
	if (rc != CFS_OK)
		return rc;
	/* an update has found by their names what it has of them */
	if (r->files.is_other_base && r->opts->n_indexes > 0 &&
	    !r->opts->is_update)
		return cfs_error_set(err, CFS_EUSAGE, "some archives are not "
				     "below '%s/': give a --base=FOLDER that "
				     "all of them and the indexes are below",
				     r->files.asked_base);
	if (r->opts->part.n == 0)
		cfs_indexer_warn_of_base(&r->files, r->opts->shown != NULL ?
					 r->opts->shown : r->opts->output);
	rc = cfs_grow_leave_out_unused(r->opts, r->dir, err);
	if (rc != CFS_OK)
		return rc;
	r->marks = calloc(r->files.n + 1, sizeof(*r->marks));
	r->scans.logged = calloc(r->files.n + 1, sizeof(*r->scans.logged));
	if (r->marks == NULL || r->scans.logged == NULL)
		return cfs_error_nomem(err);
	rc = cfs_grow_archives(r->opts, &r->files, &r->cut, r->scans.names,
			       &r->archives, err);
	if (r->opts->part.n > 0)
		describe(r);
	return rc == CFS_OK ? build(r, err) : rc;
}

static struct index_run *run_new(const struct cfs_indexer_opts *opts)
{
	struct index_run *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	r->opts = opts;
	r->threads = opts->threads > 0 ? opts->threads : cfs_processors();
	if (r->threads > CFS_POOL_MAX)
		r->threads = CFS_POOL_MAX;
	r->cancel = (struct cfs_cancel){ .asked = should_stop,
					 .arg = r };
	r->dir = cfs_folder_of(opts->output);
	r->scans.files = &r->files;
	r->scans.opts = opts;
	pthread_mutex_init(&r->lock, NULL);
	return r;
}

static void run_free(struct index_run *r)
{
	cfs_builder_free(r->builder);
	cfs_indexer_selections_release(&r->selections);
	cfs_strtab_free(r->scans.names);
	cfs_indexer_files_release(&r->files);
	pthread_mutex_destroy(&r->lock);
	free(r->dir);
	free(r->archives.v);
	free(r->archives.origins);
	free(r->marks);
	free(r->scans.logged);
	free(r->parts);
	free(r);
}

/* Finds the files that need not be read again.  *is_current: all of them.
 * CFS_EUNSUPPORTED if an update cannot tell. */
static int compare(struct index_run *r, bool *is_current, struct cfs_error *err)
{
	const struct cfs_indexer_opts *o = r->opts;

	if (o->n_indexes == 0)
		return CFS_OK;
	if (o->is_update && !cfs_grow_can_update(o, &r->files))
		return cfs_error_set(err, CFS_EUNSUPPORTED, "not all inputs "
				     "are archives");
	return cfs_grow_compare(o, &r->files, is_current, err);
}

int cfs_indexer_run(const struct cfs_indexer_opts *opts,
		    struct cfs_indexer_report *report, struct cfs_error *err)
{
	int64_t from_ms = cfs_monotonic_ms();
	struct index_run *r = run_new(opts);
	bool is_there = false;
	int rc;

	if (report != NULL)
		*report = (struct cfs_indexer_report){ 0 };
	if (r == NULL)
		return cfs_error_nomem(err);
	if (opts->memory == NULL)
		cfs_replacement_sweep(opts->output);
	rc = r->dir == NULL ? cfs_error_nomem(err) :
	     cfs_indexer_list(&r->files, opts, err);
	if (rc == CFS_OK)
		rc = compare(r, &r->sum.is_current, err);
	r->cut.to = r->files.n + r->files.n_selections;
	if (rc == CFS_OK && opts->part.n > 0) {
		cfs_parts_find(&r->files, opts, &r->cut);
		rc = look_for_part(r, &is_there, err);
	}
	if (r->sum.is_current && opts->with_words)
		r->sum.is_current = opts->indexes[0].words != NULL;
	if (r->sum.is_current && strcmp(opts->update_of, opts->output) == 0)
		is_there = true;
	if (rc == CFS_OK && !is_there)
		rc = run_on_files(r, err);
	r->sum.files_current = r->files.n_indexed;
	r->sum.is_there = is_there;
	r->sum.files = r->cut.to - r->cut.from;
	if (r->selections.rows != NULL) {
		const struct cfs_selection_counts *c =
			cfs_selection_rows_counts(r->selections.rows);

		r->sum.damages += c->damages;
		r->sum.files_damaged += c->tables_damaged;
	}
	r->sum.files_skipped = r->files.skipped;
	r->sum.files_refused += r->files.unread;
	r->sum.files_away += r->files.away;
	r->sum.files_gone += r->files.gone;
	if (cfs_grow_is_cheap(opts, &r->files))
		r->sum.files_unread = r->sum.files_refused;
	r->sum.is_other_base = r->files.is_other_base || r->files.is_web_base;
	r->sum.input_bytes = r->bytes_total;
	r->sum.seconds = (double)(cfs_monotonic_ms() - from_ms) / 1e3;
	if (report != NULL)
		*report = r->sum;
	run_free(r);
	return rc;
}
