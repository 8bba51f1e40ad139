/* builder_value.h - what the builder's sort carries of a capture, a text or a
 * metadata record: its values as bytes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_BUILDER_VALUE_H
#define CFS_BUILD_BUILDER_VALUE_H

#include "builder_input.h"
#include "join.h"

/* True for the text of another record (WET), which may be in the index: it
 * counts by that one's id. */
bool cfs_builder_is_wet(const struct cfs_builder_capture *c);

/*
 * Appends the value of a capture, or of a text or metadata record, to v.
 *
 * scheme    enum cfs_scheme of its URL
 * url       its URL where the key does not make it, else empty
 * scratch   overwritten
 * ref       set to hashes of the record id and of the payload digest; 0: none
 */
void cfs_builder_value_capture(struct cfs_buf *v,
			       const struct cfs_builder_capture *c,
			       uint8_t scheme, struct cfs_slice url,
			       struct cfs_buf *scratch, uint64_t ref[2]);
void cfs_builder_value_side(struct cfs_buf *v,
			    const struct cfs_builder_side *s, uint8_t scheme,
			    struct cfs_slice url, struct cfs_buf *scratch);

/* The same for an entry of another index, a page or the text of a WET file,
 * whose archive's number is a new one already: what cfs_builder_value_decode
 * made, or would make, of it. */
void cfs_builder_value_entry(struct cfs_buf *v, const struct cfs_join_item *t);

/* Changes the numbers of archives in the value of anything but an entry: of
 * old number i to numbers[i].  `none` stands for one that is not there, which
 * the record's own is not.  False if the value is damaged. */
bool cfs_builder_value_renumber(uint8_t *value, size_t n,
				const uint32_t *numbers, uint32_t n_numbers,
				uint32_t none);

/* Fills in a zeroed item, all but its key.  Slices borrow from the value.
 * False if it is damaged. */
bool cfs_builder_value_decode(struct cfs_slice value,
			      struct cfs_join_item *item);

#endif
