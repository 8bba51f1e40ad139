/* doc.h - finds the kind of document that a body is, and its charset.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_DOC_H
#define CFS_VIEW_DOC_H

#include "charset.h"
#include "view_make.h"

struct cfs_feed;
struct cfs_html_el;	/* html/outline.h */
struct cfs_html_sink;
struct cfs_page_text;
struct cfs_pdf_texts;	/* pdf/pdf.h */

/* The kinds of documents that text and content are extracted from. */
enum cfs_doc_kind {
	CFS_DOC_NONE,		/* no text */
	CFS_DOC_HTML,		/* HTML and XHTML */
	CFS_DOC_PLAIN,		/* plain text */
	CFS_DOC_FEED,		/* RSS and Atom (feed.h) */
	CFS_DOC_PDF,		/* pdf/pdf.h */
};

#define CFS_DOC_MIME_MAX 127	/* bytes kept of a MIME type */

struct cfs_doc {
	enum cfs_doc_kind kind;
	/* The declared type in lower case, without parameters, cut at the first
	 * byte that no MIME type contains; "" if there is none. */
	char mime[CFS_DOC_MIME_MAX + 1];
	bool is_text;		/* one of doc/formats.md, "Text types": these
				 * have charset and simhash in the metadata */
	bool has_charset;	/* `charset` is set: text with a body */
	struct cfs_charset charset;
	struct cfs_slice body;	/* the body that is shown: for a revisit that
				 * of its target, if known */
	enum cfs_pages pages;	/* the body's */
	bool has_utf8;		/* `utf8` is set, for cfs_doc_utf8 */
	struct cfs_slice utf8;
	struct cfs_pdf_texts *pdf;	/* those of a PDF, for all views of the
					 * document; borrowed.  NULL: it is read
					 * for each */
};

/* Fills doc from the record, from which it borrows; or copies in->doc, if that
 * is given. */
void cfs_doc_find(const struct cfs_view_input *in, struct cfs_doc *doc);

/* Sets *out to the document in UTF-8: borrowed from the body if that is UTF-8
 * already, otherwise converted into conv.  Reads at most max_bytes of the body.
 * 0, CFS_ENOMEM or CFS_ELIMIT. */
int cfs_doc_utf8(const struct cfs_doc *doc, size_t max_bytes,
		 struct cfs_buf *conv, struct cfs_slice *out,
		 struct cfs_error *err);

/* Completes a page of HTML in UTF-8 as its scripts would, where that is known
 * (cfs_html_unstream, cfs_html_unhide): *utf8, which may be borrowed from conv,
 * then is.  Other documents stay.  0 or CFS_ENOMEM. */
int cfs_doc_complete(const struct cfs_doc *doc, struct cfs_buf *conv,
		     struct cfs_slice *utf8, struct cfs_error *err);

/* Finds the document in UTF-8 as views show it: the first CFS_HTML_BYTES_MAX,
 * completed.  Codes as cfs_doc_utf8. */
int cfs_doc_page(const struct cfs_doc *doc, struct cfs_buf *conv,
		 struct cfs_slice *out, struct cfs_error *err);

/*
 * Appends the readable text of a document to out, as the .txt view has it.
 *
 * title  NULL; or the title of a page or feed is appended to it, on one line,
 *        as the text has it
 *
 * Codes as cfs_view_render; failed appends may be recorded in out and title
 * only.
 */
int cfs_text_of_doc(const struct cfs_doc *doc, struct cfs_buf *out,
		    struct cfs_buf *title, struct cfs_ctx ctx);

/*
 * The same for a page of HTML whose outline is read for something else, too.
 * begin sets *sink, which receives the outline.  end appends what is left and
 * frees t, which may be NULL if rc is a failure.  It returns rc, that of the
 * outline, or CFS_ENOMEM.
 */
int cfs_page_text_begin(struct cfs_buf *out, struct cfs_page_text **t,
			struct cfs_html_sink *sink, struct cfs_error *err);
int cfs_page_text_end(struct cfs_page_text *t, struct cfs_buf *title, int rc,
		      struct cfs_error *err);

/* Parses a document that is a feed.  Codes of cfs_doc_utf8 and cfs_feed_parse
 * (feed.h); free *feed with cfs_feed_release in any case. */
int cfs_doc_feed(const struct cfs_doc *doc, struct cfs_feed *feed,
		 struct cfs_ctx ctx);

/* The title is looked for in so many bytes of the page: with a few exceptions
 * it is in the first hundred. */
#define CFS_TITLE_BYTES_READ ((size_t)256 << 10)
/* Longer titles are cut. */
#define CFS_TITLE_MAX 4096u

/* Appends the text of the first <title>, in UTF-8, without white space at its
 * ends and with one blank for white space inside; nothing if there is none.
 * 0, CFS_ENOMEM or CFS_EINTR. */
int cfs_view_title(const struct cfs_doc *doc, struct cfs_buf *out,
		   struct cfs_ctx ctx);

/* ---- the facts that a page states of it (page_facts.c) ------------------ */

/* The numbers of facts. */
enum cfs_page_fact {
	CFS_FACT_LANG,		/* the lang attribute of <html> */
	CFS_FACT_CANONICAL,	/* an absolute URL */
	CFS_FACT_AUTHOR,
	CFS_FACT_PUBLISHED,	/* as the page has it */
	CFS_FACT_DESCRIPTION,
	CFS_FACT_ROBOTS,	/* statements of its elements: robots.h */
	CFS_FACTS
};

/* Longer values are cut, where a character ends. */
#define CFS_FACT_BYTES_MAX ((size_t)64 << 10)

/*
 * Appends what a page of HTML says to the buffers of the facts that are wanted;
 * the others are NULL.  A fact that it does not say, or not as a URL, leaves
 * its buffer empty.
 *
 * url    the page's, for relative links
 *
 * 0; CFS_ENOMEM; CFS_EINTR.  Failures of the buffers are recorded there.
 */
int cfs_page_facts_read(const struct cfs_doc *doc, struct cfs_slice url,
			struct cfs_buf *const facts[CFS_FACTS],
			struct cfs_ctx ctx);

/* True of a script whose text is JSON-LD, by its type (schema.org). */
bool cfs_html_is_json_ld(const struct cfs_html_el *el);

#endif
