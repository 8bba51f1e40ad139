/* builder_value.h - what the builder's sort carries of a capture, a text or a
 * metadata record: its values as bytes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_BUILDER_VALUE_H
#define CFS_BUILD_BUILDER_VALUE_H

#include "builder_input.h"
#include "join.h"

/* Hashes of a record id and of a payload digest; 0: none. */
struct cfs_builder_hashes {
	uint64_t id, digest;
};

/* True for the text of another record (WET), which may be in the index: it
 * counts by that one's id. */
bool cfs_builder_is_wet(const struct cfs_builder_capture *c);

/*
 * Appends the value of a capture, or of a text or metadata record, to v.
 *
 * scheme    enum cfs_scheme of its URL
 * url       its URL where the key does not make it, else empty
 * scratch   overwritten
 * hashes    set to what the value has
 */
void cfs_builder_value_capture(struct cfs_buf *v,
			       const struct cfs_builder_capture *c,
			       uint8_t scheme, struct cfs_slice url,
			       struct cfs_buf *scratch,
			       struct cfs_builder_hashes *hashes);
void cfs_builder_value_side(struct cfs_buf *v,
			    const struct cfs_builder_side *s, uint8_t scheme,
			    struct cfs_slice url, struct cfs_buf *scratch);

/* Fills in a zeroed item, all but its key.  Slices borrow from the value.
 * False if it is damaged. */
bool cfs_builder_value_decode(struct cfs_slice value,
			      struct cfs_join_item *item);

#endif
