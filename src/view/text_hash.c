/* text_hash.c - a similarity hash of the letters of a text (see simhash.h).
 *
 * The hash of 2012 (simhash.c) takes the majority of all windows for each bit.
 * Near such a tie a bit changes with little of the text: of 392 copies of the
 * main content of real pages with one sentence more or another one, 268 were
 * more than 3 bits away.  By this hash 36 are, since one window decides a bit
 * (minwise hashing: Broder 1997; with one permutation for all bits: Li, Owen
 * and Zhang 2012):
 *
 *   1. the letters of the text, in one case, without what is between them
 *   2. the hash of each window of WINDOW letters; its first 6 bits say for
 *      which bit it counts, and of those of a bit the least stands for it
 *   3. a bit without a window takes that of the next bit which has some
 *   4. a bit is set if the hash of its number and its window is in the first
 *      quarter: with half of them set, copies would differ in more bits
 *
 * So two texts differ in about 24 bits times the part of their windows that
 * only one of them has.  Digits do not count, and neither do marks and blanks:
 * dates, counters and another layout are hardly a difference.
 *
 * Defined in doc/formats.md, "Simhash".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "simhash.h"

#include <unicode/uchar.h>

#include "base/ascii.h"
#include "base/hash.h"
#include "base/utf8.h"

#define WINDOW 6u
#define BITS 64u
#define BIT_SHIFT 58u

struct least {
	uint64_t of[BITS];
	uint64_t has;		/* the bits that have a window */
	uint8_t letters[WINDOW * 4];	/* the last ones, big-endian */
	size_t n;
};

static void add_window(struct least *l, size_t bytes)
{
	uint64_t hash = cfs_hash64(cfs_slice_of(l->letters, bytes), 0);
	unsigned bit = (unsigned)(hash >> BIT_SHIFT);

	if ((l->has >> bit & 1) == 0 || hash < l->of[bit])
		l->of[bit] = hash;
	l->has |= (uint64_t)1 << bit;
}

/* The letter in its one case; 0: it is none. */
static uint32_t letter_of(uint32_t c)
{
	if (c < 0x80)
		return cfs_is_alpha((uint8_t)c) ? cfs_ascii_lower((uint8_t)c) :
						  0;
	return u_isUAlphabetic((UChar32)c) ?
	       (uint32_t)u_foldCase((UChar32)c, U_FOLD_CASE_DEFAULT) : 0;
}

static void add_letter(struct least *l, uint32_t letter)
{
	if (l->n == WINDOW)
		memmove(l->letters, l->letters + 4, sizeof(l->letters) - 4);
	else
		l->n++;
	cfs_be32_put(l->letters + 4 * (l->n - 1), letter);
	if (l->n == WINDOW)
		add_window(l, sizeof(l->letters));
}

/* The window that stands for a bit: its own, or that of the next one. */
static uint64_t window_of(const struct least *l, unsigned bit)
{
	while ((l->has >> bit & 1) == 0)
		bit = (bit + 1) % BITS;
	return l->of[bit];
}

bool cfs_simhash_of_text(struct cfs_slice utf8, int64_t *out)
{
	struct least l = { .has = 0 };
	uint64_t hash = 0;

	while (utf8.n > 0) {
		uint32_t c = 0, letter;
		size_t n = cfs_utf8_decode(utf8, &c);

		letter = n > 0 ? letter_of(c) : 0;
		if (letter != 0)
			add_letter(&l, letter);
		utf8 = cfs_slice_from(utf8, n > 0 ? n : 1);
	}
	if (l.n == 0)
		return false;
	if (l.n < WINDOW)
		add_window(&l, 4 * l.n);
	for (unsigned bit = 0; bit < BITS; bit++) {
		const uint64_t window = window_of(&l, bit);
		uint8_t bytes[sizeof(window)];

		cfs_be64_put(bytes, window);
		if (cfs_hash64(cfs_slice_of(bytes, sizeof(bytes)), bit) >> 62 ==
		    0)
			hash |= (uint64_t)1 << bit;
	}
	*out = (int64_t)hash;
	return true;
}
