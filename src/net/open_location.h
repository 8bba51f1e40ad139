/* open_location.h - opens a path or a URL as a source.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_OPEN_LOCATION_H
#define CFS_NET_OPEN_LOCATION_H

#include "base/buf.h"
#include "source/source.h"

/* Opens what `location` names: a path, or a URL (http:, https:, s3:), which
 * sends no request yet.  CFS_EUNSUPPORTED for other schemes. */
int cfs_location_open(struct cfs_source **out, const char *location,
		      struct cfs_error *err);

/* Opens a location to be read as a whole: a URL as a stream. */
int cfs_location_open_whole(struct cfs_source **out, const char *location,
			    struct cfs_ctx ctx);

/* Opens an http:, https: or s3: URL.  CFS_EUNSUPPORTED for other schemes,
 * CFS_EFORMAT for what is not a URL, CFS_ENOMEM. */
int cfs_http_open(struct cfs_source **out, const char *url,
		  struct cfs_error *err);

/* How the layers above open locations: directly, or through a cache.  Threads
 * share it. */
struct cfs_opener {
	int (*open)(void *arg, const char *location, struct cfs_source **out,
		    struct cfs_ctx ctx);
	void *arg;
};

/* *given or, if that is NULL, an opener that opens locations directly. */
struct cfs_opener cfs_opener_or_plain(const struct cfs_opener *given);

/*
 * Appends the page at an http: or https: URL, fetched by one request, with the
 * queues, retries and deadlines of all reads (fetch.c).
 *
 * 0; CFS_ELIMIT for a page of more than max bytes (at most CFS_FETCH_MAX);
 * CFS_ENOTFOUND, CFS_EACCESS, CFS_EIO, ... as for reads of a source.
 */
int cfs_page_get(struct cfs_buf *out, const char *url, size_t max,
		 struct cfs_ctx ctx);

#endif
