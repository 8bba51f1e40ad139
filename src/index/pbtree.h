/* pbtree.h - trivio's prefix B-tree (FORMATS.md section 2), read and written.
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

/*
 * Writes a tree as the reference does, byte for byte.  Keys come sorted
 * (bytewise, equal ones allowed); `value_bytes` is the size of every value.
 * The file is complete only after finish; it is written with pwrite to fd,
 * data blocks going to a temporary file in tmp_dir until the size of the
 * index is known.
 */
struct cfs_pbtree_writer;
int cfs_pbtree_writer_new(struct cfs_pbtree_writer **out, int fd,
			  uint32_t block_bytes, uint32_t value_bytes,
			  const char *tmp_dir, struct cfs_error *err);
int cfs_pbtree_writer_add(struct cfs_pbtree_writer *w, struct cfs_slice key,
			  struct cfs_slice value, struct cfs_error *err);
int cfs_pbtree_writer_finish(struct cfs_pbtree_writer *w, uint64_t *file_bytes,
			     struct cfs_error *err);
void cfs_pbtree_writer_free(struct cfs_pbtree_writer *w);

#endif
