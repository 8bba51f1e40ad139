/* extract.h - the bytes of one record, read from its archive and inflated.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_EXTRACT_H
#define CFS_RECORD_EXTRACT_H

#include "archives.h"
#include "base/buf.h"
#include "source/span.h"

/* What all calls share: a limit, and counts of bytes. */
struct cfs_extractor {
	uint64_t max_record;	/* stored or inflated */
	atomic_uint_least64_t read_bytes, inflated_bytes;
};

/* Finds out how long a span is that does not say so.  Codes as below. */
int cfs_extract_measure(struct cfs_extractor *x, struct cfs_archive *a,
			struct cfs_span *span, const struct cfs_cancel *cancel,
			struct cfs_error *err);

/*
 * The bytes of a span as the archive has them: malloced, *n of them (where
 * the span does not say how many, its members are measured).  *dict is what
 * they are read with if they are zstd frames, the caller's; or NULL.
 * 0; CFS_EFORMAT, CFS_ELIMIT and failures to read, with archive and offset.
 */
int cfs_extract_stored(struct cfs_extractor *x, struct cfs_archive *a,
		       const struct cfs_span *span, uint8_t **out, size_t *n,
		       struct cfs_zst_dict **dict,
		       const struct cfs_cancel *cancel, struct cfs_error *err);

/* The same by pieces, appended to out, which was spilled; without a
 * dictionary. */
int cfs_extract_member(struct cfs_extractor *x, struct cfs_archive *a,
		       const struct cfs_span *span, struct cfs_buf *out,
		       const struct cfs_cancel *cancel, struct cfs_error *err);

/* Does a file end inside a record? */
enum cfs_extract_end {
	CFS_EXTRACT_WHOLE,
	CFS_EXTRACT_CUT,	/* yes, inside the last of its members */
	CFS_EXTRACT_SHORT,	/* if its header declares the right length */
};

/* The record at a span, inflated, into an empty out, as far as the file goes.
 * Codes as above; CFS_ELIMIT when it does not fit into out.  One that was
 * spilled (base/spill.h) is filled by pieces, whatever is read at a time. */
int cfs_extract_record(struct cfs_extractor *x, struct cfs_archive *a,
		       const struct cfs_span *span, struct cfs_buf *out,
		       enum cfs_extract_end *end,
		       const struct cfs_cancel *cancel, struct cfs_error *err);

#endif
