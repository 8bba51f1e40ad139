/* simhash_wide.c - finds the windows of any text: four units in 64 bits.
 *
 * A window is a number of 64 bits, so the set is a table of numbers.  All
 * windows may be different, and a table for them would be many times larger
 * than the document.  So its size is limited, and a text that overflows it is
 * read several times: each time only windows whose hashes are in one range are
 * counted, and the range is halved when they do not fit.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "simhash_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/swar.h"

/* The number of slots is a power of two, at least SLOTS_MIN.  Its maximum is
 * SLOTS_FLOOR (8 MiB), or for longer texts one to two thirds of the number of
 * bytes (8 bytes each). */
#define SLOTS_MIN ((size_t)1 << 11)
#define SLOTS_FLOOR ((size_t)1 << 20)
/* Less than a quarter of the slots, which a full set leaves empty. */
#define BATCH 256

typedef const struct cfs_simhash_tools tools;

/* The contribution of byte i of a window to its fingerprint, and the
 * fingerprint. */
static inline uint64_t simhash_wide_step(tools *t, uint64_t window, unsigned i)
{
	return cfs_simhash_step(t, i, (unsigned)(window >> (56 - 8 * i)) & 255);
}
static inline uint64_t simhash_wide_print_of(tools *t, uint64_t window)
{
	return simhash_wide_step(t, window, 0) ^
	       simhash_wide_step(t, window, 1) ^
	       simhash_wide_step(t, window, 2) ^
	       simhash_wide_step(t, window, 3) ^
	       simhash_wide_step(t, window, 4) ^
	       simhash_wide_step(t, window, 5) ^
	       simhash_wide_step(t, window, 6) ^
	       simhash_wide_step(t, window, 7);
}

/* The hash of a window.  This is a bijection, so no two windows have the same
 * hash. */
static uint64_t simhash_wide_hash_of(tools *t, uint64_t window)
{
	uint64_t h = (window ^ t->key[0]) * t->key[1];

	h = (h ^ h >> 32) * t->key[2];
	return h ^ h >> 29;
}

/* Takes up to max units that are one byte each, eight at a time. */
static size_t take_bytes(struct cfs_simhash_units *u, uint16_t *out, size_t max)
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
static size_t take_units(struct cfs_simhash_units *u, uint16_t *out, size_t max)
{
	size_t n = 0;

	while (n < max && !cfs_simhash_units_end(u)) {
		if (u->low == 0 && !u->has_bom)
			n += take_bytes(u, out + n, max - n);
		if (n < max && !cfs_simhash_units_end(u))
			out[n++] = cfs_simhash_unit(u);
	}
	return n;
}

/* -- the set -- */

struct set {
	tools *tools;
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
		uint64_t hash = simhash_wide_hash_of(s->tools, old[i]);

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
	s->has_zero &= simhash_wide_hash_of(s->tools, 0) <= s->high;
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
static void tally_set(struct cfs_simhash_tally *t, const struct set *s)
{
	const uint64_t of_zero = simhash_wide_print_of(s->tools, 0);
	uint64_t some[BATCH];

	cfs_simhash_tally_add(t, &of_zero, s->has_zero);
	for (size_t i = 0; i < s->n_slots; i += BATCH) {
		unsigned n = 0;

		for (unsigned k = 0; k < BATCH; k++) {
			some[n] = s->slots[i + k];
			n += some[n] != 0;
		}
		for (unsigned k = 0; k < n; k++)
			some[k] = simhash_wide_print_of(s->tools, some[k]);
		cfs_simhash_tally_add(t, some, n);
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
static int simhash_wide_absorb(struct set *s, struct lane_batch *b,
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

static void recent_init(tools *t, struct recent *r)
{
	memset(r, 0, sizeof(*r));
	/* Slot 0 must not seem to have window 0, so it gets a window that
	 * belongs to another slot. */
	r->windows[0] = 1;
	if (t->key[1] >> (64 - RECENT_BITS) == 0)
		r->windows[0] = 2;
}

/* Makes the windows that end at each of the units; *window holds the units
 * before.  Those that are not recent and whose hashes are counted go into the
 * batch. */
static void make_windows(const struct set *s, struct recent *r,
			 const uint16_t *units, size_t n, uint64_t *window,
			 struct lane_batch *b)
{
	uint64_t w = *window, key = s->tools->key[1];
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
		uint64_t hash = simhash_wide_hash_of(s->tools, b->windows[i]);

		b->windows[b->n] = b->windows[i];
		b->hashes[b->n] = hash;
		b->n += hash >= s->low && hash <= s->high;
	}
}

/* Adds the windows whose hashes are counted to the set; the range shrinks if
 * they do not fit.  0, CFS_ENOMEM or CFS_EINTR. */
static int simhash_wide_collect(struct set *s,
				const struct cfs_simhash_text *text,
				struct cfs_ctx ctx)
{
	struct cfs_simhash_units u = cfs_simhash_units_of(text);
	uint16_t units[BATCH];
	struct recent recent;
	struct lane_batch b;
	uint64_t window = 0;
	size_t n, i;
	unsigned rounds = 0;
	int rc = CFS_OK;

	recent_init(s->tools, &recent);
	/* the first three units do not make a window yet */
	for (n = take_units(&u, units, 3), i = 0; i < n; i++)
		window = window << 16 | units[i];
	while (rc == CFS_OK && (n = take_units(&u, units, BATCH)) > 0) {
		make_windows(s, &recent, units, n, &window, &b);
		rc = simhash_wide_absorb(s, &b, ctx.err);
		if (rc == CFS_OK && ++rounds % CFS_SIMHASH_CANCEL_EVERY == 0 &&
		    cfs_cancelled(ctx.cancel))
			rc = cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
	}
	return rc;
}

/* The number of slots: `low`, doubled until it is more than a third of the
 * bytes or reaches `high`. */
static size_t simhash_wide_slots_for(size_t bytes, size_t low, size_t high)
{
	size_t n = low;

	while (n < high && n <= bytes / 3)
		n *= 2;
	return n;
}

static int simhash_wide_run(struct set *s, struct cfs_simhash_tally *t,
			    const struct cfs_simhash_text *text,
			    struct cfs_ctx ctx)
{
	uint64_t width = UINT64_MAX;

	for (;;) {
		int rc;

		s->high = width > UINT64_MAX - s->low ? UINT64_MAX :
							s->low + width;
		rc = simhash_wide_collect(s, text, ctx);
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

int cfs_simhash_wide(const struct cfs_simhash_text *text,
		     struct cfs_simhash_tally *t, struct cfs_ctx ctx)
{
	size_t max = simhash_wide_slots_for(text->bytes.n, SLOTS_FLOOR,
					    SIZE_MAX / 16);
	struct set s = { .tools = cfs_simhash_tools(), .max_slots = max };
	int rc = set_alloc(&s, simhash_wide_slots_for(text->bytes.n, SLOTS_MIN,
						      SLOTS_FLOOR),
			   ctx.err);

	if (rc == CFS_OK)
		rc = simhash_wide_run(&s, t, text, ctx);
	free(s.slots);
	return rc;
}
