/* location.h - URLs of remote objects: their parts, their one canonical form,
 * and the many names of Common Crawl's bucket.
 *
 * Nothing here makes a request.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_LOCATION_H
#define CFS_NET_LOCATION_H

#include "base/buf.h"
#include "base/error.h"

/* Longest URL; more than any server takes. */
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
	struct cfs_slice host;		/* as written; of s3: the bucket */
	struct cfs_slice port;		/* digits, or empty */
	struct cfs_slice path;		/* with its first '/' and its query,
					 * without fragment; may be empty.  Of
					 * s3: '/' and the key, not encoded */
};

/* May it be the host of a URL, or the bucket of one of s3:?  A name, an IPv4
 * address, or an IPv6 address in brackets. */
bool cfs_location_is_host(struct cfs_slice s);

/* CFS_EUNSUPPORTED for other schemes, CFS_ELIMIT, CFS_EFORMAT. */
int cfs_location_parse(struct cfs_location *out, const char *url,
		       struct cfs_error *err);

/*
 * The object's place in Common Crawl's bucket, if it is there: its key,
 * percent-encoded, appended to `key`.  False: it is elsewhere.  Known names:
 *     https://data.commoncrawl.org/K
 *     s3://commoncrawl/K             s3://aws-publicdatasets/common-crawl/K
 *     s3://commoncrawl-crawl-002/K   (key crawl-002/K)
 * and the https forms of these buckets at s3.amazonaws.com (doc/formats.md,
 * "Where the data is").
 */
bool cfs_location_common_crawl(const struct cfs_location *loc,
			       struct cfs_buf *key);

/* Appends the canonical form of an http or https URL: scheme and host in
 * lower case, no user, no fragment, no usual port, blanks and bytes beyond
 * ASCII percent-encoded. */
void cfs_location_canonical(const struct cfs_location *loc,
			    struct cfs_buf *out);

/* Appends `name` (any bytes) percent-encoded, all but unreserved characters
 * and '/': as S3 wants it, and as every server understands it. */
void cfs_location_encode(struct cfs_buf *out, struct cfs_slice name);

/*
 * Appends the URL of the file `name` below the folder `base`; where base is
 * not an http(s) URL, the name is appended as it is.
 *
 * A name that begins with "./" is what a URL has behind its folder, as it
 * stands there, but for '\' in place of '/' in its query: its escapes and its
 * query are sent again as they were.  One that would leave the folder, or
 * cannot be part of a URL, is treated like other names.
 */
void cfs_location_join(struct cfs_buf *out, const char *base,
		       struct cfs_slice name);

/* The other way: appends the name that gives `text`, which follows a folder
 * and '/' in an http(s) URL without fragment ('\' for '/' in its query): text
 * itself where it has no escape and no query; without escapes, where join puts
 * in the same; else with "./" in front. */
void cfs_location_name(struct cfs_buf *out, struct cfs_slice text);

/*
 * The query of a URL may be a key to what is there.  True of a URL of http: or
 * https:, and of the name of an archive in an index (cfs_location_name), that
 * have one.
 */
bool cfs_location_has_query(struct cfs_slice s);

/* Appends such a URL or name as it may be shown to anybody: with "..." in place
 * of the query.  What is neither is appended as it is. */
void cfs_location_show(struct cfs_buf *out, struct cfs_slice s);

/* The same of a SOURCE, which may be a list of URLs and other names. */
void cfs_location_show_list(struct cfs_buf *out, const char *list);

/* Appends the name that an object at a canonical URL is kept under: where it
 * has a query a hash of that, so that two queries are two objects and neither
 * is written to disk. */
void cfs_location_identity(struct cfs_buf *out, struct cfs_slice canonical);

/* Appends s without its percent-escapes. */
void cfs_location_decode(struct cfs_buf *out, struct cfs_slice s);

/* The part of a URL up to the last '/' of its path, with it. */
struct cfs_slice cfs_location_folder(const char *url);

#endif
