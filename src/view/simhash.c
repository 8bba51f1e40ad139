/* simhash.c - similarity hashes (doc/formats.md, "Simhash").
 *
 *   1. the set of all windows of 4 UTF-16 code units
 *   2. of each the Rabin fingerprint of its 8 bytes, high byte first
 *   3. bit i is set if more fingerprints have it set than clear
 *
 * A window is a number of 64 bits, so the set is a table of numbers.  The
 * number of different windows can be that of all windows; a table for them
 * would outgrow the document many times over.  So a table has a limit, and a
 * text that overflows it is read several times: each time only windows whose
 * hash lies in one range count, and a range is halved when they do not fit.
 *
 * The hash has a random key, lest a page be made of windows that collide.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "simhash.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/utf8.h"

#define POLYNOMIAL 0xD74307D3FD3382DBu
/* Slots: a power of two, from the first on; at most the second (8 MiB), or a
 * quarter of the text's bytes (2 bytes a byte). */
#define SLOTS_MIN ((size_t)1 << 11)
#define SLOTS_FLOOR ((size_t)1 << 20)
/* Fewer than a quarter of the slots, which is what a full set leaves empty. */
#define BATCH 256
/* Batches between two looks at the cancel switch. */
#define CANCEL_EVERY 256

static struct {
	pthread_once_t once;
	/* steps[k][b]: byte b followed by k zero bytes */
	uint64_t steps[8][256];
	uint64_t key[3];
} tools = { .once = PTHREAD_ONCE_INIT };

static void make_tools(void)
{
	struct timespec now = { 0 };

	for (unsigned b = 0; b < 256; b++) {
		uint64_t v = b;

		for (int i = 0; i < 8; i++)
			v = (v >> 1) ^ (v & 1 ? POLYNOMIAL : 0);
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
		/* early in a boot: better than nothing */
		clock_gettime(CLOCK_MONOTONIC, &now);
		tools.key[0] = (uint64_t)now.tv_nsec ^ (uintptr_t)&now;
		tools.key[1] = (uint64_t)now.tv_nsec * POLYNOMIAL;
		tools.key[2] = (uint64_t)now.tv_sec * POLYNOMIAL;
	}
	tools.key[1] |= 1;
	tools.key[2] |= 1;
}

uint64_t cfs_simhash_print(struct cfs_slice bytes)
{
	uint64_t v = POLYNOMIAL;

	pthread_once(&tools.once, make_tools);
	for (size_t i = 0; i < bytes.n; i++)
		v = (v >> 8) ^ tools.steps[0][(v ^ bytes.p[i]) & 255];
	return v;
}

/* One of its eight steps: byte i of the window, counted from the first. */
static inline uint64_t step(uint64_t window, unsigned i)
{
	return tools.steps[7 - i][((POLYNOMIAL >> 8 * i) ^
				   (window >> (56 - 8 * i))) & 255];
}

/* The fingerprint of a window's bytes: all eight steps at once. */
static inline uint64_t print_of(uint64_t window)
{
	return step(window, 0) ^ step(window, 1) ^ step(window, 2) ^
	       step(window, 3) ^ step(window, 4) ^ step(window, 5) ^
	       step(window, 6) ^ step(window, 7);
}

/* A bijection, so no hash is that of two windows. */
static uint64_t hash_of(uint64_t window)
{
	uint64_t h = (window ^ tools.key[0]) * tools.key[1];

	h = (h ^ h >> 32) * tools.key[2];
	return h ^ h >> 29;
}

/* -- the units of a text, one after the other -- */

struct units {
	struct cfs_slice rest;
	bool is_latin1;
	unsigned low;		/* the second half of a pair, 0: none */
};

/* Two units of a character beyond U+FFFF, or one. */
static unsigned take_utf8(struct units *u)
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
		return (p[0] & 0x0fu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
	default:
		c = (p[0] & 7u) << 18 | (p[1] & 0x3fu) << 12 |
		    (p[2] & 0x3fu) << 6 | (p[3] & 0x3fu);
		c -= 0x10000;
		u->low = 0xdc00 + (c & 0x3ff);
		return 0xd800 + (c >> 10);
	}
}

/* Up to max units that are one byte each: eight of ASCII at a time. */
static size_t take_bytes(struct units *u, uint16_t *out, size_t max)
{
	const uint8_t *p = u->rest.p;
	size_t n = 0, end = max < u->rest.n ? max : u->rest.n;
	uint64_t eight;

	while (n + 8 <= end) {
		memcpy(&eight, p + n, sizeof(eight));
		if ((eight & 0x8080808080808080u) != 0 && !u->is_latin1)
			break;
		for (unsigned i = 0; i < 8; i++)
			out[n + i] = p[n + i];
		n += 8;
	}
	while (n < end && (p[n] < 0x80 || u->is_latin1)) {
		out[n] = p[n];
		n++;
	}
	u->rest = cfs_slice_from(u->rest, n);
	return n;
}

/* Up to max units from the front of u. */
static size_t take_units(struct units *u, uint16_t *out, size_t max)
{
	size_t n = 0;

	while (n < max) {
		if (u->low != 0) {
			out[n++] = (uint16_t)u->low;
			u->low = 0;
			continue;
		}
		n += take_bytes(u, out + n, max - n);
		if (n == max || u->rest.n == 0)
			break;
		out[n++] = (uint16_t)take_utf8(u);
	}
	return n;
}

/* -- the set -- */

struct set {
	uint64_t *slots;	/* 0: empty */
	size_t n_slots, max_slots;
	size_t n;		/* windows in it, without the window 0 */
	bool has_zero;		/* the window of four U+0000 */
	uint64_t low, high;	/* hashes that count */
};

static int set_alloc(struct set *s, size_t n_slots, struct cfs_error *err)
{
	uint64_t *slots = calloc(n_slots, sizeof(*slots));

	if (slots == NULL)
		return cfs_error_nomem(err);
	s->slots = slots;
	s->n_slots = n_slots;
	return CFS_OK;
}

/* Half full is best; only the largest table is filled more. */
static bool set_is_full(const struct set *s)
{
	return s->n >= (s->n_slots < s->max_slots ? s->n_slots / 2
						  : s->n_slots / 4 * 3);
}

static void set_add(struct set *s, uint64_t window, uint64_t hash)
{
	size_t mask = s->n_slots - 1;
	size_t i = (size_t)hash & mask;

	while (s->slots[i] != 0) {
		if (s->slots[i] == window)
			return;
		i = (i + 1) & mask;
	}
	s->slots[i] = window;
	s->n++;
}

/* A new table of n_slots, with the windows whose hashes count. */
static int set_rebuild(struct set *s, size_t n_slots, struct cfs_error *err)
{
	uint64_t *old = s->slots;
	size_t n_old = s->n_slots;
	int rc = set_alloc(s, n_slots, err);

	if (rc != CFS_OK)
		return rc;
	s->n = 0;
	for (size_t i = 0; i < n_old; i++) {
		uint64_t hash = hash_of(old[i]);

		if (old[i] != 0 && hash <= s->high)
			set_add(s, old[i], hash);
	}
	free(old);
	return CFS_OK;
}

/* Makes room: a larger table, or half the range of hashes that count. */
static int set_relieve(struct set *s, struct cfs_error *err)
{
	if (s->n_slots < s->max_slots)
		return set_rebuild(s, s->n_slots < s->max_slots / 4
					      ? s->n_slots * 4 : s->max_slots,
				   err);
	s->high = s->low + (s->high - s->low) / 2;
	s->has_zero &= hash_of(0) <= s->high;
	return set_rebuild(s, s->n_slots, err);
}

static void set_clear(struct set *s)
{
	memset(s->slots, 0, s->n_slots * sizeof(*s->slots));
	s->n = 0;
	s->has_zero = false;
}

/* -- counting -- */

/* For each of 64 bits the number of fingerprints that have it, written the
 * other way round: plane k holds bit k of all 64 numbers, so that one addition
 * of planes is one of 64 numbers.  Sixteen prints are added at a time. */
#define TALLY_PRINTS 16u
#define TALLY_PLANES 40u	/* numbers below 2^40 */

struct tally {
	uint64_t planes[TALLY_PLANES];
	uint64_t waiting[TALLY_PRINTS];
	unsigned n_waiting;
	uint64_t n;
};

/* Adds a plane of value 2^k. */
static void tally_carry(struct tally *t, unsigned k, uint64_t plane)
{
	for (; plane != 0 && k < TALLY_PLANES; k++) {
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

static void tally_flush(struct tally *t)
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

static inline void tally_add(struct tally *t, uint64_t print)
{
	t->waiting[t->n_waiting++] = print;
	t->n++;
	if (t->n_waiting == TALLY_PRINTS)
		tally_flush(t);
}

static uint64_t tally_majority(struct tally *t)
{
	uint64_t out = 0;

	while (t->n_waiting > 0)
		tally_carry(t, 0, t->waiting[--t->n_waiting]);
	for (unsigned bit = 0; bit < 64; bit++) {
		uint64_t count = 0;

		for (unsigned k = 0; k < TALLY_PLANES; k++)
			count |= (t->planes[k] >> bit & 1) << k;
		if (count > t->n - count)
			out |= (uint64_t)1 << bit;
	}
	return out;
}

/* Whether a slot is empty nobody can foretell, a processor neither: so those
 * that are not are first put side by side, without a branch. */
static void tally_set(struct tally *t, const struct set *s)
{
	uint64_t some[BATCH];

	if (s->has_zero)
		tally_add(t, print_of(0));
	for (size_t i = 0; i < s->n_slots; i += BATCH) {
		unsigned n = 0;

		for (unsigned k = 0; k < BATCH; k++) {
			some[n] = s->slots[i + k];
			n += some[n] != 0;
		}
		for (unsigned k = 0; k < n; k++)
			tally_add(t, print_of(some[k]));
	}
}

/* Windows on their way into the set: their slots are asked for long before
 * they are looked at, so that memory works on many of them at once. */
struct batch {
	uint64_t windows[BATCH], hashes[BATCH];
	unsigned n;
};

/* Most windows are found, or find an empty slot, at once.  No processor can
 * predict which of the two, so no branch depends on it. */
static int absorb(struct set *s, struct batch *b, struct cfs_error *err)
{
	size_t mask = s->n_slots - 1;
	unsigned n_later = 0;
	int rc = CFS_OK;

	for (unsigned i = 0; i < b->n; i++)
		__builtin_prefetch(&s->slots[b->hashes[i] & mask]);
	for (unsigned i = 0; i < b->n; i++) {
		uint64_t window = b->windows[i], hash = b->hashes[i];
		uint64_t *slot = &s->slots[hash & mask];
		uint64_t was = *slot;

		*slot = was != 0 ? was : window;
		s->n += (was == 0) & (window != 0);
		s->has_zero |= window == 0;
		b->windows[n_later] = window;
		b->hashes[n_later] = hash;
		n_later += (was != 0) & (was != window) & (window != 0);
	}
	for (unsigned i = 0; i < n_later; i++)
		set_add(s, b->windows[i], b->hashes[i]);
	while (rc == CFS_OK && set_is_full(s))
		rc = set_relieve(s, err);
	return rc;
}

/* The windows seen last, of which most come again soon: a window that is found
 * here is in the set already.  It fits the first cache of a processor. */
#define RECENT_BITS 11

struct recent {
	uint64_t windows[1u << RECENT_BITS];
};

static void recent_init(struct recent *r)
{
	memset(r, 0, sizeof(*r));
	r->windows[0] = 1;	/* the window 0 is not there yet, and 1 would */
	if (tools.key[1] >> (64 - RECENT_BITS) == 0)	/* be elsewhere */
		r->windows[0] = 2;
}

/* The windows that end with the units; *window holds the units before.  Those
 * whose hashes count are put into the batch. */
static void make_windows(const struct set *s, struct recent *r,
			 const uint16_t *units, size_t n, uint64_t *window,
			 struct batch *b)
{
	uint64_t w = *window, key = tools.key[1];
	unsigned n_new = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t *slot;

		w = w << 16 | units[i];
		slot = &r->windows[w * key >> (64 - RECENT_BITS)];
		b->windows[n_new] = w;
		n_new += *slot != w;
		*slot = w;
	}
	*window = w;
	b->n = 0;
	for (unsigned i = 0; i < n_new; i++) {
		uint64_t hash = hash_of(b->windows[i]);

		b->windows[b->n] = b->windows[i];
		b->hashes[b->n] = hash;
		b->n += hash >= s->low && hash <= s->high;
	}
}

/* Puts the windows whose hashes count into the set; where they do not fit
 * fewer do.  0; CFS_ENOMEM; CFS_EINTR. */
static int collect(struct set *s, const struct cfs_simhash_text *text,
		   const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct units u = { text->bytes, text->is_latin1, 0 };
	uint16_t units[BATCH];
	struct recent recent;
	struct batch b;
	uint64_t window = 0xfeff;
	size_t n = text->has_bom, i;
	unsigned rounds = 0;
	int rc = CFS_OK;

	recent_init(&recent);
	/* the first three are not a window yet */
	for (n = take_units(&u, units, 3 - n), i = 0; i < n; i++)
		window = window << 16 | units[i];
	while (rc == CFS_OK && (n = take_units(&u, units, BATCH)) > 0) {
		make_windows(s, &recent, units, n, &window, &b);
		rc = absorb(s, &b, err);
		if (rc == CFS_OK && ++rounds % CANCEL_EVERY == 0 &&
		    cfs_cancelled(cancel))
			rc = cfs_error_set(err, CFS_EINTR, "interrupted");
	}
	return rc;
}

/* A power of two of slots: half as many as bytes or more, if the limits
 * allow that. */
static size_t slots_for(size_t bytes, size_t low, size_t high)
{
	size_t n = low;

	while (n < high && n <= bytes / 3)
		n *= 2;
	return n;
}

static int run(struct set *s, struct tally *t, const struct cfs_simhash_text *text,
	       const struct cfs_cancel *cancel, struct cfs_error *err)
{
	uint64_t width = UINT64_MAX;

	for (;;) {
		int rc;

		s->high = width > UINT64_MAX - s->low ? UINT64_MAX : s->low + width;
		rc = collect(s, text, cancel, err);
		if (rc != CFS_OK)
			return rc;
		tally_set(t, s);
		if (s->high == UINT64_MAX)
			return CFS_OK;
		width = s->high - s->low;
		s->low = s->high + 1;
		set_clear(s);
	}
}

int cfs_simhash(const struct cfs_simhash_text *text, int64_t *out,
		const struct cfs_cancel *cancel, struct cfs_error *err)
{
	size_t max = slots_for(text->bytes.n, SLOTS_FLOOR, SIZE_MAX / 16);
	struct set s = { .max_slots = max };
	struct tally t = { .n = 0 };
	int rc;

	pthread_once(&tools.once, make_tools);
	*out = 0;
	rc = set_alloc(&s, slots_for(text->bytes.n, SLOTS_MIN, SLOTS_FLOOR), err);
	if (rc == CFS_OK)
		rc = run(&s, &t, text, cancel, err);
	if (rc == CFS_OK)
		*out = (int64_t)tally_majority(&t);
	free(s.slots);
	return rc;
}
