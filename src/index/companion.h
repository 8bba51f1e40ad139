/* companion.h - encodes the place of a record and what an index knows of a
 * companion: the same numbers in crawlfs indexes, in their joindata and in the
 * values of the builder's sort.
 *
 *     place       varints: archive, offset, length, inner offset, inner length
 *     companion   varint: enum cfs_companion_kind; place; varint: bytes
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_COMPANION_H
#define CFS_INDEX_COMPANION_H

#include "index.h"

/* Bytes of the longest place, and of the longest companion. */
#define CFS_COMPANION_PLACE_MAX (5u * CFS_VARINT_MAX)
#define CFS_COMPANION_MAX (CFS_COMPANION_PLACE_MAX + 2u * CFS_VARINT_MAX)

/* Both encode into p, which has room for the most bytes, and return the bytes
 * used. */
size_t cfs_companion_put_place(const struct cfs_span *loc, uint8_t *p);
size_t cfs_companion_put(const struct cfs_companion *s, uint8_t *p);

/* Both decode at a cursor.  Damage sets c->bad. */
void cfs_companion_take_place(struct cfs_span *loc, struct cfs_cursor *c);
/* False if its kind is not known here; then it is CFS_COMPANION_NONE. */
bool cfs_companion_take(struct cfs_companion *s, struct cfs_cursor *c);

#endif
