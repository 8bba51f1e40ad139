/* simhash_tally.h - counts, for each of 64 bits, the fingerprints that have it
 * set.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_SIMHASH_TALLY_H
#define CFS_VIEW_SIMHASH_TALLY_H

#include <stddef.h>
#include <stdint.h>

/* The counters are bit-sliced: plane k holds bit k of all 64 counters, so that
 * one addition of planes adds to 64 counters.  There are two sets of counters,
 * used by alternate fingerprints, because a processor adds pairs of words as
 * fast as single ones.  CFS_SIMHASH_PRINTS fingerprints are added at a time. */
#define CFS_SIMHASH_PRINTS 32u
#define CFS_SIMHASH_PLANES 40u	/* counters stay below 2^40 */

typedef uint64_t cfs_simhash_pair __attribute__((vector_size(16)));

/* Initialize it with { 0 }. */
struct cfs_simhash_tally {
	cfs_simhash_pair planes[CFS_SIMHASH_PLANES];
	uint64_t waiting[CFS_SIMHASH_PRINTS];
	unsigned n_waiting;
	uint64_t n;
};

void cfs_simhash_tally_add(struct cfs_simhash_tally *t, const uint64_t *prints,
			   size_t n);

/* Adds the fingerprints that are waiting, and returns the bits that more
 * fingerprints have set than clear. */
uint64_t cfs_simhash_tally_majority(struct cfs_simhash_tally *t);

#endif
