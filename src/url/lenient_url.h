/* lenient_url.h - what else a URL or a prefix may stand for that a user typed
 * or pasted.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_URL_LENIENT_URL_H
#define CFS_URL_LENIENT_URL_H

#include "base/buf.h"

/* What a URL or PREFIX (crawl/target.h) covers, by the components of its URL's
 * key. */
enum cfs_lenient_kind {
	CFS_LENIENT_PAGE,  /* a URL: that page */
	CFS_LENIENT_BEGIN, /* a URL with `*`: all in the last component's
				 * folder that begin like it, less one letter */
	CFS_LENIENT_HOSTS, /* a host: its pages, and its subdomains' */
	CFS_LENIENT_PATH,  /* a path: that page, its queries, what is below */
	CFS_LENIENT_BELOW, /* one with a `/` at its end: what is below */
};

/* Appends the URL whose key a text, which is not empty, is looked for by; says
 * what the text covers. */
enum cfs_lenient_kind cfs_lenient_read(struct cfs_slice typed,
				       struct cfs_buf *url);

/*
 * Appends reading number i, from 0, of a URL or PREFIX other than as it stands:
 * one of those below.  False as they have it.
 */
bool cfs_lenient_other(struct cfs_slice typed, unsigned i, struct cfs_buf *out);

/*
 * Appends reading number i of a URL, other than as it stands, the likelier ones
 * first; a `*` at its end stays there.  They differ from each other and from
 * the text.  False if there are no more, or without memory (out has failed).
 *
 *     - without quotes round it, as a browser sends it: without fragment and
 *       outer blanks; blanks,
 *       quotes and bytes beyond ASCII escaped, the host in ASCII
 *     - without its fragment
 *     - with the escapes of bytes beyond ASCII undone, without fragment and
 *       with it: a URL of such bytes that are not UTF-8 is shown escaped
 */
bool cfs_lenient_url(struct cfs_slice typed, unsigned i, struct cfs_buf *out);

/*
 * Appends the PREFIX (crawl/target.h) that a text stands for which is none as
 * it stands: a domain as usual (www.example.com, also with port and path) or a
 * SURT key (com,example,www)/path).  False if it is neither.
 */
bool cfs_lenient_prefix(struct cfs_slice typed, struct cfs_buf *out);

#endif
