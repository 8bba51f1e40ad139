/* rng.c - reproducible random numbers (see rng.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rng.h"

#include <math.h>
#include <stdlib.h>

#define GOLDEN 0x9e3779b97f4a7c15u

uint64_t mk_mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

struct mk_rng mk_rng_at(uint64_t seed, uint64_t n, uint64_t salt)
{
	uint64_t s = mk_mix(seed + GOLDEN);

	s = mk_mix(s ^ mk_mix(n + GOLDEN));
	return (struct mk_rng){ mk_mix(s ^ mk_mix(salt * GOLDEN + 1)) };
}

uint64_t mk_rng_next(struct mk_rng *r)
{
	r->s += GOLDEN;
	return mk_mix(r->s);
}

uint64_t mk_rng_below(struct mk_rng *r, uint64_t n)
{
	uint64_t v = mk_rng_next(r);

	return n == 0 ? 0 : v % n;	/* n is far below 2^64: no visible bias */
}

bool mk_rng_chance(struct mk_rng *r, unsigned percent)
{
	return mk_rng_below(r, 100) < percent;
}

double mk_rng_unit(struct mk_rng *r)
{
	return (double)(mk_rng_next(r) >> 11) / 9007199254740992.0;
}

double mk_rng_lognormal(struct mk_rng *r, double median)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)	/* close to normal, and portable */
		sum += mk_rng_unit(r);
	return median * exp(sum);
}

int mk_zipf_init(struct mk_zipf *z, uint32_t n)
{
	double sum = 0;

	z->n = n;
	z->cum = calloc(n, sizeof(*z->cum));
	if (z->cum == NULL)
		return -1;
	for (uint32_t k = 0; k < n; k++) {
		sum += 1.0 / (k + 1.0);
		z->cum[k] = sum;
	}
	for (uint32_t k = 0; k < n; k++)
		z->cum[k] /= sum;
	return 0;
}

void mk_zipf_release(struct mk_zipf *z)
{
	free(z->cum);
	z->cum = NULL;
}

uint32_t mk_zipf_draw(const struct mk_zipf *z, struct mk_rng *r)
{
	double u = mk_rng_unit(r);
	uint32_t lo = 0, hi = z->n - 1;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (z->cum[mid] > u)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

double mk_zipf_share(const struct mk_zipf *z, uint32_t k)
{
	return k == 0 ? z->cum[0] : z->cum[k] - z->cum[k - 1];
}
