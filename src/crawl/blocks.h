/* blocks.h - the block cache that all crawls of a process share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_BLOCKS_H
#define CFS_CRAWL_BLOCKS_H

#include "cache/cache.h"

/* Opens it, or one reference more: what the first one asked for holds. */
int cfs_blocks_get(struct cfs_cache **out, const struct cfs_cache_opts *opts,
		   struct cfs_error *err);
/* Closes it with the last reference.  Accepts NULL. */
void cfs_blocks_put(struct cfs_cache *c);

#endif
