/* guard.h - calls functions of C++ libraries, which can only fail when memory
 * runs out.
 *
 * uchardet throws an exception then, and ICU may use memory that it was not
 * given.  Both would end the process.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_GUARD_H
#define CFS_BASE_GUARD_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Calls fn(arg), with some memory set aside that the library gets when there is
 * no other.  False: out of memory; then fn was not called, or was left in the
 * middle, so that the caller closes what *arg says is open.  fn calls the
 * library, and holds neither locks nor memory.
 */
bool cfs_guarded(void (*fn)(void *arg), void *arg);

/* For catch.cc and no_catch.c, which stands in where there is no compiler of
 * C++: calls fn(arg); false if it has thrown an exception. */
bool cfs_catch(void (*fn)(void *arg), void *arg);
/* Has `new` call cfs_guard_give when it fails.  Called once. */
void cfs_catch_begin(void);
/* Frees what is set aside for this thread; false: nothing is. */
bool cfs_guard_give(void);

#ifdef __cplusplus
}
#endif

#endif
