/* pbtree_value.h - the values of a PB-tree: where a 2012 record lies.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_PBTREE_VALUE_H
#define CFS_INDEX_PBTREE_VALUE_H

#include <stdint.h>

/* Where a 2012 record lies (doc/formats.md, "PB-tree data blocks"). */
struct cfs_pbtree_value {
	uint64_t segment, date_ms;
	uint32_t partition;
	uint64_t offset;
	uint32_t length;
};
#define CFS_PBTREE_VALUE_BYTES 32

void cfs_pbtree_value_encode(const struct cfs_pbtree_value *v,
			     uint8_t out[CFS_PBTREE_VALUE_BYTES]);

void cfs_pbtree_value_decode(const uint8_t in[CFS_PBTREE_VALUE_BYTES],
			     struct cfs_pbtree_value *v);

#endif
