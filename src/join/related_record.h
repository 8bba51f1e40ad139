/* related_record.h - recognizes related records: those that belong to a page
 * besides its capture.
 *
 * request and metadata records have the page's URL.  What browser crawlers
 * store of a page is a resource whose URL begins with its kind:
 *
 *     urn:pageinfo:URL    urn:text:URL       urn:textFinal:URL
 *     urn:view:URL        urn:thumbnail:URL  screenshot:URL  thumbnail:URL
 *     urn:fullPage:URL    urn:fullPageFinal:URL
 *
 * continuation records have the URL of the record that they continue.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_JOIN_RELATED_RECORD_H
#define CFS_JOIN_RELATED_RECORD_H

#include "index/related.h"
#include "record/record.h"

/* One more kind than an index lists: a page's text is stored with its
 * capture. */
#define CFS_RELATED_TEXT CFS_RELATED_COUNT
#define CFS_RELATED_KINDS (CFS_RELATED_COUNT + 2u)
_Static_assert(CFS_RELATED_SEGMENT == CFS_RELATED_KINDS - 1, "the last kind");

struct cfs_related_record {
	/* enum cfs_related, CFS_RELATED_TEXT or CFS_RELATED_SEGMENT */
	unsigned what;
	uint8_t form;		/* enum cfs_related_form; of a segment 1 if it
				 * is the last, else 0 */
	uint8_t segment;	/* its number: 2 to CFS_SEGMENTS_MAX + 1 */
	bool is_second;		/* used only if there is no other of the kind */
	struct cfs_slice url;	/* of the page; borrows from the record */
};

/* Does such a record become a page if it has no capture?  False for kinds that
 * mean nothing without one. */
static inline bool cfs_related_may_be_page(unsigned what)
{
	return what > CFS_RELATED_METADATA && what != CFS_RELATED_SEGMENT;
}

/* The URL of the page that a WAT record describes: its own, or else that in its
 * JSON, which then is in `out`.  Empty if there is none. */
struct cfs_slice cfs_wat_url(const struct cfs_record *r, struct cfs_buf *out);

/* False for a record that is not a related one. */
bool cfs_related_record(const struct cfs_record *r,
			struct cfs_related_record *out);

/* Does the same for a resource of which only URL and type are known (a line of
 * a CDX file). */
bool cfs_related_resource(struct cfs_slice url, struct cfs_slice mime,
			  struct cfs_related_record *out);

#endif
