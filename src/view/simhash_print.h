/* simhash_print.h - fingerprints, and the key of the tables of windows.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_SIMHASH_PRINT_H
#define CFS_VIEW_SIMHASH_PRINT_H

#include <stdint.h>

struct cfs_simhash_tools {
	/* steps[k][b]: byte b followed by k zero bytes */
	uint64_t steps[8][256];
	/* Random, lest a page be made of windows that collide; 1 and 2 are
	 * odd. */
	uint64_t key[3];
};

/* Made once, for all threads. */
const struct cfs_simhash_tools *cfs_simhash_tools(void);

#define CFS_SIMHASH_POLYNOMIAL 0xD74307D3FD3382DBu

/* Of a window's eight bytes, byte i counted from the first: the fingerprint is
 * that of all eight, one XOR the other. */
static inline uint64_t cfs_simhash_step(const struct cfs_simhash_tools *tools,
					unsigned i, unsigned byte)
{
	return tools->steps[7 - i]
			   [((CFS_SIMHASH_POLYNOMIAL >> 8 * i) ^ byte) & 255];
}

#endif
