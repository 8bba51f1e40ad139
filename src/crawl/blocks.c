/* blocks.c - the block cache that all crawls of a process share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "blocks.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cfs_cache *shared;	/* guarded by lock */
static unsigned refs;			/* guarded by lock */

int cfs_blocks_get(struct cfs_cache **out, const struct cfs_cache_opts *opts,
		   struct cfs_error *err)
{
	int rc = CFS_OK;

	*out = NULL;
	pthread_mutex_lock(&lock);
	if (refs == 0)
		rc = cfs_cache_open(&shared, opts, err);
	if (rc == CFS_OK) {
		refs++;
		*out = shared;
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

void cfs_blocks_put(struct cfs_cache *c)
{
	if (c == NULL)
		return;
	pthread_mutex_lock(&lock);
	if (--refs == 0) {
		cfs_cache_close(shared);
		shared = NULL;
	}
	pthread_mutex_unlock(&lock);
}
