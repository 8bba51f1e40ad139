/* view_sizes.h - the sizes of the views of a page, while it is indexed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_VIEW_SIZES_H
#define CFS_CRAWL_VIEW_SIZES_H

#include "build/indexer.h"

/* Makes a build of an index measure the views of every page. */
void cfs_view_sizes_ask(struct cfs_indexer_opts *opts);

#endif
