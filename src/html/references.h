/* references.h - character references of HTML: &amp; &#65; &notin;
 *
 * The HTML standard, sections 13.2.5.72 to 13.2.5.80 and 13.5.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_HTML_REFERENCES_H
#define CFS_HTML_REFERENCES_H

#include "base/slice.h"

/* Two code points in UTF-8, the most that a reference stands for. */
#define CFS_REFERENCE_BYTES 8u

/*
 * The reference that s, which begins with '&', begins with.
 *
 * in_attr   it stands in the value of an attribute, where a name without its
 *           semicolon is text if '=' or a letter or digit follows
 * out       what it stands for, *out_n bytes of UTF-8
 *
 * Returns its length in s; 0 if s begins with none: its '&' is text.
 */
size_t cfs_reference_parse(struct cfs_slice s, bool in_attr,
			   uint8_t out[CFS_REFERENCE_BYTES], size_t *out_n);

#endif
