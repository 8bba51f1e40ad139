/* indexer_index.h - reads the captures of a PB-tree or a crawlfs index for an
 * index of another format.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEXING_INDEXER_INDEX_H
#define CFS_INDEXING_INDEXER_INDEX_H

#include "indexer_cdx.h"

/* Does the same as cfs_indexer_cdx_run for the entries of an index.  Captures
 * of a PB-tree have neither status nor type; none have a digest. */
int cfs_indexer_index_run(const struct cfs_indexer_cdx *job,
			   struct cfs_error *err);

#endif
