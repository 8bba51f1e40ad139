/* archive_rows.c - makes rows of the records in archives, in their order.
 *
 * Archives are cut into stretches (archive_plan.c).  If a cut turns out to lie
 * inside a record, the rows of the stretch before it go on with all that
 * follows in the file, in place of the later stretches.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "archive_plan.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clamp.h"
#include "base/fileio.h"
#include "base/hash.h"
#include "base/log.h"
#include "crawl/choices.h"
#include "export_internal.h"
#include "indexing/indexer_record.h"
#include "indexing/pick.h"
#include "input/input.h"
#include "net/location.h"
#include "html/outline.h"
#include "spool.h"
#include "view/languages.h"

/* Most bytes of lines about damage in a stretch, and of one. */
#define DAMAGE_MAX ((size_t)64 << 10)
#define LINE_BYTES 640u
/* Most bytes of lines about inputs that cannot be read: a folder may have
 * thousands of them. */
#define REFUSED_MAX ((size_t)16 << 20)
/* Memory that the values made of a body take, as a multiple of it: a copy in
 * UTF-8 and the text. */
#define LONG_RATIO 3u

struct archive_rows {
	struct cfs_export_drive base;
	struct cfs_archive_rows_opts opts;
	struct cfs_pick *pick;		/* NULL: all captures are wanted */
	struct cfs_archive_input *inputs;
	size_t n_inputs;
	struct cfs_archive_plan plan;
	uint64_t bytes_total;
	atomic_uint_least64_t bytes;	/* read so far */
	struct cfs_archive_rows_facts facts;
	struct cfs_buf refused;		/* unreadable inputs: each one's
					 * name and the reason, each ended
					 * by a NUL */
	struct cfs_error trouble;	/* the first of it that may pass */
	bool has_begun;			/* planning has */
	atomic_bool any_wanted;		/* a capture was picked */
	pthread_mutex_t lock;
	struct cfs_choices *choices;	/* until one is; guarded by lock.  NULL:
					 * there are no conditions */
};

struct archive_batch {
	struct cfs_export_batch base;
	struct cfs_archive_unit *unit;	/* NULL: what was refused */
	struct cfs_scan_stretch at;
	/* Damage that is logged once the stretch is known to be one: a line
	 * each. */
	struct cfs_buf damage;
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
	if (cfs_input_of_name(input) == CFS_INPUT_FOLDER)
		return strdup(input);
	return cfs_folder_of(input);
}

static void on_refused(void *arg, const struct cfs_error *why)
{
	struct archive_rows *a = arg;

	if (cfs_code_is_trouble(why->code))
		cfs_error_pass(&a->trouble, why, why->code);
	cfs_buf_append(&a->refused, why->where, strlen(why->where) + 1);
	cfs_buf_append(&a->refused, why->text, strlen(why->text) + 1);
}

/* Lists standard input, which still comes, as the one archive of an input. */
static int list_live(struct archive_rows *a, struct cfs_archive_input *in,
		     const char *path, struct cfs_error *err)
{
	struct cfs_source *src;
	char *copy = strdup(path);
	int rc = cfs_source_open_file(&src, path, err);

	in->spool = a->opts.spool;
	if (rc == CFS_OK && copy == NULL)
		rc = cfs_error_nomem(err);
	if (rc == CFS_OK)
		rc = cfs_indexer_add_file(&in->files, copy, true,
					  CFS_FILE_ARCHIVE, src);
	else
		free(copy);
	cfs_source_close(src);
	if (rc != CFS_OK)
		return cfs_error_set(err, rc, "standard input cannot be read");
	in->files.v[0].size = 0;
	return CFS_OK;
}

static int add_input(struct archive_rows *a, const char *input,
		     struct cfs_error *err)
{
	struct cfs_archive_input *in = &a->inputs[a->n_inputs];
	struct cfs_listing l = { .input = input, .base = a->opts.list_base,
		.opener = a->opts.opener, .cache_dir = a->opts.cache_dir,
		.cancel = a->opts.cancel, .refused = on_refused,
		.arg = a };

	in->base = base_of(input);
	if (in->base == NULL)
		return cfs_error_nomem(err);
	in->is_stdin = a->opts.stdin_path != NULL &&
		       strcmp(input, a->opts.stdin_path) == 0;
	if (l.base == NULL)
		l.base = in->base;
	a->n_inputs++;
	if (in->is_stdin && a->opts.spool != NULL)
		return list_live(a, in, input, err);
	return cfs_indexer_list_input(&in->files, &l, err);
}

static void archive_rows_free(struct cfs_export_drive *d)
{
	struct archive_rows *a = (struct archive_rows *)d;

	for (size_t i = 0; i < a->n_inputs; i++) {
		cfs_indexer_files_release(&a->inputs[i].files);
		free(a->inputs[i].base);
	}
	free(a->inputs);
	cfs_pick_free(a->pick);
	cfs_choices_free(a->choices);
	pthread_mutex_destroy(&a->lock);
	cfs_buf_release(&a->refused);
	cfs_archive_plan_release(&a->plan);
	free(a);
}

/* ---- the plan ------------------------------------------------------------ */

/* Makes a batch that its caller fills in.  NULL: no memory. */
static struct archive_batch *archive_batch_new(struct cfs_export_batch **out)
{
	struct archive_batch *b = calloc(1, sizeof(*b));

	if (b == NULL)
		return NULL;
	cfs_export_batch_init(&b->base);
	cfs_buf_init(&b->damage, DAMAGE_MAX);
	*out = &b->base;
	return b;
}

static int archive_rows_next(struct cfs_export_drive *d,
			     struct cfs_export_batch **out, struct cfs_ctx ctx)
{
	struct archive_rows *a = (struct archive_rows *)d;
	bool is_first = !a->has_begun;
	struct cfs_archive_unit *u;
	struct cfs_scan_stretch at;
	struct archive_batch *b;

	*out = NULL;
	a->has_begun = true;
	if (is_first && a->refused.n > 0 && a->opts.part.k <= 1)
		return archive_batch_new(out) != NULL ? CFS_OK :
		       cfs_error_nomem(ctx.err);
	u = cfs_archive_plan_next(&a->plan, &at, ctx);
	if (u == NULL)		/* all there is is written: is it all? */
		return cfs_error_pass(ctx.err, &a->trouble, a->trouble.code);
	b = archive_batch_new(out);
	if (b == NULL)
		return cfs_error_nomem(ctx.err);
	b->unit = u;
	b->at = at;
	/* void stretches are numbered, too: a run that is resumed does not know
	 * them */
	b->base.job.group = &u->group;
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
				  struct cfs_progress *out)
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
	struct cfs_languages languages;	/* of the record */
	int rc;				/* of a row for damage */
	struct cfs_error *err;
};

static int put_error(struct archive_reading *g, const char *why)
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

static void archive_rows_settle(struct cfs_export_batch *batch)
{
	struct archive_batch *b = (struct archive_batch *)batch;
	struct cfs_slice rest = cfs_buf_slice(&b->damage);

	while (rest.n > 0) {
		struct cfs_slice line = cfs_slice_split(&rest, '\n');

		if (cfs_log_has_room(&b->unit->logged, b->unit->name,
				     "more of it is damaged (rows with an "
				     "error have all)"))
			cfs_log(CFS_LOG_WARNING, "%.*s", (int)line.n,
				(const char *)line.p);
	}
	cfs_buf_reset(&b->damage);
}

static void on_damage(void *arg, const struct cfs_error *what)
{
	struct archive_reading *g = arg;

	if (g->rc != CFS_OK)
		return;
	keep_damage_line(g->b, what);
	cfs_export_row_reset(&g->w->row);
	cfs_export_row_place(&g->w->row, g->w->opts->fields, CFS_SLICE_EMPTY,
			     g->name, what->offset + g->shift, 0);
	g->rc = put_error(g, what->text);
}

/* Counts a capture for the message that is due if none is picked. */
static void note_choice(struct archive_rows *a,
			const struct cfs_builder_capture *c)
{
	const struct cfs_traits t = { c->kind, c->time, c->status, c->mime,
				      c->languages };

	if (a->choices == NULL || atomic_load(&a->any_wanted) ||
	    !cfs_pick_takes_url(a->pick, c->url))
		return;
	pthread_mutex_lock(&a->lock);
	cfs_choices_add(a->choices, &t);
	pthread_mutex_unlock(&a->lock);
}

/* Is the record a capture, and one that is wanted?  If its languages decide,
 * in->languages becomes those. */
static int find_wanted(struct archive_reading *g,
		       const struct cfs_scan_item *item,
		       struct cfs_view_input *in, bool *yes, struct cfs_ctx ctx)
{
	struct cfs_languages *found = &g->languages;
	struct archive_rows *a = g->a;
	struct cfs_builder_capture c;
	struct cfs_doc doc;
	int rc = CFS_OK;

	*found = (struct cfs_languages){ .text = "" };
	*yes = cfs_indexer_capture(item, &c);
	if (*yes && cfs_pick_asks_languages(a->pick, &c)) {
		cfs_doc_find(in, &doc);
		rc = cfs_languages_find(in, &doc, NULL, found, ctx);
		if (rc == CFS_OK)
			in->languages = found;
		c.languages = cfs_languages_list(found);
	}
	if (*yes && rc == CFS_OK)
		note_choice(a, &c);
	*yes = *yes && rc == CFS_OK && cfs_pick_takes(a->pick, &c);
	if (*yes && !atomic_load(&a->any_wanted))
		atomic_store(&a->any_wanted, true);
	return rc;
}

/* Fills the row of a record, if it is wanted.  What is made of a long one is
 * charged to the budget. */
static int fill_wanted(struct archive_reading *g,
		       const struct cfs_scan_item *item,
		       struct cfs_view_input *in, bool *is_wanted,
		       struct cfs_ctx ctx)
{
	struct cfs_budget *budget = item->spill_dir != NULL ?
				    g->a->opts.budget : NULL;
	uint64_t body = cfs_clamp_u64(item->record->body.n, 0,
				      CFS_HTML_BYTES_MAX);
	struct cfs_budget_load load;
	int rc = cfs_budget_begin(&load, budget, CFS_MEM_VIEWS,
				  LONG_RATIO * body, ctx);

	if (rc != CFS_OK)
		return rc;
	rc = find_wanted(g, item, in, is_wanted, ctx);
	in->loc.offset += g->shift;
	if (rc == CFS_OK && *is_wanted)
		rc = cfs_export_row_fill(&g->w->row, g->w->opts->fields, in,
					 ctx);
	cfs_budget_end(&load, 0);
	return rc;
}

static int on_record(void *arg, const struct cfs_scan_item *item)
{
	struct archive_reading *g = arg;
	struct cfs_view_input in = { .record = item->record,
		.url = item->record->url, .archive_name = g->name,
		.loc = item->span, .notes = CFS_SLICE_EMPTY,
		.pages = cfs_scan_pages(item) };
	struct cfs_error e = CFS_ERROR_INIT;
	bool is_wanted;
	int rc = g->rc;

	if (rc != CFS_OK)
		return rc;
	cfs_export_row_reset(&g->w->row);
	if (item->record->body_is_elsewhere)
		in.no_body_reason = "the body is in another record";
	rc = fill_wanted(g, item, &in, &is_wanted, CFS_CTX(g->w->cancel, &e));
	if (rc == CFS_OK && !is_wanted)
		return CFS_OK;
	if (rc == CFS_ELIMIT)
		return put_error(g, e.text);
	if (rc == CFS_OK)
		return cfs_export_put(g->w, &g->b->base, g->err);
	return cfs_error_pass(g->err, &e, rc);
}

static void on_advance(void *arg, uint64_t bytes)
{
	struct archive_reading *g = arg;

	atomic_fetch_add_explicit(&g->a->bytes, bytes, memory_order_relaxed);
}

/* A run that is resumed does not know that the later stretches are void. */
static void on_wrong_cut(void *arg)
{
	struct archive_reading *g = arg;

	g->b->base.is_no_mark = true;
	cfs_export_make_void(g->w, &g->b->base);
}

static int scan(struct archive_reading *g, struct cfs_error *err)
{
	struct archive_batch *b = g->b;
	struct cfs_scan_opts opts = {
		.max_record_bytes = g->a->opts.max_record_bytes,
		.damaged = on_damage,
		.advanced = on_advance,
		.memory_bytes = g->a->opts.memory_bytes,
		.spill_dir = g->a->opts.spill_dir,
		.no_bodies = (cfs_export_demands(g->w->opts->fields,
						 g->a->opts.conditions) &
			      CFS_EXPORT_OF_BODY) == 0,
		.cancel = g->w->cancel, .arg = g, .at = b->at,
		.ran_on = on_wrong_cut
	};
	struct cfs_source *src;
	int rc = cfs_archive_unit_open(b->unit, &src,
				       CFS_CTX(g->w->cancel, err));

	if (rc != CFS_OK)
		return rc;
	rc = cfs_scan_archive(src, &opts, on_record, NULL, err);
	cfs_source_close(src);
	return rc;
}

/* Makes a row for each input that could not be read, which was logged.  A file
 * is not begun, as long as one of them may be read later. */
static int fill_refused(const struct archive_rows *a, struct archive_batch *b,
			struct cfs_export_worker *w, struct cfs_error *err)
{
	struct cfs_slice rest = cfs_buf_slice(&a->refused);
	int rc = CFS_OK;

	if (cfs_rows_out_can_resume(w->opts->out))
		rc = cfs_error_pass(err, &a->trouble, a->trouble.code);
	while (rc == CFS_OK && rest.n > 0) {
		struct cfs_slice name = cfs_slice_split(&rest, '\0');
		struct cfs_slice why = cfs_slice_split(&rest, '\0');

		cfs_export_row_reset(&w->row);
		cfs_export_row_place(&w->row, w->opts->fields &
				     CFS_EXPORT_BIT(CFS_EXPORT_ARCHIVE),
				     CFS_SLICE_EMPTY, name, 0, 0);
		cfs_export_row_fail(&w->row, (const char *)why.p);
		rc = cfs_export_put(w, &b->base, err);
	}
	return rc == CFS_END ? CFS_OK : rc;
}

/* Reads a stretch.  An archive that is missing or damaged is a row with an
 * error; after trouble, part of it must not be taken for all of it. */
static int archive_rows_fill(struct cfs_export_drive *d,
			     struct cfs_export_batch *batch,
			     struct cfs_export_worker *w,
			     struct cfs_error *err)
{
	struct archive_batch *b = (struct archive_batch *)batch;
	struct cfs_error e = CFS_ERROR_INIT, of_row = CFS_ERROR_INIT;
	struct archive_reading g = { .a = (struct archive_rows *)d, .b = b,
		.w = w, .err = &of_row };
	int rc;

	if (b->unit == NULL)
		return fill_refused(g.a, b, w, err);
	g.name = cfs_slice_str(b->unit->name);
	if (b->unit->member != NULL)
		g.shift = b->unit->member->at.offset;
	rc = scan(&g, &e);
	if (g.rc != CFS_OK || of_row.code != CFS_OK) {
		rc = cfs_error_pass(err, &of_row, g.rc != CFS_OK ? g.rc : rc);
		return rc == CFS_END ? CFS_OK : rc;
	}
	if (rc == CFS_OK || rc == CFS_END)
		return CFS_OK;
	cfs_error_where(&e, b->unit->file->path, 0);
	if (cfs_export_ends_with_row(w, rc))
		on_damage(&g, &e);
	if (cfs_code_is_trouble(rc))
		return cfs_error_pass(err, &e, rc);
	on_damage(&g, &e);
	rc = cfs_error_pass(err, &of_row, g.rc);
	return rc == CFS_END ? CFS_OK : rc;
}

static void archive_rows_explain(struct cfs_export_drive *d, uint64_t rows,
				 const struct cfs_cancel *cancel)
{
	struct archive_rows *a = (struct archive_rows *)d;

	(void)cancel;
	if (a->opts.part.n > 0)		/* any part may have nothing */
		return;
	cfs_pick_log_missing(a->pick);
	if (rows == 0 && a->choices != NULL)
		cfs_choices_say(a->choices);
	else if (rows == 0 && a->pick == NULL)
		cfs_log(CFS_LOG_WARNING, "%s: no capture is there",
			a->plan.n_units == 1 ? a->plan.units[0].name :
					       "the archives");
}

static const struct cfs_export_drive_ops archive_rows_ops = {
	.explain = archive_rows_explain,
	.next = archive_rows_next, .fill = archive_rows_fill,
	.settle = archive_rows_settle, .free_batch = archive_rows_free_batch,
	.progress = archive_rows_progress, .free = archive_rows_free
};

/* ---- beginning ----------------------------------------------------------- */

/* Adds what is known of a unit to the facts. */
static void note_unit(struct archive_rows *a, const struct cfs_archive_unit *u)
{
	const struct cfs_indexer_file *f = u->file;
	uint64_t known[3] = { f->size, (uint64_t)f->mtime, f->mtime_nsec };
	struct cfs_archive_rows_facts *facts = &a->facts;
	uint64_t bytes = cfs_archive_unit_bytes(u);

	facts->state = cfs_hash64(cfs_slice_str(f->path), facts->state);
	facts->state = cfs_hash64(cfs_slice_of(known, sizeof(known)),
				  facts->state);
	facts->any_remote = facts->any_remote || f->is_remote;
	if (f->mtime > facts->time)
		facts->time = f->mtime;
	a->plan.sizes_known = a->plan.sizes_known && bytes > 0 &&
			      bytes != CFS_SIZE_UNKNOWN;
	a->bytes_total += bytes != CFS_SIZE_UNKNOWN ? bytes : 0;
}

static void add_unit(struct archive_rows *a, struct cfs_archive_input *in,
		     const struct cfs_indexer_file *f,
		     const struct cfs_wacz_member *m)
{
	struct cfs_archive_unit *u = &a->plan.units[a->plan.n_units++];

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
static size_t add_units(struct archive_rows *a, struct cfs_archive_input *in)
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
				if (a->plan.units != NULL)
					add_unit(a, in, f, m);
			}
			if (f->wacz == NULL)
				break;
		}
	}
	return n;
}

/* Finds the archives, and the part of them that is wanted. */
static int lay_out(struct archive_rows *a, struct cfs_error *err)
{
	struct cfs_archive_unit *u;
	size_t n = 0;

	for (size_t i = 0; i < a->n_inputs; i++)
		n += add_units(a, &a->inputs[i]);
	if (n == 0)
		return cfs_error_set(err, CFS_ENOTFOUND,
				     "no archive to export");
	if (a->refused.failed != CFS_OK)
		return cfs_error_set(err, a->refused.failed, "too many inputs "
				     "cannot be read");
	a->plan.units = calloc(n, sizeof(*a->plan.units));
	if (a->plan.units == NULL)
		return cfs_error_nomem(err);
	a->plan.sizes_known = true;
	for (size_t i = 0; i < a->n_inputs; i++)
		add_units(a, &a->inputs[i]);
	u = a->plan.units;
	for (size_t i = 1; i < a->plan.n_units; i++)
		u[i].before = u[i - 1].before + (a->plan.sizes_known ?
				cfs_archive_unit_bytes(&u[i - 1]) : 1);
	cfs_archive_plan_cut(&a->plan, &a->opts.part, a->plan.sizes_known ?
						      a->bytes_total : n);
	return CFS_OK;
}

/* Makes one condition of the conditions and the prefixes, in all their
 * readings. */
static int pick_prefixes(struct archive_rows *a, struct cfs_error *err)
{
	CFS_BUF(lines, SIZE_MAX / 2);
	int rc;

	for (char **p = a->opts.prefixes; p != NULL && *p != NULL; p++) {
		cfs_buf_adds(&lines, *p);
		cfs_buf_addc(&lines, '\n');
	}
	rc = cfs_pick_new(&a->pick, a->opts.conditions,
			  lines.n > 0 ? cfs_buf_str(&lines) : NULL, err);
	if (rc == CFS_OK && cfs_conditions_given(a->opts.conditions) != 0)
		a->choices = cfs_choices_new(a->opts.conditions);
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
	cfs_buf_init(&a->refused, REFUSED_MAX);
	pthread_mutex_init(&a->lock, NULL);
	a->inputs = calloc(opts->n_inputs + 1, sizeof(*a->inputs));
	if (a->inputs == NULL)
		rc = cfs_error_nomem(err);
	for (size_t i = 0; i < opts->n_inputs && rc == CFS_OK; i++)
		rc = add_input(a, opts->inputs[i], err);
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
