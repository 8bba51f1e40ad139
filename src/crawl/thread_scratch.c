/* thread_scratch.c - keeps one spare structure of each kind per thread, under a
 * pthread key.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "thread_scratch.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_key_t keys[CFS_SPARE_COUNT];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_keys(void)
{
	for (int i = 0; i < CFS_SPARE_COUNT; i++)
		pthread_key_create(&keys[i], free);
}

void *cfs_thread_scratch_take(enum cfs_thread_scratch which, size_t bytes)
{
	void *p;

	pthread_once(&once, make_keys);
	p = pthread_getspecific(keys[which]);
	if (p == NULL)
		return malloc(bytes);
	pthread_setspecific(keys[which], NULL);
	return p;
}

void cfs_thread_scratch_give(enum cfs_thread_scratch which, void *p)
{
	if (p == NULL)
		return;
	if (pthread_getspecific(keys[which]) != NULL ||
	    pthread_setspecific(keys[which], p) != 0)
		free(p);
}
