/* verify.c - cuts archives into parts, has threads read them, and records the
 * results in order.
 *
 * Parts are planned (verify_plan.c), read and settled as jobs in order
 * (base/ordered.h); a part is settled when its findings go to the report.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "verify_internal.h"

#include <stdlib.h>
#include <string.h>

#include "index/index_walk.h"
#include "base/log.h"
#include "base/ordered.h"
#include "base/pool.h"
#include "base/sync.h"
#include "net/open_location.h"
#include "record/zipped.h"

/* Threads for archives on servers, which mostly wait. */
#define REMOTE_PARALLEL 8u
#define ASK_THREADS 16u

struct cfs_verify {
	struct cfs_verify_opts opts;
	struct cfs_holes holes;
	struct cfs_verify_plan plan;	/* used by the planning thread */
	struct cfs_verify_reader reader;
	struct cfs_verify_report *report;	/* used by the settling
						 * thread */
	struct cfs_ordered run;
	struct cfs_verify_tally resumed;	/* of parts that an earlier run
						 * has verified */
	struct cfs_verify_result result;	/* used by the settling
						 * thread */
};

static void add_tally(struct cfs_verify_tally *to,
		      const struct cfs_verify_tally *t)
{
	for (size_t i = 0; i < CFS_VERIFY_TOTALS; i++)
		to->totals[i] += t->totals[i];
	for (size_t i = 0; i < CFS_VERIFY_CHECKS; i++) {
		to->checks[i].matched += t->checks[i].matched;
		to->checks[i].differed += t->checks[i].differed;
		to->checks[i].absent += t->checks[i].absent;
		to->checks[i].unknown += t->checks[i].unknown;
	}
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
		rc = cfs_verify_plan_next(&v->plan, &p, err);
		if (rc != CFS_OK || p == NULL)
			return rc;
		if (!cfs_verify_report_use(v->report, p->id, &to, &tally)) {
			p->job.group = &p->unit->group;
			*out = &p->job;
			return CFS_OK;
		}
		cfs_verify_plan_done(&v->plan, to);
		cfs_verify_part_free(p);
		atomic_fetch_add(&v->reader.bytes, tally.bytes);
		atomic_fetch_add(&v->reader.records, tally.records);
		add_tally(&v->resumed, &tally);
	}
	return rc;
}

static void do_part(void *arg, struct cfs_ordered_job *job, void *worker)
{
	struct cfs_verify *v = arg;

	(void)worker;
	cfs_verify_read(&v->reader, (struct cfs_verify_part *)job);
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
		.bytes_done = atomic_load(&v->reader.bytes),
		.bytes_total = v->plan.bytes_total,
		.captures = atomic_load(&v->reader.records) };

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

struct record_asking {
	struct cfs_verify_plan *plan;
	struct cfs_verify_reader *r;
	const struct cfs_verify_report *report;
	struct cfs_verify_unit **units;
};

/* The URL of an archive, or of the WACZ that contains it; malloced.  NULL: it
 * has none, or out of memory. */
static char *url_of(const struct record_asking *a,
			const struct cfs_verify_unit *u,
			const struct cfs_cancel *cancel)
{
	struct cfs_slice file = cfs_slice_str(u->location), member;
	struct cfs_source *src;
	char *url = NULL;

	if (!u->is_stored) {
		(void)cfs_zipped_split(file, &file, &member);
		return strndup((const char *)file.p, file.n);
	}
	if (cfs_store_source(a->r->opts->store, file, &src,
			     CFS_CTX(cancel, NULL)) != CFS_OK)
		return NULL;
	if (src->url != NULL)
		url = strdup(src->url);
	cfs_source_close(src);
	return url;
}

/* Asks about one archive.  Leaves most failures to reading, which reports
 * them. */
static int ask_one(void *arg, size_t i, unsigned thread, struct cfs_ctx ctx)
{
	const struct record_asking *a = arg;
	struct cfs_verify_unit *u = a->units[i];
	char *url = url_of(a, u, ctx.cancel);
	struct cfs_source *src = NULL;
	uint64_t state = 0;
	int rc = url != NULL ? cfs_location_open(&src, url, ctx.err) : CFS_OK;

	(void)thread;
	if (rc == CFS_OK && src != NULL)
		rc = cfs_source_find_size(src, ctx);
	if (rc == CFS_OK && src != NULL)
		state = cfs_verify_state_of(src);
	cfs_source_close(src);
	free(url);
	if (rc != CFS_OK)
		return cfs_verify_is_fatal(u, rc) ? rc : CFS_OK;
	if (state == 0 || cfs_verify_report_is_of(a->report, u->name, state))
		return CFS_OK;
	u->state = state;
	if (a->plan->opts->only_added)	/* otherwise logged when its turn
					 * comes */
		cfs_log(CFS_LOG_WARNING, "%s: has changed since it was "
			"verified: it is verified again", u->name);
	return CFS_OK;
}

/* Asks about the archives that the report has parts of, several at a time.  One
 * that has changed gets its `state`, and is logged.  0, or a failure that ends
 * the run. */
static int ask(struct cfs_verify_plan *p, struct cfs_verify_reader *r,
	       const struct cfs_verify_report *report, struct cfs_error *err)
{
	struct record_asking a = { .plan = p, .r = r, .report = report };
	struct cfs_pool_calls calls = { .threads = ASK_THREADS,
					.one = ask_one,
					.arg = &a };
	size_t n = 0;
	int rc;

	a.units = calloc(p->n + 1, sizeof(*a.units));
	if (a.units == NULL)
		return cfs_error_nomem(err);
	for (size_t i = 0; i < p->n; i++) {
		struct cfs_verify_unit *u = &p->units[i];

		if (u->is_remote && !u->skip &&
		    cfs_verify_report_knows(report, u->name))
			a.units[n++] = u;
	}
	calls.n = n;
	rc = cfs_pool_each(&calls, CFS_CTX(r->cancel, err));
	free(a.units);
	return rc;
}

/* ---- the public calls ---------------------------------------------------- */

static int bad_index(void *arg, cfs_pos pos, const struct cfs_error *what)
{
	struct cfs_verify *v = arg;

	(void)pos;
	return cfs_verify_plan_bad(&v->plan, CFS_VERIFY_BAD_INDEX, what, NULL);
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
	v->run = (struct cfs_ordered){ .ops = &verify_ops, .arg = v,
				       .outer = v->opts.cancel };
	cfs_ordered_init(&v->run);
	v->reader = (struct cfs_verify_reader){ .opts = &v->opts,
		.cancel = &v->run.cancel, .run = &v->run };
	rc = cfs_verify_plan_init(&v->plan, &v->opts, err);
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
	cfs_verify_plan_release(&v->plan);
	cfs_holes_release(&v->holes);
	cfs_ordered_release(&v->run);
	free(v);
}

int cfs_verify_input(struct cfs_verify *v, const char *input,
		     struct cfs_error *err)
{
	return cfs_verify_plan_input(&v->plan, input, err);
}

int cfs_verify_entry(struct cfs_verify *v, const struct cfs_iter *it,
		     const struct cfs_capture *cap, struct cfs_error *err)
{
	return cfs_verify_plan_entry(&v->plan, it, cap, err);
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
		rc = cfs_verify_plan_archives(&v->plan, err);
	while (rc == CFS_OK && (rc = cfs_index_walk_capture(w)) == CFS_OK)
		rc = cfs_verify_entry(v, &w->it, &w->cap, err);
	cfs_index_walk_free(w);
	return rc == CFS_END ? CFS_OK : rc;
}

int cfs_verify_run(struct cfs_verify *v, struct cfs_verify_result *result,
		   struct cfs_error *err)
{
	int64_t from_ms = cfs_monotonic_ms();
	int rc = cfs_verify_plan_begin(&v->plan, &v->reader, err);

	*result = (struct cfs_verify_result){ 0 };
	v->run.threads = v->opts.parallel > 0 ? v->opts.parallel :
		     cfs_processors() + (v->plan.any_remote ? REMOTE_PARALLEL :
							      0);
	if (v->run.threads > CFS_VERIFY_PARALLEL_MAX)
		v->run.threads = CFS_VERIFY_PARALLEL_MAX;
	if (v->opts.mem_bytes > 0)
		v->reader.record_bytes = cfs_scan_hold(v->opts.mem_bytes / 2,
						       v->run.threads);
	if (rc == CFS_OK)
		rc = cfs_verify_report_open(&v->report, &v->opts, err);
	v->reader.report = v->report;
	if (rc == CFS_OK && !cfs_verify_report_is_new(v->report))
		rc = ask(&v->plan, &v->reader, v->report, err);
	if (rc == CFS_OK)
		rc = cfs_ordered_run(&v->run, err);
	add_tally(&v->result.sum, &v->resumed);
	v->result.resumed = v->resumed.records;
	v->result.archives = v->plan.archives;
	v->result.has_lists = v->plan.has_lists;
	if (rc == CFS_OK)
		rc = cfs_verify_report_finish(v->report, &v->result, err);
	v->result.seconds = (double)(cfs_monotonic_ms() - from_ms) / 1e3;
	*result = v->result;
	return rc;
}
