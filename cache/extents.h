/* extents.h - a map from an object's bytes to where they are: sorted extents
 * without overlaps.
 *
 * Extents lie in small sorted chunks below one sorted table, so that a lookup
 * takes two binary searches and an insertion moves little.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CACHE_EXTENTS_H
#define CFS_CACHE_EXTENTS_H

#include <stddef.h>
#include <stdint.h>

struct cfs_blob;
struct cfs_segment;

/* Bytes [off, off + n) of the object: in a blob (in memory, or still on their
 * way), in a segment, or in both. */
struct cfs_extent {
	uint64_t off;
	uint32_t n;
	uint32_t checked_s;		/* when its checksum was last
					 * compared, s */
	struct cfs_blob *blob;		/* NULL: not in memory */
	struct cfs_segment *seg;	/* NULL: not on disk; else in
					 * the record: */
	uint64_t rec_off, rec_sum;
	uint32_t rec_n, rec_pos;
};

/* Zeroed: empty. */
struct cfs_extents {
	struct cfs_chunk_ref *chunks;
	size_t n_chunks, cap;
	size_t n;			/* extents */
};

void cfs_extents_release(struct cfs_extents *x);

/* The extent that holds byte `off`, or the first one after it, or NULL.
 * Lent until the next insertion or removal. */
struct cfs_extent *cfs_extents_at(const struct cfs_extents *x, uint64_t off);
/* For a loop: the same, but NULL unless it begins before `end`; moves *off to
 * its end.  The extent may be changed or removed before the next call. */
struct cfs_extent *cfs_extents_next(const struct cfs_extents *x, uint64_t *off,
				    uint64_t end);

/* Adds an extent that overlaps none.  CFS_ENOMEM. */
int cfs_extents_insert(struct cfs_extents *x, const struct cfs_extent *e);
/* Adds e to the parts of its range that no extent covers yet. */
int cfs_extents_fill(struct cfs_extents *x, const struct cfs_extent *e);
/* Removes the extent that begins at off, which must exist. */
void cfs_extents_remove(struct cfs_extents *x, uint64_t off);
/* Splits the extent that spans `off`, if any, in two at off. */
int cfs_extents_split(struct cfs_extents *x, uint64_t off);

#endif
