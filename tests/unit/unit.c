/* unit.c - the list of a program's cases, and how fast this machine is.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#define TESTS_MAX 512
#define WORK_MS 4.3
#define SECONDS_MAX 1800	/* a program that waits for ever is ended */

static struct CMUnitTest tests[TESTS_MAX];
static size_t n_tests;

static void add(struct CMUnitTest test)
{
	if (n_tests == TESTS_MAX)
		abort();
	tests[n_tests++] = test;
}

void unit_add(const char *name, CMUnitTestFunction fn, const void *row)
{
	add((struct CMUnitTest){ name, fn, NULL, NULL,
				 (void *)(uintptr_t)row });
}

void unit_add_with(const char *name, CMUnitTestFunction fn,
		   CMFixtureFunction setup, CMFixtureFunction teardown)
{
	add((struct CMUnitTest){ name, fn, setup, teardown, NULL });
}

int unit_run_with(const char *group, CMFixtureFunction setup,
		  CMFixtureFunction teardown)
{
	alarm(SECONDS_MAX);
	return _cmocka_run_group_tests(group, tests, n_tests, setup, teardown);
}

int unit_run(const char *group)
{
	return unit_run_with(group, NULL, NULL);
}

double unit_cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

double unit_slowness(void)
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
	return ms > WORK_MS ? ms / WORK_MS : 1;
}

uint8_t *unit_man_bytes(const char *page, size_t *n)
{
	const char *top = getenv("CFS_SRCDIR");
	char path[4096], line[400];
	uint8_t *p = calloc(1, 1 << 16);
	FILE *f;

	snprintf(path, sizeof(path), "%s/man/%s",
		 top ? top : CFS_TOP_SRCDIR, page);
	f = fopen(path, "r");
	assert_non_null(f);
	*n = 0;
	while (fgets(line, sizeof(line), f) != NULL) {
		char *end, *at = line + 6;
		unsigned long off = strtoul(line, &end, 16), byte;

		if (end != line + 4 || strncmp(end, "  ", 2) != 0)
			continue;
		for (; *at != '\n' && *at != '\0'; at = end) {
			byte = strtoul(at, &end, 16);
			if (end == at)
				break;
			assert_true(byte < 256 && off < (1 << 16));
			p[off++] = (uint8_t)byte;
		}
		*n = off;
	}
	fclose(f);
	return realloc(p, *n);
}
