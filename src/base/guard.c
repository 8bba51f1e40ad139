/* guard.c - sets memory aside for libraries of C++, and gives it to them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "guard.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unicode/uclean.h>

/* More than a detector of charsets, a converter or a table of IDNA takes. */
#define RESERVE_BYTES ((size_t)256 << 10)
/* ICU frees twice what it has made of an object for which memory ends half-way
 * (CharsetDetector of ICU 72).  Another thread may have taken what was set
 * aside, so memory is waited for, a second at most. */
#define MEMORY_PAUSE_NS 10000000L
#define MEMORY_PAUSES 100u

static _Thread_local void *reserve;
static pthread_once_t guard_once = PTHREAD_ONCE_INIT;

bool cfs_guard_give(void)
{
	if (reserve == NULL)
		return false;
	free(reserve);
	reserve = NULL;
	return true;
}

/* Waits for memory, or gives some. */
static bool may_try_again(unsigned *pauses)
{
	const struct timespec pause = { .tv_nsec = MEMORY_PAUSE_NS };

	if (cfs_guard_give())
		return true;
	nanosleep(&pause, NULL);
	return ++*pauses < MEMORY_PAUSES;
}

static void *guard_malloc(const void *context, size_t n)
{
	unsigned pauses = 0;
	void *p;

	(void)context;
	do {
		p = malloc(n);
	} while (p == NULL && may_try_again(&pauses));
	return p;
}

static void *guard_realloc(const void *context, void *old, size_t n)
{
	unsigned pauses = 0;
	void *p;

	(void)context;
	do {
		p = realloc(old, n);
	} while (p == NULL && may_try_again(&pauses));
	return p;
}

static void guard_free(const void *context, void *p)
{
	(void)context;
	free(p);
}

static void guard_begin(void)
{
	UErrorCode code = U_ZERO_ERROR;

	u_setMemoryFunctions(NULL, guard_malloc, guard_realloc, guard_free,
			     &code);
	cfs_catch_begin();
}

bool cfs_guarded(void (*fn)(void *arg), void *arg)
{
	bool is_done;

	pthread_once(&guard_once, guard_begin);
	reserve = malloc(RESERVE_BYTES);
	if (reserve == NULL)
		return false;
	is_done = cfs_catch(fn, arg);
	(void)cfs_guard_give();
	return is_done;
}
