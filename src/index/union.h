/* union.h - several indexes of one key form as one.
 *
 * Entries are merged by key.  The captures of one key come in the order of
 * time, then of members as they were given, then of their positions; a record
 * that several members list under one key, at the same place, is shown as the
 * first of these lists it.
 *
 * A position keeps the member in the top CFS_UNION_MEMBER_BITS of its block
 * number, so it means something for the same list of members only.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_UNION_H
#define CFS_INDEX_UNION_H

#include "index.h"

#define CFS_UNION_MEMBER_BITS 5u
#define CFS_UNION_MAX 31u			/* members */
/* Blocks of a member: what is left of 32 bits. */
#define CFS_UNION_BLOCKS_MAX (1u << (32 - CFS_UNION_MEMBER_BITS))
/* Captures of one key, in all members, that are put in order at a time (48
 * bytes each, for twice as many).  Those of a key with more are put in order
 * piece by piece, which takes longer, and a record that is listed twice is not
 * noticed. */
#define CFS_UNION_GROUP_MAX 131072u

struct cfs_union_member {
	struct cfs_index *ix;
	/* Where its archives are: members with the same text have them in the
	 * same place.  Copied. */
	const char *place;
	/* What the names of its archives begin with, so that a store tells
	 * places apart (record/archives.h); 0: nothing. */
	uint8_t place_tag;
};

/*
 * Opens the union of 2 to CFS_UNION_MAX indexes, which it takes over, also on
 * failure.
 *
 * view_version          of the code that makes views here (view/view.h): a
 *                       member
 *                    whose sizes another code made has none
 * block_cache_bytes  what its members were opened with, together: how many
 *                    blocks may stay in use between calls goes by it
 *
 * 0; CFS_EUNSUPPORTED for members of several key forms; CFS_ELIMIT for too
 * many of them, or too large ones; CFS_ENOMEM.
 */
int cfs_union_open(struct cfs_index **out, const struct cfs_union_member *v,
		   size_t n, uint32_t view_version, size_t block_cache_bytes,
		   struct cfs_error *err);

/* Archives that member i of a union numbers (struct cfs_index): it is the last
 * number of a span.  0: not known. */
uint32_t cfs_union_archives(const struct cfs_index *ix, unsigned i);

#endif
