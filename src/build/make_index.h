/* make_index.h - archives, lists, tables and crawlfs indexes in, one index out.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_MAKE_INDEX_H
#define CFS_BUILD_MAKE_INDEX_H

#include "indexer.h"

/* As cfs_indexer_run, or cfs_merge_shares for a folder of parts; or with
 * crawlfs indexes among the inputs too: they are
 * merged (merge.h) with what the others make.  Their archives stay where they
 * are, below the folder that names are relative to: CFS_EUSAGE if they are
 * not. */
int cfs_make_index(const struct cfs_indexer_opts *opts,
		   struct cfs_indexer_report *report, struct cfs_error *err);

#endif
