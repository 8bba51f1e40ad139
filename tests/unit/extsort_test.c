/* extsort_test.c - the external sort (extsort.h) against qsort.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include <dirent.h>
#include <pthread.h>
#include <sys/resource.h>
#include <signal.h>
#include <unistd.h>

#include "rng.h"
#include "sort/extsort.h"

struct pair {
	struct cfs_slice key, value;
};

static int pair_cmp(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	int c = cfs_slice_cmp(x->key, y->key);

	return c != 0 ? c : cfs_slice_cmp(x->value, y->value);
}

/* How keys look: few letters and short, so that many are prefixes of others
 * or equal; or long with a long common part; or random bytes; or stairs: at each
 * depth of seven bytes three keys are less and three greater than all that are
 * deeper, so that a sort by depths has two parts left at each of them. */
enum shape { SHORT, LONG, RANDOM, EQUAL, SORTED, REVERSED, STAIRS };

static struct cfs_slice make_item(uint64_t *rng, enum shape shape, size_t i, size_t n, uint8_t *mem)
{
	size_t len = 0;

	switch (shape) {
	case SHORT:
		len = rng_below(rng, 20);
		for (size_t j = 0; j < len; j++)
			mem[j] = (uint8_t)rng_below(rng, 2);
		break;
	case LONG:
		len = 300 + rng_below(rng, 30);
		memset(mem, 'x', 300);
		for (size_t j = 300; j < len; j++)
			mem[j] = (uint8_t)('a' + rng_below(rng, 2));
		break;
	case RANDOM:
		len = rng_below(rng, 40);
		for (size_t j = 0; j < len; j++)
			mem[j] = (uint8_t)rng_next(rng);
		break;
	case STAIRS:
		len = i / 6 * 7 + 1;
		memset(mem, 'm', len);
		mem[len - 1] = i % 2 ? 'a' : 'z';
		break;
	case EQUAL:
		len = 21;	/* three whole chunks */
		memset(mem, 'e', len);
		break;
	case SORTED:
	case REVERSED:
		len = (size_t)snprintf((char *)mem, 40, "key-%09zu", shape == SORTED ? i : n - i);
		break;
	}
	return cfs_slice_of(mem, len);
}

struct sort_case {
	const char *name;
	enum shape key, value;
	size_t n, memory;
	unsigned feeders;
};
static struct sort_case sort_cases[] = {
	{ "nothing", SHORT, SHORT, 0, 0, 1 },
	{ "one", SHORT, SHORT, 1, 0, 3 },
	{ "two", SHORT, SHORT, 2, 0, 1 },
	{ "short keys in memory", SHORT, RANDOM, 20000, 64 << 20, 2 },
	{ "short keys spilled", SHORT, RANDOM, 60000, 1, 2 },
	{ "equal keys", EQUAL, SHORT, 50000, 1, 2 },
	{ "equal pairs", EQUAL, EQUAL, 50000, 1, 1 },
	{ "long common part", LONG, SHORT, 20000, 1, 3 },
	{ "long values", SHORT, LONG, 20000, 1, 2 },
	{ "stairs", STAIRS, SHORT, 600, 64 << 20, 1 },
	{ "random", RANDOM, RANDOM, 100000, 1, 1 },
	{ "sorted already", SORTED, SHORT, 50000, 1, 1 },
	{ "in reverse", REVERSED, SHORT, 50000, 64 << 20, 1 },
};

static void add_all(struct cfs_extsort *s, struct pair *p, size_t n, unsigned feeders)
{
	for (size_t i = 0; i < n; i++)
		assert_int_equal(cfs_extsort_add(s, (unsigned)(i % feeders), p[i].key, p[i].value, NULL), 0);
}

static void sort_case(void **state)
{
	const struct sort_case *tc = *state;
	struct cfs_extsort_opts o = { .memory_bytes = tc->memory, .feeders = tc->feeders,
		.tmp_dir = "/tmp" };
	struct pair *pairs = calloc(tc->n + 1, sizeof(*pairs));
	uint8_t *mem = malloc(tc->n * 700 + 1), *at = mem;
	struct cfs_slice key, value;
	uint64_t rng = 17;
	struct cfs_extsort *s;

	for (size_t i = 0; i < tc->n; i++) {
		pairs[i].key = make_item(&rng, tc->key, i, tc->n, at);
		at += pairs[i].key.n;
		pairs[i].value = make_item(&rng, tc->value, i, tc->n, at);
		at += pairs[i].value.n;
	}
	assert_int_equal(cfs_extsort_new(&s, &o, NULL), 0);
	add_all(s, pairs, tc->n, tc->feeders);
	assert_int_equal(cfs_extsort_count(s), tc->n);
	assert_int_equal(cfs_extsort_merge(s, NULL), 0);
	qsort(pairs, tc->n, sizeof(*pairs), pair_cmp);
	for (size_t i = 0; i < tc->n; i++) {
		assert_int_equal(cfs_extsort_next(s, &key, &value, NULL), 0);
		assert_true(cfs_slice_eq(key, pairs[i].key));
		assert_true(cfs_slice_eq(value, pairs[i].value));
	}
	assert_int_equal(cfs_extsort_next(s, &key, &value, NULL), CFS_END);
	assert_int_equal(cfs_extsort_next(s, &key, &value, NULL), CFS_END);
	cfs_extsort_free(s);
	free(pairs);
	free(mem);
}

/* ---- feeders at the same time ---- */

struct feed {
	struct cfs_extsort *s;
	unsigned feeder;
	int rc;
};

static void *feed(void *arg)
{
	struct feed *f = arg;
	uint8_t key[8], value[100] = { 0 };

	for (unsigned i = 0; i < 40000 && f->rc == CFS_OK; i++) {
		uint64_t v = (uint64_t)i * 4 + f->feeder;

		for (unsigned j = 0; j < 8; j++)
			key[j] = (uint8_t)(v * 0x9E3779B97F4A7C15u >> 8 * j);
		f->rc = cfs_extsort_add(f->s, f->feeder, cfs_slice_of(key, 8), cfs_slice_of(value, 100), NULL);
	}
	return NULL;
}

static void threads(void **state)
{
	struct cfs_extsort_opts o = { .memory_bytes = 4 << 20, .feeders = 4, .tmp_dir = "/tmp" };
	struct cfs_slice key, value;
	struct feed f[4];
	pthread_t t[4];
	struct cfs_extsort *s;
	uint8_t last[8] = { 0 };
	unsigned n = 0;

	(void)state;
	assert_int_equal(cfs_extsort_new(&s, &o, NULL), 0);
	for (unsigned i = 0; i < 4; i++) {
		f[i] = (struct feed){ s, i, 0 };
		assert_int_equal(pthread_create(&t[i], NULL, feed, &f[i]), 0);
	}
	for (unsigned i = 0; i < 4; i++) {
		pthread_join(t[i], NULL);
		assert_int_equal(f[i].rc, 0);
	}
	assert_int_equal(cfs_extsort_merge(s, NULL), 0);
	for (; cfs_extsort_next(s, &key, &value, NULL) == CFS_OK; n++) {
		assert_true(memcmp(last, key.p, 8) <= 0);
		memcpy(last, key.p, 8);
	}
	assert_int_equal(n, 160000);
	cfs_extsort_free(s);
}

/* ---- what goes wrong ---- */

static void too_long(void **state)
{
	struct cfs_extsort_opts o = { .memory_bytes = 1, .feeders = 1, .tmp_dir = "/tmp" };
	uint8_t *p = calloc(1, CFS_EXTSORT_ITEM_MAX + 1);
	struct cfs_slice key, value;
	struct cfs_extsort *s;

	(void)state;
	assert_int_equal(cfs_extsort_new(&s, &o, NULL), 0);
	assert_int_equal(cfs_extsort_add(s, 0, cfs_slice_of(p, 65536), CFS_SLICE_EMPTY, NULL), CFS_ELIMIT);
	/* the longest there are, more than memory holds */
	for (unsigned i = 0; i < 12; i++) {
		p[65534] = (uint8_t)(12 - i);
		assert_int_equal(cfs_extsort_add(s, 0, cfs_slice_of(p, 65535), cfs_slice_of(p, 65535), NULL), 0);
	}
	assert_int_equal(cfs_extsort_merge(s, NULL), 0);
	for (unsigned i = 0; i < 12; i++) {
		assert_int_equal(cfs_extsort_next(s, &key, &value, NULL), 0);
		assert_int_equal(key.n, 65535);
		assert_int_equal(value.p[65534], i + 1);
	}
	assert_int_equal(cfs_extsort_next(s, &key, &value, NULL), CFS_END);
	cfs_extsort_free(s);
	free(p);
}

static int fill(struct cfs_extsort *s, struct cfs_error *err)
{
	uint8_t value[1000] = { 0 };
	uint64_t rng = 1;
	int rc = CFS_OK;

	for (unsigned i = 0; i < 4000 && rc == CFS_OK; i++) {
		uint64_t k = rng_next(&rng);

		rc = cfs_extsort_add(s, 0, cfs_slice_of(&k, 8), cfs_slice_of(value, sizeof(value)), err);
	}
	return rc;
}

static void no_folder(void **state)
{
	struct cfs_extsort_opts o = { .memory_bytes = 1, .feeders = 1, .tmp_dir = "/nonexistent-folder" };
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_extsort *s;

	(void)state;
	assert_int_equal(cfs_extsort_new(&s, &o, NULL), 0);
	assert_int_equal(fill(s, &err), CFS_EIO);
	assert_string_equal(err.where, "/nonexistent-folder");
	cfs_extsort_free(s);
}

/* A file size limit stands in for a full disk. */
static void disk_full(void **state)
{
	struct cfs_extsort_opts o = { .memory_bytes = 1, .feeders = 1, .tmp_dir = "/tmp" };
	struct cfs_error err = CFS_ERROR_INIT;
	struct rlimit old, small;
	struct cfs_extsort *s;
	int rc;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	small = old;
	small.rlim_cur = 1 << 20;
	setrlimit(RLIMIT_FSIZE, &small);
	assert_int_equal(cfs_extsort_new(&s, &o, NULL), 0);
	rc = fill(s, &err);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(rc, CFS_EIO);
	assert_non_null(strstr(err.text, "cannot write a temporary file"));
	cfs_extsort_free(s);
}

static unsigned asked;
static unsigned say_stop_at;

static bool stops_sort(void *arg)
{
	(void)arg;
	return ++asked >= say_stop_at;
}

static void cancelled(void **state)
{
	struct cfs_cancel cancel = { .asked = stops_sort };
	struct cfs_extsort_opts o = { .memory_bytes = 1, .feeders = 1, .tmp_dir = "/tmp", .cancel = &cancel };
	struct cfs_slice key, value;
	int rc = CFS_EINTR;

	(void)state;
	/* at each of the places where it asks */
	for (say_stop_at = 1; rc != CFS_END; say_stop_at++) {
		struct cfs_extsort *s;

		asked = 0;
		assert_int_equal(cfs_extsort_new(&s, &o, NULL), 0);
		rc = fill(s, NULL);
		if (rc == CFS_OK)
			rc = cfs_extsort_merge(s, NULL);
		while (rc == CFS_OK)
			rc = cfs_extsort_next(s, &key, &value, NULL);
		assert_true(rc == CFS_EINTR || rc == CFS_END);
		cfs_extsort_free(s);
	}
	assert_true(say_stop_at > 8);
}

UNIT_PROGRAM
{
	UNIT_ROWS(sort_cases, sort_case);
	UNIT_TEST(threads);
	UNIT_TEST(too_long);
	UNIT_TEST(no_folder);
	UNIT_TEST(disk_full);
	UNIT_TEST(cancelled);
	return unit_run("extsort");
}
