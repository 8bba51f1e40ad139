/* verify.c - cuts archives into parts, has threads read them, and records the
 * results in order.
 *
 *     where from           what for each           where to
 *     verify_plan.c   -->  verify_part.c      -->  base/ordered.h  -->  report,
 *     (units, cut by       (each record with       (parts in the        sum
 *     record/stretches)    itself, and with        order of the
 *     verify_rows.c   -->  its entries:            archives)
 *     (index/walk, lists)  verify_match.c)
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "verify_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/pool.h"
#include "base/sync.h"
#include "net/open_location.h"
#include "record/zipped.h"

/* Threads for archives on servers, which mostly wait. */
#define REMOTE_PARALLEL 8u
#define ASK_THREADS 16u

static void add_tally(struct cfs_verify_tally *to,
		      const struct cfs_verify_tally *t)
{
	for (size_t i = 0; i < CFS_VERIFY_FIGURES; i++)
		to->figures[i] += t->figures[i];
}

/* ---- settling ------------------------------------------------------------ */

static int verify_settle(void *arg, struct cfs_ordered_job *job, void *worker,
			 struct cfs_error *err)
{
	struct cfs_verify *v = arg;
	struct cfs_verify_part *p = (struct cfs_verify_part *)job;
	int rc = cfs_error_pass(err, &p->error, p->rc);

	(void)worker;
	if (rc == CFS_OK && p->is_unread) {
		v->result.sum.unread += !p->unit->is_unread;
		return cfs_verify_report_unread(v->report, p, err);
	}
	if (rc == CFS_OK)
		rc = cfs_verify_report_add(v->report, p, err);
	if (rc == CFS_OK)
		rc = cfs_verify_report_mark(v->report, p, err);
	if (rc == CFS_OK)
		add_tally(&v->result.sum, &p->tally);
	return rc;
}

/* ---- planning and reading ------------------------------------------------ */

/* Plans the next part to read.  Parts that an earlier run has verified are only
 * counted. */
static int plan_part(void *arg, struct cfs_ordered_job **out,
		     struct cfs_error *err)
{
	struct cfs_verify *v = arg;
	struct cfs_verify_part *p = NULL;
	struct cfs_verify_tally tally;
	uint64_t to;
	int rc = CFS_OK;

	*out = NULL;
	while (rc == CFS_OK) {
		rc = cfs_verify_plan_next(v, &p, err);
		if (rc != CFS_OK || p == NULL)
			return rc;
		if (!cfs_verify_report_use(v->report, p->id, &to, &tally)) {
			p->job.group = &p->unit->group;
			*out = &p->job;
			return CFS_OK;
		}
		cfs_stretches_go(&v->stretches, to);
		cfs_verify_part_free(p);
		atomic_fetch_add(&v->bytes, tally.bytes);
		atomic_fetch_add(&v->records, tally.records);
		add_tally(&v->resumed, &tally);
	}
	return rc;
}

static void do_part(void *arg, struct cfs_ordered_job *job, void *worker)
{
	struct cfs_verify *v = arg;

	(void)worker;
	cfs_verify_read(v, (struct cfs_verify_part *)job);
}

static void free_part(void *arg, struct cfs_ordered_job *job)
{
	(void)arg;
	cfs_verify_part_free((struct cfs_verify_part *)job);
}

static void verify_show(void *arg)
{
	const struct cfs_verify *v = arg;
	struct cfs_progress p = {
		.bytes_done = atomic_load(&v->bytes),
		.bytes_total = v->bytes_total,
		.captures = atomic_load(&v->records) };

	if (p.bytes_done > p.bytes_total)
		p.bytes_done = p.bytes_total;
	if (v->opts.progress != NULL)
		v->opts.progress(v->opts.arg, &p);
}

static const struct cfs_ordered_ops verify_ops = {
	.plan = plan_part, .work = do_part, .settle = verify_settle,
	.free_job = free_part, .show = verify_show
};

/* ---- the state of archives on servers ------------------------------------
 *
 * Each archive takes a request that bypasses the block cache, which may keep
 * the old state.  If a server sends neither ETag nor date, the size alone
 * decides. */

/* The URL of an archive, or of the WACZ that contains it; malloced.  NULL: it
 * has none, or out of memory. */
static char *url_of(struct cfs_verify *v, const struct cfs_verify_unit *u,
		    const struct cfs_cancel *cancel)
{
	struct cfs_slice file = cfs_slice_str(u->location), member;
	struct cfs_source *src;
	char *url = NULL;

	if (!u->is_stored) {
		(void)cfs_zipped_split(file, &file, &member);
		return strndup((const char *)file.p, file.n);
	}
	if (cfs_store_source(v->opts.store, file, &src,
			     CFS_CTX(cancel, NULL)) != CFS_OK)
		return NULL;
	if (src->url != NULL)
		url = strdup(src->url);
	cfs_source_close(src);
	return url;
}

/* Asks about an archive of which the report has parts.  One that has changed
 * gets its `state`, and is logged.  Leaves most failures to reading, which
 * reports them. */
static int ask_one(void *arg, size_t i, unsigned thread, struct cfs_ctx ctx)
{
	struct cfs_verify *v = arg;
	struct cfs_verify_unit *u = &v->units[i];
	struct cfs_source *src = NULL;
	uint64_t state = 0;
	char *url;
	int rc;

	(void)thread;
	if (!u->is_remote || u->skip ||
	    cfs_verify_report_state(v->report, u->name, 0) ==
		    CFS_VERIFY_NOT_READ)
		return CFS_OK;
	url = url_of(v, u, ctx.cancel);
	rc = url != NULL ? cfs_location_open(&src, url, ctx.err) : CFS_OK;
	if (rc == CFS_OK && src != NULL)
		rc = cfs_source_find_size(src, ctx);
	if (rc == CFS_OK && src != NULL)
		state = cfs_verify_state_of(src);
	cfs_source_close(src);
	free(url);
	if (rc != CFS_OK)
		return cfs_verify_is_fatal(u, rc) ? rc : CFS_OK;
	if (state == 0 || cfs_verify_report_state(v->report, u->name, state) !=
				  CFS_VERIFY_CHANGED)
		return CFS_OK;
	u->state = state;
	if (v->opts.only_added)	/* otherwise logged when its turn comes */
		cfs_log(CFS_LOG_WARNING, "%s: has changed since it was "
			"verified: it is verified again", u->name);
	return CFS_OK;
}

/* Asks about archives, several at a time.  0, or a failure that ends the
 * run. */
static int ask(struct cfs_verify *v, struct cfs_error *err)
{
	struct cfs_pool_calls calls = { .n = v->n, .threads = ASK_THREADS,
					.one = ask_one, .arg = v };

	return cfs_verify_report_has_states(v->report) ?
	       cfs_pool_each(&calls, CFS_CTX(&v->run.cancel, err)) : CFS_OK;
}

/* ---- the public calls ---------------------------------------------------- */

struct verify_lists {
	struct cfs_verify *v;
	struct cfs_error *err;
	int rc;
};

static int bad_index(void *arg, cfs_pos pos, const struct cfs_error *what)
{
	struct cfs_verify *v = arg;

	(void)pos;
	return cfs_verify_plan_bad(v, CFS_VERIFY_BAD_INDEX, what, NULL);
}

int cfs_verify_new(struct cfs_verify **out, const struct cfs_verify_opts *opts,
		   struct cfs_error *err)
{
	struct cfs_verify *v = calloc(1, sizeof(*v));
	int rc;

	*out = NULL;
	if (v == NULL)
		return cfs_error_nomem(err);
	v->opts = *opts;
	cfs_holes_init(&v->holes);
	v->holes.found = bad_index;
	v->holes.arg = v;
	v->holes.tells_lines = true;
	v->run = (struct cfs_ordered){ .ops = &verify_ops, .arg = v,
				       .outer = v->opts.cancel };
	cfs_ordered_init(&v->run);
	rc = cfs_verify_plan_init(v, err);
	if (rc != CFS_OK) {
		cfs_verify_free(v);
		return rc;
	}
	*out = v;
	return CFS_OK;
}

void cfs_verify_free(struct cfs_verify *v)
{
	if (v == NULL)
		return;
	cfs_verify_report_free(v->report);
	cfs_verify_plan_release(v);
	cfs_holes_release(&v->holes);
	cfs_ordered_release(&v->run);
	free(v);
}

struct cfs_holes *cfs_verify_holes(struct cfs_verify *v)
{
	return &v->holes;
}

int cfs_verify_index(struct cfs_verify *v, struct cfs_error *err)
{
	struct cfs_index_walk *w;
	int rc = cfs_index_walk_new(&w, v->opts.index, &v->holes,
				    CFS_CTX(v->opts.cancel, err));

	if (rc == CFS_OK && !v->opts.only_added)
		rc = cfs_verify_plan_archives(v, err);
	while (rc == CFS_OK && (rc = cfs_index_walk_capture(w)) == CFS_OK)
		rc = cfs_verify_entry(v, &w->it, &w->cap, err);
	cfs_index_walk_free(w);
	return rc == CFS_END ? CFS_OK : rc;
}

/* The damage of archives that an index records is found again in them, but that
 * of lists is not. */
static void find_of_list(void *arg, const struct cfs_index_damage *d)
{
	struct verify_lists *l = arg;
	struct cfs_error e = CFS_ERROR_INIT;

	if (!d->is_of_list || l->rc != CFS_OK)
		return;
	cfs_error_at(&e, CFS_EFORMAT, (const char *)d->archive.p, 0, "%.*s",
		     (int)d->what.n, (const char *)d->what.p);
	l->rc = cfs_verify_plan_bad(l->v, CFS_VERIFY_BAD_INDEX, &e, l->err);
}

static int find_of_lists(struct cfs_verify *v, struct cfs_error *err)
{
	struct verify_lists l = { v, err, CFS_OK };
	int rc = v->opts.index == NULL ? CFS_OK :
		 cfs_index_damage(v->opts.index, find_of_list, &l,
				  CFS_CTX(v->opts.cancel, err));

	return rc == CFS_OK ? l.rc : rc;
}

int cfs_verify_run(struct cfs_verify *v, struct cfs_verify_result *result,
		   struct cfs_error *err)
{
	int64_t from_ms = cfs_monotonic_ms();
	int rc = find_of_lists(v, err);

	if (rc == CFS_OK)
		rc = cfs_verify_plan_begin(v, err);

	*result = (struct cfs_verify_result){ 0 };
	v->run.threads = v->opts.parallel > 0 ? v->opts.parallel :
		     cfs_processors() + (v->any_remote ? REMOTE_PARALLEL : 0);
	if (v->run.threads > CFS_VERIFY_PARALLEL_MAX)
		v->run.threads = CFS_VERIFY_PARALLEL_MAX;
	if (v->opts.mem_bytes > 0)
		v->record_bytes = cfs_scan_hold(v->opts.mem_bytes / 2,
						v->run.threads);
	if (rc == CFS_OK)
		rc = cfs_verify_report_open(&v->report, &v->opts, err);
	if (rc == CFS_OK)
		rc = ask(v, err);
	if (rc == CFS_OK)
		rc = cfs_ordered_run(&v->run, err);
	add_tally(&v->result.sum, &v->resumed);
	v->result.resumed = v->resumed.records;
	v->result.archives = v->archives;
	v->result.has_lists = v->has_lists;
	if (rc == CFS_OK)
		rc = cfs_verify_report_finish(v->report, &v->result, err);
	v->result.seconds = (double)(cfs_monotonic_ms() - from_ms) / 1e3;
	*result = v->result;
	return rc;
}
