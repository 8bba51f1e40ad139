/* xml.h - the tokenizer's mode for XML, well-formed or not.
 *
 * Spec: XML 1.0 (fifth edition), sections 2 and 3.  The differences to HTML:
 * names keep their case and have colons, no element has another kind of text,
 * and there are CDATA sections, processing instructions and "/>".
 *
 * Real documents, feeds above all, are often not well-formed.  They are mended
 * as they are read, and t->xml.is_flawed says so; a caller that wants XML and
 * nothing else looks there.
 *
 *   - A '<' that begins no tag, and a '&' that begins no reference, are text.
 *   - A tag ends at the next '<' at the latest, and so does the value of an
 *     attribute.  What is no attribute in a tag is skipped.
 *   - Characters that XML does not allow become blanks, NUL and U+FFFE and
 *     U+FFFF become U+FFFD.
 *   - What has no end ends with the document; a tag without one is dropped.
 *
 * Names are those of ASCII letters, digits and "_-.", with at most one colon;
 * XML allows more.  A DTD is skipped: no entity that it declares is expanded,
 * and no default of an attribute is added.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_MARKUP_XML_H
#define CFS_MARKUP_XML_H

#include "tokenizer.h"

#define CFS_XML_NAME_MAX 128u	/* bytes of a name with its prefix */
/* The most attributes of one tag, and bytes of a value before decoding; more
 * are left out. */
#define CFS_XML_ATTRS_MAX 64u
#define CFS_XML_VALUE_MAX ((size_t)65536)

/*
 * Begins a document, which cfs_html_next then reads.  utf8 must be well-formed,
 * and is borrowed until the last token.  references is CFS_REFERENCE_XML or
 * CFS_REFERENCE_FEED.
 *
 * Tokens differ from those of HTML in this: tag is CFS_TAG_OTHER, attributes
 * may have the same name several times (a flaw), doctype is not set, and text
 * is decoded as XML.
 */
void cfs_xml_begin(struct cfs_html_tokenizer *t, struct cfs_slice utf8,
		   enum cfs_reference_rules references);

/* Appends an attribute's value with its references decoded, and with blanks for
 * its white space, also for that of references. */
void cfs_xml_value(struct cfs_slice raw, enum cfs_reference_rules references,
		   struct cfs_buf *out);

/* The length of a declaration such as <!DOCTYPE a [ <!ENTITY b "c>"> ]> at the
 * start of s; 0 if it does not end. */
size_t cfs_xml_doctype_len(struct cfs_slice s);

/* ---- encodings (xml_encoding.c) ---- */

/*
 * Sets *utf8 to the document without its byte order mark: in `in` itself, or in
 * `out` if it was converted, which takes at most three times its bytes.
 *
 * Returns false if the document has bytes that its encoding has not, for which
 * U+FFFD stands, another encoding, and is then read as UTF-8, or an XML
 * declaration that is not as XML prescribes.  *utf8 is not complete if
 * out->failed.
 */
bool cfs_xml_to_utf8(struct cfs_slice in, struct cfs_buf *out,
		     struct cfs_slice *utf8);

#endif
