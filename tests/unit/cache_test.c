/* cache_test.c - the block cache's promises to readers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cache_fixture.h"

#include "rng.h"

/* ---- reading ---------------------------------------------------------- */

static void exactly_as_asked(void **state)
{
	struct far f = { .size = MB };
	struct mnt m = mnt_open(&f, 0, 0);

	(void)state;
	GET(m, 1000, 500);
	assert_int_equal(f.requests, 1);
	assert_int_equal(f.bytes, 500);
	GET(m, 1000, 500);
	GET(m, 1100, 100);
	assert_int_equal(f.requests, 1);
	assert_int_equal(m.n->hits, 2);
	assert_int_equal(m.n->misses, 1);
	GET(m, 1200, 500);		/* only the rest */
	assert_int_equal(f.requests, 2);
	assert_int_equal(f.bytes, 700);
	GET(m, 500000, 20000);
	/* two missing parts, far from each other: two requests */
	GET(m, 400000, 200000);
	assert_int_equal(f.requests, 5);
	assert_int_equal(f.bytes, 200700);
	/* near: one */
	GET(m, 700000, 10);
	GET(m, 699000, 2000);
	assert_int_equal(f.requests, 7);
	assert_int_equal(f.bytes, 200700 + 10 + 2000);
	mnt_close(&m);
}

static void ends(void **state)
{
	struct far f = { .size = 100000 };
	struct mnt m = mnt_open(&f, 0, 0);
	uint8_t buf[1000];
	size_t got;

	(void)state;
	assert_true(m.src->size == CFS_SIZE_UNKNOWN);
	assert_int_equal(cfs_source_read_some(m.src, buf, 1000, 99900, &got,
					      CFS_CTX(NULL, NULL)), 0);
	assert_int_equal(got, 100);
	assert_true(far_same(buf, 99900, 100, 0));
	assert_int_equal(m.src->size, 100000);
	assert_int_equal(cfs_source_read_some(m.src, buf, 1, 100000, &got,
					      CFS_CTX(NULL, NULL)), 0);
	assert_int_equal(got, 0);
	assert_int_equal(cfs_source_find_size(m.src, CFS_CTX(NULL, NULL)), 0);
	mnt_close(&m);

	f.requests = 0;
	rm_dir(NULL);
	m = mnt_open(&f, 0, 0);
	assert_int_equal(cfs_source_find_size(m.src, CFS_CTX(NULL, NULL)), 0);
	assert_int_equal(m.src->size, 100000);
	/* an empty answer past the end does not make it ask for ever */
	mnt_close(&m);
	f.size = 0;
	f.version++;
	m = mnt_open(&f, UINT64_MAX, 0);
	assert_int_equal(cfs_source_read_some(m.src, buf, 10, 0, &got,
					      CFS_CTX(NULL, NULL)), 0);
	assert_int_equal(got, 0);
	mnt_close(&m);
}

static void large(void **state)
{
	struct far f = { .size = 40 * MB };
	struct mnt m = mnt_open(&f, 0, 4 * MB);

	(void)state;
	GET(m, 5, 30 * MB);
	assert_int_equal(f.bytes, 30 * MB);
	mnt_close(&m);
	f.down = true;
	m = mnt_open(&f, 0, 4 * MB);
	GET(m, 5, 30 * MB);
	mnt_close(&m);
}

/* ---- between mounts --------------------------------------------------- */

static void warm_without_network(void **state)
{
	struct far f = { .size = 10 * MB };
	struct mnt m = mnt_open(&f, 0, 0);
	uint64_t seed = 1;

	(void)state;
	for (unsigned i = 0; i < 300; i++)
		GET(m, rng_below(&seed, 9 * MB), 1 + rng_below(&seed, 20000));
	mnt_close(&m);
	f.down = true;
	f.requests = 0;
	for (unsigned k = 0; k < 2; k++) {
		m = mnt_open(&f, 0, 0);
		assert_int_equal(m.src->size, 10 * MB);
		seed = 1;
		for (unsigned i = 0; i < 300; i++)
			GET(m, rng_below(&seed, 9 * MB), 1 + rng_below(&seed, 20000));
		assert_int_equal(f.requests, 0);
		assert_int_equal(m.n->misses, 0);
		mnt_close(&m);
	}
	assert_int_equal(warnings, 0);
}

static void same_url_twice(void **state)
{
	struct far f = { .size = MB };
	struct mnt m = mnt_open(&f, 0, 0);
	struct cfs_cached_opts o = opts_of(&m);
	struct cfs_source *other;

	(void)state;
	assert_int_equal(cfs_cached_open(&other, m.c, far_open(&f), &o,
					 CFS_CTX(NULL, NULL)), 0);
	GET(m, 0, 1000);
	assert_int_equal(get(other, 0, 1000, 0), 0);
	assert_int_equal(f.requests, 1);
	cfs_source_close(other);
	/* bytes outlive the source */
	cfs_source_close(m.src);
	assert_int_equal(cfs_cached_open(&m.src, m.c, far_open(&f), &o,
					 CFS_CTX(NULL, NULL)), 0);
	GET(m, 0, 1000);
	assert_int_equal(f.requests, 1);
	mnt_close(&m);
}

/* No validator, or none to be had: nothing on disk, and no old bytes. */
static void without_validator(void **state)
{
	struct far f = { .size = MB, .no_validator = true };
	struct mnt m = mnt_open(&f, 0, 0);

	(void)state;
	GET(m, 0, 1000);
	GET(m, 0, 1000);
	assert_int_equal(f.requests, 1);
	mnt_close(&m);
	f.version++;
	m = mnt_open(&f, 0, 0);
	GET(m, 0, 1000);
	assert_int_equal(f.requests, 2);
	mnt_close(&m);
}

/* ---- an object that changes ------------------------------------------- */

static void changed_and_validated(void **state)
{
	struct far f = { .size = MB };
	struct mnt m = mnt_open(&f, 0, 0);
	struct cfs_cached_opts o = opts_of(&m);
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_source *src;

	(void)state;
	GET(m, 0, 50000);
	mnt_close(&m);
	f.version++;
	f.size = MB / 2;
	m = mnt_open(&f, 0, 0);
	o = opts_of(&m);
	cfs_source_close(m.src);
	o.validate_ms = 5000;
	assert_int_equal(cfs_cached_open(&m.src, m.c, far_open(&f), &o,
					 CFS_CTX(NULL, NULL)), 0);
	assert_int_equal(m.src->size, MB / 2);
	GET(m, 0, 50000);
	mnt_close(&m);
	/* with the server down there is no answer, and no waiting for it */
	f.down = true;
	m = mnt_open(&f, 0, 0);
	o = opts_of(&m);
	o.validate_ms = 5000;
	assert_int_equal(cfs_cached_open(&src, m.c, far_open(&f), &o,
					 CFS_CTX(NULL, &err)), 0);
	assert_int_equal(get(src, 0, 50000, 1), 0);
	cfs_source_close(src);
	mnt_close(&m);
}

/* Holds C5. */
static void changed_before_use(void **state)
{
	struct far f = { .size = MB };
	struct mnt m = mnt_open(&f, 0, 0);

	(void)state;
	GET(m, 0, 50000);
	mnt_close(&m);
	f.version++;
	m = mnt_open(&f, 0, 0);
	GET(m, 100000, 100);	/* not cached: the answer tells */
	GET(m, 0, 50000);	/* the new bytes */
	mnt_close(&m);
	f.down = true;
	m = mnt_open(&f, 0, 0);
	GET(m, 0, 50000);
	mnt_close(&m);
}

/* Holds C5. */
static void changed_in_use(void **state)
{
	struct far f = { .size = MB };
	struct mnt m = mnt_open(&f, 0, 0);
	struct cfs_error err = CFS_ERROR_INIT;
	uint8_t buf[100];

	(void)state;
	GET(m, 0, 50000);
	mnt_close(&m);
	f.version++;
	m = mnt_open(&f, 0, 0);
	assert_int_equal(get(m.src, 0, 50000, 0), 0);	/* as it was */
	assert_int_equal(cfs_source_read(m.src, buf, 100, 100000,
					 CFS_CTX(NULL, &err)), CFS_ECHANGED);
	assert_non_null(strstr(err.text, "changed"));
	assert_int_equal(get(m.src, 0, 100, 0), CFS_ECHANGED);
	/* opened again, it is right, and stays so */
	cfs_source_close(m.src);
	{
		struct cfs_cached_opts o = opts_of(&m);

		assert_int_equal(cfs_cached_open(&m.src, m.c, far_open(&f), &o,
						 CFS_CTX(NULL, NULL)), 0);
	}
	GET(m, 0, 50000);
	mnt_close(&m);
	m = mnt_open(&f, 0, 0);
	GET(m, 0, 50000);
	GET(m, 200000, 100);
	mnt_close(&m);
}

/* ---- failures --------------------------------------------------------- */

/* Holds E5. */
static void failures_are_not_kept(void **state)
{
	struct far f = { .size = MB, .fail_next = 1 };
	struct mnt m = mnt_open(&f, 0, 0);

	for (unsigned k = 0; k < 2; k++) {
		f.no_start = k == 1;
		f.fail_next = 1;
		mnt_close(&m);
		m = mnt_open(&f, 0, 0);
		assert_int_equal(get(m.src, k * 5000, 100, 0), CFS_EIO);
		GET(m, k * 5000, 100);
		assert_int_equal(m.n->failures, 1);
	}
	(void)state;
	mnt_close(&m);
}

/* Bytes that failed a check are asked for again, now and after a restart. */
/* Holds K2. */
static void forgotten(void **state)
{
	struct far f = { .size = MB };
	struct mnt m = mnt_open(&f, 100 * MB, 0);

	(void)state;
	GET(m, 1000, 500);
	GET(m, 9000, 500);
	assert_int_equal(f.requests, 2);
	assert_true(cfs_source_forget(m.src, 1200, 10));
	assert_false(cfs_source_forget(m.src, 1200, 10));
	assert_false(cfs_source_forget(m.src, 5000, 4000));
	GET(m, 1000, 500);
	GET(m, 9000, 500);
	assert_int_equal(f.requests, 3);

	mnt_close(&m);
	m = mnt_open(&f, 100 * MB, 0);
	GET(m, 1000, 500);
	assert_int_equal(f.requests, 3);
	assert_true(cfs_source_forget(m.src, 0, UINT64_MAX));
	GET(m, 1000, 500);
	GET(m, 9000, 500);
	assert_int_equal(f.requests, 5);
	mnt_close(&m);
	m = mnt_open(&f, 100 * MB, 0);
	GET(m, 1000, 500);
	GET(m, 9000, 500);
	assert_int_equal(f.requests, 5);
	mnt_close(&m);
}

static bool asked(void *arg)
{
	return *(atomic_bool *)arg;
}

struct reader {
	struct cfs_source *src;
	const struct cfs_cancel *cancel;
	uint64_t off;
	size_t n;
	int rc;
	unsigned version;
};

static void *read_run(void *arg)
{
	struct reader *r = arg;
	uint8_t *buf = malloc(r->n);

	r->rc = cfs_source_read(r->src, buf, r->n, r->off,
				CFS_CTX(r->cancel, NULL));
	if (r->rc == CFS_OK && !far_same(buf, r->off, r->n, r->version))
		r->rc = -100;
	free(buf);
	return NULL;
}

/* Holds K7. */
static void single_flight(void **state)
{
	(void)state;
	for (unsigned k = 0; k < 2; k++) {
		struct far f = { .size = MB, .is_held = true, .no_start = k == 1 };
		struct mnt m = mnt_open(&f, UINT64_MAX, 0);
		atomic_bool stop = false;
		struct cfs_cancel cancel = { .asked = asked, .arg = &stop };
		struct reader r[8];
		pthread_t t[8];

		for (unsigned i = 0; i < 8; i++) {
			r[i] = (struct reader){ .src = m.src, .off = 1000 + i, .n = 5000 - 2 * i,
						.cancel = i == 7 ? &cancel : NULL };
			pthread_create(&t[i], NULL, read_run, &r[i]);
			if (i == 0)
				far_await(&f, 1);
		}
		stop = true;
		pthread_join(t[7], NULL);	/* before there is an answer */
		f.is_held = false;
		for (unsigned i = 0; i < 7; i++)
			pthread_join(t[i], NULL);
		for (unsigned i = 0; i < 7; i++)
			assert_int_equal(r[i].rc, 0);
		assert_int_equal(r[7].rc, CFS_EINTR);
		assert_int_equal(f.requests, 1);
		mnt_close(&m);
	}
}

/* He who asked first gives up: the others, and later ones, get the bytes. */
/* Holds I3. */
static void asker_gives_up(void **state)
{
	struct far f = { .size = MB, .is_held = true };
	struct mnt m = mnt_open(&f, UINT64_MAX, 0);
	atomic_bool stop = false;
	struct cfs_cancel cancel = { .asked = asked, .arg = &stop };
	struct reader a = { .src = m.src, .off = 0, .n = 1000, .cancel = &cancel };
	struct reader b = { .src = m.src, .off = 0, .n = 1000 };
	pthread_t ta, tb;

	(void)state;
	pthread_create(&ta, NULL, read_run, &a);
	far_await(&f, 1);
	pthread_create(&tb, NULL, read_run, &b);
	stop = true;
	pthread_join(ta, NULL);
	f.is_held = false;
	pthread_join(tb, NULL);
	assert_int_equal(a.rc, CFS_EINTR);
	assert_int_equal(b.rc, 0);
	assert_int_equal(f.requests, 1);
	mnt_close(&m);
}

/* ---- read ahead ------------------------------------------------------- */

/* One that may read files here, but not wait for a server: it asks for nothing,
 * gets nothing that is on its way, and all that has come, from memory or from
 * disk. */
static void only_what_has_come(void **state)
{
	_Atomic bool would_wait = false;
	struct cfs_cancel cancel = { .would_wait = &would_wait,
				     .may_read_files = true };
	struct far f = { .size = MB, .is_held = true };
	struct mnt m = mnt_open(&f, 0, 0);
	struct reader r = { .src = m.src, .off = 1000, .n = 500,
			    .cancel = &cancel };

	(void)state;
	read_run(&r);
	assert_int_equal(r.rc, CFS_EINTR);
	assert_true(would_wait);
	assert_int_equal(f.requests, 0);

	cfs_source_prefetch(m.src, 1000, 500);
	far_await(&f, 1);
	would_wait = false;
	read_run(&r);
	assert_int_equal(r.rc, CFS_EINTR);
	assert_true(would_wait);

	f.is_held = false;
	GET(m, 1000, 500);
	would_wait = false;
	read_run(&r);
	assert_int_equal(r.rc, CFS_OK);
	assert_false(would_wait);
	mnt_close(&m);

	f.down = true;
	m = mnt_open(&f, 0, 0);
	r.src = m.src;
	read_run(&r);
	assert_int_equal(r.rc, CFS_OK);
	assert_false(would_wait);
	cancel.may_read_files = false;
	read_run(&r);
	assert_int_equal(r.rc, CFS_EINTR);
	assert_int_equal(f.requests, 1);
	assert_int_equal(m.n->hits, 1);		/* the rest are none */
	assert_int_equal(m.n->misses, 0);
	mnt_close(&m);
}

/* A file is opened to see what it is, asked for, closed, and opened again to be
 * read: what is on its way then is not asked for a second time. */
/* Holds K8. */
static void closed_meanwhile(void **state)
{
	struct far f = { .size = MB, .is_held = true };
	struct mnt m = mnt_open(&f, UINT64_MAX, 0);
	struct cfs_cached_opts co = opts_of(&m);
	struct reader r = { .off = 50000, .n = 1000 };
	pthread_t t;

	(void)state;
	cfs_source_prefetch(m.src, 0, 100000);
	far_await(&f, 1);
	cfs_source_close(m.src);
	assert_int_equal(cfs_cached_open(&m.src, m.c, far_open(&f), &co,
					 CFS_CTX(NULL, NULL)), 0);
	r.src = m.src;
	pthread_create(&t, NULL, read_run, &r);
	f.is_held = false;
	pthread_join(t, NULL);
	assert_int_equal(r.rc, 0);
	GET(m, 0, 100000);
	assert_int_equal(f.requests, 1);
	mnt_close(&m);
}

/* The end of the cache ends what is on its way. */
static void closed_with_the_cache(void **state)
{
	struct far f = { .size = MB, .is_held = true };
	struct mnt m = mnt_open(&f, UINT64_MAX, 0);

	(void)state;
	cfs_source_prefetch(m.src, 0, 1000);
	cfs_source_prefetch(m.src, 500000, 1000);
	far_await(&f, 2);
	mnt_close(&m);
	assert_int_equal(f.bytes, 0);
}

static void prefetch(void **state)
{
	(void)state;
	for (unsigned k = 0; k < 2; k++) {
		struct far f = { .size = 64 * MB, .is_held = true };
		struct mnt m = mnt_open(&f, k == 0 ? 0 : UINT64_MAX, 8 * MB);

		for (unsigned i = 0; i < 20; i++)
			cfs_source_prefetch(m.src, i * 100000, 5000);
		far_await(&f, 6);		/* at the same time */
		f.is_held = false;
		for (unsigned i = 0; i < 20; i++)
			GET(m, i * 100000, 5000);
		assert_true(f.most > 5);
		assert_int_equal(f.requests, 20);
		assert_int_equal(m.n->misses, 0);
		assert_int_equal(m.n->ahead_used, 20);
		/* bytes that are there or on their way are not requested
		 * again */
		cfs_source_prefetch(m.src, 0, 5000);
		cfs_source_prefetch(m.src, 5000000, 5000);
		cfs_source_prefetch(m.src, 5000000, 5000);
		assert_int_equal(m.n->ahead, 21);
		/* never more than half of the memory is for what may be unread */
		for (unsigned i = 0; i < 200; i++)
			cfs_source_prefetch(m.src, 10 * MB + i * 100000, 65536);
		assert_true(m.n->ahead_bytes < 4 * MB + 21 * 5000);
		cfs_cache_flush(m.c);
		/* reading much else drops it */
		GET(m, 40 * MB, 20 * MB);
		assert_true(m.n->ahead_wasted > 50);
		mnt_close(&m);
	}
}

/* One request for several records: each is then found as it was asked for. */
static void joined_then_single(void **state)
{
	struct far f = { .size = MB };
	struct mnt m = mnt_open(&f, 0, 0);

	(void)state;
	f.delay_us = 50000;
	cfs_source_prefetch(m.src, 1000, 100000);
	for (unsigned i = 0; i < 10; i++)
		cfs_source_prefetch(m.src, 1000 + i * 10000, 10000);
	assert_int_equal(m.n->fetches, 1);
	for (unsigned i = 0; i < 10; i++)
		GET(m, 1000 + i * 10000, 10000);
	mnt_close(&m);
	f.down = true;
	m = mnt_open(&f, 0, 0);
	for (unsigned i = 0; i < 10; i++)
		GET(m, 1000 + i * 10000, 10000);
	mnt_close(&m);
	{
		struct cfs_disk_info info;
		struct cfs_disk *d;

		assert_int_equal(cfs_disk_open(&d, dir, 0, NULL), 0);
		assert_int_equal(cfs_disk_get_info(d, &info, NULL), 0);
		assert_int_equal(info.records, 10);
		assert_int_equal(info.data_bytes, 100000);
		cfs_disk_close(d);
	}
}

UNIT_PROGRAM
{
	UNIT_TEST_HERE(exactly_as_asked);
	UNIT_TEST_HERE(ends);
	UNIT_TEST_HERE(large);
	UNIT_TEST_HERE(warm_without_network);
	UNIT_TEST_HERE(same_url_twice);
	UNIT_TEST_HERE(without_validator);
	UNIT_TEST_HERE(changed_and_validated);
	UNIT_TEST_HERE(changed_before_use);
	UNIT_TEST_HERE(changed_in_use);
	UNIT_TEST_HERE(failures_are_not_kept);
	UNIT_TEST_HERE(forgotten);
	UNIT_TEST_HERE(single_flight);
	UNIT_TEST_HERE(asker_gives_up);
	UNIT_TEST_HERE(only_what_has_come);
	UNIT_TEST_HERE(closed_meanwhile);
	UNIT_TEST_HERE(closed_with_the_cache);
	UNIT_TEST_HERE(prefetch);
	UNIT_TEST_HERE(joined_then_single);
	return unit_run("cache");
}
