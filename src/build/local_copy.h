/* local_copy.h - remote files that are read more than once, fetched once.
 *
 * What is read of a file from its start on is kept in a temporary file, and
 * served from there when it is read again.  Where that cannot be written, the
 * file is fetched again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_LOCAL_COPY_H
#define CFS_BUILD_LOCAL_COPY_H

#include "source/source.h"

struct cfs_local_copy;	/* used by one thread at a time */

/* dir: where the temporary files are, which have no names; borrowed.  NULL
 * without memory. */
struct cfs_local_copy *cfs_local_copy_new(const char *dir);
void cfs_local_copy_free(struct cfs_local_copy *s);	/* accepts NULL */

/*
 * Opens a URL, or a path, which is opened as it is.  arg is the struct
 * cfs_local_copy: the function of a cfs_opener.  The source is closed before
 * the spool is freed.  A file that has changed when the next part of it is
 * fetched is CFS_ECHANGED.
 */
int cfs_local_copy_open(void *arg, const char *location,
			struct cfs_source **out,
			const struct cfs_cancel *cancel, struct cfs_error *err);

#endif
