/* alloc_fail.h - allocations that fail on purpose, for the programs of
 * alloc_tests.
 *
 * It is linked with --wrap for malloc, calloc, realloc, strdup and strndup: the
 * linker sends those calls of our own code to alloc_fail.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_TESTS_ALLOC_FAIL_H
#define CFS_TESTS_ALLOC_FAIL_H

#include <stdatomic.h>
#include <stddef.h>

/* So many more allocations succeed, then one fails; below 0: none does. */
extern atomic_long countdown;
/* An allocation of so many bytes or more fails, too; 0: none does. */
extern atomic_size_t too_large;

/* Allocates without that. */
void *__real_malloc(size_t n);

#endif
