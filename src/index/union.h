/* union.h - several indexes with the same form of keys, read as one.
 *
 * Entries are merged by key.  The captures of one key are ordered by time, then
 * by members as they were given, then by position; a record that several
 * members list under one key, at the same place, is shown as the first of them
 * has it.
 *
 * A position has the member in the top CFS_UNION_MEMBER_BITS of its block
 * number, so it is valid only for the same list of members.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_UNION_H
#define CFS_INDEX_UNION_H

#include "index.h"

#define CFS_UNION_MEMBER_BITS 5u
#define CFS_UNION_MAX 31u			/* members */
/* Blocks of a member: their numbers have the rest of 32 bits. */
#define CFS_UNION_BLOCKS_MAX (1u << (32 - CFS_UNION_MEMBER_BITS))
/* Captures of one key, in all members, that are sorted at once (48 bytes each,
 * for twice as many).  A key with more is sorted stretch by stretch, which
 * takes longer, and records that are listed twice are not noticed. */
#define CFS_UNION_GROUP_MAX 131072u

struct cfs_union_member {
	struct cfs_index *ix;
	/* Where its archives lie: members with equal texts share their
	 * archives.  Copied. */
	const char *place;
	/* First byte of its archives' names, by which a store tells places
	 * apart (record/archives.h); 0: none. */
	uint8_t place_tag;
	const char *name;	/* for messages: borrowed; NULL: its file's */
};

/*
 * Opens the union of 2 to CFS_UNION_MAX indexes, which it takes over, also on
 * failure.
 *
 * view_version       of the code that makes views here (view/view.h): sizes
 *                    that other code made are ignored
 * block_cache_bytes  what the members were opened with, in all: it decides how
 *                    many blocks may stay pinned between calls
 *
 * 0; CFS_EUNSUPPORTED if the members' keys have different forms; CFS_ELIMIT for
 * too many members, or too large ones; CFS_ENOMEM.
 */
int cfs_union_open(struct cfs_index **out, const struct cfs_union_member *v,
		   size_t n, uint32_t view_version, size_t block_cache_bytes,
		   struct cfs_error *err);

#define CFS_UNION_POS_BITS (48 - CFS_UNION_MEMBER_BITS)
#define CFS_UNION_POS_MASK ((UINT64_C(1) << CFS_UNION_POS_BITS) - 1)

/* A position of a member as one of the union. */
static inline cfs_pos cfs_union_pos(unsigned member, cfs_pos pos)
{
	return (cfs_pos)member << CFS_UNION_POS_BITS | pos;
}
/* The reverse: returns the member, and makes *pos that in it. */
static inline unsigned cfs_union_split_pos(cfs_pos *pos)
{
	unsigned member = (unsigned)(*pos >> CFS_UNION_POS_BITS);

	*pos &= CFS_UNION_POS_MASK;
	return member;
}

/* Member i of a union, lent; NULL: there are not so many. */
struct cfs_index *cfs_union_index(const struct cfs_index *ix, unsigned i);

/* Number of archives in member i of a union, which is file[3] of a span.  0:
 * not known. */
uint32_t cfs_union_archives(const struct cfs_index *ix, unsigned i);

#endif
