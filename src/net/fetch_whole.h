/* fetch_whole.h - fetches a whole page that a server makes on request, whose
 * size is not known before.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_FETCH_WHOLE_H
#define CFS_NET_FETCH_WHOLE_H

#include "base/buf.h"
#include "base/cancel.h"

/*
 * Appends the page at an http: or https: URL, fetched by one request, with the
 * queues, retries and deadlines of all reads (fetch.h).
 *
 * 0; CFS_ELIMIT for a page of more than max bytes (at most CFS_FETCH_MAX);
 * CFS_ENOTFOUND, CFS_EACCESS, CFS_EIO, ... as for reads of a source.
 */
int cfs_page_get(struct cfs_buf *out, const char *url, size_t max,
		 struct cfs_ctx ctx);

#endif
