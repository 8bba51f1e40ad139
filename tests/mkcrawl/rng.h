/* rng.h - random numbers that depend on nothing but seed, number and purpose.
 *
 * Capture n of a crawl is a function of (seed, n): nothing has to be kept to
 * make a duplicate, a revisit or a page below an earlier page, so a crawl of
 * ten million records takes no more memory than one of a hundred.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MKCRAWL_RNG_H
#define MKCRAWL_RNG_H

#include <stdbool.h>
#include <stdint.h>

struct mk_rng {
	uint64_t s;
};

/* A well mixed function of x (the finalizer of splitmix64). */
uint64_t mk_mix(uint64_t x);

/* A stream of its own for every (seed, n, salt). */
struct mk_rng mk_rng_at(uint64_t seed, uint64_t n, uint64_t salt);
uint64_t mk_rng_next(struct mk_rng *r);
/* 0 .. n-1; 0 for n == 0. */
uint64_t mk_rng_below(struct mk_rng *r, uint64_t n);
/* True in `percent` of 100 cases. */
bool mk_rng_chance(struct mk_rng *r, unsigned percent);
/* [0, 1). */
double mk_rng_unit(struct mk_rng *r);
/* Log-normal with that median, sigma of the logarithm 1. */
double mk_rng_lognormal(struct mk_rng *r, double median);

/* Ranks 0 .. n-1, the k-th drawn in proportion to 1 / (k + 1). */
struct mk_zipf {
	uint32_t n;
	double *cum;	/* cum[k]: share of ranks 0 .. k */
};

int mk_zipf_init(struct mk_zipf *z, uint32_t n);	/* 0 or -1: no memory */
void mk_zipf_release(struct mk_zipf *z);
uint32_t mk_zipf_draw(const struct mk_zipf *z, struct mk_rng *r);
/* The share of rank k. */
double mk_zipf_share(const struct mk_zipf *z, uint32_t k);

#endif
