/* meta_content.h - writes the `content` object of the metadata, for pages and
 * feeds.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_META_CONTENT_H
#define CFS_VIEW_META_CONTENT_H

#include "base/cancel.h"
#include "base/error.h"
#include "codec/json.h"

/* The size of a document's JSON is limited by a budget, which counts its
 * strings and this many bytes per member of an object: about the size of the
 * indented form.  (The compact form counts the same, so that both have the same
 * content.)  Pages that exceed it are made to break readers; the excess is left
 * out. */
#define CFS_META_CONTENT_MEMBER 16

struct cfs_meta_content {
	struct cfs_json *j;
	struct cfs_slice url;	/* the document's, for relative links */
	size_t budget;		/* bytes left */
	bool is_cut;		/* something was left out */
	const struct cfs_cancel *cancel;
};

/* body_bytes: the length of the body, which determines the budget. */
void cfs_meta_content_init(struct cfs_meta_content *c, struct cfs_json *j,
		      struct cfs_slice url, size_t body_bytes,
		      const struct cfs_cancel *cancel);

/*
 * Writes the value of "content" for an HTML document (doc/formats.md, "Content
 * objects"): type, title, meta_tags and links, all but the first omitted if
 * empty.
 *
 * 0, CFS_ENOMEM or CFS_EINTR; failures of j->out are only recorded there.
 */
int cfs_meta_content_html(struct cfs_meta_content *c, struct cfs_slice utf8,
			  struct cfs_error *err);

/* Likewise for an RSS or Atom feed, with the keys "parsed_as" and "content".
 * *is_feed becomes false, and nothing is written, if it is none. */
int cfs_meta_content_feed(struct cfs_meta_content *c, struct cfs_slice utf8,
		     bool *is_feed, struct cfs_error *err);

#endif
