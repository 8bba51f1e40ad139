/* rng.h - a small repeatable random source for property tests.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_TESTS_RNG_H
#define CFS_TESTS_RNG_H

#include <stdint.h>

/* A 64-bit linear congruential step with its high bits folded down. */
static inline uint64_t rng_next(uint64_t *state)
{
	uint64_t x;

	*state = *state * 6364136223846793005u + 1442695040888963407u;
	x = *state;
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdu;
	return x ^ x >> 29;
}

/* 0 .. n-1 */
static inline uint64_t rng_below(uint64_t *state, uint64_t n)
{
	return rng_next(state) % n;
}

#endif
