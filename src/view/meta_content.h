/* meta_content.h - the `content` object of the metadata, of pages and feeds.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_META_CONTENT_H
#define CFS_VIEW_META_CONTENT_H

#include "base/cancel.h"
#include "base/error.h"
#include "codec/json.h"

/* What a document may come to as JSON: its strings, and so many bytes for each
 * member of an object, about what the indented form has (the compact one counts
 * the same, so that both say the same).  Pages with more are made to break
 * readers; what is beyond it is left out. */
#define CFS_META_CONTENT_MEMBER 16

struct cfs_meta_content {
	struct cfs_json *j;
	struct cfs_slice url;	/* of the document, for relative links */
	size_t budget;		/* what is left */
	bool is_cut;		/* something has been left out */
	const struct cfs_cancel *cancel;
};

/* body_bytes: length of the document as archived. */
void cfs_meta_content_init(struct cfs_meta_content *c, struct cfs_json *j,
		      struct cfs_slice url, size_t body_bytes,
		      const struct cfs_cancel *cancel);

/*
 * Writes the value of "content" for an HTML document (doc/formats.md, "Content
 * objects"): type, title, meta_tags, links, each but the first absent when
 * empty.
 *
 * 0; CFS_ENOMEM; CFS_EINTR; failures of j->out stay there.
 */
int cfs_meta_content_html(struct cfs_meta_content *c, struct cfs_slice utf8,
			  struct cfs_error *err);

/* Likewise for an RSS or Atom feed.  *is_feed false: it is none, and nothing
 * has been written, not even the key "content". */
int cfs_meta_content_feed(struct cfs_meta_content *c, struct cfs_slice utf8,
		     bool *is_feed, struct cfs_error *err);

#endif
