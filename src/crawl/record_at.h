/* record_at.h - loads any record of an archive, by its place.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_RECORD_AT_H
#define CFS_CRAWL_RECORD_AT_H

#include "entry.h"

/*
 * Loads a record of an archive as it stands: header and block, inflated but not
 * decoded further.
 *
 * archive   a name as the index has it
 * offset    where the record, or its member, begins in the file
 * behind    0: that record; n: the n-th behind it in the same member
 *
 * Returns 0; CFS_ENOTFOUND if there is no such archive or no record begins
 * there; failures of reading.
 */
int cfs_record_at_load(struct cfs_crawl *c, struct cfs_slice archive,
		       uint64_t offset, uint64_t behind,
		       struct cfs_file_bytes *out, struct cfs_ctx ctx);

/*
 * True if the index names this archive.  A crawlfs index has a table of
 * archives.  For others it is known once a record at `offset`, or one of the
 * few behind it, turns out to be of a page with a capture in that archive; that
 * is remembered.
 */
bool cfs_record_at_is_named(struct cfs_crawl *c, struct cfs_slice archive,
			    uint64_t offset, const struct cfs_cancel *cancel);

/* True if `path` may name an archive or a folder of archives.  Where the index
 * has no table of archives, that is any path that is not a number. */
bool cfs_record_at_is_path(struct cfs_crawl *c, struct cfs_slice path);

#endif
