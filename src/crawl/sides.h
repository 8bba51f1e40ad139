/* sides.h - the crawl's own text and metadata as the bytes of a view.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_SIDES_H
#define CFS_CRAWL_SIDES_H

#include "content.h"

/* The crawl's own record that a view of a capture is, or NULL: then the view
 * is computed. */
const struct cfs_side *cfs_side_of(const struct cfs_capture *cap,
				   enum cfs_view view);

/*
 * Loads it.  What lies there must belong to the page of `key`, and have the
 * size the index says: no other page's text is ever served, nor a computed
 * view in its place.  CFS_EFORMAT and CFS_EIO name file and offset.
 */
int cfs_side_load(struct cfs_crawl *c, const struct cfs_side *side,
		  struct cfs_slice key, struct cfs_content *out,
		  const struct cfs_cancel *cancel, struct cfs_error *err);

/* The metadata of a page of which only the crawl's text is there. */
int cfs_side_no_record(struct cfs_slice url, bool compact, struct cfs_buf *out);

#endif
