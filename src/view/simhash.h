/* simhash.h - similarity hashes: text_simhash of the 2012 metadata, and the one
 * of rows.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_SIMHASH_H
#define CFS_VIEW_SIMHASH_H

#include "base/cancel.h"
#include "base/error.h"
#include "base/slice.h"

/* A text, which is hashed as UTF-16 code units. */
struct cfs_simhash_text {
	struct cfs_slice bytes;
	bool is_latin1;		/* each byte is one unit; otherwise UTF-8 */
	bool has_bom;		/* U+FEFF comes before bytes */
};

/*
 * Computes the similarity hash of a whole document, including markup
 * (doc/formats.md, "Simhash"): 0 for less than 4 units.  Each invalid byte of
 * UTF-8 counts as U+FFFD.
 *
 * Memory: at most 11 times the bytes, or 16 MiB for short texts (two hash
 * tables).  Time depends only on the length.
 * 0, CFS_ENOMEM or CFS_EINTR.
 */
int cfs_simhash(const struct cfs_simhash_text *text, int64_t *out,
		struct cfs_ctx ctx);

/*
 * Computes a similarity hash of the letters of a text (text_hash.c): in those
 * of texts in which a date, a counter or a sentence differs, few bits differ;
 * in those of other texts, many.  The same text has the same hash, always.
 * False if it has no letter.  Time is linear; nothing is allocated.
 */
bool cfs_simhash_of_text(struct cfs_slice utf8, int64_t *out);

/* The Rabin fingerprint (64 bits) of any bytes; the hash is made of those of
 * windows. */
uint64_t cfs_simhash_print(struct cfs_slice bytes);

#endif
