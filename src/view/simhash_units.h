/* simhash_units.h - iterates over the UTF-16 code units of a text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_SIMHASH_UNITS_H
#define CFS_VIEW_SIMHASH_UNITS_H

#include "simhash.h"

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

#endif
