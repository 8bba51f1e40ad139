/* utf8.h - UTF-8: well-formed sequences, and code points in and out.
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

/* Bytes of the well-formed sequence that s begins with, 1 to 4; 0 if it
 * begins with none. */
size_t cfs_utf8_len(struct cfs_slice s);

/* The same, and the sequence's code point in *c where there is one. */
size_t cfs_utf8_decode(struct cfs_slice s, uint32_t *c);

/* Bytes below 0x80 that s begins with. */
size_t cfs_ascii_run(struct cfs_slice s);

/* Writes a code point, at most U+10FFFF, and returns its bytes, 1 to 4. */
size_t cfs_utf8_put(uint8_t out[4], uint32_t c);

/* Appends a code point; what is not one (surrogates, 0, beyond U+10FFFF)
 * becomes U+FFFD. */
void cfs_utf8_add(struct cfs_buf *b, uint32_t c);

#endif
