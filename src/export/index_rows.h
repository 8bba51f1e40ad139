/* index_rows.h - the rows of an opened crawl, in the order of its index: that
 * of the tree.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_EXPORT_INDEX_ROWS_H
#define CFS_EXPORT_INDEX_ROWS_H

#include "crawl/prefixes.h"
#include "export.h"

/*
 * crawl     borrowed, with the part of it that is wanted
 * prefixes  the captures below them, prefix by prefix; without any, all.
 *           Borrowed
 *
 * 0; CFS_ENOMEM; failures to read the index.
 */
int cfs_index_rows_new(struct cfs_export_drive **out, struct cfs_crawl *crawl,
		       const struct cfs_prefixes *prefixes,
		       cfs_export_set fields, struct cfs_ctx ctx);

#endif
