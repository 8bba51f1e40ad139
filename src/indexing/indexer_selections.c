/* indexer_selections.c - adds the rows of selections to an index.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "indexer_scan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/mime.h"
#include "codec/json.h"
#include "format/cdx/cdx.h"
#include "net/location.h"
#include "net/open_location.h"
#include "record/store.h"
#include "table/selection_read.h"
#include "table/sql.h"

/* Records read from a server at the same time: what is polite towards Common
 * Crawl's. */
#define REMOTE_THREADS 8u
#define STORE_BYTES ((size_t)1 << 20)
#define FOLDERS_MAX ((size_t)1 << 20)

/* ---- reading ---- */

/* State of reading the selections of one index. */
struct rows_reading {
	const struct cfs_indexer_files *files;
	const struct cfs_indexer_opts *opts;
	const struct cfs_indexer_reading *report;
	struct cfs_selection_sql sql;
	const char **paths;		/* files that DuckDB may read; owned */
	struct cfs_buf folders;		/* each ends with a NUL */
	const char **folder_paths;	/* into folders; owned */
};

static int read_file(struct rows_reading *r,
		     const struct cfs_selection_file *file,
		     struct cfs_error *err)
{
	struct cfs_source *src;
	int rc = cfs_location_open_whole(&src, file->location,
					 CFS_CTX(r->opts->cancel, err));

	if (rc != CFS_OK)
		return rc;
	if (file->kind == CFS_TABLE_PARQUET)
		rc = cfs_selection_sql_parquet(&r->sql, src,
				r->report->advanced, r->report->arg, err);
	else
		rc = cfs_selection_read(src, file->kind, r->sql.rows,
					r->report->advanced, r->report->arg,
					CFS_CTX(r->opts->cancel, err));
	cfs_source_close(src);
	return rc;
}

/* If reading a remote selection failed, part of it would be taken for all of
 * it. */
static bool is_fatal(int rc, bool is_remote)
{
	return rc == CFS_ENOMEM || rc == CFS_EINTR || rc == CFS_ELIMIT ||
	       rc == CFS_EUNSUPPORTED ||
	       (is_remote &&
		(rc == CFS_EIO || rc == CFS_ETIMEOUT || rc == CFS_ECHANGED));
}

static int read_files(struct rows_reading *r, struct cfs_error *err)
{
	int rc = CFS_OK;

	for (size_t i = 0; rc == CFS_OK && i < r->files->n_selections; i++) {
		const char *location = r->files->selections[i].location;
		struct cfs_error e = CFS_ERROR_INIT;

		rc = read_file(r, &r->files->selections[i], &e);
		if (is_fatal(rc, cfs_location_is_url(location))) {
			cfs_error_where(&e, location, 0);
			cfs_error_pass(err, &e, rc);
		} else if (rc != CFS_OK) {
			cfs_error_where(&e, location, 0);
			cfs_log_error(CFS_LOG_WARNING, &e);
			rc = CFS_OK;
		}
	}
	return rc;
}

/* Lists what DuckDB may read: the given files, and for SQL some folders. */
static int list_paths(struct rows_reading *r)
{
	const char *more = r->opts->sql_folders != NULL ? r->opts->sql_folders :
							  "";
	struct cfs_sql_opts *o = &r->sql.opts;
	struct cfs_slice rest, line;

	if (r->opts->sql != NULL)
		cfs_buf_addf(&r->folders, ".\n%s", more);
	rest = cfs_buf_slice(&r->folders);
	r->paths = calloc(r->files->n_selections + 1, sizeof(*r->paths));
	r->folder_paths = calloc(rest.n + 1, sizeof(*r->folder_paths));
	if (r->paths == NULL || r->folder_paths == NULL ||
	    r->folders.failed != CFS_OK)
		return CFS_ENOMEM;
	for (size_t i = 0; i < r->files->n_selections; i++)
		r->paths[o->n_files++] = r->files->selections[i].location;
	while (rest.n > 0) {
		line = cfs_slice_split(&rest, '\n');
		r->folders.p[line.p + line.n - r->folders.p] = '\0';
		r->folder_paths[o->n_folders++] = (const char *)line.p;
	}
	o->files = r->paths;
	o->folders = r->folder_paths;
	return CFS_OK;
}

static int check_folders(const struct cfs_sql_opts *o, struct cfs_error *err)
{
	struct stat st;

	for (size_t i = 0; i < o->n_folders; i++)
		if (stat(o->folders[i], &st) != 0 || !S_ISDIR(st.st_mode))
			return cfs_error_set(err, CFS_EUSAGE, "--tables: '%s' "
					     "is not a folder", o->folders[i]);
	return CFS_OK;
}

/* Reads the rows of all files, and of the query. */
static int read_all(struct rows_reading *r, struct cfs_error *err)
{
	int rc = list_paths(r);

	if (rc != CFS_OK)
		return cfs_error_nomem(err);
	rc = check_folders(&r->sql.opts, err);
	if (rc == CFS_OK)
		rc = read_files(r, err);
	if (rc == CFS_OK && r->opts->sql != NULL)
		rc = cfs_selection_sql_select(&r->sql, r->opts->sql,
					      r->report->queried,
					      r->report->arg, err);
	return rc == CFS_OK ? cfs_selection_rows_end(r->sql.rows, err) : rc;
}

/* Opens the records of rows without a URL. */
static int open_store(struct cfs_indexer_selections *s,
		      const struct cfs_indexer_opts *opts,
		      struct cfs_error *err)
{
	const char *base = opts->selection_data != NULL ? opts->selection_data :
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

/* Rows and other inputs can only be in one index if a base for all is given. */
static int check_mix(const struct cfs_indexer_files *files,
		     const struct cfs_indexer_opts *opts, struct cfs_error *err)
{
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
				const struct cfs_indexer_reading *report,
				struct cfs_error *err)
{
	struct rows_reading r = { .files = files,
				  .opts = opts,
				  .report = report,
				  .sql.opts = { .tmp_dir = tmp_dir,
						.cancel = opts->cancel,
						.memory_bytes =
							opts->memory_bytes,
						.threads = opts->threads } };
	int rc;

	if (files->n_selections == 0 && opts->sql == NULL)
		return CFS_OK;
	cfs_buf_init(&r.folders, FOLDERS_MAX);
	rc = check_mix(files, opts, err);
	if (rc == CFS_OK)
		rc = cfs_selection_rows_new(&s->rows, names,
					    opts->selection_base, tmp_dir, err);
	r.sql.rows = s->rows;
	if (rc == CFS_OK)
		rc = read_all(&r, err);
	cfs_selection_sql_release(&r.sql);
	cfs_buf_release(&r.folders);
	free(r.folder_paths);
	free(r.paths);
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

/* ---- adding rows ---- */

struct row_adding {
	struct cfs_indexer_selections *s;
	struct cfs_indexer_scans *all;
	unsigned feeder;
	struct cfs_indexer_tally *tally;
	const struct cfs_cancel *cancel;
	struct cfs_error *err;
};

/* Finds the languages that a row states. */
static void find_stated(struct cfs_slice notes, struct cfs_languages *out)
{
	static const char *const paths[] = { "selection/content_languages",
					     "selection/languages" };
	struct cfs_slice v[2];

	if (!cfs_json_pick(notes, paths, 2, v))
		v[0] = v[1] = CFS_SLICE_EMPTY;
	cfs_languages_take(out, v[v[0].n == 0]);
}

/* Has the index know of a row of which it has no capture.  why: what the row
 * is, after its number. */
static int keep_row(struct row_adding *a, const struct cfs_selection_item *item,
		    const char *why)
{
	char what[sizeof(struct cfs_error) + 128];

	snprintf(what, sizeof(what), "%s %" PRIu64 "%s", item->unit, item->line,
		 why);
	return cfs_builder_damaged(a->all->builder,
				   (uint32_t)a->all->files->n + item->archive,
				   CFS_DAMAGE_OF_LIST, what) == CFS_OK ?
	       CFS_OK : cfs_error_nomem(a->err);
}

static int add(struct row_adding *a, struct cfs_builder_capture *c,
	       const struct cfs_selection_item *item)
{
	struct cfs_languages languages;
	const char *left_out = NULL;
	char why[64];
	int rc;

	if (!cfs_indexer_has_place(a->all->opts->format, c->url, a->tally))
		return keep_row(a, item, ": the URL has no place in the tree");
	c->archive = (uint32_t)a->all->files->n + item->archive;
	c->notes = item->row.notes;
	find_stated(c->notes, &languages);
	c->languages = cfs_languages_list(&languages);
	if (!cfs_pick_takes(a->all->opts->pick, c)) {
		a->tally->not_picked++;
		return CFS_OK;
	}
	if (!cfs_builder_names_archive(a->all->builder, c->archive)) {
		a->tally->not_in_tree++;
		return CFS_OK;
	}
	atomic_fetch_add_explicit(&a->all->captures, 1, memory_order_relaxed);
	c->left_out = &left_out;
	rc = cfs_builder_add(a->all->builder, a->feeder, c, a->err);
	if (rc != CFS_OK || left_out == NULL)
		return rc;
	snprintf(why, sizeof(why), ": %s", left_out);
	return keep_row(a, item, why);
}

/* Has the index know of a row that has no URL, and whose record cannot be
 * read. */
static int keep_unread(struct row_adding *a,
		       const struct cfs_selection_item *item,
		       const struct cfs_error *why)
{
	char what[sizeof(why->text) + 96];

	snprintf(what, sizeof(what), " has no URL, and its record at %" PRIu64
		 " cannot be read: %s", item->row.offset, why->text);
	return keep_row(a, item, what);
}

/* Reads the record for what the row does not state. */
static int add_by_record(struct row_adding *a, struct cfs_slice archive,
			 const struct cfs_selection_item *item)
{
	struct cfs_scan_item record = { .span = {
		.offset = item->row.offset, .length = item->row.length } };
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_builder_capture c;
	struct cfs_stored *stored;
	int rc = cfs_store_get(a->s->store, archive, &record.span, &stored,
			       CFS_CTX(a->cancel, &e));

	if (rc == CFS_OK) {
		record.record = cfs_stored_record(stored);
		if (cfs_indexer_capture(&record, &c)) {
			rc = add(a, &c, item);
		} else {
			a->tally->not_in_tree +=
				!cfs_indexer_is_page(record.record) ||
				cfs_indexer_has_place(a->all->opts->format,
						      record.record->url,
						      a->tally);
			rc = keep_row(a, item, " has no URL, and its record "
				      "has no page");
		}
		cfs_stored_put(stored);
		return rc;
	}
	if (is_fatal(rc, a->s->is_remote))
		return cfs_error_pass(a->err, &e, rc);
	a->tally->damages++;
	if (keep_unread(a, item, &e) != CFS_OK)
		return CFS_ENOMEM;
	if (cfs_log_has_room(&a->s->logged, item->where, "more records cannot "
			     "be read"))
		cfs_log(CFS_LOG_WARNING, "%s: %s %" PRIu64 ": has no URL, "
			"and its record cannot be read: %s: %s", item->where,
			item->unit, item->line, e.where, e.text);
	return CFS_OK;
}

static int on_item(void *arg, const struct cfs_selection_item *item)
{
	const struct cfs_selection_row *row = &item->row;
	const struct cfs_cdx_line line = { .mime.s = cfs_mime_type(row->mime) };
	struct row_adding *a = arg;
	struct cfs_slice name = cfs_strtab_get(a->all->names, item->archive);
	struct cfs_builder_capture c = {
		.url = row->url, .time = row->time, .status = row->status,
		.span = { .offset = row->offset, .length = row->length },
		.mime = line.mime.s, .digest = row->digest,
		.record_id = CFS_SLICE_EMPTY, .refers_to = CFS_SLICE_EMPTY,
	};

	a->tally->records++;
	name.n -= name.n > 0;		/* without its NUL */
	if (row->url.n == 0)
		return add_by_record(a, name, item);
	c.kind = cfs_cdx_kind(&line, name);
	if (c.kind == CFS_KIND_REVISIT)
		c.mime = CFS_SLICE_EMPTY;
	return add(a, &c, item);
}

/* Has the index know of a row that is damaged. */
static int tell_damage(void *arg, uint32_t archive, const char *what,
		       uint64_t n)
{
	struct row_adding *a = arg;

	/* a table without a good row names none, and any will do */
	archive = archive == CFS_SELECTION_NO_ARCHIVE ? 0 :
		  archive + (uint32_t)a->all->files->n;
	if (what != NULL)
		return cfs_builder_damaged(a->all->builder, archive,
					   CFS_DAMAGE_OF_LIST, what);
	cfs_builder_damaged_more(a->all->builder, archive, n);
	return CFS_OK;
}

/* The first run tells what is damaged, also if it has no rows. */
size_t cfs_indexer_selections_runs(const struct cfs_indexer_selections *s)
{
	size_t n = s->rows == NULL ? 0 : cfs_selection_rows_runs(s->rows);

	return s->rows != NULL && n == 0 ? 1 : n;
}

int cfs_indexer_selections_add(struct cfs_indexer_selections *s, size_t run,
			       struct cfs_indexer_scans *all, unsigned feeder,
			       struct cfs_indexer_tally *tally,
			       struct cfs_ctx ctx)
{
	struct row_adding a = { s, all, feeder, tally, ctx.cancel, ctx.err };
	int rc = run > 0 ? CFS_OK :
		 cfs_selection_rows_tell(s->rows, tell_damage, &a);

	if (rc != CFS_OK)
		return cfs_error_nomem(ctx.err);

	*tally = (struct cfs_indexer_tally){ 0 };
	if (run >= cfs_selection_rows_runs(s->rows))
		return CFS_OK;
	return cfs_selection_rows_read(s->rows, run, on_item, &a, ctx.err);
}
