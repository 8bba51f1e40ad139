/* simhash_tally.h - for each of 64 bits, how many fingerprints have it set.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_SIMHASH_TALLY_H
#define CFS_VIEW_SIMHASH_TALLY_H

#include <stddef.h>
#include <stdint.h>

/* The numbers are written the other way round: plane k holds bit k of all 64,
 * so that one addition of planes is one of 64 numbers.  There are two of each
 * number, for every other fingerprint: a processor adds pairs as fast.  32
 * fingerprints are added at a time. */
#define CFS_SIMHASH_PRINTS 32u
#define CFS_SIMHASH_PLANES 40u	/* numbers below 2^40 */

typedef uint64_t cfs_simhash_pair __attribute__((vector_size(16)));

/* Begins as { 0 }. */
struct cfs_simhash_tally {
	cfs_simhash_pair planes[CFS_SIMHASH_PLANES];
	uint64_t waiting[CFS_SIMHASH_PRINTS];
	unsigned n_waiting;
	uint64_t n;
};

void cfs_simhash_tally_add(struct cfs_simhash_tally *t, const uint64_t *prints,
			   size_t n);

/* The bits that more fingerprints have set than clear; adds what waits. */
uint64_t cfs_simhash_tally_majority(struct cfs_simhash_tally *t);

#endif
