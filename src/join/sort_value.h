/* sort_value.h - encodes captures, texts and metadata records as the values
 * of the builder's sort, and decodes them: one codec for what the indexer hands
 * over, for entries of other indexes and for their joindata.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_JOIN_SORT_VALUE_H
#define CFS_JOIN_SORT_VALUE_H

#include "capture_input.h"
#include "join.h"

/*
 * Appends the value of a capture, or of a text or metadata record, to v.
 *
 * scheme    enum cfs_scheme of its URL
 * url       its URL if it cannot be rebuilt from the key, else empty
 * scratch   overwritten
 * ref       set to hashes of the record id and of the payload digest; 0: none
 */
void cfs_builder_value_capture(struct cfs_buf *v,
			       const struct cfs_builder_capture *c,
			       uint8_t scheme, struct cfs_slice url,
			       struct cfs_buf *scratch, uint64_t ref[2]);
void cfs_builder_value_annex(struct cfs_buf *v,
			    const struct cfs_builder_annex *s, uint8_t scheme,
			    struct cfs_slice url, struct cfs_buf *scratch);

/* Appends the value of an item that is as cfs_builder_value_decode makes it, or
 * of another index's entry.  Hashes are short. */
void cfs_builder_value_encode(struct cfs_buf *v, const struct cfs_join_item *t);

/* Changes archive number i to numbers[i] in an item other than another index's
 * entry.  False if it has a number that cannot be. */
bool cfs_builder_value_renumber(struct cfs_join_item *t,
				const uint32_t *numbers, uint32_t n_numbers);

/* Decodes all but the key into a zeroed item.  Slices borrow from the value.
 * False if the value is damaged. */
bool cfs_builder_value_decode(struct cfs_slice value,
			      struct cfs_join_item *item);

#endif
