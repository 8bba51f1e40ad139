/* related.h - records that belong to a page beside its capture: the request,
 * what the crawler noted of it, screenshots.
 *
 * In most crawls requests and metadata lie directly before or behind the
 * capture's record: then a class of captures says so (enum cfs_adjacency),
 * and what is last has no length, because its member has.  All others are in a
 * list with the capture:
 *
 *     varint     n << 4 | code
 *                  0  request directly before, n bytes long
 *                  1  request directly behind, n bytes long
 *                  2  metadata directly before, n bytes long
 *                  3  metadata directly behind, n bytes long
 *                  4 + kind (enum cfs_related)  elsewhere, n is its form
 *                  4 + CFS_RELATED_SEGMENT      likewise: a segment that
 *                  continues the capture's record, one behind the other from
 *                  the second on; n is 1 for the last of them, else 0
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

/* What continues a record that was divided (ISO 28500, section 7): no view, and
 * there may be several.  6 is in no list (CFS_RELATED_TEXT).  Stored
 * likewise. */
#define CFS_RELATED_SEGMENT 7u
/* As many segments behind the first are joined to a record. */
#define CFS_SEGMENTS_MAX 64u

/* Where the request and the metadata lie that are in no list: next to the
 * capture's record, in the same file.  Where both lie behind it, the request is
 * the first.  LENGTH: the length of the request is kept. */
enum cfs_adjacency { /* stored in crawlfs indexes: fixed values */
		     CFS_ADJACENT_NOWHERE = 0,
		     CFS_ADJACENT_REQUEST_BEFORE = 1, /* LENGTH */
		     CFS_ADJACENT_AROUND = 2, /* LENGTH; metadata behind */
		     CFS_ADJACENT_METADATA_BEHIND = 3,
		     CFS_ADJACENT_REQUEST_BEHIND = 4,
		     CFS_ADJACENT_BOTH_BEHIND = 5, /* LENGTH */
		     CFS_ADJACENT_COUNT = 6,
};

static inline bool cfs_adjacency_has_length(unsigned lies)
{
	return lies == CFS_ADJACENT_REQUEST_BEFORE ||
	       lies == CFS_ADJACENT_AROUND || lies == CFS_ADJACENT_BOTH_BEHIND;
}

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

/* Bytes of the longest list: seven numbers a record. */
#define CFS_RELATED_LIST_MAX \
	((CFS_RELATED_COUNT + CFS_SEGMENTS_MAX) * 7u * CFS_VARINT_MAX)

/* Where the record before, and the one behind, a capture's own would lie: what
 * a list is coded by. */
struct cfs_related_near {
	uint64_t archive, before, behind;	/* file offsets */
	bool is_usable;
};

/*
 * Sets cap->adjacent and request_bytes for those of the two records that lie
 * next to it and need no list.
 *
 * request, metadata    NULL: there is none
 *
 * Returns them as bits 1 << enum cfs_related; the others go to the list.
 */
unsigned cfs_related_next_to(struct cfs_capture *cap,
			     const struct cfs_companion *request,
			     const struct cfs_companion *metadata);

/* The place of a capture's own record. */
struct cfs_related_near cfs_related_near(const struct cfs_span *loc);

/* Appends one record to a capture's list; `near` moves on.
 * what: enum cfs_related, or CFS_RELATED_SEGMENT */
int cfs_related_put(struct cfs_buf *list, struct cfs_related_near *near,
		    unsigned what, const struct cfs_companion *side);

/* The first record of that kind.  False if the capture has none; then *out may
 * be another. */
bool cfs_related_find(const struct cfs_capture *cap, enum cfs_related what,
		      struct cfs_companion *out);
/* The same in the list alone. */
bool cfs_related_listed(const struct cfs_capture *cap, enum cfs_related what,
			struct cfs_companion *out);

/* The segments that continue a capture's record, in order; returns how many.
 * out: room for CFS_SEGMENTS_MAX. */
unsigned cfs_related_segments(const struct cfs_capture *cap,
			      struct cfs_companion *out);

#endif
