/* pbtree.h - reads trivio's prefix B-tree as an index (doc/formats.md,
 * "PB-tree").
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_PBTREE_PBTREE_H
#define CFS_PBTREE_PBTREE_H

#include "index/index.h"

/* Opens a PB-tree; takes src over, also on failure.  block_cache_bytes bounds
 * the block cache; value_bytes is at least 1 (capture() can decode
 * values of CFS_PBTREE_VALUE_BYTES only).  CFS_EFORMAT names file and
 * offset. */
int cfs_pbtree_open(struct cfs_index **out, struct cfs_source *src,
		    size_t block_cache_bytes, uint32_t value_bytes,
		    struct cfs_error *err);

/* True if a header and file size are those of a PB-tree. */
bool cfs_pbtree_is_header(struct cfs_slice head, uint64_t file_bytes);

#endif
