/* record_test.h - what the tests of src/record share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_TESTS_RECORD_TEST_H
#define CFS_TESTS_RECORD_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/slice.h"

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

/* Rows of a table as tests, each with its row as the initial state. */
#define ADD_ROWS(tests, n, rows, fn)					\
	do {								\
		for (size_t i_ = 0; i_ < sizeof(rows) / sizeof(*(rows)); i_++) { \
			assert((n) < sizeof(tests) / sizeof(*(tests)));	\
			(tests)[(n)++] = (struct CMUnitTest){		\
				(rows)[i_].name, fn, NULL, NULL, &(rows)[i_] }; \
		}							\
	} while (0)
#define ADD_TEST(tests, n, fn)						\
	do {								\
		assert((n) < sizeof(tests) / sizeof(*(tests)));		\
		(tests)[(n)++] = (struct CMUnitTest){ #fn, fn, NULL, NULL, NULL }; \
	} while (0)

#define run_group(group, tests, n) \
	_cmocka_run_group_tests(group, tests, n, NULL, NULL)

#undef assert
#include <assert.h>

#endif
