/* simhash_tally.c - counts, for each of 64 bits, the fingerprints that have it
 * set: bit-sliced counters.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "simhash_internal.h"

#include <string.h>

typedef cfs_simhash_pair pair;

/* Adds a plane whose bits count 2^k each. */
static void tally_carry(struct cfs_simhash_tally *t, unsigned k, pair plane)
{
	for (; (plane[0] | plane[1]) != 0 && k < CFS_SIMHASH_PLANES; k++) {
		pair carry = t->planes[k] & plane;

		t->planes[k] ^= plane;
		plane = carry;
	}
}

/* A full adder: *sum becomes a + b + *sum without the carry, which is
 * returned. */
static inline pair add3(pair *sum, pair a, pair b)
{
	pair either = a ^ b, carry = (a & b) | (either & *sum);

	*sum ^= either;
	return carry;
}

static inline pair pair_at(const uint64_t *prints)
{
	pair p;

	memcpy(&p, prints, sizeof(p));
	return p;
}

/* Adds CFS_SIMHASH_PRINTS fingerprints with a tree of full adders. */
static void add_full(struct cfs_simhash_tally *t, const uint64_t *w)
{
	pair *p = t->planes;
	pair twos[8], fours[4], eights[2];

	for (unsigned i = 0; i < 8; i++)
		twos[i] =
			add3(&p[0], pair_at(w + 4 * i), pair_at(w + 4 * i + 2));
	for (unsigned i = 0; i < 4; i++)
		fours[i] = add3(&p[1], twos[2 * i], twos[2 * i + 1]);
	for (unsigned i = 0; i < 2; i++)
		eights[i] = add3(&p[2], fours[2 * i], fours[2 * i + 1]);
	tally_carry(t, 4, add3(&p[3], eights[0], eights[1]));
}

void cfs_simhash_tally_add(struct cfs_simhash_tally *t, const uint64_t *prints,
			   size_t n)
{
	t->n += n;
	for (size_t take; n > 0; prints += take, n -= take) {
		take = CFS_SIMHASH_PRINTS - t->n_waiting;
		if (take > n)
			take = n;
		if (take == CFS_SIMHASH_PRINTS) {
			add_full(t, prints);
			continue;
		}
		memcpy(t->waiting + t->n_waiting, prints,
		       take * sizeof(*prints));
		t->n_waiting += (unsigned)take;
		if (t->n_waiting == CFS_SIMHASH_PRINTS) {
			add_full(t, t->waiting);
			t->n_waiting = 0;
		}
	}
}

static uint64_t tally_count(const struct cfs_simhash_tally *t, unsigned bit)
{
	uint64_t count = 0;

	for (unsigned k = 0; k < CFS_SIMHASH_PLANES; k++)
		count += ((t->planes[k][0] >> bit & 1) +
			  (t->planes[k][1] >> bit & 1)) << k;
	return count;
}

uint64_t cfs_simhash_tally_majority(struct cfs_simhash_tally *t)
{
	uint64_t out = 0;

	while (t->n_waiting > 0)
		tally_carry(t, 0, (pair){ t->waiting[--t->n_waiting], 0 });
	for (unsigned bit = 0; bit < 64; bit++) {
		uint64_t count = tally_count(t, bit);

		if (count > t->n - count)
			out |= (uint64_t)1 << bit;
	}
	return out;
}
