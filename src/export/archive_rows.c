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
#include "drives.h"

#include <stdlib.h>
#include <string.h>

#include "base/fileio.h"
#include "base/hash.h"
#include "base/log.h"
#include "export_internal.h"
#include "indexing/indexer_record.h"
#include "indexing/indexer_wacz.h"
#include "indexing/pick.h"
#include "input/input.h"
#include "net/location.h"
#include "html/outline.h"
#include "record/store.h"

/* As many bytes hold some hundred rows of pages. */
#define STRETCH_BYTES ((uint64_t)4 << 20)
/* Most bytes of lines about damage in a stretch, and of one. */
#define DAMAGE_MAX ((size_t)64 << 10)
#define LINE_BYTES 640u
/* The last stretch of an archive has up to so many. */
#define STRETCH_LAST (STRETCH_BYTES + STRETCH_BYTES / 2)

/* Memory that the values made of a body take, as a multiple of it: a copy in
 * UTF-8 and the text. */
#define LONG_RATIO 3u

/* The files of one input. */
struct archive_input {
	struct cfs_indexer_files files;
	struct cfs_store *store;	/* for long records; NULL: there are
					 * none */
	bool is_stdin;
	char *base;			/* owned */
};

/* An archive: a file, or a member of a WACZ. */
struct archive_unit {
	const struct archive_input *input;
	const struct cfs_indexer_file *file;
	const struct cfs_wacz_member *member;	/* NULL: the file itself */
	const char *name;			/* in rows */
	uint64_t before;	/* the bytes of all archives before it, or
				 * their number */
	atomic_bool is_given_up;	/* later stretches are void: its rest is
					 * read by another batch */
};

struct archive_rows {
	struct cfs_export_drive base;
	struct cfs_archive_rows_opts opts;
	struct cfs_pick *pick;		/* NULL: all captures are wanted */
	struct archive_input *inputs;
	size_t n_inputs;
	struct archive_unit *units;
	size_t n_units;
	bool sizes_known;
	uint64_t part_from, part_to;	/* of the bytes, or archives */
	uint64_t bytes_total;
	atomic_uint_least64_t bytes;	/* read so far */
	struct cfs_archive_rows_facts facts;
	/* The state of planning: */
	size_t unit;
	bool is_begun;			/* the unit, whose */
	uint64_t stretch, from;		/* stretch of that number begins
					 * there */
	struct cfs_source *src;		/* the unit, if it can be cut */
};

struct archive_batch {
	struct cfs_export_batch base;
	struct archive_unit *unit;
	uint64_t from, to;		/* both 0: all of it */
	/* Where the last member with a record begins, and the counts before
	 * its rows. */
	bool has_last;
	uint64_t last_offset, rows_before, errors_before;
	/* Damage that is logged once the stretch is known to be one: a line
	 * each; and how many bytes of them were there before these rows. */
	struct cfs_buf damage;
	size_t damage_before;
	bool missed_end;
};

/* ---- the inputs ---------------------------------------------------------- */

/* The folder that the names of an input's archives are relative to: the input
 * itself if it is one, else the folder that it is in. */
static char *archive_rows_base_of(const char *input)
{
	const char *slash = strrchr(input, '/');

	if (cfs_location_is_url(input))
		return slash != NULL ? strndup(input, (size_t)(slash - input)) :
				       strdup(input);
	if (cfs_input_of_name(input) == CFS_INPUT_FOLDER)
		return strdup(input);
	return cfs_folder_of(input);
}

static void archive_rows_on_refused(void *arg, const struct cfs_error *why)
{
	struct archive_rows *a = arg;

	(void)why;		/* logged already */
	a->facts.lacks_some = true;
}

static int archive_rows_add_input(struct archive_rows *a, const char *input,
				  struct cfs_error *err)
{
	struct archive_input *in = &a->inputs[a->n_inputs];
	struct cfs_indexer_opts io = {
		.inputs = &input, .n_inputs = 1, .output = "export",
		.format = CFS_INDEX_CFX, .opener = a->opts.opener,
		.base = a->opts.list_base, .cache_dir = a->opts.cache_dir,
		.cancel = a->opts.cancel, .refused = archive_rows_on_refused,
		.arg = a };

	struct cfs_store_opts so = { .n_bases = 1,
		.max_record_bytes = a->opts.max_record_bytes,
		.opener = a->opts.opener, .cache_dir = a->opts.cache_dir,
		.budget = a->opts.budget, .spill_dir = a->opts.spill_dir };
	int rc;

	in->base = archive_rows_base_of(input);
	if (in->base == NULL)
		return cfs_error_nomem(err);
	in->is_stdin = a->opts.stdin_path != NULL &&
		       strcmp(input, a->opts.stdin_path) == 0;
	if (io.base == NULL)
		io.base = in->base;
	a->n_inputs++;
	rc = cfs_indexer_list(&in->files, &io, err);
	if (rc != CFS_OK || a->opts.hold_bytes == 0)
		return rc;
	so.bases = (const char *const *)&in->files.base;
	return cfs_store_new(&in->store, &so, err);
}

static void archive_rows_free(struct cfs_export_drive *d)
{
	struct archive_rows *a = (struct archive_rows *)d;

	for (size_t i = 0; i < a->n_inputs; i++) {
		cfs_store_free(a->inputs[i].store);
		cfs_indexer_files_release(&a->inputs[i].files);
		free(a->inputs[i].base);
	}
	free(a->inputs);
	free(a->units);
	cfs_pick_free(a->pick);
	cfs_source_close(a->src);
	free(a);
}

static uint64_t bytes_of(const struct archive_unit *u)
{
	return u->member != NULL ? u->member->at.stored : u->file->size;
}

/* ---- the plan ------------------------------------------------------------ */

/* The number of stretches that a unit is cut into, if it can be. */
static uint64_t stretches_of(const struct archive_unit *u)
{
	uint64_t n = bytes_of(u);

	if (u->file->is_remote || n <= STRETCH_LAST)
		return 1;
	return (n - STRETCH_LAST + STRETCH_BYTES - 1) / STRETCH_BYTES + 1;
}

static void archive_rows_next_unit(struct archive_rows *a)
{
	cfs_source_close(a->src);
	a->src = NULL;
	a->is_begun = false;
	a->unit++;
}

/* Finds where a stretch of the unit begins.  False: nowhere, because what is
 * before it cannot be cut. */
static bool archive_rows_find_begin(struct archive_rows *a,
				    const struct archive_unit *u,
				    uint64_t stretch, uint64_t *out,
				    struct cfs_ctx ctx)
{
	*out = 0;
	if (stretch == 0)
		return true;
	if (a->src == NULL &&
	    cfs_indexer_open_part(&a->src, &u->input->files, u->file, u->member,
				  CFS_CTX(ctx.cancel, NULL)) != CFS_OK)
		return false;
	return cfs_scan_split(a->src, stretch * STRETCH_BYTES, out,
			      CFS_CTX(ctx.cancel, NULL)) == CFS_OK &&
	       *out > 0 && *out < bytes_of(u);
}

/* The place of a stretch among all, which decides the part that it is in. */
static uint64_t place_of(const struct archive_rows *a,
			 const struct archive_unit *u, uint64_t stretch)
{
	return u->before + (a->sizes_known ? stretch * STRETCH_BYTES : 0);
}

/* Goes to the next unit with a stretch in the part.  False: there is none. */
static bool archive_rows_begin(struct archive_rows *a, struct cfs_ctx ctx)
{
	for (; !a->is_begun && a->unit < a->n_units; a->unit++) {
		const struct archive_unit *u = &a->units[a->unit];
		uint64_t n = stretches_of(u);

		a->stretch = 0;
		if (place_of(a, u, 0) < a->part_from)
			a->stretch = a->sizes_known ? (a->part_from -
				u->before + STRETCH_BYTES - 1) /
				STRETCH_BYTES : n;
		if (a->stretch >= n ||
		    place_of(a, u, a->stretch) >= a->part_to ||
		    !archive_rows_find_begin(a, u, a->stretch, &a->from,
					     ctx)) {
			cfs_source_close(a->src);
			a->src = NULL;
			continue;
		}
		a->is_begun = true;
		break;
	}
	return a->is_begun;
}

/* Takes the next stretch of the unit: from a->from to *to; 0 or the size means
 * the rest of it. */
static void archive_rows_take(struct archive_rows *a,
			      const struct archive_unit *u, uint64_t *to,
			      struct cfs_ctx ctx)
{
	uint64_t n = stretches_of(u), rest = a->from > 0 ? bytes_of(u) : 0;

	*to = rest;
	while (++a->stretch < n) {
		if (!archive_rows_find_begin(a, u, a->stretch, to, ctx)) {
			a->stretch = n;
			*to = rest;
		} else if (*to > a->from) {
			break;	/* else a member is longer than a stretch */
		}
	}
}

static int archive_rows_next(struct cfs_export_drive *d,
			     struct cfs_export_batch **out, struct cfs_ctx ctx)
{
	struct archive_rows *a = (struct archive_rows *)d;
	struct archive_unit *u;
	struct archive_batch *b;

	*out = NULL;
	if (!archive_rows_begin(a, ctx))
		return CFS_OK;
	u = &a->units[a->unit];
	b = calloc(1, sizeof(*b));
	if (b == NULL)
		return cfs_error_nomem(ctx.err);
	cfs_export_batch_init(&b->base);
	cfs_buf_init(&b->damage, DAMAGE_MAX);
	b->unit = u;
	b->from = a->from;
	archive_rows_take(a, u, &b->to, ctx);
	/* void stretches are numbered, too: a run that is resumed does not know
	 * them */
	b->base.is_void = b->from > 0 && atomic_load(&u->is_given_up);
	if (b->to > 0 && b->to < bytes_of(u))
		b->base.sure = 0;
	a->from = b->to;
	if (a->stretch >= stretches_of(u) ||
	    place_of(a, u, a->stretch) >= a->part_to)
		archive_rows_next_unit(a);
	*out = &b->base;
	return CFS_OK;
}

static void archive_rows_free_batch(struct cfs_export_batch *batch)
{
	struct archive_batch *b = (struct archive_batch *)batch;

	cfs_export_batch_release(&b->base);
	cfs_buf_release(&b->damage);
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
	b->base.sure = b->base.rows.n;
	b->rows_before = b->base.made;
	b->errors_before = b->base.errors;
	b->damage_before = b->damage.n;
}

static int archive_rows_put_error(struct archive_reading *g,
				  const char *why)
{
	cfs_export_row_fail(&g->w->row, why);
	return cfs_export_put(g->w, &g->b->base, g->err);
}

/* Keeps a line for the log; more than DAMAGE_MAX bytes are left out. */
static void keep_damage_line(struct archive_batch *b,
			     const struct cfs_error *what)
{
	char line[LINE_BYTES];

	cfs_error_line(what, line, sizeof(line));
	if (b->damage.n + strlen(line) < DAMAGE_MAX)
		cfs_buf_addf(&b->damage, "%s\n", line);
}

static void log_damage_lines(struct archive_batch *b)
{
	struct cfs_slice rest = cfs_buf_slice(&b->damage);

	while (rest.n > 0) {
		struct cfs_slice line = cfs_slice_split(&rest, '\n');

		cfs_log(CFS_LOG_WARNING, "%.*s", (int)line.n,
			(const char *)line.p);
	}
	cfs_buf_reset(&b->damage);
}

static void archive_rows_on_damage(void *arg, const struct cfs_error *what)
{
	struct archive_reading *g = arg;

	if (g->rc != CFS_OK)
		return;
	keep_damage_line(g->b, what);
	cfs_export_row_reset(&g->w->row);
	cfs_export_row_place(&g->w->row, g->w->opts->fields, CFS_SLICE_EMPTY,
			     g->name, what->offset + g->shift, 0);
	g->rc = archive_rows_put_error(g, what->text);
}

/* Is the record a capture, and one that is wanted? */
static bool is_wanted(const struct archive_rows *a,
		      const struct cfs_scan_item *item)
{
	struct cfs_builder_capture c;

	return cfs_indexer_capture(item, &c) &&
	       cfs_pick_takes(a->pick, &c);
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
	if (!is_wanted(g->a, item))
		return CFS_OK;
	in.loc.offset += g->shift;
	if (item->record->type == CFS_RECORD_REVISIT)
		in.no_body_reason = "the body is in another record";
	cfs_export_row_reset(&g->w->row);
	rc = cfs_export_row_fill(&g->w->row, g->w->opts->fields, &in,
				 CFS_CTX(g->w->cancel, &e));
	if (rc == CFS_ELIMIT)
		return archive_rows_put_error(g, e.text);
	if (rc == CFS_OK)
		return cfs_export_put(g->w, &g->b->base, g->err);
	return cfs_error_pass(g->err, &e, rc);
}

/* Fills the row of a record that was read into memory of the budget, or into a
 * file. */
static int fill_long(struct archive_reading *g, struct cfs_view_input *in,
		     struct cfs_ctx ctx)
{
	size_t body = in->record->body.n < CFS_HTML_BYTES_MAX ?
		      in->record->body.n : CFS_HTML_BYTES_MAX;
	struct cfs_budget_load load;
	int rc = cfs_budget_begin(&load, g->a->opts.budget, CFS_MEM_VIEWS,
				  LONG_RATIO * (uint64_t)body, ctx);

	if (rc != CFS_OK)
		return rc;
	rc = cfs_export_row_fill(&g->w->row, g->w->opts->fields, in, ctx);
	cfs_budget_end(&load, 0);
	return rc;
}

/* Makes the row of a long record, which is read once more for that. */
static int archive_rows_on_long(void *arg, const struct cfs_span *span)
{
	struct archive_reading *g = arg;
	struct cfs_span at = *span;
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_stored *stored = NULL;
	struct cfs_view_input in = { .archive_name = g->name,
				     .notes = CFS_SLICE_EMPTY };
	struct cfs_scan_item item = { .is_one_member = false };
	int rc = g->rc;

	if (rc != CFS_OK)
		return rc;
	archive_rows_pass(g->b, span->offset);
	at.offset += g->shift;
	cfs_export_row_reset(&g->w->row);
	rc = cfs_store_get(g->b->unit->input->store,
			   cfs_slice_str(g->b->unit->file->name), &at, &stored,
			   CFS_CTX(g->w->cancel, &e));
	if (rc == CFS_OK) {
		in.record = item.record = cfs_stored_record(stored);
		in.url = in.record->url;
		in.loc = item.span = at;
		if (cfs_stored_is_spilled(stored))
			in.pages = CFS_PAGES_RELEASED;
	}
	if (rc == CFS_OK && is_wanted(g->a, &item)) {
		rc = fill_long(g, &in, CFS_CTX(g->w->cancel, &e));
		if (rc == CFS_OK)
			rc = cfs_export_put(g->w, &g->b->base, &e);
	}
	if (rc != CFS_OK && rc != CFS_END && rc != CFS_EINTR &&
	    rc != CFS_ENOMEM) {
		keep_damage_line(g->b, &e);
		cfs_export_row_place(&g->w->row, g->w->opts->fields,
				     CFS_SLICE_EMPTY, g->name, at.offset, 0);
		rc = archive_rows_put_error(g, e.text);
	}
	rc = cfs_error_pass(g->err, &e, rc);
	cfs_stored_put(stored);
	return rc;
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
		.hold_bytes = g->a->opts.hold_bytes,
		.too_long = archive_rows_on_long,
		.no_bodies = (cfs_export_made_of(g->w->opts->fields) &
			      CFS_EXPORT_OF_BODY) == 0,
		.cancel = g->w->cancel, .arg = g, .from = b->from, .to = b->to
	};
	struct cfs_scan_counts counts = { 0 };
	struct cfs_source *src;
	int rc = cfs_indexer_open_part(&src, &b->unit->input->files,
				       b->unit->file, b->unit->member,
				       CFS_CTX(g->w->cancel, err));

	if (rc != CFS_OK)
		return rc;
	rc = cfs_scan_archive(src, &opts, archive_rows_on_record, &counts, err);
	b->missed_end = counts.missed_end && b->to > 0 && b->to < src->size;
	cfs_source_close(src);
	return rc;
}

/* True for a failure of a server, which may work again later: then part of the
 * archive must not be taken for all of it. */
static bool may_pass(const struct archive_unit *u, int rc)
{
	return u->file->is_remote && (rc == CFS_EIO || rc == CFS_ETIMEOUT ||
				      rc == CFS_ECHANGED);
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
		.w = w, .name = cfs_slice_str(b->unit->name),
		.shift = b->unit->member != NULL ? b->unit->member->at.offset :
						   0,
		.err = &of_row };
	int rc = archive_rows_scan(&g, &e);

	if (g.rc != CFS_OK || of_row.code != CFS_OK) {
		rc = cfs_error_pass(err, &of_row, g.rc != CFS_OK ? g.rc : rc);
		return rc == CFS_END ? CFS_OK : rc;
	}
	if (rc == CFS_OK || rc == CFS_END)
		return CFS_OK;
	cfs_error_where(&e, b->unit->file->path, 0);
	if (rc == CFS_EINTR || rc == CFS_ENOMEM || may_pass(b->unit, rc))
		return cfs_error_pass(err, &e, rc);
	archive_rows_on_damage(&g, &e);
	rc = cfs_error_pass(err, &of_row, g.rc);
	return rc == CFS_END ? CFS_OK : rc;
}

/* Is it of the same archive? */
static bool is_of_same_archive(const struct cfs_export_batch *later,
			       const struct cfs_export_batch *b)
{
	const struct archive_batch *x = (const struct archive_batch *)later;
	const struct archive_batch *y = (const struct archive_batch *)b;

	return x->unit == y->unit;
}

/* If the end of a stretch was inside a record, drops the rows of its last
 * member, and makes them again with the rest of the archive. */
static int archive_rows_settle(struct cfs_export_drive *d,
			       struct cfs_export_batch *batch,
			       struct cfs_export_worker *w,
			       struct cfs_error *err)
{
	struct archive_batch *b = (struct archive_batch *)batch;
	int rc;

	if (!b->missed_end) {
		log_damage_lines(b);
		return CFS_OK;
	}
	atomic_store(&b->unit->is_given_up, true);
	cfs_export_make_void(w, batch, is_of_same_archive);
	b->base.rows.n = b->base.sure;
	b->base.made = b->rows_before;
	b->base.errors = b->errors_before;
	b->damage.n = b->damage_before;
	if (b->has_last)
		b->from = b->last_offset;
	b->base.sure = SIZE_MAX;
	b->base.is_no_mark = true;
	b->to = b->from > 0 ? bytes_of(b->unit) : 0;
	rc = archive_rows_fill(d, batch, w, err);
	log_damage_lines(b);
	return rc;
}

static const struct cfs_export_drive_ops archive_rows_ops = {
	.next = archive_rows_next, .fill = archive_rows_fill,
	.settle = archive_rows_settle, .free_batch = archive_rows_free_batch,
	.progress = archive_rows_progress, .free = archive_rows_free
};

/* ---- beginning ----------------------------------------------------------- */

/* Adds what is known of a unit to the facts. */
static void note_unit(struct archive_rows *a, const struct archive_unit *u)
{
	const struct cfs_indexer_file *f = u->file;
	uint64_t known[3] = { f->size, (uint64_t)f->mtime, f->mtime_nsec };
	struct cfs_archive_rows_facts *facts = &a->facts;

	facts->state = cfs_hash64(cfs_slice_str(f->path), facts->state);
	facts->state = cfs_hash64(cfs_slice_of(known, sizeof(known)),
				  facts->state);
	facts->any_remote = facts->any_remote || f->is_remote;
	if (f->mtime > facts->time)
		facts->time = f->mtime;
	a->sizes_known = a->sizes_known && bytes_of(u) > 0;
	a->bytes_total += bytes_of(u);
}

static void archive_rows_add_unit(struct archive_rows *a,
				  struct archive_input *in,
				  const struct cfs_indexer_file *f,
				  const struct cfs_wacz_member *m)
{
	struct archive_unit *u = &a->units[a->n_units++];

	u->input = in;
	u->file = f;
	u->member = m;
	u->name = f->name;
	if (in->is_stdin)
		u->name = "-";
	note_unit(a, u);
}

/* Adds the archives of an input; units has room for them, or is NULL: then they
 * are counted. */
static size_t add_units(struct archive_rows *a, struct archive_input *in)
{
	size_t n = 0;

	for (size_t i = 0; i < in->files.n; i++) {
		const struct cfs_indexer_file *f = &in->files.v[i];
		const struct cfs_wacz_member *m = NULL;
		size_t at = 0;

		if (f->role != CFS_FILE_ARCHIVE && f->role != CFS_FILE_WACZ)
			continue;
		while (f->wacz == NULL ||
		       (m = cfs_indexer_next_member(f, &at)) != NULL) {
			if (m == NULL || m->role == CFS_WACZ_ARCHIVE) {
				n++;
				if (a->units != NULL)
					archive_rows_add_unit(a, in, f, m);
			}
			if (f->wacz == NULL)
				break;
		}
	}
	return n;
}

/* total * k / n, without overflow. */
static uint64_t archive_rows_share(uint64_t total, uint64_t k, uint64_t n)
{
	return total / n * k + total % n * k / n;
}

/* Finds the archives, and the part of them that is wanted. */
static int lay_out(struct archive_rows *a, struct cfs_error *err)
{
	const struct cfs_part *part = &a->opts.part;
	uint64_t total;
	size_t n = 0;

	for (size_t i = 0; i < a->n_inputs; i++)
		n += add_units(a, &a->inputs[i]);
	if (n == 0)
		return cfs_error_set(err, CFS_ENOTFOUND,
				     "no archive to export");
	a->units = calloc(n, sizeof(*a->units));
	if (a->units == NULL)
		return cfs_error_nomem(err);
	a->sizes_known = true;
	for (size_t i = 0; i < a->n_inputs; i++)
		add_units(a, &a->inputs[i]);
	for (size_t i = 1; i < a->n_units; i++)
		a->units[i].before = a->units[i - 1].before +
			(a->sizes_known ? bytes_of(&a->units[i - 1]) : 1);
	total = a->sizes_known ? a->bytes_total : n;
	a->part_to = UINT64_MAX;
	if (part->n > 0) {
		a->part_from = archive_rows_share(total, part->k - 1, part->n);
		a->part_to = archive_rows_share(total, part->k, part->n);
	}
	return CFS_OK;
}

/* Makes one condition of the conditions and the prefixes, in all their
 * readings. */
static int pick_prefixes(struct archive_rows *a, struct cfs_error *err)
{
	struct cfs_buf lines;
	int rc;

	cfs_buf_init(&lines, SIZE_MAX / 2);
	for (char **p = a->opts.prefixes; p != NULL && *p != NULL; p++) {
		cfs_buf_adds(&lines, *p);
		cfs_buf_addc(&lines, '\n');
	}
	rc = cfs_pick_new(&a->pick, a->opts.conditions,
			  lines.n > 0 ? cfs_buf_str(&lines) : NULL, err);
	cfs_buf_release(&lines);
	return rc;
}

int cfs_archive_rows_new(struct cfs_export_drive **out,
			 const struct cfs_archive_rows_opts *opts,
			 struct cfs_archive_rows_facts *facts,
			 struct cfs_error *err)
{
	struct archive_rows *a = calloc(1, sizeof(*a));
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
		rc = archive_rows_add_input(a, opts->inputs[i], err);
	if (rc == CFS_OK)
		rc = pick_prefixes(a, err);
	if (rc == CFS_OK)
		rc = lay_out(a, err);
	if (rc != CFS_OK) {
		archive_rows_free(&a->base);
		return rc;
	}
	*facts = a->facts;
	*out = &a->base;
	return CFS_OK;
}
