/* picked.h - an index in which only the captures that are picked are seen.
 *
 * Other captures keep their entries: a directory is known by its first entry,
 * and whole subtrees would have to be read to see that none of their captures
 * is left.  So seek, at and next stop at hidden entries as well;
 * cfs_index_shows is false for them, and decoding one gives CFS_ENOTFOUND.
 * Hence inode numbers are those of the whole index, and a directory may be
 * empty.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_PICKED_H
#define CFS_INDEX_PICKED_H

#include "conditions.h"

/* Positions of captures that are hidden whatever conditions they meet. */
struct cfs_hidden;

/* The most of them: two bytes each. */
#define CFS_HIDDEN_MAX (UINT32_C(1) << 26)

/* Adds a position, greater than those before, before the index is used by
 * others.  0, CFS_ENOMEM, CFS_ELIMIT (more than CFS_HIDDEN_MAX). */
int cfs_hidden_add(struct cfs_hidden *h, cfs_pos pos);

/*
 * Puts a wrapper over *ix, which the new *ix owns; does nothing if neither
 * conditions nor positions are wanted.
 *
 * c       copied; NULL: none
 * hidden  set to the wrapper's set of positions, which the caller fills; NULL:
 *         there is none
 *
 * 0; CFS_EUNSUPPORTED if the index does not have what the conditions ask about,
 * with what to do; CFS_ENOMEM.  After a failure *ix is unchanged.
 */
int cfs_picked_wrap(struct cfs_index **ix, const struct cfs_conditions *c,
		    struct cfs_hidden **hidden, struct cfs_error *err);

/* The conditions of an index that was so wrapped, or of one of which it is a
 * part; they live as long as it.  NULL if it was not. */
const struct cfs_conditions *cfs_picked_conditions(struct cfs_index *ix);

#endif
