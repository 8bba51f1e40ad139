/* open_location.h - opens a location: a path, or a URL.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_OPEN_LOCATION_H
#define CFS_NET_OPEN_LOCATION_H

#include "source/source.h"

/* Opens what `location` names: a path, or a URL (http:, https:, s3:), which
 * costs no request yet.  Another scheme gives CFS_EUNSUPPORTED. */
int cfs_location_open(struct cfs_source **out, const char *location,
		      struct cfs_error *err);

/* Opens a location for reading it whole: a stream if it is a URL. */
int cfs_location_open_whole(struct cfs_source **out, const char *location,
			    const struct cfs_cancel *cancel,
			    struct cfs_error *err);

/* Opens an http:, https: or s3: URL.  CFS_EUNSUPPORTED for other schemes,
 * CFS_EFORMAT for what is not a URL, CFS_ENOMEM. */
int cfs_http_open(struct cfs_source **out, const char *url,
		  struct cfs_error *err);

/* How the layers above open locations: as they are, or through a cache.
 * Threads share it. */
struct cfs_opener {
	int (*open)(void *arg, const char *location, struct cfs_source **out,
		    const struct cfs_cancel *cancel, struct cfs_error *err);
	void *arg;
};

/* *given; where that is NULL, one that opens locations as they are. */
struct cfs_opener cfs_opener_or_plain(const struct cfs_opener *given);

#endif
