/* simhash_narrow.c - the windows of a text of few different units.
 *
 * Most pages are ASCII and some dozen other units.  Each of those gets one of
 * the codes that ASCII leaves, and a window is four codes, a number of 32 bits:
 * the table is half as large, the window need not be put together, and where a
 * processor compares four numbers at a time, a bucket of four is one look.
 *
 * Whether a window is new no processor can foretell, so no branch depends on
 * it: a batch goes through in three steps, each of which leaves those windows
 * it could not settle to the next.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "simhash_set.h"

#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/swar.h"
#include "simhash_print.h"
#include "simhash_units.h"

#define BATCH 512
#define WAYS 4			/* slots of a bucket */
#define BUCKET_SHIFT 4		/* 2^4 bytes */
/* 0 and the last are none; four of the last are an empty slot. */
#define CODES 256
#define CODES_END (CODES - 1)
#define EMPTY UINT32_MAX
/* Slots: a power of two from SLOTS_MIN on, more than half as many as bytes; at
 * most SLOTS_FLOOR (4 MiB), or more than a quarter of the bytes (2 bytes a
 * byte).  A quarter stays empty, which is never less than a batch. */
#define SLOTS_MIN ((size_t)1 << 11)
#define SLOTS_FLOOR ((size_t)1 << 20)
#define SLOTS_MAX ((size_t)1 << 30)

struct codes {
	/* parts[i][c]: what code c adds to a fingerprint as unit i */
	uint64_t parts[4][CODES];
	unsigned n;		/* given away; from 128 on */
	uint8_t of[1 << 16];	/* by unit */
};

struct narrow {
	uint32_t *slots;
	size_t n_slots, n;
	uint64_t key;		/* odd */
	uint64_t mask;		/* of a bucket's offset in bytes */
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

/* ASCII but for U+0000, eight bytes at a time: they are their own codes. */
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

/* Up to max codes, 0 only at the end; *fits: there were enough. */
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

/* Bit i: slot i of the bucket is v.  Buckets lie at multiples of 16 bytes, as
 * what malloc returns does. */
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

/* Into the first slot, the others one further, if is_new.  The whole bucket is
 * written in any case, and at an address that hangs on the window alone: one
 * that hung on what the bucket holds would keep the next buckets from being
 * read before it is known. */
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

/* Bits of the product from 32 on, which depend on all of the window; a shift by
 * a constant is cheaper than one by as many bits as there are buckets. */
static inline uint32_t *bucket_of(const struct narrow *w, uint32_t window)
{
	uint64_t at = (window * w->key) >> (32 - BUCKET_SHIFT) & w->mask;

	return (uint32_t *)(void *)((uint8_t *)w->slots + at);
}

/* Step 1: those of n windows that their bucket does not hold. */
static size_t find_unknown(const struct narrow *w, const uint8_t *codes,
			   size_t n, uint32_t *unknown)
{
	size_t n_unknown = 0;

#pragma GCC unroll 4
	for (size_t i = 0; i < n; i++) {
		uint32_t window = window_at(codes + i);

		unknown[n_unknown] = window;
		n_unknown += slots_with(bucket_of(w, window), window) == 0;
	}
	return n_unknown;
}

/* Step 2: into their buckets, if there is room.  windows[] are then those that
 * were new; returned are those of full buckets. */
static size_t put_in_buckets(struct narrow *w, uint32_t *windows, size_t *n,
			     uint32_t *crowded)
{
	size_t n_new = 0, n_crowded = 0;

	for (size_t i = 0; i < *n; i++) {
		uint32_t window = windows[i];
		uint32_t *bucket = bucket_of(w, window);
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

/* Step 3: anywhere behind its full bucket.  Whether it was new. */
static bool put_behind(struct narrow *w, uint32_t window)
{
	size_t mask = w->n_slots - 1;
	size_t i = ((size_t)(bucket_of(w, window) - w->slots) + WAYS) & mask;

	while (w->slots[i] != EMPTY && w->slots[i] != window)
		i = (i + 1) & mask;
	if (w->slots[i] == window)
		return false;
	w->slots[i] = window;
	return true;
}

static uint64_t print_of(const struct codes *c, uint32_t window)
{
	uint8_t code[4];

	memcpy(code, &window, sizeof(code));
	return c->parts[0][code[0]] ^ c->parts[1][code[1]] ^
	       c->parts[2][code[2]] ^ c->parts[3][code[3]];
}

/* Counts those of n windows that were not seen before. */
static void absorb(struct narrow *w, const uint8_t *codes, size_t n)
{
	uint32_t windows[BATCH], crowded[BATCH];
	uint64_t prints[BATCH];
	size_t n_new = find_unknown(w, codes, n, windows);
	size_t n_crowded = put_in_buckets(w, windows, &n_new, crowded);

	for (size_t i = 0; i < n_crowded; i++)
		if (put_behind(w, crowded[i]))
			windows[n_new++] = crowded[i];
	for (size_t i = 0; i < n_new; i++)
		prints[i] = print_of(w->codes, windows[i]);
	cfs_simhash_tally_add(w->tally, prints, n_new);
	w->n += n_new;
}

/* 0; CFS_EINTR. */
static int count(struct narrow *w, const struct cfs_simhash_text *text,
		 bool *fits, const struct cfs_cancel *cancel,
		 struct cfs_error *err)
{
	struct cfs_simhash_units u = cfs_simhash_units_of(text);
	uint8_t codes[3 + BATCH];
	unsigned rounds = 0;
	size_t n;

	/* the first three are not a window yet */
	if (take_codes(w->codes, &u, codes, 3, fits) < 3)
		return CFS_OK;
	while (*fits &&
	       (n = take_codes(w->codes, &u, codes + 3, BATCH, fits)) > 0) {
		absorb(w, codes, n);
		memmove(codes, codes + n, 3);
		*fits &= w->n <= w->n_slots / 4 * 3 - BATCH;
		if (++rounds % CFS_SIMHASH_CANCEL_EVERY == 0 &&
		    cfs_cancelled(cancel))
			return cfs_error_set(err, CFS_EINTR, "interrupted");
	}
	return CFS_OK;
}

static size_t slots_for(size_t bytes)
{
	size_t n = SLOTS_MIN;

	while (n < SLOTS_FLOOR && n <= bytes / 2)
		n *= 2;
	while (n < SLOTS_MAX && n <= bytes / 4)
		n *= 2;
	return n;
}

/* All empty, which is not zero: a page of calloc that is read before it is
 * written, as most of them would be, is one that all share until then, and to
 * change it for another one stops all threads. */
static uint32_t *slots_new(size_t n)
{
	uint32_t *slots = malloc(n * sizeof(*slots));

	if (slots != NULL)
		memset(slots, 0xff, n * sizeof(*slots));
	return slots;
}

int cfs_simhash_narrow(const struct cfs_simhash_text *text,
		       struct cfs_simhash_tally *t, bool *fits,
		       const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct narrow w = { .tally = t, .n_slots = slots_for(text->bytes.n) };
	int rc;

	*fits = true;
	w.key = cfs_simhash_tools()->key[1];
	w.mask = (uint64_t)(w.n_slots / WAYS - 1) << BUCKET_SHIFT;
	w.slots = slots_new(w.n_slots);
	w.codes = codes_new();
	rc = w.slots == NULL || w.codes == NULL
		     ? cfs_error_nomem(err)
		     : count(&w, text, fits, cancel, err);
	free(w.slots);
	free(w.codes);
	return rc;
}
