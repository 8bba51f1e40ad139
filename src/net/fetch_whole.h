/* fetch_whole.h - fetches one answer of a server as a whole: a page that the
 * server makes on request, whose size is not known before.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_FETCH_WHOLE_H
#define CFS_NET_FETCH_WHOLE_H

#include "base/buf.h"
#include "base/cancel.h"

/*
 * Appends the page at an http: or https: URL, by one request, which goes the
 * way of all reads: queues, retries, deadlines (fetch.h).
 *
 * 0; CFS_ELIMIT for a page of more than max bytes (at most CFS_FETCH_MAX);
 * CFS_ENOTFOUND, CFS_EACCESS, CFS_EIO, ... as reads of a source.
 */
int cfs_page_get(struct cfs_buf *out, const char *url, size_t max,
		 const struct cfs_cancel *cancel, struct cfs_error *err);

#endif
