/* budget_test.c - the account of memory, its queue, and buffers in files.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/lru.h"
#include "base/spill.h"
#include "base/sync.h"

#define MAX 1000u

static void wait_until_waiting(struct cfs_budget *b, uint64_t n)
{
	struct cfs_budget_stats s;

	do {
		cfs_budget_get_stats(b, &s);
		usleep(1000);
	} while (s.waiting != n);
}

/* ---- one thread -------------------------------------------------------- */

static void accounts(void **state)
{
	struct cfs_budget *b = cfs_budget_new(MAX);
	struct cfs_budget_load l;
	struct cfs_budget_stats s;

	(void)state;
	cfs_budget_add(b, CFS_MEM_INDEX, 300);
	assert_int_equal(cfs_budget_begin(&l, b, CFS_MEM_RECORDS, 600,
					  CFS_CTX(NULL, NULL)), CFS_OK);
	assert_true(cfs_budget_grow(&l, 100));
	assert_false(cfs_budget_grow(&l, 1));
	assert_false(cfs_budget_grow(&l, UINT64_MAX));
	cfs_budget_get_stats(b, &s);
	assert_int_equal(s.used, 1000);
	assert_int_equal(s.loading, 1);
	assert_int_equal(s.by_kind[CFS_MEM_RECORDS], 700);
	cfs_budget_end(&l, 50);
	cfs_budget_get_stats(b, &s);
	assert_int_equal(s.used, 350);
	assert_int_equal(s.most, 1000);
	assert_int_equal(s.by_kind[CFS_MEM_RECORDS], 50);
	assert_int_equal(s.waits + s.loading + s.waiting, 0);
	cfs_budget_sub(b, CFS_MEM_RECORDS, 50);
	cfs_budget_sub(b, CFS_MEM_INDEX, 300);
	cfs_budget_free(b);
}

/* A load that is alone gets what it asks for, whatever is in use. */
static void alone(void **state)
{
	struct cfs_budget *b = cfs_budget_new(MAX);
	struct cfs_budget_load l;

	(void)state;
	cfs_budget_add(b, CFS_MEM_VIEWS, 900);
	assert_int_equal(cfs_budget_begin(&l, b, CFS_MEM_RECORDS, 5000,
					  CFS_CTX(NULL, NULL)), CFS_OK);
	cfs_budget_end(&l, 0);
	cfs_budget_sub(b, CFS_MEM_VIEWS, 900);
	cfs_budget_free(b);
}

/* A load that must not wait ends instead, and nothing is reserved for it. */
static void without_waiting(void **state)
{
	struct cfs_budget *b = cfs_budget_new(MAX);
	_Atomic bool would_wait = false;
	struct cfs_cancel c = { .would_wait = &would_wait };
	struct cfs_budget_load first, l;
	struct cfs_budget_stats st;

	(void)state;
	assert_int_equal(cfs_budget_begin(&first, b, CFS_MEM_RECORDS, MAX / 2,
					  CFS_CTX(&c, NULL)), CFS_OK);
	assert_false(would_wait);
	assert_int_equal(cfs_budget_begin(&l, b, CFS_MEM_RECORDS, MAX,
					  CFS_CTX(&c, NULL)), CFS_EINTR);
	assert_true(would_wait);
	cfs_budget_get_stats(b, &st);
	assert_int_equal(st.used, MAX / 2);
	cfs_budget_end(&first, 0);
	cfs_budget_free(b);
}

static void without(void **state)
{
	struct cfs_budget_load l;
	struct cfs_budget_stats s;

	(void)state;
	assert_int_equal(cfs_budget_begin(&l, NULL, CFS_MEM_RECORDS, UINT64_MAX,
					  CFS_CTX(NULL, NULL)), CFS_OK);
	assert_true(cfs_budget_grow(&l, UINT64_MAX));
	cfs_budget_end(&l, 1);
	cfs_budget_add(NULL, CFS_MEM_INDEX, 1);
	cfs_budget_relieve(NULL);
	cfs_budget_get_stats(NULL, &s);
	assert_int_equal(s.max, UINT64_MAX);
	assert_int_equal(s.used, 0);
}

/* ---- caches give way --------------------------------------------------- */

static int make_object(void *arg, struct cfs_lru_key key, void **obj,
		       size_t *obj_bytes, struct cfs_ctx ctx)
{
	(void)arg;
	(void)key;
	(void)ctx;
	*obj = malloc(1);
	*obj_bytes = 1000;
	return *obj != NULL ? CFS_OK : CFS_ENOMEM;
}

/* Holds L12. */
static void caches_give_way(void **state)
{
	struct cfs_budget *b = cfs_budget_new(100000);
	struct cfs_lru *lru = cfs_lru_new(1 << 30, free);
	struct cfs_lru_ref *held, *ref;
	struct cfs_lru_stats n;
	struct cfs_budget_stats s;
	struct cfs_budget_load l;

	(void)state;
	/* objects from before count too */
	assert_int_equal(cfs_lru_get(lru, CFS_LRU_KEY(0, 0), make_object, NULL,
				     &held, CFS_CTX(NULL, NULL)), CFS_OK);
	cfs_lru_charge_to(lru, b, CFS_MEM_INDEX, false);
	for (unsigned i = 1; i < 500; i++) {
		assert_int_equal(cfs_lru_get(lru, CFS_LRU_KEY(i, 0),
					     make_object, NULL, &ref,
					     CFS_CTX(NULL, NULL)), CFS_OK);
		cfs_lru_put(ref);
	}
	cfs_budget_get_stats(b, &s);
	cfs_lru_get_stats(lru, &n);
	assert_true(s.used <= 100000 && s.used > 50000);
	assert_int_equal(s.used, n.bytes);
	assert_int_equal(cfs_budget_begin(&l, b, CFS_MEM_RECORDS, 90000,
					  CFS_CTX(NULL, NULL)), CFS_OK);
	cfs_budget_get_stats(b, &s);
	assert_true(s.used <= 100000);
	assert_int_equal(s.waits, 0);
	/* all but what somebody holds */
	assert_false(cfs_budget_grow(&l, 9900));
	cfs_lru_get_stats(lru, &n);
	assert_int_equal(n.objects, 1);
	cfs_lru_put(held);
	assert_true(cfs_budget_grow(&l, 9900));
	cfs_budget_end(&l, 0);
	cfs_lru_free(lru);
	cfs_budget_free(b);
}

/* ---- waiting ----------------------------------------------------------- */

struct loader {
	pthread_t thread;
	struct cfs_budget *b;
	uint64_t bytes;
	_Atomic bool is_wanted, has_begun, may_end;
	int rc;
	unsigned order;			/* in which it began */
};

static _Atomic unsigned begun;

static bool is_unwanted(void *arg)
{
	return !((struct loader *)arg)->is_wanted;
}

static void *load(void *arg)
{
	struct loader *t = arg;
	struct cfs_cancel cancel = { .asked = is_unwanted, .arg = t };
	struct cfs_budget_load l;

	t->rc = cfs_budget_begin(&l, t->b, CFS_MEM_RECORDS, t->bytes,
				 CFS_CTX(&cancel, NULL));
	if (t->rc != CFS_OK)
		return NULL;
	t->order = atomic_fetch_add(&begun, 1);
	t->has_begun = true;
	while (!t->may_end)
		usleep(1000);
	cfs_budget_end(&l, 0);
	return NULL;
}

static void start(struct loader *t, struct cfs_budget *b, uint64_t bytes)
{
	*t = (struct loader){ .b = b, .bytes = bytes, .is_wanted = true };
	assert_true(cfs_thread_start(&t->thread, load, t));
}

static void await_begin(struct loader *t)
{
	while (!t->has_begun)
		usleep(1000);
}

static void end(struct loader *t)
{
	t->may_end = true;
	assert_int_equal(pthread_join(t->thread, NULL), 0);
}

/* Three that each need more than half begin one after the other, as they came;
 * a small one goes in between; one that is interrupted leaves. */
/* Holds L12. */
static void in_order(void **state)
{
	struct cfs_budget *b = cfs_budget_new(MAX);
	struct loader large[3], small, interrupted;
	struct cfs_budget_stats s;

	(void)state;
	begun = 0;
	start(&large[0], b, 600);
	await_begin(&large[0]);
	start(&large[1], b, 600);
	wait_until_waiting(b, 1);
	start(&interrupted, b, 600);
	wait_until_waiting(b, 2);
	start(&large[2], b, 600);
	wait_until_waiting(b, 3);

	start(&small, b, MAX / 64);
	await_begin(&small);
	assert_int_equal(small.order, 1);
	end(&small);

	interrupted.is_wanted = false;
	assert_int_equal(pthread_join(interrupted.thread, NULL), 0);
	assert_int_equal(interrupted.rc, CFS_EINTR);
	assert_false(large[1].has_begun || large[2].has_begun);
	for (unsigned i = 0; i < 3; i++) {
		await_begin(&large[i]);
		end(&large[i]);
	}
	assert_int_equal(large[1].order, 2);
	assert_int_equal(large[2].order, 3);
	cfs_budget_get_stats(b, &s);
	assert_int_equal(s.used, 0);
	assert_int_equal(s.waits, 3);
	cfs_budget_free(b);
}

/* Small ones overtake a large one so often and no more. */
/* Holds L12. */
static void not_starved(void **state)
{
	struct cfs_budget *b = cfs_budget_new(6400);
	struct loader first, large, small;
	struct cfs_budget_load l;
	unsigned overtook = 0;

	(void)state;
	begun = 0;
	start(&first, b, 3000);
	await_begin(&first);
	start(&large, b, 6350);	/* no room for a small one beside it */
	wait_until_waiting(b, 1);
	for (unsigned i = 0; i < 64; i++) {
		assert_int_equal(cfs_budget_begin(&l, b, CFS_MEM_RECORDS, 100,
						  CFS_CTX(NULL, NULL)), CFS_OK);
		cfs_budget_end(&l, 0);
		overtook++;
	}
	assert_int_equal(overtook, 64);
	start(&small, b, 100);
	wait_until_waiting(b, 2);
	end(&first);
	await_begin(&large);
	assert_int_equal(large.order, 1);
	end(&large);
	await_begin(&small);
	end(&small);
	cfs_budget_free(b);
}

/* Many threads and sizes: never more than there is, but for a lone one. */
#define CROWD 16u
#define ROUNDS 300u

static void *work(void *arg)
{
	struct cfs_budget *b = arg;
	unsigned seed = (unsigned)(uintptr_t)&seed;

	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t n = (uint64_t)rand_r(&seed) % 400;
		struct cfs_budget_load l;

		if (cfs_budget_begin(&l, b, CFS_MEM_RECORDS, n,
				     CFS_CTX(NULL, NULL)) !=
		    CFS_OK)
			return NULL;
		(void)cfs_budget_grow(&l, n / 4);
		cfs_budget_end(&l, i % 8);
		cfs_budget_sub(b, CFS_MEM_RECORDS, i % 8);
	}
	return b;
}

/* Holds L12. */
static void crowd(void **state)
{
	struct cfs_budget *b = cfs_budget_new(MAX);
	struct cfs_budget_stats s;
	pthread_t t[CROWD];
	void *done;

	(void)state;
	for (unsigned i = 0; i < CROWD; i++)
		assert_true(cfs_thread_start(&t[i], work, b));
	for (unsigned i = 0; i < CROWD; i++) {
		assert_int_equal(pthread_join(t[i], &done), 0);
		assert_non_null(done);
	}
	cfs_budget_get_stats(b, &s);
	assert_int_equal(s.used + s.loading + s.waiting, 0);
	assert_true(s.most <= MAX);
	cfs_budget_free(b);
}

/* ---- buffers in files -------------------------------------------------- */

static void spills(void **state)
{
	size_t n = 3 * CFS_SPILL_STEP + 12345;
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_buf b;

	(void)state;
	cfs_buf_init(&b, 64 << 20);
	assert_int_equal(cfs_spill_begin(&b, "/tmp", &err), CFS_OK);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(cfs_buf_addc(&b, (uint8_t)(i * 7 + i / 251)),
				 CFS_OK);
	cfs_spill_settle(&b);
	cfs_spill_finish(&b);
	assert_int_equal(b.n, n);
	for (unsigned round = 0; round < 2; round++) {
		for (size_t i = 0; i < n; i++)
			assert_int_equal(b.p[i], (uint8_t)(i * 7 + i / 251));
		cfs_spill_out(cfs_slice_sub(cfs_buf_slice(&b), 5000, 100000));
	}
	cfs_buf_release(&b);
	assert_null(b.p);
}

static void spill_limits(void **state)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_buf b;

	(void)state;
	cfs_buf_init(&b, 10);
	assert_int_equal(cfs_spill_begin(&b, "/nowhere/at/all", &err), CFS_EIO);
	assert_string_equal(err.where, "/nowhere/at/all");
	cfs_buf_release(&b);
	assert_int_equal(cfs_spill_begin(&b, "/tmp", NULL), CFS_OK);
	assert_int_equal(cfs_buf_adds(&b, "0123456789"), CFS_OK);
	assert_int_equal(cfs_buf_addc(&b, 0), CFS_ELIMIT);
	cfs_buf_release(&b);
	/* a file has no room for that */
	cfs_buf_init(&b, SIZE_MAX / 4);
	assert_int_equal(cfs_spill_begin(&b, "/tmp", NULL), CFS_OK);
	assert_int_equal(cfs_buf_reserve(&b, SIZE_MAX / 4), CFS_EIO);
	cfs_buf_release(&b);
}

UNIT_PROGRAM
{
	UNIT_TEST(accounts);
	UNIT_TEST(alone);
	UNIT_TEST(without_waiting);
	UNIT_TEST(without);
	UNIT_TEST(caches_give_way);
	UNIT_TEST(in_order);
	UNIT_TEST(not_starved);
	UNIT_TEST(crowd);
	UNIT_TEST(spills);
	UNIT_TEST(spill_limits);
	return unit_run("budget");
}
