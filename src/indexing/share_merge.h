/* share_merge.h - merges the parts that tasks made into one index.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEXING_SHARE_MERGE_H
#define CFS_INDEXING_SHARE_MERGE_H

#include "indexer.h"

/* The file in a folder of parts that says that all were merged into an
 * index. */
#define CFS_SHARES_DONE "_SUCCESS"

/* True for a folder that contains a part's file. */
bool cfs_share_is_folder(const char *path);

/*
 * Merges all parts in a folder into the index that one machine would make of
 * all inputs, byte for byte; then creates the file CFS_SHARES_DONE.  A key with
 * more records than are joined at a time (join/entries.c) may have more of them
 * joined than there.
 *
 * opts    output, base, threads, memory, revisits, cancel and progress are
 *         used
 * report  as of cfs_indexer_run
 *
 * 0; CFS_EUSAGE for parts that are missing, damaged or do not belong together,
 * which err names; CFS_ENOTFOUND if they have no page; failures of reading and
 * writing, after which the output is as it was.
 */
int cfs_merge_shares(const struct cfs_indexer_opts *opts, const char *folder,
		     struct cfs_indexer_report *report, struct cfs_error *err);

#endif
