/* urlref.h - resolves links of pages to absolute URLs.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_URL_URLREF_H
#define CFS_URL_URLREF_H

#include "url.h"

/* References and results longer than this are rejected. */
#define CFS_URLREF_MAX CFS_URL_MAX

/* A base URL, split once for many references.  Borrows from the URL. */
struct cfs_url_base {
	struct cfs_slice scheme;	/* "http" */
	bool has_authority;		/* false: "mailto:a" */
	struct cfs_slice authority;	/* "host:80" */
	struct cfs_slice path;		/* "/a/b" or empty */
	struct cfs_slice query;		/* "?x" or empty */
};

/* Splits url.  As in browsers and for keys (url.h), http: and https: are always
 * followed by a host, whatever the number of slashes.  False if it has no
 * scheme; base is then empty, and relative references cannot be resolved. */
bool cfs_url_base_init(struct cfs_url_base *base, struct cfs_slice url);

/*
 * Sets out to the target of `ref` (RFC 3986, section 5.2), fragment included.
 * As in browsers, outer white space and inner tabs and line ends are removed,
 * the scheme becomes lower case, and "http:x" on an http page means "x".  A
 * reference with a scheme or an authority of its own is kept otherwise, as are
 * other bytes (blanks, non-ASCII).
 * False if there is no base, on excess length, or if out of memory.
 */
bool cfs_url_resolve(const struct cfs_url_base *base, struct cfs_slice ref,
		     struct cfs_buf *out);

#endif
