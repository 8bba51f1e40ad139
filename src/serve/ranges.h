/* ranges.h - fields of HTTP by which a client asks for a part of a file, or
 * only for what it does not have.
 *
 * Spec: RFC 9110, sections 8.8, 13 and 14.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SERVE_RANGES_H
#define CFS_SERVE_RANGES_H

#include "base/slice.h"

enum cfs_range_kind {
	CFS_RANGE_NONE,		/* all of the file: no range, several, or one
				 * in another unit or form */
	CFS_RANGE_PART,
	CFS_RANGE_OUTSIDE,	/* it cannot be satisfied: 416 */
};

/* Reads the field Range (may be empty) for a file of `size` bytes.  Sets *from
 * and *bytes for PART. */
enum cfs_range_kind cfs_range_read(struct cfs_slice field, uint64_t size,
				   uint64_t *from, uint64_t *bytes);

/* The validators of a file: a strong entity tag with its quotes ("": there is
 * none), and the time of its last change in Unix seconds (0: not known). */
struct cfs_validators {
	char tag[24];
	int64_t time;
};

/* The fields by which a request depends on the state of a file; each may be
 * empty. */
struct cfs_preconditions {
	struct cfs_slice if_match, if_none_match;
	struct cfs_slice if_modified_since, if_unmodified_since;
	bool is_get;			/* GET or HEAD */
};

/* The status that the conditions lead to, in the order of RFC 9110, 13.2.2:
 * 412, 304, or 0 if the request is to be answered. */
unsigned cfs_condition_status(const struct cfs_validators *v,
			      const struct cfs_preconditions *c);

/* True if the field Range counts, by If-Range (may be empty). */
bool cfs_range_counts(const struct cfs_validators *v,
		      struct cfs_slice if_range);

/* Writes a date as HTTP has it: "Sun, 06 Nov 1994 08:49:37 GMT". */
#define CFS_HTTP_DATE_BYTES 30
const char *cfs_http_date(int64_t time, char out[CFS_HTTP_DATE_BYTES]);

#endif
