/* doc.h - what kind of document a record's body is, and in which charset.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_DOC_H
#define CFS_VIEW_DOC_H

#include "charset.h"
#include "view_make.h"

/* What the text and the content are taken from. */
enum cfs_doc_kind {
	CFS_DOC_NONE,		/* no text */
	CFS_DOC_HTML,		/* HTML and XHTML */
	CFS_DOC_PLAIN,		/* text as it is */
	CFS_DOC_FEED,		/* RSS and Atom (feed.h) */
};

#define CFS_DOC_MIME_MAX 127	/* bytes kept of a MIME type */

struct cfs_doc {
	enum cfs_doc_kind kind;
	/* declared type, lower case, no parameters; "" if there is none.  Cut
	 * at the first byte that no MIME type has. */
	char mime[CFS_DOC_MIME_MAX + 1];
	bool is_text;		/* of doc/formats.md, "Text types": these have
				 * charset and simhash in the metadata */
	bool has_charset;	/* it has text; with a body */
	struct cfs_charset charset;
	struct cfs_slice body;	/* decoded; of the revisit's target if known */
	bool has_utf8;		/* what cfs_doc_utf8 gives is there already */
	struct cfs_slice utf8;
};

/* Looks at the record, unless in->doc is there; borrows from it. */
void cfs_doc_find(const struct cfs_view_input *in, struct cfs_doc *doc);

/* The document in UTF-8: lends body itself where that is UTF-8 already, else
 * fills conv.  At most max_bytes of the body count.
 * 0; CFS_ENOMEM or CFS_ELIMIT. */
int cfs_doc_utf8(const struct cfs_doc *doc, size_t max_bytes,
		 struct cfs_buf *conv, struct cfs_slice *out,
		 struct cfs_error *err);

#endif
