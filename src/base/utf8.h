/* utf8.h - validates, decodes and encodes UTF-8.
 *
 * Well-formed is what RFC 3629 allows: no surrogates, nothing overlong,
 * nothing beyond U+10FFFF.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_UTF8_H
#define CFS_BASE_UTF8_H

#include "buf.h"

#define CFS_UTF8_REPLACEMENT 0xfffdu

/* True if all of s is well-formed. */
bool cfs_utf8_is_valid(struct cfs_slice s);

/* True if all of s is below 0x80. */
bool cfs_utf8_is_ascii(struct cfs_slice s);

/* The length of the well-formed sequence at the start of s, 1 to 4 bytes; 0 if
 * there is none. */
size_t cfs_utf8_len(struct cfs_slice s);

/* The same, and sets *c to the code point if there is one. */
size_t cfs_utf8_decode(struct cfs_slice s, uint32_t *c);

/* The number of characters, if it is well-formed. */
size_t cfs_utf8_chars(struct cfs_slice s);

/* The number of bytes below 0x80 at the start of s. */
size_t cfs_ascii_run(struct cfs_slice s);

/* Writes a code point, at most U+10FFFF, and returns its length, 1 to 4. */
size_t cfs_utf8_put(uint8_t out[4], uint32_t c);

/* Appends a code point.  Surrogates, 0 and values beyond U+10FFFF become
 * U+FFFD. */
void cfs_utf8_add(struct cfs_buf *b, uint32_t c);

/* Appends s with U+FFFD for each byte that is not part of UTF-8. */
void cfs_utf8_add_mended(struct cfs_buf *b, struct cfs_slice s);

/* Appends s with %XX for each byte that is not part of UTF-8, and for bytes up
 * to `last` and U+007F, unless that is negative: a URL so written is the same
 * one to a server. */
void cfs_utf8_add_percent(struct cfs_buf *b, struct cfs_slice s, int last);

#endif
