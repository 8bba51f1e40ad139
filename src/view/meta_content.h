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

struct cfs_html_sink;		/* html/outline.h */
struct cfs_meta_page;

struct cfs_meta_content {
	struct cfs_json *j;
	struct cfs_slice url;	/* the document's, for relative links */
	size_t budget;		/* bytes left */
	bool is_cut;		/* something was left out */
	const struct cfs_cancel *cancel;
	struct cfs_meta_page *page;	/* found by cfs_meta_content_read */
};

/* body_bytes: the length of the body, which determines the budget. */
void cfs_meta_content_init(struct cfs_meta_content *c, struct cfs_json *j,
		      struct cfs_slice url, size_t body_bytes,
		      const struct cfs_cancel *cancel);

/*
 * Finds what the "content" of an HTML document has, and keeps it in c for
 * cfs_meta_content_put, which is to be called in any case.
 *
 * also   another receiver of the same pass over the document; or NULL
 *
 * 0, CFS_ENOMEM or CFS_EINTR.
 */
int cfs_meta_content_read(struct cfs_meta_content *c, struct cfs_slice utf8,
			  const struct cfs_html_sink *also,
			  struct cfs_error *err);

/*
 * Writes the value of "content" for an HTML document (doc/formats.md, "Content
 * objects"): type, title, meta_tags and links, all but the first omitted if
 * empty.
 *
 * rc     of cfs_meta_content_read; after a failure nothing is written
 *
 * rc, or CFS_ENOMEM; failures of j->out are only recorded there.
 */
int cfs_meta_content_put(struct cfs_meta_content *c, int rc,
			 struct cfs_error *err);

/* Writes it for an RSS or Atom feed, with the keys "parsed_as" and "content".
 * *is_feed becomes false, and nothing is written, if it is none. */
int cfs_meta_content_feed(struct cfs_meta_content *c, struct cfs_slice utf8,
		     bool *is_feed, struct cfs_error *err);

#endif
