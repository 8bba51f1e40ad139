/* indexer_pbtree.h - captures of a PB-tree on their way into an index.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_INDEXER_PBTREE_H
#define CFS_BUILD_INDEXER_PBTREE_H

#include "indexer_cdx.h"

/* As cfs_indexer_cdx_run, for the entries of a PB-tree.  Its captures have
 * neither status nor type. */
int cfs_indexer_pbtree_run(const struct cfs_indexer_cdx *job,
			   struct cfs_error *err);

#endif
