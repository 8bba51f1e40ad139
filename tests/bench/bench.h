/* bench.h - what the two drivers of `make bench` share.
 *
 * Each prints one line, "COUNT SECONDS", and leaves the arithmetic to the
 * script.  They are programs for developers: they die at the first fault.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double bench_now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

__attribute__((noreturn, format(printf, 1, 2)))
static inline void bench_die(const char *fmt, ...)
{
	va_list ap;

	fputs("bench: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

static inline uint64_t bench_number(const char *s)
{
	char *end;
	uint64_t v = strtoull(s, &end, 10);

	if (*s < '0' || *s > '9' || *end != '\0')
		bench_die("'%s' is not a number", s);
	return v;
}

static inline void bench_print(uint64_t count, double seconds)
{
	printf("%" PRIu64 " %.6f\n", count, seconds);
}

#endif
