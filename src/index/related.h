/* related.h - records that belong to a page beside its capture: the request,
 * what the crawler noted of it, screenshots.
 *
 * An index keeps them with the capture as a list, coded for the crawls in which
 * they lie directly before or behind its record:
 *
 *     varint     n << 4 | code
 *                  0  request directly before, n bytes long
 *                  1  request directly behind, n bytes long
 *                  2  metadata directly before, n bytes long
 *                  3  metadata directly behind, n bytes long
 *                  4 + kind (enum cfs_related)  elsewhere, n is its form
 *     elsewhere  varints: archive, offset, length, inner offset, inner length,
 *                bytes of its block + 1 (0: not known)
 *
 * "Directly behind" is where the capture's record ends, or the last one that
 * lies behind it; before likewise.  Codes that came later are stepped over.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_RELATED_H
#define CFS_INDEX_RELATED_H

#include "index.h"

enum cfs_related {		/* stored in crawlfs indexes: fixed values */
	CFS_RELATED_REQUEST = 0,
	CFS_RELATED_METADATA = 1,
	CFS_RELATED_PAGEINFO = 2,
	CFS_RELATED_VIEW = 3,
	CFS_RELATED_THUMBNAIL = 4,
	CFS_RELATED_FULLPAGE = 5,
	CFS_RELATED_COUNT = 6,
};

/* What kind of file a record is, for the ends of names. */
enum cfs_related_form {		/* stored in crawlfs indexes: fixed values */
	CFS_RELATED_OTHER = 0,
	CFS_RELATED_PNG = 1,
	CFS_RELATED_JPEG = 2,
	CFS_RELATED_WEBP = 3,
	CFS_RELATED_GIF = 4,
	CFS_RELATED_PDF = 5,
	CFS_RELATED_FORMS = 6,
};

/* Bytes of the longest list: seven numbers a kind. */
#define CFS_RELATED_LIST_MAX (CFS_RELATED_COUNT * 7u * CFS_VARINT_MAX)

/* Where the record before, and the one behind, a capture's own would lie: what
 * a list is coded by. */
struct cfs_related_near {
	uint64_t archive, before, behind;	/* file offsets */
	bool is_usable;
};

/* The place of a capture's own record. */
struct cfs_related_near cfs_related_near(const struct cfs_span *loc);

/* Appends one record to a capture's list; `near` moves on. */
int cfs_related_put(struct cfs_buf *list, struct cfs_related_near *near,
		    enum cfs_related what, const struct cfs_side *side);

/* The first record of that kind.  False if the capture has none; then *out may
 * be another. */
bool cfs_related_find(const struct cfs_capture *cap, enum cfs_related what,
		      struct cfs_side *out);

#endif
