/* open_index.h - recognises the format of an index by its first bytes, and
 * opens it with the backend of that format.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FORMAT_OPEN_INDEX_H
#define CFS_FORMAT_OPEN_INDEX_H

#include "index/index.h"

/* True for a name or path that ends like that of an index, in upper or lower
 * case; what the file is, is another question. */
bool cfs_index_is_name(struct cfs_slice name);

/* head: the first CFS_INDEX_HEAD_BYTES of a file, or all of a smaller one. */
enum cfs_index_format cfs_index_detect(struct cfs_slice head,
				       uint64_t file_bytes);

/* Finds the format of src by its first bytes; the size of src is then known.
 * 0, CFS_ENOMEM, CFS_EINTR, failures to read. */
int cfs_index_look_at(struct cfs_source *src, enum cfs_index_format *out,
		      struct cfs_ctx ctx);

/* Opens the index in src by its first bytes; takes src over, also on failure.
 * block_cache_bytes bounds the decoded blocks kept in memory.
 * CFS_EFORMAT if the format is unknown (err says so). */
int cfs_index_open(struct cfs_index **out, struct cfs_source *src,
		   size_t block_cache_bytes, struct cfs_error *err);
/* The same, with options that some indexes need. */
int cfs_index_open_at(struct cfs_index **out, struct cfs_source *src,
		      const struct cfs_index_opts *opts, struct cfs_error *err);
/* The same for an index whose format and size are known. */
int cfs_index_open_as(enum cfs_index_format format, struct cfs_index **out,
		      struct cfs_source *src,
		      const struct cfs_index_opts *opts, struct cfs_error *err);

#endif
