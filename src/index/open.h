/* open.h - what kind of index a file is, and opening it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_OPEN_H
#define CFS_INDEX_OPEN_H

#include "index.h"

/* head: the first CFS_INDEX_HEAD_BYTES of a file, or all of a smaller one. */
enum cfs_index_format cfs_index_detect(struct cfs_slice head,
				       uint64_t file_bytes);

/* Opens the index in src by its first bytes; takes src over, also on failure.
 * block_cache_bytes bounds the decoded blocks kept in memory.
 * CFS_EFORMAT when it is none of the known formats (err says so). */
int cfs_index_open(struct cfs_index **out, struct cfs_source *src,
		   size_t block_cache_bytes, struct cfs_error *err);

/* The same, with what some indexes need besides. */
int cfs_index_open_at(struct cfs_index **out, struct cfs_source *src,
		      const struct cfs_index_opts *opts, struct cfs_error *err);

#endif
