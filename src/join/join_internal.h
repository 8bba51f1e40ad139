/* join_internal.h - shared by the steps that join items: tags with the hash
 * that a step joins by, and runs of equal hashes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_JOIN_JOIN_INTERNAL_H
#define CFS_JOIN_JOIN_INTERNAL_H

#include "join.h"

/* An item's hash in a step; equal hashes are sorted by item. */
struct cfs_join_tag {
	uint64_t hash;
	size_t item;
};

struct cfs_joining {
	struct cfs_join_item *items;
	size_t n;
	const struct cfs_builder_origin *origins;
	struct cfs_builder_counts *counts;
	struct cfs_join_tag *tags;	/* room for two per item */
	size_t n_tags;
};

/* Tags an item with a hash for the next step. */
static inline void cfs_join_tag(struct cfs_joining *j, size_t item,
				uint64_t hash)
{
	j->tags[j->n_tags++] = (struct cfs_join_tag){ hash, item };
}

static inline struct cfs_join_item *cfs_join_tagged(const struct cfs_joining *j,
						    size_t tag)
{
	return &j->items[j->tags[tag].item];
}

/* Hashes a URL: within one key, scheme and stored URL identify it.  seed: what
 * else to hash. */
uint64_t cfs_join_url_hash(const struct cfs_join_item *t, uint64_t seed);

/* Calls fn for each run of equal hashes, tags from .. to - 1 in the order of
 * items, then clears the tags. */
void cfs_join_each_run(struct cfs_joining *j,
		       void (*fn)(struct cfs_joining *j, size_t from,
				  size_t to));

/* Joins segments to records; drops those without a record. */
void cfs_join_segments(struct cfs_joining *j);

/* Joins the related records, after all other items; those left over become a
 * page.  lists: as in cfs_join.  0 or CFS_ENOMEM. */
int cfs_join_related(struct cfs_joining *j, struct cfs_buf *lists);

#endif
