/* file_bytes.h - the bytes of one file, and what they borrow from.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_FILE_BYTES_H
#define CFS_CRAWL_FILE_BYTES_H

#include "base/buf.h"
#include "record/seqstore.h"
#include "record/store.h"

/* `bytes` borrows from the pinned record or from `own`, and lives until
 * release. */
struct cfs_file_bytes {
	struct cfs_slice bytes;
	struct cfs_stored *record;	/* pinned; may be NULL */
	struct cfs_stored *body;	/* of a revisit: the record with the body */
	struct cfs_pinned_unit *unit;	/* of a SequenceFile; may be NULL */
	struct cfs_buf own;
};

static inline void cfs_file_bytes_release(struct cfs_file_bytes *b)
{
	cfs_stored_put(b->record);
	cfs_stored_put(b->body);
	cfs_pinned_unit_put(b->unit);
	cfs_buf_release(&b->own);
	*b = (struct cfs_file_bytes){ .bytes = CFS_SLICE_EMPTY };
}

#endif
