/* root_names.h - the names in the root that the kernel knows, so that it can be
 * made to forget all that it keeps.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_ROOT_NAMES_H
#define CFS_FUSE_ROOT_NAMES_H

#include "fs.h"

/* Notes that the kernel is given a name in the root. */
void cfs_root_names_note(struct cfs_fs *fs, struct cfs_slice name);

/* Has the kernel forget the names that were noted and everything below them.
 * fs: a struct cfs_fs (for cfs_callers_watch). */
void cfs_root_names_forget(void *fs);

#endif
