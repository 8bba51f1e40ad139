/* verify.c - cuts archives into parts, has threads read them, and records the
 * results in order.
 *
 * Parts are planned (verify_plan.c) one at a time as threads ask for them, at
 * most PLANNED ahead for each thread.  The thread that finds the first part in
 * order read settles it: its findings go to the report.  A part whose end turns
 * out to be inside a record is read again, from its beginning to the end of its
 * archive, in place of the parts that follow.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "verify_internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/pool.h"
#include "base/sync.h"
#include "net/open_location.h"
#include "record/zipped.h"

#define PROGRESS_MS 100
/* Parts planned but not yet settled, for each thread. */
#define PLANNED 4u
/* Threads for archives on servers, which mostly wait. */
#define REMOTE_PARALLEL 8u
#define ASK_THREADS 16u

struct cfs_verify {
	struct cfs_verify_opts opts;
	struct cfs_verify_plan plan;	/* guarded by plan_lock during a run */
	struct cfs_verify_reader reader;
	struct cfs_verify_report *report;	/* used by the settling
						 * thread */
	struct cfs_cancel cancel;	/* cancels the threads */
	atomic_bool stopped;
	unsigned threads;
	pthread_mutex_t plan_lock;	/* taken before `lock` */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* Guarded by lock: */
	struct cfs_verify_part *head, **tail;
	unsigned planned;
	bool is_settling;
	int rc;				/* the first failure */
	struct cfs_error error;
	struct cfs_verify_result result;
};

static bool verify_should_stop(void *arg)
{
	struct cfs_verify *v = arg;

	return atomic_load_explicit(&v->stopped, memory_order_relaxed) ||
	       cfs_cancelled(v->opts.cancel);
}

static void verify_fail(struct cfs_verify *v, int rc, const struct cfs_error *e)
{
	pthread_mutex_lock(&v->lock);
	if (v->rc == CFS_OK) {
		v->rc = rc;
		v->error = *e;
	}
	atomic_store(&v->stopped, true);
	pthread_cond_broadcast(&v->changed);
	pthread_mutex_unlock(&v->lock);
}

static void verify_add_tally(struct cfs_verify_tally *to,
			     const struct cfs_verify_tally *t)
{
	to->records += t->records;
	to->bytes += t->bytes;
	to->damage += t->damage;
	to->listed_twice += t->listed_twice;
	to->unlisted += t->unlisted;
	for (size_t i = 0; i < CFS_VERIFY_CHECKS; i++) {
		to->checks[i].matched += t->checks[i].matched;
		to->checks[i].differed += t->checks[i].differed;
		to->checks[i].absent += t->checks[i].absent;
	}
}

/* ---- settling ------------------------------------------------------------ */

/* Call if the end of p was inside a record: discards the later parts of its
 * archive, and extends p to the archive's end. */
static int read_rest(struct cfs_verify *v, struct cfs_verify_part *p,
		     struct cfs_error *err)
{
	int rc = cfs_verify_report_undo(v->report, err);

	pthread_mutex_lock(&v->lock);
	p->unit->skip = true;
	for (struct cfs_verify_part *q = v->head; q != NULL; q = q->next)
		if (q != p && q->unit == p->unit)
			q->is_void = true;
	pthread_mutex_unlock(&v->lock);
	if (rc != CFS_OK)
		return rc;
	cfs_verify_part_reset(p);
	cfs_verify_plan_extend(p);
	cfs_verify_read(&v->reader, p);
	return CFS_OK;
}

static int verify_settle(struct cfs_verify *v, struct cfs_verify_part *p,
			 struct cfs_error *err)
{
	int rc = CFS_OK;

	if (p->rc == CFS_OK && p->missed_end)
		rc = read_rest(v, p, err);
	if (rc == CFS_OK)
		rc = cfs_error_pass(err, &p->error, p->rc);
	if (rc == CFS_OK)
		rc = cfs_verify_report_add(v->report, p, err);
	if (rc == CFS_OK)
		rc = cfs_verify_report_mark(v->report, p, err);
	return rc;
}

/* Settles the parts at the head that have been read.  The caller holds the
 * lock, which is released meanwhile. */
static void settle_heads_locked(struct cfs_verify *v)
{
	while (!v->is_settling && v->head != NULL && v->head->is_read &&
	       v->rc == CFS_OK) {
		struct cfs_verify_part *p = v->head;
		struct cfs_error e = CFS_ERROR_INIT;
		int rc = CFS_OK;

		v->is_settling = true;
		if (!p->is_void) {
			pthread_mutex_unlock(&v->lock);
			rc = verify_settle(v, p, &e);
			if (rc != CFS_OK)
				verify_fail(v, rc, &e);
			pthread_mutex_lock(&v->lock);
		}
		if (rc == CFS_OK && !p->is_void)
			verify_add_tally(&v->result.sum, &p->tally);
		v->head = p->next;
		if (v->head == NULL)
			v->tail = &v->head;
		v->planned--;
		v->is_settling = false;
		pthread_cond_broadcast(&v->changed);
		cfs_verify_part_free(p);
	}
}

/* The `flush` of struct cfs_verify_reader. */
static int verify_flush(void *arg, struct cfs_verify_part *p,
			struct cfs_error *err)
{
	struct cfs_verify *v = arg;
	int rc = CFS_OK;

	pthread_mutex_lock(&v->lock);
	while ((v->head != p || (v->is_settling && !p->is_read)) &&
	       !p->is_void && !verify_should_stop(v))
		cfs_cond_wait(&v->changed, &v->lock, v->opts.cancel);
	if (verify_should_stop(v)) {
		rc = cfs_error_set(err, CFS_EINTR, "interrupted");
	} else if (p->is_void) {
		cfs_buf_reset(&p->lines);
		cfs_buf_reset(&p->ids);
	} else {
		bool was_settling = v->is_settling;	/* by this thread */

		v->is_settling = true;
		pthread_mutex_unlock(&v->lock);
		rc = cfs_verify_report_add(v->report, p, err);
		pthread_mutex_lock(&v->lock);
		v->is_settling = was_settling;
		pthread_cond_broadcast(&v->changed);
	}
	pthread_mutex_unlock(&v->lock);
	return rc;
}

/* ---- the threads --------------------------------------------------------- */

/* Plans the next part to read.  Parts that an earlier run has verified are only
 * counted. */
static int plan_next(struct cfs_verify *v, struct cfs_verify_part **out,
		     struct cfs_error *err)
{
	struct cfs_verify_tally tally;
	uint64_t to;
	int rc;

	for (;;) {
		rc = cfs_verify_plan_next(&v->plan, &v->reader, v->report, out,
					  err);
		if (rc != CFS_OK || *out == NULL)
			return rc;
		if (!cfs_verify_report_use(v->report, (*out)->id, &to, &tally))
			return CFS_OK;
		rc = cfs_verify_plan_done(&v->plan, *out, to, err);
		cfs_verify_part_free(*out);
		*out = NULL;
		if (rc != CFS_OK)
			return rc;
		atomic_fetch_add(&v->reader.bytes, tally.bytes);
		atomic_fetch_add(&v->reader.records, tally.records);
		pthread_mutex_lock(&v->lock);
		verify_add_tally(&v->result.sum, &tally);
		v->result.resumed += tally.records;
		pthread_mutex_unlock(&v->lock);
	}
}

static struct cfs_verify_part *verify_take_part(struct cfs_verify *v)
{
	struct cfs_verify_part *p = NULL;
	struct cfs_error e = CFS_ERROR_INIT;
	int rc;

	pthread_mutex_lock(&v->plan_lock);
	pthread_mutex_lock(&v->lock);
	while (v->planned >= v->threads * PLANNED && !verify_should_stop(v))
		cfs_cond_wait(&v->changed, &v->lock, v->opts.cancel);
	pthread_mutex_unlock(&v->lock);
	rc = verify_should_stop(v) ? cfs_error_set(&e, CFS_EINTR, "interrupted") :
			      plan_next(v, &p, &e);
	if (rc != CFS_OK) {
		verify_fail(v, rc, &e);
	} else if (p != NULL) {
		pthread_mutex_lock(&v->lock);
		p->is_void = p->unit->skip;
		*v->tail = p;
		v->tail = &p->next;
		v->planned++;
		pthread_mutex_unlock(&v->lock);
	}
	pthread_mutex_unlock(&v->plan_lock);
	return p;
}

static void work(void *arg)
{
	struct cfs_verify *v = arg;
	struct cfs_verify_part *p;

	while ((p = verify_take_part(v)) != NULL) {
		if (!p->is_void)
			cfs_verify_read(&v->reader, p);
		pthread_mutex_lock(&v->lock);
		p->is_read = true;
		settle_heads_locked(v);
		pthread_mutex_unlock(&v->lock);
	}
}

static void verify_show(void *arg)
{
	const struct cfs_verify *v = arg;
	struct cfs_verify_progress p = {
		.bytes_done = atomic_load(&v->reader.bytes),
		.bytes_total = v->plan.bytes_total,
		.records = atomic_load(&v->reader.records) };

	if (p.bytes_done > p.bytes_total)
		p.bytes_done = p.bytes_total;
	if (v->opts.progress != NULL)
		v->opts.progress(v->opts.arg, &p);
}

static int verify_run_threads(struct cfs_verify *v, struct cfs_error *err)
{
	struct cfs_verify_part *p;

	if (!cfs_pool_run(v->threads, work, v, PROGRESS_MS, verify_show))
		return cfs_error_set(err, CFS_ENOMEM, "cannot start a thread");
	while ((p = v->head) != NULL) {
		v->head = p->next;
		cfs_verify_part_free(p);
	}
	return cfs_error_pass(err, &v->error, v->rc);
}

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
static char *verify_ask_url_of(const struct record_asking *a,
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
static int verify_ask_ask_one(void *arg, size_t i, unsigned thread,
			      struct cfs_ctx ctx)
{
	const struct record_asking *a = arg;
	struct cfs_verify_unit *u = a->units[i];
	char *url = verify_ask_url_of(a, u, ctx.cancel);
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
static int verify_ask(struct cfs_verify_plan *p, struct cfs_verify_reader *r,
		      const struct cfs_verify_report *report,
		      struct cfs_error *err)
{
	struct record_asking a = { .plan = p, .r = r, .report = report };
	struct cfs_pool_calls calls = { .threads = ASK_THREADS,
					.one = verify_ask_ask_one,
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

int cfs_verify_new(struct cfs_verify **out, const struct cfs_verify_opts *opts,
		   struct cfs_error *err)
{
	struct cfs_verify *v = calloc(1, sizeof(*v));
	int rc;

	*out = NULL;
	if (v == NULL)
		return cfs_error_nomem(err);
	v->opts = *opts;
	v->tail = &v->head;
	v->cancel = (struct cfs_cancel){ .asked = verify_should_stop,
					 .arg = v };
	v->reader = (struct cfs_verify_reader){ .opts = &v->opts,
		.cancel = &v->cancel, .flush = verify_flush, .arg = v };
	pthread_mutex_init(&v->plan_lock, NULL);
	pthread_mutex_init(&v->lock, NULL);
	cfs_cond_init(&v->changed);
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
	pthread_cond_destroy(&v->changed);
	pthread_mutex_destroy(&v->lock);
	pthread_mutex_destroy(&v->plan_lock);
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

static int verify_bad_index(struct cfs_verify *v, const struct cfs_error *what,
			    struct cfs_error *err)
{
	return cfs_verify_plan_bad(&v->plan, CFS_VERIFY_BAD_INDEX, what, err);
}

/* Adds the iterator's entry; a failure to decode it is damage of the index. */
static int verify_add_entry(struct cfs_verify *v, struct cfs_iter *it,
			    struct cfs_error *err)
{
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_capture cap;
	int rc = cfs_index_capture(it, &cap, &e);

	switch (rc) {
	case CFS_OK: return cfs_verify_entry(v, it, &cap, err);
	case CFS_ENOTFOUND: return CFS_OK;	/* of another time */
	case CFS_ENOMEM: return cfs_error_nomem(err);
	default: return verify_bad_index(v, &e, err);
	}
}

/* Steps to the entry after `at` or, if that is damaged, to the next readable
 * block. */
static int verify_step(struct cfs_verify *v, struct cfs_iter *it, cfs_pos at,
		       struct cfs_error *err)
{
	struct cfs_index *ix = v->opts.index;
	struct cfs_error e = CFS_ERROR_INIT;
	uint64_t block = at == CFS_POS_NONE ? 0 : cfs_pos_block(at);
	int rc = at == CFS_POS_NONE ?
		 cfs_index_seek(ix, CFS_SLICE_EMPTY, it,
				CFS_CTX(v->opts.cancel, &e)) :
		 cfs_index_next(it, CFS_CTX(v->opts.cancel, &e));

	while (rc == CFS_EFORMAT) {
		rc = verify_bad_index(v, &e, err);
		if (rc != CFS_OK)
			return rc;
		if (++block >= ix->blocks || ix->is_merged)
			return CFS_END;
		cfs_error_clear(&e);
		rc = cfs_index_at(ix, cfs_pos_make((uint32_t)block, 0), it,
				  CFS_CTX(v->opts.cancel, &e));
	}
	return cfs_error_pass(err, &e, rc);
}

int cfs_verify_index(struct cfs_verify *v, struct cfs_error *err)
{
	struct cfs_iter *it = malloc(sizeof(*it));
	cfs_pos at = CFS_POS_NONE;
	int rc = it != NULL ? CFS_OK : cfs_error_nomem(err);

	if (rc != CFS_OK)
		return rc;
	cfs_iter_init(it);
	if (!v->opts.only_added)
		rc = cfs_verify_plan_archives(&v->plan, err);
	while (rc == CFS_OK && (rc = verify_step(v, it, at, err)) == CFS_OK) {
		at = it->pos;
		rc = cfs_cancelled(v->opts.cancel) ?
		     cfs_error_set(err, CFS_EINTR, "interrupted") :
		     verify_add_entry(v, it, err);
	}
	cfs_iter_release(it);
	free(it);
	return rc == CFS_END ? CFS_OK : rc;
}

int cfs_verify_run(struct cfs_verify *v, struct cfs_verify_result *result,
		   struct cfs_error *err)
{
	int64_t from_ms = cfs_monotonic_ms();
	int rc = cfs_verify_plan_begin(&v->plan, &v->reader, err);

	*result = (struct cfs_verify_result){ 0 };
	v->threads = v->opts.parallel > 0 ? v->opts.parallel :
		     cfs_processors() + (v->plan.any_remote ? REMOTE_PARALLEL :
							      0);
	if (v->threads > CFS_VERIFY_PARALLEL_MAX)
		v->threads = CFS_VERIFY_PARALLEL_MAX;
	if (v->opts.mem_bytes > 0)
		v->reader.record_bytes = cfs_scan_hold(v->opts.mem_bytes / 2,
						       v->threads);
	if (rc == CFS_OK)
		rc = cfs_verify_report_open(&v->report, &v->opts, err);
	if (rc == CFS_OK && !cfs_verify_report_is_new(v->report))
		rc = verify_ask(&v->plan, &v->reader, v->report, err);
	if (rc == CFS_OK)
		rc = verify_run_threads(v, err);
	v->result.archives = v->plan.archives;
	v->result.has_lists = v->plan.has_lists;
	if (rc == CFS_OK)
		rc = cfs_verify_report_finish(v->report, &v->result, err);
	v->result.seconds = (double)(cfs_monotonic_ms() - from_ms) / 1e3;
	*result = v->result;
	return rc;
}
