/* pbtree_value.c - the values of a PB-tree: where a 2012 record lies.
 *
 * 32 bytes: segment 8, date in ms 8, partition 4, offset 8, length 4, all
 * little-endian (doc/formats.md, "PB-tree").
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "pbtree_value.h"

#include "base/slice.h"

void cfs_pbtree_value_encode(const struct cfs_pbtree_value *v,
			     uint8_t out[CFS_PBTREE_VALUE_BYTES])
{
	cfs_le64_put(out, v->segment);
	cfs_le64_put(out + 8, v->date_ms);
	cfs_le32_put(out + 16, v->partition);
	cfs_le64_put(out + 20, v->offset);
	cfs_le32_put(out + 28, v->length);
}

void cfs_pbtree_value_decode(const uint8_t in[CFS_PBTREE_VALUE_BYTES],
			     struct cfs_pbtree_value *v)
{
	v->segment = cfs_le64_get(in);
	v->date_ms = cfs_le64_get(in + 8);
	v->partition = cfs_le32_get(in + 16);
	v->offset = cfs_le64_get(in + 20);
	v->length = cfs_le32_get(in + 28);
}
