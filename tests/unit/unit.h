/* unit.h - what all unit tests share: tables of cases, bytes in exact blocks.
 *
 * Each file is a program (tests/program.h), which names its cases and runs
 * them:
 *
 *     UNIT_PROGRAM
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
#include "tests/program.h"

/* cmocka 1 has one name for it, of which cmocka 2 warns. */
#ifndef assert_int_in_range
#define assert_int_in_range(value, minimum, maximum) \
	assert_in_range(value, minimum, maximum)
#endif

#define UNIT_PROGRAM PROGRAM(argc, argv)
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Adds a case that runs fn with row as its state; both are kept. */
void unit_add(const char *name, CMUnitTestFunction fn, const void *row);
void unit_add_with(const char *name, CMUnitTestFunction fn,
		   CMFixtureFunction setup, CMFixtureFunction teardown);

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

/* Runs what was added, with what comes before and behind all of it; the result
 * of the program. */
int unit_run_with(const char *group, CMFixtureFunction setup,
		  CMFixtureFunction teardown);
int unit_run(const char *group);

/* Processor time of this thread. */
double unit_cpu_ms(void);

/* How many times slower than the machine that limits were chosen on this one is,
 * right now and with this compiler's switches; never below 1.  Limits of time
 * are multiplied by it. */
double unit_slowness(void);

/* The bytes of the example of a manual page: lines of a hexadecimal offset and
 * up to sixteen bytes; what no line has is 0.  The caller frees them. */
uint8_t *unit_man_bytes(const char *page, size_t *n);

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
