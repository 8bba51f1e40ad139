/* fs_make.h - makes and frees a file system with all that belongs to it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_FS_MAKE_H
#define CFS_FUSE_FS_MAKE_H

#include "fs.h"

/* A file system without sources; NULL: out of memory. */
struct cfs_fs *cfs_fs_new(const struct cfs_fs_opts *opts);
/* Closes its crawls, too.  Accepts NULL. */
void cfs_fs_free(struct cfs_fs *fs);

#endif
