/* hash.c - XXH64 by the xxHash library.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "hash.h"

#include <xxhash.h>

uint64_t cfs_hash64(struct cfs_slice s, uint64_t seed)
{
	return XXH64(s.p, s.n, seed);
}
