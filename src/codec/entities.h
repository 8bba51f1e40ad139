/* entities.h - character references of HTML and XML.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CODEC_ENTITIES_H
#define CFS_CODEC_ENTITIES_H

#include "base/utf8.h"

/*
 * The reference that s, which begins with '&', begins with.
 *
 * Decimal and hexadecimal ones, with or without the semicolon, 128 to 159
 * meaning windows-1252 (HTML standard, 13.2.5.80); the names of HTML 4 and
 * XML with their semicolon.  Returns its length and the code point in *c,
 * which need not be a good one; 0 if s begins with none.
 */
size_t cfs_entity_ref(struct cfs_slice s, uint32_t *c);

#endif
