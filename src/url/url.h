/* url.h - a URL taken apart.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_URL_URL_H
#define CFS_URL_URL_H

#include "base/buf.h"

/* A URL longer than this is skipped and counted (doc/design.md, "Limits"). */
#define CFS_URL_MAX 8192u

/* Bytes of another scheme's name that its URLs' place in the tree may have. */
#define CFS_URL_SCHEME_MAX 31u

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

/*
 * Takes "http://", "https://" or "ftp://", in any case, off the front of *url;
 * CFS_SCHEME_NONE, and *url as it was, for another.  As browsers do (WHATWG
 * URL, "special authority slashes state"), any number of slashes and
 * backslashes counts as the two, none at all too.  Angle brackets round the
 * whole are taken off first.
 */
enum cfs_scheme cfs_url_take_scheme(struct cfs_slice *url);

/* Where the first '/', '?' or '#' is, or backslash if `both`; s.n if
 * nowhere. */
size_t cfs_url_find_slash(struct cfs_slice s, bool both);

/* The scheme with which s begins (RFC 3986, 3.1), as written, without its
 * colon.  Empty if it has none: also of "host.example:80/path". */
struct cfs_slice cfs_url_scheme(struct cfs_slice s);

/* A URL, or a reference, without outer blanks and controls.  Inner tabs and
 * line ends are taken out, into scratch where there are any; but not of a text
 * that is longer than CFS_URL_MAX even so. */
struct cfs_slice cfs_url_tidy(struct cfs_slice s, uint8_t scratch[CFS_URL_MAX]);

/* A URL's parts, borrowed from it. */
struct cfs_url {
	enum cfs_scheme scheme;
	struct cfs_slice other;		/* another scheme's name, as written;
					 * empty if `scheme` is one */
	struct cfs_slice userinfo;	/* before '@', without it; may be
					 * empty */
	struct cfs_slice host;		/* as written */
	struct cfs_slice port;		/* digits without ':'; may be empty */
	struct cfs_slice path;		/* from '/', '?' or '#' to the end */
	/* Backslashes stand where slashes belong, before the host or behind it:
	 * then those of the path, up to '?' or '#', are slashes, too. */
	bool has_backslashes;
};

/*
 * Takes a URL of http, https or ftp apart without judging it: real crawls hold
 * junk hosts.
 * The host ends at the first ':' unless what follows is a port, and at the
 * first '/', '\\', '?' or '#'.
 * 0; CFS_ENOTFOUND for another scheme or no host at all; CFS_ELIMIT beyond
 * CFS_URL_MAX bytes; CFS_EFORMAT for a NUL.
 */
int cfs_url_parse(struct cfs_slice url, struct cfs_url *out);

/*
 * The same, also of other schemes whose URLs have a place in the tree: those
 * with "//" behind the colon, and "file:/", unless the scheme is one by which
 * archives name records that are no pages ("metadata://...").  Such a URL may
 * lack the host if it has a path.
 */
int cfs_url_parse_any(struct cfs_slice url, struct cfs_url *out);

/* Is what a user typed a URL: http, https or ftp, or "://" in front of any
 * other slash? */
bool cfs_url_is_typed(struct cfs_slice s);
/* Appends the labels between dots, the last one first. */
void cfs_url_reverse_host(struct cfs_slice host, struct cfs_buf *out);
/* Appends the URL of a reversed domain, with or without a path:
 * "com.example.www/a" is http://www.example.com/a. */
void cfs_url_of_prefix(struct cfs_slice s, struct cfs_buf *out);

/* Is its scheme http, https or ftp? */
bool cfs_url_is_web(struct cfs_slice url);
/* Has it a place in the tree of a crawlfs index, by its scheme
 * (cfs_url_parse_any)? */
bool cfs_url_has_place(struct cfs_slice url);

/* A host without the dots at its end. */
struct cfs_slice cfs_url_trim_host(struct cfs_slice host);

#endif
