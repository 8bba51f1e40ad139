/* urlref.h - what a link on a page points to.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_URL_URLREF_H
#define CFS_URL_URLREF_H

#include "url.h"

/* References and results longer than this are left out. */
#define CFS_URLREF_MAX CFS_URL_MAX

/* An absolute URL taken apart once, for many references.  Borrows from it. */
struct cfs_url_base {
	struct cfs_slice scheme;	/* "http" */
	struct cfs_slice origin;	/* "http://host:80" */
	struct cfs_slice path;		/* "/a/b" or empty */
	struct cfs_slice query;		/* "?x" or empty */
};

/* False if url has no scheme (base is then empty: relative references have no
 * target). */
bool cfs_url_base_init(struct cfs_url_base *base, struct cfs_slice url);

/*
 * Replaces out by the target of `ref` (RFC 3986, section 5.2), fragment kept.
 * As browsers do, outer white space and inner tabs and line ends go, a scheme
 * comes out in lower case, "http:x" on a page of http is "x", and further
 * bytes (blanks, non-ASCII) stay as they are.
 * False where there is none: no base, too long, or out of memory.
 */
bool cfs_url_resolve(const struct cfs_url_base *base, struct cfs_slice ref,
		     struct cfs_buf *out);

#endif
