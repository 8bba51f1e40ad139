/* references.h - decodes character references of HTML: &amp; &#65; &notin;
 *
 * Spec: the HTML standard, sections 13.2.5.72 to 13.2.5.80 and 13.5.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_MARKUP_REFERENCES_H
#define CFS_MARKUP_REFERENCES_H

#include "base/slice.h"

/* The most bytes that a reference stands for: two code points in UTF-8. */
#define CFS_REFERENCE_BYTES 8u

/*
 * Decodes the reference at the start of s, which begins with '&'.
 *
 * in_attr   s is in an attribute value, where a name without its semicolon is
 *           text if '=' or a letter or digit follows
 * out       set to its characters, *out_n bytes of UTF-8
 *
 * Returns its length in s; 0 if there is none, and the '&' is text.
 */
size_t cfs_reference_parse(struct cfs_slice s, bool in_attr,
			   uint8_t out[CFS_REFERENCE_BYTES], size_t *out_n);

#endif
