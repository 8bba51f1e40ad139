/* cached.h - a source wrapped round a source, with a cache between them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CACHE_CACHED_H
#define CFS_CACHE_CACHED_H

#include "counters.h"
#include "source/source.h"

struct cfs_cache;

struct cfs_cached_opts {
	const char *url;	/* the name of the object in the cache */
	/* How long to wait for the server to confirm what is cached, before any
	 * of it is served from disk.  0: do not wait; the first answer that
	 * comes decides. */
	unsigned validate_ms;
	struct cfs_cache_counters *counters;	/* NULL: not counted */
};

/* Wraps inner, which it takes over, also on failure.  An object without a
 * validator (cfs_source_validator) is not kept on disk. */
int cfs_cached_open(struct cfs_source **out, struct cfs_cache *c,
		    struct cfs_source *inner,
		    const struct cfs_cached_opts *opts, struct cfs_ctx ctx);

#endif
