/* simhash_print.c - Rabin fingerprints of windows (doc/formats.md, "Simhash").
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "simhash_internal.h"

#include <pthread.h>
#include <sys/random.h>
#include <time.h>

static struct cfs_simhash_tools tools;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_tools(void)
{
	struct timespec now = { 0 };

	for (unsigned b = 0; b < 256; b++) {
		uint64_t v = b;

		for (int i = 0; i < 8; i++)
			v = (v >> 1) ^ (v & 1 ? CFS_SIMHASH_POLYNOMIAL : 0);
		tools.steps[0][b] = v;
	}
	for (unsigned k = 1; k < 8; k++) {
		for (unsigned b = 0; b < 256; b++) {
			uint64_t v = tools.steps[k - 1][b];

			tools.steps[k][b] = (v >> 8) ^ tools.steps[0][v & 255];
		}
	}
	if (getrandom(tools.key, sizeof(tools.key), GRND_NONBLOCK) !=
	    (ssize_t)sizeof(tools.key)) {
		/* no random numbers early in the boot: better than nothing */
		clock_gettime(CLOCK_MONOTONIC, &now);
		tools.key[0] = (uint64_t)now.tv_nsec ^ (uintptr_t)&now;
		tools.key[1] = (uint64_t)now.tv_nsec * CFS_SIMHASH_POLYNOMIAL;
		tools.key[2] = (uint64_t)now.tv_sec * CFS_SIMHASH_POLYNOMIAL;
	}
	tools.key[1] |= 1;
	tools.key[2] |= 1;
}

const struct cfs_simhash_tools *cfs_simhash_tools(void)
{
	pthread_once(&once, make_tools);
	return &tools;
}

uint64_t cfs_simhash_print(struct cfs_slice bytes)
{
	uint64_t v = CFS_SIMHASH_POLYNOMIAL;

	cfs_simhash_tools();
	for (size_t i = 0; i < bytes.n; i++)
		v = (v >> 8) ^ tools.steps[0][(v ^ bytes.p[i]) & 255];
	return v;
}
