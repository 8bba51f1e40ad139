/* spool.h - standard input as a file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_EXPORT_SPOOL_H
#define CFS_EXPORT_SPOOL_H

#include "base/cancel.h"

struct cfs_spool;

/* Copies a pipe to its end into a file in `dir` that has no name, because
 * archives are read at offsets; a file that is standard input is not copied.
 * 0; CFS_EIO, also if dir is NULL or full; CFS_EINTR; CFS_ENOMEM. */
int cfs_spool_stdin(struct cfs_spool **out, const char *dir,
		    struct cfs_ctx ctx);

/* A path by which the file can be opened; lent.  NULL for NULL. */
const char *cfs_spool_path(const struct cfs_spool *s);

void cfs_spool_free(struct cfs_spool *s);	/* accepts NULL */

#endif
