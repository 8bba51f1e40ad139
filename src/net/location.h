/* location.h - URLs of remote objects: their parts, their canonical form, and
 * the many names of Common Crawl's bucket.
 *
 * Nothing here makes a request.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_LOCATION_H
#define CFS_NET_LOCATION_H

#include "base/buf.h"
#include "base/error.h"
#include "base/hex.h"

/* Longest URL; more than servers take. */
#define CFS_LOCATION_MAX 8192u

/* Where Common Crawl's bucket is served without credentials. */
#define CFS_COMMON_CRAWL_HOST "data.commoncrawl.org"
#define CFS_COMMON_CRAWL_URL "https://" CFS_COMMON_CRAWL_HOST "/"

/* True for "scheme://...", whatever the scheme. */
bool cfs_location_is_url(const char *s);

enum cfs_loc_scheme { CFS_LOC_HTTP, CFS_LOC_HTTPS, CFS_LOC_S3 };

/* A URL taken apart; slices borrow from it. */
struct cfs_location {
	enum cfs_loc_scheme scheme;
	struct cfs_slice user;		/* "name:password", often empty */
	struct cfs_slice host;		/* as written; for s3: the bucket */
	struct cfs_slice port;		/* digits, or empty */
	struct cfs_slice path;		/* from its first '/', with the query
					 * but no fragment; may be empty.  For
					 * s3: '/' and the key, not encoded */
};

/* Can this be the host of a URL, or the bucket of an s3: URL?  A name, an IPv4
 * address, or an IPv6 address in brackets. */
bool cfs_location_is_host(struct cfs_slice s);

/* Takes a URL apart.  CFS_EUNSUPPORTED for other schemes,
 * CFS_ELIMIT, CFS_EFORMAT. */
int cfs_location_parse(struct cfs_location *out, const char *url,
		       struct cfs_error *err);

/*
 * If the object is in Common Crawl's bucket, appends its key there,
 * percent-encoded, to `key`; false if it is elsewhere.  Known names:
 *
 *     https://data.commoncrawl.org/K
 *     s3://commoncrawl/K             s3://aws-publicdatasets/common-crawl/K
 *     s3://commoncrawl-crawl-002/K   (key crawl-002/K)
 * and the https forms of these buckets at s3.amazonaws.com (doc/formats.md,
 * "Where the data is").
 */
bool cfs_location_common_crawl(const struct cfs_location *loc,
			       struct cfs_buf *key);

/* Appends the canonical form of an http or https URL: scheme and host in
 * lower case, no user, fragment or default port, blanks and bytes beyond
 * ASCII percent-encoded. */
void cfs_location_canonical(const struct cfs_location *loc,
			    struct cfs_buf *out);

/* The characters of a path that cfs_percent_encode keeps: S3 requires that
 * form, and every server understands it.  Signatures allow only CFS_UNRESERVED
 * in a query. */
#define CFS_LOCATION_KEPT CFS_UNRESERVED "/"

/*
 * Appends the URL of the file `name` below the folder `base`; if base is not an
 * http(s) URL, the name is appended unchanged.
 *
 * A name that begins with "./" is the literal rest of a URL behind its folder,
 * except that '\' stands for '/' in its query: escapes and query are sent as
 * they are.  If such a name would leave the folder, or cannot be part of a URL,
 * it is treated like other names.
 */
void cfs_location_join(struct cfs_buf *out, const char *base,
		       struct cfs_slice name);

/* The reverse: appends the name that join turns back into `text`, which follows
 * a folder and '/' in an http(s) URL without fragment.  That is text itself if
 * it has no escape and no query; text decoded, if join encodes it the same way;
 * else "./" and text, with '\' for '/' in the query. */
void cfs_location_name(struct cfs_buf *out, struct cfs_slice text);

/*
 * Does an http(s) URL, or the name of an archive in an index
 * (cfs_location_name), have a query?  A query may be a secret that gives
 * access.
 */
bool cfs_location_has_query(struct cfs_slice s);

/* Appends such a URL or name in a form that may be shown to anybody, with "..."
 * for the query.  Anything else is appended unchanged. */
void cfs_location_show(struct cfs_buf *out, struct cfs_slice s);

/* The same for a SOURCE, which may be a list of URLs and other names. */
void cfs_location_show_list(struct cfs_buf *out, const char *list);

/* Appends the name under which the object at a canonical URL is cached.  A
 * query is replaced by its hash: two queries are two objects, and no query is
 * written to disk. */
void cfs_location_identity(struct cfs_buf *out, struct cfs_slice canonical);

/* The part of a URL up to and including the last '/' of its path. */
struct cfs_slice cfs_location_folder(const char *url);

#endif
