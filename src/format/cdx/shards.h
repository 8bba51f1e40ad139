/* shards.h - finds the shards that a cluster.idx names, and keeps them open.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CDX_SHARDS_H
#define CFS_CDX_SHARDS_H

#include "base/lru.h"
#include "net/open_location.h"

struct cfs_shards;		/* threads share it */

/* location: of cluster.idx.  opener: copied; NULL stands for cfs_location_open.
 * Returns NULL if out of memory. */
struct cfs_shards *cfs_shards_new(const char *location,
				  const struct cfs_opener *opener);
void cfs_shards_free(struct cfs_shards *s);	/* accepts NULL */

/*
 * Gets a shard, opened if need be, and pins it: cfs_lru_obj(*out) is a struct
 * cfs_source, cfs_lru_put ends the pin.  It is looked for beside cluster.idx,
 * then where the .loc file says.  CFS_EFORMAT if it is nowhere: the index is
 * incomplete.
 */
int cfs_shards_get(struct cfs_shards *s, struct cfs_slice name,
		   struct cfs_lru_ref **out, struct cfs_ctx ctx);

/* The same, if no request is needed for it; else NULL. */
struct cfs_lru_ref *cfs_shards_peek(struct cfs_shards *s,
				    struct cfs_slice name);

#endif
