/* deadline_test.c - waits end when the operation they are for is to end, and
 * what was not found out in time is not taken for an answer.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "base/lru.h"
#include "cache_source.h"
#include "crawl/tree.h"
#include "format/open_index.h"
#include "index/index.h"
#include "fault.h"

struct operation {
	struct cfs_cancel cancel;
	struct cfs_deadline until;
};

static const struct cfs_cancel *begin(struct operation *o, unsigned ms)
{
	o->cancel = (struct cfs_cancel){ .until = &o->until };
	cfs_deadline_set(&o->until, ms);
	return &o->cancel;
}

static bool yes(void *arg)
{
	(void)arg;
	return true;
}

static void checks(void **state)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct operation o;
	const struct cfs_cancel *c = begin(&o, 0);

	(void)state;
	assert_int_equal(cfs_cancel_check(NULL, 0, NULL), CFS_OK);
	assert_int_equal(cfs_cancel_check(c, 0, NULL), CFS_OK);	/* grace */
	o.until.at_ms -= 2000;
	assert_int_equal(cfs_cancel_check(c, 0, &err), CFS_ETIMEOUT);
	assert_string_equal(err.text, "no answer in time");
	/* 64 bytes are a millisecond */
	assert_int_equal(cfs_cancel_check(c, 3000 * 64, NULL), CFS_OK);
	assert_int_equal(cfs_cancel_check(c, 1000 * 64, NULL), CFS_ETIMEOUT);
	cfs_cancel_came(c, 2000 * 64);
	assert_int_equal(cfs_cancel_check(c, 1000 * 64, NULL), CFS_OK);
	assert_int_equal(cfs_cancel_check(c, 0, NULL), CFS_OK);
	cfs_deadline_set(&o.until, 0);
	o.until.at_ms -= 2000;
	assert_int_equal(cfs_cancel_check(c, 0, NULL), CFS_ETIMEOUT);
	/* behind one that ends by itself, in time */
	assert_int_equal(cfs_cancel_check_behind(c, o.until.at_ms, NULL),
			 CFS_OK);
	assert_int_equal(cfs_cancel_check_behind(c, o.until.at_ms + 1000,
						 NULL), CFS_ETIMEOUT);
	assert_int_equal(cfs_cancel_check_behind(c, INT64_MAX, NULL),
			 CFS_ETIMEOUT);
	o.cancel.asked = yes;
	assert_int_equal(cfs_cancel_check(c, 0, NULL), CFS_EINTR);
	assert_int_equal(cfs_cancel_check_behind(c, 0, NULL), CFS_EINTR);
}

/* ---- loads that are shared --------------------------------------------- */

static atomic_bool is_held;	/* no load ends meanwhile */
static atomic_uint loads;

static int slow_load(void *arg, struct cfs_lru_key key, void **obj,
		     size_t *bytes, struct cfs_ctx ctx)
{
	(void)key;
	(void)ctx;
	atomic_fetch_add(&loads, 1);
	while (is_held)
		usleep(1000);
	*obj = arg;
	*bytes = 1;
	return CFS_OK;
}

static void drop(void *obj)
{
	(void)obj;
}

struct getter {
	struct cfs_lru *lru;
	unsigned timeout_ms;
	int rc;
	int64_t ends_ms;	/* its deadline */
};

static void *get(void *arg)
{
	static int object;
	struct getter *g = arg;
	struct cfs_lru_ref *ref;
	struct operation o;

	g->rc = cfs_lru_get(g->lru, CFS_LRU_KEY(1, 2), slow_load, &object, &ref,
			    CFS_CTX(begin(&o, g->timeout_ms), NULL));
	g->ends_ms = o.until.at_ms;
	if (g->rc == CFS_OK)
		cfs_lru_put(ref);
	return NULL;
}

/* Behind an operation that is to end later a wait ends at its own deadline;
 * one that is to end sooner is waited for, whatever it does. */
static void load_waits(void **state)
{
	struct cfs_lru *lru = cfs_lru_new(1 << 20, drop);
	struct getter g[] = {
		{ .lru = lru, .timeout_ms = 900 },
		{ .lru = lru, .timeout_ms = 200 },
		{ .lru = lru, .timeout_ms = 900 },
	};
	pthread_t t[3];

	(void)state;
	is_held = true;
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(pthread_create(&t[i], NULL, get, &g[i]), 0);
		while (loads == 0)
			usleep(1000);
	}
	/* while the load goes on */
	pthread_join(t[1], NULL);
	assert_int_equal(g[1].rc, CFS_ETIMEOUT);
	assert_true(cfs_monotonic_ms() >= g[1].ends_ms);
	usleep(1500000);		/* past the other deadlines */
	is_held = false;
	pthread_join(t[0], NULL);
	pthread_join(t[2], NULL);
	assert_int_equal(g[0].rc, CFS_OK);
	assert_int_equal(g[2].rc, CFS_OK);
	assert_int_equal(loads, 1);
	cfs_lru_free(lru);
}

/* ---- the block cache --------------------------------------------------- */

/* The requests of others, and several of one's own, end at one deadline; what
 * they bring is there for the next. */
static void cached_reads(void **state)
{
	struct far f = { .size = 100 << 20, .is_held = true };
	struct cfs_cache_opts co = { .dir = NULL };
	struct cfs_cached_opts o = { .url = "far" };
	static uint8_t buf[8 << 20];
	struct operation op;
	struct cfs_source *src;
	struct cfs_cache *c;
	uint64_t i;

	(void)state;
	assert_int_equal(cfs_cache_open(&c, &co, NULL), CFS_OK);
	assert_int_equal(cfs_cached_open(&src, c, far_open(&f), &o,
					 CFS_CTX(NULL, NULL)),
			 CFS_OK);
	begin(&op, 500);
	assert_int_equal(cfs_source_read(src, buf, 100, 0,
					 CFS_CTX(&op.cancel, NULL)),
			 CFS_ETIMEOUT);
	/* no request is made for nothing */
	assert_int_equal(cfs_source_read(src, buf, 100, 1 << 20, CFS_CTX(&op.cancel, NULL)), CFS_ETIMEOUT);
	assert_int_equal(f.requests, 1);
	f.is_held = false;
	assert_int_equal(cfs_source_read(src, buf, 100, 0,
					 CFS_CTX(NULL, NULL)), CFS_OK);
	assert_true(far_same(buf, 0, 100, 0));
	assert_int_equal(f.requests, 1);
	/* bytes in memory are given at any time */
	assert_int_equal(cfs_source_read(src, buf, 100, 0,
					 CFS_CTX(&op.cancel, NULL)),
			 CFS_OK);
	/* one after the other, each in time alone */
	f.delay_us = 900000;
	begin(&op, 1500);
	for (i = 1; i < 99; i++)
		if (cfs_source_read(src, buf, 1000, i << 20,
				    CFS_CTX(&op.cancel, NULL)) !=
		    CFS_OK)
			break;
	assert_true(i < 9);
	cfs_source_close(src);
	cfs_cache_close(c);
}

/* ---- what was not found out -------------------------------------------- */

#define LINES 20000u

static int open_lines(struct cfs_index **out, struct cfs_source **fault)
{
	struct cfs_fault none = { .fail_read = 0 };
	struct cfs_source *memory;
	struct cfs_buf b;
	int rc;

	cfs_buf_init(&b, 1 << 24);
	for (unsigned i = 0; i < LINES; i++) {
		char line[300];

		snprintf(line, sizeof(line), "com,h%05u)/page 20240101000000 "
			 "{\"url\": \"http://www.h%05u.com/page\", \"mime\": "
			 "\"text/html\", \"status\": \"200\", \"length\": \"9\","
			 " \"offset\": \"0\", \"filename\": \"a.warc.gz\"}\n",
			 i, i);
		cfs_buf_adds(&b, line);
	}
	assert_int_equal(b.failed, CFS_OK);
	rc = cfs_source_open_memory(&memory, cfs_buf_slice(&b), "lines", NULL);
	assert_int_equal(rc, CFS_OK);
	cfs_buf_release(&b);
	rc = cfs_source_open_fault(fault, memory, &none, NULL);
	assert_int_equal(rc, CFS_OK);
	return cfs_index_open(out, cfs_source_ref(*fault), 1 << 16, NULL);
}

/* A `www` that the index leaves out: no read that fails makes it missing. */
/* Holds E1. */
static void www_in_vain(void **state)
{
	struct cfs_slice path = CFS_SLICE_LIT("com/h10000/www");
	struct cfs_crawl c = { .n_members = 0 };
	unsigned failed = 0, worked = 0;

	(void)state;
	for (uint64_t k = 1; worked == 0; k++) {
		struct cfs_error err = CFS_ERROR_INIT;
		struct cfs_source *src;
		struct cfs_node n;
		int rc;

		assert_int_equal(open_lines(&c.index, &src), CFS_OK);
		cfs_source_fault_plan(src)->fail_read =
			cfs_source_fault_reads(src) + k;
		rc = cfs_tree_walk(&c, path, &n, CFS_CTX(NULL, &err));
		failed += rc == CFS_EIO;
		worked += rc == CFS_OK;
		assert_true(rc == CFS_EIO || rc == CFS_OK);
		cfs_index_close(c.index);
		cfs_source_close(src);
	}
	assert_true(failed > 3);
}

UNIT_PROGRAM
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(checks),
		cmocka_unit_test(load_waits),
		cmocka_unit_test(cached_reads),
		cmocka_unit_test(www_in_vain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
