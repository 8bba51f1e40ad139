/* same_url.h - the spellings of a URL that are taken for the same, and those by
 * which lists name a record.
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

/*
 * Makes *out form i, from 0, of the URL of a record, as lists of captures may
 * have it: as it is; with the bytes escaped that are no UTF-8, as all rows of
 * JSON have to; with blanks and control characters escaped, too, as in lines of
 * CDX; with a scheme, if it has none; the same without its fragment, which keys
 * of PB-trees and CDX lack.  False: there are no more.
 */
bool cfs_url_listed(struct cfs_slice url, unsigned i, struct cfs_buf *out);

/* As cfs_index_url_key. */
typedef int cfs_url_key_fn(struct cfs_slice url, struct cfs_buf *out);

/* True if a record with this URL is that of an entry with this key and URL, of
 * which one may be empty: a form of its URL is the entry's, or has the same
 * key. */
bool cfs_url_is_of(struct cfs_slice url, struct cfs_slice key,
		   struct cfs_slice listed, cfs_url_key_fn *key_of);

#endif
