/* records.h - .crawlfs/records/ARCHIVE/OFFSET: any record, as it stands.
 *
 * OFFSET.N is the N-th record behind it in the same member, from 1.  Names are
 * found, not listed.  With several sources the first folder is that of the
 * source.  Inode numbers: of folders below every node's (fs.h), the number of
 * their path; of records
 *
 *     bits 0-35 offset, 36-53 number of the archive's path, 54-57 all set
 *
 * or N in place of the offset, which is part of that path then,
 *
 * so that what is kept in memory is paths of archives that were asked for.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_RECORDS_H
#define CFS_FUSE_RECORDS_H

#include "crawl/entry.h"
#include "fs.h"

/* Records from there on, and more paths, are not found. */
#define CFS_RECORD_OFFSET_MAX ((UINT64_C(1) << 36) - 1)
#define CFS_RECORD_PATHS_MAX (1u << 18)

static inline bool cfs_records_is_dir(uint64_t ino)
{
	return (ino & 0xff) == CFS_INO_RECORDS && ino < UINT64_C(1) << 48;
}
static inline bool cfs_records_is_file(uint64_t ino)
{
	return ino >> 54 == 15;
}

/* The inode number of a name in a folder of records.  CFS_ENOTFOUND, failures
 * of reading. */
int cfs_records_lookup(struct cfs_fs *fs, uint64_t parent, const char *name,
		       uint64_t *out, const struct cfs_cancel *cancel,
		       struct cfs_error *err);

/* Appends the path below .crawlfs of a folder of records, or a record. */
void cfs_records_path(struct cfs_fs *fs, uint64_t ino, struct cfs_buf *out);

/* The bytes of a record. */
int cfs_records_load(struct cfs_fs *fs, uint64_t ino,
		     struct cfs_file_bytes *out,
		     const struct cfs_cancel *cancel, struct cfs_error *err);

#endif
