/* pbtree.h - reads trivio's prefix B-tree as an index (doc/formats.md,
 * "PB-tree").
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_PBTREE_PBTREE_H
#define CFS_PBTREE_PBTREE_H

#include "index/index.h"
#include "pbtree_format.h"

/* Opens a PB-tree; takes src over, also on failure.  block_cache_bytes bounds
 * the block cache; value_bytes is at least 1 (capture() can decode
 * values of CFS_PBTREE_VALUE_BYTES only).  CFS_EFORMAT names file and
 * offset. */
int cfs_pbtree_open(struct cfs_index **out, struct cfs_source *src,
		    size_t block_cache_bytes, uint32_t value_bytes,
		    struct cfs_error *err);

/* True if a header and file size are those of a PB-tree. */
bool cfs_pbtree_is_header(struct cfs_slice head, uint64_t file_bytes);

/* ---- writing (pbtree_write.c) ---- */

/* Parses an archive's name, FOLDER/segment/SEGMENT/DATE_PARTITION.arc.gz: sets
 * its place in *out, and the length of "FOLDER/", which may be 0.  False for
 * any other name, of which a PB-tree cannot have captures. */
bool cfs_pbtree_place(struct cfs_slice name, struct cfs_pbtree_value *out,
		      size_t *folder_bytes);

struct cfs_pbtree_writer;	/* used by one thread */

/*
 * Begins a tree in fd, which is written with pwrite from byte 0 and complete
 * only after finish.
 *
 * block_bytes   of each block, CFS_PBTREE_BLOCK_MIN .. CFS_PBTREE_BLOCK_MAX
 * value_bytes   of every value, at least 1, below block_bytes
 * tmp_dir       for blocks that wait until the size of the index is known;
 *               borrowed until free.  NULL: the system's
 *
 * 0; CFS_EUSAGE for impossible sizes; CFS_ENOMEM.
 */
int cfs_pbtree_writer_new(struct cfs_pbtree_writer **out, int fd,
			  uint32_t block_bytes, uint32_t value_bytes,
			  const char *tmp_dir, struct cfs_error *err);

/* Adds an item.  Keys must be sorted bytewise; equal ones are allowed.  0;
 * CFS_EUSAGE for an item that is out of order or invalid; CFS_ELIMIT for one
 * too large for a block; CFS_ENOMEM; CFS_EIO, after which the tree is lost. */
int cfs_pbtree_writer_add(struct cfs_pbtree_writer *w, struct cfs_slice key,
			  struct cfs_slice value, struct cfs_error *err);

/* Completes the file.  Does not sync.  *file_bytes may be NULL. */
int cfs_pbtree_writer_finish(struct cfs_pbtree_writer *w, uint64_t *file_bytes,
			     struct cfs_error *err);
/* accepts NULL */
void cfs_pbtree_writer_free(struct cfs_pbtree_writer *w);

#endif
