/* simhash.c - computes similarity hashes (doc/formats.md, "Simhash").
 *
 *   1. make the set of all windows of 4 UTF-16 code units
 *   2. compute the Rabin fingerprint of each one's 8 bytes, high byte first
 *   3. set bit i if more fingerprints have it set than clear
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "simhash_internal.h"

#include <pthread.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/utf8.h"

/* ---- the UTF-16 code units of a text ---- */

struct cfs_simhash_units cfs_simhash_units_of(
	const struct cfs_simhash_text *text)
{
	return (struct cfs_simhash_units){ .rest = text->bytes,
		.is_latin1 = text->is_latin1, .has_bom = text->has_bom };
}

bool cfs_simhash_units_end(const struct cfs_simhash_units *u)
{
	return u->rest.n == 0 && u->low == 0 && !u->has_bom;
}

/* Takes a character and returns its first unit; a second one, for characters
 * beyond U+FFFF, is kept in u->low. */
static unsigned take_utf8(struct cfs_simhash_units *u)
{
	size_t n = cfs_utf8_len(u->rest);
	const uint8_t *p = u->rest.p;
	unsigned c;

	u->rest = cfs_slice_from(u->rest, n > 0 ? n : 1);
	switch (n) {
	case 0:
		return 0xfffd;
	case 1:
		return p[0];
	case 2:
		return (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);
	case 3:
		return (p[0] & 0x0fu) << 12 | (p[1] & 0x3fu) << 6 |
		       (p[2] & 0x3fu);
	default:
		c = (p[0] & 7u) << 18 | (p[1] & 0x3fu) << 12 |
		    (p[2] & 0x3fu) << 6 | (p[3] & 0x3fu);
		c -= 0x10000;
		u->low = 0xdc00 + (c & 0x3ff);
		return 0xd800 + (c >> 10);
	}
}

uint16_t cfs_simhash_unit(struct cfs_simhash_units *u)
{
	unsigned unit = u->low;

	if (u->has_bom) {
		u->has_bom = false;
		return 0xfeff;
	}
	if (unit != 0) {
		u->low = 0;
	} else if (u->is_latin1) {
		unit = u->rest.p[0];
		u->rest = cfs_slice_from(u->rest, 1);
	} else {
		unit = take_utf8(u);
	}
	return (uint16_t)unit;
}

/* ---- Rabin fingerprints of windows ---- */

static struct cfs_simhash_tools tools;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_tools(void)
{
	struct timespec now = { 0 };

	for (unsigned b = 0; b < 256; b++) {
		uint64_t v = b;

		for (int i = 0; i < 8; i++)
			v = (v >> 1) ^ (v & 1 ? CFS_SIMHASH_POLYNOMIAL : 0);
		tools.steps[0][b] = v;
	}
	for (unsigned k = 1; k < 8; k++) {
		for (unsigned b = 0; b < 256; b++) {
			uint64_t v = tools.steps[k - 1][b];

			tools.steps[k][b] = (v >> 8) ^ tools.steps[0][v & 255];
		}
	}
	if (getrandom(tools.key, sizeof(tools.key), GRND_NONBLOCK) !=
	    (ssize_t)sizeof(tools.key)) {
		/* no random numbers early in the boot: better than nothing */
		clock_gettime(CLOCK_MONOTONIC, &now);
		tools.key[0] = (uint64_t)now.tv_nsec ^ (uintptr_t)&now;
		tools.key[1] = (uint64_t)now.tv_nsec * CFS_SIMHASH_POLYNOMIAL;
		tools.key[2] = (uint64_t)now.tv_sec * CFS_SIMHASH_POLYNOMIAL;
	}
	tools.key[1] |= 1;
	tools.key[2] |= 1;
}

const struct cfs_simhash_tools *cfs_simhash_tools(void)
{
	pthread_once(&once, make_tools);
	return &tools;
}

uint64_t cfs_simhash_print(struct cfs_slice bytes)
{
	uint64_t v = CFS_SIMHASH_POLYNOMIAL;

	cfs_simhash_tools();
	for (size_t i = 0; i < bytes.n; i++)
		v = (v >> 8) ^ tools.steps[0][(v ^ bytes.p[i]) & 255];
	return v;
}

/* ---- for each of 64 bits, the fingerprints that have it set: bit-sliced
 * counters ---- */

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

/* Adds the fingerprints that are waiting, and returns the bits that more
 * fingerprints have set than clear. */
static uint64_t tally_majority(struct cfs_simhash_tally *t)
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

/* ---- the hash ---- */

int cfs_simhash(const struct cfs_simhash_text *text, int64_t *out,
		struct cfs_ctx ctx)
{
	struct cfs_simhash_tally t = { .n = 0 };
	bool fits;
	int rc = cfs_simhash_narrow(text, &t, &fits, ctx);

	*out = 0;
	if (rc == CFS_OK && !fits) {
		t = (struct cfs_simhash_tally){ .n = 0 };
		rc = cfs_simhash_wide(text, &t, ctx);
	}
	if (rc == CFS_OK)
		*out = (int64_t)tally_majority(&t);
	return rc;
}
