/* body.h - undoes transfer and content encodings of HTTP bodies if their bytes
 * really have them (body.c), and finds the sizes of bodies (body_size.c).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_BODY_H
#define CFS_RECORD_BODY_H

#include "base/buf.h"
#include "http_head.h"
#include "source/source.h"
#include "source/span.h"

struct cfs_body_result {
	struct cfs_buf own;	/* empty: the bytes needed no decoding */
	bool is_damaged;	/* an encoding ends early or is corrupt */
	bool is_unchecked;	/* an encoding is whole but for its checksum,
				 * which is cut off */
};

/* False only if cfs_body_decode would certainly leave the body as it is, judged
 * by the start of it (which may be all). */
bool cfs_body_may_decode(struct cfs_slice start, const struct cfs_fields *http);

/*
 * Decodes `stored`.  is_cut: the record is known to be incomplete, so that an
 * encoding is believed even if it ends early in its first chunk.
 * dir: NULL; or `stored` lies in a spilled buffer (base/spill.h), and the
 * result becomes one too, with its file in dir.
 * 0; CFS_ELIMIT if it decodes to more than max bytes; CFS_ENOMEM; CFS_EIO if
 * dir has no room.  The caller releases the result in any case.
 */
int cfs_body_decode(struct cfs_slice stored, const struct cfs_fields *http,
		    bool is_cut, size_t max, const char *dir,
		    struct cfs_body_result *out, struct cfs_error *err);

/* Does the same for the encodings that fields of this name declare (NULL: all
 * encodings).  `result->own` is empty if the bytes needed no decoding. */
int cfs_body_decode_by(const char *name, struct cfs_slice stored,
		       const struct cfs_fields *http, bool is_cut,
		       const char *dir, struct cfs_body_result *result,
		       struct cfs_error *err);

/*
 * Finds the size of a record's raw view from its head and its member's trailer,
 * with two small reads of src.
 *
 * span       one member, or a range of an uncompressed file
 * is_cc      see CFS_PARSE_COMMON_CRAWL
 * *bytes     the size, provided that the record is undamaged
 *
 * False if that is not enough: the body has to be inflated and decoded.
 */
bool cfs_body_size_peek(struct cfs_source *src, const struct cfs_span *span,
			bool is_cc, uint64_t *bytes);

#endif
