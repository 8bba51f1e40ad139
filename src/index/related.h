/* related.h - records that belong to a page besides its capture: the request,
 * the crawler's metadata, screenshots.
 *
 * In most crawls requests and metadata lie directly before or behind the
 * capture's record: then the class of a capture says so (enum cfs_adjacency).
 * The last of them needs no length, since its member has one.  All others are
 * in a list in the capture's entry:
 *
 *     varint     n << 4 | code
 *                  0  request directly before, n bytes long
 *                  1  request directly behind, n bytes long
 *                  2  metadata directly before, n bytes long
 *                  3  metadata directly behind, n bytes long
 *                  4 + kind (enum cfs_related)  elsewhere; n is its form
 *                  4 + CFS_RELATED_SEGMENT      elsewhere: a segment that
 *                  continues the capture's record; segments are in order, from
 *                  the second on; n is 1 for the last of them, else 0
 *     elsewhere  varints: archive, offset, length, inner offset, inner length,
 *                bytes of its block + 1 (0: not known)
 *
 * "Directly behind" means behind the capture's record and all records that the
 * list has put there so far; before likewise.  Unknown codes are skipped.
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

/* A segment that continues a divided record (ISO 28500, section 7): it is not a
 * view, and there may be several.  No list has a 6 (CFS_RELATED_TEXT).  Stored
 * in crawlfs indexes too. */
#define CFS_RELATED_SEGMENT 7u
/* Most segments behind the first that are joined to a record. */
#define CFS_SEGMENTS_MAX 64u

/* Which of request and metadata lie next to the capture's record, in the same
 * file, and so are in no list.  If both lie behind it, the request comes first.
 * LENGTH: the length of the request is stored. */
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

/* The kind of file that a record holds, for the ending of its name. */
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

/* Offsets where the next record directly before, and directly behind, would end
 * and begin: lists are coded relative to them. */
struct cfs_related_near {
	uint64_t archive, before, behind;	/* file offsets */
	bool is_usable;
};

/*
 * Sets cap->adjacent and request_bytes for those of the two records that lie
 * next to the capture's and need no list.
 *
 * request, metadata    NULL: there is none
 *
 * Returns these as bits 1 << enum cfs_related; the others belong in the list.
 */
unsigned cfs_related_next_to(struct cfs_capture *cap,
			     const struct cfs_companion *request,
			     const struct cfs_companion *metadata);

/* The initial state for a list, from the place of the capture's own record. */
struct cfs_related_near cfs_related_near(const struct cfs_span *loc);

/* Appends one record to a capture's list, and advances `near`.
 * what: enum cfs_related, or CFS_RELATED_SEGMENT */
int cfs_related_put(struct cfs_buf *list, struct cfs_related_near *near,
		    unsigned what, const struct cfs_companion *record);

/* Finds the first record of that kind.  False if the capture has none; then
 * *out may hold another record. */
bool cfs_related_find(const struct cfs_capture *cap, enum cfs_related what,
		      struct cfs_companion *out);
/* The same, in the list only. */
bool cfs_related_listed(const struct cfs_capture *cap, enum cfs_related what,
			struct cfs_companion *out);

/* Gets the segments that continue a capture's record, in order; returns their
 * number.  out: room for CFS_SEGMENTS_MAX. */
unsigned cfs_related_segments(const struct cfs_capture *cap,
			      struct cfs_companion *out);

/* ---- places and companions, as they are in crawlfs indexes, in their joindata
 * and in the values of the builder's sort:
 *
 *     place       varints: archive, offset, length, inner offset, inner length
 *     companion   varint: enum cfs_companion_kind; place; varint: bytes
 */

/* Bytes of the longest place, and of the longest companion. */
#define CFS_COMPANION_PLACE_MAX (5u * CFS_VARINT_MAX)
#define CFS_COMPANION_MAX (CFS_COMPANION_PLACE_MAX + 2u * CFS_VARINT_MAX)

/* Encodes into p, which has room for the most bytes; returns the bytes used. */
size_t cfs_companion_put(const struct cfs_companion *s, uint8_t *p);

/* Decodes at a cursor; damage sets c->bad.  False if its kind is not known
 * here; then it is CFS_COMPANION_NONE. */
bool cfs_companion_take(struct cfs_companion *s, struct cfs_cursor *c);

#endif
