/* record_at.h - any record of an archive, by its place.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_RECORD_AT_H
#define CFS_CRAWL_RECORD_AT_H

#include "entry.h"

/*
 * Loads a record of an archive as it stands: header and content block,
 * inflated, nothing else undone.
 *
 * archive   a name as the index has it
 * offset    where it, or the member that it is in, begins in the file
 * behind    0: that record; n: the n-th behind it in the same member
 *
 * 0; CFS_ENOTFOUND where there is no such archive or no record begins there;
 * failures of reading.
 */
int cfs_record_at_load(struct cfs_crawl *c, struct cfs_slice archive,
		       uint64_t offset, uint64_t behind,
		       struct cfs_file_bytes *out,
		       const struct cfs_cancel *cancel, struct cfs_error *err);

/*
 * Is it an archive that the index names?  A crawlfs index has a table of them.
 * Of others it is known when a record at `offset`, or one of the few behind it,
 * is of a page with a capture in that archive; it stays known.
 */
bool cfs_record_at_is_named(struct cfs_crawl *c, struct cfs_slice archive,
			    uint64_t offset, const struct cfs_cancel *cancel);

/* May `path` be the name of an archive, or of a folder of archives?  Where the
 * index does not say which archives it has, all that are not numbers. */
bool cfs_record_at_is_path(struct cfs_crawl *c, struct cfs_slice path);

#endif
