/* pbtree.h - trivio's prefix B-tree as an index (doc/formats.md, "PB-tree").
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_PBTREE_H
#define CFS_INDEX_PBTREE_H

#include "index.h"

/* Takes src over, also on failure. */
int cfs_pbtree_open(struct cfs_index **out, struct cfs_source *src,
		    size_t block_cache_bytes, struct cfs_error *err);

/* True if a header and file size are those of a PB-tree. */
bool cfs_pbtree_is_header(struct cfs_slice head, uint64_t file_bytes);

/* Where a 2012 record lies (FORMATS.md 2.3). */
struct cfs_pbtree_value {
	uint64_t segment, date_ms;
	uint32_t partition;
	uint64_t offset;
	uint32_t length;
};
#define CFS_PBTREE_VALUE_BYTES 32

void cfs_pbtree_value_encode(const struct cfs_pbtree_value *v,
			     uint8_t out[CFS_PBTREE_VALUE_BYTES]);

#endif
