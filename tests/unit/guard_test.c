/* guard_test.c - libraries of C++ that throw, or get no memory (base/guard.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"
#include "alloc_fail.h"

#include "base/guard.h"

/* Functions of libstdc++: std::__throw_bad_alloc() and operator new. */
void throw_bad_alloc(void) __asm__("_ZSt17__throw_bad_allocv");
#if __SIZEOF_SIZE_T__ == 8
void *cxx_new(size_t n) __asm__("_Znwm");
#else
void *cxx_new(size_t n) __asm__("_Znwj");
#endif

static void add_one(void *arg)
{
	++*(int *)arg;
}

static void add_one_and_throw(void *arg)
{
	add_one(arg);
	throw_bad_alloc();
	add_one(arg);
}

static void ask_for_too_much(void *arg)
{
	add_one(arg);
	(void)cxx_new(SIZE_MAX / 4);
	add_one(arg);
}

static void calls(void **state)
{
	int n = 0;

	(void)state;
	assert_true(cfs_guarded(add_one, &n));
	assert_int_equal(n, 1);
	assert_false(cfs_guard_give());	/* nothing is set aside any more */
}

/* Holds L15. */
static void catches(void **state)
{
	int n = 0;

	(void)state;
	assert_false(cfs_guarded(add_one_and_throw, &n));
	assert_int_equal(n, 1);
	assert_false(cfs_guard_give());
	assert_true(cfs_guarded(add_one, &n));
}

static void new_fails(void **state)
{
	int n = 0;

	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip();		/* its own operator new ends the process */
#endif
	assert_false(cfs_guarded(ask_for_too_much, &n));
	assert_int_equal(n, 1);
	assert_false(cfs_guard_give());
}

/* Without memory to set aside the library is not called. */
static void nothing_to_set_aside(void **state)
{
	int n = 0;

	(void)state;
	countdown = 0;
	assert_false(cfs_guarded(add_one, &n));
	countdown = -1;
	assert_int_equal(n, 0);
}

UNIT_PROGRAM
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls),
		cmocka_unit_test(catches),
		cmocka_unit_test(new_fails),
		cmocka_unit_test(nothing_to_set_aside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
