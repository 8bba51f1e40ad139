/* http.h - sources over HTTP and S3: objects on servers, read by ranges.
 *
 * Opening costs no request; the first answer reports the size.  One thread of
 * the process does all transfers (fetch.h).  Every answer is checked: status,
 * Content-Range, length, and that it is of the same state of the object as
 * the first answer was (ETag, size, else date).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_HTTP_H
#define CFS_NET_HTTP_H

#include "source/source.h"

/* Opens an http:, https: or s3: URL.  CFS_EUNSUPPORTED for other schemes,
 * CFS_EFORMAT for what is not a URL, CFS_ENOMEM. */
int cfs_http_open(struct cfs_source **out, const char *url,
		  struct cfs_error *err);

#endif
