/* make_index.h - builds one index from archives, lists, tables and crawlfs
 * indexes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEXING_MAKE_INDEX_H
#define CFS_INDEXING_MAKE_INDEX_H

#include "indexer.h"

/* Does the same as cfs_indexer_run, or as cfs_parts_merge for a folder of
 * parts.  Crawlfs indexes among the inputs are merged (merge.h) with the index
 * of the others.  Their archives keep their places, which must be below the
 * folder that names are relative to: else CFS_EUSAGE. */
int cfs_make_index(const struct cfs_indexer_opts *opts,
		   struct cfs_indexer_report *report, struct cfs_error *err);

#endif
