/* alloc_fail.h - allocations that fail on purpose, for one test program.
 *
 * The program is linked with -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc:
 * the linker sends those calls of our own code here.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_TESTS_ALLOC_FAIL_H
#define CFS_TESTS_ALLOC_FAIL_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* So many more allocations succeed, then one fails; below 0: none does. */
static atomic_long countdown = -1;

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);

static bool alloc_fails(void)
{
	if (countdown < 0 || atomic_fetch_sub(&countdown, 1) != 0)
		return false;
	errno = ENOMEM;		/* as the C library does */
	return true;
}

void *__wrap_malloc(size_t n)
{
	return alloc_fails() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return alloc_fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
	return alloc_fails() ? NULL : __real_realloc(p, n);
}

#endif
