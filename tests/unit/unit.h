/* unit.h - what all unit tests share: tables of cases, bytes in exact blocks.
 *
 * A program's main names its cases and runs them:
 *
 *     int main(void)
 *     {
 *             UNIT_ROWS(u64_cases, u64_case);   one case a row, by its .name
 *             UNIT_ROWS_BY(urls, url, url_case);  ... by another field of it
 *             UNIT_STRINGS(bad_keys, bad_key);  a table of strings
 *             UNIT_TEST(overflow);
 *             return unit_run("slice");
 *     }
 *
 * A row comes to its function as *state; an empty name is written "".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_TESTS_UNIT_H
#define CFS_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/slice.h"

/* cmocka 1 has one name for it, of which cmocka 2 warns. */
#ifndef assert_int_in_range
#define assert_int_in_range(value, minimum, maximum) \
	assert_in_range(value, minimum, maximum)
#endif

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define UNIT_TESTS_MAX 512
#define UNIT_WORK_MS 4.3
#define UNIT_SECONDS 1800	/* a program that waits for ever is ended */

struct unit_list {
	struct CMUnitTest v[UNIT_TESTS_MAX];
	size_t n;
};

static inline struct unit_list *unit_list(void)
{
	static struct unit_list list;

	return &list;
}

static inline struct CMUnitTest *unit_next(void)
{
	struct unit_list *l = unit_list();

	if (l->n == UNIT_TESTS_MAX)
		abort();
	return &l->v[l->n++];
}

static inline void unit_add(const char *name, CMUnitTestFunction fn,
			    const void *row)
{
	*unit_next() = (struct CMUnitTest){ name, fn, NULL, NULL,
					    (void *)(uintptr_t)row };
}

static inline void unit_add_with(const char *name, CMUnitTestFunction fn,
				 CMFixtureFunction setup,
				 CMFixtureFunction teardown)
{
	*unit_next() = (struct CMUnitTest){ name, fn, setup, teardown, NULL };
}

#define UNIT_TEST(fn) unit_add(#fn, fn, NULL)
#define UNIT_ROWS_BY(rows, field, fn)					\
	do {								\
		for (size_t i_ = 0; i_ < COUNT(rows); i_++)		\
			unit_add((rows)[i_].field, fn, &(rows)[i_]);	\
	} while (0)
#define UNIT_ROWS(rows, fn) UNIT_ROWS_BY(rows, name, fn)
#define UNIT_STRINGS(strings, fn)					\
	do {								\
		for (size_t i_ = 0; i_ < COUNT(strings); i_++)		\
			unit_add((strings)[i_], fn, (strings)[i_]);	\
	} while (0)

/* Runs what was added; main's result. */
static inline int unit_run_with(const char *group, CMFixtureFunction setup,
				CMFixtureFunction teardown)
{
	struct unit_list *l = unit_list();

	alarm(UNIT_SECONDS);
	return _cmocka_run_group_tests(group, l->v, l->n, setup, teardown);
}

static inline int unit_run(const char *group)
{
	return unit_run_with(group, NULL, NULL);
}

/* ---- how much processor time something takes --------------------------- */

static inline double unit_cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* How many times slower than the machine that limits were chosen on this one is,
 * right now and with this compiler's switches; never below 1.  Limits of time
 * are multiplied by it. */
static inline double unit_slowness(void)
{
	static uint32_t table[1 << 16];
	double ms = unit_cpu_ms();
	volatile uint32_t sink;
	uint32_t x = 1;

	for (uint32_t i = 0; i < 4000000; i++) {
		x = x * 1664525 + 1013904223;
		table[x >> 16] += x ^ i;
	}
	sink = table[x >> 16];
	(void)sink;
	ms = unit_cpu_ms() - ms;
	return ms > UNIT_WORK_MS ? ms / UNIT_WORK_MS : 1;
}

/* ---- bytes -------------------------------------------------------------- */

/* The bytes in a block of exactly their size, so that ASan sees one byte
 * too far. */
static inline struct cfs_slice exact_copy(const void *p, size_t n)
{
	uint8_t *q = malloc(n > 0 ? n : 1);

	assert_non_null(q);
	if (n > 0)
		memcpy(q, p, n);
	return (struct cfs_slice){ q, n };
}

static inline void exact_free(struct cfs_slice s)
{
	free((void *)(uintptr_t)s.p);
}

static inline void assert_slice_n(struct cfs_slice got, const void *want,
				  size_t n)
{
	if (got.n != n || memcmp(got.p, want, n) != 0)
		print_error("got  %zu '%.*s'\nwant %zu '%.*s'\n", got.n,
			    (int)got.n, (const char *)got.p, n, (int)n,
			    (const char *)want);
	assert_int_equal(got.n, n);
	assert_memory_equal(got.p, want, n);
}

static inline void assert_slice(struct cfs_slice got, const char *want)
{
	assert_slice_n(got, want, strlen(want));
}

#endif
