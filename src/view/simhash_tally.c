/* simhash_tally.c - numbers of fingerprints, 64 at a time.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "simhash_tally.h"

/* Adds a plane of value 2^k. */
static void tally_carry(struct cfs_simhash_tally *t, unsigned k, uint64_t plane)
{
	for (; plane != 0 && k < CFS_SIMHASH_PLANES; k++) {
		uint64_t carry = t->planes[k] & plane;

		t->planes[k] ^= plane;
		plane = carry;
	}
}

/* a + b + *sum: the sum stays, what is carried is returned. */
static inline uint64_t add3(uint64_t *sum, uint64_t a, uint64_t b)
{
	uint64_t either = a ^ b, carry = (a & b) | (either & *sum);

	*sum ^= either;
	return carry;
}

void cfs_simhash_tally_flush(struct cfs_simhash_tally *t)
{
	uint64_t *p = t->planes, *w = t->waiting;
	uint64_t twos[8], fours[4], eights[2];

	for (unsigned i = 0; i < 8; i++)
		twos[i] = add3(&p[0], w[2 * i], w[2 * i + 1]);
	for (unsigned i = 0; i < 4; i++)
		fours[i] = add3(&p[1], twos[2 * i], twos[2 * i + 1]);
	for (unsigned i = 0; i < 2; i++)
		eights[i] = add3(&p[2], fours[2 * i], fours[2 * i + 1]);
	tally_carry(t, 4, add3(&p[3], eights[0], eights[1]));
	t->n_waiting = 0;
}

uint64_t cfs_simhash_tally_majority(struct cfs_simhash_tally *t)
{
	uint64_t out = 0;

	while (t->n_waiting > 0)
		tally_carry(t, 0, t->waiting[--t->n_waiting]);
	for (unsigned bit = 0; bit < 64; bit++) {
		uint64_t count = 0;

		for (unsigned k = 0; k < CFS_SIMHASH_PLANES; k++)
			count |= (t->planes[k] >> bit & 1) << k;
		if (count > t->n - count)
			out |= (uint64_t)1 << bit;
	}
	return out;
}
