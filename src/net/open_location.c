/* open_location.c - opens a location as a local file or a source over HTTP.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "open_location.h"

#include "location.h"

int cfs_location_open(struct cfs_source **out, const char *location,
		      struct cfs_error *err)
{
	*out = NULL;
	if (cfs_location_is_url(location))
		return cfs_http_open(out, location, err);
	return cfs_source_open_file(out, location, err);
}

static int open_plain(void *arg, const char *location, struct cfs_source **out,
		      struct cfs_ctx ctx)
{
	(void)arg;
	return cfs_location_open(out, location, ctx.err);
}

struct cfs_opener cfs_opener_or_plain(const struct cfs_opener *given)
{
	return given != NULL ? *given :
	       (struct cfs_opener){ open_plain, NULL };
}

int cfs_location_open_whole(struct cfs_source **out, const char *location,
			    struct cfs_ctx ctx)
{
	struct cfs_source *inner;
	int rc = cfs_location_open(&inner, location, ctx.err);

	*out = NULL;
	if (rc != CFS_OK || !cfs_location_is_url(location)) {
		*out = rc == CFS_OK ? inner : NULL;
		return rc;
	}
	return cfs_source_open_stream(out, inner, ctx);
}
