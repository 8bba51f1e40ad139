/* references.h - decodes character references: &amp; &#65; &notin;
 *
 * Spec: the HTML standard, sections 13.2.5.72 to 13.2.5.80 and 13.5; XML 1.0,
 * sections 4.1 and 4.6.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_MARKUP_REFERENCES_H
#define CFS_MARKUP_REFERENCES_H

#include "base/slice.h"

/* The most bytes that a reference stands for: two code points in UTF-8. */
#define CFS_REFERENCE_BYTES 8u

/* Which references there are.  Numbers may lack their semicolon everywhere. */
enum cfs_reference_rules {
	CFS_REFERENCE_HTML,	/* text of HTML: the names of HTML, of which
				 * some may lack their semicolon */
	CFS_REFERENCE_ATTR,	/* an attribute's value in HTML: such a name is
				 * text if '=' or a letter or digit follows */
	CFS_REFERENCE_FEED,	/* the names of HTML with their semicolon */
	CFS_REFERENCE_XML,	/* the five names of XML with their semicolon;
				 * 128 to 159 mean themselves, and not what
				 * windows-1252 has there */
};

/*
 * Decodes the reference at the start of s, which begins with '&'.  out is set
 * to its characters, *out_n bytes of UTF-8; a number that is not a character
 * stands for U+FFFD.
 *
 * Returns its length in s; 0 if there is none, and the '&' is text.
 */
size_t cfs_reference_parse(struct cfs_slice s, enum cfs_reference_rules rules,
			   uint8_t out[CFS_REFERENCE_BYTES], size_t *out_n);

#endif
