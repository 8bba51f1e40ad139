/* extract.h - reads and inflates the bytes of one record of an archive.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_EXTRACT_H
#define CFS_RECORD_EXTRACT_H

#include "archives.h"
#include "base/buf.h"
#include "source/span.h"

/* Shared by all calls: a limit, and counts of bytes. */
struct cfs_extractor {
	uint64_t max_record;	/* stored or inflated */
	atomic_uint_least64_t read_bytes, inflated_bytes;
};

/* Finds the length of a span that has none.  Codes as below. */
int cfs_extract_measure(struct cfs_extractor *x, struct cfs_archive *a,
			struct cfs_span *span, struct cfs_ctx ctx);

/*
 * Reads the bytes of a span as the archive has them; *out is malloced, *n its
 * length (if the span has none, its members are measured).  *dict is the
 * dictionary they need if they are zstd frames, to be put by the caller; or
 * NULL.
 * 0; CFS_EFORMAT, CFS_ELIMIT and failures to read, with archive and offset.
 */
int cfs_extract_stored(struct cfs_extractor *x, struct cfs_archive *a,
		       const struct cfs_span *span, uint8_t **out, size_t *n,
		       struct cfs_zst_dict **dict, struct cfs_ctx ctx);

/* The same in steps, appended to out, which was spilled; without a
 * dictionary. */
int cfs_extract_member(struct cfs_extractor *x, struct cfs_archive *a,
		       const struct cfs_span *span, struct cfs_buf *out,
		       struct cfs_ctx ctx);

/* Whether a file ends inside a record. */
enum cfs_extract_end {
	CFS_EXTRACT_WHOLE,
	CFS_EXTRACT_CUT,	/* yes, inside its last member */
	CFS_EXTRACT_SHORT,	/* yes, if its declared length is right */
};

/* Inflates the record at a span into an empty out, as far as the file goes.
 * Codes as above; CFS_ELIMIT if it does not fit into out.  A spilled out
 * (base/spill.h) is filled in steps, and takes little memory. */
int cfs_extract_record(struct cfs_extractor *x, struct cfs_archive *a,
		       const struct cfs_span *span, struct cfs_buf *out,
		       enum cfs_extract_end *end, struct cfs_ctx ctx);

#endif
