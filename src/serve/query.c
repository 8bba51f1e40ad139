/* query.c - reads queries, and writes components of paths.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "query.h"

#include "base/hex.h"

int cfs_component_encode(struct cfs_slice name, struct cfs_buf *out)
{
	cfs_percent_encode(name, CFS_UNRESERVED "!$&'()*+,;=:@", out);
	return out->failed;
}

bool cfs_query_next(struct cfs_slice *query, struct cfs_slice *name,
		    struct cfs_slice *value)
{
	while (query->n > 0) {
		*value = cfs_slice_split(query, '&');
		if (value->n == 0)
			continue;
		*name = cfs_slice_split(value, '=');
		return true;
	}
	return false;
}

bool cfs_query_get(struct cfs_slice query, const char *name,
		   struct cfs_buf *out)
{
	struct cfs_slice n, value, wanted = cfs_slice_str(name);

	while (cfs_query_next(&query, &n, &value)) {
		if (cfs_slice_eq(n, wanted)) {
			cfs_percent_decode(value, true, out);
			return true;
		}
	}
	return false;
}
