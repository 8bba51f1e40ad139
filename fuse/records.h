/* records.h - .crawlfs/records/ARCHIVE/OFFSET: any record of an archive,
 * unchanged.
 *
 * OFFSET.N, N from 1 on, is the N-th record behind the one at OFFSET in the
 * same member.  Names can be looked up, but are not listed.  With several
 * sources, the first folder is the name of the source.  The inode number of a
 * folder is below every node's (fs.h) and holds the number of its path; that of
 * a record is
 *
 *     bits 0-35 offset, 36-53 number of the archive's path, 54-57 all set
 *
 * For OFFSET.N the bits of the offset hold N, and OFFSET is part of the path.
 * So only the paths of archives that were asked for are kept in memory.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_RECORDS_H
#define CFS_FUSE_RECORDS_H

#include "crawl/entry.h"
#include "fs.h"

/* Larger offsets, and paths beyond this number, are reported as not found. */
#define CFS_RECORD_OFFSET_MAX ((UINT64_C(1) << 36) - 1)
#define CFS_RECORD_PATHS_MAX (1u << 18)

static inline bool cfs_records_is_dir(uint64_t ino)
{
	return (ino & 0xff) == CFS_INO_RECORDS && ino < CFS_INO_NODES;
}
static inline bool cfs_records_is_file(uint64_t ino)
{
	return ino >> 54 == 15;
}

/* The inode number of a name in a folder of records.  CFS_ENOTFOUND, or a
 * failure to read. */
int cfs_records_lookup(struct cfs_fs *fs, uint64_t parent, const char *name,
		       uint64_t *out, struct cfs_ctx ctx);

/* Appends the path, relative to .crawlfs, of a record or a folder
 * of records. */
void cfs_records_path(struct cfs_fs *fs, uint64_t ino, struct cfs_buf *out);

/* Loads the bytes of a record. */
int cfs_records_load(struct cfs_fs *fs, uint64_t ino,
		     struct cfs_file_bytes *out, struct cfs_ctx ctx);

#endif
