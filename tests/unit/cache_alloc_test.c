/* cache_alloc_test.c - the 1st, 2nd, 3rd ... allocation of the block cache, and
 * of kept sizes, fails: right bytes or CFS_ENOMEM, nothing leaked (ASan looks
 * on).
 *
 * The linker sends malloc, calloc and realloc of our own code here.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "alloc_fail.h"
#include "cache/disk.h"
#include "cache/sizes.h"
#include "cache_source.h"

static char dir[64];

static void read_all(struct cfs_source *src)
{
	static uint8_t buf[300000];

	for (uint64_t off = 0; off < 600000; off += 50000) {
		size_t n = off % 100000 ? 3000 : 200000, got;
		int rc = cfs_source_read_some(src, buf, n, off, &got,
					      CFS_CTX(NULL, NULL));

		assert_true(rc == CFS_OK || rc == CFS_ENOMEM);
		if (rc == CFS_OK) {
			assert_int_equal(got, n);
			assert_true(far_same(buf, off, n, 0));
		}
	}
}

/* Did the n-th allocation not happen any more? */
static bool round_of(struct far *f, long n)
{
	struct cfs_cache_opts o = { .dir = dir, .mem_bytes = 400000 };
	struct cfs_cached_opts co = { .url = "http://far/object" };
	struct cfs_source *inner = far_open(f), *src = NULL;
	struct cfs_cache *c;
	bool done;

	countdown = n;
	if (cfs_cache_open(&c, &o, NULL) == CFS_OK) {
		if (cfs_cached_open(&src, c, inner, &co,
				    CFS_CTX(NULL, NULL)) == CFS_OK) {
			read_all(src);
			cfs_source_close(src);
		}
		cfs_cache_close(c);
	} else {
		cfs_source_close(inner);
	}
	done = countdown >= 0;
	countdown = -1;
	return done;
}

static void clear(void)
{
	char cmd[128];

	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	assert_int_equal(system(cmd), 0);
}

static void rounds(bool is_warm)
{
	struct far f = { .size = 1000000, .no_start = true };
	long n = 0;

	snprintf(dir, sizeof(dir), "/tmp/cfs-cache-XXXXXX");
	assert_non_null(mkdtemp(dir));
	for (;; n++) {
		if (!is_warm)
			clear();
		if (round_of(&f, n))
			break;
		assert_true(n < 20000);
	}
	print_message("    %ld allocations\n", n);
	assert_true(n > 8);
	clear();
}

static void cold(void **state)
{
	(void)state;
	rounds(false);
}

static void warm(void **state)
{
	(void)state;
	rounds(true);
}

/* ---- kept sizes --------------------------------------------------------- */

#define SIZES 3000u

/* Puts sizes, or finds what earlier rounds have put.  False: the n-th allocation
 * did not happen any more. */
static bool sizes_fail(long n)
{
	static const struct cfs_sizes_id id = { 1, 2 };
	struct cfs_disk *d = NULL;
	struct cfs_sizes *s;
	bool failed;

	countdown = n;
	if (cfs_disk_open(&d, dir, UINT64_C(1) << 30, NULL) == CFS_OK &&
	    cfs_sizes_open(&s, d, &id, 7, NULL) == CFS_OK) {
		for (uint64_t key = 0; key < SIZES; key++) {
			struct cfs_sizes_entry e = { key, key * 3 + 1, false };
			uint64_t size;

			if (cfs_sizes_get(s, key, &size))
				assert_int_equal(size, e.size);
			cfs_sizes_put(s, &e);
			if (key % 1000 == 0)
				cfs_sizes_flush(s);
		}
		cfs_sizes_close(s);
	}
	cfs_disk_close(d);
	failed = countdown < 0;
	countdown = -1;
	return failed;
}

/* The file is new in each round, or is there from the ones before. */
static void sizes_rounds(bool is_warm)
{
	long n = 0;

	snprintf(dir, sizeof(dir), "/tmp/cfs-cache-XXXXXX");
	assert_non_null(mkdtemp(dir));
	while (sizes_fail(n)) {
		if (!is_warm)
			clear();
		assert_true(++n < 20000);
	}
	print_message("    %ld allocations\n", n);
	assert_true(n > (is_warm ? 5 : 12));
	clear();
}

static void sizes_cold(void **state)
{
	(void)state;
	sizes_rounds(false);
}

static void sizes_warm(void **state)
{
	(void)state;
	sizes_rounds(true);
}

UNIT_PROGRAM
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cold), cmocka_unit_test(warm),
		cmocka_unit_test(sizes_cold), cmocka_unit_test(sizes_warm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
