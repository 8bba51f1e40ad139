/* simhash_units.h - the UTF-16 code units of a text, one after the other.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_SIMHASH_UNITS_H
#define CFS_VIEW_SIMHASH_UNITS_H

#include "simhash.h"

struct cfs_simhash_units {
	struct cfs_slice rest;
	bool is_latin1;
	unsigned low;		/* the second half of a pair, 0: none */
	bool has_bom;		/* U+FEFF comes first */
};

struct cfs_simhash_units cfs_simhash_units_of(
	const struct cfs_simhash_text *text);

bool cfs_simhash_units_end(const struct cfs_simhash_units *u);

/* The next unit; not at the end. */
uint16_t cfs_simhash_unit(struct cfs_simhash_units *u);

#endif
