/* simhash_internal.h - the steps of a similarity hash: the units of a text, the
 * fingerprints of their windows, and the count of these.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_SIMHASH_INTERNAL_H
#define CFS_VIEW_SIMHASH_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#include "simhash.h"

/* ---- the UTF-16 code units of a text ---- */

struct cfs_simhash_units {
	struct cfs_slice rest;
	bool is_latin1;
	unsigned low;		/* pending low surrogate; 0: none */
	bool has_bom;		/* U+FEFF comes first */
};

struct cfs_simhash_units cfs_simhash_units_of(
	const struct cfs_simhash_text *text);

bool cfs_simhash_units_end(const struct cfs_simhash_units *u);

/* Takes the next unit.  Must not be called at the end. */
uint16_t cfs_simhash_unit(struct cfs_simhash_units *u);

/* ---- Rabin fingerprints of windows, and keys for hash tables of them ---- */

struct cfs_simhash_tools {
	/* steps[k][b]: the remainder of byte b followed by k zero bytes */
	uint64_t steps[8][256];
	/* Random, so that no page can be made of windows that collide; key[1]
	 * and key[2] are odd. */
	uint64_t key[3];
};

/* The tables, which are made once for all threads. */
const struct cfs_simhash_tools *cfs_simhash_tools(void);

#define CFS_SIMHASH_POLYNOMIAL 0xD74307D3FD3382DBu

/* The contribution of byte i of a window's eight bytes: the fingerprint is the
 * XOR of all eight contributions. */
static inline uint64_t cfs_simhash_step(const struct cfs_simhash_tools *tools,
					unsigned i, unsigned byte)
{
	return tools->steps[7 - i]
			   [((CFS_SIMHASH_POLYNOMIAL >> 8 * i) ^ byte) & 255];
}

/* ---- for each of 64 bits, the fingerprints that have it set ---- */

/* The counters are bit-sliced: plane k holds bit k of all 64 counters, so that
 * one addition of planes adds to 64 counters.  There are two sets of counters,
 * used by alternate fingerprints, because a processor adds pairs of words as
 * fast as single ones.  CFS_SIMHASH_PRINTS fingerprints are added at a time. */
#define CFS_SIMHASH_PRINTS 32u
#define CFS_SIMHASH_PLANES 40u	/* counters stay below 2^40 */

typedef uint64_t cfs_simhash_pair __attribute__((vector_size(16)));

/* Initialize it with { 0 }. */
struct cfs_simhash_tally {
	cfs_simhash_pair planes[CFS_SIMHASH_PLANES];
	uint64_t waiting[CFS_SIMHASH_PRINTS];
	unsigned n_waiting;
	uint64_t n;
};

void cfs_simhash_tally_add(struct cfs_simhash_tally *t, const uint64_t *prints,
			   size_t n);

/* ---- two ways to find the distinct windows of a text (simhash_wide.c,
 * simhash_narrow.c) ---- */

/* Batches of windows between two checks of the cancel token. */
#define CFS_SIMHASH_CANCEL_EVERY 256

/* Adds the fingerprints of all distinct windows to *t.  0, CFS_ENOMEM or
 * CFS_EINTR. */
int cfs_simhash_wide(const struct cfs_simhash_text *text,
		     struct cfs_simhash_tally *t, struct cfs_ctx ctx);

/* The same in half the time, for texts of few different units.  *fits becomes
 * false, and *t is then unusable, if the text is not of that kind. */
int cfs_simhash_narrow(const struct cfs_simhash_text *text,
		       struct cfs_simhash_tally *t, bool *fits,
		       struct cfs_ctx ctx);

#endif
