/* companions.h - serves a capture's companions and related records as views.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_COMPANIONS_H
#define CFS_CRAWL_COMPANIONS_H

#include "entry.h"
#include "node.h"

/* Finds the crawl's own record that serves as this view of a capture.  False:
 * the view is computed or, for related views (cfs_view_is_related), missing. */
bool cfs_companion_of(const struct cfs_capture *cap, enum cfs_view view,
		      struct cfs_companion *out);

/* For a page without a capture of its own: finds the first WARC record among
 * its companions and related records, and sets *view to its kind.  False if
 * there is none, or they are pairs of a SequenceFile. */
bool cfs_companion_of_page_record(const struct cfs_capture *cap,
				  enum cfs_view *view,
				  struct cfs_companion *out);

/* True if the text view is the body unchanged.  A WET record is not: the
 * crawl's extractor made it. */
bool cfs_companion_is_body(const struct cfs_capture *cap, enum cfs_view view);

/*
 * Loads a view found by cfs_companion_of, or one of a page that has only the
 * crawl's text or metadata.  The record must belong to the page and have the
 * size that the index states: another page's text is never served, nor a
 * computed view in its place.  CFS_EFORMAT and CFS_EIO name file and offset.
 */
int cfs_companion_load(struct cfs_crawl *c, const struct cfs_entry *e,
		       enum cfs_view view, const struct cfs_view_opts *opts,
		       struct cfs_file_bytes *out, struct cfs_ctx ctx);

/* Pins the record of a related view, after the same checks. */
int cfs_companion_record(struct cfs_crawl *c, const struct cfs_entry *e,
			 enum cfs_view view, struct cfs_stored **out,
			 struct cfs_ctx ctx);

#endif
