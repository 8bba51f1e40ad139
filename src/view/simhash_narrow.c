/* simhash_narrow.c - finds the windows of a text of few different units.
 *
 * Most pages consist of ASCII and a few dozen other units.  Each of the latter
 * gets one of the byte codes that ASCII leaves free, and a window is four
 * codes, a number of 32 bits: the table is half as large, a window is one
 * unaligned load, and SIMD compares a bucket of four windows at once.
 *
 * No processor can predict whether a window is new, so no branch depends on it:
 * a batch goes through three steps, each of which passes the windows that it
 * could not handle to the next.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "simhash_internal.h"

#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/swar.h"

#define BATCH 512
#define WAYS 4			/* slots of a bucket */
#define BUCKET_SHIFT 4		/* 2^4 bytes */
/* Code 0 means none given, and the last code is not used: four of it mark an
 * empty slot. */
#define CODES 256
#define CODES_END (CODES - 1)
#define EMPTY UINT32_MAX
/* The number of slots is a power of two, at least SLOTS_MIN.  Up to SLOTS_FLOOR
 * (4 MiB) it is more than half the number of bytes, beyond that more than a
 * quarter (at most 2 bytes of table per byte of text).  A quarter of the slots,
 * which is at least a batch, stays empty. */
#define SLOTS_MIN ((size_t)1 << 11)
#define SLOTS_FLOOR ((size_t)1 << 20)
#define SLOTS_MAX ((size_t)1 << 30)

struct codes {
	/* parts[i][c]: the contribution of code c as unit i to a fingerprint */
	uint64_t parts[4][CODES];
	unsigned n;		/* the next free code, from 128 on */
	uint8_t of[1 << 16];	/* the code of each unit */
};

struct narrow {
	uint32_t *slots;
	size_t n_slots, n;
	uint64_t key;		/* odd */
	uint64_t mask;		/* for the offset of a bucket in bytes */
	struct codes *codes;
	struct cfs_simhash_tally *tally;
};

/* -- codes -- */

static void give_code(struct codes *c, uint16_t unit, unsigned code)
{
	const struct cfs_simhash_tools *tools = cfs_simhash_tools();

	for (unsigned i = 0; i < 4; i++)
		c->parts[i][code] = cfs_simhash_step(tools, 2 * i, unit >> 8) ^
			cfs_simhash_step(tools, 2 * i + 1, unit & 255);
	c->of[unit] = (uint8_t)code;
}

static struct codes *codes_new(void)
{
	struct codes *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	for (unsigned i = 1; i < 128; i++)
		give_code(c, (uint16_t)i, i);
	c->n = 128;
	return c;
}

/* Takes ASCII other than U+0000, eight bytes at a time: the codes are the bytes
 * themselves. */
static size_t take_ascii(struct cfs_simhash_units *u, uint8_t *out, size_t max)
{
	size_t n = 0, end = max < u->rest.n ? max : u->rest.n;

	for (; n + 8 <= end; n += 8) {
		uint64_t eight = cfs_swar_at(u->rest.p + n);

		if (!cfs_swar_are_ascii_from(eight, 1))
			break;
		memcpy(out + n, &eight, sizeof(eight));
	}
	u->rest = cfs_slice_from(u->rest, n);
	return n;
}

/* Takes up to max codes; returns 0 only at the end, or if *fits becomes false
 * because there are more different units than codes. */
static size_t take_codes(struct codes *c, struct cfs_simhash_units *u,
			 uint8_t *out, size_t max, bool *fits)
{
	size_t n = 0;

	while (n < max && !cfs_simhash_units_end(u)) {
		uint16_t unit;

		if (u->low == 0 && !u->has_bom)
			n += take_ascii(u, out + n, max - n);
		if (n == max || cfs_simhash_units_end(u))
			break;
		unit = cfs_simhash_unit(u);
		if (c->of[unit] == 0 && c->n == CODES_END) {
			*fits = false;
			break;
		}
		if (c->of[unit] == 0)
			give_code(c, unit, c->n++);
		out[n++] = c->of[unit];
	}
	return n;
}

/* -- the set -- */

/* A mask whose bit i is set if slot i of the bucket is v.  Buckets are aligned
 * to 16 bytes, since malloc's result is. */
static inline unsigned slots_with(const uint32_t *bucket, uint32_t v)
{
#ifdef __SSE2__
	__m128i slots = _mm_load_si128((const __m128i *)(const void *)bucket);
	__m128i are = _mm_cmpeq_epi32(slots, _mm_set1_epi32((int)v));

	return (unsigned)_mm_movemask_ps(_mm_castsi128_ps(are));
#else
	return (unsigned)(bucket[0] == v) | (unsigned)(bucket[1] == v) << 1 |
	       (unsigned)(bucket[2] == v) << 2 |
	       (unsigned)(bucket[3] == v) << 3;
#endif
}

/* If is_new, puts a window into the first slot and shifts the others by one.
 * The whole bucket is written in any case, so that the address of the store
 * depends only on the window: if it depended on the bucket's contents, loads of
 * the next buckets could not pass the store until it is known. */
static inline void push(uint32_t *bucket, uint32_t window, bool is_new)
{
#ifdef __SSE2__
	__m128i *at = (__m128i *)(void *)bucket;
	__m128i old = _mm_load_si128(at), change = _mm_set1_epi32(-is_new);
	__m128i new = _mm_or_si128(_mm_slli_si128(old, sizeof(window)),
				   _mm_cvtsi32_si128((int)window));

	_mm_store_si128(at, _mm_or_si128(_mm_and_si128(change, new),
					 _mm_andnot_si128(change, old)));
#else
	for (unsigned i = WAYS - 1; i > 0; i--)
		bucket[i] = bucket[i - is_new];
	bucket[0] = is_new ? window : bucket[0];
#endif
}

static inline uint32_t window_at(const uint8_t *codes)
{
	uint32_t window;

	memcpy(&window, codes, sizeof(window));
	return window;
}

/* The bucket of a window, from the bits of the product from 32 on, which depend
 * on the whole window.  A shift by a constant is cheaper than one that depends
 * on the number of buckets. */
static inline uint32_t *simhash_narrow_bucket_of(const struct narrow *w,
						 uint32_t window)
{
	uint64_t at = (window * w->key) >> (32 - BUCKET_SHIFT) & w->mask;

	return (uint32_t *)(void *)((uint8_t *)w->slots + at);
}

/* Step 1: finds those of n windows that are not in their bucket. */
static size_t find_unknown(const struct narrow *w, const uint8_t *codes,
			   size_t n, uint32_t *unknown)
{
	size_t n_unknown = 0;

#pragma GCC unroll 4
	for (size_t i = 0; i < n; i++) {
		uint32_t window = window_at(codes + i);

		unknown[n_unknown] = window;
		n_unknown += slots_with(simhash_narrow_bucket_of(w, window),
					window) == 0;
	}
	return n_unknown;
}

/* Step 2: puts windows into their buckets if there is room.  Afterwards
 * windows[0..*n) are those that were new; crowded[] gets those with a full
 * bucket, whose number is returned. */
static size_t put_in_buckets(struct narrow *w, uint32_t *windows, size_t *n,
			     uint32_t *crowded)
{
	size_t n_new = 0, n_crowded = 0;

	for (size_t i = 0; i < *n; i++) {
		uint32_t window = windows[i];
		uint32_t *bucket = simhash_narrow_bucket_of(w, window);
		bool is_there = slots_with(bucket, window) != 0;
		bool is_full = bucket[WAYS - 1] != EMPTY;

		push(bucket, window, !is_there & !is_full);
		windows[n_new] = window;
		n_new += !is_there & !is_full;
		crowded[n_crowded] = window;
		n_crowded += !is_there & is_full;
	}
	*n = n_new;
	return n_crowded;
}

/* Step 3: puts a window into the next free slot behind its full bucket.  True
 * if it was new. */
static bool put_behind(struct narrow *w, uint32_t window)
{
	size_t mask = w->n_slots - 1;
	size_t i = ((size_t)(simhash_narrow_bucket_of(w, window) - w->slots) +
		    WAYS) &
		   mask;

	while (w->slots[i] != EMPTY && w->slots[i] != window)
		i = (i + 1) & mask;
	if (w->slots[i] == window)
		return false;
	w->slots[i] = window;
	return true;
}

static uint64_t simhash_narrow_print_of(const struct codes *c, uint32_t window)
{
	uint8_t code[4];

	memcpy(code, &window, sizeof(code));
	return c->parts[0][code[0]] ^ c->parts[1][code[1]] ^
	       c->parts[2][code[2]] ^ c->parts[3][code[3]];
}

/* Tallies those of n windows that were not seen before. */
static void simhash_narrow_absorb(struct narrow *w, const uint8_t *codes,
				  size_t n)
{
	uint32_t windows[BATCH], crowded[BATCH];
	uint64_t prints[BATCH];
	size_t n_new = find_unknown(w, codes, n, windows);
	size_t n_crowded = put_in_buckets(w, windows, &n_new, crowded);

	for (size_t i = 0; i < n_crowded; i++)
		if (put_behind(w, crowded[i]))
			windows[n_new++] = crowded[i];
	for (size_t i = 0; i < n_new; i++)
		prints[i] = simhash_narrow_print_of(w->codes, windows[i]);
	cfs_simhash_tally_add(w->tally, prints, n_new);
	w->n += n_new;
}

/* Tallies the windows of the text.  0 or CFS_EINTR. */
static int simhash_narrow_count(struct narrow *w,
				const struct cfs_simhash_text *text, bool *fits,
				struct cfs_ctx ctx)
{
	struct cfs_simhash_units u = cfs_simhash_units_of(text);
	uint8_t codes[3 + BATCH];
	unsigned rounds = 0;
	size_t n;

	/* the first three units do not make a window yet */
	if (take_codes(w->codes, &u, codes, 3, fits) < 3)
		return CFS_OK;
	while (*fits &&
	       (n = take_codes(w->codes, &u, codes + 3, BATCH, fits)) > 0) {
		simhash_narrow_absorb(w, codes, n);
		memmove(codes, codes + n, 3);
		*fits &= w->n <= w->n_slots / 4 * 3 - BATCH;
		if (++rounds % CFS_SIMHASH_CANCEL_EVERY == 0 &&
		    cfs_cancelled(ctx.cancel))
			return cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
	}
	return CFS_OK;
}

static size_t simhash_narrow_slots_for(size_t bytes)
{
	size_t n = SLOTS_MIN;

	while (n < SLOTS_FLOOR && n <= bytes / 2)
		n *= 2;
	while (n < SLOTS_MAX && n <= bytes / 4)
		n *= 2;
	return n;
}

/* Allocates empty slots.  An empty slot is not zero, because reading calloc'ed
 * memory before writing it, as would be usual here, first maps the shared zero
 * page; the later write replaces the mapping, and that TLB shootdown interrupts
 * every thread. */
static uint32_t *slots_new(size_t n)
{
	uint32_t *slots = malloc(n * sizeof(*slots));

	if (slots != NULL)
		memset(slots, 0xff, n * sizeof(*slots));
	return slots;
}

int cfs_simhash_narrow(const struct cfs_simhash_text *text,
		       struct cfs_simhash_tally *t, bool *fits,
		       struct cfs_ctx ctx)
{
	struct narrow w = { .tally = t,
			    .n_slots = simhash_narrow_slots_for(
				    text->bytes.n) };
	int rc;

	*fits = true;
	w.key = cfs_simhash_tools()->key[1];
	w.mask = (uint64_t)(w.n_slots / WAYS - 1) << BUCKET_SHIFT;
	w.slots = slots_new(w.n_slots);
	w.codes = codes_new();
	rc = w.slots == NULL || w.codes == NULL
		     ? cfs_error_nomem(ctx.err)
		     : simhash_narrow_count(&w, text, fits, ctx);
	free(w.slots);
	free(w.codes);
	return rc;
}
