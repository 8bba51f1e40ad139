/* join_internal.h - what the joins of a key's items share: items under the hash
 * that a step joins by, and runs of equal ones.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_JOIN_INTERNAL_H
#define CFS_BUILD_JOIN_INTERNAL_H

#include "join.h"

/* An item under the hash of a step; the item's own order among equals. */
struct cfs_join_tag {
	uint64_t hash;
	size_t item;
};

struct cfs_joining {
	struct cfs_join_item *items;
	size_t n;
	const struct cfs_builder_origin *origins;
	struct cfs_builder_counts *counts;
	struct cfs_join_tag *tags;	/* room for two an item */
	size_t n_tags;
};

/* Puts an item under a hash, for the step that follows. */
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

/* Within one key, scheme and kept URL are the URL.  seed: what else. */
uint64_t cfs_join_url_hash(const struct cfs_join_item *t, uint64_t seed);

/* Calls fn for each run of equal hashes, tags from .. to - 1 in the order of
 * items, and forgets the tags. */
void cfs_join_each_run(struct cfs_joining *j,
		       void (*fn)(struct cfs_joining *j, size_t from,
				  size_t to));

/* Gives records their segments; those of no record are dropped. */
void cfs_join_segments(struct cfs_joining *j);

/* Joins the related records, once all else is joined; those still without a
 * page become one.  lists: as of cfs_join.  0 or CFS_ENOMEM. */
int cfs_join_related(struct cfs_joining *j, struct cfs_buf *lists);

#endif
