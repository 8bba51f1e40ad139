/* xml_reader.h - reads XML as starts and ends of elements, and text.
 *
 * Spec: XML 1.0, section 3; Namespaces in XML 1.0.  A document that is not
 * well-formed is mended: an end tag ends the element that it names and those
 * open inside it, one that ends nothing is dropped, and the end of the document
 * ends all.
 *
 * Time is linear in the document, times the small limits below.  Memory is the
 * structure below and the URIs of the namespaces in scope.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_MARKUP_XML_READER_H
#define CFS_MARKUP_XML_READER_H

#include "xml.h"

/* The most elements open at once; the tags of further ones are left out, and
 * their text is that of the element around them. */
#define CFS_XML_DEPTH_MAX 100u
#define CFS_XML_SCOPE_MAX 64u		/* namespaces in scope */
#define CFS_XML_URI_MAX 1024u		/* bytes of a URI; the rest is cut off */

/* An element's name.  Prefix and URI may be empty, the URI also for a prefix
 * that is not declared. */
struct cfs_xml_name {
	struct cfs_slice prefix, local, uri;
};

enum cfs_xml_event {
	CFS_XML_START,
	CFS_XML_END,
	CFS_XML_TEXT,		/* decoded text, of any length */
	CFS_XML_BREAK,		/* a comment or an instruction */
	CFS_XML_EOF,
};

struct cfs_xml_open {
	struct cfs_slice name;		/* with its prefix */
	unsigned n_scope;		/* namespaces that it declares */
};

struct cfs_xml_scope {
	struct cfs_slice prefix;
	size_t at, n;			/* its URI in `uris` */
};

/* A reader must not be moved after cfs_xml_reader_init. */
struct cfs_xml_reader {
	/* The last event: name of an element that starts or ends, or text, both
	 * valid until the next one. */
	struct cfs_xml_name name;
	struct cfs_slice text;
	/* The rest is private. */
	struct cfs_html_tokenizer tokens;
	const char *roots;
	struct cfs_xml_open open[CFS_XML_DEPTH_MAX];
	unsigned n_open, n_stay;	/* n_stay: those that are not ending */
	size_t too_deep;		/* open elements that were left out */
	struct cfs_xml_scope scope[CFS_XML_SCOPE_MAX];
	unsigned n_scope;
	struct cfs_buf uris;
	bool is_over;			/* the root element has ended */
	bool is_flawed;			/* its elements are not in order */
};

/*
 * utf8        well-formed, borrowed until the last event
 * references  CFS_REFERENCE_XML or CFS_REFERENCE_FEED
 * roots       names without prefixes, separated by blanks: the root element is
 *             the first one with one of them, in any case of letters, and what
 *             is before it is skipped; NULL: the first element
 */
void cfs_xml_reader_init(struct cfs_xml_reader *r, struct cfs_slice utf8,
			 enum cfs_reference_rules references,
			 const char *roots);
void cfs_xml_reader_release(struct cfs_xml_reader *r);

/* Reads the next event.  Each start has an end, also those of "<a/>".  After
 * the end of the root element, and in a document without one, CFS_XML_EOF, also
 * when called again.  If there is no memory for a URI, its namespace counts as
 * not declared, and r->uris.failed is set. */
enum cfs_xml_event cfs_xml_next(struct cfs_xml_reader *r);

/* The attributes of the element that has just started, not decoded, in order,
 * repeated ones included.  Declarations of namespaces are among them. */
static inline unsigned cfs_xml_attrs(const struct cfs_xml_reader *r,
				     const struct cfs_html_attr **attrs)
{
	*attrs = r->tokens.token.attrs;
	return r->tokens.token.n_attrs;
}

/* True if there was a DTD so far. */
static inline bool cfs_xml_has_doctype(const struct cfs_xml_reader *r)
{
	return r->tokens.xml.had_doctype;
}

/* True for "xmlns" and "xmlns:a". */
bool cfs_xml_is_declaration(struct cfs_slice attr_name);

/* To be called after CFS_XML_EOF: true if the whole document is well-formed,
 * and has a root element and no DTD.  Not all of XML's rules are checked: the
 * XML declaration and names of namespaces may be any. */
bool cfs_xml_is_sound(struct cfs_xml_reader *r);

#endif
