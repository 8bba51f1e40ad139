/* view_bytes.h - the sizes of a capture's views that an index keeps.
 *
 * In a crawlfs index (in the extras of an entry, and in joindata) and in the
 * values of the builder's sort they have two forms:
 *
 *     pair    varints: sizes of the metadata and of the text; only if both are
 *             known
 *     list    varint: the sum of 1 << slot of all other views whose size is
 *             known, not 0; then these sizes, varints, by slot from 0 up
 *
 * A slot of the list that a reader does not know is skipped with its size, so a
 * slot is added without another version of the format.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_VIEW_BYTES_H
#define CFS_INDEX_VIEW_BYTES_H

#include "base/error.h"
#include "base/slice.h"

enum cfs_view_slot {		/* stored in crawlfs indexes: fixed values */
	CFS_SLOT_TEXT = 0,
	CFS_SLOT_META = 1,
	CFS_SLOT_MARKDOWN = 2,
	CFS_SLOT_MAIN = 3,
	CFS_SLOT_SIMHASH = 4,	/* no size: the hash (view/simhash.h) of the
				 * main content as plain text */
	CFS_VIEW_SLOTS = 5	/* at most 31: see `known` */
};

struct cfs_view_bytes {
	uint64_t bytes[CFS_VIEW_SLOTS];	/* by slot; of those that are known */
	uint32_t known;			/* the sum of 1 << slot */
};

/* Bytes of the longest pair and of the longest list. */
#define CFS_VIEW_BYTES_MAX ((CFS_VIEW_SLOTS + 1u) * CFS_VARINT_MAX)

#define CFS_VIEW_BYTES_PAIR (1u << CFS_SLOT_META | 1u << CFS_SLOT_TEXT)

static inline bool cfs_view_bytes_are_known(const struct cfs_view_bytes *s,
					  unsigned slot)
{
	return s->known >> slot & 1;
}

static inline void cfs_view_bytes_set(struct cfs_view_bytes *s, unsigned slot,
				     uint64_t bytes)
{
	s->bytes[slot] = bytes;
	s->known |= 1u << slot;
}

/* Gets the similarity hash of the main content; false: it is not known, or has
 * no letter. */
static inline bool cfs_view_bytes_simhash(const struct cfs_view_bytes *s,
					  uint64_t *out)
{
	*out = s->bytes[CFS_SLOT_SIMHASH];
	return cfs_view_bytes_are_known(s, CFS_SLOT_SIMHASH);
}

static inline bool cfs_view_bytes_have_pair(const struct cfs_view_bytes *s)
{
	return (s->known & CFS_VIEW_BYTES_PAIR) == CFS_VIEW_BYTES_PAIR;
}

/* The slots whose sizes go into the list, as bits. */
static inline uint32_t cfs_view_bytes_listed(const struct cfs_view_bytes *s)
{
	return cfs_view_bytes_have_pair(s) ? s->known & ~CFS_VIEW_BYTES_PAIR :
					     s->known;
}

/* Both encode into p, which has room for CFS_VIEW_BYTES_MAX bytes, and return
 * the bytes used: 0 if there is no pair, or if nothing is left for a list. */
size_t cfs_view_bytes_put_pair(const struct cfs_view_bytes *s, uint8_t *p);
size_t cfs_view_bytes_put_list(const struct cfs_view_bytes *s, uint8_t *p);

/* Takes the text of a page while the sizes of its views are found, so that it
 * need not be made again. */
struct cfs_text_taker {
	/* The text is lent during the call.  0, or a failure, which ends the
	 * measuring. */
	int (*take)(void *arg, struct cfs_slice text, struct cfs_error *err);
	void *arg;
};

/* Both decode at a cursor, and set what they find in s.  Damage sets c->bad. */
void cfs_view_bytes_take_pair(struct cfs_view_bytes *s, struct cfs_cursor *c);
void cfs_view_bytes_take_list(struct cfs_view_bytes *s, struct cfs_cursor *c);

#endif
