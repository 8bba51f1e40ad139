/* trust.h - checks that only this user can have written to a folder.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_TRUST_H
#define CFS_BASE_TRUST_H

#include <sys/types.h>

#include "error.h"

/*
 * Checks that the contents of a folder can only have been put there by this
 * user or root.  It checks the folder, those above it, and the entries of the
 * folder that are in `names` (which ends with NULL), with two levels of folders
 * below them.  If the folder does not exist, those above it are checked.
 *
 *   - The folder belongs to this user or root, and others cannot write to it (a
 *     group that consists of this user may).
 *   - The same holds for folders and files in it, unless nobody else can reach
 *     them.  There are no links or special files.
 *   - Folders above belong to this user or root, and their entries cannot be
 *     replaced by everybody.
 *
 * After cfs_trust_groups() the folder's group, which this user must be in, may
 * also write to it, but nobody else.  Its contents may then belong to anyone,
 * and only the group may write to them.  The folder must pass its group on
 * (setgid).
 *
 * Returns CFS_OK, or CFS_EACCESS with what is wrong, and where.
 */
int cfs_trust_folder(const char *path, const char *const *names,
		     struct cfs_error *err);

/* From now on folders that are shared with a group are trusted too, and the
 * umask lets the group write to new files.  Call it before threads start. */
void cfs_trust_groups(void);

/* The mode for a new file or folder in a trusted folder: `mode`, which is for
 * the user alone, with the same rights for the group if a folder of a group was
 * trusted. */
mode_t cfs_trust_mode(mode_t mode);

#endif
