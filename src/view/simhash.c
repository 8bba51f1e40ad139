/* simhash.c - computes similarity hashes (doc/formats.md, "Simhash").
 *
 *   1. make the set of all windows of 4 UTF-16 code units
 *   2. compute the Rabin fingerprint of each one's 8 bytes, high byte first
 *   3. set bit i if more fingerprints have it set than clear
 *
 * A window is a number of 64 bits, so the set is a table of numbers.  All
 * windows may be different, and a table for them would be many times larger
 * than the document.  So its size is limited, and a text that overflows it is
 * read PARTS times: each time only windows whose hashes are in one part are
 * counted.
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

/* The number of slots is a power of two.  It is at most SLOTS_FLOOR (8 MiB) or,
 * for longer texts, half of the number of bytes; half of them are filled. */
#define SLOTS_MIN ((size_t)1 << 11)
#define SLOTS_FLOOR ((size_t)1 << 20)
/* Windows that were just seen are in the set: most of those of a page are. */
#define RECENT_BITS 11u
#define PARTS_BITS 3u
#define PARTS (1u << PARTS_BITS)
/* Units, or slots, at a time. */
#define BATCH 1024u
#define POLYNOMIAL 0xD74307D3FD3382DBu

/* ---- the UTF-16 code units of a text ---- */

struct units {
	struct cfs_slice rest;
	bool is_latin1;
	unsigned low;		/* pending low surrogate; 0: none */
	bool has_bom;		/* U+FEFF comes first */
};

/* Takes a character that is not one byte, or what is pending, and returns its
 * unit; of characters beyond U+FFFF the second one is kept in u->low. */
static unsigned take_other(struct units *u)
{
	unsigned unit = u->has_bom ? 0xfeff : u->low;
	uint32_t c = 0xfffd;
	size_t n;

	if (unit != 0) {
		if (!u->has_bom)
			u->low = 0;
		u->has_bom = false;
		return unit;
	}
	n = cfs_utf8_decode(u->rest, &c);
	u->rest = cfs_slice_from(u->rest, n > 0 ? n : 1);
	if (c <= 0xffff)
		return c;
	u->low = 0xdc00 + ((c - 0x10000) & 0x3ff);
	return 0xd800 + ((c - 0x10000) >> 10);
}

/* Takes the next unit.  False at the end. */
static inline bool take_unit(struct units *u, unsigned *unit)
{
	bool is_pending = u->low != 0 || u->has_bom;

	if (u->rest.n == 0 && !is_pending)
		return false;
	if (is_pending || (u->rest.p[0] >= 0x80 && !u->is_latin1)) {
		*unit = take_other(u);
		return true;
	}
	*unit = u->rest.p[0];
	u->rest.p++;
	u->rest.n--;
	return true;
}

/* ---- Rabin fingerprints of windows ---- */

static struct {
	/* steps[k][b]: the remainder of byte b followed by k zero bytes */
	uint64_t steps[8][256];
	/* Random and odd, so that no page can be made of windows that
	 * collide. */
	uint64_t key;
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
	if (getrandom(&tools.key, sizeof(tools.key), GRND_NONBLOCK) !=
	    (ssize_t)sizeof(tools.key)) {
		/* no random numbers early in the boot: better than nothing */
		clock_gettime(CLOCK_MONOTONIC, &now);
		tools.key = ((uint64_t)now.tv_nsec ^ (uintptr_t)&now) *
			    POLYNOMIAL;
	}
	tools.key |= 1;
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

/* ---- the set of windows ---- */

struct set {
	uint64_t *slots;	/* 0: empty */
	size_t n_slots, max_slots;
	size_t n;		/* windows in it, other than 0 */
	bool has_zero;		/* it has window 0, of four U+0000 */
	/* How often each byte is at each place of the fingerprints that have
	 * been counted, and their number. */
	uint32_t bytes[8][256];
	uint64_t n_prints;
};

/* The hash of a window.  This is a bijection, so no two windows have the same
 * hash. */
static inline uint64_t hash_of(uint64_t window)
{
	uint64_t h = window * tools.key;

	return (h ^ h >> 32) * POLYNOMIAL;
}

/* The slot of a window, or the empty one where it belongs. */
static inline uint64_t *slot_of(const struct set *s, uint64_t window,
				uint64_t hash)
{
	size_t i = (size_t)(hash >> 8) & (s->n_slots - 1);

	while (s->slots[i] != 0 && s->slots[i] != window)
		i = (i + 1) & (s->n_slots - 1);
	return &s->slots[i];
}

/* Moves the windows to a table of that size. */
static int resize(struct set *s, size_t n_slots, struct cfs_error *err)
{
	uint64_t *old = s->slots;
	size_t n_old = s->n_slots;

	s->slots = calloc(n_slots, sizeof(*s->slots));
	if (s->slots == NULL) {
		s->slots = old;
		return cfs_error_nomem(err);
	}
	s->n_slots = n_slots;
	for (size_t i = 0; i < n_old; i++)
		if (old[i] != 0)
			*slot_of(s, old[i], hash_of(old[i])) = old[i];
	free(old);
	return CFS_OK;
}

static void count_print(struct set *s, uint64_t print)
{
	for (unsigned i = 0; i < 8; i++)
		s->bytes[i][print >> 8 * i & 255]++;
	s->n_prints++;
}

static void clear(struct set *s)
{
	memset(s->slots, 0, s->n_slots * sizeof(*s->slots));
	s->n = 0;
	s->has_zero = false;
}

/* Counts the fingerprints of the set, and empties it. */
static void count_prints(struct set *s)
{
	uint64_t some[BATCH];

	if (s->has_zero)
		count_print(s, print_of(0));
	for (size_t i = 0; i < s->n_slots; i += BATCH) {
		unsigned n = 0;

		for (unsigned k = 0; k < BATCH; k++) {
			some[n] = s->slots[i + k];
			n += some[n] != 0;
		}
		for (unsigned k = 0; k < n; k++)
			count_print(s, print_of(some[k]));
	}
	clear(s);
}

/* The bits that more fingerprints have set than clear. */
static uint64_t majority_of(const struct set *s)
{
	uint64_t out = 0;

	for (unsigned bit = 0; bit < 64; bit++) {
		uint64_t count = 0;

		for (unsigned b = 0; b < 256; b++)
			if (b >> bit % 8 & 1)
				count += s->bytes[bit / 8][b];
		if (count > s->n_prints - count)
			out |= (uint64_t)1 << bit;
	}
	return out;
}

/* Adds a window whose hash is in the part that is counted.  0; CFS_END: the set
 * is full; CFS_ENOMEM. */
static int add_window(struct set *s, uint64_t window, uint64_t hash,
		      struct cfs_error *err)
{
	uint64_t *slot = slot_of(s, window, hash);

	if (*slot == window)
		return CFS_OK;
	*slot = window;
	if (++s->n < s->n_slots / 2)
		return CFS_OK;
	if (s->n_slots >= s->max_slots)
		return CFS_END;
	return resize(s, s->n_slots * 4, err);
}

/* Adds the windows of a text whose hashes are in one part of 2^bits.  A
 * processor cannot predict which windows are new, so no branch depends on it
 * before they are gathered.  Codes as add_window; CFS_EINTR. */
static int collect(struct set *s, const struct cfs_simhash_text *text,
		   unsigned part, unsigned bits, struct cfs_ctx ctx)
{
	struct units u = { .rest = text->bytes, .is_latin1 = text->is_latin1,
			   .has_bom = text->has_bom };
	uint64_t recent[1u << RECENT_BITS] = { 0 };
	uint64_t w = 0, windows[BATCH];
	unsigned unit, n_before = 0, n_new = 0, n;
	int rc = CFS_OK;

	while (n_before < 3 && take_unit(&u, &unit)) {
		w = w << 16 | unit;
		n_before++;
	}
	do {
		if (cfs_cancelled(ctx.cancel))
			return cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
		for (n = n_new = 0; n < BATCH && take_unit(&u, &unit); n++) {
			uint64_t *last;

			w = w << 16 | unit;
			last = &recent[w * tools.key >> (64 - RECENT_BITS)];
			windows[n_new] = w;
			n_new += *last != w;
			*last = w;
			/* it is in part 0, and seems recent */
			s->has_zero |= w == 0 && part == 0;
		}
		for (unsigned i = 0; i < n_new && rc == CFS_OK; i++) {
			uint64_t hash = hash_of(windows[i]);

			if (hash >> 56 >> (8 - bits) == part)
				rc = add_window(s, windows[i], hash, ctx.err);
		}
	} while (rc == CFS_OK && n == BATCH);
	return rc;
}

/* Collects and counts all windows, in one part or, if they are too many, in
 * several. */
static int count_windows(struct set *s, const struct cfs_simhash_text *text,
			 struct cfs_ctx ctx)
{
	int rc = collect(s, text, 0, 0, ctx);

	if (rc == CFS_OK)
		count_prints(s);
	if (rc != CFS_END)
		return rc;
	clear(s);
	rc = CFS_OK;
	for (unsigned part = 0; part < PARTS && rc == CFS_OK; part++) {
		rc = collect(s, text, part, PARTS_BITS, ctx);
		if (rc == CFS_OK)
			count_prints(s);
	}
	return rc == CFS_END ? cfs_error_nomem(ctx.err) : rc;
}

int cfs_simhash(const struct cfs_simhash_text *text, int64_t *out,
		struct cfs_ctx ctx)
{
	struct set *s = calloc(1, sizeof(*s));
	int rc;

	*out = 0;
	pthread_once(&once, make_tools);
	if (s == NULL)
		return cfs_error_nomem(ctx.err);
	s->max_slots = SLOTS_FLOOR;
	while (s->max_slots < text->bytes.n / 2)
		s->max_slots *= 2;
	rc = resize(s, SLOTS_MIN, ctx.err);
	if (rc == CFS_OK)
		rc = count_windows(s, text, ctx);
	if (rc == CFS_OK)
		*out = (int64_t)majority_of(s);
	free(s->slots);
	free(s);
	return rc;
}
