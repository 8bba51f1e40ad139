/* request.h - what all requests by libcurl have in common: setup, signatures,
 * back-off.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_REQUEST_H
#define CFS_NET_REQUEST_H

#include <curl/curl.h>

#include "http_settings.h"

/* Applies the settings to a new or reset handle: schemes, names, certificates,
 * connect timeout.  HTTP 1.1, no redirections. */
void cfs_request_setup(CURL *e, const struct cfs_http_settings *s);

/* Appends a header line.  False if out of memory: the list is
 * then unchanged. */
bool cfs_request_add_header(struct curl_slist **headers, const char *line);

/* Sets the URL, which is sent unchanged, with any dots.  is_signed: libcurl is
 * to sign the request; some of its versions then refuse a path with "." or
 * "..".  False if out of memory. */
bool cfs_request_set_url(CURL *e, const char *url, bool is_signed);

/* Does libcurl sign a query with a '+' in it?  Some versions take it for a
 * blank, however it is escaped, and the server refuses the signature
 * (curl/curl#20543). */
bool cfs_request_signs_plus(void);

/* Has libcurl sign a request to a service ("s3", "sts") with these
 * credentials; sha256: the hash of its body in hex.  Appends to *headers.
 * False if out of memory. */
bool cfs_request_sign_as(CURL *e, const struct cfs_keys *keys,
			 const char *region, const char *service,
			 const char *sha256, struct curl_slist **headers);

/* Has libcurl sign a request to S3 in a region; sha256: the hash of its body
 * in hex, or "UNSIGNED-PAYLOAD" for none.  Appends to *headers.  False if out
 * of memory. */
bool cfs_request_sign(CURL *e, const struct cfs_s3_setup *s3,
		      const char *region, const char *sha256,
		      struct curl_slist **headers);

/* How long to wait, in milliseconds, after `failures` failed tries in a row (1
 * or more): exponential with full jitter, on top of least_ms, but at least what
 * the server asks for. */
int64_t cfs_request_pause_ms(unsigned failures, int64_t least_ms,
			     uint32_t asked_s);

/* Microseconds of the monotonic clock. */
int64_t cfs_monotonic_us(void);

#endif
