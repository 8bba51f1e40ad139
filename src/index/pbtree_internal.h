/* pbtree_internal.h - what the files of the PB-tree share, and the tests use.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_PBTREE_INTERNAL_H
#define CFS_INDEX_PBTREE_INTERNAL_H

#include "pbtree.h"

#define CFS_PBTREE_HEADER_BYTES 8u
/* A block has room for two pointers at least; beyond 16 MiB a lookup would
 * no longer be small. */
#define CFS_PBTREE_BLOCK_MIN 8u
#define CFS_PBTREE_BLOCK_MAX (16u << 20)
/* Levels of index blocks.  With blocks of 64 KiB two are enough for billions
 * of keys; tiny blocks in tests make high trees. */
#define CFS_PBTREE_LEVELS_MAX 64u
#define CFS_PBTREE_POINTER_BYTES 4u

/* As cfs_pbtree_open with values of another size (at least 1 byte), which
 * then cannot be decoded by capture(). */
int cfs_pbtree_open_sized(struct cfs_index **out, struct cfs_source *src,
			  size_t block_cache_bytes, uint32_t value_bytes,
			  struct cfs_error *err);

void cfs_pbtree_value_decode(const uint8_t in[CFS_PBTREE_VALUE_BYTES],
			     struct cfs_pbtree_value *v);

#endif
