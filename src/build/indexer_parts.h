/* indexer_parts.h - cuts the inputs of an index into parts, which threads scan
 * at the same time.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_INDEXER_PARTS_H
#define CFS_BUILD_INDEXER_PARTS_H

#include "indexer_files.h"

/* A file, or a stretch of a large gzip file. */
struct cfs_indexer_part {
	uint32_t file;
	uint64_t from, to;	/* both 0: all of it */
	uint64_t bytes;
};

/*
 * Cuts the files, about four parts a thread, the largest part first.  A
 * stretch begins at a member that inflates to a record, which might be a
 * member inside another record: the part before it must end exactly there.
 *
 * may_cut   false: a file a part
 * *out      malloced, the caller's
 *
 * 0 or CFS_ENOMEM.
 */
int cfs_indexer_cut(const struct cfs_indexer_files *files, unsigned threads,
		    bool may_cut, struct cfs_indexer_part **out, size_t *n,
		    const struct cfs_cancel *cancel, struct cfs_error *err);

#endif
