/* indexer_selections.c - selections among the inputs of an index.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "indexer_selections.h"

#include <inttypes.h>

#include "base/log.h"
#include "index/cdx.h"
#include "net/location.h"
#include "net/open.h"
#include "record/store.h"
#include "selection_read.h"

/* Records that are read at the same time from a server: what is polite
 * towards Common Crawl's. */
#define REMOTE_THREADS 8u
#define STORE_BYTES ((size_t)1 << 20)
/* Rows whose record cannot be read that are reported one by one. */
#define LOGGED_MAX 20u

/* ---- reading ---- */

static int read_file(struct cfs_indexer_selections *s,
		     const struct cfs_selection_file *file,
		     void (*advanced)(void *arg, uint64_t bytes), void *arg,
		     const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct cfs_source *src;
	int rc = cfs_location_open_whole(&src, file->location, cancel, err);

	if (rc == CFS_OK) {
		rc = cfs_selection_read(src, s->rows, advanced, arg, cancel,
					err);
		cfs_source_close(src);
	}
	return rc;
}

/* Half of a remote selection would be taken for all of it. */
static bool is_fatal(int rc, bool is_remote)
{
	return rc == CFS_ENOMEM || rc == CFS_EINTR || rc == CFS_ELIMIT ||
	       (is_remote && (rc == CFS_EIO || rc == CFS_ETIMEOUT ||
			      rc == CFS_ECHANGED));
}

static int read_files(struct cfs_indexer_selections *s,
		      const struct cfs_indexer_files *files,
		      const struct cfs_cancel *cancel,
		      void (*advanced)(void *arg, uint64_t bytes), void *arg,
		      struct cfs_error *err)
{
	int rc = CFS_OK;

	for (size_t i = 0; rc == CFS_OK && i < files->n_selections; i++) {
		const struct cfs_selection_file *f = &files->selections[i];
		struct cfs_error e = CFS_ERROR_INIT;

		rc = read_file(s, f, advanced, arg, cancel, &e);
		if (is_fatal(rc, cfs_location_is_url(f->location))) {
			cfs_error_copy(err, &e);
		} else if (rc != CFS_OK) {
			cfs_error_where(&e, f->location, 0);
			cfs_log_error(CFS_LOG_WARNING, &e);
			rc = CFS_OK;
		}
	}
	return rc == CFS_OK ? cfs_selection_rows_end(s->rows, err) : rc;
}

/* Where the records of rows without a URL are. */
static int open_store(struct cfs_indexer_selections *s,
		      const struct cfs_indexer_opts *opts,
		      struct cfs_error *err)
{
	const char *base = opts->selection_data != NULL ?
			   opts->selection_data :
			   cfs_selection_rows_home(s->rows);
	const struct cfs_store_opts so = {
		.cache_bytes = STORE_BYTES,
		.max_record_bytes = opts->max_record_bytes,
		.bases = &base, .n_bases = 1 };

	if (cfs_selection_rows_counts(s->rows)->without_url == 0)
		return CFS_OK;
	s->is_remote = cfs_location_is_url(base);
	return cfs_store_new(&s->store, &so, err);
}

/* Names of rows are below the base of the other inputs, or there are none. */
static int check_mix(const struct cfs_indexer_files *files,
		     const struct cfs_indexer_opts *opts, struct cfs_error *err)
{
	if (opts->format == CFS_INDEX_PBTREE)
		return cfs_error_set(err, CFS_EUSAGE, "a PB-tree cannot be "
				     "made of a selection");
	if (files->n == 0 ||
	    (opts->selection_base != NULL && !files->is_other_base))
		return CFS_OK;
	return cfs_error_set(err, CFS_EUSAGE, "a selection's archives are on "
			     "Common Crawl's servers, those of '%s' are not: "
			     "--base=FOLDER says where all are",
			     files->v[0].path);
}

int cfs_indexer_selections_read(struct cfs_indexer_selections *s,
				const struct cfs_indexer_files *files,
				const struct cfs_indexer_opts *opts,
				struct cfs_strtab *names, const char *tmp_dir,
				void (*advanced)(void *arg, uint64_t bytes),
				void *arg, struct cfs_error *err)
{
	int rc;

	if (files->n_selections == 0)
		return CFS_OK;
	rc = check_mix(files, opts, err);
	if (rc == CFS_OK)
		rc = cfs_selection_rows_new(&s->rows, names,
					    opts->selection_base, tmp_dir, err);
	if (rc == CFS_OK)
		rc = read_files(s, files, opts->cancel, advanced, arg, err);
	return rc == CFS_OK ? open_store(s, opts, err) : rc;
}

void cfs_indexer_selections_release(struct cfs_indexer_selections *s)
{
	cfs_selection_rows_free(s->rows);
	cfs_store_free(s->store);
}

const char *cfs_indexer_selections_home(struct cfs_indexer_selections *s)
{
	const char *home = s->rows != NULL ? cfs_selection_rows_home(s->rows) :
					     "";

	return cfs_location_is_url(home) ? home : NULL;
}

unsigned cfs_indexer_selections_threads(const struct cfs_indexer_selections *s,
					unsigned threads)
{
	return s->store != NULL && s->is_remote && threads < REMOTE_THREADS ?
	       REMOTE_THREADS : threads;
}

/* ---- to the builder ---- */

struct adding {
	struct cfs_indexer_selections *s;
	struct cfs_indexer_scans *all;
	unsigned feeder;
	struct cfs_indexer_tally *tally;
	struct cfs_error *err;
};

static int add(struct adding *a, struct cfs_builder_capture *c,
	       const struct cfs_selection_item *item)
{
	if (!cfs_indexer_is_web(c->url)) {
		a->tally->not_in_tree++;
		return CFS_OK;
	}
	c->archive = (uint32_t)a->all->files->n + item->archive;
	c->notes = item->row.notes;
	if (!cfs_pick_takes(a->all->opts->pick, c)) {
		a->tally->not_picked++;
		return CFS_OK;
	}
	atomic_fetch_add_explicit(&a->all->captures, 1, memory_order_relaxed);
	return cfs_builder_add(a->all->builder, a->feeder, c, a->err);
}

/* The record is read for what the row does not say. */
static int add_by_record(struct adding *a, struct cfs_slice archive,
			 const struct cfs_selection_item *item)
{
	struct cfs_scan_item record = { .span = {
		.offset = item->row.offset, .length = item->row.length } };
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_builder_capture c;
	struct cfs_stored *stored;
	int rc = cfs_store_get(a->s->store, archive, &record.span, &stored,
			       a->all->cancel, &e);

	if (rc == CFS_OK) {
		record.record = cfs_stored_record(stored);
		if (cfs_indexer_capture(&record, &c))
			rc = add(a, &c, item);
		else
			a->tally->not_in_tree++;
		cfs_stored_put(stored);
		return rc;
	}
	if (is_fatal(rc, a->s->is_remote)) {
		cfs_error_copy(a->err, &e);
		return rc;
	}
	a->tally->damages++;
	if (atomic_fetch_add(&a->s->logged, 1) < LOGGED_MAX)
		cfs_log(CFS_LOG_WARNING, "%s: line %" PRIu64 ": has no URL, "
			"and its record cannot be read: %s: %s", item->where,
			item->line, e.where, e.text);
	return CFS_OK;
}

static int on_item(void *arg, const struct cfs_selection_item *item)
{
	const struct cfs_selection_row *row = &item->row;
	const struct cfs_cdx_line line = { .mime.s = row->mime };
	struct adding *a = arg;
	struct cfs_slice name = cfs_strtab_get(a->all->names, item->archive);
	struct cfs_builder_capture c = {
		.url = row->url, .time = row->time, .status = row->status,
		.span = { .offset = row->offset, .length = row->length },
		.mime = row->mime, .digest = row->digest,
		.record_id = CFS_SLICE_EMPTY, .refers_to = CFS_SLICE_EMPTY,
	};

	a->tally->records++;
	name.n -= name.n > 0;		/* its NUL */
	if (row->url.n == 0)
		return add_by_record(a, name, item);
	c.kind = cfs_cdx_kind(&line, name);
	if (c.kind == CFS_KIND_REVISIT)
		c.mime = CFS_SLICE_EMPTY;
	return add(a, &c, item);
}

int cfs_indexer_selections_add(struct cfs_indexer_selections *s,
			       struct cfs_indexer_scans *all, unsigned feeder,
			       struct cfs_indexer_tally *tally,
			       struct cfs_error *err)
{
	struct adding a = { s, all, feeder, tally, err };
	size_t run;
	int rc = CFS_OK;

	*tally = (struct cfs_indexer_tally){ 0 };
	if (s->rows == NULL)
		return CFS_OK;
	while (rc == CFS_OK && (run = atomic_fetch_add(&s->next, 1)) <
				       cfs_selection_rows_runs(s->rows)) {
		if (cfs_cancelled(all->cancel))
			return cfs_error_set(err, CFS_EINTR, "interrupted");
		rc = cfs_selection_rows_read(s->rows, run, on_item, &a, err);
	}
	return rc;
}
