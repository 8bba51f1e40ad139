/* ordered_test.c - jobs in order, with threads that yield at random, and a model
 * of what may be settled.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/ordered.h"

#define JOBS_MAX 400u
#define GROUPS 4u
#define NEVER UINT32_MAX

struct job {
	struct cfs_ordered_job base;
	uint32_t number, random;
	int rc;				/* of a part that was passed on */
};

/* The plan of one run, and the observations. */
struct run {
	struct cfs_ordered o;
	struct cfs_ordered_group groups[GROUPS];
	bool ends[GROUPS];		/* the group was made void */
	uint32_t n, threads, seed;
	uint64_t bytes_max;
	uint32_t plan_fails, job_fails, cancel_at;
	bool has_groups, has_turns;
	uint32_t planned, freed, settled;
	uint32_t last;			/* job whose result came last, + 1 */
	uint32_t most_planned;
	uint64_t most_held;
	atomic_uint planning, passing, workers, live;
	atomic_bool is_cancelled;
	bool has_failed;
};

/* ---- chance -------------------------------------------------------------- */

static uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

/* Lets other threads go on, now and then for some time. */
static void yield_at_random(uint32_t *state)
{
	uint32_t r = next_random(state) % 16;

	if (r == 0)
		usleep(next_random(state) % 300);
	else if (r < 8)
		sched_yield();
}

/* ---- the jobs ------------------------------------------------------------ */

static bool is_cancelled(void *arg)
{
	return atomic_load(&((struct run *)arg)->is_cancelled);
}

static int plan(void *arg, struct cfs_ordered_job **out, struct cfs_error *err)
{
	struct run *r = arg;
	struct job *j;
	uint32_t state = r->seed + r->planned * 7919u + 1u;

	assert_int_equal(atomic_fetch_add(&r->planning, 1), 0);
	yield_at_random(&state);
	*out = NULL;
	if (r->planned == r->plan_fails) {
		atomic_fetch_sub(&r->planning, 1);
		return cfs_error_set(err, CFS_EIO, "planned no further");
	}
	if (r->planned < r->n) {
		j = calloc(1, sizeof(*j));
		assert_non_null(j);
		j->number = r->planned++;
		j->random = next_random(&state);
		j->base.held = j->random % 1000;
		if (r->has_groups)
			j->base.group = &r->groups[j->number / 16 % GROUPS];
		*out = &j->base;
		if (atomic_fetch_add(&r->live, 1) + 1 > r->most_planned)
			r->most_planned = atomic_load(&r->live);
	}
	atomic_fetch_sub(&r->planning, 1);
	return CFS_OK;
}

/* A part of a job's result; nobody else may pass one on meanwhile. */
static void pass_on(struct run *r, const struct job *j)
{
	uint32_t state = j->random | 1;

	assert_int_equal(atomic_fetch_add(&r->passing, 1), 0);
	assert_true(j->number + 1 >= r->last);
	assert_false(r->has_failed);
	r->last = j->number + 1;
	yield_at_random(&state);
	atomic_fetch_sub(&r->passing, 1);
}

static void work(void *arg, struct cfs_ordered_job *base, void *worker)
{
	struct run *r = arg;
	struct job *j = (struct job *)base;
	struct cfs_error e = CFS_ERROR_INIT;
	uint32_t state = j->random | 1;

	assert_non_null(worker);
	if (j->number == r->cancel_at)
		atomic_store(&r->is_cancelled, true);
	for (unsigned i = 0; i < j->random % 4 && r->has_turns; i++) {
		bool is_turn = false, must = next_random(&state) % 4 == 0;

		cfs_ordered_hold(&r->o, base, next_random(&state) % 2000);
		yield_at_random(&state);
		j->rc = cfs_ordered_turn(&r->o, base, must, &is_turn, &e);
		if (j->rc != CFS_OK)
			return;
		assert_true(is_turn || !must);
		if (is_turn)
			pass_on(r, j);
	}
	yield_at_random(&state);
}

static int settle(void *arg, struct cfs_ordered_job *base, void *worker,
		  struct cfs_error *err)
{
	struct run *r = arg;
	struct job *j = (struct job *)base;
	bool is_turn = false;

	assert_non_null(worker);
	assert_false(base->group != NULL &&
		     r->ends[base->group - r->groups]);
	if (j->rc != CFS_OK)
		return cfs_error_set(err, j->rc, "interrupted");
	if (cfs_ordered_turn(&r->o, base, true, &is_turn, err) != CFS_OK)
		return CFS_EINTR;
	assert_true(is_turn);
	pass_on(r, j);
	r->settled++;
	if (base->group != NULL && j->random % 32 == 0) {
		cfs_ordered_void(&r->o, base);
		r->ends[base->group - r->groups] = true;
	}
	if (j->number != r->job_fails)
		return CFS_OK;
	r->has_failed = true;
	return cfs_error_set(err, CFS_EFORMAT, "job %u", j->number);
}

static void free_job(void *arg, struct cfs_ordered_job *base)
{
	struct run *r = arg;

	atomic_fetch_sub(&r->live, 1);
	r->freed++;
	free(base);
}

static void *worker_new(void *arg)
{
	struct run *r = arg;

	atomic_fetch_add(&r->workers, 1);
	return &r->workers;
}

static void worker_free(void *worker)
{
	atomic_fetch_sub((atomic_uint *)worker, 1);
}

static const struct cfs_ordered_ops ops = {
	.plan = plan, .work = work, .settle = settle, .free_job = free_job,
	.worker_new = worker_new, .worker_free = worker_free
};

static int do_run(struct run *r, struct cfs_error *err)
{
	const struct cfs_cancel outer = { .asked = is_cancelled, .arg = r };
	int rc;

	r->o.ops = &ops;
	r->o.arg = r;
	r->o.threads = r->threads;
	r->o.bytes_max = r->bytes_max;
	r->o.outer = &outer;
	cfs_ordered_init(&r->o);
	rc = cfs_ordered_run(&r->o, err);
	assert_int_equal(r->o.held, 0);
	cfs_ordered_release(&r->o);
	assert_int_equal(r->freed, r->planned);
	assert_int_equal(atomic_load(&r->workers), 0);
	assert_true(r->most_planned <= r->threads * CFS_ORDERED_PLANNED);
	return rc;
}

/* ---- the cases ----------------------------------------------------------- */

struct order_case {
	const char *name;
	bool has_groups, has_turns;
	uint64_t bytes_max;
	uint32_t plan_fails, job_fails, cancel_at;	/* job; NEVER */
	int rc;
};
static struct order_case order_cases[] = {
	{ "all", false, false, 0, NEVER, NEVER, NEVER, CFS_OK },
	{ "with turns", false, true, 0, NEVER, NEVER, NEVER, CFS_OK },
	{ "few bytes", false, true, 1500, NEVER, NEVER, NEVER, CFS_OK },
	{ "a byte", false, true, 1, NEVER, NEVER, NEVER, CFS_OK },
	{ "void groups", true, false, 0, NEVER, NEVER, NEVER, CFS_OK },
	{ "void groups, turns, few bytes", true, true, 3000, NEVER, NEVER,
	  NEVER, CFS_OK },
	{ "a plan fails", false, true, 3000, 150, NEVER, NEVER, CFS_EIO },
	{ "the first plan fails", false, true, 0, 0, NEVER, NEVER, CFS_EIO },
	{ "a job fails", false, true, 3000, NEVER, 170, NEVER, CFS_EFORMAT },
	{ "the first job fails", false, true, 0, NEVER, 0, NEVER, CFS_EFORMAT },
	{ "cancelled", false, true, 3000, NEVER, NEVER, 100, CFS_EINTR },
};

/* Each with 1 to 9 threads. */
static void order_case(void **state)
{
	const struct order_case *tc = *state;

	for (uint32_t i = 0; i < 9; i++) {
		struct run *r = calloc(1, sizeof(*r));
		struct cfs_error err = CFS_ERROR_INIT;
		int rc;

		assert_non_null(r);
		r->n = 200 + i * 7 % (JOBS_MAX - 200);
		r->threads = 1 + i % 9;
		r->seed = i * 2654435761u + 1;
		r->bytes_max = tc->bytes_max;
		r->has_groups = tc->has_groups;
		r->has_turns = tc->has_turns;
		r->plan_fails = tc->plan_fails;
		r->job_fails = tc->job_fails;
		r->cancel_at = tc->cancel_at;
		rc = do_run(r, &err);
		assert_int_equal(rc, tc->rc);
		if (rc == CFS_OK)
			assert_int_equal(r->planned, r->n);
		if (rc == CFS_OK && !tc->has_groups)
			assert_int_equal(r->settled, r->n);
		if (tc->job_fails != NEVER)
			assert_int_equal(r->settled, tc->job_fails + 1);
		if (rc != CFS_OK)
			assert_true(err.text[0] != '\0');
		free(r);
	}
}

/* No job, and more threads than jobs. */
static void few(void **state)
{
	(void)state;
	for (uint32_t n = 0; n < 3; n++) {
		struct run r = { .n = n, .threads = 8, .seed = 5,
				 .plan_fails = NEVER, .job_fails = NEVER,
				 .cancel_at = NEVER };

		assert_int_equal(do_run(&r, NULL), CFS_OK);
		assert_int_equal(r.settled, n);
	}
}

UNIT_PROGRAM
{
	UNIT_ROWS(order_cases, order_case);
	UNIT_TEST(few);
	return unit_run("ordered");
}
