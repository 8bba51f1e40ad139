/* simhash_print.h - Rabin fingerprints of windows, and keys for hash tables of
 * windows.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_SIMHASH_PRINT_H
#define CFS_VIEW_SIMHASH_PRINT_H

#include <stdint.h>

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

#endif
