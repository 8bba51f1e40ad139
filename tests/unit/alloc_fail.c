/* alloc_fail.c - allocations that fail on purpose.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "alloc_fail.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *s);
char *__wrap_strndup(const char *s, size_t n);

atomic_long countdown = -1;
atomic_size_t too_large;

static bool fails(size_t n)
{
	bool is_last = countdown >= 0 && atomic_fetch_sub(&countdown, 1) == 0;

	if (!is_last && (too_large == 0 || n < too_large))
		return false;
	errno = ENOMEM;		/* as the C library does */
	return true;
}

void *__wrap_malloc(size_t n)
{
	return fails(n) ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails(n * size) ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
	return fails(n) ? NULL : __real_realloc(p, n);
}

char *__wrap_strndup(const char *s, size_t n)
{
	const char *end = memchr(s, '\0', n);
	size_t k = end != NULL ? (size_t)(end - s) : n;
	char *p = __wrap_malloc(k + 1);

	if (p != NULL) {
		memcpy(p, s, k);
		p[k] = '\0';
	}
	return p;
}

char *__wrap_strdup(const char *s)
{
	return __wrap_strndup(s, strlen(s));
}
