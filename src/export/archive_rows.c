/* archive_rows.c - makes rows of the records in archives, in their order.
 *
 * A file of members is cut about every STRETCH_BYTES, whatever the number of
 * threads.  A cut may turn out to lie inside a record (an archive that is kept
 * in an archive).  So the rows of the last member in a stretch are not sure
 * until the stretch ends where it should; if it does not, they are made again,
 * with all that follows in the file, in place of the later stretches.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "archive_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/fileio.h"
#include "base/log.h"
#include "export_internal.h"
#include "indexing/indexer_record.h"
#include "indexing/indexer_wacz.h"
#include "input/input.h"
#include "net/location.h"
#include "record/parse.h"

/* As many bytes hold some hundred rows of pages. */
#define STRETCH_BYTES ((uint64_t)4 << 20)

/* The files of one input. */
struct archive_input {
	struct cfs_indexer_files files;
	char *base;			/* owned */
};

struct archive_rows {
	struct cfs_export_drive base;
	struct cfs_archive_rows_opts opts;
	struct archive_input *inputs;
	size_t n_inputs;
	bool lacks_some;
	uint64_t bytes_total;
	atomic_uint_least64_t bytes;	/* read so far */
	/* The state of planning: */
	size_t input, file;
	size_t member_at;		/* of cfs_indexer_next_member */
	const struct cfs_wacz_member *member;
	bool is_begun;			/* the file, or a member of it */
	uint64_t from;			/* where the next stretch begins */
	struct cfs_source *src;		/* opened, if it can be cut */
	/* The file or member whose rest is read by a batch already. */
	atomic_uintptr_t given_up;
};

struct archive_batch {
	struct cfs_export_batch base;
	const struct cfs_indexer_files *files;
	const struct cfs_indexer_file *file;
	const struct cfs_wacz_member *member;	/* NULL: the file itself */
	uint64_t from, to;		/* both 0: all of it */
	/* Where the last member with a record begins, and the counts before
	 * its rows. */
	bool has_last;
	uint64_t last_offset, rows_before, errors_before;
	bool missed_end;
};

/* ---- the inputs ---------------------------------------------------------- */

/* The folder that the names of an input's archives are relative to: the input
 * itself if it is one, else the folder that it is in. */
static char *base_of(const char *input)
{
	const char *slash = strrchr(input, '/');

	if (cfs_location_is_url(input))
		return slash != NULL ? strndup(input, (size_t)(slash - input)) :
				       strdup(input);
	return cfs_input_of_name(input) == CFS_INPUT_FOLDER ? strdup(input) :
							      cfs_folder_of(input);
}

static void archive_rows_on_refused(void *arg, const struct cfs_error *why)
{
	struct archive_rows *a = arg;

	(void)why;		/* logged already */
	a->lacks_some = true;
}

static int add_input(struct archive_rows *a, const char *input,
		     struct cfs_error *err)
{
	struct archive_input *in = &a->inputs[a->n_inputs];
	struct cfs_indexer_opts io = {
		.inputs = &input, .n_inputs = 1, .output = "export",
		.format = CFS_INDEX_CFX, .opener = a->opts.opener,
		.base = a->opts.list_base, .cache_dir = a->opts.cache_dir,
		.cancel = a->opts.cancel, .refused = archive_rows_on_refused,
		.arg = a };

	in->base = base_of(input);
	if (in->base == NULL)
		return cfs_error_nomem(err);
	if (io.base == NULL)
		io.base = in->base;
	a->n_inputs++;
	return cfs_indexer_list(&in->files, &io, err);
}

static bool has_rows(const struct cfs_indexer_file *f)
{
	return f->role == CFS_FILE_ARCHIVE || f->role == CFS_FILE_WACZ;
}

static void archive_rows_free(struct cfs_export_drive *d)
{
	struct archive_rows *a = (struct archive_rows *)d;

	for (size_t i = 0; i < a->n_inputs; i++) {
		cfs_indexer_files_release(&a->inputs[i].files);
		free(a->inputs[i].base);
	}
	free(a->inputs);
	cfs_source_close(a->src);
	free(a);
}

/* ---- the plan ------------------------------------------------------------ */

static const struct cfs_indexer_file *current(const struct archive_rows *a)
{
	return &a->inputs[a->input].files.v[a->file];
}

static void archive_rows_next_file(struct archive_rows *a)
{
	a->member_at = 0;
	a->member = NULL;
	a->file++;
	while (a->input < a->n_inputs &&
	       a->file >= a->inputs[a->input].files.n) {
		a->file = 0;
		a->input++;
	}
}

/* What a batch is of, as a number. */
static uintptr_t unit_of(const struct cfs_indexer_file *f,
			 const struct cfs_wacz_member *m)
{
	return m != NULL ? (uintptr_t)m : (uintptr_t)f;
}

/* Goes on to the next file, or the next member of a WACZ. */
static void archive_rows_next_unit(struct archive_rows *a)
{
	cfs_source_close(a->src);
	a->src = NULL;
	a->from = 0;
	a->is_begun = false;
}

/* Begins the next file or member that is an archive.  False: there is none. */
static bool archive_rows_begin_unit(struct archive_rows *a)
{
	while (!a->is_begun && a->input < a->n_inputs) {
		const struct cfs_indexer_file *f = current(a);
		bool is_zip = f->wacz != NULL;

		if (is_zip && has_rows(f))
			a->member = cfs_indexer_next_member(f, &a->member_at);
		if (is_zip && a->member == NULL) {
			archive_rows_next_file(a);
			continue;
		}
		a->is_begun = has_rows(f) && (!is_zip ||
				a->member->role == CFS_WACZ_ARCHIVE);
		if (!a->is_begun && !is_zip)
			archive_rows_next_file(a);
	}
	return a->is_begun;
}

/* Where the stretch that begins at a->from ends: 0 or the size means the rest
 * of the archive. */
static uint64_t archive_rows_find_end(struct archive_rows *a, uint64_t size,
				      struct cfs_ctx ctx)
{
	const struct cfs_indexer_file *f = current(a);
	uint64_t at, rest = a->from > 0 ? size : 0;

	if (f->is_remote || size < a->from ||
	    size - a->from <= STRETCH_BYTES + STRETCH_BYTES / 2)
		return rest;
	if (a->src == NULL &&
	    cfs_indexer_open_part(&a->src, &a->inputs[a->input].files, f,
				  a->member, CFS_CTX(ctx.cancel, NULL)) !=
		    CFS_OK)
		return rest;
	return cfs_scan_split(a->src, a->from + STRETCH_BYTES, &at,
			      CFS_CTX(ctx.cancel, NULL)) == CFS_OK &&
	       at > a->from && at < size ? at : rest;
}

static int archive_rows_next(struct cfs_export_drive *d,
			     struct cfs_export_batch **out, struct cfs_ctx ctx)
{
	struct archive_rows *a = (struct archive_rows *)d;
	const struct cfs_indexer_file *f;
	struct archive_batch *b;
	uint64_t size;

	*out = NULL;
	if (a->is_begun && atomic_load(&a->given_up) ==
			   unit_of(current(a), a->member)) {
		archive_rows_next_unit(a);
		if (a->member == NULL)
			archive_rows_next_file(a);
	}
	if (!archive_rows_begin_unit(a))
		return CFS_OK;
	f = current(a);
	size = a->member != NULL ? a->member->at.stored : f->size;
	b = calloc(1, sizeof(*b));
	if (b == NULL)
		return cfs_error_nomem(ctx.err);
	cfs_export_batch_init(&b->base);
	b->files = &a->inputs[a->input].files;
	b->file = f;
	b->member = a->member;
	b->from = a->from;
	b->to = archive_rows_find_end(a, size, ctx);
	if (b->to > 0 && b->to < size)
		b->base.sure = 0;
	a->from = b->to;
	if (b->to == 0 || b->to >= size) {
		archive_rows_next_unit(a);
		if (a->member == NULL)
			archive_rows_next_file(a);
	}
	*out = &b->base;
	return CFS_OK;
}

static void archive_rows_free_batch(struct cfs_export_batch *batch)
{
	struct archive_batch *b = (struct archive_batch *)batch;

	cfs_export_batch_release(&b->base);
	free(b);
}

static void archive_rows_progress(struct cfs_export_drive *d,
				  struct cfs_export_progress *out)
{
	struct archive_rows *a = (struct archive_rows *)d;

	out->bytes_done = atomic_load(&a->bytes);
	out->bytes_total = a->bytes_total;
	if (out->bytes_done > out->bytes_total)
		out->bytes_done = out->bytes_total;
}

/* ---- records ------------------------------------------------------------- */

struct archive_reading {
	struct archive_rows *a;
	struct archive_batch *b;
	struct cfs_export_worker *w;
	struct cfs_slice name;		/* the archive's */
	uint64_t shift;			/* offset of the source in the file */
	int rc;				/* of a row for damage */
	struct cfs_error *err;
};

/* Notes that a row for the record, or damage, at an offset follows: in a
 * stretch the rows before its member are sure now. */
static void archive_rows_pass(struct archive_batch *b, uint64_t offset)
{
	if (b->base.sure == SIZE_MAX || (b->has_last &&
					 b->last_offset == offset))
		return;
	b->has_last = true;
	b->last_offset = offset;
	b->base.sure = b->base.out.n;
	b->rows_before = b->base.rows;
	b->errors_before = b->base.errors;
}

static int archive_rows_put_error(struct archive_reading *g,
				  const char *why)
{
	cfs_export_row_set(&g->w->row, CFS_EXPORT_ERROR, cfs_slice_str(why));
	return cfs_export_put(g->w, &g->b->base, g->err);
}

static void archive_rows_on_damage(void *arg, const struct cfs_error *what)
{
	struct archive_reading *g = arg;

	if (g->rc != CFS_OK)
		return;
	cfs_log_error(CFS_LOG_WARNING, what);
	cfs_export_row_reset(&g->w->row);
	cfs_export_row_place(&g->w->row, g->w->opts->fields, CFS_SLICE_EMPTY,
			     g->name, what->offset + g->shift, 0);
	g->rc = archive_rows_put_error(g, what->text);
}

static int archive_rows_on_record(void *arg, const struct cfs_scan_item *item)
{
	struct archive_reading *g = arg;
	struct cfs_view_input in = { .record = item->record,
		.url = item->record->url, .archive_name = g->name,
		.loc = item->span, .notes = CFS_SLICE_EMPTY };
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = g->rc;

	if (rc != CFS_OK)
		return rc;
	archive_rows_pass(g->b, item->span.offset);
	if (!cfs_indexer_is_page(item->record) ||
	    !cfs_url_has_place(item->record->url))
		return CFS_OK;
	in.loc.offset += g->shift;
	if (item->record->type == CFS_RECORD_REVISIT)
		in.no_body_reason = "the body is in another record";
	cfs_export_row_reset(&g->w->row);
	rc = cfs_export_row_fill(&g->w->row, g->w->opts->fields, &in,
				 CFS_CTX(g->w->cancel, &e));
	if (rc == CFS_ELIMIT)
		return archive_rows_put_error(g, e.text);
	cfs_error_copy(g->err, &e);
	return rc == CFS_OK ? cfs_export_put(g->w, &g->b->base, g->err) : rc;
}

static void archive_rows_on_advance(void *arg, uint64_t bytes)
{
	struct archive_reading *g = arg;

	atomic_fetch_add_explicit(&g->a->bytes, bytes, memory_order_relaxed);
}

static int archive_rows_scan(struct archive_reading *g, struct cfs_error *err)
{
	struct archive_batch *b = g->b;
	struct cfs_scan_opts opts = {
		.max_record_bytes = g->a->opts.max_record_bytes,
		.damaged = archive_rows_on_damage,
		.advanced = archive_rows_on_advance,
		.no_bodies = (cfs_export_made_of(g->w->opts->fields) &
			      CFS_EXPORT_OF_BODY) == 0,
		.cancel = g->w->cancel, .arg = g, .from = b->from, .to = b->to
	};
	struct cfs_scan_counts counts = { 0 };
	struct cfs_source *src;
	int rc = cfs_indexer_open_part(&src, b->files, b->file, b->member,
				       CFS_CTX(g->w->cancel, err));

	if (rc != CFS_OK)
		return rc;
	rc = cfs_scan_archive(src, &opts, archive_rows_on_record, &counts, err);
	b->missed_end = counts.missed_end && b->to > 0 && b->to < src->size;
	cfs_source_close(src);
	return rc;
}

/* Reads a stretch.  An archive that cannot be read is a row with an error. */
static int archive_rows_fill(struct cfs_export_drive *d,
			     struct cfs_export_batch *batch,
			     struct cfs_export_worker *w,
			     struct cfs_error *err)
{
	struct archive_batch *b = (struct archive_batch *)batch;
	struct cfs_error e = CFS_ERROR_INIT, of_row = CFS_ERROR_INIT;
	struct archive_reading g = { .a = (struct archive_rows *)d, .b = b,
		.w = w, .name = cfs_slice_str(b->file->name),
		.shift = b->member != NULL ? b->member->at.offset : 0,
		.err = &of_row };
	int rc = archive_rows_scan(&g, &e);

	if (g.rc != CFS_OK || of_row.code != CFS_OK) {
		cfs_error_copy(err, &of_row);
		rc = g.rc != CFS_OK ? g.rc : rc;
		return rc == CFS_END ? CFS_OK : rc;
	}
	if (rc == CFS_OK || rc == CFS_END)
		return CFS_OK;
	cfs_error_where(&e, b->file->path, 0);
	if (rc == CFS_EINTR || rc == CFS_ENOMEM) {
		cfs_error_copy(err, &e);
		return rc;
	}
	archive_rows_on_damage(&g, &e);
	cfs_error_copy(err, &of_row);
	return g.rc == CFS_END ? CFS_OK : g.rc;
}

/* Is it of the same archive? */
static bool is_of_same_archive(const struct cfs_export_batch *later,
			       const struct cfs_export_batch *b)
{
	const struct archive_batch *x = (const struct archive_batch *)later;
	const struct archive_batch *y = (const struct archive_batch *)b;

	return x->file == y->file && x->member == y->member;
}

/* If the end of a stretch was inside a record, drops the rows of its last
 * member, and makes them again with the rest of the archive. */
static int archive_rows_settle(struct cfs_export_drive *d,
			       struct cfs_export_batch *batch,
			       struct cfs_export_worker *w,
			       struct cfs_error *err)
{
	struct archive_rows *a = (struct archive_rows *)d;
	struct archive_batch *b = (struct archive_batch *)batch;

	if (!b->missed_end)
		return CFS_OK;
	atomic_store(&a->given_up, unit_of(b->file, b->member));
	cfs_export_make_void(w, batch, is_of_same_archive);
	b->base.out.n = b->base.sure;
	b->base.rows = b->rows_before;
	b->base.errors = b->errors_before;
	if (b->has_last)
		b->from = b->last_offset;
	b->base.sure = SIZE_MAX;
	b->to = b->member != NULL ? b->member->at.stored : b->file->size;
	if (b->from == 0)
		b->to = 0;
	return archive_rows_fill(d, batch, w, err);
}

static const struct cfs_export_drive_ops archive_rows_ops = {
	.next = archive_rows_next, .fill = archive_rows_fill,
	.settle = archive_rows_settle, .free_batch = archive_rows_free_batch,
	.progress = archive_rows_progress, .free = archive_rows_free
};

/* ---- beginning ----------------------------------------------------------- */

bool cfs_archive_rows_lack(const struct cfs_export_drive *d)
{
	return ((const struct archive_rows *)d)->lacks_some;
}

static void count_bytes(struct archive_rows *a, bool *any)
{
	for (size_t i = 0; i < a->n_inputs; i++) {
		const struct cfs_indexer_files *files = &a->inputs[i].files;

		for (size_t k = 0; k < files->n; k++) {
			if (!has_rows(&files->v[k]))
				continue;
			*any = true;
			a->bytes_total += files->v[k].size;
		}
	}
}

int cfs_archive_rows_new(struct cfs_export_drive **out,
			 const struct cfs_archive_rows_opts *opts,
			 struct cfs_error *err)
{
	struct archive_rows *a = calloc(1, sizeof(*a));
	bool any = false;
	int rc = CFS_OK;

	*out = NULL;
	if (a == NULL)
		return cfs_error_nomem(err);
	a->base.ops = &archive_rows_ops;
	a->opts = *opts;
	a->inputs = calloc(opts->n_inputs + 1, sizeof(*a->inputs));
	if (a->inputs == NULL)
		rc = cfs_error_nomem(err);
	for (size_t i = 0; i < opts->n_inputs && rc == CFS_OK; i++)
		rc = add_input(a, opts->inputs[i], err);
	count_bytes(a, &any);
	if (rc == CFS_OK && !any)
		rc = cfs_error_set(err, CFS_ENOTFOUND, "no archive to export");
	/* goes to the first file, if the first inputs are empty */
	a->file = SIZE_MAX;
	if (rc == CFS_OK)
		archive_rows_next_file(a);
	if (rc != CFS_OK) {
		archive_rows_free(&a->base);
		return rc;
	}
	*out = &a->base;
	return CFS_OK;
}
