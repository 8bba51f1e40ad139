/* cfx.h - opens crawlfs index files (crawlfs-index(5)).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CFX_CFX_H
#define CFS_CFX_CFX_H

#include "index/index.h"

/* Opens a crawlfs index; takes src over, also on failure.  block_cache_bytes
 * bounds the cache of decoded blocks.  CFS_EFORMAT names file and offset. */
int cfs_cfx_open(struct cfs_index **out, struct cfs_source *src,
		 size_t block_cache_bytes, struct cfs_error *err);

/* True if the first bytes (at least CFS_CFX_MAGIC_BYTES) are those of a
 * crawlfs index. */
#define CFS_CFX_MAGIC_BYTES 8
bool cfs_cfx_is_magic(struct cfs_slice head);

/* Calls fn for every reference in order, until it fails.  0, the result of fn,
 * or failures as of cfs_index_seek. */
int cfs_cfx_for_each_ref(struct cfs_index *ix,
			 int (*fn)(void *arg, uint64_t hash, cfs_pos pos,
				   struct cfs_error *err),
			 void *arg, struct cfs_ctx ctx);

/* True if a block above the leaves was found damaged: what it leads to is
 * searched for without it. */
bool cfs_cfx_is_upper_damaged(const struct cfs_index *ix);

/* Reads how many entries a leaf says that it has, which nothing vouches for if
 * it is damaged.  0, or a failure to read. */
int cfs_cfx_claimed(struct cfs_index *ix, uint32_t leaf, uint32_t *out,
		    struct cfs_ctx ctx);

/*
 * Checks every block of an index that cfs_cfx_open has opened: entries, their
 * order and number, the upper levels that lead to them, references, notes,
 * joindata, damage.  *n becomes the number of entries.  CFS_OK, CFS_EFORMAT
 * with the place of the damage, CFS_EIO, CFS_ENOMEM, CFS_EINTR.
 */
int cfs_cfx_check(struct cfs_index *ix, uint64_t *n, struct cfs_ctx ctx);

#endif
