/* outline.h - parses HTML into events: starts and ends of elements, and text.
 *
 * It follows the tree construction of the HTML standard (13.2.6) without
 * building a tree: the open elements are kept on a bounded stack, and end tags
 * that authors may omit are supplied (a <p> ends where a block begins, a <li>
 * where the next one does, a cell with its row).
 *
 * Differences to the standard's tree: text between the cells of a table stays
 * where it is written, an <a> continues past the end of the block it began in,
 * and other formatting elements end there.
 *
 * Time is linear in the document, and memory is limited to struct cfs_outline,
 * for any input.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_HTML_OUTLINE_H
#define CFS_HTML_OUTLINE_H

#include "base/buf.h"
#include "base/cancel.h"
#include "base/error.h"
#include "markup/tags.h"
#include "markup/tokenizer.h"

/* Views read at most this many bytes of a document and ignore the rest. */
#define CFS_HTML_BYTES_MAX ((size_t)16 << 20)
/* The same in UTF-8, where a byte of a single-byte set becomes up to three. */
#define CFS_HTML_TEXT_MAX (CFS_HTML_BYTES_MAX * 3)

/* The most elements open at once; further ones end where they begin. */
#define CFS_HTML_DEPTH_MAX 256u
/* The most <a> open at once (nested by tables). */
#define CFS_HTML_LINKS_MAX 16u
/* The most bytes of an attribute's value before decoding; the rest is left
 * out. */
#define CFS_HTML_VALUE_MAX ((size_t)1 << 20)
/* The most bytes that such a value and its name have, decoded. */
#define CFS_HTML_DECODED_MAX (CFS_HTML_VALUE_MAX * 6 + 64)
/* The most receivers of one pass: each is a bit of an uint8_t. */
#define CFS_HTML_SINKS_MAX 8u

/*
 * Appends a page that a server has streamed (streamed.c) as its scripts would
 * make it: in the place of each template, and of what is shown meanwhile, what
 * its segment has.  Segments that no script moves stay, hidden, and so do
 * templates without one.
 *
 * utf8   the page, well-formed
 * moved  set to false if nothing is to be moved: then nothing is appended
 *
 * The result is no longer than the page, and time is linear in it: places are
 * searched at most some thousand times.  0; CFS_ENOMEM; out may have failed.
 */
int cfs_html_unstream(struct cfs_slice utf8, struct cfs_buf *out, bool *moved,
		      struct cfs_error *err);

/* An element, valid during the event. */
struct cfs_html_el {
	enum cfs_html_tag tag;
	bool is_html;			/* false: SVG or MathML */
	const struct cfs_html_token *token;	/* its start tag; NULL in end
						 * events */
	struct cfs_buf *decoded;	/* see cfs_html_el_get */
};

/* The decoded attribute i < token->n_attrs, in source order; no name occurs
 * twice.  For start events only.  The result is valid until the next call of
 * this function or the next one. */
struct cfs_html_attr cfs_html_el_attr(const struct cfs_html_el *el, unsigned i);
/* Finds the decoded value of an attribute by its lower-case name.  False if
 * there is none. */
bool cfs_html_el_get(const struct cfs_html_el *el, struct cfs_slice name,
		     struct cfs_slice *value);

/*
 * The receiver of the events, which come in document order.  Text is decoded
 * UTF-8; a text may come in several calls.
 *
 * start  returns false to leave out the element's content and end
 * end    is called for each element whose start returned true, also void ones
 * formula  takes a formula in TeX that may stand between dollars, without them,
 *        in place of its elements (formula.h); NULL: these are sent as others
 *        are.  is_display: it is shown on a line of its own
 */
struct cfs_html_sink {
	bool (*start)(void *arg, const struct cfs_html_el *el);
	void (*end)(void *arg, const struct cfs_html_el *el);
	void (*text)(void *arg, struct cfs_slice s);
	void *arg;
	void (*formula)(void *arg, struct cfs_slice tex, bool is_display);
};

/*
 * Parses a document or a fragment, and calls the sink.  utf8 must be
 * well-formed.  0, CFS_ENOMEM or CFS_EINTR.  Nothing in the document is an
 * error.
 */
int cfs_html_outline(struct cfs_slice utf8, const struct cfs_html_sink *sink,
		     struct cfs_ctx ctx);

/* The same for n receivers in one pass, 1 to CFS_HTML_SINKS_MAX: each gets what
 * it would get alone, whatever the others leave out.  An event comes to them in
 * the order of the array. */
int cfs_html_outline_for(struct cfs_slice utf8,
			 const struct cfs_html_sink *sinks, unsigned n,
			 struct cfs_ctx ctx);

#endif
