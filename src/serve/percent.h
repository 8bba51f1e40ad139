/* percent.h - percent escapes of paths and queries.
 *
 * Spec: RFC 3986, 2.1; a query's '+' as HTML forms have it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SERVE_PERCENT_H
#define CFS_SERVE_PERCENT_H

#include "base/buf.h"

/* Appends s without its escapes; one that is not valid stands for itself.
 * is_query: '+' is a blank.  Returns out->failed. */
int cfs_percent_decode(struct cfs_slice s, bool is_query, struct cfs_buf *out);

/* Appends a name as one component of a path: all bytes but letters, digits and
 * "-._~!$&'()*+,;=:@" are escaped. */
int cfs_percent_encode(struct cfs_slice name, struct cfs_buf *out);

/* The next parameter of a query, as sent: takes "NAME=VALUE" off the front of
 * *query.  False: there are no more. */
bool cfs_query_next(struct cfs_slice *query, struct cfs_slice *name,
		    struct cfs_slice *value);

/* Appends the decoded value of the first parameter of that name.  True if there
 * is one. */
bool cfs_query_get(struct cfs_slice query, const char *name,
		   struct cfs_buf *out);

#endif
