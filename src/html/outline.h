/* outline.h - an HTML document as starts and ends of elements and their text.
 *
 * What the tree construction of the HTML standard (13.2.6) makes of a page's
 * tags, without a tree: which elements are open is kept on a bounded stack,
 * and end tags that HTML lets authors leave out are supplied (a <p> ends
 * where a block begins, a <li> where the next one does, a cell with its row).
 *
 * Other than a tree: text between the cells of a table stays where it is
 * written, an <a> goes on over the end of the block it began in, and other
 * formatting elements end there.
 *
 * Time is linear in the document and memory that of the structure below,
 * whatever comes in.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_HTML_OUTLINE_H
#define CFS_HTML_OUTLINE_H

#include "base/buf.h"
#include "base/cancel.h"
#include "base/error.h"
#include "tags.h"
#include "tokenizer.h"

/* At most this much of a document is read by the views; the rest is ignored. */
#define CFS_HTML_BYTES_MAX ((size_t)16 << 20)
/* The same in UTF-8: a byte of a single-byte set becomes up to three. */
#define CFS_HTML_TEXT_MAX (CFS_HTML_BYTES_MAX * 3)

/* Elements open at once; those beyond it end where they begin. */
#define CFS_HTML_DEPTH_MAX 256u
/* <a> open at once (one in a table in one ...). */
#define CFS_HTML_LINKS_MAX 16u
/* Bytes of one attribute's value as it stands; the rest of it is left out. */
#define CFS_HTML_VALUE_MAX ((size_t)1 << 20)

/* An element, valid during the event. */
struct cfs_html_el {
	enum cfs_html_tag tag;
	bool is_html;			/* false: SVG or MathML */
	const struct cfs_html_token *token;	/* of start; NULL at its end */
	struct cfs_buf *decoded;	/* see cfs_html_el_get */
};

/* Of start events, what it returns being valid until the next call of these
 * two: attribute i < token->n_attrs, decoded; in source order, no name
 * twice. */
struct cfs_html_attr cfs_html_el_attr(const struct cfs_html_el *el, unsigned i);
/* An attribute's decoded value by its lower-case name.  False: none. */
bool cfs_html_el_get(const struct cfs_html_el *el, struct cfs_slice name,
		     struct cfs_slice *value);

/*
 * The receiver.  Events come in document order; text is UTF-8, decoded, in
 * pieces of any length.
 *
 * start  false: leave out what is inside, and the element's end
 * end    of each element whose start returned true, void ones too
 */
struct cfs_html_sink {
	bool (*start)(void *arg, const struct cfs_html_el *el);
	void (*end)(void *arg, const struct cfs_html_el *el);
	void (*text)(void *arg, struct cfs_slice s);
	void *arg;
};

/*
 * Sends a document, or a fragment of one, through a sink.
 * utf8: well-formed.  0; CFS_ENOMEM; CFS_EINTR.  Nothing in the document is an
 * error.
 */
int cfs_html_outline(struct cfs_slice utf8, const struct cfs_html_sink *sink,
		     const struct cfs_cancel *cancel, struct cfs_error *err);

#endif
