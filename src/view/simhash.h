/* simhash.h - the text_simhash of the 2012 metadata.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_SIMHASH_H
#define CFS_VIEW_SIMHASH_H

#include "base/cancel.h"
#include "base/error.h"
#include "base/slice.h"

/* A text of which the UTF-16 code units count. */
struct cfs_simhash_text {
	struct cfs_slice bytes;
	bool is_latin1;		/* one unit a byte; else UTF-8 */
	bool has_bom;		/* U+FEFF comes before bytes */
};

/*
 * The similarity hash of a whole document, markup and all (doc/formats.md,
 * "Simhash"): 0 for less than 4 units.  Bytes that are not UTF-8 count as
 * U+FFFD each.
 *
 * Memory: at most 3 times the bytes and 12 MiB; time grows with the length
 * alone, whatever the text is made of.
 * 0; CFS_ENOMEM; CFS_EINTR.
 */
int cfs_simhash(const struct cfs_simhash_text *text, int64_t *out,
		const struct cfs_cancel *cancel, struct cfs_error *err);

/* The fingerprint it is made of (64 bits, by Rabin), of any bytes. */
uint64_t cfs_simhash_print(struct cfs_slice bytes);

#endif
