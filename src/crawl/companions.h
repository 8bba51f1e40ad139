/* companions.h - the crawl's own text and metadata, and the records that belong
 * to a page, as the bytes of a view.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_COMPANIONS_H
#define CFS_CRAWL_COMPANIONS_H

#include "entry.h"
#include "node.h"

/* The crawl's own record that a view of a capture is.  False: the view is
 * computed, or (cfs_view_is_related) there is none. */
bool cfs_companion_of(const struct cfs_capture *cap, enum cfs_view view,
		      struct cfs_companion *out);

/* The WARC record of a page of which only the crawl's text, metadata and
 * records are there: the first of them.  *view: what it is.  False if they are
 * pairs of SequenceFiles, or there is none. */
bool cfs_companion_of_page_record(const struct cfs_capture *cap,
				  enum cfs_view *view,
				  struct cfs_companion *out);

/* Is the text view the body as it is?  A WET record has been through the
 * crawl's own extractor. */
bool cfs_companion_is_body(const struct cfs_capture *cap, enum cfs_view view);

/*
 * Loads a view of an entry that cfs_companion_of knows, or of a page of which
 * only the crawl's text or metadata is there.  What lies there must belong to
 * the page, and have the size the index says: no other page's text is ever
 * served, nor a computed view in its place.  CFS_EFORMAT and CFS_EIO name file
 * and offset.
 */
int cfs_companion_load(struct cfs_crawl *c, const struct cfs_entry *e,
		       enum cfs_view view, const struct cfs_view_opts *opts,
		       struct cfs_file_bytes *out,
		       const struct cfs_cancel *cancel, struct cfs_error *err);

/* Pins the record that a related view is, checked as above. */
int cfs_companion_record(struct cfs_crawl *c, const struct cfs_entry *e,
			 enum cfs_view view, struct cfs_stored **out,
			 const struct cfs_cancel *cancel,
			 struct cfs_error *err);

#endif
