/* start_folder.h - the folder in which the command was given, for relative
 * paths that are used after a daemon has changed to `/`.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_START_FOLDER_H
#define CFS_BASE_START_FOLDER_H

#include "buf.h"
#include "slice.h"

/* Notes the current folder, and makes the paths in those variables of the
 * environment absolute that this program, its libraries or the programs that it
 * runs look up.  Call it once, while there is one thread.  Without memory, or
 * in a folder that is gone, everything stays as it is. */
void cfs_start_folder_note(void);

/* The folder; NULL if it is not known. */
const char *cfs_start_folder(void);

/* Appends a path, which is absolute then if the folder is known. */
void cfs_start_folder_path(struct cfs_buf *out, struct cfs_slice path);

#endif
