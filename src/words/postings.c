/* postings.c - codes lists of documents with frequencies (words_format.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "postings.h"

#define K_BITS 5u
#define F_BITS 3u
#define F_ONES 7u		/* all frequencies are 1 */

/* ---- writing ---- */

void cfs_postings_begin(struct cfs_postings_out *o, struct cfs_buf *out)
{
	o->out = out;
	o->bits = 0;
	o->n_bits = o->n = 0;
	o->next = 0;
}

/* Appends the low n bits of v, n at most 32. */
static void put_bits(struct cfs_postings_out *o, uint64_t v, unsigned n)
{
	o->bits |= v << o->n_bits;
	o->n_bits += n;
	for (; o->n_bits >= 8; o->n_bits -= 8) {
		cfs_buf_addc(o->out, (uint8_t)o->bits);
		o->bits >>= 8;
	}
}

static void put_rice(struct cfs_postings_out *o, uint32_t v, unsigned k)
{
	uint32_t ones = v >> k;

	for (; ones >= 32; ones -= 32)
		put_bits(o, UINT32_MAX, 32);
	put_bits(o, (UINT64_C(1) << ones) - 1, ones + 1);
	put_bits(o, v & ((UINT64_C(1) << k) - 1), k);
}

/* The k, at most `max`, by which the numbers take the fewest bits. */
static unsigned best_k(const uint32_t *v, uint32_t n, unsigned max)
{
	uint64_t least = UINT64_MAX;
	unsigned best = 0;

	for (unsigned k = 0; k <= max; k++) {
		uint64_t bits = (uint64_t)n * (k + 1);

		for (uint32_t i = 0; i < n; i++)
			bits += v[i] >> k;
		if (bits >= least)
			break;		/* they only grow from here on */
		least = bits;
		best = k;
	}
	return best;
}

static void put_run(struct cfs_postings_out *o)
{
	unsigned k = best_k(o->gaps, o->n, 31), f = F_ONES;

	for (uint32_t i = 0; i < o->n && f == F_ONES; i++)
		if (o->frequencies[i] > 0)
			f = best_k(o->frequencies, o->n, F_ONES - 1);
	put_bits(o, k | f << K_BITS, K_BITS + F_BITS);
	for (uint32_t i = 0; i < o->n; i++) {
		put_rice(o, o->gaps[i], k);
		if (f != F_ONES)
			put_rice(o, o->frequencies[i], f);
	}
	o->n = 0;
}

void cfs_postings_add(struct cfs_postings_out *o, uint32_t doc,
		      uint32_t frequency)
{
	if (frequency > CFS_WORDS_FREQUENCY_MAX)
		frequency = CFS_WORDS_FREQUENCY_MAX;
	o->gaps[o->n] = doc - o->next;
	o->frequencies[o->n++] = frequency - 1;
	o->next = doc + 1;
	if (o->n == CFS_WORDS_RUN)
		put_run(o);
}

void cfs_postings_end(struct cfs_postings_out *o)
{
	if (o->n > 0)
		put_run(o);
	if (o->n_bits > 0)
		put_bits(o, 0, 8 - o->n_bits);
}

/* ---- reading ---- */

struct code_in {
	const uint8_t *p;
	uint64_t at, end;		/* in bits */
};

/* At least 57 bits from the next one on; behind the end may be anything. */
static inline uint64_t peek(const struct code_in *in)
{
	return cfs_le64_get(in->p + (in->at >> 3)) >> (in->at & 7);
}

/* Reads a Rice coded number; false: the list ends before, or the number has
 * more than 32 bits. */
static inline bool get_rice(struct code_in *in, unsigned k, uint32_t *out)
{
	uint64_t ones = 0, ahead, v;

	for (;;) {
		unsigned run;

		if (in->at >= in->end)
			return false;
		ahead = ~peek(in) & ((UINT64_C(1) << 56) - 1);
		run = ahead != 0 ? (unsigned)__builtin_ctzll(ahead) : 56;
		ones += run;
		in->at += run;
		if (ahead != 0)
			break;
	}
	in->at++;
	if (in->at + k > in->end)
		return false;
	v = ones << k | (peek(in) & ((UINT64_C(1) << k) - 1));
	in->at += k;
	*out = (uint32_t)v;
	return ones <= UINT32_MAX >> k;
}

bool cfs_postings_fit(uint64_t bytes, uint64_t d, uint64_t n)
{
	return d > 0 && d <= n && bytes <= UINT64_MAX / 8 && d <= 8 * bytes;
}

int cfs_postings_decode(struct cfs_slice list, uint32_t d, uint32_t n,
			uint32_t *docs, uint32_t *frequencies)
{
	struct code_in in = { list.p, 0, 8 * (uint64_t)list.n };
	uint64_t next = 0;
	unsigned k = 0, f = 0;

	for (uint32_t i = 0; i < d; i++) {
		uint32_t gap, more = 0;

		if (i % CFS_WORDS_RUN == 0) {
			if (in.end - in.at < K_BITS + F_BITS)
				return CFS_EFORMAT;
			k = (unsigned)peek(&in);
			f = k >> K_BITS & F_ONES;
			k &= (1u << K_BITS) - 1;
			in.at += K_BITS + F_BITS;
		}
		if (!get_rice(&in, k, &gap) ||
		    (f != F_ONES && !get_rice(&in, f, &more)) ||
		    gap >= n - next || more >= CFS_WORDS_FREQUENCY_MAX)
			return CFS_EFORMAT;
		docs[i] = (uint32_t)next + gap;
		next += (uint64_t)gap + 1;
		if (frequencies != NULL)
			frequencies[i] = more + 1;
	}
	/* The rest of the last byte is zero. */
	if (in.end - in.at >= 8 || (in.at < in.end && (list.p[list.n - 1] >>
							(in.at & 7)) != 0))
		return CFS_EFORMAT;
	return CFS_OK;
}
