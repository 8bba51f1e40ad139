/* html.h - an HTML document as a stream of events, in bounded time and memory.
 *
 * The document is parsed by Gumbo into a tree, and the tree is walked.  A
 * document that would make Gumbo need too much time or memory (see html.c) is
 * read by a flat tokenizer instead (html_flat.c): the same events, fewer
 * guarantees.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_HTML_H
#define CFS_VIEW_HTML_H

#include <gumbo.h>

#include "base/buf.h"
#include "base/cancel.h"
#include "base/error.h"

/* At most this much of a document is parsed; the rest is ignored. */
#define CFS_HTML_BYTES_MAX ((size_t)16 << 20)
/* The same in UTF-8: a byte of a single-byte set becomes up to three. */
#define CFS_HTML_TEXT_MAX (CFS_HTML_BYTES_MAX * 3)

struct cfs_html_attr {
	struct cfs_slice name, value;	/* name lower case, value decoded */
};

/* An element, valid during the event. */
struct cfs_html_el {
	GumboTag tag;
	bool is_html;		/* false: SVG or MathML */
	bool is_flat;		/* from the flat tokenizer */
	unsigned n_attrs;
	/* one of the two: */
	const GumboVector *tree_attrs;
	const struct cfs_html_attr *flat_attrs;
};

/* Attribute i < n_attrs, in source order, no name twice. */
struct cfs_html_attr cfs_html_attr_at(const struct cfs_html_el *el, unsigned i);
/* False where there is none of that (lower case) name. */
bool cfs_html_attr_get(const struct cfs_html_el *el, const char *name,
		       struct cfs_slice *value);

/*
 * The receiver.  Events come in document order; text is UTF-8, entities
 * decoded, in pieces of any length.
 * start returns false to leave out what is inside (and its end).
 *
 * From a tree each start that returned true gets its end, void elements too.
 * From the flat tokenizer that holds for <a>, <title> and what holds raw text
 * (script, style, textarea, iframe, ...); for other elements starts and ends
 * come as written, and the end of an element left out is where its end tag, or
 * the end of a block that it is in, seems to be.
 */
struct cfs_html_sink {
	bool (*start)(void *arg, const struct cfs_html_el *el);
	void (*end)(void *arg, const struct cfs_html_el *el);
	void (*text)(void *arg, struct cfs_slice s);
	void *arg;
};

/*
 * Sends a document through a sink.
 *
 * utf8        well-formed, at most CFS_HTML_TEXT_MAX bytes (more is cut off)
 * body_bytes  length of the document as archived: time and memory go by it
 * 0; CFS_ENOMEM; CFS_EINTR.  Nothing in the document is an error.
 */
int cfs_html_walk(struct cfs_slice utf8, size_t body_bytes,
		  const struct cfs_html_sink *sink,
		  const struct cfs_cancel *cancel, struct cfs_error *err);

/* The same by the flat tokenizer alone: linear time, no memory to speak of. */
int cfs_html_walk_flat(struct cfs_slice utf8, const struct cfs_html_sink *sink,
		       const struct cfs_cancel *cancel, struct cfs_error *err);

#endif
