/* local_copy.h - keeps local copies of remote files, so that each is fetched
 * only once.
 *
 * What is read of a file, from its start on, is copied to a temporary file and
 * served from there when it is read again.  If that cannot be written, the file
 * is fetched again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INPUT_LOCAL_COPY_H
#define CFS_INPUT_LOCAL_COPY_H

#include "source/source.h"

struct cfs_local_copy;	/* used by one thread at a time */

/* dir: for the temporary files, which have no names; borrowed.  NULL without
 * memory. */
struct cfs_local_copy *cfs_local_copy_new(const char *dir);
void cfs_local_copy_free(struct cfs_local_copy *s);	/* accepts NULL */

/*
 * Opens a URL; a local path is opened directly.  arg is the struct
 * cfs_local_copy: this is the function of a cfs_opener.  Close the source
 * before freeing the copy.  If a file has changed when its next part is
 * fetched, reading it returns CFS_ECHANGED.
 */
int cfs_local_copy_open(void *arg, const char *location,
			struct cfs_source **out, struct cfs_ctx ctx);

#endif
