/* pick_ranges.h - finds the ranges of an index's keys that contain what is
 * picked by its place, so that an index of billions need not be read
 * completely.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEXING_PICK_RANGES_H
#define CFS_INDEXING_PICK_RANGES_H

#include "index/key_runs.h"
#include "pick.h"

/* Finds the ranges of ix, settled; one of all keys if p has no prefixes or is
 * NULL.  They contain more than what is picked.  Initializes *out; release it
 * in any case.  0, CFS_ENOMEM, or a failure of reading. */
int cfs_pick_ranges_find(struct cfs_key_runs *out, const struct cfs_pick *p,
			 struct cfs_index *ix, struct cfs_ctx ctx);

#endif
