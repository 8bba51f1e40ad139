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

/* A set of positions, to be hidden besides.  Immutable once it is used. */
struct cfs_hidden;

/* Ascending positions are to be added.  0, CFS_ENOMEM, CFS_ELIMIT (more than
 * CFS_HIDDEN_MAX). */
int cfs_hidden_new(struct cfs_hidden **out);
int cfs_hidden_add(struct cfs_hidden *h, cfs_pos pos);
bool cfs_hidden_has(const struct cfs_hidden *h, cfs_pos pos);
void cfs_hidden_free(struct cfs_hidden *h);	/* accepts NULL */

/* Puts a wrapper over *ix, which the new *ix owns, and which copies the
 * conditions; does nothing if there are none.  0; CFS_EUNSUPPORTED if the index
 * does not have what they ask about, with what to do; CFS_ENOMEM.  After a
 * failure *ix is unchanged. */
int cfs_picked_wrap(struct cfs_index **ix, const struct cfs_conditions *c,
		    struct cfs_error *err);

#endif
