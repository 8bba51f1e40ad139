/* xattrs.h - extended attributes of files, with -o xattr.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_XATTRS_H
#define CFS_FUSE_XATTRS_H

#include "fuse/fs.h"

/* All names, each with its NUL, as listxattr(2) gives them.  Static. */
struct cfs_slice cfs_xattr_names(void);

/* Appends one value.  CFS_ENOTFOUND when the file has no such attribute. */
int cfs_xattr_get(struct cfs_fs *fs, const struct cfs_node *file,
		  const char *name, struct cfs_buf *out,
		  const struct cfs_cancel *cancel, struct cfs_error *err);

#endif
