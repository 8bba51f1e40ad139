/* hash.c - XXH64 and XXH3 by the xxHash library.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "hash.h"

#include <xxhash.h>
#ifdef HAVE_XXH_DISPATCH
#include <xxh_x86dispatch.h>
#endif

uint64_t cfs_hash64(struct cfs_slice s, uint64_t seed)
{
	return XXH64(s.p, s.n, seed);
}

uint64_t cfs_hash_fast(struct cfs_slice s, uint64_t seed)
{
#ifdef HAVE_XXH_DISPATCH
	return XXH3_64bits_withSeed_dispatch(s.p, s.n, seed);
#else
	return XXH3_64bits_withSeed(s.p, s.n, seed);
#endif
}
