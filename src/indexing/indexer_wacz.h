/* indexer_wacz.h - WACZ files among the inputs of an index.
 *
 * Records are stored with their place in the WACZ file itself, not in the
 * archive inside it.  Archives that are compressed in the ZIP file are files of
 * their own, by names with a mark (record/zipped.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEXING_INDEXER_WACZ_H
#define CFS_INDEXING_INDEXER_WACZ_H

#include "indexer_files.h"

/*
 * Adds a WACZ and the compressed archives in it to the files.
 *
 * path      as of struct cfs_indexer_file; taken over, also on failure
 * is_given  likewise
 * src       the file, whose size is known
 *
 * 0; CFS_EFORMAT and the like if it is not a WACZ; CFS_ENOMEM, CFS_EINTR.
 */
int cfs_indexer_add_wacz(struct cfs_indexer_files *f, char *path, bool is_given,
			 struct cfs_source *src, struct cfs_ctx ctx);

/* Finds the notes that a list of pages has for a capture in a member of a
 * file. */
struct cfs_slice cfs_indexer_notes(const struct cfs_indexer_files *files,
				   const struct cfs_indexer_file *f,
				   const struct cfs_wacz_member *m,
				   struct cfs_slice url, int64_t time);

/* Logs which WACZ files are required by those among the files, and are neither
 * there themselves nor among opts->beside. */
void cfs_indexer_warn_of_required(const struct cfs_indexer_files *f,
				  const struct cfs_indexer_opts *opts);

/* Has the archives read of WACZ files whose index is damaged.  The bytes that
 * are to be read then; 0: there is nothing to be read again. */
uint64_t cfs_indexer_leave_lists(struct cfs_indexer_files *files);

/* Bytes of a file that indexing it reads. */
uint64_t cfs_indexer_work_bytes(const struct cfs_indexer_file *f);

/* Returns the next member from *at on that is read as a part of the file; NULL
 * behind the last. */
const struct cfs_wacz_member *
cfs_indexer_next_member(const struct cfs_indexer_file *f, size_t *at);

/*
 * Opens a file, or a member of it that is read.  An archive is opened as a
 * stretch of the file; its spans must be shifted by m->at.offset.
 */
int cfs_indexer_open_part(struct cfs_source **out,
			  const struct cfs_indexer_files *files,
			  const struct cfs_indexer_file *f,
			  const struct cfs_wacz_member *m, struct cfs_ctx ctx);

/* Finds the file, and the offset in it, of the archive that an index of the
 * package calls `name`.  False: the package has no such archive. */
bool cfs_indexer_find_archive(const struct cfs_indexer_files *files,
			      const struct cfs_indexer_file *f,
			      uint32_t package, struct cfs_slice name,
			      uint32_t *number, uint64_t *shift);

#endif
