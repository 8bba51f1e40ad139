/* lru_test.c - the shared cache of loaded objects (base/lru.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/lru.h"
#include "rng.h"

/* An object knows its key, so that a mix-up shows. */
struct obj {
	struct cfs_lru_key key;
	atomic_int freed;
};

static atomic_uint loads, frees;
static atomic_uint slow_us, fail;
#define THREADS 8

static atomic_int interrupted;
static bool waits_for_interrupted;	/* a load lasts until all others are */
static size_t obj_bytes = 1000;

static int load(void *arg, struct cfs_lru_key key, void **out, size_t *bytes,
		struct cfs_ctx ctx)
{
	struct obj *o;

	(void)arg;
	atomic_fetch_add(&loads, 1);
	if (slow_us > 0)
		usleep(slow_us);
	for (int i = 0; waits_for_interrupted && i < 60000 &&
			interrupted < THREADS - 1; i++)
		usleep(1000);
	if (fail > 0) {
		atomic_fetch_sub(&fail, 1);
		return cfs_error_set(ctx.err, CFS_EIO, "fails as planned");
	}
	o = calloc(1, sizeof(*o));
	o->key = key;
	*out = o;
	*bytes = obj_bytes;
	return CFS_OK;
}

static void drop(void *obj)
{
	atomic_fetch_add(&frees, 1);
	free(obj);
}

static void reset(void)
{
	loads = frees = slow_us = fail = 0;
	obj_bytes = 1000;
}

static struct cfs_lru_ref *get(struct cfs_lru *lru, uint64_t a)
{
	struct cfs_lru_ref *r = NULL;

	assert_int_equal(cfs_lru_get(lru, CFS_LRU_KEY(a, ~a), load, NULL, &r,
				     CFS_CTX(NULL, NULL)), 0);
	assert_int_equal(((struct obj *)cfs_lru_obj(r))->key.a, a);
	return r;
}

/* Objects of equal numbers and other names are others, and the cache keeps
 * names of its own. */
static void names(void **state)
{
	struct cfs_lru *lru = cfs_lru_new(1 << 20, drop);
	char name[] = "one";
	struct cfs_lru_ref *one = NULL, *two = NULL;

	(void)state;
	reset();
	cfs_lru_get(lru, CFS_LRU_NAME(cfs_slice_str(name)), load, NULL, &one,
		    CFS_CTX(NULL, NULL));
	memcpy(name, "two", 3);
	assert_null(cfs_lru_peek(lru, CFS_LRU_NAME(cfs_slice_str(name))));
	cfs_lru_get(lru, CFS_LRU_NAME(cfs_slice_str(name)), load, NULL, &two,
		    CFS_CTX(NULL, NULL));
	assert_ptr_not_equal(cfs_lru_obj(one), cfs_lru_obj(two));
	cfs_lru_put(two);
	two = cfs_lru_peek(lru, CFS_LRU_NAME(cfs_slice_str("one")));
	assert_ptr_equal(cfs_lru_obj(one), cfs_lru_obj(two));
	assert_null(cfs_lru_peek(lru, CFS_LRU_NAME(CFS_SLICE_EMPTY)));
	cfs_lru_put(one);
	cfs_lru_put(two);
	cfs_lru_free(lru);
}

static void hit_and_miss(void **state)
{
	struct cfs_lru *lru = cfs_lru_new(1 << 20, drop);
	struct cfs_lru_stats st;
	struct cfs_lru_ref *r, *again;

	(void)state;
	reset();
	assert_null(cfs_lru_peek(lru, CFS_LRU_KEY(1, ~1ull)));
	r = get(lru, 1);
	again = cfs_lru_peek(lru, CFS_LRU_KEY(1, ~1ull));
	assert_ptr_equal(cfs_lru_obj(r), cfs_lru_obj(again));
	cfs_lru_put(again);
	cfs_lru_put(cfs_lru_hold(r));
	cfs_lru_put(r);
	cfs_lru_put(get(lru, 1));
	cfs_lru_put(NULL);
	assert_int_equal(loads, 1);
	/* half of a key is not the key */
	assert_null(cfs_lru_peek(lru, CFS_LRU_KEY(1, 1)));
	cfs_lru_get_stats(lru, &st);
	assert_int_equal(st.hits, 1);
	assert_int_equal(st.misses, 1);
	assert_int_equal(st.objects, 1);
	cfs_lru_free(lru);
	assert_int_equal(frees, 1);
	cfs_lru_free(NULL);
}

static void bounded(void **state)
{
	struct cfs_lru *lru = cfs_lru_new(100 * 1000, drop);
	struct cfs_lru_stats st;

	(void)state;
	reset();
	for (uint64_t i = 0; i < 5000; i++) {
		cfs_lru_put(get(lru, i));
		cfs_lru_get_stats(lru, &st);
		assert_true(st.bytes <= 100 * 1000);
	}
	assert_true(st.objects > 50);
	assert_int_equal(st.evicted, 5000 - st.objects);
	assert_int_equal(frees, st.evicted);
	cfs_lru_free(lru);
	assert_int_equal(frees, 5000);
}

/* Held objects stay, however small the bound; then they go. */
static void pinned(void **state)
{
	struct cfs_lru *lru = cfs_lru_new(0, drop);
	struct cfs_lru_ref *held[200];
	struct cfs_lru_stats st;

	(void)state;
	reset();
	for (uint64_t i = 0; i < 200; i++)
		held[i] = get(lru, i);
	assert_int_equal(frees, 0);
	for (uint64_t i = 0; i < 200; i++)
		assert_int_equal(((struct obj *)cfs_lru_obj(held[i]))->key.a, i);
	for (uint64_t i = 0; i < 200; i++)
		cfs_lru_put(held[i]);
	cfs_lru_get_stats(lru, &st);
	assert_int_equal(st.objects, 0);
	assert_int_equal(st.bytes, 0);
	assert_int_equal(frees, 200);
	cfs_lru_free(lru);
}

/* The one used last stays longest. */
static void recency(void **state)
{
	struct cfs_lru *lru = cfs_lru_new(8 * 5000, drop);	/* some four a shard */

	(void)state;
	reset();
	cfs_lru_put(get(lru, 0));
	for (uint64_t i = 1; i < 2000; i++) {
		cfs_lru_put(get(lru, i));
		cfs_lru_put(get(lru, 0));
	}
	assert_int_equal(loads, 2000);
	cfs_lru_free(lru);
}

/* Holds E5. */
static void failure_is_forgotten(void **state)
{
	struct cfs_lru *lru = cfs_lru_new(1 << 20, drop);
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_lru_ref *r;

	(void)state;
	reset();
	fail = 1;
	assert_int_equal(cfs_lru_get(lru, CFS_LRU_KEY(1, ~1ull), load, NULL, &r,
				     CFS_CTX(NULL, &err)), CFS_EIO);
	assert_null(r);
	assert_string_equal(err.text, "fails as planned");
	cfs_lru_put(get(lru, 1));
	assert_int_equal(loads, 2);
	cfs_lru_free(lru);
}

/* ---- threads ---- */


static void in_threads(void *(*fn)(void *), void *arg)
{
	pthread_t t[THREADS];

	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&t[i], NULL, fn, arg), 0);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
}

static void *get_one(void *arg)
{
	struct cfs_lru_ref *r;

	if (cfs_lru_get(arg, CFS_LRU_KEY(7, 7), load, NULL, &r,
			CFS_CTX(NULL, NULL)) == CFS_OK)
		cfs_lru_put(r);
	return NULL;
}

/* Holds K7. */
static void shared_load(void **state)
{
	struct cfs_lru *lru = cfs_lru_new(1 << 20, drop);

	(void)state;
	reset();
	slow_us = 50000;
	in_threads(get_one, lru);
	assert_int_equal(loads, 1);
	cfs_lru_free(lru);
	assert_int_equal(frees, 1);
}

/* The first load fails: those that waited try themselves. */
static void shared_failure(void **state)
{
	struct cfs_lru *lru = cfs_lru_new(1 << 20, drop);

	(void)state;
	reset();
	slow_us = 20000;
	fail = 3;
	in_threads(get_one, lru);
	assert_int_equal(loads, 4);
	cfs_lru_free(lru);
	assert_int_equal(frees, 1);
}

static bool always(void *arg)
{
	(void)arg;
	return true;
}

static void *get_or_stop(void *arg)
{
	static atomic_uint number;
	unsigned n = atomic_fetch_add(&number, 1);
	_Atomic bool would_wait = false;
	struct cfs_cancel c = { .asked = always };
	bool first = n == 0;
	struct cfs_lru_ref *r;
	int rc;

	if (n % 2 != 0)		/* one that must not wait */
		c = (struct cfs_cancel){ .would_wait = &would_wait };
	while (!first && loads == 0)	/* so that there is something to wait for */
		usleep(1000);
	rc = cfs_lru_get(arg, CFS_LRU_KEY(7, 7), load, NULL, &r, CFS_CTX(first ? NULL : &c, NULL));
	if (rc == CFS_OK)
		cfs_lru_put(r);
	else if (rc == CFS_EINTR && (n % 2 == 0 || would_wait))
		atomic_fetch_add(&interrupted, 1);
	return NULL;
}

static void cancelled_wait(void **state)
{
	struct cfs_lru *lru = cfs_lru_new(1 << 20, drop);

	(void)state;
	reset();
	waits_for_interrupted = true;
	in_threads(get_or_stop, lru);
	waits_for_interrupted = false;
	assert_int_equal(loads, 1);
	assert_int_equal(interrupted, THREADS - 1);
	cfs_lru_free(lru);
}

static atomic_uint wrong;

/* Random gets, some held for a while, in a cache far too small. */
static void *hammer(void *arg)
{
	static atomic_uint number;
	uint64_t rng = 1000 + atomic_fetch_add(&number, 1);
	struct cfs_lru_ref *held[4] = { NULL };

	for (unsigned i = 0; i < 20000; i++) {
		uint64_t a = rng_below(&rng, 300);
		struct cfs_lru_ref **h = &held[rng_below(&rng, 4)];

		cfs_lru_put(*h);
		*h = NULL;
		if (rng_below(&rng, 50) == 0)
			*h = cfs_lru_peek(arg, CFS_LRU_KEY(a, a * a));
		else if (cfs_lru_get(arg, CFS_LRU_KEY(a, a * a), load, NULL, h,
				     CFS_CTX(NULL, NULL)) != CFS_OK)
			*h = NULL;
		if (*h != NULL && ((struct obj *)cfs_lru_obj(*h))->key.a != a)
			atomic_fetch_add(&wrong, 1);
		if (rng_below(&rng, 1000) == 0)
			fail = 1;
	}
	for (unsigned i = 0; i < 4; i++)
		cfs_lru_put(held[i]);
	return NULL;
}

static void many_threads(void **state)
{
	struct cfs_lru *lru = cfs_lru_new(50 * 1000, drop);
	struct cfs_lru_stats st;

	(void)state;
	reset();
	in_threads(hammer, lru);
	assert_int_equal(wrong, 0);
	cfs_lru_get_stats(lru, &st);
	assert_true(st.bytes <= 50 * 1000);
	assert_true(st.evicted > 1000);
	cfs_lru_free(lru);
	assert_true(frees <= loads);
}

UNIT_PROGRAM
{
	const struct CMUnitTest t[] = {
		cmocka_unit_test(hit_and_miss),
		cmocka_unit_test(names), cmocka_unit_test(bounded),
		cmocka_unit_test(pinned), cmocka_unit_test(recency),
		cmocka_unit_test(failure_is_forgotten), cmocka_unit_test(shared_load),
		cmocka_unit_test(shared_failure), cmocka_unit_test(cancelled_wait),
		cmocka_unit_test(many_threads),
	};

	return cmocka_run_group_tests_name("lru", t, NULL, NULL);
}
