/* lenient_url.h - other readings of a URL or prefix that a user typed or
 * pasted.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_URL_LENIENT_URL_H
#define CFS_URL_LENIENT_URL_H

#include "base/buf.h"

/* The pages that a URL or PREFIX (crawl/target.h) covers. */
enum cfs_lenient_kind {
	CFS_LENIENT_PAGE,  /* a URL: that page */
	CFS_LENIENT_BEGIN, /* a URL with `*`: all in the folder of the key's
			    * last component that begin like that component
			    * without its last letter, which replaces `*` */
	CFS_LENIENT_HOSTS, /* a host: its pages, and those of subdomains */
	CFS_LENIENT_PATH,  /* a path: that page, its queries, all below */
	CFS_LENIENT_BELOW, /* a path that ends in `/`: all below it */
};

/* Appends the URL whose key finds what the user typed, which must not be empty.
 * Returns what that covers. */
enum cfs_lenient_kind cfs_lenient_read(struct cfs_slice typed,
				       struct cfs_buf *url);

/*
 * Appends reading number i, from 0, of a URL or PREFIX: that of
 * cfs_lenient_url or cfs_lenient_prefix, or number i + 1 of cfs_wildcard_read,
 * whose number 0 is what such a text means as it stands.  "file:/a" is read as
 * "file:///a".  False as for these.
 */
bool cfs_lenient_other(struct cfs_slice typed, unsigned i, struct cfs_buf *out);

/*
 * Appends reading number i of a URL, from 0, the likeliest first; a `*` at its
 * end is kept.  Readings that equal the text or an earlier one are left out.
 * False if there are no more, or if memory runs out (out has failed).
 *
 *     - as a browser sends it: without quotes around it, fragment and outer
 *       blanks; with blanks, quotes and non-ASCII bytes escaped, and the host
 *       in ASCII
 *     - without its fragment
 *     - with escapes of non-ASCII bytes undone, without fragment and with it:
 *       crawlfs shows a URL escaped if such bytes are not UTF-8
 */
bool cfs_lenient_url(struct cfs_slice typed, unsigned i, struct cfs_buf *out);

/*
 * Appends the PREFIX (crawl/target.h) for a domain in the usual order
 * (www.example.com, also with port and path) or a SURT key
 * (com,example,www)/path).  False if the text is neither.
 */
bool cfs_lenient_prefix(struct cfs_slice typed, struct cfs_buf *out);

/* Appends a URL, or a part of one, as people read it: escapes of characters
 * beyond ASCII are undone, other escapes stay. */
void cfs_url_add_readable(struct cfs_slice url, struct cfs_buf *out);

/*
 * Appends the URL of the page that the address of a web archive is about, with
 * its scheme, and sets *time to Unix seconds, or 0 if the address has none
 * (archived_url.c).  The page may lack its scheme where the time has 14 digits.
 * False, and nothing is appended: the address is of no such form.
 */
bool cfs_url_archived(struct cfs_slice address, struct cfs_buf *url,
		      int64_t *time);

#endif
