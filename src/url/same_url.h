/* same_url.h - the spellings of a URL that are taken for the same.
 *
 * Two URLs are the same if they differ in nothing but their scheme (http, https
 * or ftp, which keys of indexes leave out), a "www." in front of the host, and
 * a slash at the end of the path.  Whoever looks for a URL asks this function
 * (crawl/target.c).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_URL_SAME_URL_H
#define CFS_URL_SAME_URL_H

#include "base/buf.h"

/* Number 0 is the URL itself; the path is the same in even ones. */
#define CFS_URL_SPELLINGS 4u

/* Makes *out spelling i of a URL.  False: there is no such spelling. */
bool cfs_url_same(struct cfs_slice text, unsigned i, struct cfs_buf *out);

#endif
