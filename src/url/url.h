/* url.h - a URL taken apart.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_URL_URL_H
#define CFS_URL_URL_H

#include "base/buf.h"

/* A URL longer than this is skipped and counted (doc/design.md, "Limits"). */
#define CFS_URL_MAX 8192u

enum cfs_scheme {	/* stored in crawlfs indexes: fixed values */
	CFS_SCHEME_NONE = 0,
	CFS_SCHEME_HTTP = 1,
	CFS_SCHEME_HTTPS = 2,
	CFS_SCHEME_FTP = 3,
};

/* "http", "https" or "ftp"; "http" for any other value. */
const char *cfs_scheme_name(enum cfs_scheme scheme);
/* CFS_SCHEME_NONE for any other name. */
enum cfs_scheme cfs_scheme_by_name(struct cfs_slice name);

/* Takes "http://", "https://" or "ftp://", in any case, off the front of *url;
 * CFS_SCHEME_NONE, and *url as it was, for another. */
enum cfs_scheme cfs_url_take_scheme(struct cfs_slice *url);

/* A URL, or a reference, without outer blanks and controls.  Inner tabs and line
 * ends are taken out, into scratch where there are any; but not of a text that
 * is longer than CFS_URL_MAX even so. */
struct cfs_slice cfs_url_tidy(struct cfs_slice s, uint8_t scratch[CFS_URL_MAX]);

/* A URL's parts, borrowed from it. */
struct cfs_url {
	enum cfs_scheme scheme;
	struct cfs_slice userinfo;	/* before '@', without it; may be empty */
	struct cfs_slice host;		/* as written */
	struct cfs_slice port;		/* digits without ':'; may be empty */
	struct cfs_slice path;		/* from '/', '?' or '#' to the end */
};

/*
 * Takes a URL apart without judging it: real crawls hold junk hosts.
 * The host ends at the first ':' unless what follows is a port, and at the
 * first '/', '?' or '#'.
 * 0; CFS_ENOTFOUND for another scheme or no host at all; CFS_ELIMIT beyond
 * CFS_URL_MAX bytes; CFS_EFORMAT for a NUL.
 */
int cfs_url_parse(struct cfs_slice url, struct cfs_url *out);

/* Is what a user typed a URL: "://" in front of any other slash? */
bool cfs_url_is_typed(struct cfs_slice s);
/* Appends the labels between dots, the last one first. */
void cfs_url_reverse_host(struct cfs_slice host, struct cfs_buf *out);
/* Appends the URL of a reversed domain, with or without a path:
 * "com.example.www/a" is http://www.example.com/a. */
void cfs_url_of_prefix(struct cfs_slice s, struct cfs_buf *out);

/* Has it a place in the tree, by its scheme: http, https or ftp? */
bool cfs_url_is_web(struct cfs_slice url);

/* A host without the dots at its end. */
struct cfs_slice cfs_url_trim_host(struct cfs_slice host);

#endif
