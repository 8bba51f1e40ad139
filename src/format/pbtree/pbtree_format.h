/* pbtree_format.h - sizes, limits and values of a PB-tree, for its reader and
 * its writer (doc/formats.md, "PB-tree").
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_PBTREE_PBTREE_FORMAT_H
#define CFS_PBTREE_PBTREE_FORMAT_H

#include "base/slice.h"

#define CFS_PBTREE_HEADER_BYTES 8u
/* A block has room for at least two pointers; beyond 16 MiB a lookup would no
 * longer be cheap. */
#define CFS_PBTREE_BLOCK_MIN 8u
#define CFS_PBTREE_BLOCK_MAX (16u << 20)
/* Levels of index blocks.  With blocks of 64 KiB two are enough for billions
 * of keys; the tiny blocks of tests make high trees. */
#define CFS_PBTREE_LEVELS_MAX 64u
#define CFS_PBTREE_POINTER_BYTES 4u

/* A value: where a record of 2012 lies.  Segment 8 bytes, date in ms 8,
 * partition 4, offset 8, length 4, all little-endian. */
struct cfs_pbtree_value {
	uint64_t segment, date_ms;
	uint32_t partition;
	uint64_t offset;
	uint32_t length;
};
#define CFS_PBTREE_VALUE_BYTES 32u

static inline void cfs_pbtree_value_encode(const struct cfs_pbtree_value *v,
					   uint8_t out[CFS_PBTREE_VALUE_BYTES])
{
	cfs_le64_put(out, v->segment);
	cfs_le64_put(out + 8, v->date_ms);
	cfs_le32_put(out + 16, v->partition);
	cfs_le64_put(out + 20, v->offset);
	cfs_le32_put(out + 28, v->length);
}

static inline void
cfs_pbtree_value_decode(const uint8_t in[CFS_PBTREE_VALUE_BYTES],
			struct cfs_pbtree_value *v)
{
	v->segment = cfs_le64_get(in);
	v->date_ms = cfs_le64_get(in + 8);
	v->partition = cfs_le32_get(in + 16);
	v->offset = cfs_le64_get(in + 20);
	v->length = cfs_le32_get(in + 28);
}

#endif
