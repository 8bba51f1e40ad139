/* simhash.c - computes similarity hashes (doc/formats.md, "Simhash").
 *
 *   1. make the set of all windows of 4 UTF-16 code units
 *   2. compute the Rabin fingerprint of each one's 8 bytes, high byte first
 *   3. set bit i if more fingerprints have it set than clear
 *
 * A window is a number of 64 bits, so the set is a table of numbers.  All
 * windows may be different, and a table for them would be many times larger
 * than the document.  So its size is limited, and a text that overflows it is
 * read several times: each time only windows whose hashes are in one range are
 * counted, and the range is halved when they do not fit.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "simhash.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/swar.h"
#include "base/utf8.h"

/* The number of slots is a power of two, at least SLOTS_MIN.  Its maximum is
 * SLOTS_FLOOR (8 MiB), or for longer texts one to two thirds of the number of
 * bytes (8 bytes each). */
#define SLOTS_MIN ((size_t)1 << 11)
#define SLOTS_FLOOR ((size_t)1 << 20)
/* Less than a quarter of the slots, which a full set leaves empty. */
#define BATCH 256

/* Batches between two checks of the cancel token. */
#define CANCEL_EVERY 256
#define POLYNOMIAL 0xD74307D3FD3382DBu

/* ---- the UTF-16 code units of a text ---- */

struct units {
	struct cfs_slice rest;
	bool is_latin1;
	unsigned low;		/* pending low surrogate; 0: none */
	bool has_bom;		/* U+FEFF comes first */
};

static struct units units_of(const struct cfs_simhash_text *text)
{
	return (struct units){ .rest = text->bytes,
		.is_latin1 = text->is_latin1, .has_bom = text->has_bom };
}

static bool units_end(const struct units *u)
{
	return u->rest.n == 0 && u->low == 0 && !u->has_bom;
}

/* Takes a character and returns its first unit; a second one, for characters
 * beyond U+FFFF, is kept in u->low. */
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

static uint16_t take_unit(struct units *u)
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

/* Takes up to max units that are one byte each, eight at a time. */
static size_t take_bytes(struct units *u, uint16_t *out, size_t max)
{
	const uint8_t *p = u->rest.p;
	size_t n = 0, end = max < u->rest.n ? max : u->rest.n;

	while (n + 8 <= end) {
		if (!u->is_latin1 &&
		    !cfs_swar_are_ascii_from(cfs_swar_at(p + n), 0))
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

/* Takes up to max units from the front of u; returns 0 only at the end. */
static size_t take_units(struct units *u, uint16_t *out, size_t max)
{
	size_t n = 0;

	while (n < max && !units_end(u)) {
		if (u->low == 0 && !u->has_bom)
			n += take_bytes(u, out + n, max - n);
		if (n < max && !units_end(u))
			out[n++] = take_unit(u);
	}
	return n;
}

/* ---- Rabin fingerprints of windows ---- */

static struct {
	/* steps[k][b]: the remainder of byte b followed by k zero bytes */
	uint64_t steps[8][256];
	/* Random, so that no page can be made of windows that collide; key[1]
	 * and key[2] are odd. */
	uint64_t key[3];
} tools;
static pthread_once_t once = PTHREAD_ONCE_INIT;

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
		/* no random numbers early in the boot: better than nothing */
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

	pthread_once(&once, make_tools);
	for (size_t i = 0; i < bytes.n; i++)
		v = (v >> 8) ^ tools.steps[0][(v ^ bytes.p[i]) & 255];
	return v;
}

/* The fingerprint of a window's eight bytes, high byte first. */
static inline uint64_t print_of(uint64_t window)
{
	uint64_t v = __builtin_bswap64(window) ^ POLYNOMIAL, print = 0;

	for (unsigned i = 0; i < 8; i++)
		print ^= tools.steps[7 - i][v >> 8 * i & 255];
	return print;
}

/* ---- for each of 64 bits, the fingerprints that have it set: bit-sliced
 * counters ---- */

/* The counters are bit-sliced: plane k holds bit k of all 64 counters, so that
 * one addition of planes adds to 64 counters.  There are two sets of counters,
 * used by alternate fingerprints, because a processor adds pairs of words as
 * fast as single ones.  PRINTS fingerprints are added at a time. */
#define PRINTS 32u
#define PLANES 40u	/* counters stay below 2^40 */

typedef uint64_t pair __attribute__((vector_size(16)));

/* Initialize it with { 0 }. */
struct tally {
	pair planes[PLANES];
	uint64_t waiting[PRINTS];
	unsigned n_waiting;
	uint64_t n;
};

/* Adds a plane whose bits count 2^k each. */
static void tally_carry(struct tally *t, unsigned k, pair plane)
{
	for (; (plane[0] | plane[1]) != 0 && k < PLANES; k++) {
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

/* Adds PRINTS fingerprints with a tree of full adders. */
static void add_full(struct tally *t, const uint64_t *w)
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

static void tally_add(struct tally *t, const uint64_t *prints,
			   size_t n)
{
	t->n += n;
	for (size_t take; n > 0; prints += take, n -= take) {
		take = PRINTS - t->n_waiting;
		if (take > n)
			take = n;
		if (take == PRINTS) {
			add_full(t, prints);
			continue;
		}
		memcpy(t->waiting + t->n_waiting, prints,
		       take * sizeof(*prints));
		t->n_waiting += (unsigned)take;
		if (t->n_waiting == PRINTS) {
			add_full(t, t->waiting);
			t->n_waiting = 0;
		}
	}
}

static uint64_t tally_count(const struct tally *t, unsigned bit)
{
	uint64_t count = 0;

	for (unsigned k = 0; k < PLANES; k++)
		count += ((t->planes[k][0] >> bit & 1) +
			  (t->planes[k][1] >> bit & 1)) << k;
	return count;
}

/* Adds the fingerprints that are waiting, and returns the bits that more
 * fingerprints have set than clear. */
static uint64_t tally_majority(struct tally *t)
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

/* ---- the set of windows ---- */

/* The hash of a window.  This is a bijection, so no two windows have the same
 * hash. */
static uint64_t hash_of(uint64_t window)
{
	uint64_t h = (window ^ tools.key[0]) * tools.key[1];

	h = (h ^ h >> 32) * tools.key[2];
	return h ^ h >> 29;
}

struct set {
	uint64_t *slots;	/* 0: empty */
	size_t n_slots, max_slots;
	size_t n;		/* windows in it, other than 0 */
	bool has_zero;		/* it has window 0, of four U+0000 */
	uint64_t low, high;	/* range of hashes that are counted */
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

/* A table is kept at most half full; the largest may be filled to three
 * quarters. */
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

/* Moves the windows whose hashes are still counted to a new table. */
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

/* Makes room, by a larger table or by halving the range of hashes. */
static int set_relieve(struct set *s, struct cfs_error *err)
{
	if (s->n_slots < s->max_slots)
		return set_rebuild(s, s->n_slots < s->max_slots / 4 ?
				   s->n_slots * 4 : s->max_slots, err);
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

/* Adds the fingerprints of the set.  The processor cannot predict which slots
 * are empty, so the others are first compacted without a branch. */
static void tally_set(struct tally *t, const struct set *s)
{
	const uint64_t of_zero = print_of(0);
	uint64_t some[BATCH];

	tally_add(t, &of_zero, s->has_zero);
	for (size_t i = 0; i < s->n_slots; i += BATCH) {
		unsigned n = 0;

		for (unsigned k = 0; k < BATCH; k++) {
			some[n] = s->slots[i + k];
			n += some[n] != 0;
		}
		for (unsigned k = 0; k < n; k++)
			some[k] = print_of(some[k]);
		tally_add(t, some, n);
	}
}

/* Windows to be added to the set.  Their slots are prefetched as a batch, so
 * that memory accesses overlap. */
struct lane_batch {
	uint64_t windows[BATCH], hashes[BATCH];
	unsigned n;
};

/* Adds a batch to the set.  For most windows the first slot has the window or
 * is empty.  The processor cannot predict which, so no branch depends on it;
 * the other windows are added afterwards. */
static int absorb(struct set *s, struct lane_batch *b,
			       struct cfs_error *err)
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

/* A direct-mapped cache of recent windows, most of which recur soon: a window
 * found here is in the set already.  It fits in the L1 cache. */
#define RECENT_BITS 11

struct recent {
	uint64_t windows[1u << RECENT_BITS];
};

static void recent_init(struct recent *r)
{
	memset(r, 0, sizeof(*r));
	/* Slot 0 must not seem to have window 0, so it gets a window that
	 * belongs to another slot. */
	r->windows[0] = 1;
	if (tools.key[1] >> (64 - RECENT_BITS) == 0)
		r->windows[0] = 2;
}

/* Makes the windows that end at each of the units; *window holds the units
 * before.  Those that are not recent and whose hashes are counted go into the
 * batch. */
static void make_windows(const struct set *s, struct recent *r,
			 const uint16_t *units, size_t n, uint64_t *window,
			 struct lane_batch *b)
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

/* Adds the windows whose hashes are counted to the set; the range shrinks if
 * they do not fit.  0, CFS_ENOMEM or CFS_EINTR. */
static int collect(struct set *s,
				const struct cfs_simhash_text *text,
				struct cfs_ctx ctx)
{
	struct units u = units_of(text);
	uint16_t units[BATCH];
	struct recent recent;
	struct lane_batch b;
	uint64_t window = 0;
	size_t n, i;
	unsigned rounds = 0;
	int rc = CFS_OK;

	recent_init(&recent);
	/* the first three units do not make a window yet */
	for (n = take_units(&u, units, 3), i = 0; i < n; i++)
		window = window << 16 | units[i];
	while (rc == CFS_OK && (n = take_units(&u, units, BATCH)) > 0) {
		make_windows(s, &recent, units, n, &window, &b);
		rc = absorb(s, &b, ctx.err);
		if (rc == CFS_OK && ++rounds % CANCEL_EVERY == 0 &&
		    cfs_cancelled(ctx.cancel))
			rc = cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
	}
	return rc;
}

/* The number of slots: `low`, doubled until it is more than a third of the
 * bytes or reaches `high`. */
static size_t slots_for(size_t bytes, size_t low, size_t high)
{
	size_t n = low;

	while (n < high && n <= bytes / 3)
		n *= 2;
	return n;
}

static int count_windows(struct set *s, struct tally *t,
			    const struct cfs_simhash_text *text,
			    struct cfs_ctx ctx)
{
	uint64_t width = UINT64_MAX;

	for (;;) {
		int rc;

		s->high = width > UINT64_MAX - s->low ? UINT64_MAX :
							s->low + width;
		rc = collect(s, text, ctx);
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
		struct cfs_ctx ctx)
{
	struct tally t = { .n = 0 };
	struct set s = { .max_slots = slots_for(text->bytes.n, SLOTS_FLOOR,
						SIZE_MAX / 16) };
	int rc;

	*out = 0;
	pthread_once(&once, make_tools);
	rc = set_alloc(&s, slots_for(text->bytes.n, SLOTS_MIN, SLOTS_FLOOR),
		       ctx.err);
	if (rc == CFS_OK)
		rc = count_windows(&s, &t, text, ctx);
	if (rc == CFS_OK)
		*out = (int64_t)tally_majority(&t);
	free(s.slots);
	return rc;
}
