/* trust.h - is a folder in the hands of this user alone?
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_TRUST_H
#define CFS_BASE_TRUST_H

#include <sys/types.h>

#include "error.h"

/*
 * Whether what is in a folder can only have been put there by this user or by
 * root: the folder, those above it, and what is in it down to folders in its
 * folders.  `names` ends with NULL: of what is in the folder only these are
 * looked at.  A folder that is not there is judged by those above it.
 *
 *   - the folder belongs to this user or to root, and others cannot write to it
 *     (a group of this user alone may);
 *   - so do folders in it; files too, or nobody else can reach them; neither
 *     links nor anything else are among them;
 *   - folders above belong to this user or root, and not everybody can replace
 *     what is in them.
 *
 * After cfs_trust_share() also where a folder's group, which this user is of,
 * can write to it, and others cannot; what is in it then belongs to whoever of
 * the group has put it there, and nobody but the group can write to it.  The
 * folder must hand its group on (setgid).
 *
 * CFS_OK; CFS_EACCESS with what is wrong, and where.
 */
int cfs_trust_folder(const char *path, const char *const *names,
		     struct cfs_error *err);

/* From now on folders of a group are taken for this user's, too, and what the
 * process makes may be written by its group, as far as its mode says so: before
 * there are threads. */
void cfs_trust_share(void);

/* The mode for a file or folder in a folder that was trusted: `mode` is that of
 * one for the user alone, and is for the group, too, if the folder was a
 * group's. */
mode_t cfs_trust_mode(mode_t mode);

#endif
