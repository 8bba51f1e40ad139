/* indexer.c - many archives into one index, with as many threads as there
 * are processors.
 *
 * The work is cut into parts: a file, or a stretch of a large gzip file.
 * Threads take parts, largest first, walk them (scan.c) and feed the builder.
 * A stretch begins at a member that inflates to a record, which might be a
 * member inside another record: the part before it must end exactly there.
 * If one does not, all is begun again without cutting files.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "indexer.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "indexer_cdx.h"
#include "indexer_files.h"
#include "indexer_sides.h"
#include "record/seqfile.h"
#include "net/location.h"

/* Stretches are not made shorter than this. */
#define PART_MIN ((uint64_t)16 << 20)
#define CDX_NAMES_MAX ((size_t)256 << 20)
#define PROGRESS_MS 100
#define THREADS_MAX 256u

struct part {
	uint32_t file;
	uint64_t from, to;	/* both 0: all of it */
	uint64_t bytes;
};

struct run {
	const struct cfs_indexer_opts *opts;
	struct cfs_indexer_files files;
	struct cfs_places places;
	struct cfs_builder *builder;
	struct cfs_builder_archive *archives;	/* borrowed by the builder */
	struct cfs_strtab *names;	/* of archives in CDX files, numbered
					 * from files.n on */
	struct cfs_buf name_text;	/* the same, NUL behind each */
	uint32_t n_names;
	struct cfs_builder_origin *origins;	/* likewise */
	struct part *parts;
	size_t n_parts;
	unsigned threads;
	bool may_cut;
	uint64_t bytes_total;
	uint64_t bytes_before;		/* read for the names of archives */
	char *dir;			/* of the index; for temporary files */
	bool *is_damaged;		/* by file; guarded by lock */
	pthread_mutex_t lock;
	pthread_cond_t changed;		/* a worker ended */
	size_t next;			/* part; guarded by lock */
	unsigned working;		/* guarded by lock */
	int rc;				/* first failure; guarded by lock */
	struct cfs_error error;		/* guarded by lock */
	struct cfs_indexer_report sum;	/* guarded by lock */
	struct cfs_cancel cancel;
	atomic_bool stop;		/* a worker failed */
	atomic_bool missed;		/* a cut was in the wrong place */
	atomic_uint_least64_t bytes_done, captures, sides;
	struct timespec last_progress;	/* while there are no workers */
};

struct worker {
	struct run *run;
	pthread_t thread;
	unsigned feeder;
	const struct part *part;
	struct cfs_seq_head seq;	/* of a SequenceFile */
	uint64_t records, not_in_tree, not_archived, damages, inflated;
	int rc;
	struct cfs_error error;
};

/* ---- progress ---- */

static void tell(struct run *r, uint64_t merged, uint64_t merge_total)
{
	struct cfs_indexer_progress p = {
		.bytes_done = r->bytes_before + atomic_load(&r->bytes_done),
		.bytes_total = r->bytes_total,
		.captures = atomic_load(&r->captures),
		.merged = merged, .merge_total = merge_total };

	if (p.bytes_done > p.bytes_total)	/* a part went past its end */
		p.bytes_done = p.bytes_total;
	if (r->opts->progress != NULL)
		r->opts->progress(r->opts->arg, &p);
}

static bool is_time(struct run *r)
{
	struct timespec now;
	int64_t ms;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ms = (now.tv_sec - r->last_progress.tv_sec) * 1000 +
	     (now.tv_nsec - r->last_progress.tv_nsec) / 1000000;
	if (ms < PROGRESS_MS)
		return false;
	r->last_progress = now;
	return true;
}

static void on_merged(void *arg, uint64_t done, uint64_t total)
{
	if (is_time(arg) || done >= total)
		tell(arg, done, total);
}

static void on_names_read(void *arg, uint64_t bytes)
{
	struct run *r = arg;

	r->bytes_before += bytes;
	if (is_time(r))
		tell(r, 0, 0);
}


/* ---- one record ---- */

static bool kind_of(const struct cfs_record *r, enum cfs_kind *kind)
{
	switch (r->type) {
	case CFS_RECORD_ARC: *kind = CFS_KIND_ARC; return true;
	case CFS_RECORD_RESPONSE: *kind = CFS_KIND_RESPONSE; return true;
	case CFS_RECORD_RESOURCE: *kind = CFS_KIND_RESOURCE; return true;
	case CFS_RECORD_REVISIT: *kind = CFS_KIND_REVISIT; return true;
	case CFS_RECORD_CONVERSION: *kind = CFS_KIND_CONVERSION; return true;
	default: return false;
	}
}

static bool is_web(struct cfs_slice url)
{
	return cfs_slice_starts_nocase(url, CFS_SLICE_LIT("http:")) ||
	       cfs_slice_starts_nocase(url, CFS_SLICE_LIT("https:")) ||
	       cfs_slice_starts_nocase(url, CFS_SLICE_LIT("ftp:"));
}

static int add_side(struct worker *w, const struct cfs_builder_side *side)
{
	atomic_fetch_add_explicit(&w->run->sides, 1, memory_order_relaxed);
	return cfs_builder_add_side(w->run->builder, w->feeder, side,
				    &w->error);
}

/* A record of a WAT file, which says something of another record. */
static bool is_wat(struct worker *w, const struct cfs_scan_item *item,
		   struct cfs_builder_side *side)
{
	if (w->run->opts->format == CFS_INDEX_PBTREE ||
	    !cfs_side_of_wat(item->record, side) || !is_web(side->url))
		return false;
	side->archive = w->part->file;
	side->offset = item->offset;
	side->length = item->length;
	side->inner_offset = item->inner_offset;
	side->inner_length = item->inner_length;
	return true;
}

static int measure_views(struct worker *w, const struct cfs_scan_item *item,
			 struct cfs_builder_capture *c)
{
	const struct cfs_indexer_opts *o = w->run->opts;
	int rc;

	if (o->view_bytes == NULL || c->kind == CFS_KIND_REVISIT)
		return CFS_OK;
	rc = o->view_bytes(item, w->run->files.v[c->archive].name,
			   &c->meta_bytes, &c->text_bytes, &w->run->cancel,
			   &w->error);
	c->has_view_bytes = rc == CFS_OK;
	if (rc != CFS_ELIMIT)
		return rc;
	cfs_error_clear(&w->error);	/* a mount will say so, too */
	return CFS_OK;
}

bool cfs_indexer_capture(const struct cfs_scan_item *item,
			 struct cfs_builder_capture *c)
{
	const struct cfs_record *r = item->record;

	*c = (struct cfs_builder_capture){
		.url = r->url, .time = r->time, .status = (uint16_t)r->status,
		.mime = r->mime,
		.offset = item->offset, .length = item->length,
		.inner_offset = item->inner_offset,
		.inner_length = item->inner_length,
		.body_bytes = r->body.n, .body_is_exact = true,
		.record_id = CFS_SLICE_EMPTY, .digest = CFS_SLICE_EMPTY,
		.refers_to = CFS_SLICE_EMPTY,
	};
	if (!kind_of(r, &c->kind) || !is_web(r->url))
		return false;
	if (r->format != CFS_ARCHIVE_WARC)
		return true;
	c->record_id = cfs_record_id(r);
	c->digest = cfs_record_digest(r);
	if (r->type == CFS_RECORD_REVISIT) {
		c->refers_to = cfs_record_refers_to(r);
		c->body_is_exact = false;	/* that of another */
		c->body_bytes = 0;
	} else if (cfs_side_is_wet(r)) {
		c->refers_to = cfs_record_refers_to(r);
	}
	return true;
}

static int on_record(void *arg, const struct cfs_scan_item *item)
{
	struct cfs_builder_capture c;
	struct cfs_builder_side side;
	struct worker *w = arg;
	const struct cfs_indexer_file *f = &w->run->files.v[w->part->file];
	int rc;

	w->records++;
	if (is_wat(w, item, &side))
		return add_side(w, &side);
	if (!cfs_indexer_capture(item, &c) ||
	    /* a PB-tree has no way to say that */
	    (w->run->opts->format == CFS_INDEX_PBTREE &&
	     item->inner_length > 0)) {
		w->not_in_tree++;
		return CFS_OK;
	}
	c.archive = w->part->file;
	c.pb_segment = f->pb_segment;
	c.pb_date_ms = f->pb_date_ms;
	c.pb_partition = f->pb_partition;
	rc = measure_views(w, item, &c);
	if (rc != CFS_OK)
		return rc;
	atomic_fetch_add_explicit(&w->run->captures, 1, memory_order_relaxed);
	return cfs_builder_add(w->run->builder, w->feeder, &c, &w->error);
}

static void on_damage(void *arg, const struct cfs_error *what)
{
	struct worker *w = arg;

	w->damages++;
	cfs_log_error(CFS_LOG_WARNING, what);
}

/* A text or metadata of 2012: key and value are Text. */
static int on_pair(void *arg, const struct cfs_seq_item *item)
{
	struct worker *w = arg;
	const struct cfs_indexer_file *f = &w->run->files.v[w->part->file];
	struct cfs_builder_side side = {
		.container = CFS_SIDE_SEQFILE, .archive = w->part->file,
		.offset = item->offset, .length = item->length,
		.inner_offset = item->number, .refers_to = CFS_SLICE_EMPTY };
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_slice value;

	w->records++;
	if (!cfs_seq_unwrap(w->seq.key_class, item->key, &side.url) ||
	    !cfs_seq_unwrap(w->seq.value_class, item->value, &value)) {
		cfs_error_at(&e, CFS_EFORMAT, f->path, item->offset,
			     "pair %u is no text", item->number);
		on_damage(w, &e);
		return CFS_OK;
	}
	side.bytes = value.n;
	if (f->role == CFS_FILE_TEXT) {
		side.time = cfs_side_file_time(f);
		side.status = 200;	/* no other has a text */
	} else if (!cfs_side_of_2012(value, &w->run->places, f, &side)) {
		w->not_archived++;
		return CFS_OK;
	}
	if (!is_web(side.url)) {
		w->not_in_tree++;
		return CFS_OK;
	}
	return add_side(w, &side);
}

static void on_advance(void *arg, uint64_t bytes)
{
	struct worker *w = arg;

	atomic_fetch_add_explicit(&w->run->bytes_done, bytes,
				  memory_order_relaxed);
}

/* ---- one part ---- */

static bool is_fatal(const struct worker *w, int rc)
{
	/* what the builder says ends the run, what a file says does not */
	return rc == CFS_ENOMEM || rc == CFS_EINTR || rc == CFS_EUSAGE ||
	       w->error.code != CFS_OK ||
	       /* half of an archive would be taken for all of it */
	       (w->run->files.v[w->part->file].is_remote &&
		(rc == CFS_EIO || rc == CFS_ETIMEOUT || rc == CFS_ECHANGED));
}

static void add_up(struct worker *w, bool is_bad)
{
	struct run *r = w->run;

	pthread_mutex_lock(&r->lock);
	if ((w->damages > 0 || is_bad) && !r->is_damaged[w->part->file]) {
		r->is_damaged[w->part->file] = true;
		r->sum.files_damaged++;
	}
	r->sum.damages += w->damages + is_bad;
	r->sum.records += w->records;
	r->sum.not_in_tree += w->not_in_tree;
	r->sum.not_archived += w->not_archived;
	r->sum.inflated_bytes += w->inflated;
	pthread_mutex_unlock(&r->lock);
	w->damages = w->records = w->inflated = 0;
	w->not_in_tree = w->not_archived = 0;
}

/* A SequenceFile. */
static int do_pairs(struct worker *w, struct cfs_source *src,
		    struct cfs_error *err)
{
	struct cfs_seq_opts opts = { .damaged = on_damage,
		.advanced = on_advance, .cancel = &w->run->cancel, .arg = w };
	struct cfs_seq_counts counts = { 0 };
	int rc = cfs_seq_head_read(src, &w->seq, &w->run->cancel, err);

	if (rc == CFS_OK)
		rc = cfs_seq_scan(src, &opts, on_pair, &counts, err);
	w->inflated = counts.inflated_bytes;
	return rc;
}

/* ---- CDX files ---- */

static int on_cdx_capture(void *arg, struct cfs_builder_capture *c)
{
	struct worker *w = arg;
	struct run *r = w->run;

	w->records++;
	if (!is_web(c->url)) {
		w->not_in_tree++;
		return CFS_OK;
	}
	if (c->archive >= r->n_names) {	/* the file has changed meanwhile */
		w->damages++;
		return CFS_OK;
	}
	c->archive += (uint32_t)r->files.n;
	atomic_fetch_add_explicit(&r->captures, 1, memory_order_relaxed);
	return cfs_builder_add(r->builder, w->feeder, c, &w->error);
}

static void on_cdx_damage(void *arg, const struct cfs_error *what)
{
	struct worker *w = arg;

	(void)what;		/* was told */
	w->damages++;
}

static int do_cdx(struct worker *w, struct cfs_error *err)
{
	struct cfs_indexer_cdx job = {
		.file = &w->run->files.v[w->part->file],
		.names = w->run->names, .cancel = &w->run->cancel,
		.capture = on_cdx_capture, .damaged = on_cdx_damage,
		.advanced = on_advance, .arg = w };
	struct cfs_buf at;
	int rc;

	cfs_buf_init(&at, 4 * CFS_LOCATION_MAX);
	cfs_indexer_location(&w->run->files, job.file, &at);
	job.location = cfs_buf_str(&at);
	rc = cfs_indexer_cdx_run(&job, err);
	cfs_buf_release(&at);
	return rc;
}

/* A remote file is fetched here. */
static int collect_from(struct run *r, struct cfs_indexer_file *f,
			struct cfs_error *err)
{
	struct cfs_indexer_cdx job = { .file = f, .names = r->names,
		.cancel = r->opts->cancel, .advanced = on_names_read,
		.arg = r };
	struct cfs_buf at;
	int rc;

	if (f->is_remote && (f->spool = cfs_spool_new(r->dir)) == NULL)
		return CFS_ENOMEM;
	cfs_buf_init(&at, 4 * CFS_LOCATION_MAX);
	cfs_indexer_location(&r->files, f, &at);
	job.location = cfs_buf_str(&at);
	rc = cfs_indexer_cdx_run(&job, err);
	cfs_buf_release(&at);
	return rc;
}

/* The names of archives in all CDX files, before the builder wants to know
 * them.  What cannot be read is told when its lines are. */
static int collect_names(struct run *r, struct cfs_error *err)
{
	int rc = CFS_OK;

	r->names = cfs_strtab_new(CDX_NAMES_MAX);
	if (r->names == NULL)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	for (size_t i = 0; i < r->files.n; i++) {
		struct cfs_error e = CFS_ERROR_INIT;

		if (r->files.v[i].role != CFS_FILE_CDX)
			continue;
		rc = collect_from(r, &r->files.v[i], &e);
		if (rc == CFS_ENOMEM || rc == CFS_EINTR || rc == CFS_ELIMIT)
			return cfs_error_at(err, rc, e.where, e.offset, "%s",
					    e.text);
	}
	r->n_names = cfs_strtab_count(r->names);
	for (uint32_t i = 0; i < r->n_names; i++) {
		cfs_buf_add(&r->name_text, cfs_strtab_get(r->names, i));
		cfs_buf_addc(&r->name_text, '\0');
	}
	rc = r->name_text.failed;
	return rc == CFS_OK ? rc : cfs_error_set(err, rc, "out of memory");
}

/* Adds them to the archives of the builder. */
static void add_names(const struct run *r, struct cfs_builder_archive *a)
{
	const char *name = (const char *)r->name_text.p;

	for (uint32_t i = 0; i < r->n_names; i++) {
		a[i] = (struct cfs_builder_archive){ .name = name };
		name += strlen(name) + 1;
	}
}

/* An archive, or a stretch of one. */
static int do_records(struct worker *w, struct cfs_source *src,
		      struct cfs_error *err)
{
	struct run *r = w->run;
	struct cfs_scan_opts opts = {
		.max_record_bytes = r->opts->max_record_bytes,
		.damaged = on_damage, .advanced = on_advance,
		.cancel = &r->cancel, .arg = w,
		.from = w->part->from, .to = w->part->to };
	struct cfs_scan_counts counts = { 0 };
	int rc = cfs_scan_archive(src, &opts, on_record, &counts, err);

	w->inflated = counts.inflated_bytes;
	if (counts.missed_end)
		atomic_store(&r->missed, true);
	if (counts.one_big_member)
		cfs_log(CFS_LOG_WARNING, "%s: many records share a gzip member: "
			"reading one inflates all before it", src->name);
	return rc;
}

static int do_part(struct worker *w)
{
	struct run *r = w->run;
	const struct cfs_indexer_file *f = &r->files.v[w->part->file];
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_source *src = NULL;
	int rc = CFS_OK;

	if (f->role != CFS_FILE_CDX)
		rc = cfs_indexer_open_input(&src, &r->files, f, &r->cancel, &e);
	if (rc == CFS_OK)
		rc = f->role == CFS_FILE_ARCHIVE ? do_records(w, src, &e) :
		     f->role == CFS_FILE_CDX ? do_cdx(w, &e) :
					       do_pairs(w, src, &e);
	cfs_source_close(src);
	add_up(w, rc != CFS_OK && !is_fatal(w, rc));
	if (rc == CFS_OK)
		return CFS_OK;
	if (is_fatal(w, rc)) {
		if (w->error.code == CFS_OK)
			w->error = e;
		return rc;
	}
	cfs_error_where(&e, f->path, 0);
	cfs_log_error(CFS_LOG_WARNING, &e);
	return CFS_OK;
}

static const struct part *take_part(struct run *r)
{
	const struct part *p = NULL;

	pthread_mutex_lock(&r->lock);
	if (r->next < r->n_parts && r->rc == CFS_OK)
		p = &r->parts[r->next++];
	pthread_mutex_unlock(&r->lock);
	return p;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct run *r = w->run;

	while (w->rc == CFS_OK && !atomic_load(&r->missed) &&
	       (w->part = take_part(r)) != NULL)
		w->rc = do_part(w);
	pthread_mutex_lock(&r->lock);
	if (w->rc != CFS_OK && r->rc == CFS_OK) {
		r->rc = w->rc;
		r->error = w->error;
		atomic_store(&r->stop, true);
	}
	r->working--;
	pthread_cond_signal(&r->changed);
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

/* ---- cutting ---- */

static int larger_first(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

/* Cuts a file into `want` stretches, or as many as can be. */
static size_t cut_file(struct run *r, uint32_t file, size_t want,
		       struct part *out)
{
	const struct cfs_indexer_file *f = &r->files.v[file];
	struct cfs_source *src = NULL;
	uint64_t from = 0, at;
	size_t n = 0;

	if (want > 1 && cfs_source_open_file(&src, f->path, NULL) == CFS_OK) {
		for (size_t i = 1; i < want; i++) {
			uint64_t goal = f->size / want * i;

			if (goal <= from ||
			    cfs_scan_split(src, goal, &at, &r->cancel, NULL) !=
			    CFS_OK || at >= f->size)
				break;
			out[n++] = (struct part){ file, from, at, at - from };
			from = at;
		}
	}
	out[n++] = (struct part){ file, from, from > 0 ? f->size : 0,
				  f->size - from };
	cfs_source_close(src);
	return n;
}

/* About four parts a thread where few large files would leave threads idle
 * at the end; else a file a part. */
static int make_parts(struct run *r, struct cfs_error *err)
{
	uint64_t goal = r->bytes_total / (r->threads * 4) + 1;
	size_t max = r->files.n + (size_t)r->threads * 4 + 1, bytes;

	if (goal < PART_MIN)
		goal = PART_MIN;
	if (!cfs_size_mul(max, sizeof(*r->parts), &bytes) ||
	    (r->parts = malloc(bytes)) == NULL)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	r->n_parts = 0;
	for (uint32_t i = 0; i < r->files.n; i++) {
		bool may = r->may_cut && r->threads > 1 &&
			   r->files.v[i].role == CFS_FILE_ARCHIVE &&
			   !r->files.v[i].is_remote;
		uint64_t want = may ?
				r->files.v[i].size / goal : 1;

		r->n_parts += cut_file(r, i, want > 0 ? (size_t)want : 1,
				       r->parts + r->n_parts);
	}
	qsort(r->parts, r->n_parts, sizeof(*r->parts), larger_first);
	return CFS_OK;
}

/* ---- the workers ---- */

/* Waits for the workers, telling how far they are. */
static void wait_for_workers(struct run *r)
{
	struct timespec t;

	pthread_mutex_lock(&r->lock);
	while (r->working > 0) {
		clock_gettime(CLOCK_MONOTONIC, &t);
		t.tv_nsec += PROGRESS_MS * 1000000;
		if (t.tv_nsec >= 1000000000) {
			t.tv_sec++;
			t.tv_nsec -= 1000000000;
		}
		pthread_cond_timedwait(&r->changed, &r->lock, &t);
		pthread_mutex_unlock(&r->lock);
		tell(r, 0, 0);
		pthread_mutex_lock(&r->lock);
	}
	pthread_mutex_unlock(&r->lock);
}

/* ---- the whole ---- */

static bool should_stop(void *arg)
{
	struct run *r = arg;

	return atomic_load_explicit(&r->stop, memory_order_relaxed) ||
	       atomic_load_explicit(&r->missed, memory_order_relaxed) ||
	       cfs_cancelled(r->opts->cancel);
}

static int fill_origins(struct run *r)
{
	free(r->origins);
	r->origins = calloc(r->files.n + r->n_names, sizeof(*r->origins));
	for (size_t i = 0; r->origins != NULL && i < r->files.n; i++)
		r->origins[i] = (struct cfs_builder_origin){
			r->files.v[i].folder, r->files.v[i].partition_1 };
	return r->origins != NULL ? CFS_OK : CFS_ENOMEM;
}

static int open_builder(struct run *r, struct cfs_error *err)
{
	size_t n = r->files.n + r->n_names;
	struct cfs_builder_archive *a = calloc(n, sizeof(*a));
	struct cfs_builder_opts o = {
		.path = r->opts->output, .format = r->opts->format,
		.memory_bytes = r->opts->memory_bytes, .threads = r->threads,
		.archives = a, .n_archives = (uint32_t)n,
		.view_code = r->opts->view_bytes != NULL ? r->opts->view_code : 0,
		.cancel = r->opts->cancel, .merged = on_merged, .arg = r };

	if (a == NULL)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	for (size_t i = 0; i < r->files.n; i++)
		a[i] = (struct cfs_builder_archive){ r->files.v[i].name,
			r->files.v[i].size, r->files.v[i].mtime };
	add_names(r, a + r->files.n);
	free(r->archives);
	r->archives = a;
	if (fill_origins(r) != CFS_OK)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	o.origins = r->origins;
	return cfs_builder_new(&r->builder, &o, err);
}

static int run_workers(struct run *r, struct cfs_error *err)
{
	struct worker *w = calloc(r->threads, sizeof(*w));
	unsigned started = 0;

	if (w == NULL)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	r->working = r->threads;
	for (unsigned i = 0; i < r->threads; i++) {
		w[i].run = r;
		w[i].feeder = i;
		if (pthread_create(&w[i].thread, NULL, work, &w[i]) != 0)
			break;
		started++;
	}
	pthread_mutex_lock(&r->lock);
	r->working -= r->threads - started;
	if (started == 0) {
		r->rc = CFS_ENOMEM;
		cfs_error_set(&r->error, CFS_ENOMEM, "cannot start a thread");
	}
	pthread_mutex_unlock(&r->lock);
	wait_for_workers(r);
	for (unsigned i = 0; i < started; i++)
		pthread_join(w[i].thread, NULL);
	free(w);
	if (r->rc != CFS_OK && !atomic_load(&r->missed)) {
		if (err != NULL && err->code == CFS_OK)
			*err = r->error;
		return r->rc;
	}
	return CFS_OK;
}

/* Forgets what an attempt has done. */
static void reset(struct run *r)
{
	cfs_builder_free(r->builder);
	r->builder = NULL;
	free(r->parts);
	r->parts = NULL;
	r->next = 0;
	r->rc = CFS_OK;
	r->error = CFS_ERROR_INIT;
	memset(r->is_damaged, 0, r->files.n * sizeof(*r->is_damaged));
	r->sum = (struct cfs_indexer_report){ 0 };
	atomic_store(&r->stop, false);
	atomic_store(&r->missed, false);
	atomic_store(&r->bytes_done, 0);
	atomic_store(&r->captures, 0);
	atomic_store(&r->sides, 0);
}

static int build(struct run *r, struct cfs_indexer_report *report,
		 struct cfs_error *err)
{
	int rc;

	for (r->may_cut = true;; r->may_cut = false) {
		reset(r);
		rc = open_builder(r, err);
		if (rc == CFS_OK)
			rc = make_parts(r, err);
		if (rc == CFS_OK)
			rc = run_workers(r, err);
		if (rc != CFS_OK || !atomic_load(&r->missed))
			break;
		cfs_log(CFS_LOG_INFO, "a member inside a record was taken for "
			"one of the archive: beginning again");
	}
	if (rc == CFS_OK && cfs_cancelled(r->opts->cancel))
		rc = cfs_error_set(err, CFS_EINTR, "interrupted");
	if (rc == CFS_OK && atomic_load(&r->captures) == 0 &&
	    atomic_load(&r->sides) == 0)
		rc = cfs_error_set(err, CFS_ENOTFOUND, "no page to index in %zu archives",
				   r->files.n);
	r->sum.files = report->files;
	r->sum.files_skipped = report->files_skipped;
	r->sum.input_bytes = r->bytes_total;
	*report = r->sum;
	if (rc == CFS_OK)
		rc = cfs_builder_finish(r->builder, &report->built, err);
	return rc;
}

static unsigned thread_count(unsigned asked)
{
	long n = asked > 0 ? (long)asked : sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : n > (long)THREADS_MAX ? THREADS_MAX : (unsigned)n;
}

static int run_on_files(struct run *r, struct cfs_indexer_report *report,
			struct cfs_error *err)
{
	pthread_condattr_t attr;
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
	if (r->files.n + r->n_names > UINT32_MAX / 2)
		return cfs_error_set(err, CFS_ELIMIT, "too many archives");
	if (r->files.is_other_base)
		cfs_log(CFS_LOG_WARNING, "%s: archives are named relative to "
			"'%s/', which is not the index's folder: mount it "
			"with -o data=%s/", r->opts->output, r->files.base,
			r->files.base);
	r->is_damaged = calloc(r->files.n, sizeof(*r->is_damaged));
	if (r->is_damaged == NULL ||
	    cfs_places_init(&r->places, &r->files) != CFS_OK)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	pthread_mutex_init(&r->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&r->changed, &attr);
	pthread_condattr_destroy(&attr);
	rc = build(r, report, err);
	pthread_cond_destroy(&r->changed);
	pthread_mutex_destroy(&r->lock);
	return rc;
}

static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? strdup(".") : slash == path ? strdup("/") :
	       strndup(path, (size_t)(slash - path));
}

int cfs_indexer_run(const struct cfs_indexer_opts *opts,
		    struct cfs_indexer_report *report, struct cfs_error *err)
{
	struct cfs_indexer_report ignored;
	struct timespec from, to;
	const struct cfs_indexer_inputs in = {
		.v = opts->inputs, .n = opts->n_inputs, .output = opts->output,
		.base = opts->base, .format = opts->format,
		.cancel = opts->cancel };
	struct run *r = calloc(1, sizeof(*r));
	int rc;

	if (report == NULL)
		report = &ignored;
	*report = (struct cfs_indexer_report){ 0 };
	if (r == NULL)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	clock_gettime(CLOCK_MONOTONIC, &from);
	r->opts = opts;
	r->threads = thread_count(opts->threads);
	r->cancel = (struct cfs_cancel){ .asked = should_stop, .arg = r };
	cfs_buf_init(&r->name_text, 2 * CDX_NAMES_MAX);
	r->dir = folder_of(opts->output);
	rc = r->dir == NULL ? cfs_error_set(err, CFS_ENOMEM, "out of memory") :
	     cfs_indexer_list(&r->files, &in, err);
	report->files_skipped = r->files.skipped;
	if (rc == CFS_OK)
		rc = run_on_files(r, report, err);
	cfs_builder_free(r->builder);
	cfs_places_release(&r->places);
	cfs_strtab_free(r->names);
	cfs_buf_release(&r->name_text);
	cfs_indexer_files_release(&r->files);
	free(r->dir);
	free(r->archives);
	free(r->origins);
	free(r->is_damaged);
	free(r->parts);
	free(r);
	clock_gettime(CLOCK_MONOTONIC, &to);
	report->seconds = (double)(to.tv_sec - from.tv_sec) +
			  (double)(to.tv_nsec - from.tv_nsec) / 1e9;
	return rc;
}
