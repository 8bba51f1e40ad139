/* xattrs.h - extended attributes of files, with -o xattr.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_XATTRS_H
#define CFS_FUSE_XATTRS_H

#include "reply.h"

/* Appends the names of those the file has, each with its NUL, as listxattr(2)
 * gives them. */
int cfs_xattr_list(struct cfs_req *r, const struct cfs_node *file,
		   struct cfs_buf *out);

/* Appends one value.  CFS_ENOTFOUND when the file has no such attribute. */
int cfs_xattr_get(struct cfs_req *r, const struct cfs_node *file,
		  const char *name, struct cfs_buf *out);

#endif
