/* url.h - splits URLs into their parts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_URL_URL_H
#define CFS_URL_URL_H

#include "base/buf.h"

/* A URL longer than this is skipped and counted (doc/design.md, "Limits"). */
#define CFS_URL_MAX 8192u

/* The longest name of a scheme other than http, https and ftp whose URLs have a
 * place in the tree, in bytes. */
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
 * Removes "http://", "https://" or "ftp://", in any case, from the front of
 * *url, and returns the scheme; for other schemes it returns CFS_SCHEME_NONE
 * and leaves *url unchanged.  As in browsers (WHATWG URL, "special authority
 * slashes state"), any number of slashes and backslashes, also none, counts as
 * "//".  Angle brackets around the URL are removed too.
 */
enum cfs_scheme cfs_url_take_scheme(struct cfs_slice *url);

/* The index of the first '/', '?' or '#', or backslash if `both`; s.n if there
 * is none. */
size_t cfs_url_find_slash(struct cfs_slice s, bool both);

/* The scheme at the start of s (RFC 3986, 3.1), as written, without its colon.
 * Empty if there is none, as in "host.example:80/path" and "host.example:80?x". */
struct cfs_slice cfs_url_scheme(struct cfs_slice s);

/* Removes blanks and control characters at both ends of a URL or reference, and
 * tabs and line ends inside.  The result is in scratch if the latter were
 * found.  Inner ones stay if the text is longer than CFS_URL_MAX. */
struct cfs_slice cfs_url_tidy(struct cfs_slice s, uint8_t scratch[CFS_URL_MAX]);

/* A URL's parts, borrowed from it. */
struct cfs_url {
	enum cfs_scheme scheme;
	struct cfs_slice other;		/* name of another scheme, as written;
					 * empty unless `scheme` is NONE */
	struct cfs_slice userinfo;	/* before '@', without it; may be
					 * empty */
	struct cfs_slice host;		/* as written */
	struct cfs_slice port;		/* digits without ':'; may be empty */
	struct cfs_slice path;		/* from '/', '?' or '#' to the end */
	/* Backslashes are used as slashes before or behind the host; those of
	 * the path, up to '?' or '#', then count as slashes too. */
	bool has_backslashes;
};

/*
 * Splits a URL of http, https or ftp without validating it: real crawls contain
 * junk hosts.
 * The host ends at the first ':', '/', '\\', '?' or '#' (a ':' in brackets does
 * not count).  If the text behind ':' is not a number, `port` is empty.
 * 0; CFS_ENOTFOUND for another scheme or no host at all; CFS_ELIMIT beyond
 * CFS_URL_MAX bytes; CFS_EFORMAT for a NUL.
 */
int cfs_url_parse(struct cfs_slice url, struct cfs_url *out);

/*
 * As cfs_url_parse, but accepts all schemes whose URLs have a place in the
 * tree: those with "//" behind the colon, and "file:/", except schemes that
 * archives use for records that are not pages ("metadata://...").  A URL of
 * another scheme than http, https and ftp may lack the host if it has a path.
 */
int cfs_url_parse_any(struct cfs_slice url, struct cfs_url *out);

/* True if what a user typed is a URL (of http, https or ftp, or with "://"
 * before any other slash) and not a PREFIX. */
bool cfs_url_is_typed(struct cfs_slice s);
/* Appends the labels of a host in reverse order, separated by dots. */
void cfs_url_reverse_host(struct cfs_slice host, struct cfs_buf *out);
/* Appends the URL of a reversed domain, with or without a path:
 * http://www.example.com/a for "com.example.www/a". */
void cfs_url_of_prefix(struct cfs_slice s, struct cfs_buf *out);

/* True if the scheme of a URL is http, https or ftp. */
bool cfs_url_is_web(struct cfs_slice url);
/* True if URLs of this scheme have a place in the tree of a crawlfs index
 * (cfs_url_parse_any). */
bool cfs_url_has_place(struct cfs_slice url);

/* The host without dots at its end. */
struct cfs_slice cfs_url_trim_host(struct cfs_slice host);

#endif
