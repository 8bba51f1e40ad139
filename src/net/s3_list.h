/* s3_list.h - the objects of a bucket of S3 whose keys begin in one way.
 *
 * After the API reference of Amazon S3: ListObjectsV2.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_S3_LIST_H
#define CFS_NET_S3_LIST_H

#include "base/buf.h"
#include "base/cancel.h"

#define CFS_S3_LIST_PAGE_MAX 1000u	/* objects in one answer, S3's own */

/* Slices are borrowed during the call. */
struct cfs_s3_object {
	struct cfs_slice key;
	uint64_t bytes;
	struct cfs_slice etag, modified;	/* as sent; may be empty */
};

/* What is not 0 ends the listing, and is its result. */
typedef int cfs_s3_list_each(void *arg, const struct cfs_s3_object *o);

/*
 * Calls `each` with every object of the bucket whose key begins with `prefix`,
 * page by page, in S3's order.  0; the first result that is not 0; CFS_EACCESS,
 * CFS_ENOTFOUND (no such bucket), CFS_EFORMAT, CFS_EINTR, CFS_EIO, ...
 */
int cfs_s3_list(struct cfs_slice bucket, struct cfs_slice prefix,
		cfs_s3_list_each *each, void *arg,
		const struct cfs_cancel *cancel, struct cfs_error *err);

/* The same for the text of one answer.  Replaces `next` by the token that the
 * next one is asked for with; empty: there is none. */
int cfs_s3_list_parse(struct cfs_slice xml, cfs_s3_list_each *each, void *arg,
		      struct cfs_buf *next, struct cfs_error *err);

#endif
