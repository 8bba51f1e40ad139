/* similar.h - a set of 64-bit hashes, in which those that differ from another
 * one in few bits are found.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_SIMILAR_H
#define CFS_INDEX_SIMILAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most bits in which hashes may differ, and the usual number. */
#define CFS_SIMILAR_BITS_MAX 7u
#define CFS_SIMILAR_BITS 3u

/* Bits in which two hashes differ. */
static inline unsigned cfs_similar_distance(uint64_t a, uint64_t b)
{
	return (unsigned)__builtin_popcountll(a ^ b);
}

struct cfs_similar;

/* Makes an empty set for hashes that differ in at most `bits`
 * (CFS_SIMILAR_BITS_MAX), of about memory_bytes when it is full: 8 bytes for
 * each and 4 for each of its (bits + 1) * (bits + 2) / 2 lists, 48 for 3 bits;
 * and besides 512 KiB for each of these.  NULL without memory. */
struct cfs_similar *cfs_similar_new(unsigned bits, size_t memory_bytes);
void cfs_similar_free(struct cfs_similar *s);		/* accepts NULL */

/* Removes all hashes. */
void cfs_similar_clear(struct cfs_similar *s);

/* Adds a hash.  0; CFS_ELIMIT: the set is full; CFS_ENOMEM. */
int cfs_similar_add(struct cfs_similar *s, uint64_t hash);

/* Finds the hash that was added first of those near to `hash`; threads may
 * search at the same time.  False: none is near. */
bool cfs_similar_find(const struct cfs_similar *s, uint64_t hash,
		      uint64_t *first);

#endif
