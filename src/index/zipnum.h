/* zipnum.h - a ZipNum cluster as an index.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_ZIPNUM_H
#define CFS_INDEX_ZIPNUM_H

#include "index.h"

/* Opens a cluster.idx; takes src over, also on failure.  Shards are opened
 * when they are needed, beside it or where its .loc file says. */
int cfs_zipnum_open(struct cfs_index **out, struct cfs_source *src,
		    const struct cfs_index_opts *opts, struct cfs_error *err);

#endif
