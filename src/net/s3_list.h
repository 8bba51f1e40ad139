/* s3_list.h - lists the objects of an S3 bucket whose keys have a prefix.
 *
 * After the API reference of Amazon S3: ListObjectsV2.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_S3_LIST_H
#define CFS_NET_S3_LIST_H

#include "base/buf.h"
#include "base/cancel.h"

#define CFS_S3_LIST_PAGE_MAX 1000u	/* objects in an answer; S3's limit */

/* Slices are borrowed during the call. */
struct cfs_s3_object {
	struct cfs_slice key;
	uint64_t bytes;
	struct cfs_slice etag, modified;	/* as sent; may be empty */
};

/* Called for each object; a result other than 0 ends the listing and
 * is returned. */
typedef int cfs_s3_list_each(void *arg, const struct cfs_s3_object *o);

/*
 * Calls `each` with every object of the bucket whose key begins with `prefix`,
 * page by page, in S3's order.  0; the first result that is not 0; CFS_EACCESS,
 * CFS_ENOTFOUND (no such bucket), CFS_EFORMAT, CFS_EINTR, CFS_EIO, ...
 */
int cfs_s3_list(struct cfs_slice bucket, struct cfs_slice prefix,
		cfs_s3_list_each *each, void *arg, struct cfs_ctx ctx);

/* The same for the text of one answer.  Replaces `next` by the token for the
 * next request; empty if this is the last answer. */
int cfs_s3_list_parse(struct cfs_slice xml, cfs_s3_list_each *each, void *arg,
		      struct cfs_buf *next, struct cfs_error *err);

#endif
