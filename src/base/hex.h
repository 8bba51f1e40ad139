/* hex.h - bytes as hexadecimal and other digits, and the percent escapes of
 * URLs.
 *
 * Spec: RFC 3986, section 2.1; a query's '+' as HTML forms have it; RFC 4648,
 * sections 4 to 6 and 8.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_HEX_H
#define CFS_BASE_HEX_H

#include "buf.h"

/* The unreserved characters of RFC 3986 besides letters and digits. */
#define CFS_UNRESERVED "-._~"

/* Writes n bytes as 2 * n digits in lower case, without a NUL. */
void cfs_hex_put(const uint8_t *p, size_t n, char *out);

/* Appends n bytes as digits in lower case. */
void cfs_hex_add(struct cfs_buf *out, const uint8_t *p, size_t n);

/* Reads n bytes from 2 * n digits of either case.  False, with *out undefined,
 * if s is anything else. */
bool cfs_hex_read(struct cfs_slice s, uint8_t *out, size_t n);

/* Writes n bytes as digits of so many bits each, without padding or a NUL: 4
 * (hexadecimal, in lower case), 5 (base 32) or 6 (base 64).  Returns their
 * number, at most 2 * n. */
size_t cfs_digits_put(const uint8_t *p, size_t n, unsigned bits, char *out);

/* Reads n bytes from such digits, of either case in bases 16 and 32, and of
 * either alphabet in base 64.  False, with *out undefined, if s is anything
 * else. */
bool cfs_digits_read(struct cfs_slice s, unsigned bits, uint8_t *out, size_t n);

/* Appends a byte as an escape, whose digits are in upper case. */
void cfs_percent_add(struct cfs_buf *out, uint8_t c);

/* The byte of the escape that s begins with; -1 if it begins with none. */
int cfs_percent_value(struct cfs_slice s);

/* Appends s with escapes for all bytes but letters, digits and those of
 * `kept`. */
void cfs_percent_encode(struct cfs_slice s, const char *kept,
			struct cfs_buf *out);

/* Appends s without its escapes; one that is not valid stands for itself.
 * is_query: '+' is a blank.  Returns out->failed. */
int cfs_percent_decode(struct cfs_slice s, bool is_query, struct cfs_buf *out);

#endif
