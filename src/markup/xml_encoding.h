/* xml_encoding.h - converts XML documents to UTF-8.
 *
 * Spec: XML 1.0, section 4.3.3 and appendix F.  The encoding is UTF-16 if the
 * document begins with its byte order mark or with a '<' of two bytes;
 * otherwise what the XML declaration says: UTF-8 or US-ASCII (also without one)
 * or ISO-8859-1.  Views, which meet every encoding of the web, do not use this
 * (view/charset.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_MARKUP_XML_ENCODING_H
#define CFS_MARKUP_XML_ENCODING_H

#include "base/buf.h"

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
