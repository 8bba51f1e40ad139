/* entities.h - character references of HTML and XML.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CODEC_ENTITIES_H
#define CFS_CODEC_ENTITIES_H

#include "base/utf8.h"

/*
 * Parses the reference at the start of s, which begins with '&'.
 *
 * Accepts decimal and hexadecimal ones, with or without the semicolon (128 to
 * 159 mean windows-1252; HTML standard, 13.2.5.80), and the names of HTML 4 and
 * XML with their semicolon.  Returns the length of the reference and sets *c to
 * its code point, which may be invalid; 0 if s begins with none.
 */
size_t cfs_entity_ref(struct cfs_slice s, uint32_t *c);

#endif
