/* hash.h - hashes of bytes, by the xxHash library.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_HASH_H
#define CFS_BASE_HASH_H

#include "slice.h"

/* XXH64 of the bytes, as the xxHash library defines it. */
uint64_t cfs_hash64(struct cfs_slice s, uint64_t seed);
/* XXH3, 64 bits: two to three times as fast on long input. */
uint64_t cfs_hash_fast(struct cfs_slice s, uint64_t seed);

#endif
