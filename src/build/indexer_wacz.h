/* indexer_wacz.h - WACZ files among the inputs of an index.
 *
 * A record's place is one in the WACZ file itself, whichever archive in it the
 * record is in.  Archives that are compressed in their ZIP file are files of
 * their own, by names with a mark (record/zipped.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_INDEXER_WACZ_H
#define CFS_BUILD_INDEXER_WACZ_H

#include "indexer_files.h"

/*
 * Adds a WACZ to the files, and what is compressed in it.
 *
 * path      as of struct cfs_indexer_file; taken over, also on failure
 * is_given  likewise
 * src       the file, whose size is known
 *
 * 0; CFS_EFORMAT and the like for what is not a WACZ; CFS_ENOMEM, CFS_EINTR.
 */
int cfs_indexer_add_wacz(struct cfs_indexer_files *f, char *path, bool is_given,
			 struct cfs_source *src,
			 const struct cfs_cancel *cancel,
			 struct cfs_error *err);

/* What a list of pages says of a capture in a part of a file. */
struct cfs_slice cfs_indexer_notes(const struct cfs_indexer_files *files,
				   const struct cfs_indexer_file *f,
				   const struct cfs_wacz_member *m,
				   struct cfs_slice url, int64_t time);

/* Bytes of a file that are read to index it. */
uint64_t cfs_indexer_work_bytes(const struct cfs_indexer_file *f);

/* Is this member of the file read to index it?  An index, where there is one
 * and the archives are on a server; else the archives. */
bool cfs_indexer_reads_member(const struct cfs_indexer_file *f,
			      const struct cfs_wacz_member *m);

/* The next member from *at on that is read as a part of the file; NULL behind
 * the last. */
const struct cfs_wacz_member *
cfs_indexer_next_member(const struct cfs_indexer_file *f, size_t *at);

/*
 * Opens a file, or a member of it that is read: an archive as a stretch of the
 * file, whose spans are to be shifted by m->at.offset.
 */
int cfs_indexer_open_part(struct cfs_source **out,
			  const struct cfs_indexer_files *files,
			  const struct cfs_indexer_file *f,
			  const struct cfs_wacz_member *m,
			  const struct cfs_cancel *cancel,
			  struct cfs_error *err);

/* Which file, and where in it, the archive is that an index of the package
 * calls `name`.  False: it has none of that name. */
bool cfs_indexer_find_archive(const struct cfs_indexer_files *files,
			      const struct cfs_indexer_file *f,
			      uint32_t package, struct cfs_slice name,
			      uint32_t *number, uint64_t *shift);

#endif
