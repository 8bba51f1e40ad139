/* pbtree_internal.h - what the files of the PB-tree share, and the tests use.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_PBTREE_INTERNAL_H
#define CFS_INDEX_PBTREE_INTERNAL_H

#include "pbtree.h"
#include "pbtree_format.h"

/* As cfs_pbtree_open with values of another size (at least 1 byte), which
 * then cannot be decoded by capture(). */
int cfs_pbtree_open_sized(struct cfs_index **out, struct cfs_source *src,
			  size_t block_cache_bytes, uint32_t value_bytes,
			  struct cfs_error *err);

void cfs_pbtree_value_decode(const uint8_t in[CFS_PBTREE_VALUE_BYTES],
			     struct cfs_pbtree_value *v);

#endif
