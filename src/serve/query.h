/* query.h - the parameters of a query, and components of paths as URLs have
 * them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SERVE_QUERY_H
#define CFS_SERVE_QUERY_H

#include "base/buf.h"

/* Appends a name as one component of a path: all bytes but letters, digits and
 * "-._~!$&'()*+,;=:@" are escaped.  Returns out->failed. */
int cfs_component_encode(struct cfs_slice name, struct cfs_buf *out);

/* The next parameter of a query, as sent: takes "NAME=VALUE" off the front of
 * *query.  False: there are no more. */
bool cfs_query_next(struct cfs_slice *query, struct cfs_slice *name,
		    struct cfs_slice *value);

/* Appends the decoded value of the first parameter of that name.  True if there
 * is one. */
bool cfs_query_get(struct cfs_slice query, const char *name,
		   struct cfs_buf *out);

#endif
